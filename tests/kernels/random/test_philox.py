import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from runnel.backend.jax import jax, jnp
from runnel.kernels.random import philox
from tests.golden.random_answers import recorded

numbers = st.integers(0, 2**64 - 1)
counters = st.tuples(numbers, numbers).map(lambda halves: np.array(halves, np.uint64))
keys = numbers.map(lambda key: np.array([key], np.uint64))


def indices(count, start=0):
    return np.arange(start, start + count, dtype=np.uint64)


def number(counter):
    return int(counter[0]) + (int(counter[1]) << 64)


@pytest.mark.parametrize("case, answer", recorded("scramble"))
def test_the_stream_of_a_stateless_seed_is_tensorflows(case, answer):
    seed = np.array(case["seed"], case["dtype"])
    traced = jax.jit(lambda seed: philox.scramble(jnp, seed))(seed)
    for key, counter in (philox.scramble(np, seed), traced):
        assert np.array_equal(np.concatenate((key, counter)), answer)


@settings(deadline=None)
@given(keys, counters)
def test_a_few_blocks_are_made_like_many(key, counter):
    many = philox.blocks(np, key, counter, indices(40))
    few = philox.blocks(np, key, counter, indices(3, start=30))
    assert np.array_equal(many[30:33], few)


@settings(deadline=None)
@given(keys, counters)
def test_compiled_blocks_are_the_same(key, counter):
    compiled = _compiled_blocks(key, counter)
    assert np.array_equal(compiled, philox.blocks(np, key, counter, indices(20)))


@jax.jit
def _compiled_blocks(key, counter):
    return philox.blocks(jnp, key, counter, jnp.arange(20, dtype=jnp.uint64))


@settings(deadline=None)
@given(counters, numbers, numbers)
def test_skipping_adds_to_a_number_of_128_bits(counter, first, second):
    there = philox.skip(np, philox.skip(np, counter, first), second)
    assert number(there) == (number(counter) + first + second) % 2**128
    assert there.dtype == np.uint64


@settings(deadline=None)
@given(keys, counters, st.integers(0, 100))
def test_blocks_after_a_skip_are_the_later_blocks(key, counter, count):
    later = philox.blocks(np, key, philox.skip(np, counter, count), indices(20))
    assert np.array_equal(later, philox.blocks(np, key, counter, indices(20, start=count)))


def test_the_words_of_a_block_are_its_halves_low_first():
    bits = np.array([[0x0000000200000001, 0x0000000400000003]], np.uint64)
    assert philox.words(np, bits).tolist() == [[1, 2, 3, 4]]


def test_a_generator_moves_by_256_blocks_a_number():
    state = np.array([-1, 5, 7])
    assert philox.advance(np, state, 2).tolist() == [511, 6, 7]
    assert jax.jit(lambda state: philox.advance(jnp, state, 2))(state).tolist() == [511, 6, 7]
