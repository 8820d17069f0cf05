"""Functions of ragged tensors in graphs that know nothing of their shapes, against eager mode."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runnel as tf

ROWS = tf.ragged.constant([[1.0, 2.0], [3.0], []])
DEEP = tf.ragged.constant([[[1.0], [2.0, 3.0]], [[4.0]], []])
INNER = tf.ragged.constant([[[1.0, 2.0], [3.0, 4.0]], [[5.0, 6.0]], []], ragged_rank=1)
BOOLS = tf.ragged.constant([[True, False], [True], []])
WORDS = tf.ragged.constant([["a", "b"], ["c"], []])

CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "add": (lambda x: x + x * 2.0, (ROWS,)),
    "column": (lambda x: x + tf.constant([[1.0], [2.0], [3.0]]), (DEEP[:, 0:1].merge_dims(1, 2),)),
    "sum 0": (lambda x: tf.reduce_sum(x, axis=0), (DEEP,)),
    "sum 1": (lambda x: tf.reduce_sum(x, axis=1), (DEEP,)),
    "mean 2": (lambda x: tf.reduce_mean(x, axis=2, keepdims=True), (DEEP,)),
    "std": (lambda x: tf.math.reduce_std(x[:2], axis=1), (ROWS,)),
    "any": (lambda x: tf.reduce_any(x, axis=1), (BOOLS,)),
    "concat 0": (lambda x: tf.concat([x, x], axis=0), (DEEP,)),
    "concat 1": (lambda x: tf.concat([x, x], axis=1), (INNER,)),
    "stack 1": (lambda x: tf.stack([x, x], axis=1), (ROWS,)),
    "gather": (lambda x: tf.gather(x, [2, 0, 0]), (DEEP,)),
    "gather_nd": (lambda x: tf.gather_nd(x, [[0, 1], [1, 0]]), (ROWS,)),
    "slice": (lambda x: x[1:, ::-1], (ROWS,)),
    "row": (lambda x: x[0], (DEEP,)),
    "new axis": (lambda x: x[:, tf.newaxis], (ROWS,)),
    "inner": (lambda x: x[..., 1], (INNER,)),
    "where": (lambda c, x: tf.where(c, x, -x), (BOOLS, ROWS)),
    "mask": (tf.ragged.boolean_mask, (ROWS, BOOLS)),
    "tile": (lambda x: tf.tile(x, [2, 2]), (ROWS,)),
    "reverse": (lambda x: tf.reverse(x, [0, 1]), (ROWS,)),
    "to_tensor": (lambda x: x.to_tensor(default_value=9.0), (DEEP,)),
    "to_sparse": (lambda x: x.to_sparse().values, (DEEP,)),
    "expand": (lambda x: tf.expand_dims(tf.expand_dims(x, 0), 2), (ROWS,)),
    "softmax": (tf.nn.softmax, (ROWS,)),
    "cumsum": (lambda x: tf.cumsum(x, axis=1), (ROWS,)),
    "matmul": (lambda x: tf.matmul(x, x, transpose_b=True), (INNER,)),
    "merge": (lambda x: x.merge_dims(1, 2), (DEEP,)),
    "join": (lambda x: tf.strings.join([x, "!"]), (WORDS,)),
    "reduce_join": (lambda x: tf.strings.reduce_join(x, axis=1, separator="-"), (WORDS,)),
    "format": (lambda x: tf.strings.format("{}", x), (WORDS,)),
    "split": (lambda x: tf.split(x, [1, 2])[1], (ROWS,)),
    "partitions": (lambda x: tf.ragged.stack_dynamic_partitions(x, [1, 0, 1], 3), (ROWS,)),
    "bincount": (lambda x: tf.math.bincount(tf.cast(x, tf.int32), axis=-1), (ROWS,)),
    "shape": (lambda x: tf.zeros(tf.shape(x)), (DEEP,)),
    "cross": (lambda x: tf.ragged.cross([x, x]), (WORDS,)),
    "variants": (lambda x: _through_variants(x), (DEEP,)),
    "map_fn": (lambda x: tf.map_fn(lambda row: row[:1], x), (ROWS,)),
}


def _through_variants(x: Any) -> Any:
    encoded = tf.raw_ops.RaggedTensorToVariant(
        rt_nested_splits=list(x.nested_row_splits),
        rt_dense_values=x.flat_values,
        batched_input=True,
    )
    splits, values = tf.raw_ops.RaggedTensorFromVariant(
        encoded_ragged=encoded, input_ragged_rank=1, output_ragged_rank=2, Tvalues=x.dtype
    )
    return tf.RaggedTensor.from_nested_row_splits(values, splits)


def _anything_like(value: Any) -> Any:
    inner = value.flat_values.shape[1:].as_list()
    shape = [None] * (value.ragged_rank + 1) + inner
    return tf.RaggedTensorSpec(shape, value.dtype, value.ragged_rank)


def _plain(value: Any) -> Any:
    if isinstance(value, tf.RaggedTensor):
        return value.to_list()
    return np.asarray(value.numpy()).tolist()


@pytest.mark.parametrize("name", CASES)
def test_a_traced_run_agrees_with_an_eager_one(name: str) -> None:
    function, arguments = CASES[name]
    traced = tf.function(function, input_signature=[_anything_like(a) for a in arguments])
    want = _plain(function(*arguments))
    assert _plain(traced(*arguments)) == want  # interpreted
    assert _plain(traced(*arguments)) == want  # compiled, where it can be


@pytest.mark.parametrize("bounds", [(None, None), (1, 4), (4, 0), (-3, None), (None, -1)])
@pytest.mark.parametrize("step", [2, -1, 3, -2])
def test_the_step_of_a_slice_may_be_known_only_when_the_graph_runs(bounds, step) -> None:
    lists = [[1, 2, 3], [4], [], [5, 6], [7, 8, 9, 10]]
    rows = tf.ragged.constant(lists)
    key = slice(*bounds, step)

    @tf.function(
        input_signature=[tf.RaggedTensorSpec([None, None], tf.int32), tf.TensorSpec([], tf.int32)]
    )
    def cut(rows, step):
        return rows[bounds[0] : bounds[1] : step], rows[:, bounds[0] : bounds[1] : step]

    outer, inner = cut(rows, tf.constant(step))
    assert outer.to_list() == lists[key] and inner.to_list() == [row[key] for row in lists]


def test_a_step_of_zero_is_noticed_when_the_graph_runs() -> None:
    rows = tf.ragged.constant([[1, 2], [3]])
    for cut in (lambda r, s: r[::s], lambda r, s: r[:, ::s]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.function(cut)(rows, tf.constant(0))
