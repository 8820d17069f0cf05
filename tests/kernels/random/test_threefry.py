import numpy as np
import pytest

import runnel as tf
from runnel.backend.jax import jnp
from runnel.kernels.random import threefry
from tests.golden.random_answers import recorded

SEED = np.array([3, -4], np.int32)


def test_numbers_are_those_of_functions_that_tensorflow_compiles():
    for case, answer in recorded("threefry"):
        dtype, shape = np.dtype(case["dtype"]), tuple(case["shape"])
        make = threefry.uniform if dtype.kind == "f" else threefry.full_int
        for xp in (np, jnp) if shape in ((7,), (3, 4)) else (np,):
            got = make(xp, *threefry.from_seed(xp, xp.asarray(SEED)), shape, dtype)
            assert got.dtype == dtype and got.shape == shape
            assert np.array_equal(got, answer), case


def test_functions_and_generators_give_the_same_numbers_uncompiled():
    def draw(g):
        return [
            tf.random.stateless_normal([2, 3], SEED, alg="threefry").numpy(),
            tf.random.stateless_uniform([3], SEED, 1, 9, tf.int32, alg="threefry").numpy(),
            g.truncated_normal([3]).numpy(),
            g.uniform([2]).numpy(),
            g.state.numpy(),
        ]

    eager = draw(tf.random.Generator.from_seed(5, alg="threefry"))
    with_graph = tf.random.Generator.from_seed(5, alg="threefry")
    traced = tf.function(lambda: with_graph.truncated_normal([3]), jit_compile=True)
    np.testing.assert_allclose(traced(), eager[2], rtol=1e-6)
    assert eager[-1].tolist() == [5 + 5 * 256, 0]


def test_what_threefry_cannot_draw_is_refused():
    with pytest.raises(tf.errors.UnimplementedError, match='use "philox"'):
        tf.random.Generator.from_seed(5, alg="threefry").binomial([2], 5.0, 0.5)
    with pytest.raises(tf.errors.InvalidArgumentError, match="ThreeFry is not supported here"):
        tf.random.experimental.stateless_shuffle([1, 2, 3], SEED, alg="threefry")
