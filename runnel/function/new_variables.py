"""Variables that a function makes while it is traced for the first time, and their first values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runnel.core.op import context
from runnel.core.op.context import state
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.function.graph_function import GraphFunction
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.inlining import NotLiftable, lift


class NewVariables:
    """Told of the variables that one trace of a function makes.

    Their values are computed at once, outside the graph; those that depend on arguments wait until
    these are known. With `deferred`, all wait.
    """

    def __init__(self, name: str, *, allowed: bool, deferred: bool = False) -> None:
        self._name = name
        self._allowed = allowed
        self._deferred = deferred
        self.waiting: list[tuple[Any, Tensor]] = []

    def expect(self) -> None:
        if not self._allowed:
            raise ValueError(
                f"tf.function {self._name!r} made a tf.Variable on a call that was not its "
                "first. Make variables outside, or only once (`if self.v is None: self.v = "
                "tf.Variable(...)`)."
            )

    def initialize(self, variable: Any, value: Tensor) -> bool:
        if self._deferred:
            self.waiting.append((variable, value))
        elif isinstance(value, EagerTensor):
            return False
        else:
            try:
                _assign_now([(variable, value)], {})
            except NotLiftable:
                self.waiting.append((variable, value))
        return True

    def finish(self, given: Mapping[int, Tensor] | None) -> None:
        """Give values to those that waited for the arguments, by the ids of their placeholders."""
        if not self.waiting:
            return
        if given is None:
            names = ", ".join(repr(variable.name) for variable, _ in self.waiting)
            raise ValueError(
                f"tf.function {self._name!r}: the first values of {names} depend on its arguments. "
                "Call the function once before asking for a concrete function."
            )
        if state.graph is None:
            _assign_now(self.waiting, given)
        else:
            self._pass_on(state.graph, given)

    def _pass_on(self, outer: Any, given: Mapping[int, Tensor]) -> None:
        """Let the function around this one find the values."""
        for variable, value in self.waiting:
            with outer.variable_scope() as function:
                if function is None:
                    raise ValueError(f"{variable.name!r} cannot be initialized while tracing.")
                function.initialize(variable, lift(value, given, outer))


def initializer(waiting: list[tuple[Any, Tensor]], given: Mapping[int, Tensor]) -> FuncGraph:
    """A graph that gives variables their first values."""
    graph = FuncGraph("initialize_variables")
    with context.building(graph), context.unrecorded():
        for variable, value in waiting:
            variable.assign(lift(value, given, graph))
    return graph


def _assign_now(waiting: list[tuple[Any, Tensor]], given: Mapping[int, Tensor]) -> None:
    with context.building(None), context.unrecorded():
        GraphFunction(initializer(waiting, given), []).call([])
