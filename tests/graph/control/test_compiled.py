"""Loops of XLA: what they carry, what they pile up, and what is left for after them."""

import re

import numpy as np
import pytest

import runnel as tf

RANDOM = np.random.default_rng(3)
X = RANDOM.standard_normal((6, 3, 4)).astype(np.float32)
W = RANDOM.standard_normal((4, 4)).astype(np.float32) / 2

# Which row of the sequence an iteration takes.
ROWS = {
    "in turn": lambda t: t,
    "from the end": lambda t: 5 - t,
    "counted from the end": lambda t: t - 6,
    "one later": lambda t: tf.minimum(t + 1, 5),
    "each twice": lambda t: t // 2,
    "one only": lambda t: t * 0 + 2,
}


def states(x, w, row, steps, most):
    """The states of a recurrent network after `steps` of at most `most` steps, and the last one."""

    def step(t, h, found):
        h = tf.tanh(tf.matmul(h, w) + x[row(t)]) * tf.sigmoid(h)
        return t + 1, h, found.write(t, h)

    kept = tf.TensorArray(tf.float32, most, element_shape=(3, 4))
    start = (tf.constant(0), tf.ones([3, 4]), kept)
    _, last, kept = tf.while_loop(lambda t, *_: t < steps, step, start, maximum_iterations=most)
    return kept.stack(), last


def gradients(x, w, row, steps, most, sequence=True):
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        every, last = states(x, w, row, steps, most)
        loss = tf.reduce_sum(tf.square(every if sequence else last))
    return tape.gradient(loss, [x, w])


def same(got, want, tolerance=2e-5):
    def close(a, b):
        return a.shape == b.shape and np.allclose(a, b, rtol=tolerance, atol=1e-5)

    pairs = list(zip(got, want, strict=True))
    return bool(pairs) and all(close(a, b) for a, b in pairs)


@pytest.mark.parametrize("steps", [6, 4])
@pytest.mark.parametrize("row", ROWS)
def test_gradients_of_sequences_are_those_of_eager_mode(row, steps):
    x, w = tf.constant(X), tf.constant(W)
    compiled = tf.function(lambda n: gradients(x, w, ROWS[row], n, 6), jit_compile=True)
    assert same(compiled(tf.constant(steps)), gradients(x, w, ROWS[row], steps, 6))


@pytest.mark.parametrize("steps", [0, 4])
def test_gradients_of_a_last_state_are_those_of_eager_mode(steps):
    x, w = tf.constant(X), tf.constant(W)
    run = lambda n: gradients(x, w, ROWS["in turn"], n, 6, sequence=False)  # noqa: E731
    want = [tf.zeros_like(x), tf.zeros_like(w)] if steps == 0 else run(steps)
    assert same(tf.function(run, jit_compile=True)(tf.constant(steps)), want)


def test_gradients_across_programs_that_are_compiled_apart():
    x, w = tf.constant(X), tf.constant(W)
    forward = tf.function(lambda x, w: states(x, w, ROWS["in turn"], 6, 6)[0], jit_compile=True)
    with tf.GradientTape() as tape:
        tape.watch([x, w])
        loss = tf.reduce_sum(tf.square(forward(x, w)))
    assert same(tape.gradient(loss, [x, w]), gradients(x, w, ROWS["in turn"], 6, 6))


def test_second_order():
    x, w = tf.constant(X), tf.constant(W)

    def second():
        with tf.GradientTape() as tape:
            tape.watch([x, w])
            dx, dw = gradients(x, w, ROWS["in turn"], 6, 6)
            loss = tf.reduce_sum(dx * dx) + tf.reduce_sum(dw * dw)
        return tape.gradient(loss, [x, w])

    assert same(tf.function(second, jit_compile=True)(), second(), 2e-4)


def test_rows_are_added_to_what_is_there():
    def added(start, rows):
        step = lambda t, found: (t + 1, tf.tensor_scatter_nd_add(found, [[t]], rows[t][None]))  # noqa: E731
        return tf.while_loop(lambda t, _: t < 4, step, (0, start), maximum_iterations=5)[1]

    start, rows = np.arange(16.0).reshape(8, 2), np.ones((5, 2)) * 100
    want = start + 100 * (np.arange(8) < 4)[:, None]
    np.testing.assert_array_equal(tf.function(added, jit_compile=True)(start, rows), want)


def test_a_condition_sees_a_sum_of_products():
    x = tf.ones([2, 2])

    def run():
        step = lambda n, total: (n + 1, total + tf.matmul(x, x, transpose_a=True))  # noqa: E731
        start = (0, tf.zeros([2, 2]))
        goes_on = lambda n, total: tf.reduce_sum(total) < 20.0  # noqa: E731
        return tf.while_loop(goes_on, step, start, maximum_iterations=10)

    count, total = tf.function(run, jit_compile=True)()
    assert int(count) == 3
    np.testing.assert_array_equal(total, np.full((2, 2), 6.0))


def test_loops_in_which_numerics_are_checked():
    tf.debugging.enable_check_numerics()
    try:
        x, w = tf.constant(X), tf.constant(W)
        fn = tf.function(lambda: gradients(x, w, ROWS["in turn"], 6, 6), jit_compile=True)
        same(fn(), gradients(x, w, ROWS["in turn"], 6, 6))
    finally:
        tf.debugging.disable_check_numerics()


def bodies(fn, *args):
    """The bodies of the loops of a compiled function, as XLA writes them."""
    text = fn.experimental_get_compiler_ir(*args)("optimized_hlo")
    names = re.findall(r"body=%([\w.\-]+)", text)
    parts = {part.split(" ", 1)[0].lstrip("%"): part for part in re.split(r"\n\n", text)}
    return [parts[name] for name in names]


def test_no_pile_is_copied_and_none_is_there_twice():
    layer = tf.keras.layers.LSTM(7, return_sequences=True)
    x = tf.constant(X)
    layer(x)

    @tf.function(jit_compile=True)
    def step(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            loss = tf.reduce_sum(tf.square(layer(x)))
        return tape.gradient(loss, [x, *layer.trainable_variables])

    forward, backward = bodies(step, x)
    # Four gates, the memory and its tanh, the state before and after; the gradient of the gates.
    for body, piles in ((forward, 8), (backward, 1)):
        assert not re.findall(r"= f32\[3,\d+,\d+\]\S* copy\(", body)
        assert len(re.findall(r"dynamic-update-slice\S* = f32\[3,", body)) == piles


def test_what_is_computed_before_a_loop_does_not_reach_its_condition():
    x = tf.constant(2.0)

    def step(t, h):
        scale = tf.exp(x)  # larger than the limit of `t`
        return t + 1.0, h * scale

    def run():
        with tf.GradientTape() as tape:
            tape.watch(x)
            start = (tf.constant(0.0), tf.constant(1.0))
            t, h = tf.while_loop(lambda t, h: t < 5.0, step, start, maximum_iterations=9)
        return t, tape.gradient(h, x)

    count, slope = tf.function(run, jit_compile=True)()
    assert float(count) == 5.0
    np.testing.assert_allclose(slope, 5 * np.exp(10.0), rtol=1e-5)
