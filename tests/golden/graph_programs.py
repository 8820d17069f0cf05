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


@program(np.int32(7), _floats(3))
def leaving_loops(tf: Any, n: Any, x: Any) -> Any:
    """Nested loops, of which the inner one ends early."""

    def inside(i: Any, total: Any) -> Any:
        def more(j: Any, _: Any, going: Any) -> Any:
            return tf.logical_and(going, j < n)

        def step(j: Any, part: Any, going: Any) -> Any:
            part = part + tf.cast(i * j, tf.float32)
            return j + 1, part, tf.reduce_sum(part) < 20.0

        part = tf.while_loop(more, step, [0, x, True])[1]
        return i + 1, total + part

    return tf.while_loop(lambda i, _: i < n, inside, [0, tf.zeros_like(x)], maximum_iterations=4)


@program(np.int32(3), np.array([b"a", b"bc"], object))
def growing_strings(tf: Any, n: Any, s: Any) -> Any:
    text = tf.while_loop(
        lambda i, _: i < n,
        lambda i, t: (i + 1, tf.strings.join([t, tf.strings.as_string(i)], "-")),
        [0, s],
    )[1]
    chosen = tf.cond(n > 2, lambda: tf.strings.upper(text), lambda: text)
    return chosen, tf.strings.length(text), tf.strings.regex_replace(text, "[0-9]", "#")


@program(np.int32(4), _floats(2))
def growing_tensors(tf: Any, n: Any, x: Any) -> Any:
    grown = tf.while_loop(
        lambda i, _: i < n,
        lambda i, a: (i + 1, tf.concat([a, x * tf.cast(i, tf.float32)], 0)),
        [0, x],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])],
    )[1]
    return grown, tf.shape(grown)


@program(np.int32(5), _floats(2))
def arrays(tf: Any, n: Any, x: Any) -> Any:
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True, element_shape=[2])
    array = tf.while_loop(
        lambda i, _: i < n,
        lambda i, a: (i + 1, a.write(i, x * tf.cast(i + 1, tf.float32))),
        [0, array],
    )[1]
    return array.stack(), array.concat(), array.size(), array.gather([1, 3])


@program(_floats(3, 2))
def array_gradients(tf: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        array = tf.TensorArray(tf.float32, size=3, clear_after_read=False).unstack(x)
        total = tf.while_loop(
            lambda i, _: i < 3,
            lambda i, t: (i + 1, t * 0.5 + array.read(i) ** 2),
            [0, tf.zeros([2])],
        )[1]
    return total, tape.gradient(total, x)


@program(np.float32(1.5))
def second_order(tf: Any, x: Any) -> Any:
    def f(a: Any) -> Any:
        return tf.cond(a > 1.0, lambda: a**3, lambda: tf.sin(a))

    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x) * tf.exp(x)
        first = inner.gradient(y, x)
    return first, outer.gradient(first, x)


