"""Programs about `tf.custom_gradient` and what is built on it; see `cases.py`."""

import numpy as np


def _grad(tf, f, *args):
    with tf.GradientTape() as tape:
        tape.watch(args)
        y = f(*args)
    return y, tape.gradient(y, list(args))


def _second(tf, f, x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = f(x)
        g = inner.gradient(y, x)
    return y, g, outer.gradient(g, x)


def the_gradient_is_the_given_one(tf):
    @tf.custom_gradient
    def f(x):
        return x * x, lambda dy: dy * 100.0

    return _grad(tf, f, tf.constant([1.0, 2.0]))


def a_stable_log1pexp_at_two_orders(tf):
    @tf.custom_gradient
    def f(x):
        e = tf.exp(x)

        def grad(upstream):
            return upstream * (1 - 1 / (1 + e))

        return tf.math.log(1 + e), grad

    return _second(tf, f, tf.constant([0.5, 20.0]))


def several_arguments(tf):
    @tf.custom_gradient
    def f(x, y):
        return x * y, lambda dz: (dz * 10.0, dz * 20.0)

    return _grad(tf, f, tf.constant(2.0), tf.constant(3.0))


def a_list_of_gradients(tf):
    @tf.custom_gradient
    def f(x, y):
        return x * y, lambda dz: [dz * 10.0, None]

    return _grad(tf, f, tf.constant(2.0), tf.constant(3.0))


def several_results(tf):
    @tf.custom_gradient
    def f(x):
        def grad(da, db):
            return da * 10.0 + db * 1000.0

        return (x * x, x + 1.0), grad

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        a, b = f(x)
        y = a + 2.0 * b
    return a, b, tape.gradient(y, x)


def one_of_several_results_is_used(tf):
    @tf.custom_gradient
    def f(x):
        def grad(da, db):
            return da * 10.0 + (0.0 if db is None else db * 1000.0)

        return (x * x, x + 1.0), grad

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        a, _ = f(x)
    return tape.gradient(a, x)


def results_in_a_dict(tf):
    @tf.custom_gradient
    def f(x):
        def grad(da, db):
            return da * 10.0 + db * 1000.0

        return {"b": x * x, "a": x + 1.0}, grad

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        found = f(x)
        y = found["a"] + 2.0 * found["b"]
    return found, tape.gradient(y, x)


def an_argument_that_is_a_list(tf):
    @tf.custom_gradient
    def f(xs):
        return xs[0] * xs[1], lambda dy: [[dy * 2.0, dy * 3.0]]

    a, b = tf.constant(2.0), tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = f([a, b])
    return tape.gradient(y, [a, b])


def returning_an_argument_itself(tf):
    @tf.custom_gradient
    def f(x):
        return x, lambda dy: -dy

    return _grad(tf, f, tf.constant([1.0, 2.0]))


def a_python_number_as_argument(tf):
    @tf.custom_gradient
    def f(x, y):
        return x * y, lambda dz: (dz * 10.0, dz * 20.0)

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, 3.0)
    return y, tape.gradient(y, x)


def keyword_arguments(tf):
    @tf.custom_gradient
    def f(x, scale=1.0):
        return x * scale, lambda dy: dy * 100.0

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x, scale=3.0)
    return y, tape.gradient(y, x)


def keyword_arguments_inside_a_function_raise(tf):
    @tf.custom_gradient
    def f(x, scale=1.0):
        return x * scale, lambda dy: dy * 100.0

    return tf.function(lambda x: f(x, scale=2.0))(tf.constant(1.0))


def the_decorator_called_without_a_function(tf):
    @tf.custom_gradient
    def f(x):
        return x * x, lambda dy: dy * 100.0

    return f.__name__, _grad(tf, f, tf.constant(2.0))


def a_method(tf):
    class Scaled:
        scale = 5.0

        @tf.custom_gradient
        def f(self, x):
            return x * self.scale, lambda dy: dy * 100.0

    return _grad(tf, Scaled().f, tf.constant(2.0))


def a_variable_that_is_used(tf):
    v = tf.Variable(3.0)

    @tf.custom_gradient
    def f(x):
        def grad(dy, variables=None):
            return dy * 10.0, [dy * 7.0 for _ in variables]

        return x * v, grad

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return y, tape.gradient(y, [x, v])


def a_variable_that_is_used_twice(tf):
    v = tf.Variable(3.0)

    @tf.custom_gradient
    def f(x):
        def grad(dy, variables=None):
            return dy * 10.0, [dy * float(len(variables))]

        return x * v + v, grad

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return y, tape.gradient(y, [x, v])


def a_gradient_function_with_any_keywords(tf):
    v = tf.Variable(3.0)

    @tf.custom_gradient
    def f(x):
        return x * v, lambda dy, **kwargs: (dy, [dy * 7.0 for _ in kwargs["variables"]])

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)
    return y, tape.gradient(y, [x, v])


def a_gradient_function_that_takes_variables_when_there_are_none(tf):
    @tf.custom_gradient
    def f(x):
        return x * x, lambda dy, variables=None: dy if variables is None else None

    return _grad(tf, f, tf.constant(2.0))


def a_variable_and_a_gradient_function_that_does_not_take_it(tf):
    v = tf.Variable(3.0)

    @tf.custom_gradient
    def f(x):
        return x * v, lambda dy: dy

    return f(tf.constant(2.0))


def too_few_gradients_of_variables(tf):
    v = tf.Variable(3.0)

    @tf.custom_gradient
    def f(x):
        return x * v, lambda dy, variables=None: (dy, [])

    return _grad(tf, f, tf.constant(2.0))


