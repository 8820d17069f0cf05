"""The traces of one function, by the types of their arguments, and which of them serves a call."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from typing import Any

from runnel.backend.cache import BoundedCache
from runnel.core.op.context import state
from runnel.function.concrete import ConcreteFunction
from runnel.function.function_type import FunctionType


class Traces(BoundedCache[ConcreteFunction]):
    """The traces that are kept; one that uses tensors of a graph lives with that graph instead."""

    def each(self) -> list[ConcreteFunction]:
        """All traces, each once."""
        return list({id(concrete): concrete for _, concrete in self.items()}.values())

    def types(self) -> list[Any]:
        return [kind for kind, _ in self.items()]

    def wider(self, kind: FunctionType) -> ConcreteFunction | None:
        """The narrowest trace for more general arguments, used for these from now on."""
        traces: list[Any] = self.items()
        own = [trace for trace in traces if trace[0].seen == kind.seen]
        fitting = [trace for trace in own if kind.is_subtype_of(trace[0])]
        if not fitting:
            return None
        _, concrete = functools.reduce(_narrower, fitting)
        self[kind] = concrete
        return concrete  # type: ignore[no-any-return]


def widened(kind: FunctionType, earlier: Sequence[FunctionType]) -> FunctionType:
    """The type that also includes the last earlier one that it can be joined with."""
    for other in reversed(earlier):
        joint = kind.generalized(other)
        if joint is not None:
            return joint
    return kind


def is_local(concrete: ConcreteFunction) -> bool:
    """Whether a trace uses tensors of a graph around it."""
    return any(hasattr(t, "op") for t in concrete.graph.external_captures)


def local_trace(function: Any, kind: FunctionType) -> ConcreteFunction | None:
    """A trace that uses tensors of the graph being built, or of one around it."""
    for graph in _around(state.graph):
        found = graph.traces.get(function, {}).get(kind)
        if found is not None:
            return found  # type: ignore[no-any-return]
    return None


def keep_local(function: Any, kind: FunctionType, concrete: ConcreteFunction) -> None:
    """Keep a trace with the innermost graph of whose tensors it uses some."""
    captured: list[Any] = concrete.graph.external_captures
    owners = {id(t.graph) for t in captured if hasattr(t, "op")}
    owner = next(graph for graph in _around(state.graph) if id(graph) in owners)
    owner.traces.setdefault(function, {})[kind] = concrete


def _around(graph: Any) -> Iterator[Any]:
    """A graph that is being built, and those that it is inside of."""
    while graph is not None:
        yield graph
        graph = getattr(graph, "outer_graph", None)


def _narrower(
    trace: tuple[FunctionType, ConcreteFunction], other: tuple[FunctionType, ConcreteFunction]
) -> tuple[FunctionType, ConcreteFunction]:
    return other if other[0].is_subtype_of(trace[0]) else trace
