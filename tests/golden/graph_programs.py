"""Programs whose graphs go from Runnel to TensorFlow and back, as messages.

A program is a function of the module (`runnel` or `tensorflow`) and of tensors. `INPUTS` holds what
it is called with; `UNKNOWN` says whether first dimensions are None in its graph.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

PROGRAMS: dict[str, Callable[..., Any]] = {}
INPUTS: dict[str, tuple[np.ndarray, ...]] = {}
UNKNOWN: dict[str, bool] = {}


def _floats(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, *shape]).uniform(-2, 2, shape).astype(np.float32)


def program(*inputs: Any, unknown: bool = False) -> Callable[[Any], Any]:
    """Enter a function under its name; with `unknown` the first dimensions are not known."""

    def enter(fn: Callable[..., Any]) -> Callable[..., Any]:
        PROGRAMS[fn.__name__] = fn
        INPUTS[fn.__name__] = tuple(np.asarray(value) for value in inputs)
        UNKNOWN[fn.__name__] = unknown
        return fn

    return enter


def specs(tf: Any, name: str) -> list[Any]:
    """The signature of a program's function."""
    made = []
    for value in INPUTS[name]:
        dims = [None, *value.shape[1:]] if UNKNOWN[name] and value.ndim else value.shape
        made.append(tf.TensorSpec(dims, tf.string if value.dtype.kind in "OS" else value.dtype))
    return made


def trace(tf: Any, name: str) -> Any:
    """The concrete function of a program."""
    fn = PROGRAMS[name]
    traced = tf.function(lambda *inputs: fn(tf, *inputs), autograph=False)
    return traced.get_concrete_function(*specs(tf, name))


@program(_floats(3, 4), unknown=True)
def dense(tf: Any, x: Any) -> Any:
    hidden = tf.nn.relu(tf.matmul(x, _floats(4, 5)) + _floats(5))
    return tf.nn.softmax(tf.nn.bias_add(tf.matmul(hidden, _floats(5, 3)), _floats(3)))


@program(_floats(2, 8, 8, 3), unknown=True)
def convolution(tf: Any, x: Any) -> Any:
    y = tf.nn.conv2d(x, _floats(3, 3, 3, 4), strides=2, padding="SAME")
    y = tf.nn.depthwise_conv2d(y, _floats(2, 2, 4, 1), [1, 1, 1, 1], "VALID")
    y = tf.nn.max_pool2d(y, 2, 1, "SAME") + tf.nn.avg_pool2d(y, 2, 1, "SAME")
    return tf.nn.elu(y)


@program(_floats(4, 3, 2), unknown=True)
def reductions(tf: Any, x: Any) -> Any:
    return [
        tf.reduce_sum(x, axis=1),
        tf.reduce_mean(x),
        tf.reduce_max(x, axis=[0, 2], keepdims=True),
        tf.reduce_all(x > -3.0),
        tf.argmax(x, axis=2, output_type=tf.int32),
        tf.math.cumsum(x, axis=0, reverse=True),
        tf.reduce_logsumexp(x, axis=-1),
    ]


@program(_floats(4, 6), unknown=True)
def shapes(tf: Any, x: Any) -> Any:
    rows = tf.shape(x)[0]
    y = tf.reshape(x, [rows, 2, 3])
    y = tf.transpose(y, [0, 2, 1])
    y = tf.pad(y, [[0, 0], [1, 0], [0, 1]], constant_values=1.5)
    parts = tf.split(x, [2, 4], axis=1)
    joined = tf.concat([parts[1], parts[0]], axis=1)
    return [
        y,
        joined[:, 1:-1],
        tf.stack([x, joined], axis=1)[..., tf.newaxis, :2],
        tf.squeeze(tf.expand_dims(x, 1), axis=[1]),
        tf.tile(x, [1, 2]),
        tf.gather(x, [2, 0], axis=1),
        tf.one_hot([1, 0, 3], 4),
        tf.unstack(y, axis=1)[0],
        tf.reverse(x, [0]),
        tf.broadcast_to(x[:1], [3, 6]),
    ]


