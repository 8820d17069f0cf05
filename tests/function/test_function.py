"""tf.function: traces, arguments, variables, gradients."""

from __future__ import annotations

import copy
import gc
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import runnel as tf

pytestmark = pytest.mark.smoke


def test_a_trace_per_dtype_and_shape_and_python_value() -> None:
    traces = []

    @tf.function
    def fn(x: Any, n: int = 1) -> Any:
        traces.append((x, n))
        return x * n

    fn(tf.constant([1.0, 2.0]))
    fn(tf.constant([3.0, 4.0]))
    assert len(traces) == 1
    fn(tf.constant([1, 2]))
    fn(tf.constant([1.0]))
    fn(tf.constant([1.0]), 2)
    fn(tf.constant([1.0]), n=2)
    assert len(traces) == 4
    assert fn.experimental_get_tracing_count() == 4
    assert fn(tf.constant([5.0]), 2).numpy().tolist() == [10.0]


def test_an_input_signature_makes_one_trace() -> None:
    traces = []

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32)])
    def fn(x: Any) -> Any:
        traces.append(x.shape)
        return tf.reduce_sum(x)

    assert [fn(tf.ones([n])).numpy() for n in (1, 2, 3)] == [1.0, 2.0, 3.0]
    assert [s.as_list() for s in traces] == [[None]]
    with pytest.raises(TypeError, match="must be TensorSpec"):
        fn(tf.ones([2, 2]))
    with pytest.raises(TypeError, match="must be TensorSpec"):
        fn(tf.ones([2], tf.int32))


def test_results_keep_their_structure() -> None:
    @tf.function
    def fn(x: Any) -> Any:
        return {"a": x, "b": (x + 1.0, [x + 2.0]), "none": None}

    result = fn(tf.constant(1.0))
    assert result["b"][1][0].numpy() == 3.0
    assert result["none"] is None
    assert isinstance(result["b"], tuple)


def test_nested_arguments() -> None:
    @tf.function
    def fn(batch: Any, *, scale: Any) -> Any:
        return batch["x"][0] * scale + batch["y"]

    batch = {"x": [tf.constant(2.0)], "y": tf.constant(1.0)}
    assert fn(batch, scale=tf.constant(3.0)).numpy() == 7.0


def test_methods_trace_once_per_object_and_let_it_go() -> None:
    class Model:
        def __init__(self, factor: float) -> None:
            self.factor = tf.Variable(factor)

        @tf.function
        def __call__(self, x: Any) -> Any:
            return x * self.factor

    a, b = Model(2.0), Model(3.0)
    assert (a(tf.constant(1.0)).numpy(), b(tf.constant(1.0)).numpy()) == (2.0, 3.0)
    gone = weakref.ref(a)
    del a
    gc.collect()
    assert gone() is None


def test_a_traced_method_is_an_instance_of_the_class_of_functions() -> None:
    class Model(tf.Module):
        @tf.function
        def f(self, x: Any) -> Any:
            return x + 1

    model, cls = Model(), type(tf.function(abs))
    assert isinstance(Model.f, cls) and isinstance(model.f, cls)
    assert model.f == model.f == copy.copy(model.f) != Model().f
    assert copy.deepcopy(model).f(1).numpy() == 2


def test_variables_are_made_on_the_first_call_only() -> None:
    class Counter:
        v = None

        @tf.function
        def step(self) -> Any:
            if self.v is None:
                self.v = tf.Variable(0.0)
            return self.v.assign_add(1.0)

    counter = Counter()
    assert [counter.step().numpy() for _ in range(4)] == [1.0, 2.0, 3.0, 4.0]


def test_a_variable_on_every_call_is_an_error() -> None:
    @tf.function
    def fn() -> Any:
        return tf.Variable(1.0) + 1.0

    with pytest.raises(ValueError, match="not its first"):
        fn()


def test_options_of_autograph_are_features() -> None:
    fn = tf.function(
        lambda x: x, experimental_autograph_options=tf.autograph.experimental.Feature.ALL
    )
    assert fn(tf.constant(2)).numpy() == 2
    with pytest.raises(TypeError, match=r"experimental_autograph_options .* got \['LISTS'\]"):
        tf.function(lambda x: x, experimental_autograph_options="LISTS")


