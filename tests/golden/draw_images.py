"""Write the small image files in tests/golden/images that the samples of the codecs read.

python tests/golden/draw_images.py    # then record the answers again: make golden
"""

from __future__ import annotations

import pathlib
import struct
import zlib

import numpy as np
from PIL import Image

FOLDER = pathlib.Path(__file__).parent / "images"


def pixels(*shape: int) -> np.ndarray:
    return np.random.default_rng(shape).integers(0, 256, shape).astype(np.uint8)


def waves(height: int, width: int) -> np.ndarray:
    """A picture without sharp edges, as JPEG likes it."""
    y, x = np.mgrid[0:height, 0:width]
    layers = [np.sin(x / 7 + y / 9), np.cos(x / 5), np.sin(y / 4)]
    return (127 + 100 * np.stack(layers, -1)).astype(np.uint8)


def save(name: str, array: np.ndarray, **options: object) -> None:
    Image.fromarray(array).save(FOLDER / name, **options)


PASSES = [(0, 0, 8, 8), (4, 0, 8, 8), (0, 4, 4, 8), (2, 0, 4, 4), (0, 2, 2, 4), (1, 0, 2, 2)]
PASSES += [(0, 1, 1, 2)]  # first column and row of each part of an interlaced PNG, and steps


def deep_png(array: np.ndarray, kinds: str, *, interlaced: bool = False) -> bytes:
    """A PNG of 16-bit colour whose rows are filtered in the ways that `kinds` names."""
    height, width, channels = array.shape
    size = 2 * channels
    data = bytearray()
    for x0, y0, across, down in PASSES if interlaced else [(0, 0, 1, 1)]:
        part = np.ascontiguousarray(array[y0::down, x0::across].astype(">u2"))
        if not part.size:
            continue
        rows = part.view(np.uint8).reshape(len(part), -1).astype(int)
        for y in range(len(rows)):
            kind = int(kinds[y % len(kinds)])
            data.append(kind)
            data.extend(filtered(rows, y, size, kind))
    color = {2: 4, 3: 2, 4: 6}[channels]
    header = struct.pack(">IIBBBBB", width, height, 16, color, 0, 0, int(interlaced))
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(bytes(data))), (b"IEND", b""))
    chunks = (
        struct.pack(">I", len(b)) + n + b + struct.pack(">I", zlib.crc32(n + b)) for n, b in parts
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def filtered(rows: np.ndarray, y: int, size: int, kind: int) -> bytes:
    row = rows[y]
    up = rows[y - 1] if y else np.zeros_like(row)
    left, corner = (np.concatenate([np.zeros(size, int), r])[: len(row)] for r in (row, up))
    near = left + up - corner
    a, b, c = abs(near - left), abs(near - up), abs(near - corner)
    paeth = np.where((a <= b) & (a <= c), left, np.where(b <= c, up, corner))
    guess = (0 * row, left, up, (left + up) // 2, paeth)[kind]
    return bytes(((row - guess) % 256).astype(np.uint8))


def main() -> None:
    FOLDER.mkdir(exist_ok=True)
    save("gray.png", pixels(3, 4))
    save("gray_alpha.png", pixels(3, 4, 2))
    save("rgb.png", pixels(3, 4, 3))
    save("rgba.png", pixels(3, 4, 4))
    save("bits.png", pixels(3, 4) > 127)
    save("gray16.png", pixels(3, 4).astype(np.uint16) * 200 + 7)
    save("gray_transparent.png", pixels(3, 4), transparency=int(pixels(3, 4)[0, 0]))
    palette = Image.fromarray(pixels(3, 4, 3)).quantize(4)
    palette.save(FOLDER / "palette.png")
    palette.save(FOLDER / "palette_transparent.png", transparency=bytes([0, 128, 255, 255]))
    deep = np.random.default_rng(3).integers(0, 65536, (6, 4, 4))
    (FOLDER / "rgba16.png").write_bytes(deep_png(deep, "01234"))
    (FOLDER / "rgb16.png").write_bytes(deep_png(deep[..., :3], "43210"))
    (FOLDER / "gray_alpha16.png").write_bytes(deep_png(deep[..., :2], "42"))
    wide = np.tile(deep, (3, 3, 1))[:9, :7] + np.arange(63, dtype=np.uint16).reshape(9, 7, 1)
    (FOLDER / "interlaced16.png").write_bytes(deep_png(wide[..., :3], "43210", interlaced=True))
    small = deep_png(deep[:2, :3], "01234", interlaced=True)
    (FOLDER / "interlaced_alpha16.png").write_bytes(small)
    for name, array in (
        ("gray", pixels(3, 5)),
        ("rgb", pixels(3, 5, 3)),
        ("rgba", pixels(3, 5, 4)),
    ):
        save(f"{name}.bmp", array)
    save("waves.jpg", waves(19, 26), quality=90)
    save("waves422.jpg", waves(9, 13), quality=90, subsampling=1)
    save("tiny.jpg", waves(1, 3), quality=90)
    save("gray.jpg", waves(9, 11)[..., 0], quality=90)
    save("uniform.jpg", np.full((8, 8, 3), [200, 100, 50], np.uint8), quality=95)
    frames = [np.zeros((4, 5), np.uint8) for _ in range(3)]
    frames[1][1, 1] = frames[2][1, 1] = 255
    frames[2][0, 3] = 128
    first, *rest = (Image.fromarray(frame) for frame in frames)
    first.save(FOLDER / "moving.gif", save_all=True, append_images=rest)
    first.save(FOLDER / "still.gif")
    save("rgb.webp", pixels(5, 6, 3), lossless=True)
    save("rgba.webp", pixels(5, 6, 4), lossless=True, exact=True)


if __name__ == "__main__":
    main()
