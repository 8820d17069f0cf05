"""Functions in graphs that were traced without shapes, against TensorFlow's answers."""

from __future__ import annotations

import numpy as np
import pytest

import runnel as tf
from tests.golden.cases import Case, assert_answer, cases, recorded

ANSWERS = recorded("unknown_shapes")


@pytest.mark.parametrize("case", cases("unknown_shapes").values(), ids=lambda case: case.__name__)
def test_the_answer_is_tensorflows(case: Case) -> None:
    assert_answer(case, tf, ANSWERS[case.__name__], warnings=False)


def test_an_image_of_unknown_rank_can_be_turned() -> None:
    image = np.arange(6.0, dtype=np.float32).reshape(2, 3, 1)
    turn = tf.function(tf.image.rot90, input_signature=[tf.TensorSpec(None)])
    for given in (image, image[None]):  # TensorFlow does so for a batch only
        np.testing.assert_array_equal(turn(given), tf.image.rot90(given))
