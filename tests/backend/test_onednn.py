"""Large products and convolutions by oneDNN against the same without it."""

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
from runnel.backend.cpu_features import long_vectors
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


SIDES = [
    ((300, 256), (256, 300), False, False),
    ((9000, 300), (9000, 300), True, False),
    ((300, 256), (300, 256), False, True),
    ((256, 300), (300, 256), True, True),
    ((17000, 32), (17000, 32), True, False),
    ((50000, 9), (50000, 32), True, False),
]


BATCHES = [
    ((64, 128, 32), (64, 128, 32), False, True),
    ((2, 8, 128, 128), (2, 8, 128, 90), True, False),
    ((3, 2, 2, 130, 150), (3, 2, 2, 150, 140), False, False),
    ((20, 128, 128), (20, 100, 128), True, True),
]


@needs_it
@pytest.mark.parametrize(("a", "b", "turn_a", "turn_b"), SIDES + BATCHES * long_vectors())
def test_products(a: Any, b: Any, turn_a: bool, turn_b: bool) -> None:
    x, y = normal(*a), normal(*b)
    assert onednn.multiplies(x, y, turn_a, turn_b)

    def multiply(x: Any, y: Any) -> Any:
        return onednn.product(x, y, turn_a, turn_b)

    assert made(multiply, x, y)
    want = (x.mT if turn_a else x) @ (y.mT if turn_b else y)
    np.testing.assert_allclose(jax.jit(multiply)(x, y), want, rtol=1e-4, atol=5e-3)


def test_what_is_small_narrow_or_of_another_type_is_left_to_xla() -> None:
    assert not onednn.multiplies(normal(64, 64), normal(64, 64), False, False)
    assert not onednn.multiplies(normal(4, 4096), normal(4096, 4096), False, False)
    wide = normal(512, 512)
    assert not onednn.multiplies(wide.astype(np.float64), wide.astype(np.float64), False, False)
    image, kernel, ones = normal(8, 32, 32, 16), normal(3, 3, 16, 16), (1, 1)
    assert not onednn.convolves(image, kernel, [(1, 1), (-1, 1)], ones, ones)
    assert not onednn.convolves(image[:1, :4, :4], kernel, [(1, 1), (1, 1)], ones, ones)
    assert not onednn.convolves(image[:0], kernel, [(1, 1), (1, 1)], ones, ones)


def test_long_columns_are_summed_by_oneDNN_where_xla_is_worse(monkeypatch: Any) -> None:
    monkeypatch.setattr(onednn, "available", lambda: True)
    for long, square in ((False, False), (True, True)):
        monkeypatch.setattr(onednn, "long_vectors", lambda long=long: long)
        assert onednn.multiplies(normal(9000, 64), normal(9000, 64), True, False)
        assert onednn.multiplies(normal(1024, 256), normal(1024, 256), True, False) == square


def test_what_oneDNN_would_share_out_twice_is_left_to_xla() -> None:
    many = normal(2, 512, 512)
    assert onednn.multiplies(many, many, False, False) == (onednn.available() and long_vectors())
    assert not onednn.multiplies(many, normal(512, 512), False, False)
    image, kernel, ones = normal(8, 64, 64, 32), normal(3, 3, 1, 32), (1, 1)
    beside, far = [(1, 1), (2, 2)], [(1, 1), (0, 3)]
    assert onednn.convolves(image, kernel, beside, ones, ones) == onednn.available()
    assert not onednn.convolves(image, kernel, far, ones, ones)
    assert not onednn.convolves(image, kernel, beside, ones, (1, 2))
    rows = image.reshape(8, -1, 32)
    assert not onednn.convolves(rows, kernel[0], [(1, 1)], (1,), (1,))
    volumes = image.reshape(8, 8, 8, 64, 32)
    assert not onednn.convolves(volumes, kernel[None], [(0, 0), *beside], (1, 1, 1), (1, 1, 1))


@needs_it
@pytest.mark.slow  # it compiles thirty programs; what it says changes with jaxlib alone
def test_no_kernel_shares_out_work_inside_of_shared_work() -> None:
    """As oneDNN itself says of each call: such work is done by its "gemm:jit"."""
    lines = children.run(EVERY_KIND, env={"ONEDNN_VERBOSE": "2"}, check=True)
    done = [line.split(",") for line in lines.stdout.splitlines() if ",exec,cpu," in line]
    kinds = {fields[5]: fields[6] for fields in done if fields[5] in ("matmul", "convolution")}
    assert set(kinds) == {"matmul", "convolution"}
    assert not [f for f in done if f[5] == "convolution" and "gemm" in f[6]]
    batches = [f for f in done if f[5] == "matmul" and f[-2].count("x") != 2]
    assert bool(batches) == long_vectors()
    assert not [f for f in batches if not f[6].startswith("brg_matmul")]


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

