"""Tests of runnel/kernels/remainders.py."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import runnel as tf
from runnel.backend import jax as xla
from runnel.backend.jax import jnp
from runnel.kernels.remainders import floor_remainder

FLOATS = st.floats(width=32, allow_subnormal=False)


def rule(x, y):
    """The remainder by its definition: that of C, moved to the side of the divisor."""
    with np.errstate(all="ignore"):
        rest = np.fmod(x, y)
        return np.where((rest != 0) & ((y < 0) != (rest < 0)), rest + y, rest)


def compiled(x, y):
    return np.asarray(xla.compile(lambda x, y: floor_remainder(jnp, x, y))(x, y))


def assert_same(found, wanted):
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found, wanted)
    there = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(found[there]), np.signbit(wanted[there]))


@given(st.lists(st.tuples(FLOATS, FLOATS), min_size=1, max_size=20))
def test_blocks_follow_the_rule(pairs):
    x, y = np.array(pairs * 1100, np.float32).T
    with np.errstate(all="ignore"):
        assert_same(floor_remainder(np, x, y), rule(x, y))


@pytest.mark.parametrize("most", [1.0, 1e8, 1e30])
def test_programs_follow_the_rule(most):
    rng = np.random.default_rng(0)
    x, y = (rng.standard_normal((2, 5000)) * [[most], [1.0]]).astype(np.float32)
    assert_same(compiled(x, y), rule(x, y))
    whole = np.round(x / np.float32(most) * 1000)
    assert_same(compiled(whole, np.float32(3)), rule(whole, np.float32(3)))


def test_infinities_and_zeros_follow_the_rule():
    edges = np.array([np.nan, np.inf, -np.inf, 0, -0.0, 1, -1, 2.5, 1e30, -1e30], np.float32)
    x, y = (np.tile(part.ravel(), 20) for part in np.meshgrid(edges, edges))
    with np.errstate(all="ignore"):
        wanted = rule(x, y)
        wanted[np.isinf(y) & (np.signbit(x) != np.signbit(y)) & np.isfinite(x) & (x != 0)] = np.inf
        found = floor_remainder(np, x, y)
    np.testing.assert_array_equal(np.abs(found), np.abs(wanted))
    np.testing.assert_array_equal(np.abs(compiled(x, y)), np.abs(wanted))


def test_remainders_broadcast():
    x = np.linspace(-9, 9, 5000, dtype=np.float32).reshape(50, 100)
    y = np.linspace(1, 2, 50, dtype=np.float32)[:, None]
    with np.errstate(all="ignore"):
        assert_same((tf.constant(x) % tf.constant(y)).numpy(), rule(x, y))
    assert_same(tf.function(tf.math.floormod, jit_compile=True)(x, y).numpy(), rule(x, y))
