import random

import numpy as np
import pytest

from runnel.kernels.random import seeds
from runnel.kernels.random.seeds import Algorithm, GlobalSeed, OpCount
from tests.golden.random_answers import fact


def test_seeds_are_combined_as_in_a_graph_of_tensorflow():
    for global_seed, op_seed, pairs in fact("pairs"):
        count = OpCount()
        got = [seeds.seed_pair(global_seed, op_seed, count.next_op_seed) for _ in pairs]
        assert [list(pair) for pair in got] == pairs


def test_eager_ops_get_the_seeds_that_tensorflow_gives_them():
    for global_seed, expected in fact("sequences"):
        drawn = GlobalSeed()
        drawn.set(global_seed)
        got = [seeds.seed_pair(drawn.value, None, drawn.next_op_seed)[1] for _ in expected]
        assert got == expected


@pytest.mark.parametrize("seed", [np.int64(5), np.array(5), 5.0])
def test_a_global_seed_may_be_any_number(seed):
    drawn = GlobalSeed()
    drawn.set(seed)
    assert drawn.value == 5
    assert drawn.next_op_seed() == random.Random(5).randint(0, 2**31 - 1)


def test_without_seeds_a_stream_begins_anywhere():
    assert seeds.start(0, 0) != seeds.start(0, 0)
    assert seeds.start(1, 2) == (1, 2 << 64)


def test_negative_seeds_wrap_around():
    assert seeds.start(-1, -2) == (2**64 - 1, (2**64 - 2) << 64)


def test_the_state_of_a_generator_is_tensorflows():
    for seed, alg, expected in fact("states"):
        state = seeds.generator_state(seed, seeds.algorithm(alg))
        assert state.dtype == np.int64
        assert state.tolist() == expected


@pytest.mark.parametrize("name", ["philox", " Philox ", "PHIL-OX", 1, Algorithm.PHILOX])
def test_an_algorithm_has_many_names(name):
    assert seeds.algorithm(name) is Algorithm.PHILOX


@pytest.mark.parametrize("name", ["mersenne", 0, 4, None])
def test_an_unknown_algorithm_is_an_error(name):
    with pytest.raises(ValueError, match=r'must be one of "philox" \(1\), "threefry" \(2\)'):
        seeds.algorithm(name)


def test_random_states_differ():
    states = [seeds.nondeterministic_state(Algorithm.THREEFRY) for _ in range(2)]
    assert states[0].shape == (2,) and not np.array_equal(*states)
