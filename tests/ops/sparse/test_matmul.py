"""Products of sparse and dense matrices."""

from __future__ import annotations

import numpy as np
import pytest

import runnel as tf


def matrix(count: int, size: int, seed: int = 0) -> tf.SparseTensor:
    rng = np.random.default_rng(seed)
    numbers = np.unique(rng.integers(0, size * size, count))
    indices = np.stack([numbers // size, numbers % size], axis=1)
    return tf.SparseTensor(indices, rng.random(len(numbers)).astype(np.float32), [size, size])


@pytest.mark.parametrize("adjoint", [False, True])
def test_a_large_product_is_the_dense_one(adjoint: bool) -> None:
    a = matrix(2000, 100)
    b = np.random.default_rng(1).random((100, 30)).astype(np.float32)
    dense = tf.sparse.to_dense(a).numpy()
    found = tf.sparse.sparse_dense_matmul(a, b, adjoint_a=adjoint)
    np.testing.assert_allclose(found, (dense.T if adjoint else dense) @ b, rtol=1e-5)


def test_it_never_makes_the_matrix_dense() -> None:
    size = 1_000_000  # the dense matrix would take four terabytes
    a = tf.SparseTensor([[0, 999_999], [999_999, 0]], [2.0, 3.0], [size, size])
    b = tf.ones([size, 1])
    with tf.GradientTape() as tape:
        tape.watch([a.values, b])
        total = tf.reduce_sum(tf.sparse.sparse_dense_matmul(a, b))
    d_values, d_b = tape.gradient(total, [a.values, b])
    assert total.numpy() == 5.0
    assert d_values.numpy().tolist() == [1.0, 1.0]
    assert d_b.numpy()[[0, 999_999], 0].tolist() == [3.0, 2.0]


def test_a_function_agrees_however_often_it_is_called() -> None:
    a = matrix(5000, 100)

    @tf.function
    def product(b: tf.Tensor) -> tf.Tensor:
        return tf.sparse.sparse_dense_matmul(a, b)

    b = tf.constant(np.random.default_rng(2).random((100, 400)).astype(np.float32))
    for _ in range(3):  # interpreted at first, compiled when the shapes come again
        np.testing.assert_allclose(product(b), tf.sparse.sparse_dense_matmul(a, b), rtol=1e-5)


def test_the_gradient_of_a_lookup_is_slices() -> None:
    table = tf.Variable(np.ones((5, 2), np.float32))
    ids = tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1, 3, 1], [2, 2])
    with tf.GradientTape() as tape:
        y = tf.nn.embedding_lookup_sparse(table, ids, None, combiner="sum")
    found = tape.gradient(y, table)
    assert isinstance(found, tf.IndexedSlices)
    dense = tf.convert_to_tensor(found).numpy()
    assert dense[:, 0].tolist() == [0.0, 2.0, 0.0, 1.0, 0.0]


def test_products_at_some_places_need_not_know_the_rank() -> None:
    places, values, shape = tf.constant([[0, 1], [1, 0]]), tf.constant([1.0, 2.0]), [2, 2]

    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec(None)])
    def product(a, b):
        return tf.sparse.sampled_addmm(places, values, shape, a, b, beta=2.0, alpha=0.5)[1]

    a, b = tf.reshape(tf.range(6.0), [2, 3]), tf.reshape(tf.range(6.0), [3, 2])
    dense = (a @ b).numpy()
    expected = [0.5 * dense[0, 1] + 2.0, 0.5 * dense[1, 0] + 4.0]
    assert product(a, b).numpy().tolist() == expected


@pytest.mark.parametrize("in_order", [True, False])
def test_a_large_matrix_is_multiplied_again_with_other_values_and_the_other_way_round(in_order):
    rng = np.random.default_rng(3)
    places = np.unique(rng.integers(0, 300 * 400, 6000))
    indices = np.stack([places // 400, places % 400], 1)
    indices = indices if in_order else indices[rng.permutation(len(indices))]
    first = tf.SparseTensor(indices, rng.standard_normal(len(indices)), [300, 400])
    second = first.with_values(first.values * 2.0)
    dense = np.zeros((300, 400))
    dense[tuple(indices.T)] = first.values
    for columns in (1, 16, 40):
        b, c = rng.standard_normal((400, columns)), rng.standard_normal((300, columns))
        for matrix, scale in ((first, 1.0), (second, 2.0), (first, 1.0)):
            found = tf.sparse.sparse_dense_matmul(matrix, b)
            np.testing.assert_allclose(found, scale * dense @ b)
            turned = tf.sparse.sparse_dense_matmul(matrix, c, adjoint_a=True)
            np.testing.assert_allclose(turned, scale * dense.T @ c)
