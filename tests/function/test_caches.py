"""What a function keeps is bounded, and goes with it. Counted, not timed."""

from __future__ import annotations

import gc
import weakref
from importlib import import_module
from typing import Any

import pytest

import runnel as tf


@pytest.fixture
def limit(monkeypatch: pytest.MonkeyPatch) -> int:
    """A number of traces that is met sooner than the one that is kept otherwise."""
    module = import_module("runnel.function.function")
    assert module._TRACES <= 512
    monkeypatch.setattr(module, "_TRACES", 64)
    return 64


def test_many_python_numbers_keep_a_bounded_number_of_traces(limit: int) -> None:
    fn = tf.function(lambda x, n: x * n, autograph=False)
    x = tf.constant(2)
    for n in range(limit + 20):
        assert int(fn(x, n)) == 2 * n
    assert fn.experimental_get_tracing_count() == limit + 20
    assert len(fn._traces) <= limit and len(fn._log) <= limit


def test_many_shapes_keep_a_bounded_number_of_traces(limit: int) -> None:
    fn = tf.function(lambda x: tf.reduce_sum(x), autograph=False)
    for n in range(1, limit + 21):
        assert float(fn(tf.ones([n]))) == n
    assert len(fn._traces) <= limit and len(fn._fast) <= limit


def test_many_shapes_under_one_trace_are_one_plan() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None])])
    def fn(x: Any) -> Any:
        for _ in range(10):
            x = x + 1.0
        return tf.reduce_sum(x)

    for n in range(1, 601):
        assert float(fn(tf.zeros([n]))) == 10 * n
    assert fn.experimental_get_tracing_count() == 1
    assert len(fn.get_concrete_function().plan.patience.shapes) <= 256


def test_reduced_retracing_needs_two_traces_for_all_shapes() -> None:
    fn = tf.function(lambda x: tf.reduce_sum(x), reduce_retracing=True, autograph=False)
    for n in range(1, 101):
        fn(tf.ones([n]))
    assert fn.experimental_get_tracing_count() == 2


def watched(fn: Any) -> list[weakref.ref[Any]]:
    """Weak references to all that a function has made."""
    found: list[Any] = [fn]
    for _, concrete in fn._traces.items():
        found += [concrete, concrete.graph, *concrete.plans().values()]
        found += concrete.graph.get_operations()
    return [weakref.ref(thing) for thing in found]


def test_calls_and_retraces_leave_nothing_behind() -> None:
    def run() -> list[weakref.ref[Any]]:
        @tf.function
        def fn(x: Any, n: Any) -> Any:
            for _ in tf.range(3):
                if x > 0:
                    x = x * n
            return x

        x = tf.constant(1.0)
        for n in range(200):
            fn(x, float(n))
        for _ in range(5000):
            fn(x, 1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = fn(x, 2.0)
        tape.gradient(y, x)
        return watched(fn)

    references = run()
    assert len(references) > 1000
    gc.collect()
    assert not [r() for r in references if r() is not None]


def test_compiled_programs_go_with_their_function() -> None:
    def run() -> list[weakref.ref[Any]]:
        v = tf.Variable(1.0)
        fn = tf.function(lambda x: v.assign_add(tf.reduce_sum(tf.sin(x))), jit_compile=True)
        fn(tf.ones([3]))
        (stage,) = fn.get_concrete_function(tf.ones([3])).plan.stages()
        return [*watched(fn), weakref.ref(stage), weakref.ref(v), weakref.ref(v.handle._value)]

    references = run()
    gc.collect()
    assert not [r() for r in references if r() is not None]


def test_an_argument_is_not_kept_alive() -> None:
    class Settings:
        scale = 2.0

    fn = tf.function(lambda settings, x: x * settings.scale, autograph=False)
    settings = Settings()
    reference = weakref.ref(settings)
    assert float(fn(settings, tf.constant(3.0))) == 6.0
    del settings
    gc.collect()
    assert reference() is None


def test_clearing_the_cache_forgets_all_traces() -> None:
    fn = tf.function(lambda x: x + 1, autograph=False)
    fn(tf.constant(1))
    references = watched(fn)[1:]
    fn.clear_cache()
    gc.collect()
    assert not [r() for r in references if r() is not None]
    assert int(fn(tf.constant(1))) == 2
    assert fn.experimental_get_tracing_count() == 2
