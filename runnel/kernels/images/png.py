"""PNG files: pixels of any depth, and alpha, as TensorFlow reads them.

Pillow reads everything but 16-bit colour, which it cuts to 8 bits; that is read and written here.
"""

from __future__ import annotations

import io
import struct
import zlib
from dataclasses import dataclass
from typing import Any

import numpy as np

SIGNATURE = b"\x89PNG\r\n\x1a\n"
_CHANNELS = {0: 1, 2: 3, 3: 3, 4: 2, 6: 4}
_PALETTE = 3
# libpng's integer shares of red, green and blue in a grey pixel, for 0.299 and 0.587.
_GRAY = np.array([9797, 19234, 3737], np.int64)


@dataclass
class Header:
    width: int
    height: int
    depth: int
    color: int
    interlaced: bool

    @property
    def channels(self) -> int:
        return _CHANNELS[self.color]


def read_header(contents: bytes) -> Header:
    if contents[12:16] != b"IHDR":
        raise ValueError("Invalid PNG. Failed to initialize decoder.")
    width, height, depth, color, _, _, interlaced = struct.unpack(">IIBBBBB", contents[16:29])
    if color not in _CHANNELS or not width or not height:
        raise ValueError("Invalid PNG. Failed to initialize decoder.")
    return Header(width, height, depth, color, bool(interlaced))


def decode(contents: bytes, channels: int, dtype: np.dtype) -> np.ndarray:
    """The pixels of a PNG as `channels` (0: as in the file) of uint8 or uint16."""
    header = read_header(contents)
    pixels, alpha = _read(contents, header)
    if channels == 0 and header.color == _PALETTE and alpha is not None:
        channels = 4
    pixels = _with_channels(pixels, alpha, channels)
    if pixels.dtype == dtype:
        return pixels
    return (pixels >> 8).astype(np.uint8) if dtype == np.uint8 else pixels.astype(np.uint16) * 257


def _read(contents: bytes, header: Header) -> tuple[np.ndarray, np.ndarray | None]:
    """The pixels as [height, width, channels], and the alpha that a tRNS chunk gives them."""
    if header.depth == 16 and header.channels > 1:
        return _read_deep(contents, header), None
    from PIL import Image

    image: Any = Image.open(io.BytesIO(contents), formats=["PNG"])
    image.load()
    see_through = image.info.get("transparency")
    if header.color == _PALETTE:
        rgba = np.asarray(image.convert("RGBA"))
        return rgba[..., :3], rgba[..., 3] if see_through is not None else None
    if image.mode == "1":
        image = image.convert("L")
    pixels = np.asarray(image)
    pixels = pixels.astype(np.uint16) if header.depth == 16 else pixels
    pixels = pixels.reshape(*pixels.shape[:2], -1)
    if see_through is None:
        return pixels, None
    hidden = np.all(pixels == np.atleast_1d(see_through), axis=-1)
    return pixels, np.where(hidden, 0, np.iinfo(pixels.dtype).max).astype(pixels.dtype)


def _with_channels(pixels: np.ndarray, alpha: np.ndarray | None, channels: int) -> np.ndarray:
    have = pixels.shape[-1]
    if channels in (0, have):
        return pixels if alpha is None or channels != 4 else np.dstack([pixels[..., :3], alpha])
    if have in (2, 4):
        alpha, pixels = pixels[..., -1], pixels[..., :-1]
    if channels == 1:
        return pixels if pixels.shape[-1] == 1 else _to_gray(pixels)
    colors = np.repeat(pixels, 3, axis=-1) if pixels.shape[-1] == 1 else pixels
    if channels == 3:
        return colors
    if alpha is None:
        alpha = np.full(colors.shape[:2], np.iinfo(colors.dtype).max, colors.dtype)
    return np.dstack([colors, alpha])


def _to_gray(pixels: np.ndarray) -> np.ndarray:
    rounding = 1 << 14 if pixels.dtype == np.uint16 else 0
    gray = (pixels.astype(np.int64) @ _GRAY + rounding) >> 15
    flat = (pixels == pixels[..., :1]).all(axis=-1)
    return np.where(flat, pixels[..., 0], gray).astype(pixels.dtype)[..., None]


