"""Gradients at the edges, where a convention decides: first and second order, eager and traced."""

from __future__ import annotations

import numpy as np

INF = float("inf")


def _slopes(tf, function, *points, second=True):
    """The gradients of the sum of `function` by `points`, and of the sum of those again."""

    def compute(*xs):
        with tf.GradientTape() as outer:
            outer.watch(xs)
            with tf.GradientTape() as inner:
                inner.watch(xs)
                y = function(*xs)
            first = inner.gradient(y, xs)
        if not second:
            return first
        again = outer.gradient([g for g in first if g is not None], xs)
        return first, again

    inputs = [tf.constant(p) for p in points]
    return compute(*inputs), tf.function(compute)(*inputs)


def ties_in_maximum_and_minimum(tf):
    x, y = [1.0, 2.0, 3.0], [1.0, 3.0, 2.0]
    return [_slopes(tf, f, x, y, second=False) for f in (tf.maximum, tf.minimum)]


def ties_in_reductions(tf):
    x = [[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]]
    reductions = tf.reduce_max, tf.reduce_min, tf.math.reduce_euclidean_norm
    return [_slopes(tf, lambda x, f=f: f(x, axis=1), x, second=False) for f in reductions]


def square_root_at_zero(tf):
    return _slopes(tf, tf.sqrt, [0.0, 4.0]), _slopes(tf, tf.math.rsqrt, [0.0, 4.0], second=False)


def powers_of_zero(tf):
    bases, exponents = [0.0, 0.0, 0.0, 0.0, -2.0], [0.0, 1.0, 2.0, 0.5, 3.0]
    return _slopes(tf, tf.pow, bases, exponents, second=False), _slopes(
        tf, lambda x: x**2, [0.0, 1.0]
    )


def products_with_zeros(tf):
    x = [[1.0, 2.0, 3.0], [0.0, 2.0, 3.0], [0.0, 0.0, 3.0]]
    return _slopes(tf, lambda x: tf.reduce_prod(x, axis=1), x), _slopes(tf, tf.reduce_prod, x)


def cumulative_products_with_zeros(tf):
    return _slopes(tf, tf.math.cumprod, [2.0, 0.0, 3.0, 0.0], second=False)


def norms_at_zero(tf):
    x = [[0.0, 0.0], [3.0, 4.0]]
    return [
        _slopes(tf, lambda x: tf.norm(x, axis=1), x, second=False),
        _slopes(tf, lambda x: tf.norm(x, ord=1, axis=1), x, second=False),
        _slopes(tf, lambda x: tf.norm(x, ord=np.inf, axis=1), x, second=False),
        _slopes(tf, lambda x: tf.math.l2_normalize(x, axis=1), x, second=False),
        _slopes(tf, lambda x: tf.math.reduce_std(x, axis=1), x, second=False),
    ]


def divisions_without_nan(tf):
    x, y = [1.0, 0.0, 3.0], [0.0, 0.0, 2.0]
    functions = tf.math.divide_no_nan, tf.math.multiply_no_nan, tf.math.xlogy, tf.math.xdivy
    return [_slopes(tf, f, x, y) for f in functions], _slopes(
        tf, tf.math.reciprocal_no_nan, [0.0, 2.0]
    )


def where_with_a_branch_of_nan(tf):
    def plain(x):
        return tf.where(x > 0.0, tf.math.log(x), tf.zeros_like(x))

    def safe(x):
        return tf.where(x > 0.0, tf.math.log(tf.where(x > 0.0, x, 1.0)), 0.0)

    return [_slopes(tf, f, [0.0, 2.0, -1.0], second=False) for f in (plain, safe)]


def kinks(tf):
    x = [0.0, -0.0, 1.0, -1.0, 6.0]
    functions = tf.abs, tf.nn.relu, tf.nn.relu6, tf.nn.elu, tf.nn.leaky_relu, tf.sign, tf.floor
    clipped = _slopes(tf, lambda x: tf.clip_by_value(x, -1.0, 1.0), x, second=False)
    return [_slopes(tf, f, x, second=False) for f in functions], clipped


