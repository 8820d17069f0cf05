"""Division, its remainders and reciprocals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.composite.sparse_tensor import SparseTensor
from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.values import dtypes
from runnel.core.values.dtypes import COMPLEX, FLOATS, INTS, NUMERIC, REAL, DType
from runnel.core.values.errors import InternalError, bad_value
from runnel.core.values.types import Array, Gradients, Namespace, TensorLike
from runnel.kernels.arrays import truncated_quotient
from runnel.kernels.remainders import floor_remainder
from runnel.ops.guards import NOT_ZERO
from runnel.ops.math.complex import conj
from runnel.ops.shapes import as_shaped, broadcast, same, same_sizes, where_asked

_FLOATING = FLOATS | COMPLEX
_REMAINDERS = FLOATS | {dtypes.int32, dtypes.int64}


def _no_zero(op_name: str) -> Callable[[Array, Array], None]:
    def check(x: Array, y: Array) -> None:
        if y.dtype.kind in "iu" and not np.all(y):
            raise bad_value(op_name, want="not be zero in an integer division", y=y)

    return check


def _no_zero_truncating(x: Array, y: Array) -> None:
    # TensorFlow expects no such thing of this op, and calls it an internal error.
    if y.dtype.kind in "iu" and not np.all(y):
        message = "TruncateDiv: `y` must not be zero in an integer division. [Op:TruncateDiv]"
        raise InternalError(None, None, message)


_QUOTIENT: Any = {"T": NUMERIC, "elementwise": True, "recompute": 0, "shape": broadcast}


@op("RealDiv", "x: T, y: T -> z: T", neutral=(None, 1), default_name="truediv", **_QUOTIENT)
def _real_div(xp: Namespace, x: Array, y: Array) -> Array:
    if x.dtype.kind in "iu":
        return truncated_quotient(xp, x, y)
    return xp.divide(x, y)


@RegisterGradient("RealDiv", needs="x y")
def _real_div_grad(op: Any, dz: Tensor) -> Gradients:
    x, y = (conj(t) for t in op.inputs)
    dx = raw_ops.RealDiv(dz, y, name="RealDiv")
    ratio = raw_ops.RealDiv(-x, y, name="RealDiv")
    return dx, dz * raw_ops.RealDiv(ratio, y, name="RealDiv")


def realdiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x / y` in the dtype of the inputs.

    >>> tf.realdiv([1.0, 2.0], 4.0).numpy()
    array([0.25, 0.5 ], dtype=float32)
    """
    return raw_ops.RealDiv(x, y, name=name)


@op("Div", "x: T, y: T -> z: T", T=NUMERIC, shape=broadcast, check=_no_zero("Div"), guard=NOT_ZERO)
def _div(xp: Namespace, x: Array, y: Array) -> Array:
    if x.dtype.kind in "iu":
        return truncated_quotient(xp, x, y)
    return xp.divide(x, y)


@RegisterGradient("Div", needs="x y")
def _div_grad(op: Any, dz: Tensor) -> Gradients:
    return _real_div_grad(op, dz)


