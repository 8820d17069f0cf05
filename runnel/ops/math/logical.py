"""Logic on booleans."""

from __future__ import annotations

from runnel.core.extend import Tensor, no_gradient, op, raw_ops
from runnel.core.values.types import Array, Namespace, TensorLike
from runnel.ops.shapes import broadcast, same


@op("LogicalAnd", "x: bool, y: bool -> z: bool", shape=broadcast, elementwise=True)
def _logical_and(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.logical_and(x, y)


no_gradient("LogicalAnd")


def logical_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether both `x` and `y` are true.

    >>> tf.logical_and([True, True], [True, False]).numpy()
    array([ True, False])
    """
    return raw_ops.LogicalAnd(x, y, name=name)


@op("LogicalOr", "x: bool, y: bool -> z: bool", shape=broadcast, elementwise=True)
def _logical_or(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.logical_or(x, y)


no_gradient("LogicalOr")


def logical_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """Whether `x`, `y` or both are true.

    >>> tf.logical_or([True, False], [False, False]).numpy()
    array([ True, False])
    """
    return raw_ops.LogicalOr(x, y, name=name)


@op("LogicalNot", "x: bool -> y: bool", shape=same, elementwise=True, self_inverse=True)
def _logical_not(xp: Namespace, x: Array) -> Array:
    return xp.logical_not(x)


no_gradient("LogicalNot")


def logical_not(x: TensorLike, name: str | None = None) -> Tensor:
    """Whether `x` is false.

    >>> tf.logical_not([True, False]).numpy()
    array([False,  True])
    """
    return raw_ops.LogicalNot(x, name=name)


def logical_xor(x: TensorLike, y: TensorLike, name: str | None = "LogicalXor") -> Tensor:
    """Whether exactly one of `x` and `y` is true.

    >>> tf.math.logical_xor([True, True], [True, False]).numpy()
    array([False,  True])
    """
    return logical_and(logical_or(x, y), logical_not(logical_and(x, y)), name=name)
