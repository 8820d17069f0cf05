"""Making tensors of other things: `tf.constant`, `tf.convert_to_tensor` and its registry."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from runnel.core import dtypes, type_spec
from runnel.core.context import state
from runnel.core.dtypes import DType, as_dtype
from runnel.core.raw import raw_ops
from runnel.core.shape import TensorShape
from runnel.core.tensor import EagerTensor, Tensor
from runnel.core.types import DTypeLike, ShapeLike, TensorLike

Conversion = Callable[..., Any]
_conversions: list[tuple[int, int, type | tuple[type, ...], Conversion]] = []


def register_tensor_conversion_function(
    base_type: type | tuple[type, ...], conversion_func: Conversion, priority: int = 100
) -> None:
    """Let `tf.convert_to_tensor` make tensors of objects of `base_type`.

    `conversion_func(value, dtype=None, name=None, as_ref=False)` returns a tensor or `NotImplemented`.
    Functions of a lower `priority` are asked first.
    """
    if not callable(conversion_func):
        raise TypeError(f"conversion_func must be callable, got {conversion_func!r}.")
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    if not all(isinstance(t, type) for t in types):
        raise TypeError(f"base_type must be a type or a tuple of types, got {base_type!r}.")
    if any(issubclass(t, int | float | np.generic | np.ndarray) for t in types):
        raise TypeError(f"Conversions of Python numbers and NumPy arrays are fixed, got {base_type!r}.")
    _conversions.append((priority, len(_conversions), base_type, conversion_func))
    _conversions.sort(key=lambda entry: entry[:2])


def convert_to_tensor(
    value: TensorLike,
    dtype: DTypeLike = None,
    dtype_hint: DTypeLike = None,
    name: str | None = None,
) -> Tensor:
    """`value` as a tensor: numbers, nested lists, NumPy arrays, variables, tensors themselves.

    >>> tf.convert_to_tensor([[1, 2], [3, 4]]).shape
    TensorShape([2, 2])
    """
    if dtype is not None and type(dtype) is not DType:
        dtype = as_dtype(dtype)
    if isinstance(value, Tensor):
        return _checked(value, dtype)
    if type(value) in _ARRAYS and dtype_hint is None:
        return emit(to_array(value, dtype), name)
    if dtype is None and dtype_hint is not None:
        try:
            return convert_to_tensor(value, dtype=dtype_hint, name=name)
        except (TypeError, ValueError):
            dtype = None
    converted = _convert_registered(value, dtype, name)
    if converted is not None:
        return _checked(converted, dtype)
    if isinstance(value, list | tuple) and _holds_tensors(value):
        return _stack(value, dtype)
    return emit(to_array(value, dtype), name)


_ARRAYS = frozenset((float, int, np.ndarray))  # what needs no search for a conversion


def _checked(tensor: Tensor, dtype: DType | None) -> Tensor:
    if dtype is not None and tensor._dtype is not dtype:
        raise ValueError(
            f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
            f"{tensor._dtype.name}: {tensor!r}. Use tf.cast to change a dtype."
        )
    return tensor


def _convert_registered(value: Any, dtype: DType | None, name: str | None) -> Tensor | None:
    protocol = getattr(value, "__tf_tensor__", None)
    if protocol is not None:
        tensor: Tensor = protocol(dtype, name)
        return tensor
    for _, _, types, function in _conversions:
        if isinstance(value, types):
            found = function(value, dtype=dtype, name=name, as_ref=False)
            if found is not NotImplemented:
                return found  # type: ignore[no-any-return]
    return None


def _holds_tensors(value: Iterable[Any]) -> bool:
    for item in value:
        if hasattr(item, "_dtype") or hasattr(item, "__tf_tensor__"):
            return True
        if isinstance(item, list | tuple) and _holds_tensors(item):
            return True
    return False


def _stack(values: Any, dtype: DType | None) -> Tensor:
    """A nested list with tensors in it: each level is packed, numbers take the tensors' dtype."""
    found = dtype or _first_dtype(values)
    parts = [
        convert_to_tensor(v, dtype=None if isinstance(v, Tensor) else found)
        if not isinstance(v, list | tuple)
        else _stack(v, found) if _holds_tensors(v) else convert_to_tensor(v, dtype=found)
        for v in values
    ]
    tensor: Tensor = raw_ops.Pack(parts, axis=0)
    return _checked(tensor, dtype)


def _first_dtype(values: Iterable[Any]) -> DType | None:
    for item in values:
        if isinstance(item, list | tuple):
            found = _first_dtype(item)
            if found is not None:
                return found
        elif hasattr(item, "_dtype"):
            dtype: DType = item._dtype
            return dtype
    return None


