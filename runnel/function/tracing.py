"""Tracing: a Python function, called on placeholders, as the graph of what it does."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from runnel.backend.collection import Pause
from runnel.core.op import context
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.settings.scopes import eager_scope
from runnel.core.settings.user_code import telling_line
from runnel.core.state.variable import Variable
from runnel.core.tensor.convert import constant, convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import nest
from runnel.function.function_type import FunctionType
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.control.subgraphs import NUMBERS, inside
from runnel.graph.run.effects import uses_state

if TYPE_CHECKING:
    from runnel.function.function import Function


_active = threading.local()


@contextmanager
def tracing(function: Function[..., Any], kind: FunctionType) -> Iterator[None]:
    """While a function is traced; one that calls itself with such arguments would never end."""
    outer: tuple[Any, ...] = getattr(_active, "traces", ())
    if any(f is function and k == kind for f, k in outer):
        raise RecursionError(
            f"tf.function {function.name!r} calls itself with arguments of the same kind ({kind}) "
            "while it is traced, which would never end: a graph cannot be recursive. Use a loop, "
            "or leave out tf.function."
        )
    _active.traces = (*outer, (function, kind))
    try:
        with Pause():
            yield
    finally:
        _active.traces = outer


@contextmanager
def counting_variables() -> Iterator[Callable[[], bool]]:
    """Whether variables were made inside; a function around this one is not told of them."""
    before = state.variables_made
    try:
        yield lambda: state.variables_made != before
    finally:
        state.variables_made = before


def fill(graph: FuncGraph, kind: FunctionType, function: Callable[..., Any]) -> None:
    """Let what a Python function does with arguments of such a type become operations of a graph.

    A change of an argument would be seen now, and never again when the graph runs.
    """
    with context.building(graph), context.unrecorded(), eager_scope(""):
        args, kwargs = kind.placeholders(graph)
        before = nest.map_structure(lambda leaf: leaf, [args, kwargs])
        with telling_line():
            result = function(*args, **kwargs)
        if not _is_unchanged(before, [args, kwargs]):
            raise ValueError(
                f"tf.function {graph.name!r} must not change its arguments: a list or dict that "
                "it was called with was modified. Change a copy and return it."
            )
        graph.structured_outputs, graph.outputs = _outputs(graph, result, graph.name)
        if graph.outputs:
            graph.last = after_effects(graph)
    graph.traces.clear()


def by_id(placeholders: Sequence[Tensor], tensors: Sequence[Tensor]) -> dict[int, Tensor]:
    """The values of placeholders, by the numbers of these."""
    return {p._id: t for p, t in zip(placeholders, tensors, strict=True)}


def _is_unchanged(before: Any, after: Any) -> bool:
    leaves = nest.flatten(after)
    try:
        nest.assert_same_structure(before, after)
        return all(a is b for a, b in zip(nest.flatten(before), leaves, strict=True))
    except (TypeError, ValueError):
        return False


def _outputs(graph: FuncGraph, result: Any, name: str) -> tuple[Any, list[Any]]:
    """The result with every tensor as one of the graph, and those tensors flat."""
    flat: list[Any] = []

    def output(value: Any) -> Any:
        if type(value) in NUMBERS:
            value = _converted(constant, value, name)  # which may be weak
        leaves = nest.flatten(value, expand_composites=True)
        made = [_output(graph, leaf, name) for leaf in leaves]
        flat.extend(tensor for tensor in made if isinstance(tensor, Tensor))
        return nest.pack_sequence_as(value, made, expand_composites=True)

    return nest.map_structure(output, result), flat


def after_effects(graph: FuncGraph) -> Any:
    """An operation that waits for all that use a state, if there are any.

    Runs keep the order without it; it is for other readers of the graph.
    """
    effects = [op for op in graph.get_operations() if uses_state(op)]
    if not effects:
        return None
    with graph.control_dependencies(None), graph.control_dependencies(effects):
        return raw_ops.NoOp()


def _output(graph: FuncGraph, leaf: Any, name: str) -> Any:
    if leaf is None:
        return None
    if isinstance(leaf, Variable):
        leaf = leaf.value()
    return raw_ops.Identity(inside(graph, _converted(convert_to_tensor, leaf, name)))


def _converted(convert: Callable[[Any], Any], leaf: Any, name: str) -> Any:
    try:
        return convert(leaf)
    except (TypeError, ValueError) as error:
        if isinstance(leaf, Tensor) or hasattr(type(leaf), "__tf_tensor__"):
            raise
        raise TypeError(
            f"tf.function {name!r} must return tensors, values that can be tensors, or None, got "
            f"{type(leaf).__name__}: {leaf!r}. {error}"
        ) from error
