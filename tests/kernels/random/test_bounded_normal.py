import numpy as np
import pytest

from runnel.core.values.errors import InternalError, InvalidArgumentError
from runnel.kernels.random import philox
from runnel.kernels.random.bounded_normal import (
    stateful_bounded_normal,
    stateful_steps,
    stateless_bounded_normal,
)
from tests.golden.random_answers import recorded
from tests.kernels.random.streams import OpStream

STREAM = philox.scramble(np, np.array([3, -4]))


def parameters(case):
    return tuple(np.array(p, case.get("dtype", "float32")) for p in case["parameters"])


def assert_close(got, answer):
    assert got.dtype == answer.dtype and got.shape == answer.shape
    steps = 4 * np.finfo(answer.dtype).eps
    np.testing.assert_allclose(got, answer, rtol=steps, atol=steps)


def test_stateless_numbers_are_tensorflows():
    for case, answer in recorded("stateless_bounded_normal"):
        assert_close(stateless_bounded_normal(*STREAM, answer.shape, parameters(case)), answer)


def test_the_calls_of_the_stateful_op_go_on_as_in_tensorflow():
    for case, answer in recorded("bounded_normal"):
        streams, shape = OpStream(), tuple(case["shape"])
        for expected in answer:
            where = streams.reserve(stateful_steps(shape, parameters(case)))
            assert_close(stateful_bounded_normal(*where, shape, parameters(case)), expected)


def test_a_long_batch_stays_between_its_bounds():
    bounds = tuple(np.float32(x) for x in (0, 1, -1.5, 0.5))
    got = stateless_bounded_normal(*STREAM, (50000,), bounds)
    assert got.min() >= -1.5 and got.max() <= 0.5
    assert len(np.unique(got)) > 49000


@pytest.mark.parametrize(
    "wrong", [(0, 0, -1, 1), (0, 1, 1, 1), (0, 1, -np.inf, np.inf), (0, np.nan, -1, 1)]
)
def test_impossible_parameters_are_an_error(wrong):
    with pytest.raises(InvalidArgumentError, match="Invalid parameters"):
        stateless_bounded_normal(*STREAM, (3,), tuple(np.float32(x) for x in wrong))


def test_a_search_that_finds_nothing_ends_in_an_error():
    hopeless = tuple(np.float32(x) for x in (np.nan, 1, -1, 1))
    with pytest.raises(InternalError, match="between the bounds"):
        stateless_bounded_normal(*STREAM, (3,), hopeless)