@scoped("truediv", last=True)
def truediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x / y` as Python 3 divides: integers give float64 (float32 where they have 16 bits at most).

    >>> tf.math.truediv([1, 2], 4).numpy()
    array([0.25, 0.5 ])
    """
    x, y = _floats("truediv", x, y)
    return raw_ops.RealDiv(x, y, name=name)


def _floats(function: str, x: TensorLike, y: TensorLike) -> tuple[Tensor, Tensor]:
    """Two tensors of one dtype, integers made floats."""
    x = convert_to_tensor(x, name="x")
    y = convert_to_tensor(y, dtype_hint=x.dtype, name="y")
    if x.dtype is not y.dtype:
        found = f"{x.dtype.name} and {y.dtype.name}"
        raise TypeError(f"{function}: `x` and `y` must have one dtype, got {found}.")
    if x.dtype not in NUMERIC:
        raise TypeError(f"{function}: `x` must be a number, got dtype {x.dtype.name}.")
    return _as_float(x), _as_float(y)


def _as_float(x: Tensor) -> Tensor:
    if x.dtype not in INTS:
        return x
    wide: DType = dtypes.float32 if x.dtype.size <= 2 else dtypes.float64
    return raw_ops.Cast(x, DstT=wide)


def divide(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x / y` with Python's operator, so integers give floats.

    >>> tf.divide([1, 2], 4).numpy()
    array([0.25, 0.5 ])
    """
    if isinstance(x, SparseTensor):
        return x / y
    if not isinstance(x, Tensor) and not isinstance(y, Tensor):
        x = convert_to_tensor(x)
    return x / y if name is None else raw_ops.Identity(x / y, name=name)


@op("DivNoNan", "x: T, y: T -> z: T", T=_FLOATING, shape=broadcast, scope="div_no_nan")
def _div_no_nan(xp: Namespace, x: Array, y: Array) -> Array:
    zero = y == 0
    quotient = xp.divide(x, xp.where(zero, xp.ones((), y.dtype), y))
    return xp.where(zero, xp.zeros((), x.dtype), quotient)


@RegisterGradient("DivNoNan", needs="x y")
def _div_no_nan_grad(op: Any, dz: Tensor) -> Gradients:
    x, y = (conj(t) for t in op.inputs)
    dx = raw_ops.DivNoNan(dz, y, name="div_no_nan")
    ratio = raw_ops.DivNoNan(-x, y, name="div_no_nan")
    return dx, dz * raw_ops.DivNoNan(ratio, y, name="div_no_nan")


@scoped("div_no_nan", last=True)
def divide_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x / y`, but 0 wherever `y` is 0.

    >>> tf.math.divide_no_nan([3.0, 3.0], [0.0, 2.0]).numpy()
    array([0. , 1.5], dtype=float32)
    """
    x = convert_to_tensor(x, name="x")
    y = convert_to_tensor(y, dtype_hint=x.dtype, name="y")
    x, y = _floats("divide_no_nan", _as_float(x), _as_float(y))  # integers may be of two sizes
    return raw_ops.DivNoNan(x, y, name=name)


@scoped("reciprocal_no_nan", last=True)
def reciprocal_no_nan(x: TensorLike, name: str | None = None) -> Tensor:
    """`1 / x`, but 0 where `x` is 0.

    >>> tf.math.reciprocal_no_nan([2.0, 0.0]).numpy()
    array([0.5, 0. ], dtype=float32)
    """
    x = convert_to_tensor(x)
    return raw_ops.DivNoNan(convert_to_tensor(1, dtype=x.dtype, name="one"), x, name=name)


