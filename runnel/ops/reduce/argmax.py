"""Where the extremes are: `tf.argmax` and `tf.argmin`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, no_gradient, op, raw_ops
from runnel.core.tensor.convert import operand
from runnel.core.values import dtypes
from runnel.core.values.dtypes import REAL, DType
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, DTypeLike, Namespace, Spec, TensorLike
from runnel.kernels.arrays import without_nan
from runnel.kernels.extremes import place
from runnel.ops.reduce.reductions import highest, lowest

_INDEX = frozenset({dtypes.int32, dtypes.int64})
_SHORT_INDEX = frozenset({dtypes.int16, dtypes.uint16})


def without_axis(input: Spec, dimension: Spec, *, op_name: str, output_type: DType) -> Dims:
    """The input's shape without one dimension, which must not be empty."""
    if input.dims is None:
        return None
    rank = len(input.dims)
    if dimension.dims:
        raise bad_shape(op_name, want="be a scalar", dimension=dimension)
    if dimension.value is None:
        return (None,) * (rank - 1)
    axis = int(dimension.value)
    if not -rank <= axis < rank:
        raise bad_value(op_name, want=f"be in [{-rank}, {rank})", dimension=axis)
    axis %= rank
    rest = (*input.dims[:axis], *input.dims[axis + 1 :])
    if input.dims[axis] == 0 and 0 not in rest:
        raise bad_shape(op_name, want=f"have elements along dimension {axis}", input=input)
    return rest


def _valid(op_name: str) -> Callable[..., None]:
    def check(input: Array, dimension: Array, *, output_type: DType) -> None:
        if dimension.ndim:
            raise bad_shape(op_name, want="be a scalar", dimension=dimension)
        if input.size and output_type in _INDEX and -input.ndim <= dimension < input.ndim:
            return
        specs = Spec(input.shape, dtypes.float32), Spec((), dtypes.int32, np.asarray(dimension))
        without_axis(*specs, op_name=op_name, output_type=output_type)

    return check


def _place(xp: Namespace, how: str, x: Array, axis: np.ndarray, least: Any, dtype: DType) -> Array:
    """The index of the first "max" or "min"; what is no number never wins."""
    if not x.size:
        rest = list(x.shape)
        rest.pop(int(axis))
        return xp.zeros(tuple(rest), dtype.np_dtype)
    if x.dtype.kind not in "biu":
        x = without_nan(xp, x, least(x.dtype))
    if xp is not np:
        return place(x, int(axis), how).astype(dtype.np_dtype)
    return getattr(x, f"arg{how}")(axis=int(axis)).astype(dtype.np_dtype)


_PLACED: Any = {"T": REAL | {dtypes.bool}, "shape": without_axis, "static": ("dimension",)}
_PLACES = "input: T, dimension: Tidx[0] -> output: output_type"


@op(
    "ArgMax",
    _PLACES,
    Tidx=_INDEX | {dtypes.int16},
    output_type=_INDEX | _SHORT_INDEX,
    check=_valid("ArgMax"),
    **_PLACED,
)
def _argmax(
    xp: Namespace, input: Array, dimension: np.ndarray, *, output_type: DType = dtypes.int64
) -> Array:
    return _place(xp, "max", input, dimension, lowest, output_type)


no_gradient("ArgMax")


def argmax(
    input: TensorLike,
    axis: TensorLike = None,
    output_type: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """The index of the largest element along `axis` (by default 0); the first of equals.

    Args:
        input: a tensor, or what can become one.
        axis: the axis, 0 by default.
        output_type: int64, int32 or uint16.

    >>> tf.argmax([[1, 9, 3], [7, 2, 7]], axis=1).numpy()
    array([1, 0])
    """
    if isinstance(axis, list | tuple | str):
        raise TypeError(f"argmax: `axis` must be an integer or a tensor of one, got {axis!r}.")
    return raw_ops.ArgMax(input, _axis(axis), output_type=output_type, name=name)


def _axis(axis: TensorLike) -> TensorLike:
    if axis is None:
        return 0
    if isinstance(axis, float):
        raise TypeError(f"`axis` must be an integer or an integer tensor, got {axis!r}.")
    return operand(axis)


@op("ArgMin", _PLACES, Tidx=_INDEX, output_type=_INDEX, check=_valid("ArgMin"), **_PLACED)
def _argmin(
    xp: Namespace, input: Array, dimension: np.ndarray, *, output_type: DType = dtypes.int64
) -> Array:
    return _place(xp, "min", input, dimension, highest, output_type)


no_gradient("ArgMin")


def argmin(
    input: TensorLike,
    axis: TensorLike = None,
    output_type: DTypeLike = dtypes.int64,
    name: str | None = None,
) -> Tensor:
    """The index of the smallest element along `axis` (by default 0); the first of equals.

    Args:
        input: a tensor, or what can become one.
        axis: the axis, 0 by default.
        output_type: int64 or int32.

    >>> tf.argmin([[1, 9, 3], [7, 2, 2]], axis=1).numpy()
    array([0, 1])
    """
    return raw_ops.ArgMin(input, _axis(axis), output_type=output_type, name=name)
