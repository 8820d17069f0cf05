"""Making tensors of other things: `tf.constant`, `tf.convert_to_tensor` and its registry."""

from __future__ import annotations

import numbers
import operator
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from runnel.backend.memory import copied
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.settings.arguments import check_room
from runnel.core.settings.scopes import scope_of_ops
from runnel.core.tensor import operators
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values import dtypes, type_spec
from runnel.core.values.dimension import Dimension
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.shape import TensorShape
from runnel.core.values.tracebacks import trim
from runnel.core.values.types import DTypeLike, ShapeLike, TensorLike

Conversion = Callable[..., Any]
_conversions: list[tuple[int, int, type | tuple[type, ...], Conversion]] = []


def register_tensor_conversion_function(
    base_type: type | tuple[type, ...], conversion_func: Conversion, priority: int = 100
) -> None:
    """Let `tf.convert_to_tensor` make tensors of objects of `base_type`.

    `conversion_func(value, dtype=None, name=None, as_ref=False)` gives a tensor or NotImplemented.
    Functions of a lower `priority` are asked first.
    """
    if not callable(conversion_func):
        raise TypeError(f"conversion_func must be callable, got {conversion_func!r}.")
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    if not all(isinstance(t, type) for t in types):
        raise TypeError(f"base_type must be a type or a tuple of types, got {base_type!r}.")
    if any(issubclass(t, int | float | np.generic | np.ndarray) for t in types):
        raise TypeError(
            f"Conversions of Python numbers and NumPy arrays are fixed, got {base_type!r}."
        )
    _conversions.append((priority, len(_conversions), base_type, conversion_func))
    _conversions.sort(key=lambda entry: entry[:2])


def convert_to_tensor(
    value: TensorLike,
    dtype: DTypeLike = None,
    dtype_hint: DTypeLike = None,
    name: str | None = None,
) -> Tensor:
    """`value` as a tensor: what `tf.convert_to_tensor` does, but no handler of others is asked."""
    try:
        if dtype is not None:
            dtype = as_dtype(dtype)
        if isinstance(value, Tensor):
            return _checked(value, dtype)
        if type(value) in _ARRAYS and dtype_hint is None:
            return emit(to_array(value, dtype), name, dtype)
        if dtype is None and dtype_hint is not None:
            try:
                return convert_to_tensor(value, dtype=dtype_hint, name=name)
            except (TypeError, ValueError):
                dtype = None
        converted = _convert_registered(value, dtype, name)
        if converted is not None:
            return _checked(converted, dtype)
        if isinstance(value, list | tuple):
            types = _leaf_types(value)
            if _are_tensors(types):
                return _stack(value, dtype, name)
            return emit(_from_list(value, dtype, types), name, dtype)
        return emit(to_array(value, dtype), name, dtype)
    except Exception as error:
        trim(error)
        raise


_ARRAYS = frozenset((float, int, np.ndarray))  # what needs no search for a conversion


operators.convert_to_tensor = convert_to_tensor


def _checked(tensor: Tensor, dtype: DType | None) -> Tensor:
    if dtype is not None and tensor._dtype is not dtype:
        raise ValueError(
            f"Tensor conversion requested dtype {dtype.name} for Tensor with dtype "
            f"{tensor._dtype.name}: {tensor!r}. Use tf.cast to change a dtype."
        )
    return tensor


def _convert_registered(value: Any, dtype: DType | None, name: str | None) -> Tensor | None:
    protocol = getattr(value, "__tf_tensor__", None)
    if protocol is not None and not isinstance(value, type):
        tensor: Tensor = protocol(dtype, name)
        return tensor
    for _, _, types, function in _conversions:
        if isinstance(value, types):
            found = function(value, dtype=dtype, name=name, as_ref=False)
            if found is not NotImplemented:
                return found  # type: ignore[no-any-return]
    return None


def _holds_tensors(value: Sequence[Any]) -> bool:
    return _are_tensors(_leaf_types(value))


def _are_tensors(types: set[type]) -> bool:
    return any(hasattr(t, "_dtype") or hasattr(t, "__tf_tensor__") for t in types)


def _leaf_types(value: Iterable[Any]) -> set[type]:
    """The types of the elements of a nested list, without a step in Python for each element."""
    found = set(map(type, value))
    nested = found & {list, tuple}
    for item in value if nested else ():
        if isinstance(item, list | tuple):
            found |= _leaf_types(item)
    return found - nested


