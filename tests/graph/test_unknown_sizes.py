"""Gradients in graphs that know neither sizes nor ranks are those of the eager run."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import runnel as tf

VALUES = np.arange(24.0, dtype=np.float32).reshape(2, 3, 4)


def gathered(params: Any, indices: Any, axis: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(params)
        total = tf.reduce_sum(tf.gather(params, indices, axis=axis) ** 3)
    return tf.convert_to_tensor(tape.gradient(total, params))


@pytest.mark.parametrize("axis", [0, 1, 2, -1])
def test_gathering_along_an_axis_that_is_known_at_run_time(axis: int) -> None:
    specs = [tf.TensorSpec(None), tf.TensorSpec(None, tf.int32), tf.TensorSpec([], tf.int32)]
    traced = tf.function(gathered, input_signature=specs)
    params, indices = tf.constant(VALUES), tf.constant([[0, 1], [1, 1]])
    found = traced(params, indices, tf.constant(axis))
    np.testing.assert_allclose(found.numpy(), gathered(params, indices, axis).numpy())


@pytest.mark.parametrize(("axis", "batch"), [(1, 1), (2, 1), (-1, 1), (1, -1), (2, 0)])
def test_gathering_by_batches_of_unknown_rank(axis: int, batch: int) -> None:
    def slopes(params: Any, indices: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(params)
            total = tf.reduce_sum(tf.gather(params, indices, axis=axis, batch_dims=batch) ** 3)
        return tf.convert_to_tensor(tape.gradient(total, params))

    specs = [tf.TensorSpec(None), tf.TensorSpec(None, tf.int32)]
    params, indices = tf.constant(VALUES), tf.constant([[0, 1, 1], [2, 0, 2]])
    found = tf.function(slopes, input_signature=specs)(params, indices)
    np.testing.assert_allclose(found.numpy(), slopes(params, indices).numpy())


def solved(matrix: Any, rhs: Any) -> Any:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([matrix, rhs])
        answers = [
            tf.linalg.lstsq(matrix, rhs, l2_regularizer=0.1),
            tf.raw_ops.MatrixSolveLs(
                matrix=matrix, rhs=rhs, l2_regularizer=tf.constant(0.1, tf.float64)
            ),
        ]
    return answers, [tape.gradient(answer, [matrix, rhs]) for answer in answers]


@pytest.mark.parametrize("shape", [(4, 3), (3, 3), (2, 3)])
def test_least_squares_of_matrices_of_unknown_size(shape: tuple[int, int]) -> None:
    rng = np.random.default_rng(1)
    matrix, rhs = tf.constant(rng.normal(size=shape)), tf.constant(rng.normal(size=(shape[0], 2)))
    kind = tf.TensorSpec([None, None], tf.float64)
    found = tf.function(solved, input_signature=[kind, kind])(matrix, rhs)
    want = solved(matrix, rhs)
    for a, b in zip(tf.nest.flatten(found), tf.nest.flatten(want), strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-6)


def test_gradients_say_how_they_are_added() -> None:
    @tf.function
    def slope(x: Any, method: int) -> Any:
        return tf.gradients(x * x, x, gate_gradients=True, aggregation_method=method)[0]

    assert slope(tf.constant(3.0), tf.AggregationMethod.EXPERIMENTAL_TREE).numpy() == 6.0
    with pytest.raises(ValueError, match="aggregation_method"):
        slope(tf.constant(3.0), 7)
