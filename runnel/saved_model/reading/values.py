"""The values of a loaded model's variables and tables."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterator, Sequence
from typing import Any

from runnel.core.files import files
from runnel.core.state.variable import Variable
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.values.dtypes import string
from runnel.core.values.errors import DataLossError, NotFoundError
from runnel.saved_model.constants import VARIABLES_DIRECTORY, VARIABLES_FILENAME
from runnel.train.files.bundle import BundleReader
from runnel.train.objects.restoring import read_object_graph, read_tensor
from runnel.train.objects.saveables import saveables_of


class Values:
    """Reads values into the objects of a SavedModel, whose `paths` are for errors."""

    def __init__(
        self, folder: str, proto: Any, objects: Sequence[Any], paths: Sequence[str]
    ) -> None:
        self._folder = folder
        self._proto = proto
        self._objects = objects
        self._paths = paths

    def restore(self, *, partial: bool, given: Container[int] = ()) -> None:
        """Read the values of the variables, found by the names of children from the root.

        Objects that are `given` take back what they have saved themselves.
        """
        prefix = files.join(self._folder, VARIABLES_DIRECTORY, VARIABLES_FILENAME)
        wanted = {n for n, item in enumerate(self._objects) if isinstance(item, Variable)}
        if not files.exists(f"{prefix}.index"):
            if wanted and not partial:
                text = f"The SavedModel in {self._folder} has no values of its variables:"
                raise FileNotFoundError(f"{text} there is no {prefix}.index.")
            return
        tables: list[tuple[int, Any]] = []
        with BundleReader(prefix) as reader:
            saved = read_object_graph(reader)
            for number, place in self._pairs(saved):
                if number in wanted:
                    self._assign(reader, number, saved.nodes[place])
                    wanted.discard(number)
                elif number in given:
                    self._give_back(reader, number, saved.nodes[place])
                elif self._proto.nodes[number].saveable_objects:
                    tables.append((number, saved.nodes[place]))
            for number, node in tables:
                self._fill(reader, number, node)
        if wanted and not partial:
            names = ", ".join(self._paths[n] for n in sorted(wanted)[:10])
            text = f"The SavedModel in {self._folder} has no values of {names}."
            raise NotFoundError(None, None, text)

    def _pairs(self, saved: Any) -> Iterator[tuple[int, int]]:
        """Objects here and in the checkpoint that have the same path, then optimizers' slots."""
        seen = {0}
        places: dict[int, int] = {}
        waiting = deque([(0, 0)] if saved is not None and saved.nodes else [])
        while waiting:
            number, place = waiting.popleft()
            places[number] = place
            yield number, place
            names = {c.local_name: c.node_id for c in saved.nodes[place].children}
            for child in self._proto.nodes[number].children:
                if child.local_name in names and child.node_id not in seen:
                    seen.add(child.node_id)
                    waiting.append((child.node_id, names[child.local_name]))
        for number, place in places.items():
            slots = {
                (s.original_variable_node_id, s.slot_name): s.slot_variable_node_id
                for s in saved.nodes[place].slot_variables
            }
            for slot in self._proto.nodes[number].slot_variables:
                key = (places.get(slot.original_variable_node_id, -1), slot.slot_name)
                if key in slots and slot.slot_variable_node_id not in seen:
                    yield slot.slot_variable_node_id, slots[key]

    def _assign(self, reader: BundleReader, number: int, node: Any) -> None:
        variable = self._objects[number]
        for attribute in node.attributes:
            value = read_tensor(reader, attribute.checkpoint_key)
            fits = variable.shape.is_compatible_with(value.shape)
            if value.dtype is not variable.dtype or not fits:
                text = (
                    f"{self._paths[number]!r} is {variable.dtype.name}{variable.shape} in the "
                    f"SavedModel in {self._folder}, its value is {value.dtype.name}{value.shape}."
                )
                raise DataLossError(None, None, text)
            variable.assign(value)

    def _give_back(self, reader: BundleReader, number: int, node: Any) -> None:
        """Have an object take the values that one like it has saved."""
        keys = {a.name: a.checkpoint_key for a in node.attributes}
        for saveable in saveables_of(self._objects[number]) if keys else ():
            names = [saveable.name + part for part in saveable.values()]
            found = {n: read_tensor(reader, keys[n]) for n in names if n in keys}
            if found:
                saveable.restore({n.removeprefix(saveable.name): v for n, v in found.items()})

    def _fill(self, reader: BundleReader, number: int, node: Any) -> None:
        """Give a table its values: one function names them, another takes them."""
        keys = {a.name: a.checkpoint_key for a in node.attributes}
        for name, saveable in self._proto.nodes[number].saveable_objects.items():
            if name in keys:
                key = convert_to_tensor(keys[name], dtype=string)
                parts = self._objects[saveable.save_function](key)
                names = [part["name"].numpy().decode("utf-8", "replace") for part in parts]
                values = [read_tensor(reader, each) for each in names]
                self._objects[saveable.restore_function].call_flat(values)