def test_a_leaked_tensor_is_named() -> None:
    leaked = []

    @tf.function
    def fn(x: Any) -> Any:
        leaked.append(x * 2.0)
        return x

    fn(tf.constant(1.0))
    said = r"out of scope: it was made at .*test_function\.py:\d+ while tracing 'fn' and is used "
    with pytest.raises(TypeError, match=said + "by AddV2 in eager mode"):
        leaked[0] + 1.0
    with pytest.raises(TypeError, match=said + "while tracing '<lambda>'"):
        tf.function(lambda: leaked[0] + 1.0)()
    with pytest.raises(TypeError, match=said + "by a call of 'fn' in eager mode"):
        fn(leaked[0])


def test_an_error_at_run_time_names_the_users_line() -> None:
    @tf.function
    def fn(x: Any, n: Any) -> Any:
        return tf.reshape(x, [n])

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"test_function\.py"):
        fn(tf.ones([4]), tf.constant(3))


def test_gradients_through_a_function() -> None:
    v = tf.Variable([1.0, 2.0])

    @tf.function
    def fn(x: Any) -> Any:
        return tf.reduce_sum(x * v * v), x

    x = tf.constant([3.0, 4.0])
    for _ in range(4):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y, _ = fn(x)
        dx, dv = tape.gradient(y, [x, v])
        assert dx.numpy().tolist() == [1.0, 4.0]
        assert dv.numpy().tolist() == [6.0, 16.0]


def test_second_order_through_a_function() -> None:
    fn = tf.function(lambda x: tf.reduce_sum(x**4))
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = fn(x)
        first = inner.gradient(y, x)
    assert first.numpy().tolist() == [4.0, 32.0]
    assert outer.gradient(first, x).numpy().tolist() == [12.0, 48.0]


def test_a_tape_inside_a_function() -> None:
    v = tf.Variable(3.0)

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = (v * x - 1.0) ** 2
        gradient = tape.gradient(loss, v)
        v.assign_sub(0.1 * gradient)
        return loss

    losses = [step(tf.constant(0.5)).numpy() for _ in range(8)]
    assert losses == sorted(losses, reverse=True)


def test_functions_call_functions() -> None:
    inner = tf.function(lambda x: x * 2.0)

    @tf.function
    def outer(x: Any) -> Any:
        return inner(x) + inner(x + 1.0)

    x = tf.constant(1.0)
    for _ in range(4):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = outer(x)
        assert (y.numpy(), tape.gradient(y, x).numpy()) == (6.0, 4.0)


def test_state_of_the_same_variable_passed_twice() -> None:
    @tf.function
    def fn(a: Any, b: Any) -> Any:
        a.assign_add(1.0)
        b.assign_add(10.0)
        return a + b

    v = tf.Variable(0.0)
    assert [fn(v, v).numpy() for _ in range(4)] == [22.0, 44.0, 66.0, 88.0]


def test_a_value_read_before_is_not_changed_by_later_runs() -> None:
    v = tf.Variable(tf.zeros([1000]))
    step = tf.function(lambda: v.assign_add(tf.ones([1000]) * tf.exp(v * 0.0)))
    for _ in range(3):
        step()
    before = v.value()
    kept = before.numpy()
    for _ in range(3):
        step()
    assert before.numpy().tolist() == kept.tolist() == [3.0] * 1000
    assert v.numpy().tolist() == [6.0] * 1000


def test_ops_that_xla_cannot_compile_cut_the_graph() -> None:
    @tf.function
    def fn(x: Any) -> Any:
        kept = tf.boolean_mask(x, x > 0.0)
        doubled = kept * 2.0
        return tf.reduce_sum(doubled), tf.shape(kept)[0]

    for _ in range(4):
        total, count = fn(tf.constant([1.0, -1.0, 3.0]))
        assert (total.numpy(), count.numpy()) == (8.0, 2)
        total, count = fn(tf.constant([1.0, 2.0, 3.0]))
        assert (total.numpy(), count.numpy()) == (12.0, 3)


