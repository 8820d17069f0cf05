"""Fourier transforms. The ops differ in how many axes they take: they are made in a row."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.tensor.convert import unread
from runnel.core.tensor.static import constant_value
from runnel.core.values.dtypes import COMPLEX, DType, complex64, complex128, float32, float64, int32
from runnel.core.values.errors import bad_shape, bad_value, tracing
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.ops.array.shaping import index_tensor
from runnel.ops.shapes import shape_of

_REALS = frozenset({float32, float64})


def _check_rank(op_name: str, input: Any, rank: int) -> None:
    dims = input.dims if isinstance(input, Spec) else input.shape
    if dims is not None and len(dims) < rank:
        raise bad_shape(op_name, want=f"have rank {rank} at least", input=input)


def _declare_complex(name: str, rank: int) -> None:
    """FFT, IFFT and their kin of two and three axes."""
    inverse = name.startswith("I")
    function = "ifftn" if inverse else "fftn"
    axes = tuple(range(-rank, 0))

    def shape(input: Spec) -> Dims:
        _check_rank(name, input, rank)
        return input.dims

    def kernel(xp: Namespace, input: Array) -> Array:
        _check_rank(name, input, rank)
        if not input.size:
            return input
        return getattr(xp.fft, function)(input, axes=axes).astype(input.dtype)

    def gradient(op: Any, dy: Tensor) -> Gradients:
        other = getattr(raw_ops, name[1:] if inverse else f"I{name}")(dy)
        size = _size(_tail(dy, rank), dy.dtype)
        return other / size if inverse else other * size

    signature = "input: Tcomplex -> output: Tcomplex"
    op(name, signature, Tcomplex=COMPLEX, shape=shape, heavy=True)(kernel)
    RegisterGradient(name, needs="")(gradient)


def _tail(x: Tensor, rank: int) -> Any:
    dims = x.shape[-rank:] if x.shape.rank is not None else x.shape
    known = dims.is_fully_defined()
    return np.array(dims.as_list(), np.int32) if known else shape_of(x)[-rank:]


def _size(shape: Any, dtype: DType) -> Any:
    """The product of a shape as a scalar of `dtype`."""
    if isinstance(shape, np.ndarray):
        return np.array(math.prod(shape.tolist()), dtype.np_dtype)
    return raw_ops.Cast(raw_ops.Prod(shape, np.int32(0)), DstT=dtype)


def _real_dims(
    op_name: str, input: Spec, fft_length: Spec, axes: Sequence[int], half: bool
) -> Dims:
    """The shape after a transform of `axes`; `half` if the last one keeps half its spectrum."""
    _check_rank(op_name, input, len(axes))
    if input.dims is None:
        return None
    lengths: list[Any] = [None] * len(axes)
    if fft_length.value is not None:
        lengths = _lengths(op_name, fft_length.value, len(axes))
    dims = list(input.dims)
    for axis, length in zip(axes, lengths):
        dims[axis] = length
    if half and lengths[-1] is not None:
        dims[axes[-1]] = _halved(lengths)[-1]
    return tuple(dims)


def _lengths(op_name: str, fft_length: np.ndarray, count: int) -> list[int]:
    if fft_length.shape != (count,):
        raise bad_shape(op_name, want=f"have shape ({count},)", fft_length=fft_length)
    if np.any(fft_length < 0):
        raise bad_value(op_name, want="not be negative", fft_length=fft_length)
    return fft_length.tolist()


def _check_precision(op_name: str, input: Array, result: DType) -> None:
    if (input.dtype in (np.float64, np.complex128)) != (result in (float64, complex128)):
        raise bad_value(op_name, want=f"have the precision of {result.name}", input=input)


def _halved(lengths: list[int]) -> list[int]:
    """The shape of half a spectrum; that of nothing is empty."""
    return [*lengths[:-1], lengths[-1] // 2 + 1 if lengths[-1] else 0]


def _declare_real(name: str, rank: int) -> None:
    """RFFT and IRFFT, and their kin of two and three axes: of the last axis half the spectrum."""
    inverse = name.startswith("I")
    axes = tuple(range(-rank, 0))

    def shape(input: Spec, fft_length: Spec, **attrs: Any) -> Dims:
        return _real_dims(name, input, fft_length, axes, not inverse)

    def forward(
        xp: Namespace, input: Array, fft_length: np.ndarray, *, Tcomplex: DType = complex64
    ) -> Array:
        _check_rank(name, input, rank)
        lengths = _lengths(name, fft_length, rank)
        _check_precision(name, input, Tcomplex)
        if 0 in lengths or not input.size:
            return xp.zeros((*input.shape[:-rank], *_halved(lengths)), Tcomplex.np_dtype)
        return xp.fft.rfftn(input, s=lengths, axes=axes).astype(Tcomplex.np_dtype)

    def backward(
        xp: Namespace, input: Array, fft_length: np.ndarray, *, Treal: DType = float32
    ) -> Array:
        _check_rank(name, input, rank)
        lengths = _lengths(name, fft_length, rank)
        _check_precision(name, input, Treal)
        if 0 in lengths or not input.size:
            return xp.zeros((*input.shape[:-rank], *lengths), Treal.np_dtype)
        return xp.fft.irfftn(input, s=lengths, axes=axes).astype(Treal.np_dtype)

    def gradient(op: Any, dy: Tensor) -> Gradients:
        x, fft_length = op.inputs
        length = shape_of(dy if inverse else x)[-1] if inverse else fft_length[-1]
        if inverse:
            found = getattr(raw_ops, name[1:])(dy, _tail(dy, rank), Tcomplex=x.dtype)
            found = found * _half_weights(length, x.dtype, 2.0)
            found = found / _size(_tail(dy, rank), x.dtype)
        else:
            weighted = dy * _half_weights(length, dy.dtype, 0.5)
            found = getattr(raw_ops, f"I{name}")(weighted, fft_length, Treal=x.dtype)
            found = found * _product(fft_length, x.dtype)
        return _fitted(found, x, rank), None

    options: Any = {"shape": shape, "static": ("fft_length",), "heavy": True}
    if inverse:
        signature = f"input: Tcomplex, fft_length: int32[1 of {rank}] -> output: Treal"
        op(name, signature, Tcomplex=COMPLEX, Treal=_REALS, **options)(backward)
    else:
        signature = f"input: Treal, fft_length: int32[1 of {rank}] -> output: Tcomplex"
        op(name, signature, Treal=_REALS, Tcomplex=COMPLEX, **options)(forward)
    if rank < 3:
        RegisterGradient(name, needs="fft_length")(gradient)


def _product(lengths: Tensor, dtype: DType) -> Tensor:
    return raw_ops.Cast(raw_ops.Prod(lengths, np.int32(0)), DstT=dtype)


def _half_weights(length: Any, dtype: DType, inside: float) -> Tensor:
    """`inside` for frequencies of which half a spectrum of `length` leaves out a twin, else 1."""
    length = convert_to_tensor(length, dtype=int32)
    places = raw_ops.Range(np.int32(0), length // 2 + 1, np.int32(1))
    alone = raw_ops.LogicalOr(raw_ops.Equal(places, np.int32(0)), raw_ops.Equal(places * 2, length))
    weights = raw_ops.SelectV2(alone, np.float64(1.0), np.float64(inside))
    return raw_ops.Cast(weights, DstT=dtype)


def _fitted(found: Tensor, x: Tensor, rank: int) -> Tensor:
    """`found` cut or padded with zeros to the shape of `x`: what a transform does to its input."""
    have, want = found.shape, x.shape
    if have.is_fully_defined() and want.is_fully_defined():
        if tuple(have) == tuple(want):
            return found
        sizes: Any = np.minimum(np.array(have), np.array(want)).astype(np.int32)
        begin = np.zeros(len(have), np.int32)
        missing: Any = np.stack([begin, np.array(want, np.int32) - sizes], axis=1)
    else:
        wanted = raw_ops.Shape(x)
        sizes = raw_ops.Minimum(raw_ops.Shape(found), wanted)
        begin = np.zeros(len(x.shape), np.int32)
        missing = raw_ops.Pack([begin, wanted - sizes], axis=1)
    return raw_ops.Pad(raw_ops.Slice(found, begin, sizes), missing)


for _count, _suffix in ((1, ""), (2, "2D"), (3, "3D")):
    _declare_complex(f"FFT{_suffix}", _count)
    _declare_complex(f"IFFT{_suffix}", _count)
    _declare_real(f"RFFT{_suffix}", _count)
    _declare_real(f"IRFFT{_suffix}", _count)


def _complex_input(x: TensorLike) -> Tensor:
    if isinstance(x, list | tuple):  # Python's complex numbers keep their precision there
        found = unread(x)
        if found.dtype.is_complex:
            return found  # type: ignore[no-any-return]
    return unread(x, dtype_hint=complex64)  # type: ignore[no-any-return]


def fft(input: TensorLike, name: str | None = None) -> Tensor:
    """The discrete Fourier transform of the last axis.

    >>> tf.signal.fft([1 + 0j, 0, 0, 0]).numpy().real
    array([1., 1., 1., 1.])
    """
    return raw_ops.FFT(_complex_input(input), name=name)


def ifft(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `tf.signal.fft`.

    >>> tf.signal.ifft([4 + 0j, 0, 0, 0]).numpy().real
    array([1., 1., 1., 1.])
    """
    return raw_ops.IFFT(_complex_input(input), name=name)


