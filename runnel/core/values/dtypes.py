"""Element types: `tf.DType`, its instances, and `tf.as_dtype`.

There is exactly one object per dtype, so code inside Runnel compares with `is`, and the attributes
that hot paths read are plain slots.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator, Sequence
from typing import Any, final

import ml_dtypes
import numpy as np

from runnel.core.protos import messages

_BY_ENUM: dict[int, DType] = {}
_ANY: dict[object, DType] = {}  # Enum, name, Python type or NumPy type to dtype.

FROM_NUMPY: dict[np.dtype[Any], DType] = {}
"""The dtype that stores a NumPy dtype of native byte order; `object` means strings."""

_REF = 100  # TensorFlow numbers the reference types of version 1 a hundred above their base.


@final
class DType:
    """The type of the elements of a tensor.

    Args:
        type_enum: the number of the type in TensorFlow's messages.
        handle_data: what a resource holds.

    >>> tf.float32
    tf.float32
    >>> tf.float32 == "float32", tf.float32 == np.float32
    (True, True)
    >>> tf.int8.min, tf.int8.max
    (-128, 127)
    """

    # A dtype is as good a key as its number, as in TensorFlow. Its hash is its number.s method, so
    # that looking up a tuple of dtypes, as every op does, calls no Python.
    __slots__ = (
        "__hash__",
        "__weakref__",
        "_is_ref_dtype",
        "as_numpy_dtype",
        "base_dtype",
        "enum",
        "is_bool",
        "is_complex",
        "is_floating",
        "is_integer",
        "is_numeric",
        "is_quantized",
        "is_unsigned",
        "name",
        "np_dtype",
        "real_dtype",
        "size",
    )

    name: str
    enum: int
    size: int
    """Bytes per element; 0 where elements have no fixed size."""
    as_numpy_dtype: Any
    np_dtype: np.dtype[Any]
    base_dtype: DType
    real_dtype: DType
    is_bool: builtins.bool
    is_complex: builtins.bool
    is_floating: builtins.bool
    is_integer: builtins.bool
    is_numeric: builtins.bool
    is_quantized: builtins.bool
    is_unsigned: builtins.bool
    _is_ref_dtype: builtins.bool

    def __new__(cls, type_enum: int, handle_data: None = None) -> DType:
        if handle_data is not None:
            raise TypeError(f"DType: `handle_data` must be None, got {handle_data!r}")
        try:
            return _BY_ENUM[type_enum]
        except (KeyError, TypeError):
            raise TypeError(f"DType: `type_enum` must number a dtype, got {type_enum!r}") from None

    def __init__(self, type_enum: int, handle_data: None = None) -> None:
        assert self.enum == type_enum and handle_data is None  # `__new__` has found it

    @property
    def as_datatype_enum(self) -> int:
        """The number of this dtype in TensorFlow's files."""
        return self.enum

    @property
    def _type_enum(self) -> int:
        return self.enum

    @property
    def is_numpy_compatible(self) -> builtins.bool:
        """Whether NumPy can hold the elements; not so for handles (`resource`, `variant`)."""
        return self.base_dtype not in _HANDLES

    @property
    def min(self) -> Any:
        """The lowest finite value.

        >>> tf.uint8.min
        0
        """
        return self._range().min

    @property
    def max(self) -> Any:
        """The highest finite value.

        >>> tf.float16.max
        np.float16(6.55e+04)
        """
        return self._range().max

    def _range(self) -> Any:
        if self.is_floating:
            return ml_dtypes.finfo(self.np_dtype)  # type: ignore[no-untyped-call]
        if self.is_integer:
            return ml_dtypes.iinfo(self.np_dtype)  # type: ignore[no-untyped-call]
        raise TypeError(f"{self} has no lowest and highest value: only integers and floats do")

    @property
    def limits(self) -> tuple[int, Any]:
        """The range of an image's intensities in this dtype: 0 to 1, or 0 to the highest integer.

        >>> tf.uint8.limits
        (0, 255)
        """
        try:
            return 0, _BRIGHTEST[self.base_dtype]
        except KeyError:
            raise ValueError(f"{self} has no intensity limits") from None

    def is_compatible_with(self, other: object) -> builtins.bool:
        """Whether a tensor of dtype `other` can be used where this one is asked for."""
        other = as_dtype(other)
        return self is other or self is other.base_dtype

    def is_subtype_of(self, other: object) -> builtins.bool:
        """Whether `other` is this dtype: dtypes have no subtypes but themselves."""
        return self == other

    def most_specific_common_supertype(self, types: Sequence[object]) -> DType | None:
        """This dtype if all `types` are the same one, else None."""
        return self if all(self == other for other in types) else None

    def placeholder_value(self, placeholder_context: object) -> None:
        """Nothing: a dtype as a traced value is constant."""

    def cast(self, value: object, cast_context: object) -> Any:
        """`value` itself if it is this dtype, else an AssertionError."""
        if value is not self:
            raise AssertionError(f"DType.cast: {value!r} is not {self!r}")
        return value

    def flatten(self) -> list[Any]:
        """The tensor specs inside: none."""
        return []

    def to_tensors(self, value: object) -> list[Any]:
        """The tensors inside: none."""
        return []

    def from_tensors(self, tensors: Iterator[Any]) -> None:
        """Nothing: a dtype takes no tensors."""

    def experimental_as_proto(self) -> Any:
        """The dtype as a `SerializedDType`."""
        return messages.SerializedDType(datatype=self.enum)

    @classmethod
    def experimental_from_proto(cls, proto: Any) -> DType:
        """The dtype that a `SerializedDType` holds."""
        return cls(proto.datatype)

    @classmethod
    def experimental_type_proto(cls) -> Any:
        """The class of the message that a dtype becomes."""
        return messages.SerializedDType

    def __eq__(self, other: object) -> builtins.bool:
        if self is other:
            return True
        if type(other) is DType or other is None:
            return False
        try:
            return self is as_dtype(other)
        except TypeError:
            return False

    def __int__(self) -> int:
        return self.enum

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __reduce__(self) -> tuple[Callable[[object], DType], tuple[str]]:
        return as_dtype, (self.name,)