@program(_floats(3))
def jacobians(tf: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.stack([x[0] * x[1], x[1] ** 2 * x[2]])
    return tape.jacobian(y, x, experimental_use_pfor=False)


@program(np.array([3, 1, 2], np.int32), _floats(6))
def ragged(tf: Any, lengths: Any, x: Any) -> Any:
    rows = tf.RaggedTensor.from_row_lengths(x, lengths)
    return (
        rows.to_tensor(),
        tf.reduce_sum(rows, axis=1),
        tf.concat([rows, rows], axis=1).flat_values,
        (rows * 2.0)[1:].row_splits,
        rows.bounding_shape(),
    )


@program(_floats(3, 4))
def sparse(tf: Any, x: Any) -> Any:
    kept = tf.sparse.from_dense(tf.where(x > 0.0, x, 0.0))
    doubled = tf.sparse.add(kept, kept)
    return (
        kept.indices,
        kept.values,
        tf.sparse.to_dense(doubled),
        tf.sparse.sparse_dense_matmul(kept, tf.ones([4, 2])),
        tf.sparse.reduce_sum(kept, axis=1),
    )


@program(_floats(1, 5, 6, 2))
def images(tf: Any, x: Any) -> Any:
    return (
        tf.image.resize(x, [3, 4]),
        tf.nn.max_pool2d(x, 2, 2, "SAME"),
        tf.nn.avg_pool2d(x, 2, 1, "VALID"),
        tf.nn.depthwise_conv2d(x, tf.ones([2, 2, 2, 1]), [1, 1, 1, 1], "SAME"),
        tf.nn.conv2d_transpose(x, tf.ones([2, 2, 3, 2]), [1, 10, 12, 3], 2, "SAME"),
        tf.nn.space_to_depth(x[:, :4], 2),
        tf.image.flip_left_right(x),
    )


@program(_floats(3, 3))
def linear_algebra(tf: Any, x: Any) -> Any:
    positive = tf.matmul(x, x, transpose_b=True) + tf.eye(3)
    root = tf.linalg.cholesky(positive)
    return (
        root,
        tf.linalg.solve(positive, x),
        tf.linalg.det(positive),
        tf.linalg.triangular_solve(root, x),
        tf.linalg.band_part(x, 1, 0),
        tf.linalg.trace(x),
        tf.linalg.diag_part(x),
        tf.norm(x, axis=0),
    )


@program(_floats(8))
def spectra(tf: Any, x: Any) -> Any:
    found = tf.signal.rfft(x)
    return (
        tf.abs(found),
        tf.signal.irfft(found),
        tf.math.real(tf.signal.fft(tf.cast(x, tf.complex64))),
    )


@program(_floats(4, 3), np.array([[0, 2], [1, 1], [3, 0]], np.int32))
def indices(tf: Any, x: Any, places: Any) -> Any:
    picked = tf.gather_nd(x, places)
    return (
        picked,
        tf.gather(x, [2, 0], axis=1),
        tf.gather(x, [[0], [1], [2], [0]], batch_dims=1),
        tf.tensor_scatter_nd_add(x, places, picked),
        tf.scatter_nd(places, picked, [4, 3]),
        tf.dynamic_partition(picked, places[:, 1], 3),
        tf.one_hot(places[:, 1], 4),
        tf.searchsorted(tf.sort(picked), picked),
        tf.argsort(x, axis=0),
        x[1:, ::-1],
        x[..., None, 1],
    )


@program(np.array([9, -4, 7, 0], np.int32))
def integers(tf: Any, n: Any) -> Any:
    return (
        n // 4,
        n % 4,
        tf.bitwise.bitwise_xor(n, 5),
        tf.bitwise.left_shift(n, 2),
        tf.math.cumsum(n, exclusive=True, reverse=True),
        tf.math.bincount(tf.abs(n)),
        tf.cast(n, tf.uint8),
        tf.math.count_nonzero(n),
        tf.reverse(n, [0]),
        tf.roll(n, 1, 0),
    )


@program(np.array([b"a,b", b"", b"c"], object))
def words(tf: Any, s: Any) -> Any:
    parts = tf.strings.split(s, ",")
    return (
        parts.flat_values,
        parts.row_splits,
        tf.strings.to_hash_bucket_fast(s, 10),
        tf.strings.substr(s, 0, 1),
        tf.strings.to_number(tf.strings.as_string(tf.strings.length(s))),
        tf.io.decode_raw(tf.strings.join([s, "    "])[:1], tf.uint8)[:, :2],
        tf.strings.reduce_join(s, separator="+"),
        tf.strings.unicode_decode(s, "UTF-8").flat_values,
    )


@program(_floats(3, 4), _floats(4, 2))
def calls_with_gradients(tf: Any, x: Any, w: Any) -> Any:
    @tf.function(autograph=False)
    def layer(a: Any, b: Any) -> Any:
        return tf.nn.relu(tf.matmul(a, b))

    @tf.function(autograph=False)
    def loss(a: Any, b: Any) -> Any:
        return tf.reduce_mean(layer(a, b) ** 2)

    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = loss(x, w)
    return y, tape.gradient(y, [x, w])


@program(_floats(3))
def own_gradients(tf: Any, x: Any) -> Any:
    @tf.custom_gradient
    def clipped(a: Any) -> Any:
        return a * a, lambda dy: tf.clip_by_value(dy * 2.0 * a, -1.0, 1.0)

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(clipped(x))
    return y, tape.gradient(y, x)


@program(np.int32(2), _floats(2, 3))
def unlike_branches(tf: Any, n: Any, x: Any) -> Any:
    """Branches of other shapes, with constants and tensors of their own."""
    table = tf.constant([1.0, 2.0, 3.0, 4.0])
    shape = tf.cond(n > 1, lambda: tf.zeros([2, 2]), lambda: tf.zeros([3, 2]))
    picked = tf.case(
        [
            (n < 0, lambda: tf.reduce_sum(x)),
            (n < 3, lambda: table[1] * tf.reduce_max(x)),
        ],
        default=lambda: tf.constant(0.0),
    )
    nothing = tf.cond(n > 5, lambda: (x, [n]), lambda: (x * 2.0, [n + 1]))
    return shape, picked, nothing


@program(_floats(5, 2), unknown=True)
def batch_statistics(tf: Any, x: Any) -> Any:
    mean, variance = tf.nn.moments(x, axes=[0])
    scaled = tf.nn.batch_normalization(x, mean, variance, None, None, 1e-3)
    return (
        scaled,
        tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(x), x),
        tf.nn.l2_normalize(x, axis=1),
        tf.nn.log_softmax(x),
        tf.nn.top_k(x, 1),
        tf.math.reduce_std(x, axis=0),
        tf.nn.embedding_lookup(x, [0, 1]),
    )


@program(np.int32(3), _floats(2))
def deep_loop_gradients(tf: Any, n: Any, x: Any) -> Any:
    def outer(i: Any, y: Any) -> Any:
        inner = tf.while_loop(lambda j, _: j < i, lambda j, z: (j + 1, tf.sin(z) * x), [0, y])[1]
        return i + 1, inner + y

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.while_loop(lambda i, _: i < n, outer, [0, x])[1]
    return y, tape.gradient(y, x)


@program(_floats(3, 2), unknown=True)
def mapped_at_once(tf: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.vectorized_map(lambda row: row * tf.reduce_sum(row), x)
    return (
        y,
        tf.convert_to_tensor(tape.gradient(y, x)),
        tf.vectorized_map(lambda row: (row[0], tf.cast(row, tf.int32)), x),
    )
