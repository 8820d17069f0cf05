"""Automatic control dependencies: in which order operations that use a state come.

Runs keep program order in any case; this is for those who read a graph, and for TensorFlow.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runnel.core.values.dtypes import resource, variant
from runnel.graph.build.operation import Operation
from runnel.graph.run.effects import has_effect
from runnel.graph.run.nested import written_inputs


class Order:
    """The order of side effects: what each operation must wait for.

    A write of a variable waits for the reads and writes before it, a read for the last write. What
    takes elements from a dataset uses the variables of the dataset's functions. A queue, a table or
    an iterator is used in turns; what has an effect and uses none of these waits for the last such
    thing.
    """

    def __init__(self, operations: Sequence[Operation]) -> None:
        self.size = len(operations)
        self._waits: dict[int, list[Operation]] = {}
        writer: dict[Any, Operation] = {}
        readers: dict[Any, list[Operation]] = {}
        carried = _Carried()
        for operation in operations:
            waits: dict[int, Operation] = {}
            for key, writes in (*_touched(operation), *carried.by(operation)):
                if key in writer and writer[key] is not operation:
                    waits[id(writer[key])] = writer[key]
                if writes:
                    found = [op for op in readers.pop(key, ()) if op is not operation]
                    waits.update((id(op), op) for op in found)
                    writer[key] = operation
                else:
                    readers.setdefault(key, []).append(operation)
            self._waits[id(operation)] = list(waits.values())

    def before(self, operation: Operation) -> list[Operation]:
        return self._waits[id(operation)]


class _Carried:
    """The variables that datasets and iterators use, by the tensors that these are."""

    def __init__(self) -> None:
        self._used: dict[int, dict[int, bool]] = {}

    def by(self, operation: Operation) -> list[tuple[int, bool]]:
        """The variables that an operation uses through datasets, and whether it changes them."""
        found: dict[int, bool] = {}
        for tensor in operation.inputs:
            found.update(self._used.get(tensor._id, {}))
        if "Dataset" in operation.type:
            found.update(_variables_of(operation))
        if found:
            iterators = [t for t in operation.inputs if t._dtype is resource]
            made = iterators if operation.type == "MakeIterator" else operation.outputs
            self._used.update((t._id, found) for t in made if t.dtype in (variant, resource))
        return list(found.items())


def _variables_of(operation: Operation) -> dict[int, bool]:
    """The variables that the functions of a step of a dataset capture."""
    graphs = [value for value in operation.attrs.values() if hasattr(value, "internal_captures")]
    writes = any(has_effect(op) for graph in graphs for op in graph.get_operations())
    return {t._id: writes for t in operation.inputs if t._dtype is resource}


def _touched(operation: Operation) -> list[tuple[Any, bool]]:
    """The states that an operation uses, and whether it changes them."""
    op = operation.op
    if op.state not in (None, "own"):
        return [(handle._id, op.writes) for handle in operation.inputs[: op.held]]
    found: list[tuple[Any, bool]] = []
    if op.lower is not None:
        changed = written_inputs(operation)
        handles = [(i, t) for i, t in enumerate(operation.inputs) if t._dtype is resource]
        found += [(t._id, i in changed) for i, t in handles]
    elif has_effect(operation):
        found = [(t._id, True) for t in operation.inputs if t._dtype is resource]
    if has_effect(operation) and (op.lower is not None or not found):
        found.append(("effects", True))
    return found
