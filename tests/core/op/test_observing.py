"""Observers are told of what they want to see, and of nothing once they are ignored."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.core.op import eager, observing


class Ops(observing.Observer):
    def __init__(self, name: str, events: list[Any]) -> None:
        self.name, self.events = name, events

    def before(self, op: Any, inputs: Any) -> int:
        self.events.append(f"{self.name}: {op.name}?")
        return len(inputs)

    def ran(self, op: Any, inputs: Any, outputs: Any, noted: int) -> None:
        self.events.append(f"{self.name}: {op.name} of {noted} inputs")


class Graphs(observing.Observer):
    def __init__(self, events: list[Any]) -> None:
        self.events = events

    def made(self, operation: Any) -> None:
        self.events.append(operation.type)

    def planned(self, function: Any) -> None:
        self.events.append("planned")

    def called(self, function: Any, inputs: Any, outputs: Any) -> None:
        self.events.append(f"called with {len(inputs)}")


def test_the_last_to_come_is_told_first_before_an_op_and_last_after_it() -> None:
    tf.add(1, 1)  # of the first op of a process, somebody else wants to know
    plain, events = eager.run, []
    observers = [Ops("first", events), Ops("second", events)]
    x = tf.constant(1.0)
    for observer in (*observers, observers[0]):  # the second time changes nothing
        observing.observe(observer)
    try:
        assert eager.watched and observing.made is None
        tf.negative(x)
    finally:
        for observer in observers:
            observing.ignore(observer)
    told = ["second: Neg?", "first: Neg?", "first: Neg of 1 inputs", "second: Neg of 1 inputs"]
    assert events == told
    assert eager.run is plain and not eager.watched


def test_who_wants_to_see_graphs_costs_eager_ops_nothing() -> None:
    tf.add(1, 1)
    plain, events = eager.run, []
    observer, other = Graphs(events), Graphs([])
    fn = tf.function(lambda x: -x, autograph=False)
    observing.observe(observer)
    observing.observe(other)
    try:
        assert eager.run is plain
        fn(tf.constant(1.0))
        fn(tf.constant(2.0))
    finally:
        observing.ignore(observer)
        observing.ignore(other)
    calls = ["planned", "called with 1", "called with 1"]
    assert events == other.events == ["Placeholder", "Neg", "Identity", *calls]
    assert observing.made is observing.planned is observing.called is None
    fn(tf.constant([1.0]))
    assert len(events) == 6
