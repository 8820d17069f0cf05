"""Large convolutions in three dimensions by oneDNN against the same without it."""

from __future__ import annotations

import functools
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.backend import onednn
from runnel.backend.jax import jax, jnp, lax
from tests import children

CHANCE = np.random.default_rng(0)
needs_it = pytest.mark.skipif(not onednn.available(), reason="this jaxlib was not tried")


@pytest.fixture(autouse=True)
def _same_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every test has its own numbers, whichever ran before: rounding decides some comparisons."""
    monkeypatch.setattr(sys.modules[__name__], "CHANCE", np.random.default_rng(0))


def normal(*shape: int) -> Any:
    return CHANCE.standard_normal(shape).astype(np.float32)


def made(fn: Any, *args: Any) -> bool:
    """Whether the program of `fn` calls oneDNN."""
    return "__onednn$" in jax.jit(fn).lower(*args).as_text()


ONES = (1, 1, 1)
BESIDE = [(1, 1), (1, 1), (1, 1)]


def test_what_is_small_or_of_another_kind_is_left_to_xla() -> None:
    volumes, kernel = normal(8, 4, 16, 16, 16), normal(3, 3, 3, 16, 16)
    assert onednn.convolves(volumes, kernel, BESIDE, ONES, ONES) == onednn.available()
    assert not onednn.convolves(volumes, kernel, [(1, 1), (1, 1), (-1, 1)], ONES, ONES)
    assert not onednn.convolves(volumes[:1, :, :4, :4], kernel, BESIDE, ONES, ONES)
    assert not onednn.convolves(volumes[:0], kernel, BESIDE, ONES, ONES)
    assert not onednn.convolves(volumes.astype(np.float64), kernel, BESIDE, ONES, ONES)
    images = volumes.reshape(8, 32, 32, 16)
    assert not onednn.convolves(images, kernel[0], BESIDE[1:], ONES[1:], ONES[1:])


def test_what_oneDNN_would_share_out_twice_is_left_to_xla() -> None:
    volumes, kernel = normal(8, 8, 8, 64, 32), normal(1, 3, 3, 1, 32)
    assert not onednn.convolves(volumes, kernel, [(0, 0), *BESIDE[1:]], ONES, ONES)


@needs_it
@pytest.mark.slow  # it compiles thirty programs; what it says changes with jaxlib alone
def test_no_kernel_shares_out_work_inside_of_shared_work() -> None:
    """As oneDNN itself says of each call: such work is done by its "gemm:jit"."""
    lines = children.run(EVERY_KIND, env={"ONEDNN_VERBOSE": "2"}, check=True)
    done = [line.split(",") for line in lines.stdout.splitlines() if ",exec,cpu," in line]
    convolutions = [fields for fields in done if fields[5] == "convolution"]
    assert len(convolutions) > 10
    assert not [fields for fields in convolutions if "gemm" in fields[6]]


EVERY_KIND = """
import numpy as np
import runnel as tf

def slopes(call, *shapes):
    @tf.function(jit_compile=True)
    def step(*args):
        with tf.GradientTape() as tape:
            tape.watch(args)
            loss = tf.reduce_sum(tf.square(call(*args)))
        return tape.gradient(loss, args)

    chance = np.random.default_rng(0)
    inputs = [tf.constant(chance.standard_normal(s, dtype=np.float32)) for s in shapes]
    for slope in step(*inputs):
        assert np.isfinite(slope.numpy()).all()

