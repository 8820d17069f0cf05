import numpy as np
import pytest

from runnel.kernels.random import bits, philox, rejection
from runnel.kernels.random.seeds import Algorithm, generator_state, key_state
from tests.golden.random_answers import recorded

SEED = np.array([3, -4])
STREAM = philox.scramble(np, SEED)


def test_gamma_numbers_are_tensorflows():
    for case, answer in recorded("gamma"):
        got = rejection.gamma(*STREAM, answer.shape, np.array(case["alpha"], case["dtype"]))
        assert got.dtype == answer.dtype
        np.testing.assert_allclose(got, answer, rtol=2 * np.finfo(got.dtype).eps)


def test_poisson_numbers_are_tensorflows():
    for case, answer in recorded("poisson"):
        rate = np.array(case["rate"], case["dtype"])
        got = rejection.poisson(*STREAM, answer.shape, rate, np.dtype(case["result"]))
        assert got.dtype == answer.dtype
        assert np.array_equal(got, answer), case


def test_binomial_numbers_are_tensorflows():
    for case, answer in recorded("binomial"):
        counts, probs = (np.array(case[name], case["dtype"]) for name in ("counts", "probs"))
        got = rejection.binomial(*STREAM, answer.shape, counts, probs, np.dtype(case["result"]))
        assert got.dtype == answer.dtype
        assert np.array_equal(got, answer), case


def test_a_generator_gives_tensorflows_numbers_and_states():
    state = generator_state(1234, Algorithm.PHILOX)
    used = 0
    for case, answer in recorded("generator"):
        if case["call"] == "state":
            state = philox.advance(np, state, used)
            assert np.array_equal(state, answer)
            continue
        shape = tuple(case["shape"])
        got = GENERATOR[case["call"]](*philox.from_state(np, state), shape)
        np.testing.assert_allclose(got, answer, rtol=1e-6)
        binomial = case["call"] == "binomial"
        used = rejection.binomial_outputs(shape, 4) if binomial else int(np.prod(shape))


def _make_seeds(key, counter, shape):
    keys = bits.full_int(np, key, counter, shape, np.int64)
    return np.stack((keys, np.zeros_like(keys)))


def _split(key, counter, shape):
    keys = bits.full_int(np, key, counter, shape, np.int64)
    return np.stack([key_state(int(key), Algorithm.PHILOX) for key in keys])


GENERATOR = {
    "normal": lambda key, counter, shape: bits.normal(np, key, counter, shape, np.float32),
    "uniform_int": lambda key, counter, shape: bits.uniform_int(
        np, key, counter, shape, -3, 10, np.int32
    ),
    "binomial": lambda key, counter, shape: rejection.binomial(
        key, counter, shape, np.float32([10, 20, 300, 4]), np.float32([0.5]), np.int32
    ),
    "make_seeds": _make_seeds,
    "split": _split,
}


@pytest.mark.parametrize("shape, parameter", [((0, 2), [1.0, 20.0]), ((3, 0), [])])
def test_nothing_is_drawn_for_an_empty_result(shape, parameter):
    parameter = np.array(parameter, np.float32)
    assert rejection.gamma(*STREAM, shape, parameter).shape == shape
    assert rejection.poisson(*STREAM, shape, parameter, np.int32).shape == shape
    assert rejection.binomial(*STREAM, shape, parameter, parameter, np.int32).shape == shape


def test_a_parameter_that_is_not_a_number_gives_none():
    nan = np.array([np.nan], np.float32)
    one = np.ones(1, np.float32)
    assert np.isnan(rejection.gamma(*STREAM, (1,), nan))
    assert np.isnan(rejection.poisson(*STREAM, (1,), nan, np.float32))
    assert np.isnan(rejection.binomial(*STREAM, (1,), nan, one / 2, np.float32))
    assert np.isnan(rejection.binomial(*STREAM, (1,), one, nan, np.float32))


def test_a_rate_beyond_the_dtype_gives_its_largest_number():
    rate = np.array([1e6], np.float32)
    assert rejection.poisson(*STREAM, (1,), rate, np.float16) == np.finfo(np.float16).max
