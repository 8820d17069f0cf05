"""`tf.RaggedTensor`: laws that hold for all rows, and what tables of calls cannot say."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runnel as tf

numbers = st.integers(-1000, 1000)
rows2 = st.lists(st.lists(numbers, max_size=5), max_size=6)
rows3 = st.lists(rows2, max_size=4)


def ragged(rows: list[Any], rank: int = 1) -> tf.RaggedTensor:
    return tf.ragged.constant(rows, tf.int32, ragged_rank=rank)


@given(rows2)
@settings(max_examples=60, deadline=None)
def test_a_list_comes_back(rows: list[Any]) -> None:
    assert ragged(rows).to_list() == rows


@given(rows3)
@settings(max_examples=60, deadline=None)
def test_a_nested_list_comes_back(rows: list[Any]) -> None:
    assert ragged(rows, 2).to_list() == rows


@given(rows3)
@settings(max_examples=40, deadline=None)
def test_a_tensor_cut_to_the_row_lengths_is_the_ragged_tensor(rows: list[Any]) -> None:
    x = ragged(rows, 2)
    dense = x.to_tensor(default_value=7)
    assert tf.RaggedTensor.from_tensor(dense, lengths=x.nested_row_lengths()).to_list() == rows


@given(rows2)
@settings(max_examples=40, deadline=None)
def test_sparse_and_back(rows: list[Any]) -> None:
    sparse = ragged(rows).to_sparse()
    assert tf.RaggedTensor.from_sparse(sparse).to_list() == rows
    dense = tf.sparse.to_dense(sparse).numpy()
    assert np.array_equal(dense, ragged(rows).to_tensor().numpy())


@given(rows2)
@settings(max_examples=40, deadline=None)
def test_all_partitions_mean_the_same(rows: list[Any]) -> None:
    x = ragged(rows)
    values = x.values
    made = [
        tf.RaggedTensor.from_row_splits(values, x.row_splits),
        tf.RaggedTensor.from_row_lengths(values, x.row_lengths()),
        tf.RaggedTensor.from_row_limits(values, x.row_limits()),
        tf.RaggedTensor.from_value_rowids(values, x.value_rowids(), nrows=x.nrows()),
        tf.RaggedTensor.from_row_starts(values, x.row_starts()) if rows else x,
    ]
    assert all(each.to_list() == rows for each in made)


@given(rows2, st.slices(6), st.slices(5))
@settings(max_examples=80, deadline=None)
def test_slices_are_those_of_lists(rows: list[Any], outer: slice, inner: slice) -> None:
    x = ragged(rows)
    assert x[outer].to_list() == rows[outer]
    assert x[outer, inner].to_list() == [row[inner] for row in rows[outer]]


@given(rows3)
@settings(max_examples=40, deadline=None)
def test_sums_over_rows_are_sums_of_lists(rows: list[Any]) -> None:
    x = ragged(rows, 2)
    assert tf.reduce_sum(x, axis=2).to_list() == [[sum(row) for row in each] for each in rows]
    assert tf.reduce_sum(x, axis=[1, 2]).numpy().tolist() == [sum(map(sum, each)) for each in rows]


@given(rows2, rows2)
@settings(max_examples=40, deadline=None)
def test_concat_joins_lists(first: list[Any], second: list[Any]) -> None:
    x, y = ragged(first), ragged(second)
    assert tf.concat([x, y], axis=0).to_list() == first + second
    count = min(len(first), len(second))
    beside = tf.concat([x[:count], y[:count]], axis=1)
    assert beside.to_list() == [a + b for a, b in zip(first, second, strict=False)]


@given(rows2)
@settings(max_examples=30, deadline=None)
def test_reversing_twice_changes_nothing(rows: list[Any]) -> None:
    x = ragged(rows)
    assert tf.reverse(tf.reverse(x, [0, 1]), [0, 1]).to_list() == rows


def test_adding_a_longer_row_is_an_error_that_says_so() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="same lengths"):
        ragged([[1], [2]]) + ragged([[1], [2, 3]])


def test_a_partition_remembers_what_it_computed() -> None:
    x = ragged([[1, 2], [3]])
    assert x.value_rowids() is x.value_rowids()
    assert x.row_lengths() is x.row_lengths()


def test_what_a_graph_computes_is_not_kept_outside_it() -> None:
    x = ragged([[1, 2], [3]])
    tf.function(lambda: x.value_rowids() + x.row_splits[1])()
    assert x.value_rowids().numpy().tolist() == [0, 0, 1]


def test_specs_can_be_pickled_and_copied() -> None:
    spec = tf.RaggedTensorSpec([2, None], tf.int32)
    assert pickle.loads(pickle.dumps(spec)) == copy.copy(spec) == spec
    assert hash(spec) == hash(tf.RaggedTensorSpec([2, None], tf.int32))


def test_a_ragged_tensor_of_a_graph_has_no_value() -> None:
    @tf.function
    def fn(x: Any) -> Any:
        for attempt in (x.numpy, x.to_list):
            with pytest.raises(ValueError, match="no value yet"):
                attempt()
        return x

    assert fn(ragged([[1]])).to_list() == [[1]]


def test_many_rows_take_time_in_proportion() -> None:
    x = tf.RaggedTensor.from_row_lengths(np.ones(30_000, np.float32), np.full(10_000, 3))
    assert tf.reduce_sum(x, axis=1).numpy().tolist() == [3.0] * 10_000
    assert tf.reduce_sum(x + x).numpy() == 60_000.0