def _stack(values: Any, dtype: DType | None, name: str | None = None) -> Tensor:
    """A nested list with tensors in it: each level is packed, numbers take the tensors' dtype.

    With `dtype` they take that one, and the tensors are cast to it.
    """
    found = dtype or _first_dtype(values)
    with scope_of_ops(name or "packed") as scope:
        parts = [
            _cast(convert_to_tensor(v, name=str(place)), dtype)
            if isinstance(v, Tensor | operators.Operators)
            else _stack(v, found, str(place))
            if isinstance(v, list | tuple) and _holds_tensors(v)
            else convert_to_tensor(v, found, name=str(place))
            for place, v in enumerate(values)
        ]
        return raw_ops.Pack(parts, axis=0, name=scope)  # type: ignore[no-any-return]


def _cast(tensor: Tensor, dtype: DType | None) -> Tensor:
    return tensor if dtype in (None, tensor._dtype) else raw_ops.Cast(tensor, DstT=dtype)


def _first_dtype(values: Iterable[Any]) -> DType | None:
    for item in values:
        if isinstance(item, list | tuple):
            found = _first_dtype(item)
            if found is not None:
                return found
        elif hasattr(item, "_dtype"):
            dtype: DType = item.dtype
            return dtype
    return None


def unread(value: TensorLike, dtype_hint: DTypeLike = None) -> Any:
    """`value` as a tensor, but in a graph a variable as it is.

    The op that takes the variable reads it then, and the reading is named after the op. What the
    caller may ask for, dtype and shape, a variable has as well.
    """
    if isinstance(value, Tensor):
        return value
    if state.graph is not None and isinstance(value, operators.Operators):
        return value
    return convert_to_tensor(value, dtype_hint=dtype_hint)


def operand(value: TensorLike, dtype: DType | None = None) -> Any:
    """`value` for an input of an op: a tensor, or in a graph what the op makes a constant of.

    So the constant is named after the input.
    """
    if isinstance(value, Tensor):
        return value
    if state.graph is None or hasattr(value, "_dtype") or hasattr(value, "__tf_tensor__"):
        return unread(value) if dtype is None else convert_to_tensor(value, dtype)
    if isinstance(value, list | tuple) and _holds_tensors(value):
        return value
    return to_array(value, dtype)


made: Callable[[Any, DType], EagerTensor] = EagerTensor
"""Makes an eager tensor; another function does if more devices than one are used."""


def emit(
    array: np.ndarray[Any, Any], name: str | None = None, dtype: DType | None = None
) -> Tensor:
    """A tensor with this value: an eager one, or a constant of the graph being built."""
    dtype = dtype or dtypes.FROM_NUMPY[array.dtype]
    if state.graph is None:
        return made(array, dtype)
    return raw_ops.Const(value=array, dtype=dtype, name=name)  # type: ignore[no-any-return]


def to_array(value: Any, dtype: DType | None = None) -> np.ndarray[Any, Any]:
    """`value` as a new NumPy array of exactly `dtype`, or of the dtype TensorFlow would choose."""
    kind = type(value)
    if kind is float:
        if (
            dtype is None or dtype is dtypes.float32
        ) and -_LARGEST_FLOAT32 < value < _LARGEST_FLOAT32:
            return np.array(value, np.float32)
    elif kind is int and -(2**31) <= value < 2**31:
        if dtype is None or dtype is dtypes.int32:
            return np.array(value, np.int32)
        if dtype in _EXACT:
            return np.array(value, dtype.np_dtype)
    elif kind is list or kind is tuple:
        return _from_list(value, dtype, _leaf_types(value))
    if isinstance(value, np.ndarray | np.generic):
        return _from_numpy(value, dtype)
    if _is_array(value) and not isinstance(value, type):
        return _from_numpy(np.asarray(value), dtype)
    return _from_python(value, dtype)


def _is_array(value: Any) -> bool:
    return hasattr(value, "__array__") or hasattr(value, "__array_interface__")


NUMBERS = frozenset({float, int})
_numbers: dict[tuple[Any, type, DType], EagerTensor] = {}


