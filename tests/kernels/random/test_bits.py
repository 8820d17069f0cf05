import math

import ml_dtypes
import numpy as np
import pytest

from runnel.backend.jax import jax, jnp
from runnel.kernels.random import bits, philox, rejection
from tests.golden.random_answers import recorded, thinned
from tests.kernels.random.streams import OpStream

STREAM = np.array([5], np.uint64), np.array([1, 2], np.uint64)
FLOATS = np.float16, ml_dtypes.bfloat16, np.float32, np.float64


def named(dtype):
    return np.dtype(getattr(ml_dtypes, dtype, dtype))


def stream(case):
    return np.array([case["key"]], np.uint64), np.array(case["counter"], np.uint64)


def assert_close(got, answer):
    """Up to the last digits; the logarithm of a C library may be off by one."""
    assert got.dtype == answer.dtype and got.shape == answer.shape
    steps = 4 * np.finfo(answer.dtype).eps
    np.testing.assert_allclose(got, answer, rtol=steps, atol=steps / 1000)


@pytest.mark.parametrize("kind", ["uniform", "full_int"])
def test_uniform_numbers_are_tensorflows_bit_for_bit(kind):
    for case, answer in recorded(kind):
        make, dtype = getattr(bits, kind), named(case["dtype"])
        got = make(np, *stream(case), tuple(case["shape"]), dtype)
        assert got.dtype == dtype
        assert np.array_equal(thinned(case, got), answer), case


def test_integers_between_bounds_are_tensorflows_bit_for_bit():
    for case, answer in recorded("uniform_int"):
        dtype, shape = named(case["dtype"]), tuple(case["shape"])
        got = bits.uniform_int(np, *stream(case), shape, *case["bounds"], dtype)
        assert got.dtype == dtype
        assert np.array_equal(thinned(case, got), answer), case


@pytest.mark.parametrize("kind", ["normal", "truncated_normal"])
def test_normal_numbers_are_tensorflows_to_the_last_digits(kind):
    for case, answer in recorded(kind):
        make, dtype = getattr(bits, kind), named(case["dtype"])
        got = make(np, *stream(case), tuple(case["shape"]), dtype)
        assert got.dtype == dtype
        if got.dtype == ml_dtypes.bfloat16:
            assert np.array_equal(thinned(case, got), answer), case
        else:
            assert_close(thinned(case, got), answer)


@pytest.mark.parametrize("size", [0, 5, 100001])
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("kind", ["uniform", "normal", "truncated_normal"])
def test_compiled_floats_are_the_same(kind, dtype, size):
    make = getattr(bits, kind)
    compiled = jax.jit(lambda key, counter: make(jnp, key, counter, (size,), dtype))(*STREAM)
    plain = make(np, *STREAM, (size,), dtype)
    assert compiled.dtype == plain.dtype == dtype
    if kind == "uniform":
        assert np.array_equal(compiled, plain)
    else:
        steps = 2 * float(ml_dtypes.finfo(dtype).eps)
        np.testing.assert_allclose(
            np.asarray(compiled, np.float64),
            plain.astype(np.float64),
            rtol=steps,
            atol=steps / 1000,
        )


@pytest.mark.parametrize("dtype", [np.int32, np.int64])
def test_compiled_integers_are_the_same(dtype):
    shape, bounds = (3, 19), [np.array(bound, dtype) for bound in (-(2**31), 2**31 - 1)]

    @jax.jit
    def both(key, counter, low, high):
        return (
            bits.uniform_int(jnp, key, counter, shape, low, high, dtype),
            bits.full_int(jnp, key, counter, shape, dtype),
        )

    between, full = both(*STREAM, *bounds)
    assert between.dtype == full.dtype == dtype
    assert np.array_equal(between, bits.uniform_int(np, *STREAM, shape, *bounds, dtype))
    assert np.array_equal(full, bits.full_int(np, *STREAM, shape, dtype))


def test_the_calls_of_a_stateful_op_go_on_as_in_tensorflow():
    for case, answer in recorded("stateful"):
        streams, shape, dtype = OpStream(), tuple(case["shape"]), named(case["dtype"])
        steps = math.prod(shape) * philox.STEPS_PER_OUTPUT
        for expected in answer:
            key, counter = streams.reserve(steps)
            got = STATEFUL[case["op"]](key, counter, shape, dtype, case.get("parameter"))
            if got.dtype.kind == "i" or "Uniform" in case["op"] or dtype == ml_dtypes.bfloat16:
                assert np.array_equal(thinned(case, got), expected), case
            else:
                assert_close(got, expected)


def _plain(make):
    return lambda key, counter, shape, dtype, _: make(np, key, counter, shape, dtype)


STATEFUL = {
    "RandomUniform": _plain(bits.uniform),
    "RandomStandardNormal": _plain(bits.normal),
    "TruncatedNormal": _plain(bits.truncated_normal),
    "RandomUniformInt": lambda key, counter, shape, dtype, _: bits.uniform_int(
        np, key, counter, shape, -5, 7, dtype
    ),
    "RandomGamma": lambda key, counter, shape, dtype, alpha: rejection.gamma(
        key, counter, shape, np.array(alpha, dtype)
    ),
    "RandomPoissonV2": lambda key, counter, shape, dtype, rate: rejection.poisson(
        key, counter, shape, np.array(rate, np.float32), dtype
    ),
}
