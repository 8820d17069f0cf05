"""Complex numbers: made of two real tensors and taken apart again."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops
from runnel.core.tensor.convert import unread
from runnel.core.values import dtypes
from runnel.core.values.dtypes import COMPLEX, DType
from runnel.core.values.types import Array, Gradients, Namespace, TensorLike
from runnel.kernels.arrays import joined_parts
from runnel.ops.shapes import broadcast, same

_PARTS = frozenset({dtypes.float32, dtypes.float64})


@op(
    "Complex",
    "real: T=float32, imag: T -> out: Tout",
    T=_PARTS,
    Tout=COMPLEX,
    shape=broadcast,
    scope="Complex",
)
def _complex(xp: Namespace, real: Array, imag: Array, *, Tout: DType = dtypes.complex64) -> Array:
    return joined_parts(xp, real, imag).astype(Tout.np_dtype)


@RegisterGradient("Complex", needs="")
def _complex_grad(op: Any, dz: Tensor) -> Gradients:
    return real(dz), imag(dz)


def complex(real: TensorLike, imag: TensorLike, name: str | None = None) -> Tensor:
    """The complex numbers with the given real and imaginary parts, both float32 or both float64.

    >>> tf.complex([1.0, 2.0], [3.0, -4.0]).numpy()
    array([1.+3.j, 2.-4.j], dtype=complex64)
    """
    real, imag = convert_to_tensor(real), convert_to_tensor(imag)
    if real.dtype is not imag.dtype or real.dtype not in _PARTS:
        raise TypeError(
            "tf.complex: `real` and `imag` must both be float32 or both float64, got "
            f"{real.dtype.name} and {imag.dtype.name}."
        )
    wide = dtypes.complex64 if real.dtype is dtypes.float32 else dtypes.complex128
    return raw_ops.Complex(real, imag, Tout=wide, name=name)


@op("Real", "input: T=complex64 -> output: Tout", T=COMPLEX, Tout=_PARTS, shape=same)
def _real(xp: Namespace, input: Array, *, Tout: DType = dtypes.float32) -> Array:
    return xp.real(input).astype(Tout.np_dtype)


@RegisterGradient("Real", needs="")
def _real_grad(op: Any, dy: Tensor) -> Gradients:
    return complex(dy, raw_ops.ZerosLike(dy))


def real(input: TensorLike, name: str | None = None) -> Tensor:
    """The real part; of a real tensor, itself.

    >>> tf.math.real(tf.constant([1 + 2j])).numpy()
    array([1.])
    """
    input = unread(input)
    if input.dtype.is_complex:
        return raw_ops.Real(input, Tout=input.dtype.real_dtype, name=name)
    if input.dtype.is_numeric:
        return convert_to_tensor(input)
    raise TypeError(f"tf.math.real: `input` must be numeric, got dtype {input.dtype.name}.")


@op("Imag", "input: T=complex64 -> output: Tout", T=COMPLEX, Tout=_PARTS, shape=same)
def _imag(xp: Namespace, input: Array, *, Tout: DType = dtypes.float32) -> Array:
    return xp.imag(input).astype(Tout.np_dtype)


@RegisterGradient("Imag", needs="")
def _imag_grad(op: Any, dy: Tensor) -> Gradients:
    return complex(raw_ops.ZerosLike(dy), dy)


def imag(input: TensorLike, name: str | None = None) -> Tensor:
    """The imaginary part; zeros for a real tensor.

    >>> tf.math.imag(tf.constant([1 + 2j])).numpy()
    array([2.])
    """
    input = unread(input)
    if input.dtype.is_complex:
        return raw_ops.Imag(input, Tout=input.dtype.real_dtype, name=name)
    return raw_ops.ZerosLike(input, name=name)


@op(
    "Conj",
    "input: T=complex64 -> output: T",
    T=COMPLEX | {dtypes.variant},
    shape=same,
    self_inverse=True,
)
def _conj(xp: Namespace, input: Array) -> Array:
    return xp.conj(input)


@RegisterGradient("Conj", needs="")
def _conj_grad(op: Any, dy: Tensor) -> Gradients:
    return conj(dy)


def conj(x: TensorLike, name: str | None = None) -> Tensor:
    """The complex conjugate; of a real tensor, itself.

    >>> tf.math.conj(tf.constant([1 + 2j])).numpy()
    array([1.-2.j])
    """
    if not isinstance(x, Tensor):
        x = unread(x)
    if x.dtype.is_complex:
        return raw_ops.Conj(x, name=name)
    if x.dtype.is_numeric or x.dtype is dtypes.variant:
        return convert_to_tensor(x)
    raise TypeError(f"tf.math.conj: `x` must be numeric, got dtype {x.dtype.name}.")


@op("Angle", "input: T=complex64 -> output: Tout", T=COMPLEX, Tout=_PARTS, shape=same)
def _angle(xp: Namespace, input: Array, *, Tout: DType = dtypes.float32) -> Array:
    return xp.angle(input).astype(Tout.np_dtype)


@RegisterGradient("Angle", needs="input")
def _angle_grad(op: Any, dy: Tensor) -> Gradients:
    (x,) = op.inputs
    inverse = raw_ops.Reciprocal(complex(imag(x), real(x)))
    return -complex(dy, raw_ops.ZerosLike(dy)) * inverse


def angle(input: TensorLike, name: str | None = None) -> Tensor:
    """The argument of complex numbers, in radians; 0 or pi for real ones.

    >>> tf.math.angle(tf.constant([1j, -1j])).numpy().round(3)
    array([ 1.571, -1.571])
    """
    input = unread(input)
    if input.dtype.is_complex:
        return raw_ops.Angle(input, Tout=input.dtype.real_dtype, name=name)
    half_turn = convert_to_tensor(np.pi, dtype=input.dtype)
    negative = raw_ops.Less(input, raw_ops.ZerosLike(input))
    return raw_ops.SelectV2(negative, half_turn, raw_ops.ZerosLike(input), name=name)


@op("ComplexAbs", "x: T=complex64 -> y: Tout", T=COMPLEX, Tout=_PARTS, shape=same)
def _complex_abs(xp: Namespace, x: Array, *, Tout: DType = dtypes.float32) -> Array:
    return xp.abs(x).astype(Tout.np_dtype)


@RegisterGradient("ComplexAbs", needs="x outputs")
def _complex_abs_grad(op: Any, dy: Tensor) -> Gradients:
    zero = raw_ops.ZerosLike(dy)
    return raw_ops.DivNoNan(complex(dy, zero) * op.inputs[0], complex(op.outputs[0], zero))
