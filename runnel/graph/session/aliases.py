"""Reference variables while a graph runs: which operation sees which value.

The reference of a variable, what reads it and what changes it hand on one memory. So an operation
that comes behind a change, by its inputs or by control dependencies, sees what was assigned, even
if it takes the read that all others take. Here it gets a read of its own, just before it runs.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Iterable, Sequence
from typing import Any

from runnel.core.op.raw import raw_ops
from runnel.graph.build.operation import Operation
from runnel.graph.build.reference_ops import ReferenceOp, ReferenceTensor
from runnel.graph.build.tensor import SymbolicTensor
from runnel.graph.run.nested import written_inputs

_NOTHING: frozenset[int] = frozenset()


class Memory:
    """The operations of a step with ops on resources in the place of those on references.

    `handles` are the variables whose memory a tensor is, by the tensor; `changed` are those that
    the step changes.
    """

    def __init__(self, operations: Iterable[Operation], given: Collection[int]) -> None:
        self._given = given
        self.handles: dict[int, SymbolicTensor] = {}
        self.made: set[int] = set()  # the tensors that the operations compute
        self.changed: set[int] = set()
        self.operations: list[Operation] = []
        self._behind: dict[Operation, frozenset[int]] = {}  # what has changed before it is done
        for operation in operations:
            self._add(operation)

    def of(self, tensor: Any) -> SymbolicTensor | None:
        """The handle of the variable whose memory a tensor is; None if it has its own."""
        if tensor._id in self._given:
            return None
        return tensor if isinstance(tensor, ReferenceTensor) else self.handles.get(tensor._id)

    def is_late(self, tensor: SymbolicTensor) -> bool:
        """Whether the value that a fetch wants is there after the run only."""
        handle = self.of(tensor)
        return handle is not None and (handle._id in self.changed or tensor._id not in self.made)

    def _add(self, operation: Operation) -> None:
        before = behind = self._changed_before(operation)
        op = operation.op
        if isinstance(op, ReferenceOp):
            handles = [t for t in operation.inputs if isinstance(t, ReferenceTensor)]
            if op.hands_on:
                self.handles[operation.outputs[0]._id] = handles[0]
            if op.changes:
                names = {t._id for t in handles}
                self.changed |= names
                behind |= names
        elif op.lower is not None:
            behind |= self._changed_inside(operation)
        elif op.traits.identity and (handle := self.of(operation.inputs[0])) is not None:
            self.handles[operation.outputs[0]._id] = handle
        self._behind[operation] = behind
        self._put(operation, before)

    def _changed_inside(self, operation: Operation) -> frozenset[int]:
        """The variables that a loop or a branch changes."""
        if not any(isinstance(t, ReferenceTensor) for t in operation.inputs):
            return _NOTHING
        names = frozenset(operation.inputs[place]._id for place in written_inputs(operation))
        self.changed |= names
        return names

    def _changed_before(self, operation: Operation) -> frozenset[int]:
        found = _NOTHING
        for earlier in (*[t.op for t in operation.inputs], *operation.after):
            more = self._behind.get(earlier)
            if more:
                found |= more
        return found

    def _put(self, operation: Operation, behind: frozenset[int]) -> None:
        op = operation.op
        inputs = [self._seen(operation, tensor, behind) for tensor in operation.inputs]
        if isinstance(op, ReferenceOp):
            operation = _copied(operation, inputs)
            operation.op, operation.attrs = op.on_resources, op.plain_attrs(operation.attrs)
            operation.outputs = operation.outputs if op.on_resources.outputs else []
        elif any(a is not b for a, b in zip(inputs, operation.inputs)):
            operation = _copied(operation, inputs)
        self.operations.append(operation)
        self.made.update(t._id for t in operation.outputs)

    def _seen(self, operation: Operation, tensor: Any, behind: frozenset[int]) -> SymbolicTensor:
        """The tensor that an operation takes; one of its own for memory that has changed."""
        handle = self.of(tensor)
        if handle is None or handle is tensor or operation.op.state == "own":
            return tensor  # type: ignore[no-any-return]
        if handle._id not in behind and tensor._id in self.made:
            return tensor  # type: ignore[no-any-return]
        read = self._reading(operation, handle, tensor)
        self.operations.append(read)
        return read.outputs[0]

    def _reading(
        self, user: Operation, handle: SymbolicTensor, tensor: SymbolicTensor
    ) -> Operation:
        """A read that runs when its user begins, behind all that the user waits for."""
        held = handle._handle_data
        waits = [t.op for t in user.inputs if self._behind.get(t.op)]
        op, attrs = raw_ops.ReadVariableOp, {"dtype": held.dtype}
        made = Operation(
            user.graph, op, f"{user.name}/read", (handle,), attrs, (*user.after, *waits)
        )
        made.outputs = [SymbolicTensor(made, 0, held.dtype, tensor.shape._dims)]
        made.belong_to(user)
        return made


def _copied(operation: Operation, inputs: Sequence[SymbolicTensor]) -> Operation:
    made = copy.copy(operation)
    made.inputs = tuple(inputs)
    return made