def as_dtype(type_value: object) -> DType:
    """The dtype that `type_value` stands for.

    Takes dtypes, their names and numbers, NumPy dtypes and scalar types, NumPy arrays (their own
    dtype) and Python types, which mean what a Python value of that type becomes.

    >>> tf.as_dtype(np.int64), tf.as_dtype("half"), tf.as_dtype(float)
    (tf.int64, tf.float16, tf.float32)
    """
    if type(type_value) is DType:
        return type_value.base_dtype  # of a reference variable, too: that of its values
    try:
        return _ANY[type_value]
    except (KeyError, TypeError):  # Unknown, or a value without a hash such as an array.
        pass
    dtype = getattr(type_value, "dtype", type_value)
    found = _from_numpy(dtype) if isinstance(dtype, np.dtype) else None
    if found is None:
        raise TypeError(f"as_dtype: {type_value!r} does not stand for a dtype, as 'float32' would")
    return found


def _from_numpy(dtype: np.dtype[Any]) -> DType | None:
    if dtype.kind in "SU":
        return string
    return FROM_NUMPY.get(dtype.newbyteorder("="))


def _declare(
    enum: int, name: str, numpy_type: Any, kind: str, *, ref: DType | None = None
) -> DType:
    """Make the dtype; `kind` is one of `ifcbqo` with `u` for unsigned integers, `o` for others."""
    new = object.__new__(DType)
    new.name, new.enum, new.__hash__ = name, enum, enum.__hash__  # type: ignore[method-assign]
    new.np_dtype, new.as_numpy_dtype = np.dtype(numpy_type), numpy_type
    if kind == "q":
        new.np_dtype = new.np_dtype[0]  # tensors hold plain integers, as in TensorFlow
    new.size = 0 if kind == "o" else new.np_dtype.itemsize
    new.is_integer, new.is_unsigned = kind in "iu", kind == "u"
    new.is_floating, new.is_complex = kind == "f", kind == "c"
    new.is_bool, new.is_quantized = kind == "b", kind == "q"
    new.is_numeric = kind in "iufcq" and enum % _REF < _FIRST_TINY
    new.base_dtype, new._is_ref_dtype = ref or new, ref is not None
    new.real_dtype = _ANY["float32" if new.size == 8 else "float64"] if kind == "c" else new
    _BY_ENUM[enum] = _ANY[enum] = _ANY[name] = new
    if ref is None:
        _declare(enum + _REF, f"{name}_ref", numpy_type, kind, ref=new)
    return new


_FIRST_TINY = 24  # From here on types of a byte or less, which TensorFlow does not call numeric.

