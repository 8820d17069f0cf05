"""`tf.random` against TensorFlow's answers: programs, and what the tables cannot say."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

import runnel as tf
from tests.golden.cases import Case, answer, assert_same, cases, recorded

ANSWERS = recorded("random")
ULPS = 3  # of normal numbers: TensorFlow's logarithm and sine are not rounded correctly
COMPILED_ULPS = 12  # XLA's error function is less exact still


@pytest.mark.parametrize("case", cases("random").values(), ids=lambda case: case.__name__)
def test_the_answer_is_tensorflows(case: Case) -> None:
    got, want = answer(case, tf), ANSWERS[case.__name__]
    assert got.get("error") == want.get("error"), got
    if "error" not in want:
        assert_same(got["result"], want["result"], "result")
        if "differentiable" not in case.__name__:
            ulps = COMPILED_ULPS if "threefry" in case.__name__ else ULPS
            assert_bits(got["result"], want["result"], ulps)


def assert_bits(got: Any, want: Any, ulps: int) -> None:
    """Integers and uniform numbers are the same; others are at most a few roundings away."""
    if isinstance(want, dict) and "dtype" in want:
        kind = np.dtype({"bfloat16": "float32"}.get(want["dtype"], want["dtype"]))
        a, b = (np.array(answered["value"]).astype(kind) for answered in (got, want))
        if kind.kind == "f":
            np.testing.assert_array_max_ulp(a, b, ulps)
        else:
            np.testing.assert_array_equal(a, b)
    elif isinstance(want, list):
        for pair in zip(got, want, strict=True):
            assert_bits(*pair, ulps)


def plan_of(function: Any, *args: Any) -> Any:
    return function.get_concrete_function(*args)._function.plan


def test_a_function_with_random_numbers_is_one_program() -> None:
    @tf.function
    def train(x: Any) -> Any:
        y = tf.nn.dropout(x, 0.5) + tf.random.normal(tf.shape(x)) * tf.random.uniform([])
        return tf.random.shuffle(y) + tf.cast(tf.random.categorical(x, 1), tf.float32)

    plan = plan_of(train, tf.TensorSpec([None, 3]))
    assert len(plan.stages()) == 1
    plan.run_compiled([np.ones((4, 3), np.float32)])
    assert len(plan.stages()) == 1 and not plan.cuts


def test_a_generator_in_a_function_is_part_of_its_program() -> None:
    generator = tf.random.Generator.from_seed(1)

    @tf.function
    def draw(x: Any) -> Any:
        return x + generator.normal(tf.shape(x)), generator.make_seeds(2)

    draw(tf.zeros([2]))
    assert len(plan_of(draw, tf.zeros([2])).stages()) == 1


def test_interpreted_and_compiled_runs_are_one_stream() -> None:
    @tf.function
    def draw() -> Any:
        return tf.random.uniform([5]), tf.random.normal([3]), tf.random.truncated_normal([20])

    tf.random.set_seed(1)
    interpreted = [plan_of(draw).program.interpret([]) for _ in range(4)]
    tf.random.set_seed(1)
    plan = plan_of(draw)
    mixed = [
        plan.run_compiled([]),
        plan.program.interpret([]),
        plan.run_compiled([]),
        plan.program.interpret([]),
    ]
    for a, b in zip(interpreted, mixed, strict=True):
        for x, y in zip(a, b, strict=True):
            np.testing.assert_array_max_ulp(np.asarray(x), np.asarray(y), ULPS)


def test_a_random_op_that_nobody_uses_does_not_run() -> None:
    @tf.function
    def draw() -> Any:
        tf.random.uniform([2])
        return tf.zeros([2])

    assert not plan_of(draw).program.nodes


def test_threads_do_not_draw_the_same_numbers() -> None:
    tf.random.set_seed(1)

    @tf.function
    def draw() -> Any:
        return tf.random.uniform([2], maxval=2**31 - 1, dtype=tf.int32)

    seen: list[Any] = []

    def work() -> None:
        seen.extend(tuple(draw().numpy().tolist()) for _ in range(20))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(seen)) == 80


def test_determinism_asks_for_seeds() -> None:
    tf.random.set_seed(None)
    tf.config.experimental.enable_op_determinism()
    try:
        with pytest.raises(RuntimeError, match="Random ops need a seed"):
            tf.random.uniform([2])
        with pytest.raises(RuntimeError, match="determinism"):
            tf.random.Generator.from_non_deterministic_state()
        assert tf.random.uniform([2], seed=1).shape == [2]
    finally:
        tf.config.experimental.disable_op_determinism() if hasattr(
            tf.config.experimental, "disable_op_determinism"
        ) else _allow_randomness()


def _allow_randomness() -> None:
    from runnel.backend import configuration

    configuration.op_determinism = False


def test_a_state_of_the_wrong_size_is_named() -> None:
    with pytest.raises(ValueError, match=r"`state` must have shape \(3,\), got \(2,\)"):
        tf.random.Generator.from_state([1, 2], alg="philox")


def test_a_negative_size_is_named() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="`shape` must hold no negative sizes"):
        tf.random.normal([-1])
