"""JPEG files, read and written with Pillow, whose libjpeg-turbo is the one TensorFlow uses."""

from __future__ import annotations

import io
import struct
from typing import Any

import numpy as np

_SCALES = (1, 2, 4, 8)
_WITHOUT_BODY = {0x01, *range(0xD0, 0xDA)}
_FRAMES = set(range(0xC0, 0xD0)) - {
    0xC4,
    0xC8,
    0xCC,
}  # Huffman tables, extensions, arithmetic coding


def shape(contents: bytes) -> tuple[int, int, int]:
    """Height, width and channels, as the header of the frame has them."""
    place = 2
    while place + 9 < len(contents):
        if contents[place] != 0xFF:
            break
        marker = contents[place + 1]
        if marker in _FRAMES:
            height, width, channels = struct.unpack(">HHB", contents[place + 5 : place + 10])
            return height, width, channels
        if marker in _WITHOUT_BODY or marker == 0xFF:
            place += 1 if marker == 0xFF else 2
            continue
        place += 2 + int.from_bytes(contents[place + 2 : place + 4])
    raise ValueError(f"Invalid JPEG data, size {len(contents)}")


def decode(
    contents: bytes,
    channels: int,
    ratio: int = 1,
    fancy_upscaling: bool = True,
    try_recover_truncated: bool = False,
) -> np.ndarray:
    """The pixels, with `channels` (0: as in the file), of a size divided by `ratio`."""
    from PIL import Image

    if channels == 4:
        raise ValueError("JPEG does not support 4 channels")
    if ratio not in _SCALES:
        raise ValueError(f"ratio must be 1, 2, 4, or 8, got {ratio}")
    if not contents.rstrip(b"\0").endswith(b"\xff\xd9"):
        if not try_recover_truncated:
            raise ValueError("Invalid JPEG data: it has no end.")
        contents += b"\xff\xd9"
    image: Any = Image.open(io.BytesIO(contents), formats=["JPEG", "MPO"])
    if not fancy_upscaling and _is_subsampled(image):
        raise NotImplementedError("fancy_upscaling=False cannot be had from Pillow.")
    gray = channels == 1 and image.mode != "CMYK"
    image.draft("L" if gray else None, _scaled(image.size, ratio))
    if image.mode == "CMYK" and channels == 1:
        raise ValueError("A JPEG in CMYK cannot be decoded to one channel.")
    if image.mode == "CMYK":
        return _from_cmyk(np.asarray(image))
    mode = {0: image.mode, 1: "L", 3: "RGB"}[channels]
    pixels = np.asarray(image if mode == image.mode else image.convert(mode))
    return pixels.reshape(*pixels.shape[:2], -1)


def _scaled(size: tuple[int, int], ratio: int) -> tuple[int, int] | None:
    return None if ratio == 1 else (max(1, size[0] // ratio), max(1, size[1] // ratio))


def _is_subsampled(image: Any) -> bool:
    return len({layer[1:3] for layer in image.layer}) > 1


def _from_cmyk(pixels: np.ndarray) -> np.ndarray:
    ink, key = 255 - pixels[..., :3].astype(np.int32), 255 - pixels[..., 3:].astype(np.int32)
    return (ink * key // 255).astype(np.uint8)


def encode(
    image: np.ndarray,
    *,
    quality: int = 95,
    progressive: bool = False,
    optimize_size: bool = False,
    chroma_downsampling: bool = True,
    density_unit: str = "in",
    x_density: int = 300,
    y_density: int = 300,
    xmp_metadata: str = "",
) -> bytes:
    """A JPEG file of an image of one or three channels."""
    from PIL import Image

    options: dict[str, Any] = {
        "quality": quality,
        "progressive": progressive,
        "optimize": optimize_size,
    }
    if xmp_metadata:
        options["xmp"] = xmp_metadata.encode()
    buffer = io.BytesIO()
    picture = Image.fromarray(image[..., 0] if image.shape[-1] == 1 else image)
    sampling = 2 if chroma_downsampling and image.shape[-1] == 3 else 0
    picture.save(buffer, "JPEG", subsampling=sampling, dpi=(x_density, y_density), **options)
    contents = bytearray(buffer.getvalue())
    contents[13] = {"in": 1, "cm": 2}[
        density_unit
    ]  # the unit, in the header that Pillow writes first
    return bytes(contents)
