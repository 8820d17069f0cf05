"""NumPy arrays as `TensorProto` messages, and back.

A `TensorProto` holds its elements as bytes (`tensor_content`) or as numbers in the field of their
kind (`float_val`, `int_val` …). Where there are fewer numbers than elements, the last one stands
for the rest.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.protos import messages
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.shape import TensorShape

_FIELDS = {
    dtypes.float32: "float_val",
    dtypes.float64: "double_val",
    dtypes.complex64: "scomplex_val",
    dtypes.complex128: "dcomplex_val",
    dtypes.float16: "half_val",
    dtypes.bfloat16: "half_val",
    dtypes.int64: "int64_val",
    dtypes.uint32: "uint32_val",
    dtypes.uint64: "uint64_val",
    dtypes.bool: "bool_val",
    dtypes.string: "string_val",
}
_BITS = frozenset({dtypes.float16, dtypes.bfloat16})  # `half_val` holds the bits of these
_ALWAYS_NUMBERS = frozenset({dtypes.uint16, dtypes.bool, dtypes.string, *dtypes.COMPLEX})
_MOST_ELEMENTS = 1 << 28  # elements that a message may stand for without holding them


def _is_tiny_float(dtype: DType) -> bool:
    return dtype.is_floating and dtype.size == 1


def _is_tiny_int(dtype: DType) -> bool:
    return dtype.name in ("int4", "uint4", "int2", "uint2")


def array_proto(
    array: np.ndarray[Any, Any], dtype: DType, dims: Sequence[int] | None = None
) -> Any:
    """An array as `tf.make_tensor_proto` writes it; its last element fills larger `dims`."""
    dims = array.shape if dims is None else dims
    proto = messages.TensorProto(dtype=dtype.enum, tensor_shape=TensorShape(dims).as_proto())
    size = math.prod(dims)
    as_bytes = dtype not in _ALWAYS_NUMBERS and not _is_tiny_int(dtype)
    if as_bytes and array.size > 1 and array.size == size:
        proto.tensor_content = array.tobytes()
    elif _is_tiny_float(dtype):
        proto.float8_val = array.tobytes()
    elif size:
        getattr(proto, _FIELDS.get(dtype, "int_val")).extend(_numbers(array, dtype))
    return proto


def content_proto(array: np.ndarray[Any, Any], dtype: DType) -> Any:
    """An array as `tf.io.serialize_tensor` writes it: all as bytes, except for strings."""
    if dtype is dtypes.string:
        return array_proto(array, dtype)
    proto = messages.TensorProto(dtype=dtype.enum, tensor_shape=TensorShape(array.shape).as_proto())
    proto.tensor_content = array.tobytes()
    return proto


def numbers_proto(array: np.ndarray[Any, Any], dtype: DType) -> Any:
    """An array as tables of slices hold it: number by number, with neither dtype nor shape."""
    proto = messages.TensorProto()
    getattr(proto, _FIELDS.get(dtype, "int_val")).extend(_numbers(array, dtype))
    return proto


def _numbers(array: np.ndarray[Any, Any], dtype: DType) -> list[Any]:
    """The elements as they stand in the field of their kind."""
    flat = np.ravel(array)
    if dtype in _BITS:
        flat = flat.view(np.uint16)
    elif dtype.is_complex:
        flat = flat.view(dtype.real_dtype.np_dtype)
    elif dtype.is_quantized:
        flat = flat.view(dtype.np_dtype[0])
    elif _is_tiny_int(dtype):
        flat = flat.astype(np.int32)
    return flat.tolist()


def array_of(tensor: Any) -> np.ndarray[Any, Any]:
    """The array that a `TensorProto` holds; TypeError or ValueError for one that is malformed."""
    dims = _known_dims(tensor)
    try:
        dtype = as_dtype(tensor.dtype)
    except TypeError:
        raise TypeError(f"Unsupported tensor type: {tensor.dtype}") from None
    if tensor.tensor_content:
        return _from_content(tensor.tensor_content, dtype, dims)
    if not dtype.is_numpy_compatible:
        raise TypeError(f"Unsupported tensor type: {dtype.name}")
    return _filled(_values(tensor, dtype), dtype, dims)


def _known_dims(tensor: Any) -> tuple[int, ...]:
    dims = tuple(dim.size for dim in tensor.tensor_shape.dim)
    if any(d < 0 for d in dims) or math.prod(dims) > max(
        _MOST_ELEMENTS, len(tensor.tensor_content)
    ):
        raise ValueError(f"A tensor must have a known shape of reasonable size, got {list(dims)}.")
    return dims


def _from_content(content: bytes, dtype: DType, dims: tuple[int, ...]) -> np.ndarray[Any, Any]:
    if dtype is dtypes.string:
        return _strings(content, math.prod(dims)).reshape(dims)
    if not dtype.size or len(content) != math.prod(dims) * dtype.size:
        raise ValueError(
            f"A {dtype.name} tensor of shape {list(dims)} does not hold {len(content)} bytes."
        )
    return np.frombuffer(content, dtype.np_dtype).reshape(dims).copy()


def _strings(content: bytes, count: int) -> np.ndarray[Any, Any]:
    """Strings as bytes: their lengths, as numbers of seven bits per byte, then what they hold."""
    lengths: list[int] = []
    place = 0
    while len(lengths) < count and place < len(content):
        length, place = _number_at(content, place)
        lengths.append(length)
    if len(lengths) != count or place + sum(lengths) != len(content):
        raise ValueError(f"{count} strings are not {len(content)} bytes.")
    found = np.empty(count, object)
    for i, length in enumerate(lengths):
        found[i] = content[place : place + length]
        place += length
    return found


def _number_at(content: bytes, place: int) -> tuple[int, int]:
    """A number that stands at a place in groups of seven bits, and the place after it."""
    number = shift = 0
    for byte in content[place : place + 10]:
        number |= (byte & 127) << shift
        shift += 7
        place += 1
        if byte < 128:
            break
    return number, place


def _values(tensor: Any, dtype: DType) -> np.ndarray[Any, Any]:
    """The elements that stand in the field of the dtype's kind."""
    if _is_tiny_float(dtype):
        return np.frombuffer(tensor.float8_val, dtype.np_dtype)
    held = getattr(tensor, _FIELDS.get(dtype, "int_val"))
    if dtype is dtypes.string:
        strings = np.empty(len(held), object)
        strings[:] = list(held)
        return strings
    if dtype in _BITS:
        return np.array(held, np.int64).astype(np.uint16).view(dtype.np_dtype)
    if dtype.is_complex:
        return np.array(held[: len(held) // 2 * 2], dtype.real_dtype.np_dtype).view(dtype.np_dtype)
    if dtype.is_quantized:
        return np.array(held).astype(dtype.np_dtype[0]).view(dtype.np_dtype)
    return np.array(held).astype(dtype.np_dtype)


def _filled(
    values: np.ndarray[Any, Any], dtype: DType, dims: tuple[int, ...]
) -> np.ndarray[Any, Any]:
    """The first elements as given, the last one repeated for the rest, zeros if there are none."""
    size = math.prod(dims)
    if len(values) >= size:
        return values[:size].reshape(dims)
    if not len(values):
        if dtype is dtypes.string:
            return np.full(dims, b"", object)
        return np.zeros(dims, dtype.np_dtype)
    full = np.full(size, values[-1], values.dtype)
    full[: len(values)] = values
    return full.reshape(dims)
