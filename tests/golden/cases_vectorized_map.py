"""Programs about `tf.vectorized_map`; see `cases.py`."""

import numpy as np

_X = np.random.default_rng(3).uniform(-1, 1, (3, 4)).astype(np.float32)
_W = np.random.default_rng(4).uniform(-1, 1, (4, 2)).astype(np.float32)


def rows_of_a_matrix(tf):
    return tf.vectorized_map(lambda x: tf.reduce_sum(x * x), tf.constant(_X))


def several_tensors(tf):
    return tf.vectorized_map(
        lambda e: e[0] * e[1] + 1.0, (tf.constant([1.0, 2.0]), tf.constant([[3.0], [4.0]]))
    )


def a_dict_in_and_out(tf):
    elems = {"a": tf.constant([1.0, 2.0]), "b": tf.constant([3.0, 4.0])}
    return tf.vectorized_map(lambda e: {"sum": e["a"] + e["b"], "pair": [e["a"], e["b"]]}, elems)


def something_captured(tf):
    w = tf.constant(_W)
    return tf.vectorized_map(lambda x: tf.linalg.matvec(w, x, transpose_a=True), tf.constant(_X))


def a_variable_captured(tf):
    v = tf.Variable([1.0, 2.0, 3.0, 4.0])
    return tf.vectorized_map(lambda x: x * v, tf.constant(_X))


def a_result_that_does_not_vary(tf):
    return tf.vectorized_map(lambda x: tf.constant(7.0), tf.constant(_X))


def a_first_dimension_of_one(tf):
    return tf.vectorized_map(
        lambda e: e[0] + e[1], (tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([[10.0, 20.0]]))
    )


def integers(tf):
    return tf.vectorized_map(lambda i: tf.range(3) + i, tf.range(4))


def the_gradient(tf):
    x, w = tf.constant(_X), tf.constant(_W)
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        y = tf.vectorized_map(lambda r: tf.tanh(tf.linalg.matvec(w, r, transpose_a=True)), x)
    return tape.gradient(y, [x, w])


def the_gradient_of_a_variable(tf):
    v = tf.Variable([1.0, 2.0, 3.0, 4.0])
    with tf.GradientTape() as tape:
        y = tf.vectorized_map(lambda x: tf.exp(x * v), tf.constant(_X))
    return tape.gradient(y, v)


def gradients_of_each_example(tf):
    v = tf.Variable([1.0, 2.0, 3.0, 4.0])

    def one(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(x * v))
        return tape.gradient(loss, v)

    return tf.vectorized_map(one, tf.constant(_X))


def the_second_gradient(tf):
    x = tf.constant(_X)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.vectorized_map(lambda r: tf.reduce_sum(r * r * r), x)
        g = inner.gradient(y, x)
    return g, outer.gradient(g, x)


def inside_a_function(tf):
    v = tf.Variable([1.0, 2.0, 3.0, 4.0])

    @tf.function
    def f(x):
        return tf.vectorized_map(lambda r: tf.reduce_sum(r * v), x)

    return f(tf.constant(_X))


def inside_a_function_of_unknown_size(tf):
    @tf.function(input_signature=[tf.TensorSpec([None, 4], tf.float32)])
    def f(x):
        return tf.vectorized_map(lambda r: r / tf.norm(r), x)

    return f(tf.constant(_X))


def nested(tf):
    return tf.vectorized_map(
        lambda row: tf.vectorized_map(lambda e: e * e + 1.0, row), tf.constant(_X)
    )


def a_condition(tf):
    return tf.vectorized_map(
        lambda x: tf.cond(tf.reduce_sum(x) > 0.0, lambda: x * 2.0, lambda: -x), tf.constant(_X)
    )


def a_jacobian_by_hand(tf):
    x = tf.constant([1.0, 2.0, 3.0])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.exp(x) * x[0]
    return tf.vectorized_map(lambda seed: tape.gradient(y, x, output_gradients=seed), tf.eye(3))


def _gradients(tf, fn, *sources):
    """At once and traced; then which of them are a `tf.IndexedSlices`, and which None."""

    def run():
        with tf.GradientTape() as tape:
            for source in sources:
                tape.watch(source)
            y = fn()
        found = tape.gradient(y, list(sources))
        kinds.append([g is not None and isinstance(g, tf.IndexedSlices) for g in found])
        kinds.append([g is None for g in found])
        return [tf.convert_to_tensor(g) for g in found if g is not None]

    kinds = []
    return [run(), tf.function(run)(), kinds]


def gradient_of_a_captured_tensor_of_which_rows_are_gathered(tf):
    x, places = tf.constant(_X), tf.constant([2, 0, 2, 1])
    return _gradients(tf, lambda: tf.vectorized_map(lambda i: tf.gather(x, i) * 2.0, places), x)


def gradient_of_a_captured_tensor_of_which_several_rows_are_gathered(tf):
    x, places = tf.constant(_X), tf.constant([[2, 0], [2, 1]])
    return _gradients(tf, lambda: tf.vectorized_map(lambda i: tf.gather(x, i) * 2.0, places), x)


def gradient_of_a_variable_of_which_rows_are_gathered(tf):
    v, places = tf.Variable(_X), tf.constant([2, 0, 2, 1])
    return _gradients(tf, lambda: tf.vectorized_map(lambda i: tf.gather(v, i) * 2.0, places), v)


def gradient_of_what_the_result_does_not_depend_on(tf):
    x, c = tf.constant(_X), tf.constant(2.0)

    def one(row):
        tf.where(c > 0.0, c, 0.0)
        return tf.sin(row)

    return _gradients(tf, lambda: tf.vectorized_map(one, x), x, c)


def gradient_where_nothing_is_reached(tf):
    x, c = tf.constant(_X), tf.constant(0.1)
    compared = lambda: tf.vectorized_map(lambda row: tf.cast(row > c, tf.float32), x)  # noqa: E731
    return _gradients(tf, compared, x, c)
