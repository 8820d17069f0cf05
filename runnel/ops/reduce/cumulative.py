"""Running totals along an axis."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.dtypes import FLOATS, NUMERIC
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.kernels.arrays import in_float32
from runnel.kernels.running import running
from runnel.ops.shapes import axes_of

_INDEX = frozenset({dtypes.int32, dtypes.int64})


def _scanned(x: Spec, axis: Spec, *, op_name: str, **attrs: Any) -> Dims:
    if axis.dims not in ((), None):
        raise bad_shape(op_name, want="be a scalar", axis=axis)
    if x.dims is not None and axis.value is not None:
        axes_of(axis, len(x.dims), op_name)
    return x.dims


def _one_axis(x: Array, axis: np.ndarray, **attrs: Any) -> None:
    if np.shape(axis) != ():
        raise bad_shape("Scan", want="be a scalar", axis=axis)
    if not -x.ndim <= axis < x.ndim:
        raise bad_value("Scan", want=f"be in [{-x.ndim}, {x.ndim})", axis=axis)


def _scan(
    xp: Namespace, how: str, x: Array, axis: int, start: Any, options: tuple[bool, bool]
) -> Array:
    """Running totals, from the other end and without the element itself where asked for."""
    exclusive, reverse = options
    if reverse:
        x = xp.flip(x, axis)
    if exclusive and x.shape[axis]:
        first = xp.full([1 if i == axis else d for i, d in enumerate(x.shape)], start, x.dtype)
        keep = [slice(None)] * x.ndim
        keep[axis] = slice(0, -1)
        x = xp.concatenate([first, x[tuple(keep)]], axis=axis)
    x = running(xp, how, x, axis)
    return xp.flip(x, axis) if reverse else x


_SCANNED: Any = {"Tidx": _INDEX, "check": _one_axis, "shape": _scanned, "static": ("axis",)}


@op("Cumsum", "x: T, axis: Tidx -> out: T", T=NUMERIC, scope="Cumsum", **_SCANNED)
@in_float32
def _cumsum(
    xp: Namespace, x: Array, axis: np.ndarray, *, exclusive: bool = False, reverse: bool = False
) -> Array:
    return _scan(xp, "add", x, int(axis) % x.ndim, 0, (exclusive, reverse))


@RegisterGradient("Cumsum", needs="axis")
def _cumsum_grad(op: Any, dy: Tensor) -> Gradients:
    exclusive, reverse = op.attrs["exclusive"], op.attrs["reverse"]
    return raw_ops.Cumsum(dy, op.inputs[1], exclusive=exclusive, reverse=not reverse), None


def cumsum(
    x: TensorLike,
    axis: TensorLike = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The sum of all elements up to each one along `axis`.

    `exclusive` leaves out the element itself; `reverse` adds up from the end.

    Args:
        x: a tensor, or what can become one.
        axis: the axis.
        exclusive: whether an element's own value is left out of its sum.
        reverse: whether it goes from the end.

    >>> tf.cumsum([1, 2, 4]).numpy(), tf.cumsum([1, 2, 4], exclusive=True, reverse=True).numpy()
    (array([1, 3, 7], dtype=int32), array([6, 4, 0], dtype=int32))
    """
    return raw_ops.Cumsum(x, axis, exclusive=exclusive, reverse=reverse, name=name)


@op("Cumprod", "x: T, axis: Tidx -> out: T", T=NUMERIC, scope="Cumprod", **_SCANNED)
@in_float32
def _cumprod(
    xp: Namespace, x: Array, axis: np.ndarray, *, exclusive: bool = False, reverse: bool = False
) -> Array:
    return _scan(xp, "multiply", x, int(axis) % x.ndim, 1, (exclusive, reverse))


@RegisterGradient("Cumprod", needs="x axis")
def _cumprod_grad(op: Any, dy: Tensor) -> Gradients:
    """TensorFlow's: the gradient of an element that is zero is zero."""
    x, axis = op.inputs
    exclusive, reverse = op.attrs["exclusive"], op.attrs["reverse"]
    product = raw_ops.Cumprod(x, axis, exclusive=exclusive, reverse=reverse)
    total = raw_ops.Cumsum(product * dy, axis, exclusive=exclusive, reverse=not reverse)
    return raw_ops.DivNoNan(total, x, name="div_no_nan"), None


def cumprod(
    x: TensorLike,
    axis: TensorLike = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of all elements up to each one along `axis`.

    `exclusive` leaves out the element itself; `reverse` starts at the end.

    >>> tf.math.cumprod([2, 3, 4]).numpy(), tf.math.cumprod([2, 3, 4], exclusive=True).numpy()
    (array([ 2,  6, 24], dtype=int32), array([1, 2, 6], dtype=int32))
    """
    return raw_ops.Cumprod(x, axis, exclusive=exclusive, reverse=reverse, name=name)


@op("CumulativeLogsumexp", "x: T, axis: Tidx -> out: T", T=FLOATS, heavy=True, **_SCANNED)
@in_float32
def _cumulative_logsumexp(
    xp: Namespace, x: Array, axis: np.ndarray, *, exclusive: bool = False, reverse: bool = False
) -> Array:
    return _scan(xp, "logaddexp", x, int(axis) % x.ndim, -np.inf, (exclusive, reverse))


@RegisterGradient("CumulativeLogsumexp", needs="x axis outputs")
def _cumulative_logsumexp_grad(op: Any, dy: Tensor) -> Gradients:
    """The sum of `dy * exp(x - y)` from each element on, in logarithms, the signs of `dy` apart."""
    x, axis = op.inputs
    zero = raw_ops.ZerosLike(dy)
    least = convert_to_tensor(dy.dtype.min, dtype=dy.dtype)

    def part(dy: Tensor) -> Tensor:
        positive = raw_ops.Greater(dy, zero)
        safe = raw_ops.SelectV2(positive, dy, raw_ops.OnesLike(dy))
        logs = raw_ops.SelectV2(positive, raw_ops.Log(safe), least)
        total = raw_ops.CumulativeLogsumexp(
            logs - op.outputs[0],
            axis,
            exclusive=op.attrs["exclusive"],
            reverse=not op.attrs["reverse"],
        )
        return raw_ops.Exp(total + x)

    return part(dy) - part(-dy), None


def cumulative_logsumexp(
    x: TensorLike,
    axis: TensorLike = 0,
    exclusive: bool = False,
    reverse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The logarithm of the sum of exponentials of all elements up to each one along `axis`.

    >>> tf.math.cumulative_logsumexp([0.0, 0.0, 0.0]).numpy().round(3)
    array([0.   , 0.693, 1.099], dtype=float32)
    """
    return raw_ops.CumulativeLogsumexp(x, axis, exclusive=exclusive, reverse=reverse, name=name)