def emit(array: np.ndarray[Any, Any], name: str | None = None, dtype: DType | None = None) -> Tensor:
    """A tensor with this value: an eager one, or a constant of the graph being built."""
    dtype = dtype or dtypes.FROM_NUMPY[array.dtype]
    if state.graph is None:
        return EagerTensor(array, dtype)
    return raw_ops.Const(value=array, dtype=dtype, name=name)  # type: ignore[no-any-return]


def to_array(value: Any, dtype: DType | None = None) -> np.ndarray[Any, Any]:
    """`value` as a new NumPy array of exactly `dtype`, or of the dtype TensorFlow would choose."""
    kind = type(value)
    if kind is np.ndarray:
        natural = dtypes.FROM_NUMPY.get(value.dtype)
        if natural is not None and (dtype is natural or dtype is None) and natural is not dtypes.string:
            return value.copy()  # type: ignore[no-any-return]
    elif kind is float:
        if dtype is None or dtype is dtypes.float32:
            return np.array(value, np.float32)
    elif kind is int and (dtype is None or dtype is dtypes.int32) and -(2**31) <= value < 2**31:
        return np.array(value, np.int32)
    if isinstance(value, np.ndarray | np.generic):
        return _from_numpy(value, dtype)
    if hasattr(value, "__array__") and not isinstance(value, type):
        return _from_numpy(np.asarray(value), dtype)
    return _from_python(value, dtype)


def _from_numpy(value: Any, dtype: DType | None) -> np.ndarray[Any, Any]:
    array = np.asarray(value)
    if array.dtype.kind in "US" or array.dtype == object:
        return _strings(array, dtype, value)
    natural = dtypes.FROM_NUMPY.get(array.dtype) or dtypes.FROM_NUMPY.get(array.dtype.newbyteorder("="))
    if natural is None:
        raise ValueError(f"Failed to convert a NumPy array of dtype {array.dtype} to a Tensor.")
    if dtype is None or dtype is natural:
        return np.array(array, natural.np_dtype, copy=True, order="C")
    if dtype is dtypes.string:
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype string.")
    with np.errstate(all="ignore"):
        return np.array(array.astype(dtype.np_dtype), order="C")


def _strings(array: np.ndarray[Any, Any], dtype: DType | None, value: Any) -> np.ndarray[Any, Any]:
    flat = array.ravel()
    if array.dtype == object and not all(isinstance(v, str | bytes) for v in flat):
        if any(isinstance(v, str | bytes) for v in flat):
            raise ValueError(f"Failed to convert a NumPy array with mixed types to a Tensor: {value!r}.")
        return _from_python(array.tolist(), dtype)
    if dtype is not None and dtype is not dtypes.string:
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {dtype.name}.")
    result = np.empty(array.shape, object)
    result.reshape(-1)[:] = [_as_bytes(v) for v in flat.tolist()]
    return result


def _as_bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value


# What a nested Python list may hold, in the order in which one kind gives way to the next.
_KINDS = ("bool", "int", "float", "complex")


def _from_python(value: Any, dtype: DType | None) -> np.ndarray[Any, Any]:
    leaves: list[Any] = []
    shape = _collect(value, leaves, value)
    if not leaves:
        return np.empty(shape, (dtype or dtypes.float32).np_dtype)
    if isinstance(leaves[0], np.ndarray | np.generic):
        return _from_numpy(np.array(value), dtype)
    kind = _common_kind(leaves)
    if dtype is not None:
        _check_kind(kind, dtype, value)
    if kind == "string":
        array = np.empty(len(leaves), object)
        array[:] = [_as_bytes(v) for v in leaves]
        return array.reshape(shape)
    return _number_array(leaves, kind, dtype).reshape(shape)


def _collect(value: Any, leaves: list[Any], whole: Any) -> tuple[int, ...]:
    """Append the leaves of a nested sequence; its shape."""
    if isinstance(value, np.ndarray):
        leaves.extend(value.ravel().tolist() if value.dtype.kind in "biufc" else list(value.ravel()))
        return value.shape
    if isinstance(value, str | bytes | numbers.Number | np.generic):
        leaves.append(value)
        return ()
    if not isinstance(value, list | tuple | range) and not _is_sequence(value):
        raise ValueError(
            f"Attempt to convert a value ({value!r}) with an unsupported type ({type(value)}) to a Tensor."
        )
    shapes = [_collect(item, leaves, whole) for item in value]
    if any(shape != shapes[0] for shape in shapes):
        raise ValueError("Can't convert non-rectangular Python sequence to Tensor.")
    return (len(shapes), *(shapes[0] if shapes else ()))


