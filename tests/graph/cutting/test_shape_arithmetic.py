"""Pieces of a graph know the shapes that other pieces computed with, and compile side by side."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.backend import compiling
from runnel.backend.jax import jax
from runnel.graph.cutting import stages
from runnel.graph.run.segment import Segment

KERNELS = [tf.Variable(tf.random.normal([3, 3, 2, 2], seed=number)) for number in range(3)]


def gradients(x: Any) -> Any:
    with tf.GradientTape() as tape:
        y = x
        for kernel in KERNELS:
            y = tf.nn.relu(tf.nn.conv2d(y, kernel, 1, "SAME"))
        y = tf.reshape(y, [tf.shape(y)[0], -1])
        loss = tf.reduce_sum(y * y)
    return tape.gradient(loss, KERNELS)


@pytest.fixture
def small_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stages, "_MOST_NODES", 4)


@pytest.fixture
def compiled() -> Any:
    """Names of what JAX compiles, as it does."""
    found: list[str] = []

    def note(event: str, seconds: float, **_: Any) -> None:
        if event.endswith("backend_compile_duration"):
            found.append(event)

    jax.monitoring.register_event_duration_secs_listener(note)
    yield found
    jax.monitoring.unregister_event_duration_listener(note)


def run(shape: list[int | None], calls: int) -> tuple[Any, Any]:
    """A function's answers, and its plan."""
    fn: Callable[..., Any] = tf.function(gradients, input_signature=[tf.TensorSpec(shape)])
    x = tf.constant(np.linspace(-1, 1, 2 * 5 * 5 * 2, dtype=np.float32).reshape(2, 5, 5, 2))
    for _ in range(calls):
        found = fn(x)
    (plan,) = fn.get_concrete_function().plans().values()
    return (gradients(x), found), plan


@pytest.mark.parametrize("shape", [[2, 5, 5, 2], [None, 5, 5, 2], [None, None, None, 2]])
@pytest.mark.usefixtures("small_pieces")
def test_no_piece_waits_for_the_shapes_of_another(shape: list[int | None]) -> None:
    (eager, found), plan = run(shape, calls=4)
    assert len(plan.stages()) > 3 and not plan.cuts
    for a, b in zip(eager, found, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-4)


@pytest.mark.usefixtures("small_pieces")
def test_pieces_are_compiled_once_and_note_their_time(compiled: list[str]) -> None:
    _, plan = run([None, 5, 5, 2], calls=2)
    compiled.clear()
    plan.at_once = True
    x = np.ones([3, 5, 5, 2], np.float32)
    values = [x, *[kernel._handle._value for kernel in KERNELS]]
    plan.run(values)
    segments = [stage for stage in plan.stages() if isinstance(stage, Segment)]
    assert len(compiled) == len(segments)
    plan.run(values)
    assert len(compiled) == len(segments)
    assert all(len(list(segment.compile_seconds.items())) for segment in segments)


@pytest.mark.usefixtures("small_pieces")
def test_nobody_is_told_of_pieces_that_are_done(monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[Any] = []

    class Event(threading.Event):
        def __init__(self) -> None:
            super().__init__()
            begun.append(self)

    _, plan = run([None, 5, 5, 2], calls=2)
    plan.at_once = True
    values = [np.ones([4, 5, 5, 2], np.float32), *[k._handle._value for k in KERNELS]]
    monkeypatch.setattr(compiling.threading, "Event", Event)
    with compiling.watching(lambda number, seconds: None):
        plan.run(values)
        monkeypatch.undo()
        assert len(begun) >= len(plan.stages()) and all(event.is_set() for event in begun)