@program(np.arange(-3, 3))
def dtypes(tf: Any, x: Any) -> Any:
    kinds = "float16 bfloat16 float32 float64 int8 int32 uint8 complex64 bool".split()
    cast = [tf.cast(x, getattr(tf, kind)) for kind in kinds]
    cast[1] = tf.cast(cast[1] * tf.constant(1.5, tf.bfloat16), tf.float32)
    return [*cast, cast[7] * tf.constant(1 + 2j, tf.complex64), x // 2, x % 2, -x]


@program(_floats(3), _floats(3, seed=1))
def elementwise(tf: Any, x: Any, y: Any) -> Any:
    return [
        tf.exp(x) + tf.sin(y),
        tf.maximum(x, y) / (1.0 + tf.abs(x)),
        tf.where(x > y, x, y),
        tf.clip_by_value(x, -1.0, 1.0),
        tf.pow(tf.abs(x), y),
        tf.sigmoid(x) * tf.tanh(y),
        tf.math.squared_difference(x, y),
        tf.stop_gradient(x) + tf.identity(y),
        tf.math.add_n([x, y, x]),
        tf.round(x),
    ]


@program(_floats(2, 3, 4), _floats(2, 4, 5))
def batches(tf: Any, x: Any, y: Any) -> Any:
    return tf.matmul(x, y), tf.einsum("bij,bjk->bik", x, y), tf.linalg.matrix_transpose(x)


@program(np.float32(3), _floats(4))
def branches(tf: Any, n: Any, x: Any) -> Any:
    positive = tf.cond(n > 0, lambda: x * n, lambda: x - 1.0)
    chosen = tf.switch_case(
        tf.cast(n, tf.int32), [lambda: x, lambda: x + 1.0, lambda: x + 2.0, lambda: x * x]
    )
    nested = tf.cond(
        n > 5, lambda: x, lambda: tf.cond(n > 2, lambda: tf.exp(x), lambda: tf.zeros_like(x))
    )
    return positive, chosen, nested


@program(np.int32(5), _floats(3))
def loops(tf: Any, n: Any, x: Any) -> Any:
    def step(i: Any, total: Any) -> Any:
        add = tf.cond(i % 2 == 0, lambda: total + x, lambda: total * 0.5)
        return i + 1, add

    count, total = tf.while_loop(lambda i, _: i < n, step, [0, tf.zeros([3])])
    inner = tf.while_loop(
        lambda i, _: i < 3,
        lambda i, a: (
            i + 1,
            tf.while_loop(lambda j, _: j < i, lambda j, b: (j + 1, b + 1.0), [0, a])[1],
        ),
        [0, total],
    )
    return count, total, inner[1]


@program(_floats(4, 2), unknown=True)
def mapped(tf: Any, x: Any) -> Any:
    squares = tf.map_fn(lambda row: row * tf.reduce_sum(row), x)
    sums = tf.scan(lambda total, row: total + row, x)
    return squares, sums, tf.foldl(lambda a, b: a - b, x)


@program(_floats(3, 2), unknown=True)
def gradients(tf: Any, x: Any) -> Any:
    w = tf.constant(_floats(2, 2))
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        loss = tf.reduce_sum(tf.tanh(tf.matmul(x, w)) ** 2)
    return tape.gradient(loss, [x, w])


@program(_floats(6), np.array([2, 0, 2, 1, 0, 2]))
def dynamic(tf: Any, x: Any, ids: Any) -> Any:
    values, order = tf.math.top_k(x, k=3)
    unique, places = tf.unique(ids)
    return [
        values,
        order,
        unique,
        places,
        tf.boolean_mask(x, x > 0),
        tf.where(x > 0),
        tf.sort(x),
        tf.math.segment_sum(x, tf.sort(ids)),
        tf.scatter_nd(ids[:, tf.newaxis], x, tf.constant([3], tf.int64)),
    ]


@program(_floats(3))
def calls(tf: Any, x: Any) -> Any:
    @tf.function(autograph=False)
    def inner(a: Any) -> Any:
        return a * 2.0, tf.reduce_sum(a)

    @tf.function(autograph=False)
    def outer(a: Any) -> Any:
        doubled, total = inner(a)
        return doubled + total, inner(doubled)[1]

    return outer(x), inner(x)[0]


@program(np.array([b"a", b"bc", b""], object), np.array([1, 2, 3]))
def strings(tf: Any, s: Any, n: Any) -> Any:
    same = tf.equal(s, "bc")
    text = tf.raw_ops.StringFormat(
        inputs=[n, tf.shape(s)[0]], template="{} of {}", placeholder="{}"
    )
    return same, text, tf.gather(s, [2, 0]), tf.concat([s, ["z"]], 0), tf.where(same, s, "no")


@program(_floats(3))
def effects(tf: Any, x: Any) -> Any:
    tf.debugging.assert_less(x, 10.0)
    tf.print("x is", x)
    with tf.control_dependencies([tf.debugging.assert_greater(x, -10.0)]):
        return tf.identity(x)


@program(_floats(2, 3))
def random_numbers(tf: Any, x: Any) -> Any:
    return [
        x + tf.random.stateless_uniform([2, 3], seed=[1, 2]),
        tf.random.stateless_normal([4], seed=[3, 4], dtype=tf.float64),
        tf.random.stateless_uniform([3], seed=[1, 2], minval=0, maxval=9, dtype=tf.int32),
    ]


@program(np.int32(4), _floats(3))
def loop_gradients(tf: Any, n: Any, x: Any) -> Any:
    def step(i: Any, y: Any) -> Any:
        return i + 1, tf.cond(i % 2 == 0, lambda: y * x, lambda: tf.sin(y) + tf.exp(x))

    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.while_loop(lambda i, _: i < n, step, [0, x])[1]
        first = tape.gradient(y, x)
    return y, first, outer.gradient(first, x)


@program(np.float32(0.5), _floats(3))
def branch_gradients(tf: Any, p: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch([p, x])
        y = tf.cond(p > 0.0, lambda: tf.exp(x * p), lambda: tf.sin(x))
        z = tf.switch_case(
            tf.cast(p * 4.0, tf.int32), [lambda: x, lambda: x * p, lambda: tf.tanh(x) * p]
        )
        total = tf.reduce_sum(y * z)
    return tape.gradient(total, [p, x])


@program(_floats(4, 2), unknown=True)
def scan_gradients(tf: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        sums = tf.scan(lambda total, row: tf.tanh(total) + row * row, x)
        y = tf.map_fn(lambda row: tf.reduce_prod(row), sums)
    return tape.gradient(y, x)
