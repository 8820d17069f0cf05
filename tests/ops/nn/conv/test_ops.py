"""What the tables cannot say of convolutions."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runnel as tf
from runnel.backend import onednn
from runnel.backend.jax import jax, jnp
from runnel.core.op import eager
from runnel.core.op.raw import raw_ops
from runnel.kernels.windows import correlation
from runnel.kernels.windows.windows import make_window

RNG = np.random.default_rng(0)


def normal(*shape: int) -> np.ndarray:
    return RNG.normal(size=shape).astype(np.float32)


def compiled(op_name: str, *inputs: np.ndarray, **attrs: object) -> np.ndarray:
    op = getattr(raw_ops, op_name)
    return eager.run_compiled(op, list(inputs), {**op.defaults, **attrs})


def test_groups_are_convolutions_of_their_own() -> None:
    x, f = normal(2, 6, 6, 4), normal(3, 3, 2, 6)
    grouped = tf.nn.conv2d(x, f, 1, "SAME")
    halves = [
        tf.nn.conv2d(x[..., 2 * g : 2 * g + 2], f[..., 3 * g : 3 * g + 3], 1, "SAME")
        for g in (0, 1)
    ]
    np.testing.assert_allclose(grouped, np.concatenate(halves, axis=-1), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("groups", "most"), [(2, 1 << 24), (12, 1 << 24), (12, 1)])
def test_groups_are_compiled_one_by_one_or_laid_out(
    groups: int, most: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(correlation, "_MOST_LAID_OUT", most)
    x, f = normal(2, 5, 5, 12), normal(3, 3, 12 // groups, 24)
    dy, how = normal(2, 3, 3, 24), {"strides": (1, 2, 2, 1), "padding": "SAME"}
    sizes = np.array(x.shape, np.int32), np.array(f.shape, np.int32)
    for op_name, inputs in (
        ("Conv2D", (x, f)),
        ("Conv2DBackpropInput", (sizes[0], f, dy)),
        ("Conv2DBackpropFilter", (x, sizes[1], dy)),
    ):
        want = getattr(tf.raw_ops, op_name)(
            **dict(zip([arg.name for arg in getattr(raw_ops, op_name).inputs], inputs)), **how
        )
        found = compiled(op_name, *inputs, **how)
        np.testing.assert_allclose(found, want, rtol=1e-4, atol=1e-4)


@settings(deadline=None, max_examples=25)
@given(
    size=st.integers(1, 9),
    kernel=st.integers(1, 4),
    stride=st.integers(1, 3),
    dilation=st.integers(1, 2),
    padding=st.sampled_from(["SAME", "VALID"]),
)
def test_the_gradient_ops_are_the_transposes(
    size: int, kernel: int, stride: int, dilation: int, padding: str
) -> None:
    if padding == "VALID" and size < (kernel - 1) * dilation + 1:
        return
    how = {
        "strides": [1, stride, stride, 1],
        "dilations": [1, dilation, dilation, 1],
        "padding": padding,
    }
    x = RNG.normal(size=(1, size, size, 2))
    f = RNG.normal(size=(kernel, kernel, 2, 3))
    y = tf.raw_ops.Conv2D(input=x, filter=f, **how).numpy()
    dy = RNG.normal(size=y.shape)
    dx = tf.raw_ops.Conv2DBackpropInput(input_sizes=x.shape, filter=f, out_backprop=dy, **how)
    df = tf.raw_ops.Conv2DBackpropFilter(input=x, filter_sizes=f.shape, out_backprop=dy, **how)
    assert np.sum(y * dy) == pytest.approx(np.sum(x * dx), abs=1e-9)
    assert np.sum(y * dy) == pytest.approx(np.sum(f * df), abs=1e-9)


@pytest.mark.parametrize("stride", [(2, 2), (2, 1), (1, 3), (4, 4)])
@pytest.mark.parametrize("padding", ["SAME", "VALID"])
def test_a_strided_gradient_by_phases_is_that_of_numpy(
    stride: tuple[int, int], padding: str
) -> None:
    x, f = normal(2, 7, 8, 8), normal(3, 2, 8, 4)
    attrs = {"strides": (1, *stride, 1), "padding": padding}
    dy = tf.raw_ops.Conv2D(input=x, filter=f, **attrs).numpy()
    sizes = np.array(x.shape, np.int32)
    plain = tf.raw_ops.Conv2DBackpropInput(input_sizes=sizes, filter=f, out_backprop=dy, **attrs)
    traced = compiled("Conv2DBackpropInput", sizes, f, dy, **attrs)
    np.testing.assert_allclose(traced, plain, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    "sizes, kernel, stride, dilation, padding",
    [
        ((7, 9), (3, 2), 1, 1, "SAME"),
        (
            (2, 2),
            (3, 3),
            1,
            1,
            "SAME",
        ),  # XLA is told of the zeros around it, see `plain_convolution`
        ((2, 9), (5, 2), 1, 1, ((4, 1), (0, 5))),
        ((17, 9), (3, 2), 1, 2, "VALID"),
        ((9, 8), (3, 3), 1, 1, ((4, 1), (0, 5))),
        ((7, 6, 5), (3, 2, 3), 1, 1, "SAME"),
        ((7, 6, 7), (3, 2, 2), 1, 2, "VALID"),
        ((7, 6, 5), (3, 2, 3), 2, 1, "SAME"),
    ],
)
@pytest.mark.parametrize("channels, outputs", [(6, 3), (4, 4), (3, 8)])
def test_fewer_and_more_outputs_than_channels_give_the_same_when_compiled(
    sizes: tuple,
    kernel: tuple,
    stride: int,
    dilation: int,
    padding: object,
    channels: int,
    outputs: int,
) -> None:
    rank = len(sizes)
    how = ("EXPLICIT", (dilation,) * rank, padding)
    if isinstance(padding, str):
        how = (padding, (dilation,) * rank, None)
    w = make_window("Test", sizes, kernel, (stride,) * rank, *how)
    x, f = RNG.normal(size=(2, *sizes, channels)), RNG.normal(size=(*kernel, channels, outputs))
    dy = RNG.normal(size=(2, *w.out, outputs))
    for fn, a, b, *rest in (
        (correlation.correlate, x, f),
        (correlation.correlate_input, f, dy, channels),
        (correlation.correlate_filter, x, dy, f.shape),
    ):
        found = jax.jit(lambda a, b, fn=fn, rest=rest: fn(jnp, a, b, w, *rest))(a, b)
        np.testing.assert_allclose(found, fn(np, a, b, w, *rest), atol=1e-10)


def test_large_windows_are_not_laid_out_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    x, f = normal(2, 6, 7, 3), normal(3, 2, 3, 4)
    w = make_window("Conv2D", (6, 7), (3, 2), (1, 2), "SAME")
    y = correlation.correlate(np, x, f, w)
    dx = correlation.correlate_input(np, f, y, w, 3)
    df = correlation.correlate_filter(np, x, y, w, f.shape)
    monkeypatch.setattr(correlation, "_MOST_LAID_OUT", 0)
    np.testing.assert_allclose(correlation.correlate(np, x, f, w), y, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(
        correlation.correlate_input(np, f, y, w, 3), dx, rtol=1e-4, atol=1e-4
    )
    np.testing.assert_allclose(
        correlation.correlate_filter(np, x, y, w, f.shape), df, rtol=1e-4, atol=1e-4
    )


def test_channels_first_is_the_same_convolution_transposed() -> None:
    x, f = normal(2, 5, 6, 3), normal(3, 2, 3, 4)
    last = tf.nn.conv2d(x, f, 2, "SAME").numpy()
    first = tf.nn.conv2d(x.transpose(0, 3, 1, 2), f, 2, "SAME", data_format="NCHW").numpy()
    np.testing.assert_allclose(first.transpose(0, 2, 3, 1), last, rtol=1e-4, atol=1e-5)


def test_an_unknown_batch_stays_unknown_while_tracing() -> None:
    shapes = []

    @tf.function(input_signature=[tf.TensorSpec([None, 8, 8, 3], tf.float32)])
    def convolve(x: tf.Tensor) -> tf.Tensor:
        y = tf.nn.conv2d(x, tf.ones([3, 3, 3, 4]), 2, "SAME")
        shapes.append(y.shape.as_list())
        return y

    assert convolve(tf.ones([2, 8, 8, 3])).shape == [2, 4, 4, 4]
    assert shapes[0] == [None, 4, 4, 4]


def test_a_filter_that_does_not_fit_names_the_channels() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"`filter` must .*3 of `input`"):
        tf.nn.conv2d(normal(1, 4, 4, 3), normal(2, 2, 2, 1), 1, "SAME")


LARGE = [  # images, filter, strides, padding, dilations
    ((8, 34, 30, 24), (3, 3, 24, 32), 1, "SAME", 1),
    ((8, 34, 30, 32), (3, 5, 32, 24), 1, "VALID", 1),
    ((8, 34, 30, 24), (3, 2, 24, 40), 1, "SAME", 2),
    ((8, 34, 30, 24), (3, 3, 24, 32), 1, [[0, 0], [2, 0], [1, 3], [0, 0]], 1),
    ((8, 34, 30, 24), (3, 3, 12, 32), 1, "SAME", 1),
    ((8, 34, 30, 24), (3, 3, 24, 32), 2, "SAME", 1),
    ((2, 2000, 1, 64), (5, 1, 64, 64), 1, "SAME", 1),
    ((2, 12, 20, 22, 16), (3, 3, 3, 16, 24), 1, "SAME", 1),
    ((2, 12, 20, 22, 16), (2, 3, 1, 16, 24), 1, "VALID", 1),
    ((2, 12, 20, 22, 16), (3, 3, 3, 16, 24), 2, "SAME", 1),
    ((4, 119, 120, 8), (3, 3, 8, 16), 2, "SAME", 1),
    ((4, 120, 121, 8), (4, 2, 8, 16), [3, 1], "VALID", 1),
    ((2, 24, 40, 40, 8), (3, 3, 3, 8, 16), 2, "SAME", 1),
    ((20, 18, 16, 24), (3, 3, 24, 32), 1, "SAME", 2),
    ((20, 18, 17, 24), (4, 4, 24, 32), 2, "SAME", 1),
    ((4, 8, 16, 14, 24), (2, 4, 2, 24, 16), 2, "VALID", 1),
]
DEEP = [  # images, filter, strides, padding, dilations
    ((8, 50, 50, 64), (3, 3, 64, 1), 1, "SAME", 1),
    ((8, 50, 50, 64), (5, 2, 64, 1), 1, "VALID", 2),
    ((8, 50, 50, 64), (3, 3, 64, 1), 2, "SAME", 1),
    ((8, 50, 50, 24), (3, 3, 24, 2), 1, "SAME", 1),
]


def _convolved(x: Any, f: Any, strides: int, padding: Any, dilations: int) -> Any:
    if len(x.shape) == 5:
        return tf.nn.conv3d(x, f, [1, *[strides] * 3, 1], padding)
    return tf.nn.conv2d(x, f, strides, padding, dilations=dilations)


def _deep(x: Any, f: Any, strides: int, padding: Any, dilations: int) -> Any:
    steps = [1, strides, strides, 1]
    return tf.nn.depthwise_conv2d(x, f, steps, padding, dilations=[dilations] * 2)


@pytest.mark.parametrize(
    ("convolve", "images", "filter", "how"),
    [(_convolved, *case[:2], case[2:]) for case in LARGE]
    + [(_deep, *case[:2], case[2:]) for case in DEEP],
)
def test_large_ones_are_the_same_compiled_and_with_numpy(
    convolve: Any, images: Any, filter: Any, how: Any, monkeypatch: Any
) -> None:
    chance = np.random.default_rng(3)
    x = tf.constant(chance.standard_normal(images).astype(np.float32))
    f = tf.constant(chance.standard_normal(filter).astype(np.float32))

    def step(x: Any, f: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, f])
            y = convolve(x, f, *how)
            loss = tf.reduce_sum(tf.sin(y))
        return y, *tape.gradient(loss, [x, f])

    def compiled() -> Any:
        return tf.function(step, jit_compile=True)(x, f)

    with_onednn = compiled()
    monkeypatch.setattr(onednn, "available", lambda: False)
    monkeypatch.setattr(eager, "_run_large", lambda op, v, attrs, **_: op.run(np, v, attrs))
    for want, *found in zip(step(x, f), with_onednn, compiled()):
        for each in found:
            np.testing.assert_allclose(each, want, rtol=1e-3, atol=2e-3)


@pytest.mark.parametrize("long_vectors", [False, True])
@pytest.mark.parametrize(("rank", "kernel"), [(1, 5), (2, 3), (2, 4), (3, 3)])
def test_strided_input_gradients_are_the_same_on_every_processor(
    monkeypatch: Any, long_vectors: bool, rank: int, kernel: int
) -> None:
    monkeypatch.setattr(correlation, "long_vectors", lambda: long_vectors)
    chance = np.random.default_rng(0)
    f = chance.standard_normal((kernel,) * rank + (24, 8)).astype(np.float32)
    dy = chance.standard_normal((2, *(5,) * rank, 8)).astype(np.float32)
    layers = {1: tf.nn.conv1d_transpose, 2: tf.nn.conv2d_transpose, 3: tf.nn.conv3d_transpose}

    def transpose(dy: Any, f: Any) -> Any:
        return layers[rank](dy, f, (2, *(9,) * rank, 24), 2, padding="SAME")

    compiled = tf.function(transpose, jit_compile=True)(dy, f)
    np.testing.assert_allclose(compiled, transpose(dy, f), rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64"])
@pytest.mark.parametrize(
    "shape, kernel, strides, dilations, padding",
    [
        ((3, 8, 9, 1), (3, 3, 1, 5), 1, 1, "SAME"),
        ((3, 8, 9, 2), (3, 3, 2, 5), 2, 1, "VALID"),
        ((2, 8, 9, 1), (2, 4, 1, 3), 1, 2, "SAME"),
        ((2, 8, 9, 1), (1, 1, 1, 3), 1, 1, "SAME"),
        ((0, 8, 9, 1), (3, 3, 1, 3), 1, 1, "SAME"),
    ],
)
def test_few_terms_are_added_up(
    dtype: str, shape: Any, kernel: Any, strides: int, dilations: int, padding: str
) -> None:
    x, f = normal(*shape).astype(dtype), normal(*kernel).astype(dtype)
    window = make_window(
        "Conv2D", shape[1:3], kernel[:2], (strides,) * 2, padding, (dilations,) * 2
    )
    assert correlation._has_few_terms(x, f, window)
    how = {"strides": (1, strides, strides, 1), "dilations": (1, dilations, dilations, 1)}
    found = compiled("Conv2D", x, f, padding=padding, **how)
    want = tf.raw_ops.Conv2D(input=x, filter=f, padding=padding, **how).numpy()
    assert found.dtype == want.dtype
    tolerance = 1e-2 if dtype == "float16" else 1e-4
    np.testing.assert_allclose(found, want, rtol=tolerance, atol=tolerance)


@pytest.mark.parametrize(
    "shape, kernel, dtype",
    [
        ((1, 8, 8, 1), (5, 5, 1, 2), "float32"),  # many terms
        ((1, 8, 8, 4), (2, 2, 4, 2), "float32"),  # many channels
        ((1, 8, 8, 1), (3, 3, 1, 2), "int32"),
    ],
)
def test_other_convolutions_are_not_added_up(shape: Any, kernel: Any, dtype: str) -> None:
    window = make_window("Conv2D", shape[1:3], kernel[:2], (1, 1), "SAME")
    x, f = (np.zeros(sizes, dtype) for sizes in (shape, kernel))
    assert not correlation._has_few_terms(x, f, window)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16"])
@pytest.mark.parametrize("runs", ["eager", "compiled"])
def test_depthwise_convolutions_of_half_floats_are_rounded_once(dtype: str, runs: str) -> None:
    random = np.random.default_rng(4)
    x, f = (tf.constant(random.normal(size=s), dtype) for s in ((2, 9, 8, 5), (7, 7, 5, 1)))

    def results(x: Any, f: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, f])
            y = tf.nn.depthwise_conv2d(x, f, [1, 1, 1, 1], "SAME")
        return y, *tape.gradient(y, [x, f])

    run = results if runs == "eager" else tf.function(results, jit_compile=True)
    wide = results(tf.cast(x, "float32"), tf.cast(f, "float32"))
    for got, want in zip(run(x, f), wide, strict=True):
        assert got.dtype == dtype
        eps = np.finfo(np.float16).eps if dtype == "float16" else 2.0**-7
        np.testing.assert_allclose(
            tf.cast(got, "float32"), want, rtol=eps, atol=1e-5 if dtype == "float16" else 1e-4
        )
