"""Gradients of loops whose length only the run tells, and of loops in loops."""

import numpy as np
import pytest

import runnel as tf

X = np.linspace(-1.0, 1.0, 12, dtype=np.float32).reshape(3, 4)
W = np.linspace(-0.4, 0.5, 16, dtype=np.float32).reshape(4, 4)


@pytest.fixture(params=[False, True], ids=["interpreted", "compiled"])
def at_once(request):
    """Whether everything is compiled at its first run."""
    tf.config.optimizer.set_jit(request.param)
    yield
    tf.config.optimizer.set_jit(False)


def gradients(model, *sources):
    with tf.GradientTape() as tape:
        tape.watch([s for s in sources if isinstance(s, tf.Tensor)])
        loss = tf.reduce_sum(model(*sources) ** 2)
    return tape.gradient(loss, sources, unconnected_gradients="zero")


def halving(x, w, limit):
    """Steps until the values are small: how many depends on them."""
    x = tf.reshape(x, [3, 4])
    while tf.reduce_max(tf.abs(x)) > limit:
        x = tf.tanh(x @ w) * 0.5 + x * 0.4
    return x


LIMITS = [2.0, 0.9, 0.5, 0.11e-20, 1e-28]  # 0, 1, several, 64 and more iterations


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("limit", LIMITS)
def test_a_loop_of_unknown_length_has_the_gradient_it_has_eagerly(limit):
    x, w, limit = tf.constant(X), tf.Variable(W), tf.constant(limit)
    want = gradients(lambda x, w: halving(x, w, limit), x, w)
    fn = tf.function(lambda x: gradients(lambda x, w: halving(x, w, limit), x, w))
    for _ in range(2):
        for a, b in zip(want, fn(x)):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-30)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("count", [0, 1, 63, 64, 65, 200])
def test_a_range_of_unknown_length_has_the_gradient_it_has_eagerly(count):
    x, w = tf.constant(X), tf.constant(W * 1.5)

    def steps(x, w, n):
        for i in tf.range(n):
            x = tf.tanh(x @ w) + tf.cast(i, tf.float32) * 0.001
        return x

    want = gradients(lambda x, w: steps(x, w, tf.constant(count)), x, w)
    fn = tf.function(lambda n: gradients(lambda x, w: steps(x, w, n), x, w))
    for a, b in zip(want, fn(tf.constant(count))):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


@pytest.mark.usefixtures("at_once")
def test_a_variable_that_such_a_loop_changes_and_random_numbers_go_on_between_chunks():
    total, x = tf.Variable(0.0), tf.constant(2.0)

    @tf.function
    def run(n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(n):
                total.assign_add(1.0)
                y = y * 0.99 + x * total * 0.001
        return tape.gradient(y, x)

    found = run(tf.constant(150))
    assert total.numpy() == 150.0
    want = 0.99**150 + sum(0.001 * (k + 1) * 0.99 ** (149 - k) for k in range(150))
    np.testing.assert_allclose(found, want, rtol=1e-4)


@pytest.mark.usefixtures("at_once")
@pytest.mark.parametrize("inner", [3, None], ids=["known", "unknown"])
def test_a_loop_in_a_loop_has_the_gradient_it_has_eagerly(inner):
    x, w = tf.constant(X), tf.Variable(W)

    def model(x, w, n):
        for i in tf.range(4):
            for _ in tf.range(n):
                x = tf.tanh(x @ w) + 0.1
            x = x * tf.cast(i + 1, tf.float32)
        return x

    count = tf.constant(3)
    want = gradients(lambda x, w: model(x, w, count), x, w)
    fn = tf.function(lambda x, n: gradients(lambda x, w: model(x, w, inner or n), x, w))
    for a, b in zip(want, fn(x, count)):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)


def test_a_loop_in_a_loop_is_compiled_with_its_gradient():
    x, w = tf.constant(X), tf.Variable(W)

    def model(x, w):
        for _ in tf.range(4):
            for _ in tf.range(3):
                x = tf.tanh(x @ w)
        return x

    fn = tf.function(lambda x: gradients(model, x, w), jit_compile=True)
    for a, b in zip(gradients(model, x, w), fn(x)):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-6)
    assert "cut" not in str(fn.explain())


def test_values_whose_shape_changes_are_kept_one_by_one():
    x = tf.constant([1.0, 2.0])

    @tf.function
    def run(n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in tf.range(n):
                tf.autograph.experimental.set_loop_options(
                    shape_invariants=[(y, tf.TensorShape([None]))]
                )
                y = tf.concat([y * 2.0, y[:1]], 0)
            z = tf.reduce_sum(y * y)
        return tape.gradient(z, x)

    def eager(n):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x
            for _ in range(n):
                y = tf.concat([y * 2.0, y[:1]], 0)
            z = tf.reduce_sum(y * y)
        return tape.gradient(z, x)

    np.testing.assert_allclose(run(tf.constant(5)), eager(5))


def test_the_report_says_why_such_a_loop_is_cut_out_and_what_became_of_its_chunks():
    x, w = tf.constant(X), tf.Variable(W)
    limit = tf.constant(1e-6)
    fn = tf.function(lambda x: gradients(lambda x, w: halving(x, w, limit), x, w))
    tf.config.optimizer.set_jit(True)
    try:
        fn(x)
    finally:
        tf.config.optimizer.set_jit(False)
    report = str(fn.explain())
    assert "only the run tells how many iterations" in report
    assert "a chunk of 'while'" in report
