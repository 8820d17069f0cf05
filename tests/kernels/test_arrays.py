"""What NumPy and JAX say differently agrees."""

import numpy as np
import pytest

import runnel as tf
from runnel.backend.jax import compile, jax, jnp
from runnel.kernels import arrays
from runnel.kernels.arrays import once, reduce_axes, segments
from runnel.kernels.windows.windows import make_window, untaps


def test_a_constant_is_updated_in_a_compiled_function():
    @tf.function(jit_compile=True)
    def updated(value, index):
        return tf.tensor_scatter_nd_update(tf.zeros([3]), [[index]], [value])

    np.testing.assert_array_equal(updated(tf.constant(5.0), tf.constant(1)), [0, 5, 0])


@pytest.mark.parametrize(
    "sizes, kernel, strides, padding, dilations",
    [
        ((7, 6), (3, 3), (2, 2), "SAME", (1, 1)),
        ((7, 6), (2, 3), (3, 1), "VALID", (1, 2)),
        ((9, 5), (3, 2), (2, 3), "SAME", (2, 1)),
        ((6, 6), (1, 1), (2, 2), "VALID", (1, 1)),
        ((5, 4, 6), (3, 2, 2), (2, 2, 1), "SAME", (1, 1, 1)),
    ],
)
def test_windows_are_put_back_as_numpy_does(sizes, kernel, strides, padding, dilations):
    w = make_window("Test", sizes, kernel, strides, padding, dilations)
    random = np.random.default_rng(1)
    parts = [random.normal(size=(2, *w.out, 3)) for _ in range(w.count)]
    compiled = jax.jit(lambda *parts: untaps(jnp, parts, w))(*parts)
    np.testing.assert_allclose(compiled, untaps(np, parts, w))


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_what_is_stored_keeps_every_bit(dtype):
    values = [0.0, -0.0, 1.5, -3.25, np.inf, -np.inf, np.nan, 1e-40, 5e-324]
    x = np.array(values).astype(tf.as_dtype(dtype).as_numpy_dtype)
    stored = np.asarray(jax.jit(lambda x: once(jnp, x))(x))
    assert stored.dtype == x.dtype
    np.testing.assert_array_equal(stored.view(np.uint8), x.view(np.uint8))


def test_what_is_stored_is_computed_by_a_kernel_of_its_own():
    def smoothed(x):
        for _ in range(6):
            x = once(jnp, x[:-2] + x[1:-1] + x[2:])
        return x

    assert jax.jit(smoothed).lower(np.ones(64)).compile().as_text().count(" fusion(") >= 6


@pytest.mark.parametrize("keepdims", [False, True])
@pytest.mark.parametrize(
    "shape, axes",
    [
        ((4, 56, 30, 11), (1, 2)),
        ((3, 7, 80, 64), (-3, -2)),
        ((3, 7, 80, 64), (0, 1, 2)),
        ((3, 40, 80, 64), (0, -1)),
        ((70, 1001), (0, 1)),
        ((70, 1001), (0,)),
    ],
)
def test_a_compiled_reduction_of_a_large_tensor_is_numpys(shape, axes, keepdims):
    x = np.random.default_rng(1).normal(size=shape)
    x[0, 0] = np.nan
    for how in ("sum", "max", "min"):
        found = compile(lambda x, how=how: reduce_axes(jnp, how, x, axes, keepdims))(x)
        want = reduce_axes(np, how, x, axes, keepdims)
        assert found.shape == want.shape
        np.testing.assert_allclose(found, want, atol=1e-9)


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int64", "uint8", "bool"])
def test_many_elements_are_selected_at_random_as_few_are(dtype):
    rng = np.random.default_rng(0)
    condition = rng.random((300, 400)) < 0.5
    x, y = (rng.integers(-100, 100, (300, 400)).astype(dtype) for _ in range(2))
    for a, b in [(x, y), (x, y[:1]), (x[0, 0], y), (x[0, 0], y[0, 0]), (x.T.copy().T, y)]:
        found = arrays.select(np, condition, a, b)
        assert found.dtype == a.dtype
        np.testing.assert_array_equal(found, np.where(condition, a, b))
    rows = arrays.select(np, condition.T, x.T, y.T)
    np.testing.assert_array_equal(rows, np.where(condition, x, y).T)


def test_a_selection_keeps_every_bit():
    condition = np.arange(1 << 17) % 2 == 0
    x = np.array([np.nan, -0.0, np.inf], np.float32)[np.arange(1 << 17) % 3]
    found = arrays.select(np, condition, x, np.float32(1e-45))
    np.testing.assert_array_equal(found.view(np.int32)[::2], x.view(np.int32)[::2])
    assert (found.view(np.int32)[1::2] == 1).all()


@pytest.mark.parametrize("length", [32, 100, 1000, 1001])
@pytest.mark.parametrize("how", ["max", "min"])
def test_the_largest_of_a_row_is_found_in_its_parts(length, how):
    x = np.random.default_rng(0).standard_normal((70_000 // length + 1, length)).astype(np.float32)
    x[3, 5] = np.nan
    for place in range(0, length, 7):
        x[place % len(x), place] *= 100
    found = compile(lambda x: reduce_axes(jnp, how, x, (-1,)))(x)
    np.testing.assert_array_equal(found, getattr(x, how)(-1))


@pytest.mark.parametrize("how", ["add", "multiply", "min", "max"])
@pytest.mark.parametrize(("dims", "count"), [((900, 16), 700), ((900, 16), 3), ((30, 30, 16), 40)])
def test_rows_are_combined_by_ids_in_any_order(how, dims, count) -> None:
    start = {"add": 0, "multiply": 1, "min": np.inf, "max": -np.inf}[how]
    random = np.random.default_rng(8)
    data, ids = random.uniform(0.9, 1.1, dims), random.integers(-1, count, dims[:-1])
    want = np.full((count, 16), start, float)
    ufunc = {"min": np.minimum, "max": np.maximum}.get(how) or getattr(np, how)
    ufunc.at(want, ids[ids >= 0], data[ids >= 0])
    np.testing.assert_allclose(segments(np, data, ids, count, how, start), want, rtol=1e-9)
    found = compile(lambda data, ids: segments(jnp, data, ids, count, how, start))(data, ids)
    np.testing.assert_allclose(found, want, rtol=1e-9)
