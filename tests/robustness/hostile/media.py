"""Pictures and sounds."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable
from random import Random
from typing import Any

import numpy as np
from PIL import Image

import runnel as tf
from tests.robustness.hostile.format import Case, Damage, Exploit, Format
from tests.robustness.hostile.mutations import damage_bytes, damage_one_of, one_of

_LIMITS = [0, 1, 255, 2**15, 2**16 - 1, 2**31 - 1, 2**32 - 1]


def _picture(kind: str, **options: Any) -> bytes:
    """A small picture as a file of a kind."""
    pixels = np.random.default_rng(0).integers(0, 255, [9, 7, 3], np.uint8)
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, kind, **options)
    return file.getvalue()


def _gif() -> bytes:
    frames = [Image.fromarray(np.full([6, 5, 3], shade, np.uint8)) for shade in (0, 90, 200)]
    return _picture("GIF", save_all=True, append_images=frames)


def _wav() -> bytes:
    sound = np.sin(np.arange(200, dtype=np.float32))[:, None]
    return bytes(tf.audio.encode_wav(np.repeat(sound, 2, 1), 8000).numpy())


def _writing(name: str, data: Callable[[], bytes]) -> Callable[[str], None]:
    def make(folder: str) -> None:
        with open(f"{folder}/{name}", "wb") as file:
            file.write(data())

    return make


def _edits(name: str, edit: Callable[[bytes, Random], bytes]) -> Damage:
    """Damage that keeps checksums right."""

    def damage(folder: str, chance: Random) -> str:
        with open(f"{folder}/{name}", "rb") as file:
            data = edit(file.read(), chance)
        with open(f"{folder}/{name}", "wb") as file:
            file.write(data)
        return "a field"

    return damage


def _edit_png(data: bytes, chance: Random) -> bytes:
    """Damage a chunk of a PNG, and write its checksum anew."""
    chunks, place = [], 8
    while place < len(data):
        (size,) = struct.unpack_from(">I", data, place)
        chunks.append((data[place + 4 : place + 8], data[place + 8 : place + 8 + size]))
        place += 12 + size
    which = chance.randrange(len(chunks))
    kind, body = chunks[which]
    if kind == b"IDAT" and chance.random() < 0.7:
        body = zlib.compress(damage_bytes(zlib.decompress(body), chance)[0])
    elif kind == b"IHDR" and chance.random() < 0.7:
        sizes = [chance.choice(_LIMITS), chance.choice(_LIMITS)]
        body = struct.pack(">II", *sizes) + damage_bytes(body[8:], chance)[0]
    else:
        body = damage_bytes(body, chance)[0]
    chunks[which] = kind, body
    if chance.random() < 0.2:
        chance.shuffle(chunks)
    return data[:8] + b"".join(_chunk(*chunk) for chunk in chunks)


def _chunk(kind: bytes, body: bytes) -> bytes:
    return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))


def _edit_integers(*places: tuple[int, str]) -> Callable[[bytes, Random], bytes]:
    """Give integers of a header, each a place and a form, other values."""

    def edit(data: bytes, chance: Random) -> bytes:
        changed = bytearray(data)
        for place, form in chance.sample(places, chance.randint(1, min(3, len(places)))):
            width = struct.calcsize(form)
            limit = chance.choice([*_LIMITS, 3, 24, 32]) % (1 << 8 * width)
            struct.pack_into(form, changed, place, limit)
        return bytes(changed)

    return edit


def _edit_jpeg(data: bytes, chance: Random) -> bytes:
    """Damage one of a JPEG's segments, or its size."""
    marks = [i for i in range(len(data) - 10) if data[i] == 0xFF and 0xC0 <= data[i + 1] < 0xFF]
    place = chance.choice(marks)
    changed = bytearray(data)
    if chance.random() < 0.3:
        changed[place + 1] = chance.randint(0xC0, 0xFE)
    for _ in range(chance.randint(1, 3)):
        changed[place + chance.randint(2, 9)] = chance.choice([0, 1, 2, 127, 255])
    return bytes(changed)


_BMP = [
    (10, "<I"),
    (14, "<I"),
    (18, "<I"),
    (22, "<I"),
    (26, "<H"),
    (28, "<H"),
    (30, "<I"),
    (46, "<I"),
]
_WAV = [
    (4, "<I"),
    (16, "<I"),
    (20, "<H"),
    (22, "<H"),
    (24, "<I"),
    (28, "<I"),
    (32, "<H"),
    (34, "<H"),
]
_WAV += [(40, "<I")]
_GIF = [(6, "<H"), (8, "<H"), (10, "B"), (11, "B")]


def _sized_png(case: Case) -> None:
    """A picture of a few bytes that says it has 2**30 pixels."""
    header = _chunk(b"IHDR", struct.pack(">IIBBBBB", 2**15, 2**15, 8, 6, 0, 0, 0))
    body = _chunk(b"IDAT", zlib.compress(bytes(1 << 20))) + _chunk(b"IEND", b"")
    with open(f"{case.folder}/x.png", "wb") as file:
        file.write(b"\x89PNG\r\n\x1a\n" + header + body)


def _sized(name: str, place: int, form: str, *sizes: int) -> Callable[[Case], None]:
    def make(case: Case) -> None:
        with open(f"{case.folder}/{name}", "r+b") as file:
            file.seek(place)
            file.write(struct.pack(form, *sizes))

    return make


def _decode(name: str, *decoders: Callable[[Any], Any]) -> Callable[[str], None]:
    """Have all decoders read a file; the first that refuses it does not spare the others."""

    def load(folder: str) -> None:
        data = tf.io.read_file(f"{folder}/{name}")
        refused = None
        for decoder in decoders:
            try:
                decoder(data)
            except (tf.errors.OpError, ValueError) as error:
                refused = error
        if refused is not None:
            raise refused

    return load


def _format(
    name: str, data: Callable[[], bytes], decoder: Any, edit: Any, exploits: Any = (), *more: Any
) -> Format:
    file = f"x.{name.lower()}"
    damage = one_of([damage_one_of, _edits(file, edit)])
    load = _decode(file, decoder, *more)
    return Format(name, 200, _writing(file, data), damage, load, list(exploits))


def _crop(data: Any) -> Any:
    return tf.io.decode_and_crop_jpeg(data, [1, 1, 3, 3])


_IMAGE = tf.io.decode_image
FORMATS = [
    _format(
        "PNG", lambda: _picture("PNG"), tf.io.decode_png, _edit_png,
        [Exploit("large", _sized_png)], _IMAGE,
    ),
    _format(
        "JPEG", lambda: _picture("JPEG"), tf.io.decode_jpeg, _edit_jpeg, (),
        _IMAGE, tf.io.extract_jpeg_shape, _crop,
    ),
    _format(
        "GIF", _gif, tf.io.decode_gif, _edit_integers(*_GIF),
        [Exploit("large", _sized("x.gif", 6, "<HH", 65535, 65535))], _IMAGE,
    ),
    _format(
        "BMP", lambda: _picture("BMP"), tf.io.decode_bmp, _edit_integers(*_BMP),
        [Exploit("large", _sized("x.bmp", 18, "<ii", 2**31 - 1, -(2**31)))], _IMAGE,
    ),
    _format(
        "WAV", _wav, tf.audio.decode_wav, _edit_integers(*_WAV),
        [Exploit("large", _sized("x.wav", 40, "<I", 2**32 - 1))],
    ),
]  # fmt: skip
