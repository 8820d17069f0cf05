"""An exception from outside at every place where Python lets one in."""

import pytest

import runnel as tf
from runnel.core.op.raw import raw_ops
from tests.robustness.interrupt import STEPS, WORKS
from tests.robustness.strikes import Struck, at_place

_EACH = {"own_loop": 1, "loop_and_branch": 1, "fit": 97, "eager_steps": 97, "predict": 41}


@pytest.mark.parametrize("name", list(_EACH))
def test_a_strike_costs_no_value(name: str) -> None:
    work = WORKS[name]()
    for _ in range(3):
        work.run(STEPS)
    number, problems = 0, []
    while True:
        work.reset()
        error = (MemoryError if number % 3 == 0 else KeyboardInterrupt)("struck")
        try:
            with at_place(number, error) as places:
                work.run(STEPS if name in ("fit", "predict") else 2)
        except (KeyboardInterrupt, MemoryError, tf.errors.ResourceExhaustedError):
            pass
        if not places.has_struck:
            break
        problem = work.problem()
        if problem is not None:
            problems.append(f"at place {number}: {problem}")
            work = WORKS[name]()
        number += _EACH[name]
    assert number > 20 and not problems, problems[:10]


@pytest.mark.parametrize("error", [TimeoutError("late"), Struck("mine"), KeyboardInterrupt()])
def test_an_error_from_outside_comes_out_of_a_kernel_as_itself(
    error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    def struck(*args: object, **attrs: object) -> None:
        raise error

    for name in ("Tile", "Neg"):
        monkeypatch.setattr(getattr(raw_ops, name), "kernel", struck)
    for call in (lambda: tf.tile([1.0], [2]), tf.function(lambda: -tf.identity([1.0, 2.0]))):
        with pytest.raises(type(error)) as found:
            call()
        assert found.value is error


def test_an_interrupt_leaves_neither_a_graph_nor_a_trace_nor_a_long_stack() -> None:
    strikes = [True]

    @tf.function
    def fn(x: tf.Tensor) -> tf.Tensor:
        with tf.name_scope("inside"):
            y = x + 1.0
            if strikes:
                raise strikes.pop()
            return y

    strikes[:] = [KeyboardInterrupt()]
    with pytest.raises(KeyboardInterrupt) as found:
        fn(tf.constant(1.0))
    assert len(found.traceback) <= 4
    assert tf.executing_eagerly()
    assert fn.experimental_get_tracing_count() <= 1
    assert fn(tf.constant(1.0)).numpy() == 2
    names = [op.name for op in fn.get_concrete_function(tf.constant(1.0)).graph.get_operations()]
    assert "inside/add" in names
