"""`tf.GradientTape`: TensorFlow's recorded answers, then what only holds here."""

from __future__ import annotations

import gc
import threading
import tracemalloc
import weakref
from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.core.op.op import Op
from tests.golden.cases import Case, assert_answer, cases, recorded

ANSWERS = recorded("gradient_tape")


@pytest.mark.parametrize("case", cases("gradient_tape").values(), ids=lambda case: case.__name__)
def test_the_answer_is_tensorflows(case: Case) -> None:
    assert_answer(case, tf, ANSWERS[case.__name__])


def large(*shape: int) -> Any:
    """A tensor too large to be kept for its own sake."""
    return tf.constant(np.ones(shape or (64, 64), np.float32))


def test_a_tape_frees_what_it_held_when_gradient_returns() -> None:
    x = large()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.exp(x)
        z = y * y
    kept = weakref.ref(y)
    tape.gradient(z, x)
    del y, z
    assert kept() is None


def test_a_tape_that_is_deleted_frees_what_it_held() -> None:
    x = large()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.exp(x)
    kept = weakref.ref(y)
    del y
    assert kept() is not None  # the gradient of exp needs its output
    del tape
    assert kept() is None


def test_a_tape_keeps_only_what_gradients_need() -> None:
    x = large()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x + x
        z = tf.reduce_sum(y)
    kept = weakref.ref(y)
    del y
    assert kept() is None
    assert tape.gradient(z, x).shape == x.shape


def test_an_input_in_a_list_is_let_go() -> None:
    x = large()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x + x
        z = tf.concat([y, y], 0)
    kept = weakref.ref(y)
    del y
    assert kept() is None
    assert tape.gradient(z, x).numpy().max() == 4.0


def test_a_failed_gradient_lets_go_too() -> None:
    x = large()
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = failing(x)
    kept = weakref.ref(y)
    with pytest.raises(ZeroDivisionError):
        tape.gradient(y, x)
    del y
    gc.collect()
    assert kept() is None


@tf.custom_gradient
def failing(x: Any) -> Any:
    return x * x, lambda dy: 1 / 0


def test_ten_thousand_steps_do_not_grow() -> None:
    v = tf.Variable(np.ones(16, np.float32))

    def steps(count: int) -> None:
        for _ in range(count):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(v * v)
            v.assign_sub(0.01 * tape.gradient(loss, v))

    steps(100)
    gc.collect()
    before = len(gc.get_objects())
    steps(10_000)
    gc.collect()
    assert len(gc.get_objects()) - before < 50
    tracemalloc.start()
    try:
        start = tracemalloc.get_traced_memory()[0]
        steps(500)
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - start
    finally:
        tracemalloc.stop()
    assert grown < 20_000


def test_tapes_of_several_threads_do_not_meet() -> None:
    v = tf.Variable(1.0)
    found: dict[int, float] = {}

    def work(number: int) -> None:
        for _ in range(50):
            with tf.GradientTape() as tape:
                y = v * float(number)
            found[number] = float(tape.gradient(y, v))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {i: float(i) for i in range(4)}


def test_an_op_without_a_gradient_raises_lookup_error() -> None:
    lonely = Op("Lonely", "x: T -> y: T", lambda xp, x: x, host=True, shape=lambda x: x.dims)
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = lonely(x)
    with pytest.raises(
        LookupError, match=r"No gradient is known for the op 'Lonely'.*tf.RegisterGradient"
    ):
        tape.gradient(y, x)


def test_a_gradient_function_with_too_few_gradients_is_named() -> None:
    lacking = Op(
        "Lacking", "x: T, y: T -> z: T", lambda xp, x, y: x, host=True, shape=lambda x, y: x.dims
    )
    tf.RegisterGradient("Lacking")(lambda op, dz: dz)
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = lacking(x, x)
    with pytest.raises(ValueError, match="gradient function of 'Lacking' must return 2 gradients"):
        tape.gradient(y, x)


@pytest.mark.parametrize("wrong", [3.0, np.ones(2, np.float32), object()])
def test_a_source_or_target_that_is_no_tensor_is_named(wrong: Any) -> None:
    x = tf.constant(1.0)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    with pytest.raises(TypeError, match="The source of a gradient must be a tensor"):
        tape.gradient(y, wrong)
    with pytest.raises(TypeError, match="The target of a gradient must be a tensor"):
        tape.gradient(wrong, x)


def test_output_gradients_must_match_the_targets() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = [x * x, x + x]
    with pytest.raises(ValueError, match="one gradient, a tensor, per target"):
        tape.gradient(y, x, output_gradients=[x])


def test_watching_before_the_tape_starts_says_what_to_do() -> None:
    with pytest.raises(ValueError, match="inside its `with` block"):
        tf.GradientTape().watch(tf.constant(1.0))


def test_a_gradient_that_is_not_asked_for_is_not_computed() -> None:
    a, b = large(), large()
    asked = []

    @tf.custom_gradient
    def f(x: Any) -> Any:
        return x * 1.0, lambda dy: asked.append(1) or dy

    with tf.GradientTape() as tape:
        tape.watch([a, b])
        y = tf.matmul(f(a), b)
    assert tape.gradient(y, b) is not None
    assert not asked


def test_gradients_of_a_tensor_used_many_times_are_summed_one_by_one() -> None:
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = sum(float(i) * x for i in range(100))
    assert tape.gradient(y, x).numpy() == 4950.0


def test_a_deep_chain_does_not_recurse() -> None:
    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x
        for _ in range(5000):
            y = y * 1.0
    assert tape.gradient(y, x).numpy() == 1.0


def test_ops_without_a_known_gradient_raise_as_in_tensorflow() -> None:
    x = tf.constant([1.0, 2.0, 1.0])
    for function in (
        lambda: tf.unique(x)[0],
        lambda: tf.random.poisson([2], x),
        lambda: tf.random.Generator.from_seed(1).binomial([3], x, 0.5, tf.float32),
    ):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function()
        with pytest.raises(LookupError, match=r"tf\.stop_gradient"):
            tape.gradient(y, x)


def test_shuffling_ends_the_path() -> None:
    x = tf.constant([1.0, 2.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.random.shuffle(x)
    assert tape.gradient(y, x) is None