def complex_numbers_are_conjugated(tf):
    z = np.array([1 + 2j, 0.5 - 1j], np.complex64)
    functions = tf.square, tf.exp, tf.math.reciprocal, tf.abs, tf.math.real, tf.math.angle
    multiplied = _slopes(tf, lambda a, b: a * b, z, z * 2, second=False)
    return [_slopes(tf, f, z, second=False) for f in functions], multiplied


def the_size_of_a_complex_zero(tf):
    return _slopes(tf, tf.abs, np.array([0j, 3 + 4j], np.complex64), second=False)


def sorting(tf):
    x = [3.0, 1.0, 2.0, 2.0]
    return [
        _slopes(tf, lambda x: tf.sort(x) * [1.0, 2.0, 3.0, 4.0], x),
        _slopes(tf, lambda x: tf.sort(x, direction="DESCENDING") * [1.0, 2.0, 3.0, 4.0], x),
        _slopes(tf, lambda x: tf.math.top_k(x, 2)[0] * [1.0, 2.0], x),
        _slopes(tf, lambda x: tf.reduce_max(x) * tf.reduce_min(x), x, second=False),
    ]


def segments(tf):
    data, ids = [[1.0, 2.0], [3.0, 0.0], [3.0, 5.0]], [0, 0, 2]
    unsorted = "sum mean max min prod sqrt_n".split()

    def ordered(name):
        return _slopes(tf, lambda x: getattr(tf.math, f"segment_{name}")(x, ids), data)

    def scattered(name):
        function = getattr(tf.math, f"unsorted_segment_{name}")
        return _slopes(tf, lambda x: function(x, [1, -1, 1], 3), data, second=False)

    return [ordered(n) for n in "sum mean max min prod".split()], [scattered(n) for n in unsorted]


def fourier_transforms(tf):
    z = np.arange(8).reshape(2, 4).astype(np.complex64) * (1 - 0.5j)
    x = np.arange(8, dtype=np.float32).reshape(2, 4)
    signal = tf.signal
    return [
        *(_slopes(tf, f, z, second=False) for f in (signal.fft, signal.ifft, signal.fft2d)),
        *(_slopes(tf, f, x, second=False) for f in (signal.rfft, signal.rfft2d)),
        *(_slopes(tf, f, z, second=False) for f in (signal.irfft, signal.irfft2d)),
        _slopes(tf, lambda x: tf.abs(signal.stft(x, 4, 2)), x[0], second=False),
        _slopes(tf, lambda x: signal.dct(x), x),
    ]


def decompositions(tf):
    a = np.array([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]])
    tall = np.array([[1.0, 2.0], [3.0, 5.0], [-1.0, 1.0]])
    linalg = tf.linalg

    def square_sums(parts):
        return sum(tf.reduce_sum(tf.abs(p) ** 3) for p in parts)

    return [
        _slopes(tf, linalg.cholesky, a, second=False),
        _slopes(tf, lambda a: square_sums(linalg.eigh(a)), a, second=False),
        _slopes(tf, linalg.eigvalsh, a, second=False),
        _slopes(tf, lambda a: square_sums(linalg.qr(a)), tall, second=False),
        _slopes(tf, lambda a: square_sums(linalg.svd(a)), tall, second=False),
        _slopes(tf, lambda a: linalg.svd(a, compute_uv=False), tall, second=False),
        _slopes(tf, linalg.inv, a),
        _slopes(tf, linalg.logdet, a),
        _slopes(tf, linalg.det, a),
        _slopes(tf, linalg.solve, a, tall),
        _slopes(tf, linalg.expm, a, second=False),
        _slopes(tf, linalg.sqrtm, a, second=False),
    ]


def resizing_images(tf):
    x = np.arange(16, dtype=np.float32).reshape(1, 4, 4, 1)
    methods = "bilinear nearest bicubic lanczos3".split()
    return [
        _slopes(tf, lambda x, m=m: tf.image.resize(x, [3, 5], method=m) ** 2, x, second=False)
        for m in methods
    ]


