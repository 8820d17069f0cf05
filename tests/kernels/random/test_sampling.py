import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runnel.backend.jax import jax, jnp
from runnel.kernels.random import philox, sampling
from runnel.kernels.random.bits import uniform
from tests.golden.random_answers import recorded
from tests.kernels.random.streams import OpStream

STREAM = philox.scramble(np, np.array([3, -4]))


def logits(case):
    return np.array(case["logits"]).astype(getattr(ml_dtypes, case["dtype"], case["dtype"]))


def test_stateless_categories_are_tensorflows():
    for case, answer in recorded("stateless_categorical"):
        got = sampling.categorical(np, *STREAM, logits(case), case["samples"], np.int64)
        assert got.dtype == answer.dtype
        assert np.array_equal(got, answer), case


def test_categories_of_later_calls_are_tensorflows():
    for case, answer in recorded("categorical"):
        streams, rows = OpStream(), logits(case)
        steps = sampling.categorical_steps(len(rows), case["samples"])
        for expected in answer:
            where = streams.reserve(steps)
            got = sampling.categorical(np, *where, rows, case["samples"], np.int64)
            assert np.array_equal(got, expected), case


def test_few_of_many_categories_are_those_that_all_sums_give():
    rows = np.random.default_rng(1).normal(size=(50, 1003)).astype(np.float32)
    rows[::2, ::3], rows[1::4, 40:], rows[3] = -np.inf, np.nan, np.inf
    got = sampling.categorical(np, *STREAM, rows, 7, np.int64)
    finite = np.isfinite(rows)
    weights = np.where(finite, np.exp(np.where(finite, rows, 0).astype(np.float64)), 0)
    shares = uniform(np, *STREAM, (50, 7), np.float64)
    sums = np.cumsum(weights, axis=1)
    wanted = [np.searchsorted(s, s[-1] * share, side="right") for s, share in zip(sums, shares)]
    assert np.array_equal(got, wanted)
    compiled = jax.jit(lambda *args: sampling.categorical(jnp, *args, 7, np.int64))
    assert np.array_equal(compiled(*STREAM, rows), wanted)


def test_categories_of_many_seeds_are_those_of_each():
    rows = np.array([[0.5, 1, -np.inf, 2]])
    seeds = np.random.default_rng(0).integers(-(2**40), 2**40, (700, 2))
    alone = [
        sampling.categorical(np, *philox.scramble(np, pair), rows, 1, np.int64)[0, 0]
        for pair in seeds
    ]
    assert sampling.categorical_of_seeds(rows, seeds).tolist() == alone


def test_compiled_categories_are_the_same():
    rows = np.array([[0, 1, -np.inf], [np.nan, 0, 0], [-np.inf] * 3, [np.inf, 0, 1]], np.float32)
    compiled = jax.jit(lambda *args: sampling.categorical(jnp, *args, 5, np.int32))(*STREAM, rows)
    assert compiled.dtype == np.int32
    assert np.array_equal(compiled, sampling.categorical(np, *STREAM, rows, 5, np.int32))


def test_permutations_are_tensorflows():
    for case, answer in recorded("permutation"):
        streams, size = OpStream(), case["size"]
        for expected in answer:
            where = streams.reserve(sampling.shuffle_steps(size))
            assert np.array_equal(sampling.permutation(np, *where, size), expected)


def test_stateless_permutations_are_tensorflows():
    for case, answer in recorded("stateless_permutation"):
        assert np.array_equal(sampling.permutation(np, *STREAM, case["size"]), answer)


@pytest.mark.parametrize("size", [0, 1, 2, 301])
def test_compiled_permutations_are_the_same(size):
    compiled = jax.jit(lambda *where: sampling.permutation(jnp, *where, size))(*STREAM)
    assert compiled.dtype == np.int32
    assert np.array_equal(compiled, sampling.permutation(np, *STREAM, size))


def test_shuffled_indices_are_tensorflows():
    for case, answer in recorded("index_shuffle"):
        index, seed, last = (np.array(case[name]) for name in ("index", "seed", "last"))
        assert np.array_equal(sampling.index_shuffle(index, seed, last, case["rounds"]), answer)


@settings(deadline=None)
@given(st.integers(0, 300), st.lists(st.integers(-(2**31), 2**31 - 1), min_size=3, max_size=3))
def test_shuffled_indices_are_a_permutation(last, seed):
    index = np.arange(last + 1, dtype=np.int32)
    shuffled = sampling.index_shuffle(index, np.array(seed), np.int32(last), 4)
    assert shuffled.dtype == np.int32
    assert sorted(shuffled.tolist()) == index.tolist()


def test_every_index_may_have_its_own_seed_and_range():
    index, last = np.array([1, 2]), np.array([5, 9])
    seeds = np.array([[1, 2, 3], [4, 5, 6]])
    both = sampling.index_shuffle(index, seeds, last, 8)
    each = [sampling.index_shuffle(*one, 8) for one in zip(index, seeds, last)]
    assert both.tolist() == [int(x) for x in each]


@pytest.mark.parametrize("size", [2, 3, 10, 1500])
def test_many_swaps_together_are_as_one_after_the_other(size):
    rng = np.random.default_rng(size)
    partner = np.array([rng.integers(i, size) for i in range(size - 1)], np.int32)
    order = list(range(size))
    for place, other in enumerate(partner):
        order[place], order[other] = order[other], order[place]
    assert sampling._swapped(partner, size).tolist() == order
    traced = jax.jit(lambda p: sampling._swapped_together(p, size))(partner)
    assert traced.tolist() == order
