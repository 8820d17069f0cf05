"""Sparse gradients: the rows of an `tf.IndexedSlices` that have the same index become one.

`tf.unique` finds how many rows there are only when it runs, so inside a function it would cut the
compiled program in two and give the second half another shape at every step. There the number of
rows stays what it is: a row that comes again keeps its place, and is left empty or says the same.
"""

from __future__ import annotations

from typing import Any

import runnel as tf


def unique_rows(values: Any, indices: Any) -> tuple[Any, Any]:
    """The sums of the rows with the same index, and the indices, each once.

    >>> values, indices = unique_rows(tf.constant([[1.0], [2.0], [4.0]]), tf.constant([3, 0, 3]))
    >>> values.numpy().ravel().tolist(), indices.numpy().tolist()
    ([5.0, 2.0], [3, 0])
    """
    unique, places = tf.unique(indices)
    return tf.math.unsorted_segment_sum(values, places, tf.shape(unique)[0]), unique


def rows_added_once(values: Any, indices: Any, variable: Any) -> Any:
    """Rows to be added: one of those with the same index is their sum, the others are zero.

    >>> values, indices = tf.constant([[1.0], [2.0], [4.0]]), tf.constant([3, 0, 3])
    >>> added = rows_added_once(values, indices, tf.Variable(tf.zeros([5, 1])))
    >>> sorted(added.numpy().ravel().tolist())
    [0.0, 2.0, 5.0]
    """
    return _sums(values, _places(indices, variable))


def rows_with_totals(values: Any, indices: Any, variable: Any) -> Any:
    """Rows to be written: each of those with the same index is their sum.

    >>> values, indices = tf.constant([[1.0], [2.0], [4.0]]), tf.constant([3, 0, 3])
    >>> rows = rows_with_totals(values, indices, tf.Variable(tf.zeros([5, 1])))
    >>> rows.numpy().ravel().tolist()
    [5.0, 2.0, 5.0]
    """
    places = _places(indices, variable)
    # All places are rows; a program that had to look would wait and keep the tables of before.
    return tf.gather_nd(_sums(values, places), places[:, None], bad_indices_policy="IGNORE")


def _places(indices: Any, variable: Any) -> Any:
    """For each row the place of one row with the same index."""
    numbers, none = tf.range(tf.shape(indices)[0]), tf.zeros(tf.shape(variable)[:1], tf.int32)
    holders = tf.tensor_scatter_nd_update(none, indices[:, None], numbers)
    return tf.gather(holders, indices)


def _sums(values: Any, places: Any) -> Any:
    return tf.math.unsorted_segment_sum(values, places, tf.shape(places)[0])


def decay_and_add(slot: Any, keep: Any, indices: Any, values: Any) -> None:
    """`slot * keep`, with `values` added to the rows of `indices`."""
    slot.assign(slot * keep)
    slot.scatter_add(tf.IndexedSlices(values, indices))


def is_own(method: Any) -> bool:
    """Whether a rule is one of this package, which may be given a row more than once."""
    return str(method.__module__).startswith(__package__)