def _is_sequence(value: Any) -> bool:
    return hasattr(value, "__len__") and hasattr(value, "__getitem__") and not hasattr(value, "keys")


def _common_kind(leaves: list[Any]) -> str:
    kinds = {_kind(v) for v in leaves}
    if "string" in kinds and len(kinds) > 1 or (_kind(leaves[0]) == "bool" and len(kinds) > 1):
        raise ValueError("Can't convert Python sequence with mixed types to Tensor.")
    return "string" if "string" in kinds else max(kinds, key=_KINDS.index)


def _kind(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "bool"
    if isinstance(value, str | bytes):
        return "string"
    if isinstance(value, numbers.Integral):
        return "int"
    return "float" if isinstance(value, numbers.Real) or hasattr(value, "__float__") else "complex"


def _check_kind(kind: str, dtype: DType, value: Any) -> None:
    fits = {
        "bool": dtype.is_bool,
        "int": dtype.is_integer or dtype.is_floating or dtype.is_complex or dtype.is_quantized,
        "float": dtype.is_floating or dtype.is_complex,
        "complex": dtype.is_complex,
        "string": dtype is dtypes.string,
    }
    if not fits[kind]:
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {dtype.name}.")


def _number_array(leaves: list[Any], kind: str, dtype: DType | None) -> np.ndarray[Any, Any]:
    natural = {"bool": np.bool_, "float": np.float32, "complex": np.complex128}
    if kind == "int":
        return _int_array(leaves, dtype)
    if dtype is not None and dtype.is_complex:
        return np.array(leaves, np.complex128).astype(dtype.np_dtype)
    target = dtype.np_dtype if dtype is not None else natural[kind]
    wide = np.array(leaves, np.float64 if kind == "float" else None)
    with np.errstate(all="ignore"):
        return wide.astype(target)


def _int_array(leaves: list[Any], dtype: DType | None) -> np.ndarray[Any, Any]:
    low, high = min(leaves), max(leaves)
    unsigned = dtype is dtypes.uint64
    if not (-(2**63) <= low and high < (2**64 if unsigned else 2**63)):
        raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")
    wide = np.array(leaves, np.uint64 if unsigned and low >= 0 else np.int64)
    if dtype is not None:
        return wide.astype(dtype.np_dtype)
    return wide.astype(np.int32) if -(2**31) <= low and high < 2**31 else wide


def as_handle(value: Any) -> Tensor:
    """The resource tensor behind a variable or another object with a `handle`."""
    if isinstance(value, Tensor):
        return value
    handle = getattr(value, "handle", None) or getattr(value, "resource_handle", None)
    if handle is None:
        raise TypeError(f"Expected a resource such as a variable, got {value!r}.")
    return handle  # type: ignore[no-any-return]


def constant(
    value: TensorLike, dtype: DTypeLike = None, shape: ShapeLike = None, name: str = "Const"
) -> Tensor:
    """A tensor with the given value; a single value fills `shape`.

    >>> tf.constant([1, 2, 3])
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 2, 3], dtype=int32)>
    >>> tf.constant(0, shape=[2, 2]).numpy().tolist()
    [[0, 0], [0, 0]]
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(value, EagerTensor):
        if wanted is not None and value._dtype is not wanted:
            raise TypeError(f"Expected a tensor of dtype {wanted!r}, got {value!r}. Use tf.cast.")
        array = value._value
        wanted = value._dtype
    elif isinstance(value, Tensor):
        raise TypeError(f"tf.constant takes values, got the symbolic tensor {value!r}. Use tf.identity.")
    elif hasattr(value, "__tf_tensor__"):
        return convert_to_tensor(value, dtype=wanted, name=name)
    else:
        array = to_array(value, wanted)
    return emit(array if shape is None else _fill(array, TensorShape(shape)), name, wanted)


def _fill(array: np.ndarray[Any, Any], shape: TensorShape) -> np.ndarray[Any, Any]:
    dims = tuple(shape.as_list())
    if array.size == shape.num_elements():
        return array.reshape(dims)
    if array.size == 1:
        return np.full(dims, array.reshape(())[()], array.dtype)
    raise TypeError(
        f"tf.constant: `value` has {array.size} elements, which do not fill `shape` {shape} "
        f"of {shape.num_elements()} elements."
    )


type_spec.register_tensor(Tensor, convert_to_tensor)
