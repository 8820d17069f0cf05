import numpy as np
import pytest

from runnel.backend.jax import compile, jnp
from runnel.kernels.running import running

RANDOM = np.random.default_rng(7)
SHAPES = [((5, 300), 0), ((5, 300), 1), ((4, 3, 300), 1), ((1000,), 0), ((2, 700), 1), ((0, 3), 0)]


@pytest.mark.parametrize("how", ["add", "multiply", "logaddexp"])
@pytest.mark.parametrize(("dims", "axis"), SHAPES)
def test_both_namespaces_combine_all_elements_up_to_each_one(how, dims, axis) -> None:
    x = RANDOM.uniform(0.9, 1.1, dims)
    want = getattr(np, how).accumulate(x, axis)
    np.testing.assert_allclose(running(np, how, x, axis), want, rtol=1e-12)
    found = compile(lambda x: running(jnp, how, x, axis))(x)
    np.testing.assert_allclose(found, want, rtol=1e-12)


@pytest.mark.parametrize("dims", [(3, 300), (900,)])
def test_infinity_and_signs_of_zero_are_kept(dims) -> None:
    x = np.full(dims, -0.0, np.float32)
    x[-1] = np.inf
    want = np.add.accumulate(x, 0)
    for found in (running(np, "add", x, 0), compile(lambda x: running(jnp, "add", x, 0))(x)):
        assert np.array_equal(found, want)
        assert np.array_equal(np.signbit(found), np.signbit(want))


def test_integers_wrap_around_as_they_do_one_by_one() -> None:
    x = RANDOM.integers(0, 100, [600]).astype(np.int8)
    found = compile(lambda x: running(jnp, "add", x, 0))(x)
    assert found.dtype == np.int8
    assert np.array_equal(found, np.add.accumulate(x, 0, np.int8))
