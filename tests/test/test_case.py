"""The assertions of tf.test.TestCase pass and fail where TensorFlow's do."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import runnel as tf

c = tf.constant
PASSING: list[tuple[str, tuple[Any, ...]]] = [
    ("assertAllClose", ([1.0, 2.0], [1.0, 2.000001])),
    ("assertAllClose", ({"a": [1.0]}, {"a": c([1.0])})),
    ("assertAllClose", ([c(1.0), c([1.0, 2.0])], [1.0, [1.0, 2.0]])),
    ("assertAllClose", (np.nan, np.nan)),
    ("assertAllClose", (1.0, 1.1, 0.2)),
    ("assertAllEqual", (c(["a"]), [b"a"])),
    ("assertAllEqual", (c(["a"]), ["a"])),
    ("assertAllEqual", ([np.nan], [np.nan])),
    ("assertAllEqual", ([1.0], [1])),
    ("assertNotAllClose", ([1.0], [2.0])),
    ("assertNotAllEqual", ([1, 2], [1, 3])),
    ("assertAllGreater", ([2, 3], 1)),
    ("assertAllGreaterEqual", ([1, 2], 1)),
    ("assertAllInRange", ([1.0, 2.0], 1, 2)),
    ("assertAllInSet", ([1, 2], {1, 2})),
    ("assertShapeEqual", (np.zeros((1, 2)), c(np.zeros((1, 2))))),
    ("assertDTypeEqual", (c(1), np.int32)),
    ("assertNear", (1.0, 1.1, 0.2)),
    ("assertArrayNear", ([1.0], [1.1], 0.2)),
    ("assertNDArrayNear", (np.zeros(2), np.zeros(2) + 0.1, 0.2)),
    ("assertLen", ([1, 2], 2)),
    ("assertEmpty", ([],)),
    ("assertBetween", (1, 0, 2)),
    ("assertItemsEqual", ([1, 2], [2, 1])),
    ("assertAllCloseAccordingToType", (c([1.0], tf.float16), c([1.0005], tf.float16))),
    ("assertAllCloseAccordingToType", (c([1.0], tf.bfloat16), c([1.016], tf.bfloat16))),
    ("assertContainsSubset", ([1], [1, 2])),
    ("assertRegexMatch", ("abc", ["b"])),
    ("assertDeviceEqual", ("/cpu:0", "/device:CPU:0")),
]
FAILING: list[tuple[str, tuple[Any, ...]]] = [
    ("assertAllClose", ([1.0, 2.0], [1.0, 2.00001])),
    ("assertAllClose", ({"a": [1.0]}, {"b": [1.0]})),
    ("assertAllClose", ([1.0], [[1.0]])),
    ("assertAllClose", (c([1.0], tf.float16), c([1.001], tf.float16))),
    ("assertAllEqual", ([1, 2], [1, 3])),
    ("assertAllEqual", ([1], [1, 1])),
    ("assertAllEqual", (1, [1, 1])),
    ("assertNotAllClose", ([1.0], [1.0])),
    ("assertNotAllEqual", ([1], [1])),
    ("assertAllLess", ([2, 3], 3)),
    ("assertAllLessEqual", ([1, 3], 2)),
    ("assertAllInRange", ([1.0, 2.0], 1, 2, False, True)),
    ("assertShapeEqual", (np.zeros((1, 2)), c(np.zeros((2, 1))))),
    ("assertDTypeEqual", (c(1), tf.float32)),
    ("assertNear", (1.0, 1.1, 0.05)),
    ("assertAllCloseAccordingToType", (c([1.0]), c([1.00001]))),
]


@pytest.mark.parametrize(("name", "args"), PASSING)
def test_it_passes(name: str, args: tuple[Any, ...]) -> None:
    getattr(tf.test.TestCase(), name)(*args)


@pytest.mark.parametrize(("name", "args"), FAILING)
def test_it_fails(name: str, args: tuple[Any, ...]) -> None:
    with pytest.raises(AssertionError):
        getattr(tf.test.TestCase(), name)(*args)


def test_expected_errors_are_matched() -> None:
    case = tf.test.TestCase()
    with case.assertRaisesOpError("broadcast"):
        c([1, 2]) + c([1, 2, 3])
    with case.assertRaisesWithPredicateMatch(ValueError, lambda e: "x" in str(e)):
        raise ValueError("xyz")
    with pytest.raises(AssertionError), case.assertRaisesOpError("never"):
        pass


def test_evaluate_gives_the_values_of_a_structure() -> None:
    assert tf.test.TestCase().evaluate({"a": c(1), "b": (tf.Variable(2.0), None)}) == {
        "a": 1,
        "b": (2.0, None),
    }


def test_jacobians_by_gradient_and_by_differences_agree() -> None:
    args = [c([1.0, 2.0], tf.float64), c(3.0, tf.float64)]
    by_gradient, by_differences = tf.test.compute_gradient(lambda x, y: tf.reduce_sum(x) * y, args)
    assert [m.shape for m in by_gradient] == [(1, 2), (1, 1)]
    for a, b in zip(by_gradient, by_differences, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-9)


def test_a_complex_number_is_two_rows() -> None:
    (matrix,), _ = tf.test.compute_gradient(
        lambda x: tf.cast(x, tf.complex64) * 1j, [c([1.0, 2.0])]
    )
    assert matrix.tolist() == [[0.0, 0.0], [1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]
