"""Restoring a checkpoint: objects are matched with the file's graph, then take their values.

Matching follows names of children from the root. A child that an object does not have yet leaves
the place in the file behind, in `_deferred_dependencies`, to be restored when the child comes.
Shapes and dtypes of everything matched are compared before any value changes.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np

from runnel.core.op import context
from runnel.core.protos import messages
from runnel.core.settings.logging import warning
from runnel.core.state.trackable import Trackable
from runnel.core.state.variable import Variable
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values.dtypes import DType, string
from runnel.core.values.errors import DataLossError, InvalidArgumentError
from runnel.core.values.shape import TensorShape
from runnel.train.files.bundle import BundleReader
from runnel.train.objects.object_graph import GRAPH_KEY
from runnel.train.objects.saveables import saveables_of

_SHOWN = 20  # names of values in a warning


class Mismatch(NamedTuple):
    """A variable whose value in the file does not fit."""

    path: str
    held: str
    wanted: str
    by_dtype: bool


class Position:
    """A node of the file's graph, which is to be the state of an object that may not exist yet."""

    def __init__(self, restoration: Restoration, number: int) -> None:
        self.restoration = restoration
        self.proto_id = number

    @property
    def object_proto(self) -> Any:
        return self.restoration.proto.nodes[self.proto_id]

    def restore(self, trackable: Any) -> None:
        """Let `trackable`, and what is below it, take the values of this place."""
        self.restoration.restore(self.proto_id, trackable)

    def is_simple_variable(self) -> bool:
        """Whether the place holds one value, as that of a variable, and nothing else."""
        names = [a.name for a in self.object_proto.attributes]
        return names == ["VARIABLE_VALUE"] and not self.object_proto.children

    def value_shape(self) -> TensorShape | None:
        keys = [a.checkpoint_key for a in self.object_proto.attributes]
        return self.restoration.reader.shape(keys[0]) if keys else None

    def value_tensors(self, shape_and_slices: Any = None) -> dict[str, Tensor]:
        """The tensors of the place by name."""
        with self.restoration.reader:
            return self.restoration.values_of(self.proto_id)


class CheckpointInitialValueCallable:
    """The value of a place in a checkpoint, as the `initial_value` of a variable."""

    def __init__(self, checkpoint_position: Position) -> None:
        self.checkpoint_position = checkpoint_position

    def __call__(self, shape: Any = None, dtype: Any = None, shard_info: Any = None) -> Tensor:
        return self.checkpoint_position.value_tensors()["VARIABLE_VALUE"]


