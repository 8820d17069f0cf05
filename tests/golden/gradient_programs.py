"""More programs whose graphs go from Runnel to TensorFlow and back: gradients of all kinds.

With this module, the tables of `graph_programs` hold its programs and these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.golden.graph_programs import INPUTS as INPUTS
from tests.golden.graph_programs import PROGRAMS as PROGRAMS
from tests.golden.graph_programs import _floats, program
from tests.golden.graph_programs import trace as trace


def slopes(tf: Any, fn: Callable[..., Any], *inputs: Any) -> Any:
    """The gradients of a function by all its inputs."""
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        y = fn(*inputs)
    return tape.gradient(y, inputs)


@program(_floats(3, 4), _floats(4), unknown=True)
def slopes_of_rows(tf: Any, x: Any, row: Any) -> Any:
    return slopes(tf, lambda a, b: (a * b + b - a / (b * b + 1.0)) ** 2, x, row)


@program(_floats(3, 4), _floats(3, 1), _floats(1, 4))
def slopes_of_repeated(tf: Any, x: Any, column: Any, row: Any) -> Any:
    def fn(a: Any, b: Any, c: Any) -> Any:
        return tf.where(a > 0.0, a * b, c) + tf.maximum(a, c) - tf.minimum(b, c)

    return slopes(tf, fn, x, column, row)


@program(_floats(2, 3), unknown=True)
def slopes_of_powers(tf: Any, x: Any) -> Any:
    def fn(a: Any) -> Any:
        return tf.pow(tf.abs(a) + 0.5, a) + tf.math.squared_difference(a, a * a)

    return slopes(tf, fn, x)


def _reductions(tf: Any) -> list[Callable[[Any], Any]]:
    return [
        lambda a: tf.reduce_sum(a * a, 0),
        lambda a: tf.reduce_mean(a * a, -1),
        lambda a: tf.reduce_mean(a),
        lambda a: tf.reduce_max(a, 1),
        lambda a: tf.reduce_max(a, 1, keepdims=True),
        lambda a: tf.reduce_min(a),
        lambda a: tf.reduce_prod(a, 1),
        lambda a: tf.reduce_logsumexp(a, 0),
        lambda a: tf.math.reduce_std(a, 0),
        lambda a: tf.reduce_sum(a, [0, 1], keepdims=True),
        lambda a: tf.norm(a, axis=1),
        lambda a: tf.nn.l2_normalize(a, 1),
        lambda a: tf.nn.moments(a, [0]),
    ]


@program(_floats(5, 3), unknown=True)
def slopes_of_reductions(tf: Any, x: Any) -> Any:
    return [slopes(tf, fn, x) for fn in _reductions(tf)]


@program(_floats(5, 3))
def slopes_of_known_reductions(tf: Any, x: Any) -> Any:
    return [slopes(tf, fn, x) for fn in _reductions(tf)]


@program(_floats(2, 3), _floats(4, 3), unknown=True)
def slopes_of_concat(tf: Any, x: Any, y: Any) -> Any:
    return slopes(tf, lambda a, b: tf.concat([a, b * 2.0, a * a], 0) ** 2, x, y)


@program(_floats(2, 3), _floats(2, 2))
def slopes_of_concat_by_columns(tf: Any, x: Any, y: Any) -> Any:
    return slopes(tf, lambda a, b: tf.concat([a, b], -1)[:, 1:4] * 3.0, x, y)


@program(_floats(1, 6, 6, 2), _floats(3, 3, 2, 3), unknown=True)
def slopes_of_convolution(tf: Any, x: Any, k: Any) -> Any:
    def fn(a: Any, b: Any) -> Any:
        return tf.nn.avg_pool2d(tf.nn.relu(tf.nn.conv2d(a, b, 2, "SAME")), 2, 1, "VALID")

    return slopes(tf, fn, x, k)


@program(_floats(1, 6, 6, 2), _floats(3, 3, 2, 1))
def slopes_of_depthwise(tf: Any, x: Any, k: Any) -> Any:
    def fn(a: Any, b: Any) -> Any:
        y = tf.nn.depthwise_conv2d(a, b, [1, 1, 1, 1], "SAME")
        return tf.nn.max_pool2d(y, 2, 2, "SAME")

    return slopes(tf, fn, x, k)


@program(_floats(3, 4), np.array([1, 0, 3], np.int32), unknown=True)
def slopes_of_sparse_labels(tf: Any, x: Any, labels: Any) -> Any:
    def fn(a: Any) -> Any:
        return tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels, a))

    return slopes(tf, fn, x)


@program(_floats(3, 4), _floats(3, 4, seed=2))
def slopes_of_labels(tf: Any, x: Any, labels: Any) -> Any:
    def fn(a: Any, b: Any) -> Any:
        soft = tf.nn.softmax_cross_entropy_with_logits(b, a)
        return soft + tf.nn.sigmoid_cross_entropy_with_logits(b, a)[:, 0]

    return slopes(tf, fn, x, labels)


@program(_floats(4, 3), np.array([2, 0, 2], np.int32))
def slopes_of_gathering(tf: Any, x: Any, places: Any) -> Any:
    def fn(a: Any) -> Any:
        return tf.gather(a, places) * 2.0 + tf.gather_nd(a, [[0], [1], [3]])

    return tf.convert_to_tensor(slopes(tf, fn, x)[0])


@program(_floats(4, 3))
def slopes_in_graph(tf: Any, x: Any) -> Any:
    return (
        tf.gradients([tf.sin(x) * x, tf.reduce_sum(x, 1)], x),
        tf.gradients(x**3, x, grad_ys=x),
        tf.gradients(tf.stop_gradient(x) * x + tf.exp(x), x),
        tf.gradients(tf.gradients(tf.reduce_sum(x**3 * tf.sin(x)), x)[0] * 2.0, x),
    )


@program(np.int32(4), _floats(3))
def slopes_of_loop(tf: Any, n: Any, x: Any) -> Any:
    def fn(a: Any) -> Any:
        def step(i: Any, y: Any) -> Any:
            return i + 1, tf.tanh(y) * a + tf.reduce_sum(y)

        return tf.while_loop(lambda i, y: i < n, step, [0, a])[1]

    return fn(x), slopes(tf, fn, x)


@program(np.float32(1.0), _floats(3))
def slopes_of_branches_in_loop(tf: Any, p: Any, x: Any) -> Any:
    def fn(a: Any) -> Any:
        def step(i: Any, y: Any) -> Any:
            chosen = tf.cond(tf.reduce_sum(y) > i, lambda: y * 0.5, lambda: y + a * a)
            return i + p, chosen

        return tf.while_loop(lambda i, y: i < 4.0, step, [tf.constant(0.0), a])[1]

    return slopes(tf, fn, x)


@program(np.bool_(True), _floats(3))
def second_slopes_of_branches(tf: Any, p: Any, x: Any) -> Any:
    def fn(a: Any) -> Any:
        def inner() -> Any:
            return tf.cond(a[0] > 0.0, lambda: a**3, lambda: tf.exp(a))

        return tf.cond(p, inner, lambda: a)

    return slopes(tf, lambda a: slopes(tf, fn, a)[0], x)


@program(np.int32(2), _floats(3))
def second_slopes_of_loop(tf: Any, n: Any, x: Any) -> Any:
    def fn(a: Any) -> Any:
        return tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * a * tf.sin(y)), [0, a])[1]

    return slopes(tf, lambda a: slopes(tf, fn, a)[0], x)


@program(np.int32(1), _floats(3))
def slopes_of_cases(tf: Any, i: Any, x: Any) -> Any:
    def fn(a: Any) -> Any:
        ways = [lambda: a, lambda: a * a * a, lambda: tf.sin(a)]
        return tf.switch_case(i, ways, default=lambda: a * 0.0)

    return slopes(tf, fn, x)


@program(_floats(4, 3), unknown=True)
def slopes_of_maps(tf: Any, x: Any) -> Any:
    return (
        slopes(tf, lambda a: tf.map_fn(lambda r: tf.math.cumsum(r) * r, a), x),
        slopes(tf, lambda a: tf.scan(lambda c, r: c * r + tf.sin(r), a), x),
        slopes(tf, lambda a: tf.foldl(lambda c, r: c * r, a), x),
    )


@program(_floats(4, 3))
def slopes_of_arrays(tf: Any, x: Any) -> Any:
    def fn(a: Any) -> Any:
        def step(i: Any, t: Any) -> Any:
            return i + 1, t.write(i, a[i] * a[3 - i])

        array = tf.TensorArray(tf.float32, size=4, element_shape=[3])
        return tf.reduce_prod(tf.while_loop(lambda i, t: i < 4, step, [0, array])[1].stack(), 1)

    return slopes(tf, fn, x)


@program(_floats(3, 3))
def slopes_of_matrices(tf: Any, x: Any) -> Any:
    def fn(a: Any) -> Any:
        s = tf.matmul(a, a, transpose_b=True) + tf.eye(3) * 3.0
        roots = tf.reduce_sum(tf.linalg.cholesky(s)) + tf.reduce_sum(tf.linalg.solve(s, a))
        return tf.linalg.det(s) + tf.linalg.trace(tf.linalg.inv(s)) + roots

    return slopes(tf, fn, x)


@program(_floats(2, 3, 4), _floats(4, 5), _floats(2, 4, 3))
def slopes_of_batches(tf: Any, x: Any, y: Any, z: Any) -> Any:
    def fn(a: Any, b: Any, c: Any) -> Any:
        squares = [tf.matmul(a, c) ** 2, tf.einsum("bij,jk->bik", a, b) ** 2]
        return tf.reduce_sum(tf.matmul(a, b)) + sum(tf.reduce_sum(s) for s in squares)

    return slopes(tf, fn, x, y, z)


@program(_floats(2, 3), unknown=True)
def slopes_of_shapes(tf: Any, x: Any) -> Any:
    def moved(a: Any) -> Any:
        wide = tf.tile(tf.pad(a, [[1, 0], [0, 1]]), [1, 2])
        return tf.reshape(tf.transpose(wide)[::2], [-1])[1:] ** 2

    def stacked(a: Any) -> Any:
        both = tf.stack([a, a * a], 1)[..., tf.newaxis, 0]
        return both * tf.expand_dims(a, 0)[0][:, tf.newaxis, :1]

    return slopes(tf, moved, x), slopes(tf, stacked, x)


@program(_floats(6))
def slopes_of_parts(tf: Any, x: Any) -> Any:
    def parts(a: Any) -> Any:
        return tf.split(a, 3)[1] * tf.unstack(a)[0] + tf.split(a, [1, 2, 3])[1]

    return slopes(tf, parts, x), slopes(tf, lambda a: tf.reverse(tf.roll(a, 2, 0), [0]) * a, x)


@program(_floats(5), np.array([0, 0, 1, 2, 2], np.int32))
def slopes_of_segments(tf: Any, x: Any, ids: Any) -> Any:
    def unsorted(a: Any) -> Any:
        largest = tf.math.unsorted_segment_max(a, ids, 3)
        return largest + tf.math.unsorted_segment_mean(a, ids, 3)

    return slopes(tf, lambda a: tf.math.segment_sum(a * a, ids), x), slopes(tf, unsorted, x)


@program(_floats(3))
def slopes_of_activations(tf: Any, x: Any) -> Any:
    names = "relu elu selu gelu swish softplus softsign leaky_relu relu6 softmax log_softmax"
    return slopes(tf, lambda a: sum(getattr(tf.nn, name)(a) for name in names.split()), x)


@program(_floats(3))
def slopes_of_functions(tf: Any, x: Any) -> Any:
    names = "exp log log1p expm1 square sqrt rsqrt sin cos tan tanh erf erfc asin acos atan sinh"
    more = "cosh lgamma reciprocal floor sign sigmoid digamma"

    def fn(a: Any) -> Any:
        small = tf.abs(a) * 0.2 + 0.1
        return sum(getattr(tf.math, name)(small) for name in f"{names} {more}".split())

    return slopes(tf, fn, x)


@program(_floats(3, 2))
def slopes_of_calls(tf: Any, x: Any) -> Any:
    inner = tf.function(lambda a, b: (tf.tanh(a) * b, tf.reduce_sum(b)), autograph=False)
    outer = tf.function(lambda a: inner(a, a * a)[0] * inner(a, a)[1], autograph=False)
    return slopes(tf, outer, x), tf.gradients(outer(x), x)


@program(_floats(3, 2))
def slopes_with_effects(tf: Any, x: Any) -> Any:
    tf.debugging.assert_less(x, 10.0)
    tf.print("x is", x)
    return slopes(tf, lambda a: tf.debugging.check_numerics(a * a, "a square"), x)


@program(_floats(8))
def slopes_of_spectra(tf: Any, x: Any) -> Any:
    factor = tf.constant(1 + 2j, tf.complex64)
    return (
        slopes(tf, lambda a: tf.abs(tf.signal.rfft(a)) ** 2, x),
        slopes(tf, lambda a: tf.math.real(tf.cast(a, tf.complex64) * factor), x),
    )


@program(_floats(1, 4, 4, 2))
def slopes_of_images(tf: Any, x: Any) -> Any:
    kernel = tf.constant(_floats(2, 2, 3, 2))
    return (
        slopes(tf, lambda a: tf.image.resize(a, [7, 5])[:, :, :, 0], x),
        slopes(tf, lambda a: tf.image.resize(a, [3, 3], method="nearest"), x),
        slopes(tf, lambda a: tf.nn.conv2d_transpose(a, kernel, [1, 8, 8, 3], 2), x),
    )


@program(_floats(3, 2))
def slopes_of_ones_own(tf: Any, x: Any) -> Any:
    @tf.custom_gradient
    def fn(a: Any) -> Any:
        return a * a, lambda d: tf.clip_by_norm(d * a, 1.0)

    return slopes(tf, lambda a: fn(a) * fn(a * 2.0), x), tf.gradients(fn(x) + x, x)


@program(_floats(2, 2))
def slopes_forward(tf: Any, x: Any) -> Any:
    with tf.autodiff.ForwardAccumulator(x, tf.ones([2, 2])) as accumulator:
        y = tf.tanh(x @ x) * x
    return accumulator.jvp(y)


@program(_floats(3))
def slopes_by_element(tf: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cumsum(x * x) * x[0]
    return tape.jacobian(y, x, experimental_use_pfor=False)
