"""Parts of strings by position, and their length, in bytes or in UTF-8 characters."""

from __future__ import annotations

import re
from collections.abc import Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, op, raw_ops
from runnel.core.values.dtypes import int32, int64
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Namespace, Spec, TensorLike
from runnel.kernels.text.arrays import counts_between, for_all, for_all_flat, packed
from runnel.kernels.text.dictionary_strings import Repeated, repeated
from runnel.kernels.text.flat_text import MANY, FlatText, flat_text
from runnel.kernels.text.pieces import cut
from runnel.ops.shapes import broadcast

_GOING_ON = bytes(range(0x80, 0xC0))  # bytes that do not begin a character
_LETTER = re.compile(rb"[\x00-\xff][\x80-\xbf]*")  # a byte with those that go on with it


def _check_unit(op_name: str, unit: str) -> None:
    if unit not in ("BYTE", "UTF8_CHAR"):
        raise bad_value(op_name, want='be "BYTE" or "UTF8_CHAR"', unit=unit)


def _length_shape(input: Spec, *, unit: str = "BYTE") -> Dims:
    _check_unit("StringLength", unit)
    return input.dims


@op("StringLength", "input: string -> output: int32", shape=_length_shape, elementwise=True)
def _string_length(xp: Namespace, input: Array, *, unit: str = "BYTE") -> Array:
    _check_unit("StringLength", unit)
    if input.size < MANY and unit == "BYTE":
        return np.fromiter(map(len, input.ravel().tolist()), np.int32).reshape(input.shape)
    return for_all_flat(_lengths if unit == "BYTE" else _letter_counts, input)


def _lengths(text: FlatText) -> Array:
    return text.sizes.astype(np.int32)


def _letter_counts(text: FlatText) -> Array:
    """How many bytes of each string begin a character."""
    if text.is_ascii:
        return _lengths(text)
    if text.has_zeros:
        begins = (text.data & 0xC0) != 0x80  # the zero byte behind each string among them
        limits = np.append(text.starts, text.ends[-1] + 1)
        return (counts_between(begins, limits) - 1).astype(np.int32)
    letters = np.frombuffer(text.inner.translate(None, _GOING_ON), np.uint8)
    return (np.diff(np.flatnonzero(letters == 0)) - 1).astype(np.int32)


