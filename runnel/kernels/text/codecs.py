"""Bytes in some encoding to code points and back, for many strings at once.

Python's codecs do the decoding. What they cannot decode is marked by a lone surrogate, which no
valid text holds; its number says how many bytes it stands for.
"""

from __future__ import annotations

import codecs
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from runnel.core.values.types import Array
from runnel.kernels.text.arrays import byte_table, counts_between, packed

_MARK = 0xD800
_CODECS = {"shiftjis": "cp932", "sjis": "cp932", "euckr": "cp949", "ksc5601": "cp949"}
_NO_TEXT = ("idna", "punycode", "unicode_escape", "raw_unicode_escape", "undefined", "utf-8-sig")
OUTPUT_ENCODINGS = {"UTF-8": "utf-8", "UTF-16-BE": "utf-16-be", "UTF-32-BE": "utf-32-be"}


def _mark(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeDecodeError)
    return chr(_MARK + error.end - error.start), error.end


codecs.register_error("runnel.mark", _mark)


@dataclass
class Decoded:
    """The characters of many strings, one string after another."""

    points: Array  # code points
    sizes: Array  # the bytes that each character took
    counts: Array  # characters in each string
    bad: Array  # marks what could not be decoded

    @property
    def splits(self) -> Array:
        """Where the characters of each string begin, and the end."""
        return np.concatenate([np.zeros(1, np.int64), np.cumsum(self.counts)])

    @property
    def offsets(self) -> Array:
        """The byte of its string at which each character begins."""
        ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(self.sizes)])
        return ends[:-1] - np.repeat(ends[self.splits[:-1]], self.counts)

    def without(self, dropped: Array) -> Array:
        """How many characters of each string are left without those marked."""
        starts = self.splits
        return self.counts - counts_between(dropped, starts)


def codec(encoding: str) -> str | None:
    """Python's name of an encoding, None if there is no such encoding of text."""
    plain = encoding.lower().replace("-", "").replace("_", "").replace(" ", "")
    try:
        name = codecs.lookup(_CODECS.get(plain, encoding)).name
        b"a".decode(name, "ignore")
    except (LookupError, UnicodeError):
        return None
    return None if name in _NO_TEXT else name


def decode(values: Sequence[bytes], name: str) -> Decoded:
    """All characters of `values`, encoded as `name` says."""
    quick = _decode_utf8(values) if name == "utf-8" else None
    if quick is not None:
        return quick
    parts = [_decode_one(value, name) for value in values]
    points = np.concatenate([np.zeros(0, np.int32), *[points for points, _ in parts]])
    sizes = np.concatenate([np.zeros(0, np.int64), *[sizes for _, sizes in parts]])
    counts = np.array([len(points) for points, _ in parts], np.int64)
    return Decoded(points, sizes, counts, is_surrogate(points))


def is_surrogate(points: Array) -> Array:
    return (points >= 0xD800) & (points < 0xE000)


def _decode_utf8(values: Sequence[bytes]) -> Decoded | None:
    """All strings in one go, None if there is a fault in one of them."""
    table, starts = byte_table(values)
    first = (table & 0xC0) != 0x80
    begins = starts[:-1][starts[:-1] < starts[1:]]
    if not first[begins].all():
        return None  # joined with the string before, these bytes might make a character
    try:
        text = table.tobytes().decode()
    except UnicodeDecodeError:
        return None
    points = _points(text)
    counts = counts_between(first, starts)
    return Decoded(points, utf8_sizes(points), counts, np.zeros(len(points), bool))


def _points(text: str) -> Array:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.int32)


def utf8_sizes(points: Array) -> Array:
    return (1 + (points >= 0x80) + (points >= 0x800) + (points >= 0x10000)).astype(np.int64)


def _decode_one(value: bytes, name: str) -> tuple[Array, Array]:
    """The code points of a string, and the bytes that each takes."""
    mark = 0
    if name in ("utf-16", "utf-32"):
        name, mark = _byte_order(value, name)
    text = value[mark:].decode(name, "runnel.mark")
    points = _points(text)
    bad = is_surrogate(points)
    sizes = np.where(bad, points - _MARK, _sizes(text, points, name, len(value) - mark))
    if len(sizes):
        sizes[0] += mark
    return points, sizes.astype(np.int64)


def _byte_order(value: bytes, name: str) -> tuple[str, int]:
    """The codec by the mark at the beginning, big-endian without one, and the size of the mark."""
    width = 2 if name == "utf-16" else 4
    for order in ("be", "le"):
        if value[:width] == "\ufeff".encode(f"{name}-{order}"):
            return f"{name}-{order}", width
    return f"{name}-be", 0


def _sizes(text: str, points: Array, name: str, total: int) -> Array:
    """The bytes that each valid character takes in its encoding."""
    if name.startswith("utf-16"):
        return 2 + 2 * (points >= 0x10000)
    if name.startswith("utf-32"):
        return np.full(len(points), 4)
    if name == "utf-8":
        return utf8_sizes(points)
    if len(text) == total:
        return np.ones(len(text), np.int64)
    return np.array([len(letter.encode(name, "ignore")) for letter in text], np.int64)


def encode(points: Array, splits: Array, encoding: str) -> Array:
    """The strings whose code points stand between each of `splits` and the next."""
    name = OUTPUT_ENCODINGS[encoding]
    if len(splits) == len(points) + 1 and (np.diff(splits) == 1).all():
        return _encode_each(points, name)
    ends = np.concatenate([np.zeros(1, np.int64), np.cumsum(_sizes("", points, name, -1))])
    data = _text(points).encode(name, "surrogatepass")
    places = ends[splits].tolist()
    return packed([data[a:b] for a, b in pairwise(places)])


def _text(points: Array) -> str:
    return points.astype(np.uint32).tobytes().decode("utf-32-le", "surrogatepass")


def _encode_each(points: Array, name: str) -> Array:
    """Each code point as a string of its own; each is encoded once, however often it comes."""
    present: Any = np.zeros(0x110000, bool)
    present[points] = True
    distinct = np.flatnonzero(present)
    letters = np.empty(0x110000 if len(distinct) else 0, object)
    letters[distinct] = packed([chr(p).encode(name, "surrogatepass") for p in distinct.tolist()])
    return letters[points]
