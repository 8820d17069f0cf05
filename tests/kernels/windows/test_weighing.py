"""Weighted windows are the same in a compiled program as in NumPy."""

import numpy as np
import pytest

from runnel.backend.jax import jax, jnp
from runnel.kernels.windows import edges
from runnel.kernels.windows.weighing import tap_sums, unweigh, weigh
from runnel.kernels.windows.windows import make_window


@pytest.fixture(params=[False, True], ids=["whole", "parted"])
def parted(request, monkeypatch):
    """Windows at an edge and within, all together and apart, as they are of large tensors."""
    if request.param:
        monkeypatch.setattr(edges, "_ELEMENTS_BEYOND_CACHE", 0)


@pytest.mark.usefixtures("parted")
@pytest.mark.parametrize(
    "sizes, kernel, strides, padding, dilations",
    [
        ((7, 6), (3, 3), (1, 1), "SAME", (1, 1)),
        ((7, 6), (3, 3), (2, 2), "SAME", (1, 1)),
        ((8, 6), (3, 3), (2, 2), "SAME", (1, 1)),
        ((8, 9), (4, 5), (2, 3), "SAME", (1, 1)),
        ((8, 6), (3, 3), (4, 3), "VALID", (2, 1)),
        ((7, 6), (2, 3), (3, 1), "VALID", (1, 2)),
        ((9, 5), (3, 2), (2, 3), "SAME", (2, 1)),
        ((6, 6), (1, 1), (2, 2), "VALID", (1, 1)),
        ((5, 4), (2, 2), (3, 3), "SAME", (1, 1)),
        ((5, 4, 6), (3, 2, 2), (2, 2, 1), "SAME", (1, 1, 1)),
        ((11, 8), (5, 4), (1, 1), "SAME", (2, 1)),
        ((12, 9), (5, 7), (2, 3), "SAME", (1, 1)),
        ((3, 20), (5, 5), (1, 1), "SAME", (1, 1)),
        ((8, 1), (1, 1), (1, 1), "SAME", (1, 1)),
    ],
)
def test_windows_are_weighed_as_numpy_does(sizes, kernel, strides, padding, dilations):
    w = make_window("Test", sizes, kernel, strides, padding, dilations)
    random = np.random.default_rng(1)
    x, weights = random.normal(size=(2, *sizes, 3)), random.normal(size=(w.count, 3))
    dy = random.normal(size=(2, *w.out, 3))
    for fn, args in ((weigh, (x, weights)), (unweigh, (dy, weights)), (tap_sums, (x, dy))):
        compiled = jax.jit(lambda *args, fn=fn: fn(jnp, *args, w))(*args)
        np.testing.assert_allclose(compiled, fn(np, *args, w), atol=1e-12)


@pytest.mark.usefixtures("parted")
def test_windows_may_lie_in_the_padding_alone():
    w = make_window("Test", (4, 5), (2, 2), (1, 1), "EXPLICIT", None, ((3, 2), (0, 4)))
    random = np.random.default_rng(3)
    x, weights = random.normal(size=(2, 4, 5, 3)), random.normal(size=(w.count, 3))
    dy = random.normal(size=(2, *w.out, 3))
    for fn, args in ((weigh, (x, weights)), (unweigh, (dy, weights)), (tap_sums, (x, dy))):
        compiled = jax.jit(lambda *args, fn=fn: fn(jnp, *args, w))(*args)
        np.testing.assert_allclose(compiled, fn(np, *args, w), atol=1e-12)


@pytest.mark.parametrize(
    "shape",
    [
        (3, 40, 32, 64),
        (24, 8, 8, 32),
        (5, 1, 300, 16),
        (0, 4, 4, 2),
        (1, 96, 96, 64),
        (1, 53, 101, 60),
    ],
)
def test_sums_are_taken_over_all_blocks_of_rows_and_images(shape):
    w = make_window("Test", shape[1:3], (1, 3), (1, 1), "SAME", (1, 1))
    random = np.random.default_rng(2)
    x, dy = random.normal(size=shape), random.normal(size=shape)
    compiled = jax.jit(lambda x, dy: tap_sums(jnp, x, dy, w))(x, dy)
    np.testing.assert_allclose(compiled, tap_sums(np, x, dy, w), atol=1e-9)
