"""Maps from tensors to tensors as values (`variant` tensors); a change is a new map."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.op.op import op
from runnel.core.values.dtypes import DType
from runnel.core.values.errors import UnimplementedError, invalid_in
from runnel.core.values.types import Array, Namespace
from runnel.ops.shapes import scalar, unknown


class TensorMap:
    """Keys and values, found by the dtype, the shape and the elements of the key."""

    shape = ()
    size = 1

    def __init__(self, entries: dict[Any, tuple[Array, Array]]) -> None:
        self.entries = entries


def _mark(key: Array) -> Any:
    array = np.asarray(key)
    elements = tuple(array.ravel()) if array.dtype == object else array.tobytes()
    return array.dtype, array.shape, elements


def _map(op_name: str, value: Any) -> dict[Any, tuple[Array, Array]]:
    if not isinstance(value, TensorMap):
        raise invalid_in(op_name, "the variant holds no map.")
    return value.entries


@op("EmptyTensorMap", "-> handle: variant", shape=scalar, host=True)
def _empty(xp: Namespace) -> TensorMap:
    return TensorMap({})


@op("TensorMapSize", "input_handle: variant -> size: int32", shape=scalar, host=True)
def _size(xp: Namespace, input_handle: Any) -> Array:
    return np.asarray(len(_map("TensorMapSize", input_handle)), np.int32)


_MAP: Any = {"host": True, "shape": scalar}


@op(
    "TensorMapInsert",
    "input_handle: variant, key: key_dtype, value: value_dtype -> output_handle: variant",
    **_MAP,
)
def _insert(xp: Namespace, input_handle: Any, key: Array, value: Array) -> TensorMap:
    return TensorMap({**_map("TensorMapInsert", input_handle), _mark(key): (key, value)})


@op(
    "TensorMapLookup",
    "input_handle: variant, key: key_dtype -> value: value_dtype",
    shape=unknown,
    host=True,
)
def _lookup(xp: Namespace, input_handle: Any, key: Array, *, value_dtype: DType) -> Array:
    found = _map("TensorMapLookup", input_handle).get(_mark(key))
    if found is None:
        raise invalid_in("TensorMapLookup", f"the map has no key {np.asarray(key)}.")
    if np.asarray(found[1]).dtype != value_dtype.np_dtype:
        raise invalid_in("TensorMapLookup", f"the value is not of dtype {value_dtype.name}.")
    return found[1]


@op("TensorMapErase", "input_handle: variant, key: key_dtype -> output_handle: variant", **_MAP)
def _erase(xp: Namespace, input_handle: Any, key: Array, *, value_dtype: DType) -> TensorMap:
    entries = dict(_map("TensorMapErase", input_handle))
    if entries.pop(_mark(key), None) is None:
        raise invalid_in("TensorMapErase", f"the map has no key {np.asarray(key)}.")
    return TensorMap(entries)


@op("TensorMapHasKey", "input_handle: variant, key: key_dtype -> has_key: bool", **_MAP)
def _has_key(xp: Namespace, input_handle: Any, key: Array) -> Array:
    return np.asarray(_mark(key) in _map("TensorMapHasKey", input_handle))


@op("TensorMapStackKeys", "input_handle: variant -> keys: key_dtype", shape=unknown, host=True)
def _stack_keys(xp: Namespace, input_handle: Any, *, key_dtype: DType) -> Array:
    keys = [np.asarray(key) for key, _ in _map("TensorMapStackKeys", input_handle).values()]
    if not keys:
        message = "TensorMapStackKeys: an empty map has no keys. [Op:TensorMapStackKeys]"
        raise UnimplementedError(None, None, message)
    if len({key.shape for key in keys}) > 1 or keys[0].dtype != key_dtype.np_dtype:
        raise invalid_in("TensorMapStackKeys", f"keys must be {key_dtype.name}, of one shape.")
    return np.stack(keys)
