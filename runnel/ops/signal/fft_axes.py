"""Fourier transforms of any axes: `tf.signal.fftnd` and its kin."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, op, raw_ops
from runnel.core.tensor.static import constant_value
from runnel.core.values.dtypes import COMPLEX, DType, complex64, complex128, float32, float64, int32
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Namespace, Spec, TensorLike
from runnel.ops.shapes import shape_of

_REAL = frozenset({float32, float64})


def _checked(op_name: str, rank: int, fft_length: Any, axes: Any) -> tuple[list[int], list[int]]:
    """Lengths and axes (counted from the front) as lists."""
    lengths, places = np.ravel(fft_length).tolist(), np.ravel(axes).tolist()
    if len(lengths) != len(places):
        raise bad_shape(op_name, want=f"have shape ({len(places)},)", fft_length=fft_length)
    for axis in places:
        if not -rank <= axis < rank:
            raise bad_value(op_name, want=f"be in [{-rank}, {rank})", axes=axis)
    if any(length < 0 for length in lengths):
        raise bad_value(op_name, want="not be negative", fft_length=lengths)
    places = [axis % rank for axis in places]
    if len(set(places)) != len(places):
        raise bad_value(op_name, want="name each axis once", axes=places)
    return lengths, places


def _declare(name: str) -> None:
    function = name.lower().replace("nd", "n")
    inverse, real = name.startswith("I"), "R" in name

    def shape(input: Spec, fft_length: Spec, axes: Spec, **attrs: Any) -> Dims:
        if input.dims is None:
            return None
        if fft_length.value is None or axes.value is None:
            return (None,) * len(input.dims)
        lengths, places = _checked(name, len(input.dims), fft_length.value, axes.value)
        dims = list(input.dims)
        for axis, length in zip(places, lengths):
            dims[axis] = length
        if real and not inverse:
            dims[places[-1]] = lengths[-1] // 2 + 1
        return tuple(dims)

    def transform(
        xp: Namespace, input: Array, fft_length: Array, axes: Array, dtype: np.dtype
    ) -> Array:
        lengths, places = _checked(name, input.ndim, fft_length, axes)
        return getattr(xp.fft, function)(input, s=lengths, axes=places).astype(dtype)

    def plain(xp: Namespace, input: Array, fft_length: np.ndarray, axes: np.ndarray) -> Array:
        return transform(xp, input, fft_length, axes, input.dtype)

    def to_complex(
        xp: Namespace,
        input: Array,
        fft_length: np.ndarray,
        axes: np.ndarray,
        *,
        Tcomplex: DType = complex64,
    ) -> Array:
        return transform(xp, input, fft_length, axes, Tcomplex.np_dtype)

    def to_real(
        xp: Namespace,
        input: Array,
        fft_length: np.ndarray,
        axes: np.ndarray,
        *,
        Treal: DType = float32,
    ) -> Array:
        return transform(xp, input, fft_length, axes, Treal.np_dtype)

    options: Any = {"shape": shape, "static": ("fft_length", "axes"), "heavy": True}
    inputs = "fft_length: int32, axes: int32"
    if not real:
        signature = f"input: Tcomplex[1+], {inputs} -> output: Tcomplex"
        op(name, signature, Tcomplex=COMPLEX, **options)(plain)
    elif inverse:
        signature = f"input: Tcomplex[1+], {inputs} -> output: Treal"
        op(name, signature, Tcomplex=COMPLEX, Treal=_REAL, **options)(to_real)
    else:
        signature = f"input: Treal[1+], {inputs} -> output: Tcomplex"
        op(name, signature, Treal=_REAL, Tcomplex=COMPLEX, **options)(to_complex)


for _name in ("FFTND", "IFFTND", "RFFTND", "IRFFTND"):
    _declare(_name)


def _arguments(x: Tensor, fft_length: Any, axes: Any, *, half: bool = False) -> tuple[Any, Any]:
    """Lengths and axes where they are left out: all axes, as long as they are."""
    rank = len(x.shape)
    if axes is None:
        count = rank if fft_length is None else len(fft_length)
        axes = list(range(-count, 0))
    axes = _indices(axes)
    if axes.shape.rank == 1 and axes.shape[0] is not None and axes.shape[0] > rank:
        raise ValueError(f"`input_tensor` must have rank {axes.shape[0]}, got shape {x.shape}.")
    if fft_length is None:
        fft_length = raw_ops.GatherV2(shape_of(x), raw_ops.FloorMod(axes, rank), np.int32(0))
        if half:
            last = raw_ops.Maximum(2 * (fft_length[-1:] - 1), np.zeros(1, np.int32))
            fft_length = raw_ops.ConcatV2([fft_length[:-1], last], np.int32(0))
    lengths = _indices(fft_length)
    known = constant_value(lengths)
    if known is not None and known.dtype.kind == "i" and np.any(known < -1):
        raise ValueError(f"`fft_length` must not be negative, got {known.tolist()}.")
    return lengths, axes


def _indices(value: TensorLike) -> Tensor:
    return value if isinstance(value, Tensor) else convert_to_tensor(value, int32)


def _scaled(op_name: str, x: Tensor, lengths: Tensor, norm: str | None, *, inverse: bool) -> Tensor:
    """`x` in the scale of `norm`: the transform back is divided by the size, unless it says so."""
    if norm in (None, "backward"):
        return x
    if norm not in ("forward", "ortho"):
        raise ValueError(
            f"{op_name}: `norm` must be None, 'backward', 'forward' or 'ortho', got {norm!r}."
        )
    size = raw_ops.Cast(raw_ops.Prod(lengths, np.int32(0)), DstT=x.dtype)
    factor = raw_ops.Sqrt(size) if norm == "ortho" else size
    return x * factor if inverse else x / factor


def fftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike = None,
    axes: TensorLike = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The discrete Fourier transform of `axes`, each cut or padded to its `fft_length`.

    >>> tf.signal.fftnd(tf.ones([2, 2], tf.complex64), axes=[0]).numpy().real
    array([[2., 2.],
           [0., 0.]], dtype=float32)
    """
    x = convert_to_tensor(input_tensor, dtype_hint=complex64)
    lengths, axes = _arguments(x, fft_length, axes)
    return _scaled(
        "fftnd", raw_ops.FFTND(x, lengths, axes, name=name), lengths, norm, inverse=False
    )


def ifftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike = None,
    axes: TensorLike = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of `tf.signal.fftnd`.

    >>> tf.signal.ifftnd(tf.ones([2, 2], tf.complex64), axes=[0]).numpy().real
    array([[1., 1.],
           [0., 0.]], dtype=float32)
    """
    x = convert_to_tensor(input_tensor, dtype_hint=complex64)
    lengths, axes = _arguments(x, fft_length, axes)
    found = raw_ops.IFFTND(x, lengths, axes, name=name)
    return _scaled("ifftnd", found, lengths, norm, inverse=True)


def rfftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike = None,
    axes: TensorLike = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The Fourier transform of `axes` of real numbers, of the last one half the spectrum.

    >>> tf.signal.rfftnd(tf.ones([2, 4])).shape
    TensorShape([2, 3])
    """
    x = convert_to_tensor(input_tensor, dtype_hint=float32)
    if x.dtype not in (float32, float64):
        raise ValueError(f"rfftnd: `input_tensor` must hold floats, got {x.dtype.name}.")
    lengths, axes = _arguments(x, fft_length, axes)
    dtype = complex128 if x.dtype is float64 else complex64
    found = raw_ops.RFFTND(x, lengths, axes, Tcomplex=dtype, name=name)
    return _scaled("rfftnd", found, lengths, norm, inverse=False)


def irfftnd(
    input_tensor: TensorLike,
    fft_length: TensorLike = None,
    axes: TensorLike = None,
    norm: str | None = None,
    name: str | None = None,
) -> Tensor:
    """The inverse of `tf.signal.rfftnd`.

    >>> tf.signal.irfftnd(tf.signal.rfftnd(tf.ones([2, 4]))).numpy()
    array([[1., 1., 1., 1.],
           [1., 1., 1., 1.]], dtype=float32)
    """
    x = convert_to_tensor(input_tensor, dtype_hint=complex64)
    lengths, axes = _arguments(x, fft_length, axes, half=True)
    found = raw_ops.IRFFTND(x, lengths, axes, Treal=x.dtype.real_dtype, name=name)
    return _scaled("irfftnd", found, lengths, norm, inverse=True)
