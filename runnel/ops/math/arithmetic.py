"""Sums, differences, products, extremes, signs and squares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.backend.cpu_features import read_in_place
from runnel.core.composite.sparse_tensor import SparseTensor, on_values
from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.gradients.unbroadcast import asked
from runnel.core.op.context import state
from runnel.core.op.registry import wants_gradient
from runnel.core.tensor.convert import unread
from runnel.core.tensor.filling import number_of, zeros_as
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.tensor.tensor_list import is_list
from runnel.core.values import dtypes
from runnel.core.values.dtypes import COMPLEX, FLOATS, NUMERIC, REAL, SIGNED_INTS, UNSIGNED_INTS
from runnel.core.values.errors import bad_shape
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import (
    Array,
    Dims,
    DTypeLike,
    Gradients,
    Namespace,
    ShapeLike,
    Spec,
    TensorLike,
)
from runnel.ops.choices import at_least
from runnel.ops.math.complex import conj
from runnel.ops.shapes import broadcast, same

_SIGNED = SIGNED_INTS | FLOATS | COMPLEX
_FLOATING = FLOATS | COMPLEX
_ARITHMETIC: Any = {"shape": broadcast, "elementwise": True, "unbroadcast": "unlike"}
_EXTREME: Any = {**_ARITHMETIC, "unbroadcast": "asked", "T": REAL, "watched": 0}


_SUM: Any = {"neutral": (-0.0, -0.0), "scope": "Add"}
_TWO = "x: T, y: T -> z: T"


@op("AddV2", _TWO, T=NUMERIC, default_name="add", **_ARITHMETIC, **_SUM)
def _add_v2(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.add(x, y)


@RegisterGradient("AddV2", needs="", slices=True)
def _add_v2_grad(op: Any, dz: Tensor) -> Gradients:
    return dz, dz


@op(
    "Add",
    _TWO,
    T=NUMERIC - (UNSIGNED_INTS - {dtypes.uint8}) | {dtypes.string},
    **_ARITHMETIC,
    **_SUM,
)
def _add(xp: Namespace, x: Array, y: Array) -> Array:
    total = xp.add(x, y)
    return total if hasattr(total, "shape") else np.asarray(total, object)  # one string is no array


@RegisterGradient("Add", needs="", slices=True)
def _add_grad(op: Any, dz: Tensor) -> Gradients:
    return dz, dz


def add(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x + y`, element by element, broadcasting as NumPy does; strings are joined.

    Args:
        x: a tensor, or what can become one.
        y: a tensor of the same dtype; shapes broadcast.

    >>> tf.add([1, 2, 3], 10).numpy()
    array([11, 12, 13], dtype=int32)
    >>> tf.add(["a", "b"], ["c", "d"]).numpy()
    array([b'ac', b'bd'], dtype=object)
    """
    if isinstance(x, Tensor) and isinstance(y, Tensor):
        name = name or "Add"
    elif state.graph is None:
        x, y = _addends(x, y)
    else:
        with state.graph.name_scope(name or "Add") as name:
            x, y = _addends(x, y)
    chosen = raw_ops.Add if x.dtype is dtypes.string else raw_ops.AddV2
    return chosen(x, y, name=name)


def _addends(x: TensorLike, y: TensorLike) -> tuple[Tensor, Tensor]:
    if not isinstance(x, Tensor):
        x = convert_to_tensor(x, dtype_hint=getattr(y, "dtype", None), name="x")
    if not isinstance(y, Tensor):
        y = convert_to_tensor(y, dtype_hint=x.dtype, name="y")
    return x, y