def number(value: float, dtype: DType) -> EagerTensor:
    """A Python number as an eager tensor of `dtype`: the same again, as programs have few."""
    key = (value, type(value), dtype)
    tensor = _numbers.get(key)
    if tensor is None:
        tensor = EagerTensor(to_array(value, dtype), dtype)
        if value != 0:  # 0.0 and -0.0 would be taken for each other
            if len(_numbers) >= 1024:
                _numbers.clear()
            _numbers[key] = tensor
    return tensor


_EXACT = frozenset({dtypes.float32, dtypes.float64, dtypes.int64})
_LARGEST_FLOAT32 = 3.4028235677973366e38  # from here on a float becomes infinite as float32


def _from_numpy(value: Any, dtype: DType | None) -> np.ndarray[Any, Any]:
    array = np.asarray(value)
    if array.dtype.kind in "US" or (array.dtype == object and dtype in (None, dtypes.string)):
        return _strings(array, dtype)
    natural = dtypes.FROM_NUMPY.get(array.dtype) if array.dtype != object else None
    if natural is None and array.dtype != object:
        natural = dtypes.FROM_NUMPY.get(array.dtype.newbyteorder("="))
    if natural is None and dtype is None:
        raise ValueError(f"Failed to convert a NumPy array of dtype {array.dtype} to a Tensor.")
    if dtype is None or dtype is natural:
        assert natural is not None
        return copied(array, natural.np_dtype)
    if dtype is dtypes.string:
        return _strings(array, dtype)
    if array.dtype.kind == "c" and not dtype.is_complex and not dtype.is_bool:
        array = array.real
    try:
        with np.errstate(all="ignore"):
            return np.array(array.astype(dtype.np_dtype), order="C")
    except OverflowError:  # of Python's numbers in an array of objects
        raise ValueError(f"{array!r} has numbers of more than 64 bits.") from None


def _strings(array: np.ndarray[Any, Any], dtype: DType | None) -> np.ndarray[Any, Any]:
    flat = array.ravel().tolist()
    if dtype not in (None, dtypes.string) or not all(isinstance(v, str | bytes) for v in flat):
        wanted = "a Tensor" if dtype is None else f"a Tensor of dtype {dtype.name}"
        raise ValueError(
            f"Failed to convert a NumPy array of {array.dtype} to {wanted}: {array!r}."
        )
    result = np.empty(array.shape, object)
    result.reshape(-1)[:] = [_as_bytes(v) for v in flat]
    return result


def _as_bytes(value: str | bytes) -> bytes:
    return value.encode() if isinstance(value, str) else value


# Dtypes that Python values turn into directly; for any other they take their natural dtype first.
_DIRECT = frozenset(
    {dtypes.bool, dtypes.int32, dtypes.int64, dtypes.uint64, dtypes.string}
    | {dtypes.float16, dtypes.float32, dtypes.float64, dtypes.complex128}
)


def _from_python(value: Any, dtype: DType | None) -> np.ndarray[Any, Any]:
    if value is None:
        raise ValueError(_unsupported(value))
    leaves: list[Any] = []
    shape = _collect(value, leaves)
    if not leaves:
        natural = dtypes.int32 if isinstance(value, TensorShape) else dtypes.float32
        return np.empty(shape, (dtype or natural).np_dtype)
    kinds = {_kind(leaf) for leaf in leaves}
    if dtype in _DIRECT and _takes(dtype, kinds):
        return _fill_array(leaves, dtype).reshape(shape)
    natural = _natural(leaves, kinds)
    if dtype is None or dtype is natural:
        return _fill_array(leaves, natural, checked=True).reshape(shape)
    if dtype in _DIRECT or not _casts(natural, dtype):
        raise TypeError(f"Cannot convert {value!r} to EagerTensor of dtype {dtype.name}")
    with np.errstate(all="ignore"):
        wide = dtypes.float64 if natural is dtypes.float32 else natural
        return _fill_array(leaves, wide).astype(dtype.np_dtype).reshape(shape)


def _from_list(value: Sequence[Any], dtype: DType | None, types: set[type]) -> np.ndarray[Any, Any]:
    """The array of a nested list; one of floats alone, or of ints alone, is left to NumPy."""
    try:
        if types == _INTS_ALONE and dtype in _QUICK_INTS:
            return np.array(value, dtype.np_dtype if dtype is not None else np.int32)
        if types == _FLOATS_ALONE and dtype in _QUICK_FLOATS:
            wide = np.array(value, np.float64)
            with np.errstate(over="raise" if dtype is None else "ignore"):
                return wide if dtype is dtypes.float64 else wide.astype(np.float32)
    except (ValueError, OverflowError, FloatingPointError):
        pass  # ragged, or too large: what that means is said below
    return _from_python(value, dtype)