class Restoration:
    """One checkpoint on its way into objects."""

    def __init__(
        self,
        reader: BundleReader,
        proto: Any,
        extra: Mapping[str, Trackable] | None = None,
        *,
        with_slots: bool = True,
    ) -> None:
        self.reader = reader
        self.proto = proto
        self._extra = extra or {}  # children of the root that it does not know of
        self.paths = _paths(proto)
        self.objects: dict[int, Trackable] = {}
        self.restored: set[int] = set()  # nodes whose values an object has
        self.unwanted: dict[int, list[str]] = {}  # tensors of nodes that their objects do not take
        self.waiting_slots: dict[int, list[Any]] = {}  # by optimizer: those whose variable is there
        self.may_be_partial = False  # whether values that nothing takes are no surprise
        self._slots = _slots_by_variable(proto)
        self.skipped: set[int] = set()  # nodes that are not wanted
        if not with_slots:
            self.skipped = {slot for slots in self._slots.values() for _, slot, _ in slots}
            self._slots = {}

    def restore(self, number: int, trackable: Trackable) -> None:
        """Match from this node and object on; then check, and assign."""
        with context.building(None), context.unrecorded(), self.reader:
            matched, missing = self._match(number, trackable)
            self._check(matched)
            for item, name, node in missing:
                position = Position(self, node)
                item._deferred_dependencies.setdefault(name, []).append(position)
            for each in matched:
                self._assign(each)

    def unmatched(self) -> list[int]:
        """The nodes with values that no object was found for yet."""
        return [
            number
            for number, node in enumerate(self.proto.nodes)
            if node.attributes and number not in self.objects and number not in self.skipped
        ]

    def __del__(self) -> None:
        """Nothing waits for the values any more: say which were never used."""
        unused = [] if self.may_be_partial else self.unmatched()
        if unused:
            names = [self.paths[number] for number in unused]
            more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
            warning(
                f"The objects restored from {self.reader.prefix} are deleted, and these values of "
                f"it were never used: {', '.join(names[:_SHOWN])}{more}. If that is as it should "
                "be, call `expect_partial()` on what `restore` or `load_weights` returns."
            )

    def _match(
        self, number: int, trackable: Trackable
    ) -> tuple[list[int], list[tuple[Trackable, str, int]]]:
        """The nodes that objects are found for now, from this one on, and the missing children."""
        matched: list[int] = []
        missing: list[tuple[Trackable, str, int]] = []
        waiting: deque[tuple[int, Trackable]] = deque([(number, trackable)])
        while waiting:
            node, item = waiting.popleft()
            if not self._bind(node, item):
                continue
            matched.append(node)
            children = item._trackable_children()
            if node == 0:
                children = {**children, **self._extra}
            for reference in self.proto.nodes[node].children:
                child = children.get(reference.local_name)
                if child is None:
                    child = item._lookup_dependency(reference.local_name)
                if child is None:
                    missing.append((item, reference.local_name, reference.node_id))
                else:
                    waiting.append((reference.node_id, getattr(child, "_saved_function", child)))
        return matched, missing

    def _bind(self, number: int, item: Trackable) -> bool:
        """Make `item` the object of a node; False if the node has one."""
        known = self.objects.get(number)
        if known is None:
            self.objects[number] = item
            return True
        if known is not item and self.proto.nodes[number].has_checkpoint_values.value:
            warning(
                f"Inconsistent references when loading the checkpoint {self.reader.prefix}: "
                f"{self.paths[number]!r} was one object when it was saved and is several now "
                f"({known!r} and {item!r}). Only the first takes the saved value."
            )
        return False

    def _check(self, matched: Iterable[int]) -> None:
        """Raise unless all values fit their variables; nothing has been assigned yet."""
        wrong = [found for number in matched for found in self._mismatches(number)]
        if not wrong:
            return
        self.may_be_partial = True  # the error says all
        first = wrong[0]
        lines = [f"  {w.path}: the file has {w.held}, the variable is {w.wanted}" for w in wrong]
        text = "\n".join(
            [
                f"Cannot restore {self.reader.prefix}: received incompatible tensors for "
                f"{len(wrong)} variables. Nothing was restored.",
                *lines,
                "Make the variables as they were when the checkpoint was written, or leave out "
                "what has changed.",
            ]
        )
        if first.by_dtype:
            raise InvalidArgumentError(None, None, text)
        raise ValueError(text)

    def _mismatches(self, number: int) -> list[Mismatch]:
        item = self.objects[number]
        if not isinstance(item, Variable):
            return []
        found = []
        for attribute in self.proto.nodes[number].attributes:
            dtype, shape = self._spec(attribute)
            by_dtype = dtype is not item.dtype
            if by_dtype or not item.shape.is_compatible_with(shape):
                held, wanted = f"{dtype.name}{shape}", f"{item.dtype.name}{item.shape}"
                found.append(Mismatch(self.paths[number], held, wanted, by_dtype))
        return found

    def _spec(self, attribute: Any) -> tuple[DType, TensorShape]:
        key = attribute.checkpoint_key
        return self.reader.dtype(key), self.reader.shape(key)

    def values_of(self, number: int) -> dict[str, Tensor]:
        """The tensors that the file has for a node, by name."""
        found: dict[str, Tensor] = {}
        for attribute in self.proto.nodes[number].attributes:
            key = attribute.checkpoint_key
            if key in self.reader:
                found[attribute.name] = read_tensor(self.reader, key)
            else:  # the parts of one thing, such as the keys and the values of a table
                found.update((k[len(key) :], read_tensor(self.reader, k)) for k in self._parts(key))
        return found

    def _parts(self, key: str) -> list[str]:
        names = [name for name in self.reader.names() if name.startswith(f"{key}-")]
        return names or [key]

    def _assign(self, number: int) -> None:
        """Give a matched object its values, and restore the slots that waited for it."""
        item, attributes = self.objects[number], self.proto.nodes[number].attributes
        if attributes:
            self._assign_values(number, item)
        self._restore_slots(number, item)

    def _assign_values(self, number: int, item: Trackable) -> None:
        saveables = saveables_of(item)
        if not saveables:
            self.unwanted[number] = [a.name for a in self.proto.nodes[number].attributes]
            return
        values = self.values_of(number)
        try:
            for saveable in saveables:
                saveable.restore(values)
        except KeyError as error:
            raise InvalidArgumentError(
                None,
                None,
                f"The checkpoint {self.reader.prefix} has {sorted(values)} for "
                f"{self.paths[number]!r}, but a {type(item).__name__} wants {error}.",
            ) from error
        self.restored.add(number)

    def _restore_slots(self, number: int, item: Trackable) -> None:
        """Restore the slots of a variable in the optimizers there are, or those of an optimizer."""
        for optimizer_id, slot_id, name in self._slots.pop(number, ()):
            optimizer = self.objects.get(optimizer_id)
            if optimizer is None:
                self.waiting_slots.setdefault(optimizer_id, []).append((slot_id, name, item))
            else:
                self._restore_slot(optimizer, slot_id, name, item)
        for slot_id, name, variable in self.waiting_slots.pop(number, ()):
            self._restore_slot(item, slot_id, name, variable)

    def _restore_slot(self, optimizer: Any, slot_id: int, name: str, variable: Any) -> None:
        if hasattr(optimizer, "_create_or_restore_slot_variable"):
            optimizer._create_or_restore_slot_variable(
                slot_variable_position=Position(self, slot_id), slot_name=name, variable=variable
            )