for channels, outputs in ((16, 16), (1, 8), (8, 1), (1, 1), (24, 40)):
    for size, strides, dilations in ((3, 1, 1), (3, 2, 1), (2, 2, 1), (2, 1, 2)):
        slopes(
            lambda x, f: tf.nn.conv3d(
                x, f, [1, *[strides] * 3, 1], "SAME", dilations=[1, *[dilations] * 3, 1]
            ),
            (64 // channels + 4, 9, 16, 16, channels),
            (size, size, size, channels, outputs),
        )
"""


@pytest.mark.parametrize(("limit", "able"), [("AVX2", False), ("all", True), ("SSE41", False)])
def test_a_limit_on_the_instructions_of_oneDNN_leaves_everything_to_xla(
    monkeypatch: Any, limit: str, able: bool
) -> None:
    before = onednn.available()
    onednn.available.cache_clear()
    monkeypatch.setenv("ONEDNN_MAX_CPU_ISA", limit)
    try:
        assert onednn.available() == (before and able)
    finally:
        onednn.available.cache_clear()


def test_a_processor_without_avx2_does_without(monkeypatch: Any) -> None:
    onednn.available.cache_clear()
    try:
        monkeypatch.setattr(onednn, "_has_avx2", lambda: False)
        assert not onednn.available()
    finally:
        onednn.available.cache_clear()


WINDOWS = [  # image, kernel, pads, strides, dilations
    ((2, 5, 6, 7, 3), (2, 3, 2, 3, 5), [(1, 0), (1, 1), (0, 1)], (1, 2, 1), (1, 1, 2)),
    ((2, 9, 9, 4, 8), (5, 3, 1, 8, 12), [(3, 1), (0, 5), (0, 0)], (2, 3, 1), (1, 1, 1)),
    ((1, 3, 3, 3, 2), (5, 5, 5, 2, 3), [(2, 2), (2, 2), (2, 2)], (1, 1, 1), (1, 1, 1)),
    ((2, 9, 9, 9, 1), (3, 3, 3, 1, 8), [(1, 1), (1, 1), (1, 1)], (1, 1, 1), (2, 2, 2)),
    ((2, 16, 20, 20, 16), (3, 3, 3, 16, 24), [(1, 1), (1, 1), (1, 1)], (1, 1, 1), (1, 1, 1)),
]


@needs_it
@pytest.mark.parametrize(("image", "kernel", "pads", "strides", "dilations"), WINDOWS)
def test_convolutions(image: Any, kernel: Any, pads: Any, strides: Any, dilations: Any) -> None:
    x, f = normal(*image), normal(*kernel)

    def convolve(x: Any, f: Any) -> Any:
        return onednn.convolution(x, f, pads, strides, dilations)

    spatial = "DHW"[2 - x.ndim :]
    want = lax.conv_general_dilated(
        x,
        f,
        strides,
        pads,
        rhs_dilation=dilations,
        dimension_numbers=(f"N{spatial}C", f"{spatial}IO", f"N{spatial}C"),
    )
    assert made(convolve, x, f)
    np.testing.assert_allclose(jax.jit(convolve)(x, f), want, rtol=1e-4, atol=1e-4)


GRADIENTS = [  # image, outputs, kernel, pads, strides, dilations
    ((2, 5, 6, 7, 8), 5, (2, 3, 2), [(1, 0), (1, 1), (0, 1)], (1, 2, 2), (2, 1, 1)),
    ((20, 5, 6, 7, 8), 5, (3, 3, 3), [(1, 1), (1, 1), (1, 1)], (1, 1, 1), (1, 1, 1)),
    ((4, 9, 8, 8, 9), 16, (3, 3, 1), [(2, 2), (0, 0), (0, 0)], (1, 1, 3), (2, 2, 1)),
]


@needs_it
@pytest.mark.parametrize(("image", "outputs", "kernel", "pads", "strides", "dilations"), GRADIENTS)
def test_filter_gradients(
    monkeypatch: Any,
    image: Any,
    outputs: int,
    kernel: Any,
    pads: Any,
    strides: Any,
    dilations: Any,
) -> None:
    window = {"pads": pads, "strides": strides, "dilations": dilations}
    x = normal(*image)
    slide = functools.partial(onednn.plain_convolution, x, **window)
    y, back = jax.vjp(slide, normal(*kernel, image[-1], outputs))
    dy = normal(*y.shape)
    many = jax.ShapeDtypeStruct((*dy.shape[:-1], 1 << 20), np.float32)
    monkeypatch.setattr(onednn, "long_vectors", lambda: True)
    assert onednn.differentiates(x, many, kernel, pads, strides, dilations)

    def gradient(x: Any, dy: Any) -> Any:
        return onednn.filter_gradient(x, dy, kernel, pads, strides, dilations)

    assert made(gradient, x, dy)
    for run in (gradient, jax.jit(gradient)):
        np.testing.assert_allclose(run(x, dy), back(dy)[0], rtol=1e-4, atol=1e-4)


def test_filter_gradients_that_are_left_to_others(monkeypatch: Any) -> None:
    x = dy = normal(8, 4, 16, 16, 16)
    window = ((3, 3, 3), BESIDE, ONES, ONES)
    assert onednn.differentiates(x, dy, *window) == onednn.available()
    assert not onednn.differentiates(x[:1], dy[:1], *window)
    assert not onednn.differentiates(x[..., :4], dy, *window)
    assert not onednn.differentiates(x[:, :, :2, :2], dy[:, :, :2, :2], *window)
    assert not onednn.differentiates(x.astype(np.float64), dy, *window)
    assert not onednn.differentiates(x, dy, (3, 3, 3), [(3, 1), (1, 1), (1, 1)], ONES, ONES)
    assert not onednn.differentiates(x, dy, (3, 3, 3), BESIDE, ONES, (1, 1, 2))
    assert not onednn.differentiates(x[:, 0], dy[:, 0], (3, 3), BESIDE[1:], ONES[1:], ONES[1:])
    for long in (False, True):
        monkeypatch.setattr(onednn, "long_vectors", lambda long=long: long)
        possible = onednn.differentiates(x, dy, (2, 2, 2), BESIDE, (2, 2, 2), ONES)
        assert possible == (long and onednn.available())


@needs_it
def test_a_filter_gradient_is_linear_and_has_batches() -> None:
    x, dy = normal(3, 2, 4, 6, 6, 8), normal(3, 2, 4, 6, 6, 4)

    def gradient(x: Any, dy: Any) -> Any:
        return onednn.filter_gradient(x, dy, (3, 3, 3), BESIDE, ONES, ONES)

    each = np.stack([gradient(*pair) for pair in zip(x, dy)])
    np.testing.assert_allclose(jax.jit(jax.vmap(gradient))(x, dy), each, rtol=1e-4, atol=1e-4)
    _, moved = jax.jvp(gradient, (x[0], dy[0]), (x[1], dy[2]))
    want = gradient(x[1], dy[0]) + gradient(x[0], dy[2])
    np.testing.assert_allclose(moved, want, rtol=1e-4, atol=1e-4)


@needs_it
def test_batches_derivatives_and_eager_values_fall_back_on_xla() -> None:
    x, f = normal(3, 2, 4, 5, 5, 2), normal(3, 3, 3, 2, 4)

    def convolve(x: Any, f: Any) -> Any:
        return onednn.convolution(x, f, BESIDE, ONES, ONES)

    def plain(x: Any, f: Any) -> Any:
        return onednn.plain_convolution(x, f, pads=BESIDE, strides=ONES, dilations=ONES)

    want = np.stack([plain(each, f) for each in x])
    np.testing.assert_allclose(convolve(x[0], f), want[0], rtol=1e-4, atol=1e-4)
    batch = jax.vmap(convolve, (0, None))(x, f)
    np.testing.assert_allclose(batch, want, rtol=1e-4, atol=1e-4)
    slope = jax.grad(lambda f: jnp.sum(convolve(x[0], f)))(f)
    want = jax.grad(lambda f: jnp.sum(plain(x[0], f)))(f)
    np.testing.assert_allclose(slope, want, rtol=1e-4, atol=1e-4)


def volumes_twice(x: Any, f: Any) -> Any:
    """Convolutions in a loop, and one in a branch."""
    for _ in tf.range(2):
        x = tf.tanh(tf.nn.conv3d(x, f, [1] * 5, "SAME"))
    last = tf.nn.conv3d(x, tf.reverse(f, [0]), [1] * 5, "SAME")
    return tf.cond(tf.reduce_sum(x) > 1e9, lambda: x, lambda: last)


@needs_it
def test_a_function_uses_it_in_loops_and_branches_and_in_its_gradient() -> None:
    f = tf.Variable(normal(3, 3, 3, 8, 8) / 15)

    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(volumes_twice(x, f) ** 2)
        return loss, tape.gradient(loss, f)

    x = tf.constant(normal(4, 4, 16, 16, 8))
    compiled = tf.function(gradient, jit_compile=True)
    for got, want in zip(compiled(x), gradient(x)):
        scale = np.abs(want.numpy()).max()
        np.testing.assert_allclose(got.numpy() / scale, want.numpy() / scale, atol=1e-5)


@needs_it
def test_two_threads_run_it_at_once() -> None:
    x, f = normal(4, 4, 16, 16, 8), normal(3, 3, 3, 8, 8)
    convolve = tf.function(lambda: tf.nn.conv3d(x, f, [1] * 5, "SAME"), jit_compile=True)
    found: list[Any] = []
    threads = [
        threading.Thread(target=lambda: found.extend(convolve().numpy() for _ in range(20)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 40
    for one in found:
        np.testing.assert_allclose(one, found[0], atol=1e-3)


PROGRAM = """
import sys
import numpy as np
import runnel as tf

size = int(sys.argv[1])
filters = tf.ones([3, 3, 3, 8, 8])
work = lambda x: tf.sin(tf.nn.conv3d(tf.sin(x), filters, [1] * 5, "SAME"))
fn = tf.function(work, jit_compile=True, autograph=False)
print(float(tf.reduce_sum(fn(tf.ones([2, 4, size, size, 8])))))
again = tf.function(lambda x: tf.cos(work(x)), jit_compile=True, autograph=False)
print(float(tf.reduce_sum(again(tf.ones([2, 4, size, size, 8])))))
print(float(tf.reduce_sum(fn(tf.ones([2, 4, 4, 4, 8])))))
"""


@needs_it
def test_its_programs_are_not_written_to_the_cache_and_others_still_are(tmp_path: Path) -> None:
    def files(size: int) -> int:
        folder = tmp_path / str(size)
        environment = {"RUNNEL_CACHE_DIR": str(folder)}
        children.run(PROGRAM, str(size), env=environment, strict=True, check=True)
        return sum(p.name.startswith("jit__program") for p in folder.rglob("*-cache"))

    assert files(32) == 1
    assert files(5) == 3


def test_without_it_convolutions_are_the_same(monkeypatch: Any) -> None:
    x, f = normal(4, 4, 16, 16, 8), normal(3, 3, 3, 8, 8) / 15

    def work() -> Any:
        return tf.function(lambda: volumes_twice(tf.constant(x), f), jit_compile=True)()

    with_it = work()
    monkeypatch.setattr(onednn, "available", lambda: False)
    np.testing.assert_allclose(work().numpy(), with_it.numpy(), rtol=1e-3, atol=1e-3)


def test_the_variable_switches_it_off(monkeypatch: Any) -> None:
    monkeypatch.setenv("RUNNEL_ONEDNN", "off")
    assert not onednn.available.__wrapped__()
