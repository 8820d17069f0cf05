"""Groups reduced to one element each: `tf.data.experimental.Reducer`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.values import dtypes, nest
from runnel.core.values.type_spec import TensorSpec
from runnel.data.nodes.node import Node, Run, Stage, State, Values, located
from runnel.data.run.functions import UserFunction
from runnel.data.run.structure import Structure


class Reducer:
    """How to reduce a set of elements: a first state, the next one, and the result of the last."""

    def __init__(
        self,
        init_func: Callable[..., Any],
        reduce_func: Callable[..., Any],
        finalize_func: Callable[..., Any],
    ) -> None:
        self._init_func = init_func
        self._reduce_func = reduce_func
        self._finalize_func = finalize_func

    @property
    def init_func(self) -> Callable[..., Any]:
        """From a key to the first state."""
        return self._init_func

    @property
    def reduce_func(self) -> Callable[..., Any]:
        """From a state and an element to the next state."""
        return self._reduce_func

    @property
    def finalize_func(self) -> Callable[..., Any]:
        """From the last state to the result."""
        return self._finalize_func


class GroupByReducer(Node):
    """One element per key, in the order in which the keys are met first."""

    kind = "GroupByReducerDataset"

    def __init__(
        self,
        source: Node,
        key: UserFunction,
        first: UserFunction,
        step: UserFunction,
        last: UserFunction,
    ) -> None:
        super().__init__([source], last.output)
        self.key, self.first, self.next, self.last = key, first, step, last
        self.label = key.name

    @classmethod
    def by(cls, source: Node, key_func: Callable[..., Any], reducer: Reducer) -> GroupByReducer:
        """The groups of a function's keys."""
        number = Structure(TensorSpec([], dtypes.int64))
        key = UserFunction(key_func, source.structure, name="group_by_reducer")
        if key.output.spec != TensorSpec([], dtypes.int64):
            raise ValueError(
                f"group_by_reducer: `key_func` must return an int64, got {key.output.spec}."
            )
        first = UserFunction(reducer.init_func, number, name="group_by_reducer")
        step = _stable(first.output, reducer, source)
        last = UserFunction(reducer.finalize_func, step.inputs[0], name="group_by_reducer")
        return cls(source, key, first, step, last)

    def make(self, run: Run) -> Stage:
        return _GroupByReducer(self, run.build(self.input))


def _stable(state: Structure, reducer: Reducer, source: Node) -> UserFunction:
    """The step for states whose shapes may change on the way."""
    while True:
        step = UserFunction(reducer.reduce_func, state, source.structure, name="group_by_reducer")
        if step.output.dtypes != state.dtypes:
            raise TypeError(
                f"group_by_reducer: the state must keep its dtypes {state.dtypes}, got "
                f"{step.output.dtypes}."
            )
        wider = nest.map_structure(
            lambda a, b: a.most_specific_compatible_type(b), state.spec, step.output.spec
        )
        if wider == state.spec:
            return step
        state = Structure(wider)


class _GroupByReducer(Stage):
    def __init__(self, node: GroupByReducer, source: Any) -> None:
        self._node, self._source = node, source
        self._states: dict[int, Values] = {}
        self._keys: list[int] | None = None  # what is left to give, in reverse
        self._count = 0

    def __next__(self) -> Values:
        for values in self._source:
            self._reduce(values)
        if self._keys is None:
            self._keys = sorted(self._states, reverse=True)
        if not self._keys:
            raise StopIteration
        result = self._node.last(self._states.pop(self._keys.pop()))
        self.made += 1
        return result

    def _reduce(self, values: Values) -> None:
        node, states = self._node, self._states
        self._count += 1
        try:
            key = int(node.key(values)[0])
            if key not in states:
                states[key] = node.first([np.int64(key)])
            states[key] = node.next([*states[key], *values])
        except Exception as error:
            raise located(error, node, self._count - 1) from error

    def save(self) -> State:
        states = [[key, values] for key, values in self._states.items()]
        return [states, self._keys, self._count, self._source.save()]

    def restore(self, state: State) -> None:
        states, self._keys, self._count, source = state
        self._states = dict(states)
        self._source.restore(source)
