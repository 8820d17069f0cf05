"""Answers kept beside arrays."""

import gc
import weakref

import numpy as np

from runnel.kernels.memo import kept_beside


def counting():
    """A function that remembers, and the arrays that it was really asked about."""
    asked = []

    @kept_beside
    def total(x):
        asked.append(float(x[0]))
        return x.sum()

    return total, asked


def test_an_array_is_looked_at_once():
    total, asked = counting()
    x, y = np.array([1.0, 2.0]), np.array([2.0, 2.0])
    assert [total(x), total(y), total(x), total(y)] == [3.0, 4.0, 3.0, 4.0]
    assert asked == [1.0, 2.0]


def test_an_equal_array_is_another_one():
    total, asked = counting()
    x = np.array([1.0, 2.0])
    total(x), total(x.copy()), total(x[:])
    assert asked == [1.0, 1.0, 1.0]


def test_only_the_last_arrays_are_remembered():
    total, asked = counting()
    arrays = [np.array([float(n)]) for n in range(9)]
    for x in (*arrays, arrays[8], arrays[0]):
        total(x)
    assert asked == [*map(float, range(9)), 0.0]


def test_what_is_kept_goes_with_the_array():
    class Answer:
        pass

    find = kept_beside(lambda x: Answer())
    x = np.zeros(3)
    kept = weakref.ref(find(x))
    gc.collect()
    assert kept() is not None
    del x
    gc.collect()
    assert kept() is None
