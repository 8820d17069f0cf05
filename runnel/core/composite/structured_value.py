"""Structures of Python values and specs as `StructuredValue` messages, as SavedModels hold them."""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from runnel.core.composite.extension_type import ExtensionTypeSpec, anonymous_spec
from runnel.core.protos import messages
from runnel.core.tensor.tensor import EagerTensor
from runnel.core.values import type_spec
from runnel.core.values.array_protos import array_of, array_proto
from runnel.core.values.bounded_spec import BoundedTensorSpec
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TensorSpec, TypeSpec

# TensorFlow numbers these classes; any other goes by the name it was registered under.
_BUILT_IN = {
    "SparseTensorSpec": "SPARSE_TENSOR_SPEC",
    "IndexedSlicesSpec": "INDEXED_SLICES_SPEC",
    "RaggedTensorSpec": "RAGGED_TENSOR_SPEC",
    "TensorArraySpec": "TENSOR_ARRAY_SPEC",
    "DatasetSpec": "DATA_DATASET_SPEC",
    "IteratorSpec": "DATA_ITERATOR_SPEC",
    "OptionalSpec": "OPTIONAL_SPEC",
    "PerReplicaSpec": "PER_REPLICA_SPEC",
    "VariableSpec": "VARIABLE_SPEC",
    "RowPartitionSpec": "ROW_PARTITION_SPEC",
}


class NotEncodableError(TypeError):
    """A message cannot hold a value."""


def encode(value: Any) -> Any:
    """`value` as a `StructuredValue`; NotEncodableError for what such a message cannot hold."""
    proto = messages.StructuredValue()
    _encode_into(proto, value)
    return proto


def _encode_into(proto: Any, value: Any) -> None:
    for kinds, write in _WRITERS:
        if isinstance(value, kinds):
            write(proto, value)
            return
    _refuse(value)


def _write_none(proto: Any, value: None) -> None:
    proto.none_value.SetInParent()


def _write_number(field: str) -> Callable[[Any, Any], None]:
    return lambda proto, value: setattr(proto, field, value)


def _write_list(proto: Any, value: list[Any]) -> None:
    proto.list_value.SetInParent()
    for item in value:
        _encode_into(proto.list_value.values.add(), item)


def _write_tuple(proto: Any, value: tuple[Any, ...]) -> None:
    if hasattr(value, "_fields"):
        proto.named_tuple_value.name = type(value).__name__
        for key, item in zip(value._fields, value, strict=True):
            pair = proto.named_tuple_value.values.add(key=key)
            _encode_into(pair.value, item)
        return
    proto.tuple_value.SetInParent()
    for item in value:
        _encode_into(proto.tuple_value.values.add(), item)


def _write_dict(proto: Any, value: dict[str, Any]) -> None:
    proto.dict_value.SetInParent()
    for key, item in value.items():
        _encode_into(proto.dict_value.fields[key], item)


def _write_message(field: str) -> Callable[[Any, Any], None]:
    return lambda proto, value: getattr(proto, field).CopyFrom(value.experimental_as_proto())


def _write_array(field: str) -> Callable[[Any, Any], None]:
    def write(proto: Any, value: Any) -> None:
        array = np.asarray(value)
        getattr(proto, field).CopyFrom(array_proto(array, as_dtype(array.dtype)))

    return write


# Asked from the top: `bool` before `int`, of which it is one.
_WRITERS: tuple[tuple[Any, Callable[[Any, Any], None]], ...] = (
    (type(None), _write_none),
    (bool, _write_number("bool_value")),
    (int, _write_number("int64_value")),
    (np.generic, lambda proto, value: _refuse(value)),
    (float, _write_number("float64_value")),
    (str, _write_number("string_value")),
    (list, _write_list),
    (tuple, _write_tuple),
    (dict, _write_dict),
    (TensorShape, _write_message("tensor_shape_value")),
    (DType, lambda proto, value: setattr(proto, "tensor_dtype_value", value.enum)),
    (BoundedTensorSpec, _write_message("bounded_tensor_spec_value")),
    (TensorSpec, _write_message("tensor_spec_value")),
    (TypeSpec, _write_message("type_spec_value")),
    (np.ndarray, _write_array("numpy_value")),
    (EagerTensor, _write_array("tensor_value")),
)


