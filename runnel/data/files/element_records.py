"""Elements as records: each of their tensors as a `TensorProto`, as TensorFlow saves them.

A component is a tensor, whose elements are bytes; a ragged or sparse one is a tensor of variants,
which hold its parts, and in a loaded graph it comes as such. For kinds of which TensorFlow keeps no
value, such as datasets, a variant of our own holds the values.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np

from runnel.core.composite.ragged_spec import RaggedTensorSpec
from runnel.core.composite.sparse_tensor import SparseTensorSpec
from runnel.core.protos import messages
from runnel.core.values import dtypes
from runnel.core.values.array_protos import array_of
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.errors import DataLossError, UnimplementedError
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TensorSpec
from runnel.data.run.states import decode, encode
from runnel.data.run.structure import Structure, Values
from runnel.ops.ragged.variants import Encoded

_RAGGED = "RaggedTensorVariant"
_TENSOR = "tensorflow::Tensor"
_OURS = "runnel::Values"
_CONTENT = b"\x22"  # the field `tensor_content`, of which a length follows


def dtypes_of(structure: Structure) -> list[DType]:
    """The dtypes of the records of an element."""
    return [
        leaf.dtype if isinstance(leaf, TensorSpec) else dtypes.variant
        for leaf in structure.leaves
        if leaf.flatten()
    ]


def records_of(structure: Structure, values: Sequence[Any]) -> list[bytes]:
    """The records of an element, one per component."""
    if structure.plain and not _has_variants(structure):
        return [_plain(value, spec.dtype) for value, spec in zip(values, structure.flat)]
    pairs = zip(structure.leaves, structure.groups(values))
    return [_record(leaf, parts) for leaf, parts in pairs if parts]


def _has_variants(structure: Structure) -> bool:
    return dtypes.variant in structure.dtypes


def is_dense(leaf: Any) -> TypeGuard[TensorSpec]:
    """Whether a component is a tensor of numbers or strings."""
    return isinstance(leaf, TensorSpec) and leaf.dtype is not dtypes.variant


def _record(leaf: Any, parts: list[Any]) -> bytes:
    if is_dense(leaf):
        return _plain(parts[0], leaf.dtype)
    items, shape = variants_of(leaf, parts)
    content = _listed(items)
    return _head(dtypes.variant.enum, shape) + _CONTENT + _varint(len(content)) + content


def variants_of(leaf: Any, parts: list[Any]) -> tuple[list[bytes], tuple[int, ...]]:
    """The variants that stand for a component which is no tensor, and their shape."""
    if isinstance(leaf, RaggedTensorSpec):
        return [_variant(_RAGGED, [*parts[1:], parts[0]])], ()  # the values come last
    if isinstance(leaf, SparseTensorSpec):
        return [_variant(_TENSOR, [part]) for part in parts], (3,)
    if isinstance(leaf, TensorSpec):
        held = np.asarray(parts[0], object)
        return [_boxed(item) for item in held.ravel().tolist()], held.shape
    return [_variant(_OURS, [], encode(parts))], ()


def _boxed(item: Any) -> bytes:
    """A value of a variant: of a ragged tensor, or one of the three of a sparse one."""
    if isinstance(item, Encoded):
        return _variant(_RAGGED, [*item.nested_splits, item.values])
    if isinstance(item, np.ndarray):
        return _variant(_TENSOR, [item])
    kind = type(item).__name__
    raise UnimplementedError(None, None, f"A variant that holds a {kind} cannot be written.")


def _plain(value: Any, dtype: DType) -> bytes:
    array = np.asarray(value)
    content = _strings(array) if dtype is dtypes.string else array.tobytes()
    head = _head(dtype.enum, array.shape)
    return head + _CONTENT + _varint(len(content)) + content if content else head


@functools.lru_cache(maxsize=1024)
def _head(dtype: int, shape: tuple[int, ...]) -> bytes:
    """The fields of a `TensorProto` before its contents."""
    proto = messages.TensorProto(dtype=dtype, tensor_shape=TensorShape(shape).as_proto())
    return proto.SerializeToString()  # type: ignore[no-any-return]


def _varint(number: int) -> bytes:
    if number < 128:
        return bytes((number,))
    made = bytearray()
    while number > 127:
        made.append(number & 127 | 128)
        number >>= 7
    made.append(number)
    return bytes(made)


def _strings(array: Any) -> bytes:
    """The contents of a tensor of strings: their lengths, then their bytes."""
    return _listed([bytes(text) for text in array.ravel().tolist()])


def _listed(items: list[bytes]) -> bytes:
    return b"".join([*[_varint(len(item)) for item in items], *items])


def _variant(kind: str, tensors: list[Any], metadata: bytes = b"") -> bytes:
    proto = messages.VariantTensorDataProto(type_name=kind, metadata=metadata)
    for tensor in tensors:
        array = np.asarray(tensor)
        proto.tensors.add().MergeFromString(_inner(array))
    return proto.SerializeToString()  # type: ignore[no-any-return]


def _inner(array: Any) -> bytes:
    """A tensor in a variant, of whose strings TensorFlow does not take the bytes in one."""
    dtype = as_dtype(array.dtype)
    if dtype is not dtypes.string:
        return _plain(array, dtype)
    proto = messages.TensorProto.FromString(_head(dtype.enum, array.shape))
    proto.string_val.extend(array.ravel().tolist())
    return proto.SerializeToString()  # type: ignore[no-any-return]


def values_of(structure: Structure, records: Sequence[bytes], where: str) -> Values:
    """The flat values of an element; `DataLossError` for records that are not such."""
    try:
        if structure.plain and not _has_variants(structure):
            return [_array(record, spec.dtype) for record, spec in zip(records, structure.flat)]
        rest = iter(records)
        return [v for leaf in structure.leaves if leaf.flatten() for v in _parts(leaf, next(rest))]
    except DataLossError:
        raise
    except Exception as error:  # protobuf has an error class of its own
        raise DataLossError(None, None, f"{where}: a damaged element: {error}") from error


def _array(record: bytes, dtype: DType) -> Any:
    proto = messages.TensorProto.FromString(record)
    if proto.dtype != dtype.enum:
        raise ValueError(f"a tensor is of {as_dtype(proto.dtype).name}, not {dtype.name}")
    dims = tuple(dim.size for dim in proto.tensor_shape.dim)
    if dtype is dtypes.string and proto.tensor_content:
        texts = np.empty(int(np.prod(dims)), object)
        texts[:] = _items(proto.tensor_content, texts.size)
        return texts.reshape(dims)
    if not proto.tensor_content:
        return array_of(proto)
    return np.frombuffer(proto.tensor_content, dtype.np_dtype).reshape(dims)


def _items(content: bytes, count: int) -> list[bytes]:
    """What stands in contents behind the lengths of each."""
    sizes, place = [], 0
    for _ in range(count):
        size = shift = 0
        while True:
            byte = content[place]
            size |= (byte & 127) << shift
            place, shift = place + 1, shift + 7
            if byte < 128:
                break
        sizes.append(size)
    items = []
    for size in sizes:
        items.append(content[place : place + size])
        place += size
    if place != len(content):
        raise ValueError("the lengths do not fit the contents")
    return items


def _parts(leaf: Any, record: bytes) -> list[Any]:
    """The values of a component."""
    if is_dense(leaf):
        return [_array(record, leaf.dtype)]
    proto = messages.TensorProto.FromString(record)
    dims = tuple(dim.size for dim in proto.tensor_shape.dim)
    if not 0 <= math.prod(dims) <= len(record):
        raise ValueError(f"it cannot hold variants of shape {dims}")
    return parts_of(leaf, _held(proto, math.prod(dims)), dims)


def parts_of(leaf: Any, variants: Sequence[bytes], shape: tuple[int, ...]) -> list[Any]:
    """The values of a component that variants stand for."""
    kinds = [messages.VariantTensorDataProto.FromString(item) for item in variants]
    if isinstance(leaf, TensorSpec):
        boxes = np.empty(len(kinds), object)
        for place, kind in enumerate(kinds):  # an assignment of all would look into arrays
            boxes[place] = _unboxed(kind)
        return [boxes.reshape(shape)]
    if kinds[0].type_name == _OURS:
        return list(decode(kinds[0].metadata))
    tensors = [_known(tensor) for kind in kinds for tensor in kind.tensors]
    if isinstance(leaf, RaggedTensorSpec):
        tensors = [tensors[-1], *tensors[:-1]]
    if len(tensors) != len(leaf.flatten()):
        raise ValueError(f"{leaf} is not made of {len(tensors)} tensors")
    return tensors


def _unboxed(kind: Any) -> Any:
    tensors = [_known(tensor) for tensor in kind.tensors]
    if kind.type_name == _RAGGED and tensors:
        return Encoded(tuple(tensors[:-1]), tensors[-1])
    if kind.type_name == _TENSOR and len(tensors) == 1:
        return tensors[0]
    raise ValueError(f"a variant of type {kind.type_name!r} is not known")


def _held(proto: Any, count: int) -> list[bytes]:
    if proto.variant_val:
        return [variant.SerializeToString() for variant in proto.variant_val]
    return _items(proto.tensor_content, count)


def _known(proto: Any) -> Any:
    return _array(proto.SerializeToString(), as_dtype(proto.dtype))
