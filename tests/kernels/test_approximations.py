"""Tests of runnel/kernels/approximations.py."""

from __future__ import annotations

import numpy as np
import pytest

import runnel as tf
from runnel.backend import jax as xla
from runnel.backend.jax import jnp
from runnel.core.op.raw import raw_ops

FUNCTIONS = {
    "Sin": np.sin,
    "Cos": np.cos,
    "Tan": np.tan,
    "Asin": np.arcsin,
    "Acos": np.arccos,
    "Atan": np.arctan,
}
SPECIAL = [np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 2.0, 1e30, -3.4e38, 1e-30]
SPECIAL = np.array(SPECIAL, np.float32)


def compiled(name, *arrays):
    return np.asarray(xla.compile(lambda *xs: getattr(raw_ops, name).kernel(jnp, *xs))(*arrays))


def assert_close(found, wanted, places):
    """That float32 numbers are off by at most so many units in the last place of the right ones."""
    assert found.dtype == np.float32
    nearest = wanted.astype(np.float32)
    np.testing.assert_array_equal(np.isnan(found), np.isnan(nearest))
    fine = np.isfinite(nearest)
    np.testing.assert_array_equal(found[~fine], nearest[~fine])
    np.testing.assert_array_equal(np.signbit(found[fine]), np.signbit(nearest[fine]))
    unit = np.maximum(np.spacing(np.abs(nearest[fine])), np.finfo(np.float32).tiny)
    assert (np.abs(found[fine] - wanted[fine]) / unit).max() <= places


def every_float(step):
    """Positive numbers of all sizes, the smallest left out, which XLA takes for zero."""
    return np.arange(1 << 24, 0x7F800000, step, np.uint32).view(np.float32)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_numbers_of_all_sizes_have_the_right_angle(name, sign):
    x = every_float(4999) * np.float32(sign)
    assert_close(compiled(name, x), FUNCTIONS[name](x.astype(np.float64)), 1.6)


@pytest.mark.parametrize("name", ["Sin", "Cos", "Tan"])
def test_angles_of_some_turns_are_right_to_the_last_place(name):
    quarters = (np.arange(-60_000, 60_000) * (np.pi / 2)).astype(np.float32)
    x = np.concatenate([np.linspace(-50, 50, 200_001, dtype=np.float32), quarters])
    assert_close(compiled(name, x), FUNCTIONS[name](x.astype(np.float64)), 0.51)


@pytest.mark.parametrize("name", ["Asin", "Acos"])
def test_sines_and_cosines_give_their_angles_back(name):
    x = np.linspace(-1, 1, 200_001, dtype=np.float32)
    assert_close(compiled(name, x), FUNCTIONS[name](x.astype(np.float64)), 0.51)


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("times", [1, 200])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_infinities_and_zeros_keep_their_meaning(name, times):
    x = np.tile(SPECIAL, times)
    assert_close(compiled(name, x), FUNCTIONS[name](x.astype(np.float64)), 1.6)


@pytest.mark.parametrize("name", ["Sin", "Cos", "Tan"])
def test_what_is_no_number_does_not_make_others_wrong(name):
    x = np.tile(np.array([np.nan, 1.0, -0.0], np.float32), 1000)
    assert_close(compiled(name, x), FUNCTIONS[name](x.astype(np.float64)), 0.51)


def test_every_point_has_its_angle():
    rng = np.random.default_rng(0)
    y = (rng.standard_normal(200_000) * 10 ** rng.uniform(-20, 20, 200_000)).astype(np.float32)
    x = (rng.standard_normal(200_000) * y * 10 ** rng.uniform(-6, 6, 200_000)).astype(np.float32)
    wanted = np.arctan2(y.astype(np.float64), x.astype(np.float64))
    assert_close(compiled("Atan2", y, x), wanted, 0.6)


def test_points_on_the_axes_and_far_away_have_an_angle():
    y, x = (part.ravel() for part in np.meshgrid(SPECIAL, SPECIAL))
    wanted = np.arctan2(y.astype(np.float64), x.astype(np.float64))
    far = np.abs(wanted) < np.finfo(np.float32).tiny  # XLA gives zero for what is so small
    found = compiled("Atan2", y, x)
    assert_close(found[~far], wanted[~far], 0.6)
    assert (np.abs(found[far]) < np.finfo(np.float32).tiny).all()


def test_points_broadcast():
    y, x = np.ones((3, 1), np.float32), np.array([1.0, -1.0], np.float32)
    assert_close(compiled("Atan2", y, x), np.arctan2(y, x).astype(np.float64), 1)


def test_elu_is_right_near_zero_and_far_below():
    x = -every_float(4999)
    assert_close(compiled("Elu", x), np.expm1(x.astype(np.float64)), 1.6)
    special = np.array([np.nan, np.inf, -np.inf, 3.0, 0.0], np.float32)
    np.testing.assert_array_equal(compiled("Elu", special), [np.nan, np.inf, -1, 3, 0])


@pytest.mark.parametrize("fn", [tf.sin, tf.cos, tf.tan, tf.asin, tf.acos, tf.atan, tf.nn.elu])
def test_a_function_agrees_with_eager_execution(fn):
    x = tf.constant(np.linspace(-0.99, 0.99, 40_000, dtype=np.float32))
    np.testing.assert_allclose(tf.function(fn, jit_compile=True)(x), fn(x), rtol=5e-7)


def test_other_dtypes_are_left_to_xla():
    for dtype in (np.float64, np.float16, np.complex64):
        x = np.linspace(0, 1, 3).astype(dtype)
        assert compiled("Sin", x).dtype == dtype
