"""Loops of which one program serves many numbers of iterations: the answers are those without."""

import numpy as np
import pytest

import runnel as tf
from runnel.graph.capacity import programs
from runnel.graph.capacity.programs import Roomy, capacity

RANDOM = np.random.default_rng(5)
LAYERS = {
    "LSTM": lambda **how: tf.keras.layers.LSTM(3, **how),
    "GRU, all steps": lambda **how: tf.keras.layers.GRU(3, return_sequences=True, **how),
    "SimpleRNN, backwards": lambda **how: tf.keras.layers.SimpleRNN(3, go_backwards=True, **how),
    "Bidirectional": lambda **how: tf.keras.layers.Bidirectional(tf.keras.layers.GRU(2, **how)),
    "stacked cells": lambda **how: tf.keras.layers.RNN(
        [tf.keras.layers.GRUCell(2), tf.keras.layers.LSTMCell(3)], return_state=True, **how
    ),
    "ConvLSTM1D": lambda **how: tf.keras.layers.ConvLSTM1D(2, 2, return_sequences=True, **how),
}


@pytest.fixture
def made(monkeypatch):
    """What the programs with room to spare of a test were asked for, and whether they answered."""
    found = []
    run = Roomy.run

    def running(self, values):
        results = run(self, values)
        found.append((int(values[self._limit]), results is not None))
        return results

    monkeypatch.setattr(Roomy, "run", running)
    monkeypatch.setattr(programs, "SLOW", 0.0)
    return found


def test_capacities_are_few_and_never_too_small():
    sizes = [capacity(n) for n in range(1, 2000)]
    assert all(n <= size <= 2 * n for n, size in enumerate(sizes, 1))
    assert all(size <= 1.5 * n for n, size in enumerate(sizes, 1) if n > 256)
    assert len(set(sizes)) < 16
    assert all(capacity(size) == size for size in sizes)


def close(got, want):
    pairs = list(zip(tf.nest.flatten(got), tf.nest.flatten(want), strict=True))
    for a, b in pairs:
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5)
    return bool(pairs)


def with_gradients(call, variables, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        results = tf.nest.flatten(call(x))
        loss = tf.add_n([tf.reduce_sum(tf.square(y)) for y in results])
    return [*results, *tape.gradient(loss, [x, *variables])]


@pytest.mark.parametrize("kind", LAYERS)
def test_layers_answer_for_all_lengths_of_a_capacity_as_in_eager_mode(kind, made):
    layer, masked = LAYERS[kind](), not kind.startswith("Conv")
    dims = [None, None, 4] if masked else [None, None, 4, 2]

    def call(x):
        mask = tf.reduce_sum(x, -1) > -1 if masked else None
        return layer(x, mask=mask)

    def with_all_gradients(x):
        return with_gradients(call, layer.trainable_variables, x)

    call(tf.zeros([2, 2, *dims[2:]]))
    compiled = tf.function(with_all_gradients, input_signature=[tf.TensorSpec(dims)])
    for length in (24, 17, 25, 32, 20):
        x = tf.constant(RANDOM.standard_normal((2, length, *dims[2:])).astype("f") / 2)
        assert close(compiled(x), with_all_gradients(x))
    assert made
    assert all(ran for _, ran in made)


def sums(rows, limit, read=tf.gather):
    """Sums of the first rows, one after the other."""
    _, found = tf.while_loop(
        lambda t, s: t < limit,
        lambda t, s: (t + 1, s + read(rows, t)),
        (tf.constant(0), tf.zeros(tf.shape(rows)[1:])),
        maximum_iterations=limit,
    )
    return found


SPECS = [tf.TensorSpec([None, 3]), tf.TensorSpec([], "int32")]


def test_fewer_iterations_than_rows(made):
    fn = tf.function(sums, input_signature=SPECS)
    for length, limit in ((40, 40), (40, 33), (64, 20), (39, 39)):
        rows = np.arange(3 * length, dtype="f").reshape(length, 3)
        np.testing.assert_allclose(fn(rows, limit), rows[:limit].sum(0))
    assert any(ran for _, ran in made)
    assert "'while' runs as one program for up to 32, 64 iterations" in str(fn.explain())


def test_rows_that_are_missing_are_an_error_although_there_is_room(made):
    fn = tf.function(lambda rows, limit: sums(rows, limit), input_signature=SPECS)
    rows = np.ones((20, 3), "f")
    np.testing.assert_allclose(fn(rows, 20), [20, 20, 20])
    for _ in range(3):
        with pytest.raises(tf.errors.InvalidArgumentError):
            fn(rows, 22)
    np.testing.assert_allclose(fn(rows, 17), [17, 17, 17])


NOT_BY_ROWS = {
    "the whole": lambda rows, t: tf.reduce_max(rows, 0),
    "the last row": lambda rows, t: rows[-1],
    "its length": lambda rows, t: tf.cast(tf.fill([3], tf.shape(rows)[0]), "float32"),
    "two rows": lambda rows, t: tf.gather(rows, t) + tf.gather(rows, tf.maximum(t - 1, 0)),
    "from the end": lambda rows, t: tf.gather(rows, tf.shape(rows)[0] - 1 - t),
}


@pytest.mark.parametrize("how", NOT_BY_ROWS)
def test_loops_that_read_more_than_their_rows_are_as_without(how, made):
    fn = tf.function(lambda rows, limit: sums(rows, limit, NOT_BY_ROWS[how]), input_signature=SPECS)
    for length in (18, 21, 40):
        rows = tf.constant(RANDOM.standard_normal((length, 3)).astype("f"))
        np.testing.assert_allclose(
            fn(rows, length), sums(rows, length, NOT_BY_ROWS[how]), rtol=1e-4, atol=1e-4
        )


def test_what_fails_in_a_loop_fails_as_on_the_host(made):
    table = tf.constant([1.0, 2.0, 3.0])

    @tf.function(input_signature=[tf.TensorSpec([None], "int32")])
    def looked_up(places):
        count = tf.shape(places)[0]

        def step(t, s):
            return t + 1, s + tf.gather(table, tf.gather(places, t))

        start = (tf.constant(0), tf.constant(0.0))
        return tf.while_loop(lambda t, s: t < count, step, start, maximum_iterations=count)[1]

    for length in (20, 23):
        assert looked_up(np.ones(length, "int32")).numpy() == 2.0 * length
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"indices|range"):
            looked_up(np.full(length, 3, "int32"))
        assert looked_up(np.zeros(length, "int32")).numpy() == length


@pytest.mark.parametrize("length", [1, 5])
def test_short_loops(length, made):
    layer = tf.keras.layers.LSTM(3)
    layer.build((None, None, 4))
    fn = tf.function(lambda x: layer(x), input_signature=[tf.TensorSpec([None, None, 4])])
    assert fn(tf.ones((2, length, 4))).shape == (2, 3)
    assert not any(ran for _, ran in made)


def test_what_a_loop_writes_to_variables_is_written_once(made):
    total = tf.Variable(0.0)

    @tf.function(input_signature=[tf.TensorSpec([None])])
    def count(x):
        size = tf.shape(x)[0]

        def step(t):
            total.assign_add(x[t])
            return t + 1

        tf.while_loop(lambda t: t < size, step, (tf.constant(0),), maximum_iterations=size)
        return total.read_value()

    assert [float(count(np.ones(n, "f"))) for n in (20, 30, 17)] == [20.0, 50.0, 67.0]
    assert not any(ran for _, ran in made)
