"""Image files: what the tables of answers cannot say."""

from __future__ import annotations

import numpy as np
import pytest

import runnel as tf
from tests.samples.ops_codecs import FILES


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("channels", [1, 2, 3, 4])
def test_a_png_gives_back_the_pixels_it_was_made_of(dtype: type, channels: int) -> None:
    top = np.iinfo(dtype).max
    image = np.random.default_rng(channels).integers(0, top, (7, 9, channels)).astype(dtype)
    read = tf.io.decode_png(tf.io.encode_png(image), dtype=dtype)
    assert np.array_equal(read.numpy(), image)


def test_a_jpeg_of_high_quality_is_close_to_its_pixels() -> None:
    y, x = np.mgrid[0:32, 0:32]
    image = np.stack([x * 7, y * 7, 128 + 0 * x], -1).astype(np.uint8)
    read = tf.io.decode_jpeg(tf.io.encode_jpeg(image, quality=100)).numpy()
    assert np.abs(read.astype(int) - image).max() < 8


def test_a_truncated_jpeg_is_recovered_on_request() -> None:
    half = FILES["waves.jpg"][:-60]
    assert tf.io.decode_jpeg(half, try_recover_truncated=True).shape == (19, 26, 3)


@pytest.mark.parametrize("name", sorted(FILES))
def test_damaged_files_raise_and_never_crash(name: str) -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        damaged = bytearray(FILES[name])
        for place in rng.integers(0, len(damaged), 3):
            damaged[place] = rng.integers(256)
        try:
            found = tf.io.decode_image(bytes(damaged))
        except (tf.errors.InvalidArgumentError, NotImplementedError):
            continue
        assert found.dtype == tf.uint8 and found.shape.rank in (3, 4)


def test_damaged_chroma_raises_and_never_crashes() -> None:
    rng = np.random.default_rng(0)
    options = {"fancy_upscaling": False, "dct_method": "INTEGER_ACCURATE"}
    for _ in range(60):
        damaged = bytearray(FILES["waves422.jpg"])
        for place in rng.integers(0, len(damaged), 2):
            damaged[place] = rng.integers(256)
        try:
            found = tf.io.decode_jpeg(bytes(damaged), **options)
        except tf.errors.InvalidArgumentError:
            continue
        assert found.dtype == tf.uint8 and found.shape.rank == 3


def test_options_that_pillow_lacks_are_refused() -> None:
    with pytest.raises(NotImplementedError, match="JPEG XL"):
        tf.io.decode_jxl(b"")
