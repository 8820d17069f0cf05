"""Operations for their order alone: `tf.no_op`, `tf.group`, `tf.tuple`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runnel.core.extend import Tensor, op, raw_ops
from runnel.core.op.context import state
from runnel.core.settings.scopes import control_dependencies
from runnel.core.values import nest
from runnel.core.values.types import Namespace


def _no_outputs() -> list[Any]:
    return []


@op("NoOp", "->", shape=_no_outputs, host=True)
def _no_op(xp: Namespace) -> None:
    return None


def no_op(name: str | None = None) -> Any:
    """Nothing: in a graph, an operation that does nothing; outside, None."""
    if state.graph is None:
        return None
    return raw_ops.NoOp(name=name)


def group(*inputs: Any, **kwargs: Any) -> Any:
    """An operation that is done when all `inputs` are; outside graphs, where they are, None."""
    name = kwargs.pop("name", None)
    if state.graph is None:
        return None
    if kwargs:
        raise ValueError(f"tf.group has no arguments {sorted(kwargs)}.")
    parts = nest.flatten(inputs, expand_composites=True)
    for item in parts:
        if not hasattr(item, "_dtype") and not hasattr(item, "control_inputs"):
            raise TypeError(f"tf.group takes tensors and operations, got {item!r}.")
    with control_dependencies(parts):
        return no_op(name)


def tuple(
    tensors: Sequence[Any], control_inputs: Sequence[Any] | None = None, name: str | None = None
) -> Any:
    """The tensors, each of which is there only when all of them are; None stays None.

    >>> tf.tuple([tf.constant(1), None])
    [<tf.Tensor: shape=(), dtype=int32, numpy=1>, None]
    """
    if state.graph is None:
        return tensors
    if all(t is None for t in tensors):
        raise ValueError(f"tf.tuple needs at least one tensor, got {tensors!r}.")
    awaited = [*[t for t in tensors if t is not None], *(control_inputs or ())]
    with state.graph.name_scope(name or "tuple"):
        with control_dependencies(nest.flatten(awaited, expand_composites=True)):
            gate = no_op("group_deps")
        with control_dependencies([gate]):
            return [
                nest.map_structure(_gated, t, expand_composites=True)
                if isinstance(t, Tensor) or hasattr(t, "_type_spec")
                else t
                for t in tensors
            ]


def _gated(tensor: Tensor) -> Tensor:
    return raw_ops.Identity(tensor, name="control_dependency")