nn = tf.nn
slopes(tf.matmul, (512, 512), (512, 512))
slopes(tf.matmul, (2, 512, 512), (2, 512, 512))
slopes(tf.matmul, (1, 3, 5, 1, 129, 97), (1, 3, 5, 1, 97, 131))
for turned in ((True, False), (False, True), (True, True)):
    slopes(lambda a, b: tf.matmul(a, b, *turned), (7, 161, 161), (7, 161, 161))
    slopes(lambda a, b: tf.matmul(a, b, *turned), (2000, 23, 23), (2000, 23, 23))
slopes(lambda a, b: tf.einsum("bhij,bhjk->bihk", a, b), (2, 3, 256, 256), (2, 3, 256, 256))
for padding in ("SAME", [[0, 0], [5, 1], [0, 4], [0, 0]]):
    for kernel, strides, dilations in (
        *(((3, 3, 32, 32), 1, 1), ((3, 3, 16, 48), 2, 1), ((5, 3, 8, 64), 1, 2)),
        *(((3, 3, 1, 32), 1, 1), ((2, 7, 1, 32), 2, 1), ((3, 3, 1, 32), 1, 3)),
        ((3, 3, 1, 64), 1, 1),
    ):
        convolve = lambda x, f: nn.conv2d(x, f, strides, padding, dilations=dilations)
        slopes(convolve, (4, 32, 33, 32), kernel)
    slopes(lambda x, f: nn.depthwise_conv2d(x, f, [1] * 4, padding), (4, 32, 33, 32), (7, 7, 32, 1))