def test_concrete_functions() -> None:
    fn = tf.function(lambda x, k: x * k)
    concrete = fn.get_concrete_function(tf.TensorSpec([None], tf.float32), 3.0)
    assert concrete(tf.constant([1.0, 2.0])).numpy().tolist() == [3.0, 6.0]
    assert concrete.outputs[0].shape.as_list() == [None]
    with pytest.raises(tf.errors.InvalidArgumentError, match="Argument 'x'"):
        concrete(tf.constant([1]))


def test_run_functions_eagerly() -> None:
    seen = []
    fn = tf.function(lambda x: seen.append(x) or x)
    tf.config.run_functions_eagerly(True)
    try:
        fn(tf.constant(1.0))
        fn(tf.constant(2.0))
    finally:
        tf.config.run_functions_eagerly(False)
    assert [t.numpy() for t in seen] == [1.0, 2.0]


def test_two_threads_trace_and_call() -> None:
    traces, results = [], []

    @tf.function
    def fn(x: Any) -> Any:
        traces.append(1)
        return tf.reduce_sum(x * 2.0)

    def work() -> None:
        results.extend(fn(tf.ones([3])).numpy() for _ in range(50))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [6.0] * 200
    assert len(traces) == 1


def test_many_python_numbers_do_not_grow_without_bound() -> None:
    fn = tf.function(lambda n: tf.constant(1) + n)
    for n in range(600):
        fn(n)
    assert len(fn._traces) <= 512
    fn.clear_cache()
    assert len(fn._traces) == 0


def test_numpy_arguments_are_tensors() -> None:
    traces = []
    fn = tf.function(lambda x: traces.append(1) or x * 2)
    assert fn(np.array([1, 2])).numpy().tolist() == [2, 4]
    fn(np.array([3, 4]))
    assert len(traces) == 1


def test_threads_cut_and_compile_the_same_function() -> None:
    v = tf.Variable(0.0)

    @tf.function
    def fn(x: Any) -> Any:
        chosen = tf.boolean_mask(x, x > 0.5)
        v.assign_add(1.0)
        for _ in range(10):
            x = x * 1.0 + 1.0
        return tf.reduce_sum(chosen) + tf.reduce_sum(x)

    found: list[Any] = []

    def work(first: int) -> None:
        try:
            sizes = [1 + (first + i) % 3 for i in range(9)]
            found.append(all(float(fn(tf.ones([n]))) == 12 * n for n in sizes))
        except Exception as error:
            found.append(error)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [True] * 6
    assert float(v) == 54.0


def test_a_value_captured_at_call_time_may_be_used_in_branches_and_loops():
    held = [1.0]
    spec = tf.TensorSpec([], tf.float32)

    @tf.function
    def f(x):
        for _ in tf.range(2):
            if x > 0:
                x += tf.identity(x).graph.capture_call_time_value(lambda: held[0], spec)
        return x

    assert [float(f(tf.constant(1.0))) for held[0] in (1.0, 5.0, 7.0)] == [3.0, 11.0, 15.0]


def test_a_value_captured_at_call_time_is_asked_for_once_in_each_call():
    asked = []

    @tf.function
    def f(x):
        return x + x.graph.capture_call_time_value(
            lambda: asked.append(1) or 1.0, tf.TensorSpec([])
        )

    for count in (1, 2, 3):
        f(tf.constant(1.0))
        assert len(asked) == count


def test_a_value_captured_at_call_time_must_be_of_its_type():
    @tf.function
    def f(x):
        return x + x.graph.capture_call_time_value(lambda: [1, 2], tf.TensorSpec([], tf.float32))

    with pytest.raises(TypeError, match=r"must be TensorSpec\(shape=\(\)"):
        f(tf.constant(1.0))


def test_as_many_captures_must_be_set_as_there_are():
    big = tf.range(40.0)
    concrete = tf.function(lambda: tf.reduce_sum(big)).get_concrete_function()
    with pytest.raises(ValueError, match="captures 1 tensors, got 0"):
        concrete.set_external_captures([])
