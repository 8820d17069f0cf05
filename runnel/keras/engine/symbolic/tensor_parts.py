"""Parts and methods of ragged and sparse tensors on `KerasTensor`s, as layers of a model."""

from __future__ import annotations

from typing import Any

from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.naming import unique_name
from .keras_tensor import KerasTensor, RaggedKerasTensor, SparseKerasTensor


class _Part(Layer):
    """What a tensor has under a name."""

    _saved_module = "tf_keras.src.layers.core.tf_op_layer"
    _converts_inputs = False

    def __init__(self, attr_name: str, **kwargs: Any) -> None:
        self.attr_name = attr_name
        if "name" not in kwargs:
            kwargs["name"] = unique_name(f"input.{attr_name}")
        kwargs["autocast"] = False
        super().__init__(**kwargs)
        self._call_spec.expects_mask = self._call_spec.expects_training = False
        self._preserve_structure = True

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "attr_name": self.attr_name}


class InstanceProperty(_Part):
    """An attribute of a tensor, such as the `values` of a ragged one."""

    def call(self, inputs: Any) -> Any:
        return getattr(inputs, self.attr_name)


class InstanceMethod(_Part):
    """The call of a method of a tensor, such as `to_tensor` of a ragged one."""

    def call(self, inputs: Any, args: Any, kwargs: Any) -> Any:
        return getattr(inputs, self.attr_name)(*args, **kwargs)


def _property(name: str) -> Any:
    return property(lambda self: InstanceProperty(name)._call_symbolically(self, (), {}))


def _method(name: str) -> Any:
    def method(self: KerasTensor, *args: Any, **kwargs: Any) -> Any:
        return InstanceMethod(name)._call_symbolically(self, (args, kwargs), {})

    return method


_RAGGED_PROPERTIES = ("values", "flat_values", "row_splits", "nested_row_splits")
_RAGGED_METHODS = (
    *("value_rowids", "nested_value_rowids", "nrows", "row_starts", "row_limits", "row_lengths"),
    *("nested_row_lengths", "bounding_shape", "with_values", "with_flat_values"),
    *("with_row_splits_dtype", "merge_dims", "to_tensor", "to_sparse"),
)


def _install() -> None:
    """Give the `KerasTensor`s what the tensors have."""
    for name in _RAGGED_PROPERTIES:
        setattr(RaggedKerasTensor, name, _property(name))
    for name in _RAGGED_METHODS:
        setattr(RaggedKerasTensor, name, _method(name))
    for name in ("indices", "values", "dense_shape"):
        setattr(SparseKerasTensor, name, _property(name))
    SparseKerasTensor.with_values = _method("with_values")  # type: ignore[attr-defined]


_install()