@op("Sub", _TWO, T=NUMERIC, neutral=(None, 0.0), default_name="sub", **_ARITHMETIC)
def _sub(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.subtract(x, y)


@RegisterGradient("Sub", needs="", slices=True)
def _sub_grad(op: Any, dz: Tensor) -> Gradients:
    return dz, -dz if asked(op)[1] else None


def subtract(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x - y`, element by element, broadcasting as NumPy does.

    >>> tf.subtract([1, 2, 3], 10).numpy()
    array([-9, -8, -7], dtype=int32)
    """
    return raw_ops.Sub(x, y, name=name or "Sub")


@op("Mul", _TWO, T=NUMERIC, neutral=(1, 1), default_name="mul", **_ARITHMETIC)
def _mul(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.multiply(x, y)


@RegisterGradient("Mul", needs="x y")
def _mul_grad(op: Any, dz: Tensor) -> Gradients:
    x, y = op.inputs
    first, second = asked(op)
    dx = raw_ops.Mul(dz, conj(y), name="Mul") if first else None
    return dx, raw_ops.Mul(dz, conj(x), name="Mul") if second else None


def multiply(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x * y`, element by element, broadcasting as NumPy does.

    Args:
        x: a tensor, or what can become one.
        y: a tensor of the same dtype; shapes broadcast.

    >>> tf.multiply([1, 2, 3], 10).numpy()
    array([10, 20, 30], dtype=int32)
    """
    return raw_ops.Mul(x, y, name=name or "Mul")


@op("MulNoNan", _TWO, T=_FLOATING, shape=broadcast)
def _mul_no_nan(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.where(y == 0, xp.zeros((), x.dtype), xp.multiply(x, y))


@RegisterGradient("MulNoNan", needs="x y")
def _mul_no_nan_grad(op: Any, dz: Tensor) -> Gradients:
    x, y = op.inputs
    return raw_ops.MulNoNan(dz, conj(y)), raw_ops.MulNoNan(conj(x), dz)


@scoped("multiply_no_nan", last=True)
def multiply_no_nan(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x * y`, but 0 wherever `y` is 0, even if `x` is infinite or no number.

    >>> tf.math.multiply_no_nan([np.nan, 2.0], [0.0, 3.0]).numpy()
    array([0., 6.], dtype=float32)
    """
    x = convert_to_tensor(x)
    return raw_ops.MulNoNan(x, convert_to_tensor(y, dtype=x.dtype), name=name)


@scoped("scalar_mul", last=True)
def scalar_mul(scalar: TensorLike, x: TensorLike, name: str | None = None) -> Any:
    """`x`, a tensor or slices, times a single number.

    >>> tf.scalar_mul(10.0, [1.0, 2.0]).numpy()
    array([10., 20.], dtype=float32)
    """
    if not isinstance(x, IndexedSlices):
        x = convert_to_tensor(x)
    scalar = convert_to_tensor(scalar, dtype=x.dtype, name="scalar")
    if scalar.shape.rank != 0:
        raise ValueError(f"scalar_mul: `scalar` must be one number, got shape {scalar.shape}.")
    if isinstance(x, IndexedSlices):
        return IndexedSlices(multiply(scalar, x.values, name), x.indices, x.dense_shape)
    return multiply(scalar, x, name)


def _one_shape(inputs: list[Array], **attrs: Any) -> None:
    for x in inputs[1:]:
        if x.shape != inputs[0].shape:
            raise bad_shape("AddN", want=f"have the shape {inputs[0].shape} of the first", inputs=x)


def _merged(inputs: list[Spec], *, op_name: str, **attrs: Any) -> Dims:
    shape = TensorShape(None)
    for spec in inputs:
        if not shape.is_compatible_with(spec.shape):
            raise bad_shape(op_name, want=f"all have the shape {shape}", inputs=spec)
        shape = shape.merge_with(spec.shape)
    return shape._dims


@op(
    "AddN",
    "inputs: N*T -> sum: T",
    N=at_least(1),
    T=NUMERIC | {dtypes.variant},
    shape=_merged,
    check=_one_shape,
    recompute=1,
)
def _add_n(xp: Namespace, inputs: list[Array]) -> Array:
    total = inputs[0]
    for x in inputs[1:]:
        total = total.plus(xp, x) if is_list(total) else xp.add(total, x)
    return total


@RegisterGradient("AddN", needs="", slices=True)
def _add_n_grad(op: Any, dy: Tensor) -> Gradients:
    return [dy] * len(op.inputs)


def add_n(inputs: Sequence[TensorLike], name: str | None = None) -> Tensor:
    """The sum of tensors of one shape and dtype; slices among them are made dense.

    Args:
        inputs: a list of tensors of one shape and dtype.

    >>> tf.add_n([[1.0, 2.0], [10.0, 20.0]]).numpy()
    array([11., 22.], dtype=float32)
    """
    if not hasattr(inputs, "__iter__"):
        raise TypeError(f"add_n: `inputs` must be a list of tensors, got {inputs!r}.")
    tensors = [convert_to_tensor(x) for x in inputs]
    if not tensors:
        raise ValueError("add_n: `inputs` must hold at least one tensor, got none.")
    if len(tensors) == 1:
        return raw_ops.Identity(tensors[0], name=name)
    return raw_ops.AddN(tensors, name=name)


@op(
    "AccumulateNV2",
    "inputs: N*T -> sum: T",
    N=at_least(1),
    T=NUMERIC,
    shape=_merged,
    check=_one_shape,
)
def _accumulate_n(xp: Namespace, inputs: list[Array], *, shape: TensorShape) -> Array:
    total = inputs[0]
    for x in inputs[1:]:
        total = xp.add(total, x)
    return total


@RegisterGradient("AccumulateNV2", needs="")
def _accumulate_n_grad(op: Any, dy: Tensor) -> Gradients:
    return [dy] * len(op.inputs)


def accumulate_n(
    inputs: Sequence[TensorLike],
    shape: ShapeLike = None,
    tensor_dtype: DTypeLike = None,
    name: str | None = None,
) -> Tensor:
    """The sum of tensors of one shape and dtype, as `shape` and `tensor_dtype` may state.

    >>> tf.math.accumulate_n([tf.constant([1.0, 2.0]), tf.constant([10.0, 20.0])]).numpy()
    array([11., 22.], dtype=float32)
    """
    if not isinstance(inputs, list | tuple) or not inputs:
        raise ValueError(f"accumulate_n: `inputs` must be a list of tensors, got {inputs!r}.")
    tensors = [convert_to_tensor(x) for x in inputs]
    if any(t.dtype is not tensors[0].dtype for t in tensors):
        raise ValueError("accumulate_n: all `inputs` must have one dtype.")
    if tensor_dtype is not None and tensors[0].dtype != tensor_dtype:
        found = tensors[0].dtype.name
        raise TypeError(f"accumulate_n: `tensor_dtype` is {tensor_dtype}, the inputs are {found}.")
    merged = TensorShape(shape)
    for tensor in tensors:
        merged = merged.merge_with(tensor.shape)
    return add_n(tensors, name)


@op("Neg", "x: T -> y: T", T=_SIGNED, shape=same, elementwise=True, self_inverse=True)
def _neg(xp: Namespace, x: Array) -> Array:
    return xp.negative(x)


@RegisterGradient("Neg", needs="", slices=True)
def _neg_grad(op: Any, dy: Tensor) -> Gradients:
    return -dy


def negative(x: TensorLike, name: str | None = None) -> Tensor:
    """`-x`.

    >>> tf.negative([1.0, -2.0]).numpy()
    array([-1.,  2.], dtype=float32)
    """
    if isinstance(x, SparseTensor):
        return on_values(negative, x, name)
    return raw_ops.Neg(x, name=name)


@op("Abs", "x: T -> y: T", T=SIGNED_INTS | FLOATS, shape=same, elementwise=True, scope="Abs")
def _abs(xp: Namespace, x: Array) -> Array:
    return xp.abs(x)


@RegisterGradient("Abs", needs="x")
def _abs_grad(op: Any, dy: Tensor) -> Gradients:
    return dy * raw_ops.Sign(op.inputs[0])


def abs(x: TensorLike, name: str | None = None) -> Tensor:
    """The absolute value; of complex numbers, a real tensor of their moduli.

    Args:
        x: a tensor, or what can become one.

    >>> tf.abs([-1.5, 2.0]).numpy()
    array([1.5, 2. ], dtype=float32)
    >>> tf.abs(tf.constant(3 + 4j)).numpy()
    np.float64(5.0)
    """
    if isinstance(x, SparseTensor):
        return on_values(abs, x, name)
    if not isinstance(x, Tensor):
        x = unread(x)
    if x.dtype.is_complex:
        return raw_ops.ComplexAbs(x, Tout=x.dtype.real_dtype, name=name)
    return raw_ops.Abs(x, name=name)


@op("Sign", "x: T -> y: T", T=_SIGNED, shape=same, heavy=read_in_place, elementwise=True)
def _sign(xp: Namespace, x: Array) -> Array:
    return xp.sign(x)


@RegisterGradient("Sign", needs="")
def _sign_grad(op: Any, dy: Tensor) -> Gradients:
    return zeros_as(dy)


def sign(x: TensorLike, name: str | None = None) -> Tensor:
    """-1, 0 or 1 by the sign of each element; `x / abs(x)` for complex numbers.

    >>> tf.sign([-3.0, 0.0, 7.0]).numpy()
    array([-1.,  0.,  1.], dtype=float32)
    """
    if isinstance(x, SparseTensor):
        return on_values(sign, x, name)
    return raw_ops.Sign(x, name=name)


@op("Square", "x: T -> y: T", T=NUMERIC, shape=same, elementwise=True)
def _square(xp: Namespace, x: Array) -> Array:
    return xp.multiply(x, x)


@RegisterGradient("Square", needs="x")
def _square_grad(op: Any, dy: Tensor) -> Gradients:
    x = conj(op.inputs[0])
    return raw_ops.Mul(dy, raw_ops.Mul(x, number_of(2.0, x.dtype), name="Mul"), name="Mul")  # type: ignore[no-any-return]


def square(x: TensorLike, name: str | None = None) -> Tensor:
    """`x * x`.

    >>> tf.square([-2, 3]).numpy()
    array([4, 9], dtype=int32)
    """
    if isinstance(x, SparseTensor):
        return on_values(square, x, name)
    return raw_ops.Square(x, name=name)


@op("SquaredDifference", _TWO, T=_FLOATING | {dtypes.int32, dtypes.int64}, **_ARITHMETIC)
def _squared_difference(xp: Namespace, x: Array, y: Array) -> Array:
    difference = xp.subtract(x, y)
    return xp.multiply(difference, xp.conj(difference))


@RegisterGradient("SquaredDifference", needs="x y")
def _squared_difference_grad(op: Any, dz: Tensor) -> Gradients:
    x, y = op.inputs
    twice = raw_ops.Mul(number_of(2.0, dz.dtype, "scalar"), dz, name="Mul")
    dx = twice * (x - y)
    return dx, -dx if wants_gradient(op, 1) else None


def squared_difference(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The square of `x - y`, element by element; its squared modulus for complex numbers.

    >>> tf.math.squared_difference([1.0, 2.0], 4.0).numpy()
    array([9., 4.], dtype=float32)
    """
    return raw_ops.SquaredDifference(x, y, name=name)


@op("Maximum", _TWO, **_EXTREME)
def _maximum(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.maximum(x, y)


@RegisterGradient("Maximum", needs="x y")
def _maximum_grad(op: Any, dz: Tensor) -> Gradients:
    return _split(op, dz, raw_ops.GreaterEqual)  # a tie's whole gradient goes to `x`


def _split(op: Any, dz: Tensor, compare: Any) -> Gradients:
    zero = zeros_as(dz)
    first = compare(*op.inputs)
    dx = raw_ops.SelectV2(first, dz, zero) if wants_gradient(op, 0) else None
    return dx, raw_ops.SelectV2(first, zero, dz) if wants_gradient(op, 1) else None


def maximum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The larger of `x` and `y`, element by element; no number if either is none.

    >>> tf.maximum([-2.0, 3.0], 0.0).numpy()
    array([0., 3.], dtype=float32)
    """
    return raw_ops.Maximum(x, y, name=name)


@op("Minimum", _TWO, **_EXTREME)
def _minimum(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.minimum(x, y)


@RegisterGradient("Minimum", needs="x y")
def _minimum_grad(op: Any, dz: Tensor) -> Gradients:
    return _split(op, dz, raw_ops.LessEqual)


def minimum(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The smaller of `x` and `y`, element by element; no number if either is none.

    >>> tf.minimum([-2.0, 3.0], 0.0).numpy()
    array([-2.,  0.], dtype=float32)
    """
    return raw_ops.Minimum(x, y, name=name)


@scoped("polyval")
def polyval(coeffs: list[TensorLike], x: TensorLike, name: str | None = None) -> Tensor:
    """The value at `x` of the polynomial with these coefficients, that of the highest power first.

    >>> tf.math.polyval([2.0, 0.0, 1.0], [0.0, 3.0]).numpy()
    array([ 1., 19.], dtype=float32)
    """
    if not isinstance(coeffs, list):
        raise ValueError(f"polyval: `coeffs` must be a list, got {type(coeffs).__name__}.")
    x = convert_to_tensor(x)
    if not coeffs:
        return raw_ops.ZerosLike(x, name=name)
    tensors = [convert_to_tensor(c) for c in coeffs]
    total = tensors[0]
    for coefficient in tensors[1:]:
        total = coefficient + total * x
    return total