def _refuse(value: Any) -> None:
    raise NotEncodableError(f"{value!r} of {type(value)} cannot be written to a SavedModel.")


def encode_type_spec(spec: TypeSpec) -> Any:
    """A spec that is not one of plain tensors, as a `TypeSpecProto`."""
    name = type(spec).__name__
    proto = messages.TypeSpecProto()
    numbers = messages.TypeSpecProto.TypeSpecClass
    if name in _BUILT_IN:
        proto.type_spec_class = numbers.Value(_BUILT_IN[name])
        proto.type_spec_class_name = name
    else:
        try:
            proto.type_spec_class_name = type_spec.get_name(type(spec))
        except ValueError as error:
            text = f"{spec!r} cannot be written to a SavedModel: {error}"
            raise NotEncodableError(text) from None
        is_extension = isinstance(spec, ExtensionTypeSpec)
        label = "EXTENSION_TYPE_SPEC" if is_extension else "REGISTERED_TYPE_SPEC"
        proto.type_spec_class = numbers.Value(label)
    _encode_into(proto.type_state, spec._serialize())
    proto.num_flat_components = len(spec.flatten())
    return proto


def decode(proto: Any) -> Any:
    """The value that a `StructuredValue` holds."""
    kind = proto.WhichOneof("kind")
    if kind is None:
        raise ValueError("A StructuredValue holds nothing.")
    return _READERS[kind](getattr(proto, kind))


def _read_named_tuple(proto: Any) -> Any:
    keys = [pair.key for pair in proto.values]
    return namedtuple(proto.name, keys)(*[decode(pair.value) for pair in proto.values])


def _read_tensor(proto: Any) -> EagerTensor:
    return EagerTensor(array_of(proto), as_dtype(proto.dtype))


def decode_type_spec(proto: Any) -> TypeSpec:
    """The spec that a `TypeSpecProto` holds; ValueError if its class is not known here."""
    enum = messages.TypeSpecProto.TypeSpecClass
    number = proto.type_spec_class
    known = {enum.Value(label): name for name, label in _BUILT_IN.items()}
    if number == enum.Value("EXTENSION_TYPE_SPEC") and not type_spec.is_registered(
        proto.type_spec_class_name
    ):
        return anonymous_spec(decode(proto.type_state))
    if number in (enum.Value("REGISTERED_TYPE_SPEC"), enum.Value("EXTENSION_TYPE_SPEC")):
        return type_spec.lookup(proto.type_spec_class_name).experimental_from_proto(proto)
    for cls in _subclasses(TypeSpec):  # type: ignore[type-abstract]
        if cls.__name__ == known.get(number):
            return cls.experimental_from_proto(proto)
    name = known.get(number, proto.type_spec_class_name or number)
    raise ValueError(f"The TypeSpec class {name!r} is not known here.")


def _subclasses(cls: type[TypeSpec]) -> Iterator[type[TypeSpec]]:
    for below in cls.__subclasses__():
        yield below
        yield from _subclasses(below)


def _same(value: Any) -> Any:
    return value


_READERS: dict[str, Callable[[Any], Any]] = {
    "none_value": lambda proto: None,
    "float64_value": _same,
    "int64_value": _same,
    "string_value": _same,
    "bool_value": _same,
    "tensor_shape_value": TensorShape.experimental_from_proto,
    "tensor_dtype_value": as_dtype,
    "tensor_spec_value": TensorSpec.experimental_from_proto,
    "bounded_tensor_spec_value": BoundedTensorSpec.experimental_from_proto,
    "type_spec_value": decode_type_spec,
    "list_value": lambda proto: [decode(item) for item in proto.values],
    "tuple_value": lambda proto: tuple([decode(item) for item in proto.values]),
    "dict_value": lambda proto: {key: decode(item) for key, item in proto.fields.items()},
    "named_tuple_value": _read_named_tuple,
    "tensor_value": _read_tensor,
    "numpy_value": array_of,
}


TypeSpec._encoded, TypeSpec._decoded = encode_type_spec, staticmethod(decode)
