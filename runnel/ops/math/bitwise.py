"""`tf.bitwise`: the bits of integers."""

from __future__ import annotations

import numpy as np

from runnel.core.extend import Tensor, no_gradient, op, raw_ops
from runnel.core.values.dtypes import INTS
from runnel.core.values.types import Array, Namespace, TensorLike
from runnel.ops.shapes import broadcast, same


@op("BitwiseAnd", "x: T, y: T -> z: T", T=INTS, shape=broadcast, elementwise=True)
def _bitwise_and(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.bitwise_and(x, y)


no_gradient("BitwiseAnd")


def bitwise_and(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits that are set in both `x` and `y`.

    >>> tf.bitwise.bitwise_and(0b1100, 0b1010).numpy()
    np.int32(8)
    """
    return raw_ops.BitwiseAnd(x, y, name=name)


@op("BitwiseOr", "x: T, y: T -> z: T", T=INTS, shape=broadcast, elementwise=True)
def _bitwise_or(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.bitwise_or(x, y)


no_gradient("BitwiseOr")


def bitwise_or(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits that are set in `x`, in `y` or in both.

    >>> tf.bitwise.bitwise_or(0b1100, 0b1010).numpy()
    np.int32(14)
    """
    return raw_ops.BitwiseOr(x, y, name=name)


@op("BitwiseXor", "x: T, y: T -> z: T", T=INTS, shape=broadcast, elementwise=True)
def _bitwise_xor(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.bitwise_xor(x, y)


no_gradient("BitwiseXor")


def bitwise_xor(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits that are set in exactly one of `x` and `y`.

    >>> tf.bitwise.bitwise_xor(0b1100, 0b1010).numpy()
    np.int32(6)
    """
    return raw_ops.BitwiseXor(x, y, name=name)


@op("Invert", "x: T -> y: T", T=INTS, shape=same, elementwise=True, self_inverse=True)
def _invert(xp: Namespace, x: Array) -> Array:
    return xp.invert(x)


no_gradient("Invert")


def invert(x: TensorLike, name: str | None = None) -> Tensor:
    """Every bit of `x` flipped.

    >>> tf.bitwise.invert([0, 5]).numpy()
    array([-1, -6], dtype=int32)
    """
    return raw_ops.Invert(x, name=name)


def _places(xp: Namespace, y: Array) -> Array:
    """By how much to shift: not at all for negative numbers, by all bits but one at most."""
    return xp.clip(y, np.asarray(0, y.dtype), np.asarray(8 * y.dtype.itemsize - 1, y.dtype))


@op("LeftShift", "x: T, y: T -> z: T", T=INTS, shape=broadcast)
def _left_shift(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.left_shift(x, _places(xp, y))


no_gradient("LeftShift")


def left_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits of `x` moved up by `y` places.

    >>> tf.bitwise.left_shift([1, 5], [3, 1]).numpy()
    array([ 8, 10], dtype=int32)
    """
    return raw_ops.LeftShift(x, y, name=name)


@op("RightShift", "x: T, y: T -> z: T", T=INTS, shape=broadcast)
def _right_shift(xp: Namespace, x: Array, y: Array) -> Array:
    return xp.right_shift(x, _places(xp, y))


no_gradient("RightShift")


def right_shift(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """The bits of `x` moved down by `y` places; a negative number stays negative.

    >>> tf.bitwise.right_shift([9, -9], 1).numpy()
    array([ 4, -5], dtype=int32)
    """
    return raw_ops.RightShift(x, y, name=name)


@op("PopulationCount", "x: T -> y: uint8", T=INTS, shape=same)
def _population_count(xp: Namespace, x: Array) -> Array:
    unsigned = x.astype(np.dtype(f"u{x.dtype.itemsize}"))
    return xp.bitwise_count(unsigned).astype(np.uint8)


no_gradient("PopulationCount")