_INTS_ALONE: set[type] = {int}
_FLOATS_ALONE: set[type] = {float}
_QUICK_INTS = frozenset({None, dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64})
_QUICK_FLOATS = frozenset({None, dtypes.float32, dtypes.float64})


def _collect(value: Any, leaves: list[Any]) -> tuple[int, ...]:
    """Append the leaves of a nested sequence; its shape."""
    if isinstance(value, np.ndarray):
        leaves.extend(value.ravel())
        return tuple(value.shape)
    if isinstance(value, str | bytes | numbers.Number | np.generic):
        leaves.append(value)
        return ()
    if hasattr(value, "_dtype"):
        raise _bad_value_error()(
            f"tf.constant takes values, got a list with {value!r} in it. Use tf.stack."
        )
    if isinstance(value, Dimension):
        leaves.append(operator.index(value))
        return ()
    if not isinstance(value, list | tuple | range) and not _is_sequence(value):
        raise _bad_value_error()(_unsupported(value))
    shapes = [_collect(item, leaves) for item in value]
    if any(shape != shapes[0] for shape in shapes):
        raise ValueError("Can't convert non-rectangular Python sequence to Tensor.")
    return (len(shapes), *(shapes[0] if shapes else ()))


def _unsupported(value: Any) -> str:
    # The text of a composite tensor may be long, and somebody may be about to handle it.
    shown = repr(value) if not hasattr(type(value), "_type_spec") else "a composite tensor"
    kind = type(value)
    return f"Attempt to convert a value ({shown}) with an unsupported type ({kind}) to a Tensor."


def _bad_value_error() -> type[Exception]:
    """TensorFlow's class for a list that is no tensor: another one while a graph is built."""
    return ValueError if state.graph is None else TypeError


def _is_sequence(value: Any) -> bool:
    if not hasattr(value, "__getitem__") or hasattr(value, "keys"):
        return False
    try:
        len(value)
    except TypeError:  # such as a sparse matrix, whose rows are sparse matrices
        return False
    return True