def length(input: TensorLike, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """The number of bytes, or of UTF-8 characters, in each string.

    >>> tf.strings.length(["Grüße", ""], unit="UTF8_CHAR").numpy()
    array([5, 0], dtype=int32)
    """
    return raw_ops.StringLength(input, unit=unit, name=name)  # type: ignore[no-any-return]


def _substr_shape(
    input: Spec, pos: Spec, len: Spec, *, op_name: str = "Substr", **attrs: Any
) -> Dims:
    _check_unit(op_name, attrs["unit"])
    if not pos.shape.is_compatible_with(len.shape):
        raise bad_shape(op_name, want=f"have the shape {pos.shape} of `pos`", len=len)
    return broadcast(input, pos, op_name=op_name)


@op(
    "Substr",
    "input: string, pos: T, len: T -> output: string",
    T=frozenset({int32, int64}),
    shape=_substr_shape,
)
def _substr(xp: Namespace, input: Array, pos: Array, len: Array, *, unit: str = "BYTE") -> Array:
    _check_unit("Substr", unit)
    if pos.shape != len.shape:
        raise bad_shape("Substr", want=f"have the shape {pos.shape} of `pos`", len=len)
    if unit == "UTF8_CHAR" and input.size and ((pos < 0) & (len < 0)).any():
        want = "not be negative where `pos` counts characters from the end"
        raise bad_value("Substr", want=want, len=len)
    if pos.ndim == 0 and input.size < MANY:
        return for_all(lambda values: _parts(values, int(pos), int(len), unit), input)
    if pos.ndim == 0:
        return _many_parts(input, int(pos), int(len), unit)
    text, first, count = np.broadcast_arrays(input, pos, len)
    return _each_part(text, first, count, unit)


def _many_parts(input: Array, start: int, size: int, unit: str) -> Array:
    """The same part of each of many strings, which lie end to end."""
    known = repeated(input)
    if known is not None:
        assert known.distinct is not None and known.places is not None
        return Repeated.of(_many_parts(known.distinct, start, size, unit), known.places)
    text = flat_text(input)
    if unit == "UTF8_CHAR" and not text.is_ascii:
        return _parts(input.ravel().tolist(), start, size, unit).reshape(input.shape)
    starts, ends = _limits(text.sizes, np.int64(start), np.int64(size), unit)
    return cut(text.text, text.starts + starts, ends - starts).reshape(input.shape)


def _limits(sizes: Array, first: Array, count: Array, unit: str) -> tuple[Array, Array]:
    """Where a part of each string begins and where it ends, in units."""
    far = np.abs(first) > sizes
    if far.any():
        start, size = np.broadcast_to(first, sizes.shape)[far][0], sizes[far][0]
        raise bad_value("Substr", want=f"be within the {size} units of a string", pos=int(start))
    starts = np.where(first < 0, first + sizes, first)
    whole = sizes if unit == "BYTE" else starts  # what a negative length gives
    return starts, np.where(count < 0, whole, np.minimum(starts + count, sizes))


def _parts(values: list[bytes], start: int, size: int, unit: str) -> Array:
    """The same part of each string."""
    if unit == "UTF8_CHAR" and not b"".join(values).isascii():
        found = _text_parts(values, start, size)
        if found is None:
            found = [_part(value, start, size, unit) for value in values]
        return packed(found)
    _check_within(values, start)
    end: int | None = start + size
    if (unit == "BYTE" and size < 0) or (size >= -start > 0):
        end = None  # all of the rest
    part = itemgetter(slice(start, start if size < 0 and unit != "BYTE" else end))
    return np.fromiter(map(part, values), object, len(values))


def _check_within(values: Sequence[bytes] | Sequence[str], start: int) -> None:
    if abs(start) > min(map(len, values), default=abs(start)):
        short = next(value for value in values if len(value) < abs(start))
        raise bad_value("Substr", want=f"be within the {len(short)} units of {short!r}", pos=start)


def _text_parts(values: list[bytes], start: int, size: int) -> list[bytes] | None:
    """The same characters of each string; None if one is no text or has a zero byte."""
    try:
        texts = b"\0".join(values).decode().split("\0")
    except UnicodeDecodeError:
        return None
    if len(texts) != len(values):
        return None
    _check_within(texts, start)
    end = None if size >= -start > 0 else start + max(size, 0)
    return "\0".join([text[start:end] for text in texts]).encode().split(b"\0")


def _each_part(text: Array, first: Array, count: Array, unit: str) -> Array:
    """A part of its own of each string."""
    values = text.ravel().tolist()
    if unit == "UTF8_CHAR" and not b"".join(values).isascii():
        flat = zip(values, first.ravel().tolist(), count.ravel().tolist(), strict=True)
        return packed([_part(value, start, size, unit) for value, start, size in flat], text.shape)
    sizes = np.fromiter(map(len, values), np.int64, len(values)).reshape(text.shape)
    starts, ends = _limits(sizes, first, count, unit)
    parts = map(slice, starts.ravel().tolist(), ends.ravel().tolist())
    return packed(list(map(bytes.__getitem__, values, parts)), text.shape)


def _part(value: bytes, start: int, size: int, unit: str) -> bytes:
    units: Any = value if unit == "BYTE" else _LETTER.findall(value)
    _check_within([units], start)
    start = start + len(units) if start < 0 else start
    if unit == "UTF8_CHAR":
        return b"".join(units[start : start + max(size, 0)])
    return value[start : start + size] if size >= 0 else value[start:]


def substr(
    input: TensorLike, pos: TensorLike, len: TensorLike, unit: str = "BYTE", name: str | None = None
) -> Tensor:
    """The `len` bytes, or characters, of each string from `pos` on; a negative `pos` counts from
    the end.

    >>> tf.strings.substr(["Hello", "World"], pos=1, len=3).numpy()
    array([b'ell', b'orl'], dtype=object)
    """
    return raw_ops.Substr(input, pos, len, unit=unit, name=name)  # type: ignore[no-any-return]