def _read_deep(contents: bytes, header: Header) -> np.ndarray:
    """16-bit colour: rows of big-endian numbers, each row filtered in its own way."""
    passes = _INTERLACED if header.interlaced else [(0, 0, 1, 1)]
    size = 2 * header.channels
    parts = [
        (x, y, across, down, -(-(header.width - x) // across), -(-(header.height - y) // down))
        for x, y, across, down in passes
        if x < header.width and y < header.height
    ]
    total = sum((width * size + 1) * height for *_, width, height in parts)
    data = zlib.decompressobj().decompress(b"".join(_chunks(contents, b"IDAT")), total)
    if len(data) < total:
        raise ValueError(f"Invalid PNG data, size {len(contents)}")
    result = np.zeros((header.height, header.width, header.channels), np.uint16)
    for x, y, across, down, width, height in parts:
        end = (width * size + 1) * height
        pixels = _unfiltered(data[:end], width * size, height, size)
        result[y::down, x::across] = pixels.reshape(height, width, -1)
        data = data[end:]
    return result


# The seven images that an interlaced file holds: first column and row, and steps between them.
_INTERLACED = [
    (0, 0, 8, 8),
    (4, 0, 8, 8),
    (0, 4, 4, 8),
    (2, 0, 4, 4),
    (0, 2, 2, 4),
    (1, 0, 2, 2),
    (0, 1, 1, 2),
]


def _unfiltered(data: bytes, stride: int, height: int, size: int) -> np.ndarray:
    rows = np.frombuffer(data, np.uint8).reshape(height, -1)
    result = np.zeros((height, stride), np.uint8)
    above = np.zeros(stride, np.uint8)
    for y, row in enumerate(rows):
        above = result[y] = _unfilter(int(row[0]), row[1:], above, size)
    return result.view(">u2").astype(np.uint16)


def _chunks(contents: bytes, wanted: bytes) -> list[bytes]:
    found, place = [], len(SIGNATURE)
    while place + 8 <= len(contents):
        (length,) = struct.unpack(">I", contents[place : place + 4])
        if contents[place + 4 : place + 8] == wanted:
            found.append(contents[place + 8 : place + 8 + length])
        place += 12 + length
    return found


def _unfilter(kind: int, row: np.ndarray, above: np.ndarray, size: int) -> np.ndarray:
    if kind == 0:
        return row
    if kind == 1:
        return np.cumsum(row.reshape(-1, size), axis=0, dtype=np.uint8).ravel()
    if kind == 2:
        return row + above
    result, upper = bytearray(row.tobytes()), above.tobytes()
    for i in range(len(result)):
        left = result[i - size] if i >= size else 0
        if kind == 3:
            guess = (left + upper[i]) // 2
        else:
            guess = _paeth(left, upper[i], upper[i - size] if i >= size else 0)
        result[i] = (result[i] + guess) & 255
    return np.frombuffer(bytes(result), np.uint8)


def _paeth(left: int, up: int, corner: int) -> int:
    """The neighbour nearest to `left + up - corner`."""
    near = left + up - corner
    return min(
        (abs(near - left), 0, left), (abs(near - up), 1, up), (abs(near - corner), 2, corner)
    )[2]


def encode(image: np.ndarray, compression: int) -> bytes:
    """A PNG file of an image of uint8 or uint16 with one to four channels."""
    height, width, channels = image.shape
    color = {1: 0, 2: 4, 3: 2, 4: 6}[channels]
    depth = 8 * image.dtype.itemsize
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0)
    rows = np.ascontiguousarray(image.astype(image.dtype.newbyteorder(">"))).view(np.uint8)
    rows = rows.reshape(height, -1)
    size = channels * image.dtype.itemsize
    before = np.pad(rows, ((0, 0), (size, 0)))[:, :-size]
    filtered = np.hstack([np.ones((height, 1), np.uint8), rows - before])  # each minus its left
    data = zlib.compress(filtered.tobytes(), compression)
    parts = ((b"IHDR", header), (b"IDAT", data), (b"IEND", b""))
    return SIGNATURE + b"".join(_chunk(name, body) for name, body in parts)


def _chunk(name: bytes, body: bytes) -> bytes:
    check = zlib.crc32(name + body)
    return struct.pack(">I", len(body)) + name + body + struct.pack(">I", check)