def _kind(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "bool"
    if isinstance(value, str | bytes):
        return "string"
    if isinstance(value, numbers.Integral):
        return "int"
    return "float" if isinstance(value, numbers.Real) or hasattr(value, "__float__") else "complex"


def _takes(dtype: DType, kinds: set[str]) -> bool:
    """Whether a dtype can hold Python values of these kinds; a bool counts as a number."""
    if dtype is dtypes.bool or dtype is dtypes.string:
        return kinds == {dtype.name}
    numeric = {"bool", "int"} | ({"float"} if not dtype.is_integer else set())
    return kinds <= numeric | ({"complex"} if dtype.is_complex else set())


def _natural(leaves: list[Any], kinds: set[str]) -> DType:
    """The dtype that the first leaf stands for and the others fit; an int gives way to floats."""
    first = leaves[0]
    kind = _kind(first)
    by_kind = {"bool": dtypes.bool, "string": dtypes.string, "complex": dtypes.complex128}
    if kind in by_kind:
        natural = by_kind[kind]
    elif kind == "float" or "float" in kinds:
        exact = {np.float64: dtypes.float64, np.float16: dtypes.float16}
        natural = exact.get(type(first), dtypes.float32) if kind == "float" else dtypes.float32
    else:
        natural = dtypes.int64
    if not _takes(natural, kinds):
        raise _bad_value_error()("Can't convert Python sequence with mixed types to Tensor.")
    if natural is dtypes.int64:
        low, high = min(leaves), max(leaves)
        if low < -(2**63) or high >= 2**63:
            raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")
        return dtypes.int32 if low >= -(2**31) and high < 2**31 else natural
    return natural


def _casts(natural: DType, dtype: DType) -> bool:
    """Whether Python values of a natural dtype may be turned into another."""
    if dtype.is_integer or dtype.is_quantized:
        return natural.is_integer
    if dtype.is_floating:
        return natural.is_floating or natural.is_integer
    return dtype.is_complex and (natural.is_integer or natural.is_floating or natural.is_complex)


def _fill_array(leaves: list[Any], dtype: DType, *, checked: bool = False) -> np.ndarray[Any, Any]:
    """The leaves as a vector; `checked` refuses floats that become infinite."""
    if dtype is dtypes.string:
        array = np.empty(len(leaves), object)
        array[:] = [_as_bytes(v) for v in leaves]
        return array
    if dtype.is_integer:
        return _int_array(leaves, dtype)
    try:
        wide = np.array(leaves, np.complex128 if dtype.is_complex else np.float64)
    except OverflowError:
        raise ValueError(
            "Can't convert Python sequence with out-of-range integer to Tensor."
        ) from None
    if (
        checked
        and dtype is dtypes.float32
        and np.any((np.abs(wide) >= _LARGEST_FLOAT32) & np.isfinite(wide))
    ):
        raise ValueError(
            "Can't convert Python sequence with a value out of range for float32 to Tensor."
        )
    with np.errstate(all="ignore"):
        return wide.astype(dtype.np_dtype)


def _int_array(leaves: list[Any], dtype: DType) -> np.ndarray[Any, Any]:
    """Integers that 64 bits hold; a narrower dtype takes their low bits, as TensorFlow has it."""
    bounds = np.iinfo(np.uint64 if dtype is dtypes.uint64 else np.int64)
    if not (bounds.min <= min(leaves) and max(leaves) <= bounds.max):
        raise ValueError("Can't convert Python sequence with out-of-range integer to Tensor.")
    return np.array(leaves, bounds.dtype).astype(dtype.np_dtype)


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

    Args:
        value: a number, a string, an array or a nested list of such.
        dtype: the dtype; None finds the one that suits: int32, float32, bool, string.
        shape: the shape; None is that of the value.

    Raises:
        ValueError: the value does not fit `shape`.
        TypeError: it cannot be of `dtype`.

    >>> tf.constant([1, 2, 3])
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([1, 2, 3], dtype=int32)>
    >>> tf.constant(0, shape=[2, 2]).numpy().tolist()
    [[0, 0], [0, 0]]
    """
    try:
        wanted = None if dtype is None else as_dtype(dtype)
        if isinstance(value, EagerTensor):
            if wanted is not None and value._dtype is not wanted:
                raise TypeError(
                    f"Expected a tensor of dtype {wanted!r}, got {value!r}. Use tf.cast."
                )
            if shape is None and state.graph is None:
                return value  # itself, so that gradients flow through it
            array = value._value
            wanted = value._dtype
        elif isinstance(value, Tensor):
            raise TypeError(
                f"tf.constant takes values, got the symbolic tensor {value!r}. Use tf.identity."
            )
        elif hasattr(value, "__tf_tensor__"):
            tensor = convert_to_tensor(value, name=name)
            return tensor if wanted in (None, tensor.dtype) else raw_ops.Cast(tensor, DstT=wanted)
        else:
            array = to_array(value, wanted)
        return emit(array if shape is None else _fill(array, TensorShape(shape)), name, wanted)
    except Exception as error:
        trim(error)
        raise


def _fill(array: np.ndarray[Any, Any], shape: TensorShape) -> np.ndarray[Any, Any]:
    if not shape.is_fully_defined():
        kind = ValueError if shape.rank is None or array.size == 1 else TypeError
        raise kind(f"tf.constant: `shape` must be known, got {shape}.")
    dims = tuple(shape.as_list())
    if array.size == shape.num_elements():
        return array.reshape(dims)
    if array.size == 1:
        check_room("tf.constant", dims, array.dtype.itemsize)  # type: ignore[arg-type]
        return np.full(dims, array.reshape(())[()], array.dtype)
    raise TypeError(
        f"tf.constant: `value` has {array.size} elements, which do not fill `shape` {shape} "
        f"of {shape.num_elements()} elements."
    )


# Axes and sizes as tensors, ready for use.
_SMALL_INTS: dict[int, Tensor] = {
    n: EagerTensor(np.array(n, np.int32), dtypes.int32) for n in range(-16, 65)
}


def ready_made(value: TensorLike) -> TensorLike:
    """A small Python integer as a tensor that is there already, unless a graph is being built."""
    return _SMALL_INTS.get(value, value) if type(value) is int and state.graph is None else value


type_spec.register_tensor(Tensor, convert_to_tensor)
