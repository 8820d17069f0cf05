"""Copying the operations of one graph into another: how a function is called while another is
traced.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from runnel.core.op import context
from runnel.core.op.op import execute
from runnel.core.tensor.tensor import Tensor
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.graph import Graph
from runnel.graph.build.operation import Operation
from runnel.graph.build.tensor import SymbolicTensor
from runnel.graph.run.program import needed

Instead = Callable[[Operation, list[Tensor]], Sequence[Any] | None]


def inline(
    graph: Graph,
    inputs: Sequence[SymbolicTensor],
    outputs: Sequence[SymbolicTensor],
    given: Sequence[Tensor],
    into: Graph,
    instead: Instead | None = None,
) -> list[Tensor]:
    """Add to `into` what `graph` computes, with `given` in place of `inputs`; its outputs.

    `instead` is called with each operation and its new inputs; it may add something else, and give
    the tensors for the operation's outputs.
    """
    found: dict[int, Tensor] = {t._id: v for t, v in zip(inputs, given, strict=True)}
    into.keep(graph.callbacks)
    copy(needed(graph, inputs, outputs), found, into, instead)
    return [found[t._id] for t in outputs]


def copy(
    operations: Iterable[Operation],
    found: dict[int, Tensor],
    into: Graph,
    instead: Instead | None = None,
) -> None:
    """Add operations to `into`; `found` maps the ids of old tensors to new ones."""
    with context.building(into), into.receiving():
        for operation in operations:
            here = [found[t._id] for t in operation.inputs]
            with into.on_behalf_of(operation):
                flat = instead(operation, here) if instead is not None else None
                if flat is None:
                    op = operation.op
                    copied = execute(op, here, operation.attrs, operation.name)
                    flat = [copied] if op.single else list(copied) if op.outputs else []
                    if isinstance(into, Graph) and (operation.watcher or operation.seed_given):
                        into.newest.watcher = operation.watcher or into.newest.watcher
                        into.newest.seed_given = operation.seed_given
            for old, new in zip(operation.outputs, flat, strict=True):
                found[old._id] = new
                if old.shape.rank is not None:
                    new.set_shape(old.shape)
            if operation.backward is not None and flat:
                flat[0].op.backward = _with_aliases(operation.backward, found)


class NotLiftable(Exception):
    """A value depends on an argument of the function that computes it."""


def lift(tensor: Tensor, given: Mapping[int, Tensor], into: Graph) -> Tensor:
    """What computes a tensor of some function, copied into a graph outside, without side effects.

    `given` holds values for arguments of the function; all others raise `NotLiftable`.
    """
    if not isinstance(tensor, SymbolicTensor):
        return tensor
    ancestors: dict[int, Operation] = {}
    pending = [tensor]
    found = dict(given)
    captured = {inner._id: outer for outer, inner in getattr(tensor.graph, "captures", ())}
    while pending:
        part = pending.pop()
        if part._id in found or id(part.op) in ancestors:
            continue
        if part._id in captured:
            found[part._id] = lift(captured[part._id], given, into)
        elif part.op.type == "Placeholder":
            raise NotLiftable(part.op.name)
        else:
            ancestors[id(part.op)] = part.op
            pending += part.op.inputs  # type: ignore[arg-type]
    copy([op for op in tensor.graph.get_operations() if id(op) in ancestors], found, into)
    return found[tensor._id]


def _with_aliases(backward: Callable[..., Any], found: Mapping[int, Tensor]) -> Callable[..., Any]:
    """A custom gradient that sees the copies of the tensors which it refers to."""

    @functools.wraps(backward)
    def run(*arriving: Any) -> Any:
        graph = context.state.graph
        if not isinstance(graph, FuncGraph):
            return backward(*arriving)
        outer, graph.aliases = graph.aliases, {**graph.aliases, **found}
        try:
            return backward(*arriving)
        finally:
            graph.aliases = outer

    return run
