"""Arrays of `tf.experimental.numpy`: what dtype values get, alone and together.

Python numbers, and lists of them, are weak: `int32 + 1` stays int32. Between arrays NumPy's own
table decides, so int32 with float32 is float64.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops
from runnel.core.tensor.convert import emit
from runnel.core.tensor.operators import Operators
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.ops.numpy_api.lattice import common_kind, kind_of
from runnel.ops.numpy_api.preferences import Preferences
from runnel.ops.numpy_api.weak_tensor import WeakTensor


def default_float() -> DType:
    """The dtype of Python's floats, and of integers where only floats will do."""
    narrow = Preferences.prefer_float32 or Preferences.promotes_weakly()
    return dtypes.float32 if narrow else dtypes.float64


def as_type(dtype: DTypeLike) -> DType:
    """A dtype by NumPy's names: `float` is float64, `int` is int64, or those of 32 bits."""
    if isinstance(dtype, DType):
        return dtype
    if Preferences.promotes_weakly() and dtype in (int, float):
        return kind_of(dtype)[0]
    try:
        return as_dtype(np.dtype(dtype))
    except TypeError:
        raise TypeError(f"{dtype!r} does not stand for a dtype.") from None


def _leaves(value: Any) -> Iterator[Any]:
    """What NumPy's promotion is to see of a value: dtypes, and Python numbers as they are."""
    if isinstance(value, list | tuple):
        for item in value:
            yield from _leaves(item)
    elif isinstance(value, Operators | WeakTensor):
        yield value._dtype.np_dtype
    elif isinstance(value, DType):
        yield value.np_dtype
    elif Preferences.prefer_float32 and isinstance(value, float | complex):
        yield np.dtype(np.float32 if isinstance(value, float) else np.complex64)
    elif isinstance(value, np.ndarray | np.generic):
        yield value.dtype
    elif isinstance(value, numbers.Number):
        yield value
    elif isinstance(value, str | bytes):
        yield np.dtype(object)
    elif isinstance(value, type | np.dtype):
        yield np.dtype(value)
    else:
        yield np.asarray(value).dtype


def common_dtype(*values: Any) -> DType:
    """The dtype that these values have together, by NumPy's table or by the lattice."""
    if Preferences.promotes_weakly():
        return common_kind(*values)[0]
    return numpy_dtype(*values)


def numpy_dtype(*values: Any) -> DType:
    """The dtype that these values have together in NumPy."""
    found = [leaf for value in values for leaf in _leaves(value)]
    dtype = np.result_type(*found) if found else np.dtype(np.float64)
    return as_dtype(dtype if dtype.kind not in "SU" else np.dtype(object))


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The dtype that arrays, dtypes and Python numbers have together.

    >>> tf.experimental.numpy.result_type(np.int32, np.float32)
    tf.float64
    """
    return common_dtype(*arrays_and_dtypes)


def promote_types(type1: DTypeLike, type2: DTypeLike) -> np.dtype:
    """The smallest dtype that holds values of both.

    >>> tf.experimental.numpy.promote_types(np.int8, np.uint8)
    dtype('int16')
    """
    return np.promote_types(as_type(type1).np_dtype, as_type(type2).np_dtype)


def asarray(a: TensorLike, dtype: DTypeLike = None) -> Tensor:
    """`a` as a tensor; it is not copied where it is one of this dtype already."""
    wanted = None if dtype is None else as_type(dtype)
    if isinstance(a, Operators | WeakTensor):
        tensor = a if isinstance(a, Tensor) else convert_to_tensor(a)
        return change_dtype(tensor, wanted)
    if isinstance(a, list | tuple) and _holds_tensors(a):
        inner = wanted or common_dtype(a)
        return raw_ops.Pack([asarray(item, inner) for item in a], axis=0)
    if wanted is None:
        wanted = common_dtype(a)
    array = None if wanted is dtypes.string else _array(a)
    if array is None or array.dtype.kind in "OSU":  # text, or nothing of which there are tensors
        return change_dtype(convert_to_tensor(a), wanted)
    with np.errstate(all="ignore"):
        return emit(array.astype(wanted.np_dtype))


def _array(a: Any) -> np.ndarray:
    try:
        return np.array(a)
    except ValueError:
        raise ValueError("Can't convert non-rectangular Python sequence to Tensor.") from None


def _holds_tensors(items: Sequence[Any]) -> bool:
    return any(
        isinstance(item, Operators | WeakTensor)
        or (isinstance(item, list | tuple) and _holds_tensors(item))
        for item in items
    )


def change_dtype(tensor: Tensor, dtype: DType | None) -> Tensor:
    if dtype is None or tensor.dtype is dtype:
        return tensor
    return raw_ops.Cast(tensor, DstT=dtype)


def promoted(*values: TensorLike) -> list[Tensor]:
    """The values as tensors of their common dtype."""
    return _as_tensors(values, common_dtype)


def promoted_as_numpy(*values: TensorLike) -> list[Tensor]:
    """The same by NumPy's table, in all modes: what TensorFlow does for pairs of elements."""
    return _as_tensors(values, numpy_dtype)


def _as_tensors(values: Sequence[TensorLike], common: Callable[..., DType]) -> list[Tensor]:
    if any(value is None or isinstance(value, dict) for value in values):
        raise ValueError(f"None and dicts are no arrays, got {values!r}.")
    dtype = common(*values)
    return [asarray(value, dtype) for value in values]


def is_inexact(dtype: DType) -> bool:
    return dtype.is_floating or dtype.is_complex


def as_inexact(a: TensorLike) -> Tensor:
    """`a` as a tensor of floats or complex numbers; integers become floats of the default kind."""
    tensor = asarray(a)
    return tensor if is_inexact(tensor.dtype) else change_dtype(tensor, default_float())


def finfo(dtype: DTypeLike) -> np.finfo:
    """The limits of a floating dtype.

    >>> float(tf.experimental.numpy.finfo(np.float32).max)
    3.4028234663852886e+38
    """
    return np.finfo(as_type(dtype).np_dtype)


def issubdtype(arg1: DTypeLike, arg2: DTypeLike) -> bool:
    """Whether a dtype is of a kind, as in NumPy's hierarchy.

    >>> tf.experimental.numpy.issubdtype(np.int32, np.integer)
    True
    """
    plain = [a.np_dtype if isinstance(a, DType) else a for a in (arg1, arg2)]
    return bool(np.issubdtype(*plain))
