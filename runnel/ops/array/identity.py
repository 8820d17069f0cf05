"""Ops that hand a value on: identities, barriers for gradients, checks, bits of another type."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.composite.extension_type import ExtensionType
from runnel.core.composite.sparse_tensor import SparseTensor, on_values
from runnel.core.extend import RegisterGradient, Tensor, no_gradient, op, raw_ops
from runnel.core.state.module import Module
from runnel.core.tensor.convert import convert_to_tensor as converted
from runnel.core.tensor.convert import operand
from runnel.core.tensor.tensor import EagerTensor
from runnel.core.values import nest
from runnel.core.values.dtypes import (
    FLOATS,
    NUMERIC,
    DType,
    as_dtype,
    qint8,
    qint16,
    qint32,
    quint8,
    quint16,
)
from runnel.core.values.errors import bad_shape, invalid
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TypeSpec
from runnel.core.values.types import Array, Dims, DTypeLike, Gradients, Namespace, Spec, TensorLike
from runnel.kernels.arrays import bitcast_flat
from runnel.ops.choices import at_least
from runnel.ops.guards import FINITE
from runnel.ops.shapes import same

BITS = NUMERIC | {qint8, quint8, qint16, quint16, qint32}


@op("Identity", "input: T -> output: T", shape=same, moves=True, elementwise=True, identity=True)
def _identity(xp: Namespace, input: Array) -> Array:
    return input


@RegisterGradient("Identity", needs="", slices=True)
def _identity_grad(op: Any, dy: Tensor) -> Gradients:
    return dy


def _fitting(input: Spec, *, shape: TensorShape, op_name: str) -> Dims:
    if not TensorShape(input.dims).is_compatible_with(shape):
        raise bad_shape(op_name, input=input, want=f"be compatible with shape {shape}")
    return shape._dims


@op("PlaceholderWithDefault", "input: dtype -> output: dtype", shape=_fitting, fed=True)
def _placeholder_with_default(xp: Namespace, input: Array, *, shape: TensorShape) -> Array:
    return input


@RegisterGradient("PlaceholderWithDefault", needs="", slices=True)
def _placeholder_with_default_grad(op: Any, dy: Tensor) -> Gradients:
    return dy


def convert_to_tensor(
    value: TensorLike,
    dtype: DTypeLike = None,
    dtype_hint: DTypeLike = None,
    name: str | None = None,
) -> Tensor:
    """`value` as a tensor: numbers, nested lists, NumPy arrays, variables, tensors themselves.

    Args:
        value: the value, or what can become it.
        dtype: the dtype that is demanded.
        dtype_hint: a dtype to be taken if the value can have it.

    Raises:
        TypeError: there is no way from the value to a tensor, or not of this dtype.

    >>> tf.convert_to_tensor([[1, 2], [3, 4]]).shape
    TensorShape([2, 2])
    """
    return converted(value, dtype, dtype_hint, name)


def identity(input: TensorLike, name: str | None = None) -> Tensor:
    """A tensor with the value of `input`; of a variable, the value it has now.

    >>> v = tf.Variable(1.0)
    >>> before = tf.identity(v)
    >>> _ = v.assign(5.0)
    >>> before.numpy()
    np.float32(1.0)
    """
    if hasattr(type(input), "_type_spec") and not hasattr(input, "_dtype"):
        return nest.map_structure(identity, input, expand_composites=True)  # type: ignore[no-any-return]
    return raw_ops.Identity(operand(input), name=name)  # type: ignore[no-any-return]


def _same_list(input: list[Spec], **attrs: Any) -> list[Any]:
    return [[spec.dims for spec in input]]


@op("IdentityN", "input: *T -> output: *T", T=at_least(1), shape=_same_list, identity=True)
def _identity_n(xp: Namespace, input: list[Array]) -> list[Array]:
    return list(input)


@RegisterGradient("IdentityN", needs="", slices=True)
def _identity_n_grad(op: Any, *dys: Tensor) -> Gradients:
    return dys


def identity_n(input: Sequence[TensorLike], name: str | None = None) -> list[Tensor]:
    """The values of several tensors, handed on by one op.

    >>> [t.numpy() for t in tf.identity_n([1, 2.5])]
    [np.int32(1), np.float32(2.5)]
    """
    return raw_ops.IdentityN(input, name=name)  # type: ignore[no-any-return]


@op("StopGradient", "input: T -> output: T", shape=same, elementwise=True, identity=True)
def _stop_gradient(xp: Namespace, input: Array) -> Array:
    return input


no_gradient("StopGradient")


def stop_gradient(input: TensorLike, name: str | None = None) -> Tensor:
    """The value of `input`, as a constant to every tape: no gradient flows back through it.

    >>> x = tf.Variable(3.0)
    >>> with tf.GradientTape() as tape:
    ...     y = x * tf.stop_gradient(x)
    >>> tape.gradient(y, x).numpy()
    np.float32(3.0)
    """
    if isinstance(input, SparseTensor):
        return on_values(stop_gradient, input, name)  # type: ignore[no-any-return]
    if hasattr(type(input), "_type_spec") and not hasattr(input, "_dtype"):
        return nest.map_structure(stop_gradient, input, expand_composites=True)  # type: ignore[no-any-return]
    return raw_ops.StopGradient(input, name=name)  # type: ignore[no-any-return]


@op("PreventGradient", "input: T -> output: T", shape=same, identity=True)
def _prevent_gradient(xp: Namespace, input: Array, *, message: str = "") -> Array:
    return input


@RegisterGradient("PreventGradient", needs="")
def _prevent_gradient_grad(op: Any, dy: Tensor) -> Gradients:
    raise LookupError(
        f"A gradient was asked for where PreventGradient forbids it: {op.attrs['message']}"
    )


@op("Snapshot", "input: T -> output: T", shape=same, identity=True)
def _snapshot(xp: Namespace, input: Array) -> Array:
    return input


@op("DebugGradientIdentity", "input: T -> output: T", shape=same)
def _debug_gradient_identity(xp: Namespace, input: Array) -> Array:
    return input


@RegisterGradient("DebugGradientIdentity", needs="")
def _debug_gradient_identity_grad(op: Any, dy: Tensor) -> Gradients:
    return dy


@op("DeepCopy", "x: T -> y: T", shape=same, stateful=True)
def _deep_copy(xp: Namespace, x: Array) -> Array:
    return xp.array(x)


@op("GuaranteeConst", "input: T -> output: T", shape=same, stateful=True)
def _guarantee_const(xp: Namespace, input: Array) -> Array:
    return input


def guarantee_const(input: TensorLike, name: str | None = None) -> Tensor:
    """The value of `input`, with the caller's word that it never changes.

    >>> tf.guarantee_const([1, 2]).numpy()
    array([1, 2], dtype=int32)
    """
    return raw_ops.GuaranteeConst(input, name=name)  # type: ignore[no-any-return]


def _check_finite(tensor: Array, *, message: str) -> None:
    if not np.all(np.isfinite(tensor)):
        found = " and ".join(
            name for name, test in (("Inf", np.isinf), ("NaN", np.isnan)) if np.any(test(tensor))
        )
        raise invalid(f"{message} : Tensor had {found} values [Op:CheckNumerics]")


_CHECKED: Any = {
    "T": FLOATS,
    "check": _check_finite,
    "diagnostic": True,
    "guard": FINITE,
    "shape": same,
    "stateful": True,
    "watched": 0,
}


@op("CheckNumerics", "tensor: T -> output: T", **_CHECKED)
def _check_numerics(xp: Namespace, tensor: Array, *, message: str) -> Array:
    return tensor


@op("CheckNumericsV2", "tensor: T -> output: T", **_CHECKED)
def _check_numerics_again(xp: Namespace, tensor: Array, *, message: str) -> Array:
    return tensor


@RegisterGradient("CheckNumerics", needs="")
@RegisterGradient("CheckNumericsV2", needs="")
def _check_numerics_grad(op: Any, dy: Tensor) -> Gradients:
    message = "Not a number (NaN) or infinity (Inf) values detected in gradient."
    return raw_ops.CheckNumerics(dy, message=message)  # type: ignore[no-any-return]


def _bitcast_shape(input: Spec, *, type: DType) -> Dims:
    if input.dims is None or input.dtype.size == type.size:
        return input.dims
    if input.dtype.size > type.size:
        return (*input.dims, input.dtype.size // type.size)
    if not input.dims or input.dims[-1] not in (None, type.size // input.dtype.size):
        want = f"end in a dimension of {type.size // input.dtype.size} to become {type.name}"
        raise bad_shape("Bitcast", want=want, input=input)
    return input.dims[:-1]


@op("Bitcast", "input: T -> output: type", T=BITS, type=BITS, shape=_bitcast_shape)
def _bitcast(xp: Namespace, input: Array, *, type: DType) -> Array:
    shape = _bitcast_shape(Spec(input.shape, as_dtype(np.dtype(input.dtype))), type=type)
    return bitcast_flat(xp, input, type.np_dtype).reshape(shape)


def bitcast(input: TensorLike, type: DTypeLike, name: str | None = None) -> Tensor:
    """The same bits read as another dtype; a narrower one adds a dimension at the end.

    >>> tf.bitcast(1.0, tf.uint32).numpy() == 0x3F800000
    np.True_
    """
    return raw_ops.Bitcast(input, type=type, name=name)  # type: ignore[no-any-return]


def is_tensor(x: Any) -> bool:
    """Whether `x` is a tensor, a variable or another object that ops take as one.

    >>> tf.is_tensor(tf.constant(1)), tf.is_tensor([1])
    (True, False)
    """
    if isinstance(x, type | TypeSpec):  # these have the attributes of tensors
        return False
    if isinstance(x, ExtensionType | Module):
        return getattr(x, "is_tensor_like", False)
    return (hasattr(x, "_dtype") and hasattr(x, "shape")) or hasattr(x, "_type_spec")


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value of a tensor where it is known without running its graph, else None.

    With `partial`, a stack of which only some elements are known holds None for the others.

    >>> tf.get_static_value(tf.constant([1, 2]))
    array([1, 2], dtype=int32)
    """
    if isinstance(tensor, EagerTensor):
        return tensor.numpy()
    if hasattr(tensor, "_type_spec") and not hasattr(tensor, "_dtype"):
        return None
    if not hasattr(tensor, "_dtype"):
        return tensor
    if not hasattr(tensor, "constant_value"):
        return None
    return tensor.partial_value() if partial else tensor.constant_value()