slopes(lambda x, f: nn.conv1d(x, f, 1, "SAME"), (8, 300, 32), (5, 1, 32))
slopes(lambda x, f: nn.conv1d(x, f, 2, "SAME"), (8, 300, 32), (5, 32, 32))
slopes(lambda x, f: nn.conv3d(x, f, [1] * 5, "SAME"), (4, 9, 16, 16, 16), (3, 3, 3, 16, 16))
"""


def test_batches_need_long_vectors_and_the_same_axes(monkeypatch: Any) -> None:
    monkeypatch.setattr(onednn, "available", lambda: True)
    many, few = normal(64, 64, 64), normal(1, 64, 64)
    for long in (False, True):
        monkeypatch.setattr(onednn, "long_vectors", lambda long=long: long)
        assert onednn.multiplies(many, many, False, False) == long
        assert not onednn.multiplies(many, few, False, False)
        assert not onednn.multiplies(many[:, :8], many, False, False)


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
    ((2, 90, 8), (5, 8, 4), [(2, 2)], (2,), (1,)),
    ((2, 9, 9, 8), (3, 3, 8, 12), [(1, 1), (1, 1)], (1, 1), (2, 2)),
    ((2, 9, 9, 8), (3, 3, 4, 12), [(1, 1), (0, 2)], (1, 1), (1, 1)),
    ((2, 9, 9, 8), (3, 3, 1, 8), [(1, 1), (1, 1)], (2, 1), (1, 1)),
    ((2, 9, 9, 8), (3, 3, 1, 16), [(1, 1), (1, 1)], (1, 1), (1, 1)),
    ((2, 9, 9, 8), (5, 3, 8, 12), [(3, 1), (0, 5)], (2, 3), (1, 1)),
    ((1, 3, 3, 2), (5, 5, 2, 3), [(2, 2), (2, 2)], (1, 1), (1, 1)),
    ((2, 5, 6, 7, 3), (2, 3, 2, 3, 5), [(1, 0), (1, 1), (0, 1)], (1, 2, 1), (1, 1, 2)),
    ((8, 40, 40, 16), (3, 3, 16, 24), [(1, 1), (1, 1)], (1, 1), (1, 1)),
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
        feature_group_count=image[-1] // kernel[-2],
    )
    assert made(convolve, x, f)
    np.testing.assert_allclose(jax.jit(convolve)(x, f), want, rtol=1e-4, atol=1e-4)


GRADIENTS = [  # image, outputs, kernel, pads, strides, dilations
    ((4, 50, 8), 4, (5,), [(2, 2)], (2,), (1,)),
    ((40, 50, 8), 4, (3,), [(4, 0)], (1,), (2,)),
    ((4, 9, 8, 8), 12, (3, 3), [(1, 1), (1, 1)], (1, 1), (1, 1)),
    ((20, 9, 8, 8), 12, (3, 3), [(1, 1), (1, 1)], (1, 1), (1, 1)),
    ((4, 9, 8, 8), 12, (3, 2), [(0, 0), (0, 0)], (2, 3), (1, 1)),
    ((20, 9, 8, 8), 5, (4, 3), [(1, 2), (0, 1)], (3, 2), (1, 1)),
    ((4, 9, 8, 9), 16, (3, 3), [(2, 2), (0, 0)], (1, 1), (2, 2)),
    ((4, 9, 8, 8), 4, (1, 3), [(0, 0), (1, 1)], (1, 1), (1, 1)),
    ((2, 5, 6, 7, 8), 5, (2, 3, 2), [(1, 0), (1, 1), (0, 1)], (1, 2, 2), (2, 1, 1)),
    ((20, 5, 6, 7, 8), 5, (3, 3, 3), [(1, 1), (1, 1), (1, 1)], (1, 1, 1), (1, 1, 1)),
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


SIZES = [  # image, kernel, dilation, and whether short vectors are fast enough
    ((16, 24, 24, 64), (3, 3), 1, True),
    ((16, 64, 64, 64), (3, 3), 1, False),
    ((16, 16, 16, 64), (3, 3), 2, True),
    ((16, 32, 32, 64), (3, 3), 2, False),
    ((128, 8, 8, 64), (3, 3), 1, True),
    ((64, 28, 28, 64), (3, 3), 1, False),
    ((16, 1, 4096, 32), (1, 7), 1, True),
    ((32, 1, 1024, 64), (1, 5), 1, False),
    ((8, 16, 32, 32, 16), (3, 3, 3), 1, True),
]


@pytest.mark.parametrize(("image", "kernel", "dilation", "fast"), SIZES)
def test_large_filter_gradients_need_long_vectors(
    monkeypatch: Any, image: Any, kernel: Any, dilation: int, fast: bool
) -> None:
    monkeypatch.setattr(onednn, "available", lambda: True)
    x = dy = jax.ShapeDtypeStruct(image, np.float32)
    pads = [(k // 2 * dilation, k // 2 * dilation) for k in kernel]
    window = kernel, pads, [1] * len(kernel), [dilation] * len(kernel)
    for long in (False, True):
        monkeypatch.setattr(onednn, "long_vectors", lambda long=long: long)
        assert onednn.differentiates(x, dy, *window) == (long or fast)


def test_filter_gradients_that_are_left_to_others(monkeypatch: Any) -> None:
    x, dy, pads = normal(8, 32, 32, 16), normal(8, 32, 32, 16), [(1, 1), (1, 1)]
    window = ((3, 3), pads, (1, 1), (1, 1))
    assert onednn.differentiates(x, dy, *window) == onednn.available()
    assert not onednn.differentiates(x[:1], dy[:1], *window)
    assert not onednn.differentiates(x[..., :4], dy, *window)
    assert not onednn.differentiates(x[:, :4], dy[:, :4], *window)
    assert not onednn.differentiates(x.astype(np.float64), dy, *window)
    assert not onednn.differentiates(x, dy, (3, 3), [(3, 1), (1, 1)], (1, 1), (1, 1))
    for long in (False, True):
        monkeypatch.setattr(onednn, "long_vectors", lambda long=long: long)
        possible = onednn.differentiates(x, dy, (3, 3), pads, (2, 2), (1, 1))
        assert possible == (long and onednn.available())
    volumes = normal(8, 4, 16, 16, 16)
    assert not onednn.differentiates(
        volumes, volumes, (3, 3, 3), [*pads, (1, 1)], (1, 1, 1), (1, 1, 2)
    )


@needs_it
def test_a_filter_gradient_is_linear_and_has_batches() -> None:
    x, dy = normal(3, 2, 6, 6, 8), normal(3, 2, 6, 6, 4)

    def gradient(x: Any, dy: Any) -> Any:
        return onednn.filter_gradient(x, dy, (3, 3), [(1, 1), (1, 1)], (1, 1), (1, 1))

    each = np.stack([gradient(*pair) for pair in zip(x, dy)])
    np.testing.assert_allclose(jax.jit(jax.vmap(gradient))(x, dy), each, rtol=1e-4, atol=1e-4)
    _, moved = jax.jvp(gradient, (x[0], dy[0]), (x[1], dy[2]))
    want = gradient(x[1], dy[0]) + gradient(x[0], dy[2])
    np.testing.assert_allclose(moved, want, rtol=1e-4, atol=1e-4)


@needs_it
def test_batches_derivatives_and_eager_values_fall_back_on_xla() -> None:
    a, b = normal(3, 8, 6), normal(6, 5)

    def multiply(a: Any, b: Any) -> Any:
        return onednn.product(a, b, False, False)

    np.testing.assert_allclose(multiply(a[0], b), a[0] @ b, rtol=1e-5)
    np.testing.assert_allclose(jax.vmap(multiply, (0, None))(a, b), a @ b, rtol=1e-5)
    grown = jax.grad(lambda b: jnp.sum(multiply(a[0], b)))(b)
    np.testing.assert_allclose(grown, np.repeat(a[0].sum(0)[:, None], 5, 1), rtol=1e-5)


@needs_it
def test_a_function_uses_it_in_loops_and_branches_and_in_its_gradient() -> None:
    w = tf.Variable(normal(512, 512) / 23)

    def model(x: Any) -> Any:
        for _ in tf.range(2):
            x = tf.tanh(x @ w)
        return tf.cond(tf.reduce_sum(x) > 1e9, lambda: x, lambda: tf.matmul(x, w, transpose_b=True))

    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(x) ** 2)
        return loss, tape.gradient(loss, w)

    x = tf.constant(normal(64, 512))
    compiled = tf.function(gradient, jit_compile=True)
    for got, want in zip(compiled(x), gradient(x)):
        scale = np.abs(want.numpy()).max()
        np.testing.assert_allclose(got.numpy() / scale, want.numpy() / scale, atol=1e-5)


@needs_it
def test_two_threads_run_it_at_once() -> None:
    a, b = normal(512, 512), normal(512, 512)
    multiply = tf.function(tf.matmul, jit_compile=True)
    found: list[Any] = []
    threads = [
        threading.Thread(target=lambda: found.extend(multiply(a, b).numpy() for _ in range(20)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 40
    for one in found:
        np.testing.assert_allclose(one, a @ b, atol=1e-3)


PROGRAM = """
import sys
import numpy as np
import runnel as tf

