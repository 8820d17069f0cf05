"""The graph of objects under a root: who is whose child, under which name.

Objects are numbered breadth first. An object's path, the names from the root to it, gives the keys
of its tensors in a checkpoint.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from runnel.core.protos import messages
from runnel.core.state.trackable import Trackable
from runnel.core.state.variable import Variable
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.values.dtypes import DType, string
from runnel.train.objects.saveables import Saveable, saveables_of

GRAPH_KEY = "_CHECKPOINTABLE_OBJECT_GRAPH"
_ATTRIBUTES = ".ATTRIBUTES"
_SLOTS = ".OPTIMIZER_SLOT"


def escaped(name: str) -> str:
    """A name as a part of a path, in which `/` divides."""
    return name.replace(".", "..").replace("/", ".S")


def unescaped(part: str) -> str:
    """The name that a part of a path stands for."""
    return part.replace(".S", "/").replace("..", ".")


def tensor_key(path: str, name: str) -> str:
    """The key of an object's tensor in a checkpoint."""
    return f"{path}/{_ATTRIBUTES}/{escaped(name)}"


class Slot(NamedTuple):
    """A variable that an optimizer keeps for another one."""

    optimizer: int
    variable: int
    name: str
    slot: Any


class ObjectGraph:
    """The objects under a root, with their paths and children."""

    def __init__(
        self,
        root: Trackable,
        extra: Mapping[str, Trackable] | None = None,
        save_type: str = "checkpoint",
        cache: dict[Any, Any] | None = None,
    ) -> None:
        self._save_type = save_type
        self._cache = cache
        self.objects: list[Trackable] = []
        self.paths: list[str] = []
        self.children: list[dict[str, Trackable]] = []
        self.slots: list[Slot] = []
        self._numbers: dict[int, int] = {}
        self._collect(root, extra or {})

    def _collect(self, root: Trackable, extra: Mapping[str, Trackable]) -> None:
        waiting = deque([self._add(root, "")])
        while waiting:
            number = waiting.popleft()
            children = children_of(self.objects[number], self._save_type, self._cache)
            if number == 0:
                children.update(extra)
            self.children[number] = children
            for name, child in children.items():
                if id(child) not in self._numbers:
                    before = f"{self.paths[number]}/" if number else ""
                    waiting.append(self._add(child, before + escaped(name)))

    def _add(self, item: Trackable, path: str) -> int:
        number = self._numbers[id(item)] = len(self.objects)
        self.objects.append(item)
        self.paths.append(path)
        self.children.append({})
        return number

    def number_of(self, item: Any) -> int:
        return self._numbers[id(item)]

    def add_slots(self) -> None:
        """Add the variables that optimizers keep for others, which are nobody's children."""
        for number, optimizer in enumerate(list(self.objects)):
            if not hasattr(optimizer, "get_slot_names"):
                continue
            for name in optimizer.get_slot_names():  # type: ignore[attr-defined]
                for place, variable in enumerate(list(self.objects)):
                    if isinstance(variable, Variable):
                        self._add_slot(number, optimizer, place, name)

    def _add_slot(self, number: int, optimizer: Any, place: int, name: str) -> None:
        try:
            slot = optimizer.get_slot(self.objects[place], name)
        except (AttributeError, KeyError):
            return
        if slot is None:
            return
        if id(slot) not in self._numbers:
            path = f"{self.paths[place]}/{_SLOTS}/{self.paths[number]}/{escaped(name)}"
            self._add(slot, path)
        self.slots.append(Slot(number, place, name, slot))

    def saveables(self) -> Iterator[tuple[int, Saveable]]:
        """What each object has to save, with the object's number."""
        for number, item in enumerate(self.objects):
            for saveable in saveables_of(item):
                yield number, saveable

    def owners(self) -> dict[str, Trackable]:
        """The objects by the keys of their tensors."""
        return {
            tensor_key(self.paths[number], saveable.name + name): self.objects[number]
            for number, saveable in self.saveables()
            for name in saveable.values()
        }

    def proto(self) -> Any:
        """The graph as a message, without the tensors."""
        graph = messages.TrackableObjectGraph()
        for children in self.children:
            node = graph.nodes.add()
            for name, child in children.items():
                node.children.add(node_id=self._numbers[id(child)], local_name=name)
        for slot in self.slots:
            graph.nodes[slot.optimizer].slot_variables.add(
                original_variable_node_id=slot.variable,
                slot_name=slot.name,
                slot_variable_node_id=self._numbers[id(slot.slot)],
            )
        return graph


def children_of(
    item: Trackable,
    save_type: str = "checkpoint",
    cache: dict[Any, Any] | None = None,
    **options: Any,
) -> dict[str, Any]:
    """The children of an object that can be saved; a method stands for its function.

    In a `cache` an object keeps the children that it makes to be saved, so that they stay the same.
    """
    if not isinstance(item, Trackable):
        raise TypeError(f"A trackable object is wanted, such as a tf.Module, got {item!r}.")
    if cache is not None:
        options["cache"] = cache
    found = {}
    for name, child in item._trackable_children(save_type, **options).items():
        child = getattr(child, "_saved_function", child)
        if isinstance(child, Trackable):
            found[name] = child
    return found


def snapshot(graph: ObjectGraph) -> dict[str, tuple[Any, DType]]:
    """All tensors of the objects by key, and the graph itself; nothing is copied."""
    values, proto = described(graph)
    tensors = {key: _held(value) for key, value in values.items()}
    content = np.empty((), object)
    content[()] = proto.SerializeToString(deterministic=True)
    tensors[GRAPH_KEY] = (content, string)
    return dict(sorted(tensors.items()))


def described(graph: ObjectGraph) -> tuple[dict[str, Any], Any]:
    """All tensors and variables of the objects by key, and the message about them."""
    proto = graph.proto()
    tensors: dict[str, Any] = {}
    for number, saveable in graph.saveables():
        path, attributes = graph.paths[number], proto.nodes[number].attributes
        parts = saveable.values()
        for name in [saveable.name] if saveable.name and parts else parts:
            key = tensor_key(path, name)
            attributes.add(name=name, checkpoint_key=key, full_name=saveable.full_name)
        for name, value in parts.items():
            tensors[tensor_key(path, saveable.name + name)] = value
    _mark_values(proto)
    return tensors, proto


def _held(value: Any) -> tuple[Any, DType]:
    """The array that a tensor or a variable holds, and its dtype."""
    if isinstance(value, Variable):
        return value.handle._value.read(), value.dtype  # type: ignore[attr-defined]
    tensor = convert_to_tensor(value)
    return np.asarray(tensor._value), tensor.dtype  # type: ignore[attr-defined]


def _mark_values(proto: Any) -> None:
    """Say for each node whether it, or one below it, has values in the checkpoint."""
    parents: dict[int, list[int]] = {}
    for number, node in enumerate(proto.nodes):
        for child in (
            *[c.node_id for c in node.children],
            *[s.slot_variable_node_id for s in node.slot_variables],
        ):
            parents.setdefault(child, []).append(number)
    marked = {number for number, node in enumerate(proto.nodes) if node.attributes}
    waiting = list(marked)
    while waiting:
        for parent in parents.get(waiting.pop(), ()):
            if parent not in marked:
                marked.add(parent)
                waiting.append(parent)
    for number, node in enumerate(proto.nodes):
        node.has_checkpoint_values.value = number in marked
