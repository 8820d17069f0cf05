"""`tf.SparseTensor` as a value: its class, its spec, functions that take and return it."""

from __future__ import annotations

import numpy as np
import pytest

import runnel as tf


@pytest.fixture
def sparse() -> tf.SparseTensor:
    return tf.SparseTensor([[0, 1], [2, 3]], [1.0, 2.0], [3, 4])


def test_it_knows_its_shape_and_dtype(sparse: tf.SparseTensor) -> None:
    assert sparse.shape == sparse.get_shape() == (3, 4)
    assert sparse.dtype is tf.float32
    assert sparse.consumers() == []
    with pytest.raises(AttributeError):
        sparse.op


def test_it_is_written_as_in_tensorflow(sparse: tf.SparseTensor) -> None:
    assert str(sparse) == repr(sparse)
    assert repr(sparse) == (
        "SparseTensor(indices=tf.Tensor(\n[[0 1]\n [2 3]], shape=(2, 2), dtype=int64), "
        "values=tf.Tensor([1. 2.], shape=(2,), dtype=float32), "
        "dense_shape=tf.Tensor([3 4], shape=(2,), dtype=int64))"
    )


def test_set_shape_refuses_a_contradiction(sparse: tf.SparseTensor) -> None:
    sparse.set_shape([None, 4])
    assert sparse.shape == (3, 4)
    with pytest.raises(ValueError, match="not compatible"):
        sparse.set_shape([4, 4])


def test_a_dense_tensor_times_a_sparse_one_is_sparse(sparse: tf.SparseTensor) -> None:
    product = tf.fill([3, 4], 3.0) * sparse
    assert isinstance(product, tf.SparseTensor)
    assert product.values.numpy().tolist() == [3.0, 6.0]
    with pytest.raises(TypeError, match="unsupported operand"):
        2.0 * sparse
    with pytest.raises(TypeError, match="unsupported operand"):
        sparse + 1.0
    with pytest.raises(ValueError, match="SparseTensor"):
        tf.ones([3, 4]) + sparse


def test_specs_compare_and_join(sparse: tf.SparseTensor) -> None:
    spec = tf.SparseTensorSpec([None, 4])
    assert repr(spec) == "SparseTensorSpec(TensorShape([None, 4]), tf.float32)"
    assert spec == tf.SparseTensorSpec([None, 4])
    assert spec != tf.SparseTensorSpec([None, 4], tf.int32)
    assert spec.is_compatible_with(sparse)
    assert not tf.SparseTensorSpec([None, 2]).is_compatible_with(sparse)
    assert tf.type_spec_from_value(sparse) == tf.SparseTensorSpec([3, 4])
    assert spec.most_specific_common_supertype([tf.SparseTensorSpec([3, 3])]) == (
        tf.SparseTensorSpec([None, None])
    )
    assert spec._batch(2) == tf.SparseTensorSpec([2, None, 4])
    assert spec._unbatch() == tf.SparseTensorSpec([4])


def test_a_spec_survives_its_proto() -> None:
    spec = tf.SparseTensorSpec([None, 4], tf.int32)
    proto = spec.experimental_as_proto()
    assert proto.type_spec_class_name == "SparseTensorSpec"
    assert proto.num_flat_components == 3
    assert tf.SparseTensorSpec.experimental_from_proto(proto) == spec


def test_a_function_takes_and_returns_it_without_another_trace(sparse: tf.SparseTensor) -> None:
    traces = []

    @tf.function
    def double(x: tf.SparseTensor) -> tf.SparseTensor:
        traces.append(x.shape)
        return x * 2.0

    assert double(sparse).values.numpy().tolist() == [2.0, 4.0]
    assert double(tf.SparseTensor([[0, 0]], [5.0], [3, 4])).values.numpy().tolist() == [10.0]
    assert traces == [(3, 4)]


def test_a_signature_may_leave_the_shape_open(sparse: tf.SparseTensor) -> None:
    @tf.function(input_signature=[tf.SparseTensorSpec([None, None]), tf.TensorSpec([None, None])])
    def product(a: tf.SparseTensor, b: tf.Tensor) -> tf.Tensor:
        return tf.sparse.sparse_dense_matmul(a, b)

    assert product(sparse, tf.ones([4, 1])).numpy().tolist() == [[1.0], [0.0], [2.0]]
    assert product(tf.SparseTensor([[0, 0]], [7.0], [1, 1]), tf.ones([1, 2])).shape == (1, 2)


def test_branches_and_loops_carry_it(sparse: tf.SparseTensor) -> None:
    @tf.function
    def run(x: tf.SparseTensor, twice: tf.Tensor) -> tf.SparseTensor:
        if twice:
            x = x * 2.0
        else:
            x = x / 2.0
        for _ in tf.range(2):
            x = x * 10.0
        return x

    assert run(sparse, tf.constant(True)).values.numpy().tolist() == [200.0, 400.0]
    assert run(sparse, tf.constant(False)).values.numpy().tolist() == [50.0, 100.0]


def test_nest_takes_it_apart(sparse: tf.SparseTensor) -> None:
    assert tf.nest.flatten([sparse, 1]) == [sparse, 1]
    parts = tf.nest.flatten(sparse, expand_composites=True)
    assert [part.dtype for part in parts] == [tf.int64, tf.float32, tf.int64]
    rebuilt = tf.nest.pack_sequence_as(sparse, parts, expand_composites=True)
    assert isinstance(rebuilt, tf.SparseTensor)


def test_a_tape_watches_its_values(sparse: tf.SparseTensor) -> None:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(sparse)
        total = tf.sparse.reduce_sum(sparse * 3.0)
    assert tape.gradient(total, sparse.values).numpy().tolist() == [3.0, 3.0]
    with pytest.raises(ValueError, match="values"):
        tape.gradient(total, sparse)


def test_an_error_in_a_function_names_the_place() -> None:
    @tf.function
    def dense(x: tf.SparseTensor) -> tf.Tensor:
        return tf.sparse.to_dense(x)

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"\[5, 5\]"):
        dense(tf.SparseTensor([[5, 5]], [1.0], [3, 4]))


def test_indices_are_int64_and_fit(sparse: tf.SparseTensor) -> None:
    small = tf.SparseTensor(np.array([[0, 1]], np.int32), [1.0], np.array([3, 4], np.int32))
    assert small.indices.dtype is tf.int64
    with pytest.raises(ValueError):
        tf.SparseTensor([[0, 1]], [1.0, 2.0], [3, 4])


def test_a_shape_is_not_negative() -> None:
    with pytest.raises(ValueError, match="-2"):
        tf.SparseTensor([[0]], [1], [-2])


def test_slices_made_of_lists_are_masked() -> None:
    kept = tf.sparse.mask(tf.IndexedSlices([1, 2], [0, 1]), [0])
    assert (kept.values.numpy().tolist(), kept.indices.numpy().tolist()) == ([2], [1])
