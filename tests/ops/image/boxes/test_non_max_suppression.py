"""`tf.image.non_max_suppression_padded`; the numbers are TensorFlow's."""

from __future__ import annotations

import numpy as np
import pytest

import runnel as tf

BOXES = np.array([[0, 0, 1, 1], [0, 0, 1, 1], [0, 0.5, 1, 1]], np.float32)
SCORES = np.array([0.1, 0.9, 0.3], np.float32)


def padded(boxes: np.ndarray, scores: np.ndarray, size: int, **options: object) -> list[object]:
    found = tf.image.non_max_suppression_padded(
        boxes, scores, size, pad_to_max_output_size=True, **options
    )
    return [part.numpy().tolist() for part in found]


@pytest.mark.parametrize("batch", [(), (1,), (1, 1)])
def test_an_overlap_of_just_the_threshold_is_one(batch: tuple[int, ...]) -> None:
    boxes, scores = BOXES.reshape(*batch, 3, 4), SCORES.reshape(*batch, 3)
    indices, counts = padded(boxes, scores, 2)
    assert np.array(indices).tolist() == np.array([1, 0]).reshape(*batch, 2).tolist()
    assert np.array(counts).tolist() == np.array(1).reshape(batch).tolist()


def test_sorted_boxes_are_taken_as_they_come() -> None:
    assert padded(BOXES[None], SCORES[None], 2, sorted_input=True) == [[[0, 0]], [1]]


def test_corners_may_come_in_any_order_unless_promised() -> None:
    flipped = BOXES[:, [2, 3, 0, 1]]
    assert padded(flipped, SCORES, 2) == [[1, 0], 1]
    assert padded(flipped, SCORES, 2, canonicalized_coordinates=True) == [[1, 2], 2]


def test_a_box_of_zeros_is_padding() -> None:
    boxes = np.array([[0, 0, 0, 0], [0, 0, 0, 0], [0, 0, 1, 1]], np.float32)
    assert padded(boxes, np.array([0.5, 0.4, 0.1], np.float32), 3) == [[2, 0, 0], 1]


def test_tiles_have_a_positive_size() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="tile_size"):
        padded(BOXES, SCORES, 2, tile_size=0)


def test_boxes_of_an_unknown_number_are_suppressed_in_a_graph() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None, 4]), tf.TensorSpec([None])])
    def chosen(boxes: tf.Tensor, scores: tf.Tensor) -> tuple[tf.Tensor, tf.Tensor]:
        return tf.image.non_max_suppression_padded(boxes, scores, 2, pad_to_max_output_size=True)

    assert [part.numpy().tolist() for part in chosen(BOXES, SCORES)] == [[1, 0], 1]
