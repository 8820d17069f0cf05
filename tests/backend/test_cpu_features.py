"""Tests of runnel/backend/cpu_features.py."""

from __future__ import annotations

import numpy as np
import pytest

import runnel as tf
from runnel.backend import cpu_features, memory
from runnel.backend.cpu_features import read_in_place, slow_in_numpy
from runnel.backend.memory import copied

MANY = np.zeros(memory.LARGE + 1, np.float32)


@pytest.fixture
def loops(monkeypatch):
    """What NumPy shall say of its loops."""
    said: dict = {}
    monkeypatch.setattr(cpu_features, "opt_func_info", lambda func_name: said)
    cpu_features._has_long_vectors.cache_clear()
    yield said
    cpu_features._has_long_vectors.cache_clear()


def test_a_function_with_long_vectors_is_left_to_numpy(loops):
    loops["sin"] = {"ff": {"current": "X86_V4", "available": "X86_V4 baseline(X86_V2)"}}
    assert not slow_in_numpy("sin")([MANY])


def test_a_function_without_them_is_compiled_if_there_is_much_to_do(loops):
    loops["sin"] = {"ff": {"current": "baseline(X86_V2)", "available": "baseline(X86_V2)"}}
    assert slow_in_numpy("sin")([MANY])
    assert not slow_in_numpy("sin")([MANY[:10]])


def test_so_is_one_with_short_vectors(loops):
    loops["exp"] = {"ff": {"current": "X86_V3", "available": "X86_V3 baseline(X86_V2)"}}
    assert slow_in_numpy("exp")([MANY])


def test_each_dtype_and_number_of_inputs_counts(loops):
    loops["arctan2"] = {"fff": {"current": "X86_V4"}}
    assert not slow_in_numpy("arctan2")([MANY, MANY])
    assert slow_in_numpy("arctan2")([MANY.astype(np.float16), MANY])
    assert slow_in_numpy("sinh")([MANY])


def test_numpy_knows_its_loops():
    assert "exp" in cpu_features.opt_func_info(func_name="^exp$")


def test_only_large_arrays_that_lie_well_are_read_in_place():
    well = copied(MANY, MANY.dtype)
    assert read_in_place([well])
    assert not read_in_place([well[1:]])
    assert not read_in_place([well[:16]])


@pytest.mark.parametrize("start", [0, 1])
def test_signs_are_the_same_wherever_numbers_lie(start):
    edges = np.array([np.nan, -np.inf, -2.5, -0.0, 0.0, 3.0], np.float32)
    x = tf.constant(np.tile(edges, memory.LARGE // 4))[start:]
    for _ in range(3):
        np.testing.assert_array_equal(tf.sign(x), np.sign(x.numpy()))
