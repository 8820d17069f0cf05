"""Crops and paddings: laws, and what needs a graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runnel as tf

IMAGE = np.random.default_rng(0).uniform(0, 1, (5, 7, 3)).astype(np.float32)

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "crop": lambda x: tf.image.crop_to_bounding_box(x, 1, 1, 3, 2),
    "pad": lambda x: tf.image.pad_to_bounding_box(x, 1, 1, 8, 9),
    "central": lambda x: tf.image.central_crop(x, 0.5),
    "crop or pad": lambda x: tf.image.resize_with_crop_or_pad(x, 8, 4),
    "resize with pad": lambda x: tf.image.resize_with_pad(x, 8, 9),
    "random": lambda x: tf.image.stateless_random_crop(x, [2, 3, 3], (1, 2)),
    "standardize": tf.image.per_image_standardization,
    "grayscale": tf.image.rgb_to_grayscale,
    "similarity": lambda x: tf.image.ssim(x, x * 0.9, 1.0, filter_size=3),
    "similarity over scales": lambda x: tf.image.ssim_multiscale(x, x * 0.9, 1.0, (0.5, 0.5), 2),
    "edges": lambda x: tf.image.sobel_edges(x[None]),
    "patches": lambda x: tf.image.extract_patches(x[None], [1, 2, 2, 1], [1] * 4, [1] * 4, "SAME"),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_size_may_be_unknown_while_tracing(name: str) -> None:
    function = FUNCTIONS[name]
    traced = tf.function(function, input_signature=[tf.TensorSpec([None, None, 3])])
    want = function(tf.constant(IMAGE)).numpy()
    np.testing.assert_allclose(traced(IMAGE).numpy(), want, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("name", "shape"),
    [("pad", (8, 9, 3)), ("crop or pad", (8, 4, 3)), ("resize with pad", (8, 9, 3))],
)
def test_the_size_that_was_asked_for_is_known_while_tracing(name: str, shape: Any) -> None:
    for outer in ((), (None,)):
        spec = tf.TensorSpec([*outer, None, None, 3])
        traced = tf.function(FUNCTIONS[name], input_signature=[spec]).get_concrete_function()
        assert tuple(traced.structured_outputs.shape) == (*outer, *shape)


def test_a_crop_undoes_a_padding() -> None:
    padded = tf.image.pad_to_bounding_box(IMAGE, 2, 3, 9, 12)
    assert np.array_equal(tf.image.crop_to_bounding_box(padded, 2, 3, 5, 7).numpy(), IMAGE)


def test_an_offset_that_does_not_fit_is_found_while_running() -> None:
    crop = tf.function(
        lambda x, offset: tf.image.crop_to_bounding_box(x, offset, 0, 3, 2),
        input_signature=[tf.TensorSpec([None, None, 3]), tf.TensorSpec([], tf.int32)],
    )
    with pytest.raises(tf.errors.InvalidArgumentError, match="height must be"):
        crop(IMAGE, 4)
