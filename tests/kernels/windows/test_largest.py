"""The largest elements of windows are the same in a compiled program as in NumPy."""

import numpy as np
import pytest

from runnel.backend.jax import jax, jnp
from runnel.kernels.windows import edges
from runnel.kernels.windows.largest import first_largest, from_largest, to_largest, window_max
from runnel.kernels.windows.windows import make_window

WINDOWS = [
    ((9, 8), (3, 3), (1, 1), "SAME"),
    ((9, 8), (3, 3), (2, 2), "SAME"),
    ((9, 8), (3, 2), (2, 3), "VALID"),
    ((9, 8), (5, 5), (2, 1), "SAME"),
    ((5, 7, 6), (3, 2, 3), (2, 2, 1), "SAME"),
]


@pytest.fixture(params=[False, True], ids=["whole", "parted"])
def parted(request, monkeypatch):
    """Windows at an edge and within, all together and apart, as they are of large tensors."""
    if request.param:
        monkeypatch.setattr(edges, "_ELEMENTS_BEYOND_CACHE", 0)


@pytest.mark.usefixtures("parted")
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
@pytest.mark.parametrize("sizes, kernel, strides, padding", WINDOWS)
def test_ties_and_edges_are_as_in_numpy(sizes, kernel, strides, padding, dtype):
    w = make_window("Test", sizes, kernel, strides, padding)
    random = np.random.default_rng(1)
    x = random.integers(-4, 0, (2, *sizes, 3)).astype(dtype)  # with ties, and less than padding
    dy = random.integers(-9, 9, (2, *w.out, 3)).astype(dtype)
    cases = (
        (window_max, (x,)),
        (first_largest, (x,)),
        (to_largest, (x, dy)),
        (from_largest, (x, x)),
    )
    for fn, args in cases:
        compiled = jax.jit(lambda *args, fn=fn: fn(jnp, *args, w))(*args)
        np.testing.assert_array_equal(compiled, fn(np, *args, w), err_msg=fn.__name__)
