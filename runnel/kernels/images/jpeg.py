"""JPEG files, read and written by libjpeg-turbo, which TensorFlow uses too.

simplejpeg reaches it most directly, and has the settings that TensorFlow starts from; Pillow reads
the rest: smaller sizes, CMYK, files with faults, and all of them where simplejpeg is not installed.
"""

from __future__ import annotations

import io
import struct
from functools import cache
from typing import Any

import numpy as np

from runnel.kernels.images import jpeg_chroma

_SCALES = (1, 2, 4, 8)
_SMOOTH = ((1, 2), (2, 1), (2, 2))  # steps of chroma that libjpeg can upscale smoothly
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
    accurate: bool = False,
) -> np.ndarray:
    """The pixels, with `channels` (0: as in the file), of a size divided by `ratio`.

    Unless it is to be `accurate`, the inverse cosine transform is the faster one of libjpeg, which
    is rounded in another way.
    """
    if channels == 4:
        raise ValueError("JPEG does not support 4 channels")
    if ratio not in _SCALES:
        raise ValueError(f"ratio must be 1, 2, 4, or 8, got {ratio}")
    if not contents.rstrip(b"\0").endswith(b"\xff\xd9"):
        if not try_recover_truncated:
            raise ValueError("Invalid JPEG data: it has no end.")
        contents += b"\xff\xd9"
    if ratio == 1:
        found = _decoded_at_once(contents, channels, fancy_upscaling, accurate)
        if found is not None:
            return found
    image = _open(contents)
    if image.mode == "CMYK":
        if channels == 1:
            raise ValueError("A JPEG in CMYK cannot be decoded to one channel.")
        plain = not accurate and _chroma_steps(image, ratio) == (1, 1)
        return _from_cmyk(_pixels(image, None, ratio, plain=plain))
    if channels == 1 or image.mode == "L":
        luma = _pixels(image, "L", ratio, plain=not accurate)[..., None]
        return luma if channels != 3 else np.repeat(luma, 3, axis=-1)
    steps = _chroma_steps(image, ratio)
    smooth = steps in _SMOOTH  # others are repeated in any case
    if steps == (1, 1) or accurate == fancy_upscaling or (accurate and not smooth):
        return _pixels(image, None, ratio, plain=not accurate)
    return _converted(*_planes(image, contents, ratio, steps, accurate))


def _decoded_at_once(
    contents: bytes, channels: int, fancy_upscaling: bool, accurate: bool
) -> np.ndarray | None:
    """What simplejpeg makes of a file without faults, in a third of Pillow's time."""
    turbo = _simplejpeg()
    if turbo is None:
        return None
    try:
        _, _, space, _ = turbo.decode_jpeg_header(contents)
        if space in ("CMYK", "YCCK"):
            return None
        wanted = channels or (1 if space == "Gray" else 3)
        found: np.ndarray = turbo.decode_jpeg(
            contents,
            "GRAY" if wanted == 1 else "RGB",
            fastdct=not accurate,
            fastupsample=not fancy_upscaling,
        )
    except ValueError:  # a fault in the file, of which Pillow may still read something
        return None
    return found


@cache
def _simplejpeg() -> Any:
    """The package, or None where nobody has built it for this platform."""
    try:
        import simplejpeg
    except ImportError:
        return None
    return simplejpeg


def _open(contents: bytes) -> Any:
    from PIL import Image

    return Image.open(io.BytesIO(contents), formats=["JPEG", "MPO"])


def _pixels(image: Any, mode: str | None, ratio: int, *, plain: bool) -> np.ndarray:
    """What Pillow reads from a file that was opened; `plain` is the fast transform, and each chroma
    sample repeated."""
    image.draft(mode, (image.width / ratio, image.height / ratio))
    scale, _ = image.decoderconfig
    image.decoderconfig = (scale, int(plain))
    return np.asarray(image)


def _chroma_steps(image: Any, ratio: int) -> tuple[int, int]:
    """How many pixels down and across have one sample of chroma."""
    _, across, down, _ = image.layer[0]
    steps = down // image.layer[-1][2], across // image.layer[-1][1]
    return (1, 1) if ratio > 1 and steps == (2, 2) else steps  # halved by the transform itself


def _planes(
    image: Any, contents: bytes, ratio: int, steps: tuple[int, int], accurate: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Luma and both chromas in the two ways that libjpeg has but Pillow has not.

    The fast transform with smooth upscaling: the chroma samples are what was repeated. The accurate
    one with each sample repeated: at half the size they need no upscaling, nor in a file of them
    alone.
    """
    if not accurate:
        planes = _pixels(image, "YCbCr", ratio, plain=True)
        down, across = steps
        samples = (planes[::down, ::across, i] for i in (1, 2))
        height, width = planes.shape[:2]
        blue, red = (_upscaled(part, steps)[:height, :width] for part in samples)
        return planes[..., 0], blue, red
    luma = _pixels(image, "L", ratio, plain=False)
    if steps == (2, 2):
        small = _pixels(_open(contents), "YCbCr", 2 * ratio, plain=False)[..., 1:]
    else:
        chroma = _open(jpeg_chroma.alone(contents, steps))
        small = 255 - _pixels(chroma, None, ratio, plain=False)[..., 2:]
    repeated = small.repeat(steps[0], axis=0).repeat(steps[1], axis=1)
    height, width = luma.shape
    return luma, repeated[:height, :width, 0], repeated[:height, :width, 1]


def _upscaled(samples: np.ndarray, steps: tuple[int, int]) -> np.ndarray:
    """Samples of chroma for each pixel: three parts of the nearest, one of the next."""
    if steps not in _SMOOTH or (steps[1] == 2 and samples.shape[1] <= 2):
        return samples.repeat(steps[0], axis=0).repeat(steps[1], axis=1)
    wide = samples.astype(np.int16)
    if steps == (2, 2):
        return _between(_between(wide), across=True, bias=(8, 7), bits=4)
    return _between(wide, across=steps[1] == 2, bias=(1, 2), bits=2)


def _between(
    samples: np.ndarray, across: bool = False, bias: tuple[int, int] = (0, 0), bits: int = 0
) -> np.ndarray:
    """Two rows, or columns, for each: three times itself and once the one before, or after.

    To that comes the `bias` of the first and that of the second; the last `bits` are then left out.
    """
    even, odd = (samples * np.int16(3) + np.int16(extra) for extra in bias)
    first, last = (np.s_[:, :1], np.s_[:, -1:]) if across else (np.s_[:1], np.s_[-1:])
    behind, ahead = (np.s_[:, 1:], np.s_[:, :-1]) if across else (np.s_[1:], np.s_[:-1])
    even[behind] += samples[ahead]
    even[first] += samples[first]
    odd[ahead] += samples[behind]
    odd[last] += samples[last]
    height, width = samples.shape
    shape = (height, 2 * width) if across else (2 * height, width)
    return np.stack([even >> bits, odd >> bits], axis=2 if across else 1).reshape(shape)


def _converted(luma: np.ndarray, blue: np.ndarray, red: np.ndarray) -> np.ndarray:
    """Red, green and blue, with the numbers of JFIF in 16 bits after the point, as libjpeg."""
    light = (luma.astype(np.int32) << 16) + (1 << 15)
    blue, red = (chroma.astype(np.int32) - 128 for chroma in (blue, red))
    found = np.empty((*luma.shape, 3), np.uint8)
    parts = (91881 * red, -22554 * blue - 46802 * red, 116130 * blue)
    for channel, part in enumerate(parts):
        part += light
        part >>= 16
        found[..., channel] = np.clip(part, 0, 255, out=part)
    return found


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
