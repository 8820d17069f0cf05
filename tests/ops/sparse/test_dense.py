"""Round trips between dense and sparse tensors."""

from __future__ import annotations

import hypothesis.extra.numpy as arrays
import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import runnel as tf

matrices = arrays.arrays(
    np.int32, arrays.array_shapes(min_dims=1, max_dims=3, min_side=1), elements=st.integers(-2, 2)
)


@given(matrices)
@settings(max_examples=50, deadline=None)
def test_dense_to_sparse_and_back(x: np.ndarray) -> None:
    sparse = tf.sparse.from_dense(x)
    assert sparse.values.shape[0] == np.count_nonzero(x)
    np.testing.assert_array_equal(tf.sparse.to_dense(sparse), x)


@given(matrices, st.randoms())
@settings(max_examples=50, deadline=None)
def test_reorder_undoes_any_shuffle(x: np.ndarray, random: object) -> None:
    sparse = tf.sparse.from_dense(x)
    places = list(range(sparse.values.shape[0]))
    random.shuffle(places)  # type: ignore[attr-defined]
    indices, values = sparse.indices.numpy()[places], sparse.values.numpy()[places]
    shuffled = tf.SparseTensor(indices.reshape(-1, x.ndim), values, x.shape)
    np.testing.assert_array_equal(tf.sparse.to_dense(tf.sparse.reorder(shuffled)), x)


@given(matrices)
@settings(max_examples=50, deadline=None)
def test_transposing_twice_changes_nothing(x: np.ndarray) -> None:
    once = tf.sparse.transpose(tf.sparse.from_dense(x))
    np.testing.assert_array_equal(tf.sparse.to_dense(once), x.T)
    np.testing.assert_array_equal(tf.sparse.to_dense(tf.sparse.transpose(once)), x)


@given(matrices)
@settings(max_examples=50, deadline=None)
def test_a_sum_is_the_sum(x: np.ndarray) -> None:
    sparse = tf.sparse.from_dense(x)
    total = tf.sparse.add(sparse, tf.sparse.map_values(tf.negative, sparse), threshold=1)
    assert total.values.shape[0] == 0
    for axis in range(x.ndim):
        found = tf.sparse.reduce_sum(sparse, axis=axis)
        np.testing.assert_array_equal(found, x.sum(axis))


@given(matrices)
@settings(max_examples=30, deadline=None)
def test_a_batch_survives_its_strings(x: np.ndarray) -> None:
    sparse = tf.sparse.from_dense(x[None])
    strings = tf.io.serialize_many_sparse(sparse)
    back = tf.io.deserialize_many_sparse(strings, tf.int32)
    np.testing.assert_array_equal(tf.sparse.to_dense(back), x[None])
