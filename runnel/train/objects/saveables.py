"""What an object itself puts into a checkpoint, and how it takes it back.

An object says so with `_serialize_to_tensors` and `_restore_from_tensors`, or in the older way with
`_gather_saveables_for_checkpoint`: tensors or variables by name, or functions that make an object
with `specs` and `restore`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runnel.core.state.trackable import Trackable
from runnel.core.state.variable import Variable
from runnel.core.tensor.tensor import Tensor


class Saveable:
    """Some tensors of one object."""

    def __init__(self, owner: Trackable) -> None:
        self.owner = owner

    @property
    def name(self) -> str:
        """The name of the thing that the tensors are parts of, empty if each is its own."""
        return self.owner._checkpoint_name

    @property
    def full_name(self) -> str:
        """The name by which programs of old know the values."""
        return str(getattr(self.owner, "_shared_name", "") or "")

    def values(self) -> Mapping[str, Any]:
        """The tensors and variables to be written, by name."""
        return self.owner._serialize_to_tensors()

    def restore(self, values: Mapping[str, Tensor]) -> None:
        self.owner._restore_from_tensors(values)


class _Variable(Saveable):
    """A variable that is an object's under a name."""

    def __init__(self, owner: Trackable, name: str, variable: Any) -> None:
        super().__init__(owner)
        self._name = name
        self._variable = variable

    def values(self) -> Mapping[str, Any]:
        return {self._name: self._variable}

    def restore(self, values: Mapping[str, Tensor]) -> None:
        if not isinstance(self._variable, Variable):
            raise TypeError(f"A tensor cannot be restored, but {self._name!r} gives one.")
        self._variable.assign(values[self._name])


class _Older(Saveable):
    """An object with `specs` and `restore`, as TensorFlow's `SaveableObject`s are."""

    def __init__(self, owner: Trackable, name: str, made: Any) -> None:
        super().__init__(owner)
        self._name = name
        self._made = made

    def _names(self) -> list[str]:
        """A single tensor goes by the name alone, several by it and their own."""
        if len(self._made.specs) == 1:
            return [self._name]
        return [f"{self._name}{spec.name}" for spec in self._made.specs]

    def values(self) -> Mapping[str, Any]:
        tensors = [s.tensor() if callable(s.tensor) else s.tensor for s in self._made.specs]
        return dict(zip(self._names(), tensors))

    def restore(self, values: Mapping[str, Tensor]) -> None:
        self._made.restore([values[name] for name in self._names()], None)


def saveables_of(item: Trackable) -> list[Saveable]:
    """What an object has to save of itself, its children left aside."""
    kind = item.__class__  # of a weak proxy, that of what it stands for
    if kind._serialize_to_tensors is not Trackable._serialize_to_tensors:
        return [Saveable(item)]
    found: list[Saveable] = []
    for name, factory in item._gather_saveables_for_checkpoint().items():
        made = factory(name) if callable(factory) and not _is_value(factory) else factory
        if isinstance(made, Trackable) and not _is_value(made):
            raise TypeError(f"{kind.__name__} gives {made!r} to be saved as {name!r}.")
        found.append(_Variable(item, name, made) if _is_value(made) else _Older(item, name, made))
    return found


def _is_value(value: Any) -> bool:
    return isinstance(value, Variable | Tensor)
