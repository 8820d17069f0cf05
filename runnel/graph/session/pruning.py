"""The operations between what is fed and what is fetched."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from runnel.core.settings.device import is_here, list_logical_devices
from runnel.core.values.dtypes import resource
from runnel.core.values.errors import InvalidArgumentError
from runnel.graph.build.graph import Graph
from runnel.graph.build.operation import Operation
from runnel.graph.build.tensor import SymbolicTensor
from runnel.graph.session.aliases import Memory


class Pruned:
    """The part of a graph that a step needs, as what runs graphs looks at one."""

    is_pruned = True

    def __init__(self, graph: Graph, fetched: Sequence[Any], fed: Iterable[SymbolicTensor]) -> None:
        given = {t._id for t in fed}
        wanted: set[Operation] = set()
        pending = [
            element if isinstance(element, Operation) else element.op
            for element in fetched
            if isinstance(element, Operation) or element._id not in given
        ]
        while pending:
            operation = pending.pop()
            if operation in wanted:
                continue
            wanted.add(operation)
            if is_maker(operation):
                continue
            pending += [t.op for t in operation.inputs if t._id not in given]
            pending += operation.after
        found = [op for op in graph._operations if op in wanted]  # one order to run in
        self.makers = [op for op in found if is_maker(op)]
        rest = [op for op in found if not is_maker(op)]
        self.memory = Memory(rest, given) if graph.references else None
        self._operations = rest if self.memory is None else self.memory.operations

    def check_devices(self, config: Any) -> None:
        """Raise for an operation on a device that is not there, unless it may be elsewhere."""
        if config is not None and config.allow_soft_placement:
            return
        for operation in (*self.makers, *self._operations):
            if operation.device and not is_here(operation.device):
                known = [device.name for device in list_logical_devices()]
                raise InvalidArgumentError(
                    None,
                    operation,
                    f"Cannot run {operation.name!r} on {operation.device!r}: there are {known}. "
                    "Use ConfigProto(allow_soft_placement=True) to run it on one of these.",
                )

    def check_fed(self, given: set[int]) -> None:
        """Raise for a placeholder that nobody has fed."""
        for operation in self._operations:
            if operation.type in _PLACEHOLDERS and operation.outputs[0]._id not in given:
                raise unfed(operation)


_PLACEHOLDERS = ("Placeholder", "PlaceholderV2")


def unfed(operation: Operation) -> Exception:
    tensor = operation.outputs[0]
    return InvalidArgumentError(
        None,
        operation,
        f"You must feed a value for placeholder tensor {operation.name!r} with dtype "
        f"{tensor.dtype.name} and shape {tensor.shape}.",
    )


def is_maker(operation: Operation) -> bool:
    """Whether an operation makes something that a session keeps: a variable, a table, a queue."""
    op = operation.op
    return (
        "shared_name" in op.kinds
        and len(operation.outputs) == 1
        and operation.outputs[0]._dtype is resource
    )