size = int(sys.argv[1])
work = lambda x: tf.sin(tf.linalg.matmul(tf.sin(x), x))
fn = tf.function(work, jit_compile=True, autograph=False)
print(float(tf.reduce_sum(fn(tf.eye(size)))))
again = tf.function(lambda x: tf.cos(work(x)), jit_compile=True, autograph=False)
print(float(tf.reduce_sum(again(tf.eye(size)))))
print(float(tf.reduce_sum(fn(tf.eye(40)))))
"""


@needs_it
def test_its_programs_are_not_written_to_the_cache_and_others_still_are(tmp_path: Path) -> None:
    def files(size: int) -> int:
        folder = tmp_path / str(size)
        environment = {"RUNNEL_CACHE_DIR": str(folder)}
        children.run(PROGRAM, str(size), env=environment, strict=True, check=True)
        return sum(p.name.startswith("jit__program") for p in folder.rglob("*-cache"))

    assert files(512) == 1
    assert files(41) == 3


def test_without_it_products_and_convolutions_are_the_same(monkeypatch: Any) -> None:
    a, x, f = normal(512, 512), normal(4, 32, 32, 16), normal(3, 3, 16, 16)

    def work() -> Any:
        run = tf.function(lambda: (a @ tf.constant(a), tf.nn.conv2d(x, f, 1, "SAME")))
        return tf.function(run, jit_compile=True)()

    with_it = work()
    monkeypatch.setattr(onednn, "available", lambda: False)
    for got, want in zip(work(), with_it):
        np.testing.assert_allclose(got.numpy(), want.numpy(), rtol=1e-3, atol=1e-3)


def test_the_variable_switches_it_off(monkeypatch: Any) -> None:
    monkeypatch.setenv("RUNNEL_ONEDNN", "off")
    assert not onednn.available.__wrapped__()