def read_tensor(reader: BundleReader, key: str) -> Tensor:
    """A tensor of a checkpoint."""
    array = reader.read(key)
    array.flags.writeable = False
    return EagerTensor(array, reader.dtype(key))


def _paths(proto: Any) -> list[str]:
    """The path of each node, for people: names from the root on."""
    paths: list[str | None] = [None] * len(proto.nodes)
    if paths:
        paths[0] = "(root)"
    waiting = deque([0] if paths else [])
    while waiting:
        number = waiting.popleft()
        for reference in proto.nodes[number].children:
            if paths[reference.node_id] is None:
                before = f"{paths[number]}/" if number else ""
                paths[reference.node_id] = before + reference.local_name
                waiting.append(reference.node_id)
    return [f"(node {n})" if path is None else path for n, path in enumerate(paths)]


def _slots_by_variable(proto: Any) -> dict[int, list[tuple[int, int, str]]]:
    """By variable: the optimizer, the slot and its name."""
    found: dict[int, list[tuple[int, int, str]]] = {}
    for number, node in enumerate(proto.nodes):
        for slot in node.slot_variables:
            entry = (number, slot.slot_variable_node_id, slot.slot_name)
            found.setdefault(slot.original_variable_node_id, []).append(entry)
    return found


def read_object_graph(reader: BundleReader) -> Any:
    """The graph of objects of a checkpoint, None if it is one of names only."""
    if GRAPH_KEY not in reader:
        return None
    if reader.dtype(GRAPH_KEY) is not string or reader.shape(GRAPH_KEY).rank != 0:
        raise DataLossError(None, None, f"The object graph of {reader.prefix} is not a string.")
    content = reader.read(GRAPH_KEY)
    try:
        proto = messages.TrackableObjectGraph.FromString(np.asarray(content, object).item())
    except Exception as error:  # protobuf's own class of error depends on its version
        text = f"The object graph of {reader.prefix} is damaged: {error}."
        raise DataLossError(None, None, text) from None
    check_references(proto, reader.prefix)
    return proto


def check_references(proto: Any, where: str) -> None:
    """DataLossError if a node refers to one that is not there."""
    count = len(proto.nodes)
    for node in proto.nodes:
        numbers = [c.node_id for c in node.children]
        for slot in node.slot_variables:
            numbers += [slot.slot_variable_node_id, slot.original_variable_node_id]
        if any(not 0 <= number < count for number in numbers):
            raise DataLossError(None, None, f"The object graph of {where} refers to nothing.")
