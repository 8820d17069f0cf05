"""Programs about `tf.autodiff.ForwardAccumulator`; see `cases.py`."""


def a_product(tf):
    x = tf.constant([2.0, 3.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 10.0])) as acc:
        y = x * x + x
    return y, acc.jvp(y)


def many_ops(tf):
    x = tf.constant([[0.5, 1.5], [2.5, 0.25]])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([[1.0, 2.0], [3.0, 4.0]])) as acc:
        y = tf.exp(x) / x
        z = tf.reduce_sum(tf.matmul(y, x), axis=1, keepdims=True) - tf.sqrt(x)
        w = tf.concat([z, tf.maximum(x - 1.0, 0.0)], axis=0)
    return acc.jvp([y, z, w])


def several_primals(tf):
    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.autodiff.ForwardAccumulator([x, y], [tf.constant(1.0), tf.constant(10.0)]) as acc:
        z = x * y
    return acc.jvp(z)


def a_dict_of_primals(tf):
    x, y = tf.constant(2.0), tf.constant(3.0)
    with tf.autodiff.ForwardAccumulator(
        {"x": x, "y": y}, {"x": tf.constant(1.0), "y": tf.constant(10.0)}
    ) as acc:
        z = {"a": x * y, "b": [x + y]}
    return acc.jvp(z)


def the_primal_itself(tf):
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(5.0)) as acc:
        pass
    return acc.jvp(x)


def a_variable(tf):
    v = tf.Variable([2.0, 3.0])
    with tf.autodiff.ForwardAccumulator(v, tf.constant([1.0, 10.0])) as acc:
        y = v * v
    return acc.jvp(y), acc.jvp(v)


def something_unconnected(tf):
    x, y = tf.constant(2.0), tf.constant([3.0, 4.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        z = y * y
    return (
        acc.jvp(z),
        acc.jvp(z, unconnected_gradients="zero"),
        acc.jvp(z, tf.UnconnectedGradients.ZERO),
    )


def computed_outside(tf):
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        y = x * x
    z = y * x
    return acc.jvp(y), acc.jvp(z)


def entered_again(tf):
    x = tf.constant(2.0)
    acc = tf.autodiff.ForwardAccumulator(x, tf.constant(1.0))
    with acc:
        y = x * x
    with acc:
        z = y * x
    return acc.jvp(z)


def entered_twice(tf):
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc, acc:
        return None


def a_tangent_of_another_dtype(tf):
    return tf.autodiff.ForwardAccumulator(tf.constant([1.0, 2.0]), tf.constant([1, 2]))


def a_tangent_as_a_list(tf):
    x = tf.constant(2.0)
    with tf.autodiff.ForwardAccumulator([x], [1.0]) as acc:
        y = x * x
    return acc.jvp(y)


def another_structure(tf):
    x, y = tf.constant(2.0), tf.constant(3.0)
    return tf.autodiff.ForwardAccumulator([x, y], [tf.constant(1.0)])


def the_same_primal_twice(tf):
    x = tf.constant(2.0)
    return tf.autodiff.ForwardAccumulator([x, x], [tf.constant(1.0), tf.constant(1.0)])


def an_integer_on_the_way(tf):
    x = tf.constant(2.5)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        y = tf.cast(tf.cast(x, tf.int32), tf.float32)
    return acc.jvp(y)


def stop_gradient(tf):
    x = tf.constant(2.5)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as acc:
        y = tf.stop_gradient(x) * x
    return acc.jvp(y)


def broadcasting(tf):
    x, b = tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([10.0, 20.0])
    with tf.autodiff.ForwardAccumulator(b, tf.constant([1.0, -1.0])) as acc:
        y = x * b + b
    return acc.jvp(y)


def several_outputs(tf):
    x = tf.constant([1.0, 2.0, 3.0, 4.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 10.0, 100.0, 1000.0])) as acc:
        a, b = tf.split(x, 2)
        c = a * b
    return acc.jvp([a, b, c])


def gathering(tf):
    x = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.autodiff.ForwardAccumulator(x, x * 10.0) as acc:
        y = tf.gather(x, [2, 0, 2]) ** 2
    return acc.jvp(y)


def gathering_from_a_variable(tf):
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.autodiff.ForwardAccumulator(v, v * 10.0) as acc:
        y = tf.gather(v, [2, 0, 2]) ** 2
    return acc.jvp(y)


def a_nested_accumulator_gives_second_derivatives(tf):
    x = tf.constant([2.0, 3.0])
    t = tf.constant([1.0, 1.0])
    with tf.autodiff.ForwardAccumulator(x, t) as outer:
        with tf.autodiff.ForwardAccumulator(x, t) as inner:
            y = tf.exp(x) * x * x
        first = inner.jvp(y)
    return first, outer.jvp(y), outer.jvp(first)


def three_nested_accumulators(tf):
    x, t = tf.constant(2.0), tf.constant(1.0)
    with tf.autodiff.ForwardAccumulator(x, t) as a:
        with tf.autodiff.ForwardAccumulator(x, t) as b:
            with tf.autodiff.ForwardAccumulator(x, t) as c:
                y = x * x * x * x
            first = c.jvp(y)
        second = b.jvp(first)
    return first, second, a.jvp(second)


def hessian_vector_product_forward_over_reverse(tf):
    x = tf.constant([2.0, 3.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 2.0])) as acc:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.exp(x) * x) * x[0]
        g = tape.gradient(y, x)
    return g, acc.jvp(g)


