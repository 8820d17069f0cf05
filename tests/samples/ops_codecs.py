"""Samples of the ops that read and write image and audio files."""

import pathlib

import numpy as np

from tests.samples import floats, ints, sample

FOLDER = pathlib.Path(__file__).parent.parent / "golden" / "images"
FILES = {path.name: path.read_bytes() for path in sorted(FOLDER.iterdir())}
ACCURATE = {"dct_method": "INTEGER_ACCURATE"}
WAVES = FILES["waves.jpg"]
PIXELS = ints(5, 6, 3, low=0, high=256, dtype="uint8")
WAV = (
    b"RIFF8\0\0\0WAVEfmt \x10\0\0\0\1\0\2\0D\xac\0\0\x10\xb1\2\0\4\0\x10\0data\x14\0\0\0"
    b"\0\0\0@\xff\x7f\0\x80\xff\x7f\0\x80\xaa*r\x9c\0\0\xff\xff"
)

ROWS = [
    *[
        sample("DecodePng", contents, channels=channels, dtype=dtype)
        for name, contents in FILES.items()
        if name.endswith(".png")
        for channels in (0, 1, 3, 4)
        for dtype in ("uint8", "uint16")
        if (name, channels)
        not in (("palette.png", 4), ("bits.png", 4))  # there TensorFlow is not opaque
    ],
    sample("DecodePng", FILES["still.gif"]),
    sample("DecodePng", FILES["rgb.png"], channels=2),
    sample("DecodePng", FILES["rgb.png"][:40]),
    sample("DecodePng", FILES["rgb.png"][:-30]),
    sample("DecodePng", FILES["rgb.bmp"]),
    sample("DecodePng", FILES["moving.gif"]),
    sample("DecodePng", b"not an image"),
    sample("DecodePng", b""),
    sample("DecodePng", np.array([FILES["rgb.png"]], object)),
    *[sample("DecodeJpeg", WAVES, channels=channels, **ACCURATE) for channels in (0, 1, 3)],
    *[sample("DecodeJpeg", WAVES, ratio=ratio, **ACCURATE) for ratio in (2, 4, 8)],
    *[
        sample("DecodeJpeg", FILES["gray.jpg"], channels=channels, **ACCURATE)
        for channels in (0, 1, 3)
    ],
    *[
        sample("DecodeJpeg", FILES[name], ratio=ratio, fancy_upscaling=fancy)
        for name in ("waves.jpg", "waves422.jpg", "tiny.jpg", "gray.jpg")
        for ratio in (1, 2, 4, 8)
        for fancy in (True, False)
    ],
    *[
        sample("DecodeJpeg", WAVES, channels=channels, fancy_upscaling=False, **ACCURATE)
        for channels in (0, 1, 3)
    ],
    *[
        sample("DecodeJpeg", FILES["waves422.jpg"], ratio=r, fancy_upscaling=False, **ACCURATE)
        for r in (1, 2, 4, 8)
    ],
    sample("DecodeAndCropJpeg", WAVES, np.array([3, 5, 10, 12], np.int32)),
    sample("DecodeImage", WAVES),
    sample("DecodeJpeg", FILES["uniform.jpg"]),
    sample("DecodeJpeg", FILES["rgb.png"]),
    sample("DecodeJpeg", WAVES, channels=4),
    sample("DecodeJpeg", WAVES, ratio=3),
    sample("DecodeJpeg", WAVES, dct_method="FAST"),
    sample("DecodeJpeg", WAVES[: len(WAVES) // 2]),
    sample("DecodeAndCropJpeg", WAVES, np.array([3, 5, 10, 12], np.int32), **ACCURATE),
    sample(
        "DecodeAndCropJpeg",
        WAVES,
        np.array([0, 1, 3, 4], np.int32),
        ratio=4,
        channels=1,
        **ACCURATE,
    ),
    sample("DecodeAndCropJpeg", WAVES, np.array([3, 5, 100, 12], np.int32)),
    sample("DecodeAndCropJpeg", WAVES, np.array([3, 5, 0, 12], np.int32)),
    sample("DecodeAndCropJpeg", WAVES, np.array([3, 5, 12], np.int32)),
    *[
        sample("DecodeBmp", FILES[name], channels=channels)
        for name in ("gray.bmp", "rgb.bmp", "rgba.bmp")
        for channels in (0, 1, 3, 4)
    ],
    sample("DecodeBmp", FILES["rgb.bmp"][:60]),
    sample("DecodeBmp", FILES["rgb.bmp"][:20]),
    sample("DecodeBmp", FILES["rgb.png"]),
    sample("DecodeGif", FILES["moving.gif"]),
    sample("DecodeGif", FILES["still.gif"]),
    *[sample("DecodeGif", FILES[name]) for name in ("rgb.png", "gray.png", "rgba.png")],
    sample("DecodeGif", b"GIF89a"),
    *[
        sample("DecodeImage", FILES[name], dtype=dtype)
        for name in ("rgb.png", "gray16.png", "rgba.bmp", "moving.gif", "uniform.jpg", "rgb.webp")
        for dtype in ("uint8", "uint16", "float32")
    ],
    sample("DecodeImage", FILES["moving.gif"], expand_animations=False),
    sample("DecodeImage", FILES["moving.gif"], channels=1),
    sample("DecodeImage", FILES["gray.png"], channels=3),
    sample("DecodeImage", b"not an image"),
    *[
        sample("DecodeWebP", FILES[name], channels=c)
        for name in ("rgb.webp", "rgba.webp")
        for c in (0, 1, 3, 4)
    ],
    sample("ExtractJpegShape", WAVES),
    sample("ExtractJpegShape", FILES["gray.jpg"], output_type="int64"),
    sample("ExtractJpegShape", b"not an image"),
    sample("EncodeJpeg", PIXELS),
    sample(
        "EncodeJpeg",
        PIXELS,
        quality=30,
        progressive=True,
        optimize_size=True,
        chroma_downsampling=False,
    ),
    sample(
        "EncodeJpeg",
        PIXELS[..., :1],
        format="grayscale",
        density_unit="cm",
        x_density=7,
        y_density=9,
    ),
    sample("EncodeJpeg", PIXELS, xmp_metadata="made by hand"),
    sample("EncodeJpeg", PIXELS[..., :2]),
    sample("EncodeJpeg", PIXELS, format="grayscale"),
    sample("EncodeJpeg", PIXELS, format="cmyk"),
    sample("EncodeJpeg", PIXELS, quality=101),
    sample("EncodeJpeg", PIXELS[:0]),
    sample("EncodeJpegVariableQuality", PIXELS, np.int32(50)),
    sample("EncodeJpegVariableQuality", PIXELS, np.int32(-1)),
    sample("EncodeJpegVariableQuality", PIXELS, np.array([50], np.int32)),
    sample("EncodePng", PIXELS, judged=False),  # as good a file, in other bytes
    sample("EncodePng", ints(2, 3, 5, 6, 4, low=0, high=9000, dtype="uint16"), judged=False),
    sample("EncodePng", PIXELS[0]),
    sample("EncodePng", ints(2, 2, 5, dtype="uint8", low=0)),
    sample("EncodePng", PIXELS, compression=10),
    sample("EncodePng", PIXELS[:0]),
    sample("EncodePng", PIXELS[None][:0]),
    sample("EncodePng", PIXELS[None, :0]),
    sample("DecodeWav", WAV),
    sample("DecodeWav", WAV, desired_channels=1, desired_samples=3),
    sample("DecodeWav", WAV, desired_channels=3, desired_samples=8),
    sample("DecodeWav", WAV[:50]),
    sample("DecodeWav", b"not a sound"),
    sample("EncodeWav", floats(6, 2, low=-1.3, high=1.3), np.int32(44100)),
    sample("EncodeWav", floats(0, 1), np.int32(8000)),
    sample("EncodeWav", floats(6), np.int32(8000)),
    sample("EncodeWav", floats(6, 2), np.int32(0)),
]
