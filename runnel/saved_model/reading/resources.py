"""Tables and other resources of a loaded model, which its own functions make."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from runnel.core.state.capturable_resource import CapturableResource
from runnel.core.state.trackable import Trackable
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import string
from runnel.core.values.type_spec import TensorSpec
from runnel.function.concrete import ConcreteFunction
from runnel.function.function import Function

RUN_BY_LOADING = ("_create_resource", "_initialize")


class RestoredResource(Trackable):
    """A resource that the function `_create_resource` makes and `_initialize` fills."""

    def __init__(self, device: str = "") -> None:
        self._device = device
        self._functions: dict[str, Any] = {}
        self._handle: Tensor | None = None

    def set_function(self, name: str, function: Any) -> None:
        self._functions[name] = function
        if isinstance(function, Trackable):
            self._track_trackable(function, name, overwrite=True)

    def set_saveable(self, name: str, save: Any, restore: Any) -> None:
        """The functions that give and take the values of the resource."""
        self._checkpoint_name = name
        self._save, self._restore = save, restore

    _save: Any = None
    _restore: Any = None

    def _serialize_to_tensors(self) -> dict[str, Any]:
        if self._save is None:
            return {}
        parts = self._save(convert_to_tensor("", dtype=string))
        return {part["name"].numpy().decode("utf-8", "replace"): part["tensor"] for part in parts}

    def _restore_from_tensors(self, restored_tensors: Mapping[str, Any]) -> None:
        names = self._serialize_to_tensors()
        self._restore.call_flat([restored_tensors[name] for name in names])

    @property
    def resource_handle(self) -> Tensor:
        """The tensor that stands for the resource; it is made when it is first asked for."""
        if self._handle is None:
            create = self._functions.get("_create_resource")
            if create is None:
                raise ValueError("A resource of a SavedModel has no function that makes it.")
            self._handle = create()
        return self._handle

    def initialize(self) -> None:
        """Make the resource and fill it."""
        if "_create_resource" not in self._functions:
            return
        self.resource_handle  # noqa: B018 - made now
        if "_initialize" in self._functions:
            self._functions["_initialize"]()


def saveable_functions(item: CapturableResource) -> tuple[ConcreteFunction, ConcreteFunction]:
    """Functions that give, and that take, the values of a resource, as a SavedModel has them."""
    now = item._serialize_to_tensors()
    names = list(now)

    def save_fn(checkpoint_key: Tensor) -> list[dict[str, Tensor]]:
        values = item._serialize_to_tensors()
        return [
            {
                "name": checkpoint_key + name,
                "slice_spec": convert_to_tensor("", dtype=string),
                "tensor": convert_to_tensor(values[name]),
            }
            for name in names
        ]

    def restore_fn(*restored_tensors: Tensor) -> Tensor:
        item._restore_from_tensors(dict(zip(names, restored_tensors, strict=True)))
        return convert_to_tensor(1)

    key = TensorSpec([], string, name="checkpoint_key")
    specs = [
        TensorSpec(None, convert_to_tensor(value).dtype, name=f"restored_tensors_{place}")
        for place, value in enumerate(now.values())
    ]
    save = Function(save_fn, name="save_fn", input_signature=[key], autograph=False)
    restore = Function(restore_fn, name="restore_fn", input_signature=specs, autograph=False)
    return save.get_concrete_function(), restore.get_concrete_function()