def hessian_vector_product_of_a_variable(tf):
    v = tf.Variable([2.0, 3.0])
    with tf.autodiff.ForwardAccumulator(v, tf.constant([1.0, 2.0])) as acc:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.exp(v) * v)
        g = tape.gradient(y, v)
    return g, acc.jvp(g)


def hessian_vector_product_reverse_over_forward(tf):
    x = tf.constant([2.0, 3.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 2.0])) as acc:
            y = tf.exp(x) * x
        j = acc.jvp(y)
    return j, tape.gradient(j, x)


def a_tape_inside_sees_the_tangents(tf):
    x = tf.constant([2.0, 3.0])
    acc = tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 2.0]))
    with acc, tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x * x
        j = acc.jvp(y)
    return tape.gradient(j, x)


def a_custom_gradient(tf):
    @tf.custom_gradient
    def f(x):
        return x * x, lambda dy: dy * 100.0

    x = tf.constant([2.0, 3.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 2.0])) as acc:
        y = f(x) * 2.0
    return acc.jvp(y)


def a_function(tf):
    f = tf.function(lambda x: tf.exp(x) * x)
    x = tf.constant([0.5, 1.0])
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 2.0])) as acc:
        y = f(x) * 2.0
    return acc.jvp(y)


def inside_a_function(tf):
    @tf.function
    def f(x):
        with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0, 2.0])) as acc:
            y = tf.exp(x) * x
        return acc.jvp(y)

    return f(tf.constant([0.5, 1.0]))


def hessian_vector_product_inside_a_function(tf):
    v = tf.Variable([2.0, 3.0])

    @tf.function
    def f(t):
        with tf.autodiff.ForwardAccumulator(v, t) as acc:
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(tf.exp(v) * v)
            g = tape.gradient(y, v)
        return acc.jvp(g)

    return f(tf.constant([1.0, 2.0]))


def complex_numbers(tf):
    x = tf.constant([1.0 + 2.0j, 3.0 - 1.0j], tf.complex64)
    with tf.autodiff.ForwardAccumulator(x, tf.constant([1.0 + 0.5j, 2.0j], tf.complex64)) as acc:
        y = x * x * (1.0 + 1.0j)
    return acc.jvp(y)


def a_function_of_which_an_output_depends_on_other_inputs_alone(tf):
    fn = tf.function(lambda x, y: (y * 3.0, tf.cast(x > 1.0, tf.float32), tf.cast(y, tf.float64)))
    x, y = tf.constant([1.0, 2.0]), tf.constant([1.0])
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as acc:
        results = fn(x, y)
        total = tf.reduce_sum(results[0])
    return [str(acc.jvp(result)) for result in (*results, total)]