def fft2d(input: TensorLike, name: str | None = None) -> Tensor:
    """The discrete Fourier transform of the last two axes.

    >>> tf.signal.fft2d(tf.ones([2, 2], tf.complex64)).numpy().real
    array([[4., 0.],
           [0., 0.]], dtype=float32)
    """
    return raw_ops.FFT2D(_complex_input(input), name=name)


def ifft2d(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `tf.signal.fft2d`.

    >>> tf.signal.ifft2d(tf.ones([2, 2], tf.complex64)).numpy().real
    array([[1., 0.],
           [0., 0.]], dtype=float32)
    """
    return raw_ops.IFFT2D(_complex_input(input), name=name)


def fft3d(input: TensorLike, name: str | None = None) -> Tensor:
    """The discrete Fourier transform of the last three axes.

    >>> tf.signal.fft3d(tf.ones([1, 2, 2], tf.complex64)).numpy().real
    array([[[4., 0.],
            [0., 0.]]], dtype=float32)
    """
    return raw_ops.FFT3D(_complex_input(input), name=name)


def ifft3d(input: TensorLike, name: str | None = None) -> Tensor:
    """The inverse of `tf.signal.fft3d`.

    >>> tf.signal.ifft3d(tf.ones([1, 2, 2], tf.complex64)).numpy().real
    array([[[1., 0.],
            [0., 0.]]], dtype=float32)
    """
    return raw_ops.IFFT3D(_complex_input(input), name=name)


def _real_transform(
    name: str, x: TensorLike, fft_length: TensorLike, rank: int, label: str | None
) -> Tensor:
    x = convert_to_tensor(x, dtype_hint=float32)
    if x.dtype not in _REALS:
        raise ValueError(f"{name}: the input must be float32 or float64, got {x.dtype.name}.")
    if x.ndim is not None and x.ndim < rank:
        raise ValueError(f"{name}: the input must have rank {rank} at least, got {x.shape}.")
    if fft_length is None:
        fft_length = _tail(x, rank)
    dtype = complex64 if x.dtype is float32 else complex128
    return getattr(raw_ops, name)(x, _vector(fft_length), Tcomplex=dtype, name=label)


def _inverse_real_transform(
    name: str, x: TensorLike, fft_length: TensorLike, rank: int, label: str | None
) -> Tensor:
    x = convert_to_tensor(x, dtype_hint=complex64)
    if x.dtype not in COMPLEX:
        raise ValueError(f"{name}: the input must be complex64 or complex128, got {x.dtype.name}.")
    if x.ndim is not None and x.ndim < rank:
        raise ValueError(f"{name}: the input must have rank {rank} at least, got {x.shape}.")
    if fft_length is None:
        tail = _tail(x, rank)
        if isinstance(tail, np.ndarray):
            fft_length = np.array([*tail[:-1], max(0, 2 * (int(tail[-1]) - 1))], np.int32)
        else:
            last = raw_ops.Maximum(2 * (tail[-1:] - 1), np.zeros(1, np.int32))
            fft_length = raw_ops.ConcatV2([tail[:-1], last], np.int32(0))
    return getattr(raw_ops, name)(x, _vector(fft_length), Treal=x.dtype.real_dtype, name=label)


def _vector(fft_length: TensorLike) -> Tensor:
    if isinstance(fft_length, Tensor):
        lengths = fft_length
    else:
        lengths = convert_to_tensor(fft_length, dtype=int32)
    if lengths.ndim != 1 and lengths.ndim is not None:
        message = f"fft_length must be a list of lengths, one for each axis, got {lengths}."
        raise (ValueError if tracing() else TypeError)(message)
    known = constant_value(lengths)
    if known is not None and np.any(known < -1):
        raise ValueError(f"fft_length must not be negative, got {known.tolist()}.")
    return lengths


@scoped("rfft", last=True)
def rfft(
    input_tensor: TensorLike, fft_length: TensorLike = None, name: str | None = None
) -> Tensor:
    """The first half of the Fourier transform of real numbers; the other half mirrors it.

    The last axis is cut or padded with zeros to `fft_length`, a list of one number.

    >>> tf.signal.rfft([1.0, 0.0, 0.0, 0.0]).shape
    TensorShape([3])
    """
    return _real_transform("RFFT", input_tensor, fft_length, 1, name)


@scoped("irfft", last=True)
def irfft(
    input_tensor: TensorLike, fft_length: TensorLike = None, name: str | None = None
) -> Tensor:
    """The inverse of `tf.signal.rfft`, `fft_length` real numbers long.

    >>> tf.signal.irfft(tf.signal.rfft([1.0, 2.0, 3.0, 4.0])).numpy()
    array([1., 2., 3., 4.], dtype=float32)
    """
    return _inverse_real_transform("IRFFT", input_tensor, fft_length, 1, name)


@scoped("rfft2d", last=True)
def rfft2d(
    input_tensor: TensorLike, fft_length: TensorLike = None, name: str | None = None
) -> Tensor:
    """Half of the Fourier transform of the last two axes of real numbers.

    >>> tf.signal.rfft2d(tf.ones([2, 4])).shape
    TensorShape([2, 3])
    """
    return _real_transform("RFFT2D", input_tensor, fft_length, 2, name)


@scoped("irfft2d", last=True)
def irfft2d(
    input_tensor: TensorLike, fft_length: TensorLike = None, name: str | None = None
) -> Tensor:
    """The inverse of `tf.signal.rfft2d`.

    >>> tf.signal.irfft2d(tf.signal.rfft2d(tf.ones([2, 4]))).shape
    TensorShape([2, 4])
    """
    return _inverse_real_transform("IRFFT2D", input_tensor, fft_length, 2, name)


def rfft3d(
    input_tensor: TensorLike, fft_length: TensorLike = None, name: str | None = None
) -> Tensor:
    """Half of the Fourier transform of the last three axes of real numbers.

    >>> tf.signal.rfft3d(tf.ones([2, 2, 4])).shape
    TensorShape([2, 2, 3])
    """
    return _real_transform("RFFT3D", input_tensor, fft_length, 3, name)


def irfft3d(
    input_tensor: TensorLike, fft_length: TensorLike = None, name: str | None = None
) -> Tensor:
    """The inverse of `tf.signal.rfft3d`.

    >>> tf.signal.irfft3d(tf.signal.rfft3d(tf.ones([2, 2, 4]))).shape
    TensorShape([2, 2, 4])
    """
    return _inverse_real_transform("IRFFT3D", input_tensor, fft_length, 3, name)


@scoped("fftshift", last=True)
def fftshift(x: TensorLike, axes: TensorLike = None, name: str | None = None) -> Tensor:
    """`x` rolled so that the frequency zero stands in the middle of `axes`, or of all axes.

    >>> tf.signal.fftshift([0, 1, 2, -2, -1]).numpy()
    array([-2, -1,  0,  1,  2], dtype=int32)
    """
    x, axes = _shift_axes(x, axes)
    return raw_ops.Roll(x, raw_ops.GatherV2(raw_ops.Shape(x), axes, np.int32(0)) // 2, axes)


@scoped("ifftshift", last=True)
def ifftshift(x: TensorLike, axes: TensorLike = None, name: str | None = None) -> Tensor:
    """The inverse of `tf.signal.fftshift`.

    >>> tf.signal.ifftshift([-2, -1, 0, 1, 2]).numpy()
    array([ 0,  1,  2, -2, -1], dtype=int32)
    """
    x, axes = _shift_axes(x, axes)
    return raw_ops.Roll(x, -(raw_ops.GatherV2(raw_ops.Shape(x), axes, np.int32(0)) // 2), axes)


def _shift_axes(x: TensorLike, axes: TensorLike) -> tuple[Tensor, Tensor]:
    x = convert_to_tensor(x)
    if axes is None:
        rank = x.ndim
        axes = range(rank) if rank is not None else raw_ops.Range(0, raw_ops.Rank(x), 1)
    axes = index_tensor(list(axes) if isinstance(axes, range) else axes)
    if axes.ndim == 0:
        axes = raw_ops.ExpandDims(axes, np.int32(0))
    if not axes.dtype.is_integer:
        raise TypeError(f"fftshift: `axes` must be integers, got {axes.dtype.name}.")
    known, rank = constant_value(axes), x.ndim
    if known is not None and rank is not None and np.any((known < -rank) | (known >= rank)):
        raise bad_value("fftshift", want=f"be in [{-rank}, {rank})", axes=known)
    return x, raw_ops.FloorMod(axes, raw_ops.Cast(raw_ops.Rank(x), DstT=axes.dtype))