def a_variable_as_argument(tf):
    v = tf.Variable(3.0)

    @tf.custom_gradient
    def f(x):
        return x * x, lambda dy: dy * 100.0

    with tf.GradientTape() as tape:
        y = f(v)
    return y, tape.gradient(y, v)


def a_variable_that_is_not_trainable(tf):
    v = tf.Variable(3.0, trainable=False)

    @tf.custom_gradient
    def f(x):
        return x * v, lambda dy: dy * 100.0

    return _grad(tf, f, tf.constant(2.0))


def too_few_gradients(tf):
    @tf.custom_gradient
    def f(x, y):
        return x * y, lambda dz: dz

    return _grad(tf, f, tf.constant(2.0), tf.constant(3.0))


def too_many_gradients(tf):
    @tf.custom_gradient
    def f(x):
        return x * x, lambda dz: (dz, dz)

    return _grad(tf, f, tf.constant(2.0))


def a_gradient_of_another_dtype(tf):
    @tf.custom_gradient
    def f(x):
        return x * x, lambda dz: 7.0 * dz

    return _grad(tf, f, tf.constant(2.0, tf.float64))


def no_gradient_function(tf):
    @tf.custom_gradient
    def f(x):
        return x

    return f(tf.constant(2.0))


def a_custom_gradient_inside_another(tf):
    @tf.custom_gradient
    def inner(x):
        return x * x, lambda dy: dy * 10.0

    @tf.custom_gradient
    def outer(x):
        y = inner(x)

        def grad(dy):
            with tf.GradientTape() as tape:
                tape.watch(x)
                z = inner(x)
            return tape.gradient(z, x) * dy * 2.0

        return y, grad

    return _grad(tf, outer, tf.constant(2.0))


def a_custom_gradient_of_a_custom_gradient(tf):
    @tf.custom_gradient
    def f(x):
        y = x * x

        @tf.custom_gradient
        def first(dy):
            def second(ddy):
                return ddy * 100.0

            return dy * 2.0 * x, second

        return y, first

    return _grad(tf, f, tf.constant(2.0))


def inside_a_function(tf):
    @tf.custom_gradient
    def f(x):
        return x * x, lambda dy: dy * 100.0

    @tf.function
    def g(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x) * 2.0
        return tape.gradient(y, x)

    return g(tf.constant([2.0, 3.0]))


def in_a_function_that_is_differentiated(tf):
    @tf.custom_gradient
    def f(x):
        e = tf.exp(x)
        return e, lambda dy: dy * e * 100.0

    return _grad(tf, tf.function(lambda x: f(x) * 2.0), tf.constant([0.5, 0.25]))


def with_a_variable_in_a_function_that_is_differentiated(tf):
    v = tf.Variable(3.0)

    @tf.custom_gradient
    def f(x):
        return x * v, lambda dy, variables=None: (dy * 10.0, [dy * 7.0 for _ in variables])

    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(f)(x)
    return y, tape.gradient(y, [x, v])


def a_function_inside_a_function(tf):
    @tf.custom_gradient
    def f(x):
        e = tf.exp(x)
        return e, lambda dy: dy * e * 100.0

    inner = tf.function(lambda x: f(x) * 2.0)
    return _grad(tf, tf.function(lambda x: inner(x) + 1.0), tf.constant([0.5, 0.25]))


def second_order_inside_a_function(tf):
    @tf.custom_gradient
    def f(x):
        e = tf.exp(x)
        return e, lambda dy: dy * e

    return _second(tf, tf.function(f), tf.constant([0.5, 0.25]))


def recompute_grad_gives_the_same(tf):
    def f(x, y):
        return tf.exp(x) * y

    return _grad(tf, tf.recompute_grad(f), tf.constant([0.5, 1.0]), tf.constant([2.0, 3.0]))


def recompute_grad_with_variables(tf):
    v = tf.Variable([2.0, 3.0])

    def f(x):
        return tf.exp(x) * v

    x = tf.constant([0.5, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.recompute_grad(f)(x)
    return y, tape.gradient(y, [x, v])


def recompute_grad_runs_the_function_again(tf):
    calls = []

    def f(x):
        calls.append(1)
        return x * x

    found = _grad(tf, tf.recompute_grad(f), tf.constant(3.0))
    return found, len(calls)


def recompute_grad_inside_a_function(tf):
    def f(x):
        return tf.exp(x) * x

    return _grad(tf, tf.function(tf.recompute_grad(f)), tf.constant([0.5, 1.0]))


def recompute_grad_at_the_second_order(tf):
    return _second(tf, tf.recompute_grad(lambda x: tf.exp(x) * x), tf.constant([0.5, 1.0]))


def grad_pass_through_rounding(tf):
    return _grad(tf, tf.grad_pass_through(tf.round), tf.constant([0.4, 1.6]))


def grad_pass_through_with_a_variable(tf):
    v = tf.Variable(3.0)
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.grad_pass_through(lambda x: x * v)(x)
    return y, tape.gradient(y, [x, v])


def grad_pass_through_of_an_assignment(tf):
    v = tf.Variable(1.0)
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        z = tf.grad_pass_through(v.assign)(y) * 3.0
    return z, tape.gradient(z, x), v.read_value()


def a_numpy_computation_with_its_gradient(tf):
    @tf.custom_gradient
    def f(x):
        value = x.numpy()
        return tf.constant(np.sinh(value)), lambda dy: dy * tf.constant(np.cosh(value))

    return _grad(tf, f, tf.constant([0.5, 1.0]))