@op("Xdivy", "x: T, y: T -> z: T", T=_FLOATING, shape=broadcast)
def _xdivy(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.where(x == 0, xp.zeros((), x.dtype), xp.divide(x, y))


@RegisterGradient("Xdivy", needs="x y")
def _xdivy_grad(op: Any, dz: Tensor) -> Gradients:
    x, y = op.inputs
    return (
        dz * raw_ops.Xdivy(where_nonzero(x), y),
        dz * raw_ops.Xdivy(-x, raw_ops.Square(y)),
    )


def where_nonzero(x: Tensor) -> Tensor:
    """1 where `x` is not 0, else 0, in the dtype of `x`."""
    return raw_ops.Cast(raw_ops.NotEqual(x, raw_ops.ZerosLike(x)), DstT=x.dtype)


@scoped("xdivy")
def xdivy(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x / y`, but 0 wherever `x` is 0, even if `y` is too.

    >>> tf.math.xdivy([0.0, 3.0], [0.0, 2.0]).numpy()
    array([0. , 1.5], dtype=float32)
    """
    return raw_ops.Xdivy(x, y, name=name)


@op("TruncateDiv", "x: T, y: T -> z: T", check=_no_zero_truncating, guard=NOT_ZERO, **_QUOTIENT)
def _truncate_div(xp: Namespace, x: Array, y: Array) -> Array:
    if x.dtype.kind in "iu":
        return truncated_quotient(xp, x, y)
    return xp.trunc(xp.divide(x, y))


@RegisterGradient("TruncateDiv", needs="")
def _truncate_div_grad(op: Any, dz: Tensor) -> Gradients:
    return None, None


def truncatediv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x / y` cut towards zero, as in C.

    >>> tf.truncatediv([-7, 7], 2).numpy()
    array([-3,  3], dtype=int32)
    """
    return raw_ops.TruncateDiv(x, y, name=name)


@op(
    "FloorDiv",
    "x: T, y: T -> z: T",
    check=_no_zero("FloorDiv"),
    guard=NOT_ZERO,
    default_name="floordiv",
    **_QUOTIENT,
)
def _floor_div(xp: Namespace, x: Array, y: Array) -> Array:
    if x.dtype.kind in "iu":
        return xp.floor_divide(x, y)
    return xp.floor(xp.divide(x, y))


@RegisterGradient("FloorDiv", needs="")
def _floor_div_grad(op: Any, dz: Tensor) -> Gradients:
    return None, None


def floordiv(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x // y`: the quotient rounded down, as in Python.

    >>> tf.math.floordiv([-7, 7], 2).numpy()
    array([-4,  3], dtype=int32)
    """
    return raw_ops.FloorDiv(x, y, name=name)


_NO_ZERO: Any = {"guard": NOT_ZERO, "shape": broadcast}


@op(
    "FloorMod",
    "x: T, y: T -> z: T",
    T=REAL,
    check=_no_zero("FloorMod"),
    elementwise=True,
    recompute=0,
    default_name="mod",
    **_NO_ZERO,
)
def _floor_mod(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.mod(x, y) if x.dtype.kind in "iu" else floor_remainder(xp, x, y)


@RegisterGradient("FloorMod", needs="x y")
def _floor_mod_grad(op: Any, dz: Tensor) -> Gradients:
    x, y = op.inputs
    return dz, dz * -raw_ops.FloorDiv(x, y, name="FloorDiv")


def floormod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x % y`: the remainder of `floordiv`, with the sign of `y`, as in Python.

    >>> tf.math.floormod([-7, 7], 3).numpy()
    array([2, 1], dtype=int32)
    """
    return raw_ops.FloorMod(x, y, name=name or "FloorMod")


mod = floormod


@op("TruncateMod", "x: T, y: T -> z: T", T=_REMAINDERS, check=_no_zero("TruncateMod"), **_NO_ZERO)
def _truncate_mod(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.fmod(x, y)


def truncatemod(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The remainder of `truncatediv`, with the sign of `x`, as in C.

    >>> tf.truncatemod([-7, 7], 3).numpy()
    array([-1,  1], dtype=int32)
    """
    return raw_ops.TruncateMod(x, y, name=name)


@op("Mod", "x: T, y: T -> z: T", T=_REMAINDERS, check=_no_zero("Mod"), **_NO_ZERO)
def _mod(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.fmod(x, y)


@op("Reciprocal", "x: T -> y: T", T=_FLOATING, shape=same)
def _reciprocal(xp: Namespace, x: Array) -> Array:
    return xp.reciprocal(x)


@RegisterGradient("Reciprocal", needs="outputs")
def _reciprocal_gradient(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.ReciprocalGrad(op.outputs[0], dy)


def reciprocal(x: TensorLike, name: str | None = None) -> Tensor:
    """`1 / x`.

    >>> tf.math.reciprocal([2.0, 4.0]).numpy()
    array([0.5 , 0.25], dtype=float32)
    """
    return raw_ops.Reciprocal(x, name=name)


@op("Inv", "x: T -> y: T", T=_FLOATING, shape=same)
def _inv(xp: Namespace, x: Array) -> Array:
    return xp.reciprocal(x)


@RegisterGradient("Inv", needs="outputs")
def _inv_gradient(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.ReciprocalGrad(op.outputs[0], dy)


@op(
    "ReciprocalGrad",
    "y: T, dy: T -> z: T",
    T=_FLOATING,
    shape=same,
    check=same_sizes("ReciprocalGrad", "y", "dy"),
)
def _reciprocal_grad(xp: Namespace, y: Array, dy: Array) -> Array:
    y = xp.conj(y)
    dy = as_shaped(dy, y)
    return where_asked(xp, dy, -dy * y * y)


@RegisterGradient("ReciprocalGrad", needs="y dy")
def _reciprocal_grad_grad(op: Any, dz: Tensor) -> Gradients:
    y, dy = op.inputs
    y = conj(y)
    return conj(dz) * -2 * dy * y, raw_ops.ReciprocalGrad(y, dz)


@op(
    "InvGrad",
    "y: T, dy: T -> z: T",
    T=_FLOATING,
    shape=same,
    check=same_sizes("InvGrad", "y", "dy"),
)
def _inv_grad(xp: Namespace, y: Array, dy: Array) -> Array:
    y = xp.conj(y)
    dy = as_shaped(dy, y)
    return where_asked(xp, dy, -dy * y * y)


@RegisterGradient("InvGrad", needs="y dy")
def _inv_grad_grad(op: Any, dz: Tensor) -> Gradients:
    return _reciprocal_grad_grad(op, dz)