float32 = _declare(1, "float32", np.float32, "f")
float64 = double = _declare(2, "float64", np.float64, "f")
int32 = _declare(3, "int32", np.int32, "i")
uint8 = _declare(4, "uint8", np.uint8, "u")
int16 = _declare(5, "int16", np.int16, "i")
int8 = _declare(6, "int8", np.int8, "i")
string = _declare(7, "string", object, "o")
complex64 = _declare(8, "complex64", np.complex64, "c")
int64 = _declare(9, "int64", np.int64, "i")
bool = _declare(10, "bool", np.bool_, "b")
qint8 = _declare(11, "qint8", np.dtype([("qint8", np.int8)]), "q")
quint8 = _declare(12, "quint8", np.dtype([("quint8", np.uint8)]), "q")
qint32 = _declare(13, "qint32", np.dtype([("qint32", np.int32)]), "q")
bfloat16 = _declare(14, "bfloat16", ml_dtypes.bfloat16, "f")
qint16 = _declare(15, "qint16", np.dtype([("qint16", np.int16)]), "q")
quint16 = _declare(16, "quint16", np.dtype([("quint16", np.uint16)]), "q")
uint16 = _declare(17, "uint16", np.uint16, "u")
complex128 = _declare(18, "complex128", np.complex128, "c")
float16 = half = _declare(19, "float16", np.float16, "f")
resource = _declare(20, "resource", object, "o")
variant = _declare(21, "variant", object, "o")
uint32 = _declare(22, "uint32", np.uint32, "u")
uint64 = _declare(23, "uint64", np.uint64, "u")
float8_e5m2 = _declare(24, "float8_e5m2", ml_dtypes.float8_e5m2, "f")
float8_e4m3fn = _declare(25, "float8_e4m3fn", ml_dtypes.float8_e4m3fn, "f")
float8_e4m3fnuz = _declare(26, "float8_e4m3fnuz", ml_dtypes.float8_e4m3fnuz, "f")
float8_e4m3b11fnuz = _declare(27, "float8_e4m3b11fnuz", ml_dtypes.float8_e4m3b11fnuz, "f")
float8_e5m2fnuz = _declare(28, "float8_e5m2fnuz", ml_dtypes.float8_e5m2fnuz, "f")
int4 = _declare(29, "int4", ml_dtypes.int4, "i")
uint4 = _declare(30, "uint4", ml_dtypes.uint4, "u")
int2 = _declare(31, "int2", ml_dtypes.int2, "i")
uint2 = _declare(32, "uint2", ml_dtypes.uint2, "u")
float4_e2m1fn = _declare(33, "float4_e2m1fn", ml_dtypes.float4_e2m1fn, "f")

FLOATS = frozenset({half, bfloat16, float32, float64})
COMPLEX = frozenset({complex64, complex128})
SIGNED_INTS = frozenset({int8, int16, int32, int64})
UNSIGNED_INTS = frozenset({uint8, uint16, uint32, uint64})
INTS = SIGNED_INTS | UNSIGNED_INTS
INDICES = frozenset({int32, int64})
REAL = INTS | FLOATS
NUMERIC = REAL | COMPLEX
QUANTIZED_DTYPES = frozenset(dtype for dtype in _BY_ENUM.values() if dtype.is_quantized)

_HANDLES = frozenset({resource, variant})
_BRIGHTEST: dict[DType, Any] = {
    **{dtype: dtype.max for dtype in INTS},
    bool: True,
    float32: 1,
    float64: 1,
}

FROM_NUMPY.update(
    (np.dtype(dtype.as_numpy_dtype), dtype)
    for dtype in _BY_ENUM.values()
    if dtype.enum < _REF and dtype.size
)
FROM_NUMPY[np.dtype(object)] = string

_ANY.update(FROM_NUMPY.items())
_ANY.update((np_dtype.type, dtype) for np_dtype, dtype in FROM_NUMPY.items() if not np_dtype.fields)
_ANY.update({np.bytes_: string, np.str_: string, np.longlong: int64, np.ulonglong: uint64})
_ANY.update({"float": float32, "double": float64, "half": float16})
# What Python values become. TensorFlow has only `float`, `bool` and `object` here.
_ANY.update({float: float32, builtins.bool: bool, object: string})
_ANY.update({int: int32, complex: complex128, str: string, bytes: string})