def logarithms_of_sums(tf):
    x = [[1.0, -INF], [-INF, -INF], [INF, 1.0]]
    return _slopes(tf, lambda x: tf.reduce_logsumexp(x, axis=1), x, second=False), _slopes(
        tf, tf.nn.log_softmax, [[1.0, 2.0], [0.0, 0.0]]
    )


def functions_at_their_limits(tf):
    return [
        _slopes(tf, tf.math.log, [0.0, 1.0], second=False),
        _slopes(tf, tf.math.log1p, [-1.0, 0.0], second=False),
        _slopes(tf, tf.asin, [1.0, 0.0], second=False),
        _slopes(tf, tf.acosh, [1.0, 2.0], second=False),
        _slopes(tf, tf.math.atan2, [0.0, 1.0], [0.0, 0.0], second=False),
        _slopes(tf, tf.math.sigmoid, [100.0, -100.0]),
        _slopes(tf, tf.math.softplus, [100.0, -100.0, 0.0]),
        _slopes(tf, tf.math.expm1, [0.0, -50.0]),
    ]


def python_functions_that_leave_tensors(tf):
    """Their gradient is zero, not None, for every argument, in eager mode as in a graph."""

    def slopes(fn):
        x, y = tf.constant(3.0), tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            z = tf.py_function(fn, [x, y], tf.float32)
        # TensorFlow's zeros may be a scalar for a vector.
        return [tf.reduce_sum(slope) for slope in tape.gradient(z, [x, y])]

    fns = [
        lambda x, y: x.numpy() * 2,
        lambda x, y: 7.0,
        lambda x, y: tf.stop_gradient(x),
        lambda x, y: x * y.numpy(),
    ]
    return [[slopes(fn), tf.function(slopes)(fn)] for fn in fns]


def python_functions_run_once_for_their_gradient(tf):
    seen = []

    def square(x):
        seen.append(float(x))
        return x * x

    @tf.function
    def outside(x):
        return tf.py_function(square, [x], tf.float32) * 2.0

    @tf.function
    def in_a_branch(x):
        return tf.cond(x > 0, lambda: tf.py_function(square, [x], tf.float32), lambda: x)

    @tf.function
    def inside(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.py_function(square, [x], tf.float32)
        return tape.gradient(y, x)

    def slope(fn, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = fn(x)
        return tape.gradient(y, x)

    found = []
    for value in (3.0, -2.0, 4.0):
        x = tf.constant(value)
        found += [slope(outside, x), slope(in_a_branch, x), inside(x)]
    return [found, seen]


def _rows_of(tf, op):
    """The gradient of some rows of what an op makes, at once and traced."""
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])

    def run():
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.gather(op(x), [2, 0])
        return tf.convert_to_tensor(tape.gradient(y, x))

    return [run(), tf.function(run)()]


def rows_of_joined_tensors(tf):
    return _rows_of(tf, lambda x: tf.concat([x, x * 2.0], 1))


def rows_of_the_larger_of_two(tf):
    return _rows_of(tf, lambda x: tf.maximum(x, 2.5))


def rows_of_clipped_values(tf):
    return _rows_of(tf, lambda x: tf.clip_by_value(x, 0.0, 3.5))


def rows_of_one_value_many_times(tf):
    return _rows_of(tf, lambda x: tf.fill([3, 2], x[0, 0]))


def rows_of_a_derivative(tf):
    def op(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:
            y = tf.tanh(x) + tf.reduce_sum(x)
        return acc.jvp(y)

    return _rows_of(tf, op)


def rows_of_a_branch(tf):
    return _rows_of(tf, lambda x: tf.cond(x[0, 0] > 0.0, lambda: x * 2.0, lambda: x))


def rows_of_another_dtype(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather(tf.cast(x, tf.float64), [1])
    found = tape.gradient(y, x)
    return [isinstance(found, tf.IndexedSlices), found.values, found.indices]


def slices_as_output_gradients(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    row = tf.IndexedSlices(tf.constant([[1.0, 10.0]]), tf.constant([1]), tf.constant([2, 2]))
    return tape.gradient(y, x, output_gradients=row)
