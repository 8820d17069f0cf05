"""What kind of image file some bytes are, and their pixels."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.kernels.images import jpeg, png


def kind_of(contents: bytes) -> str:
    """ "jpeg", "png", "gif", "bmp" or "webp", by the first bytes."""
    if not contents:
        raise ValueError("Input is empty.")
    if contents.startswith(b"\xff\xd8\xff"):
        return "jpeg"
    if contents.startswith(png.SIGNATURE):
        return "png"
    if contents.startswith(b"GIF8"):
        return "gif"
    if contents.startswith(b"BM"):
        return "bmp"
    if contents[:4] == b"RIFF" and contents[8:12] == b"WEBP":
        return "webp"
    raise ValueError("Unknown image file format. One of JPEG, PNG, GIF, BMP, WebP required.")


def check_channels(channels: int) -> None:
    if channels not in (0, 1, 3, 4):
        raise ValueError(f"`channels` must be 0, 1, 3 or 4 but got {channels}")


def decode_bmp(contents: bytes, channels: int) -> np.ndarray:
    """A bitmap of 8 (grey), 24 or 32 bits for each pixel, its rows from below or above."""
    if channels == 1:
        raise ValueError("`channels` must be 0, 3 or 4 for BMP, but got 1")
    if len(contents) < 32:
        raise ValueError("Incomplete bmp content, requires at least 32 bytes to find the header.")
    start, _, width, height, _, bits = struct.unpack("<IIiiHH", contents[10:30])
    depth = bits // 8
    if depth not in (1, 3, 4):
        raise ValueError(f"Number of channels inherent in the image must be 1, 3 or 4, was {depth}")
    stride = (width * depth + 3) // 4 * 4
    last = start + stride * abs(height)
    if width <= 0 or height == 0 or not last <= len(contents) <= last + 3:
        raise ValueError("Input size should match (header_size + row_size * abs_height).")
    rows = np.frombuffer(contents, np.uint8, stride * abs(height), start).reshape(
        abs(height), stride
    )
    pixels = rows[:: -1 if height > 0 else 1, : width * depth].reshape(abs(height), width, depth)
    if depth >= 3:
        pixels = pixels[..., [2, 1, 0, 3][:depth]]
    if channels in (0, depth):
        return np.ascontiguousarray(pixels)
    colors = np.repeat(pixels, 3, axis=-1) if depth == 1 else pixels[..., :3]
    opaque = np.full((*colors.shape[:2], 1), 255, np.uint8)
    return colors if channels == 3 else np.concatenate([colors, opaque], axis=-1)


def decode_gif(contents: bytes, channels: int) -> np.ndarray:
    """Every frame, as [frames, height, width, 3]."""
    if channels not in (0, 3):
        raise ValueError(f"channels must be 0 or 3 for GIF, got {channels}")
    return np.stack([np.asarray(frame.convert("RGB")) for frame in _frames(contents, "GIF")])


def decode_webp(contents: bytes, channels: int) -> np.ndarray:
    """Every frame, as [frames, height, width, 3 or 4]."""
    if channels not in (0, 3, 4):
        raise ValueError("WebP only supports 3 or 4 channels")
    frames = [np.asarray(frame) for frame in _frames(contents, "WEBP")]
    if len(frames) > 1:
        frames = [_opaque(frame) for frame in frames]
    if channels not in (0, frames[0].shape[-1]):
        raise ValueError("Number of channels requested does not match input")
    return np.stack(frames)


def _opaque(frame: np.ndarray) -> np.ndarray:
    if frame.shape[-1] == 4:
        return frame
    return np.dstack([frame, np.full(frame.shape[:2], 255, np.uint8)])


def _frames(contents: bytes, kind: str) -> Any:
    from PIL import Image, ImageSequence

    return ImageSequence.Iterator(Image.open(io.BytesIO(contents), formats=[kind]))


def decode_png(contents: bytes, channels: int) -> np.ndarray:
    return png.decode(contents, channels, np.dtype(np.uint8))


def decode_any(contents: bytes, channels: int, dtype: np.dtype, **options: Any) -> np.ndarray:
    """The pixels as uint8, uint16 or (from 0 to 1) float32; four axes for GIF and WebP."""
    check_channels(channels)
    kind = kind_of(contents)
    if kind == "png":
        deep = png.decode(
            contents, channels, np.dtype(np.uint8 if dtype == np.uint8 else np.uint16)
        )
        return deep if dtype.kind == "u" else deep.astype(np.float32) * np.float32(1 / 65535)
    if kind == "webp" and dtype != np.uint8:
        raise ValueError(f"WebP only supports uint8 for dtype, got {dtype}")
    if kind == "jpeg":
        pixels = jpeg.decode(contents, channels, **options)
    else:
        pixels = _SIMPLE[kind](contents, channels)
    if dtype == np.uint8:
        return pixels
    if dtype == np.uint16:
        return pixels.astype(np.uint16) << 8
    return pixels.astype(np.float32) * np.float32(1 / 255)


_SIMPLE: dict[str, Callable[[bytes, int], np.ndarray]] = {
    "gif": decode_gif,
    "bmp": decode_bmp,
    "webp": decode_webp,
}
