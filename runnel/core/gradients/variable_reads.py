"""Reads of variables: what tapes, and functions being traced, are told of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.tensor.tensor import Tensor

if TYPE_CHECKING:
    pass
from runnel.core.gradients.tape import Record, Tape, accumulate


class VariableWatcher(Tape):
    """Notices which trainable variables are read, and nothing else."""

    __slots__ = ("variables",)
    graph = object()  # no graph is this one, so that no op is told to it
    watches_variables = True

    def __init__(self) -> None:
        self.variables: dict[int, Any] = {}

    def watch_variable(self, variable: Any) -> None:
        self.variables.setdefault(variable.handle._id, variable)


def record_read(variable: Any, tensor: Tensor) -> None:
    """Tell the active tapes that a variable was read: `note_read` and `record` for eager mode."""
    handle = variable._handle
    key = handle._id
    entry = None
    trainable = variable._trainable
    for tape in state.tapes:
        if trainable and tape.watches_variables:
            tape.watch_variable(variable)
        if key in tape.watched and tape.graph is None:
            if entry is None:
                dtype = tensor._dtype
                entry = Record(raw_ops.ReadVariableOp, (handle,), (tensor,), {"dtype": dtype})
            tape.add(entry)
    if entry is not None and state.accumulates:
        accumulate(entry)


def note_read(variable: Any) -> None:
    """Tell the active tapes, and the functions being traced, that a variable will be read."""
    if variable._trainable:
        for tape in state.tapes:
            if tape.watches_variables:
                tape.watch_variable(variable)
    graph: Any = state.graph
    while graph is not None and graph.building_function:
        graph.note_variable(variable)
        graph = graph.outer_graph
