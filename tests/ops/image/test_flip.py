"""Flips and turns: laws, and what needs a graph."""

from __future__ import annotations

import numpy as np
import pytest

import runnel as tf

IMAGE = np.arange(60).reshape(4, 5, 3)


@pytest.mark.parametrize(
    "flip", [tf.image.flip_left_right, tf.image.flip_up_down, tf.image.transpose]
)
def test_doing_it_twice_changes_nothing(flip: object) -> None:
    assert np.array_equal(flip(flip(IMAGE)).numpy(), IMAGE)  # type: ignore[operator]


@pytest.mark.parametrize("k", range(-4, 5))
def test_turns_are_numpys(k: int) -> None:
    assert np.array_equal(tf.image.rot90(IMAGE, k).numpy(), np.rot90(IMAGE, k))


@pytest.mark.parametrize("k", range(5))
def test_the_number_of_turns_of_a_square_may_be_unknown(k: int) -> None:
    square = IMAGE[:, :4]
    turn = tf.function(
        lambda n: tf.image.rot90(square, n), input_signature=[tf.TensorSpec([], tf.int32)]
    )
    assert np.array_equal(turn(k).numpy(), np.rot90(square, k))


def test_an_image_of_unknown_rank_can_be_flipped() -> None:
    flip = tf.function(tf.image.flip_left_right, input_signature=[tf.TensorSpec(None, tf.int64)])
    assert np.array_equal(flip(IMAGE).numpy(), IMAGE[:, ::-1])


def test_about_half_of_a_batch_is_flipped() -> None:
    batch = np.tile(np.array([0.0, 1.0]).reshape(1, 1, 2, 1), (400, 1, 1, 1))
    flipped = tf.image.random_flip_left_right(batch, seed=3).numpy()[:, 0, 0, 0]
    assert 140 < flipped.sum() < 260
