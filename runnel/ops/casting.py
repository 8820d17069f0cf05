"""From one dtype to another: `tf.cast` and `tf.saturate_cast`."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core import dtypes
from runnel.core.convert import convert_to_tensor
from runnel.core.dtypes import COMPLEX, FLOATS, DType, as_dtype
from runnel.core.errors import UnimplementedError
from runnel.core.indexed_slices import IndexedSlices
from runnel.core.op import op
from runnel.core.raw import raw_ops
from runnel.core.registry import RegisterGradient
from runnel.core.tensor import Tensor
from runnel.core.types import Array, DTypeLike, Gradients, Namespace, TensorLike
from runnel.ops.clipping import clip_by_value
from runnel.ops.complex import complex, imag, real
from runnel.ops.shapes import same

_NO_NUMBERS = (dtypes.string, dtypes.resource, dtypes.variant)


def _castable(x: Array, *, DstT: DType, **attrs: Any) -> None:
    found = getattr(x, "dtype", np.dtype(object))
    if found.kind == "O" or DstT in _NO_NUMBERS:
        source = "string" if found.kind == "O" else found.name
        message = f"Cast {source} to {DstT.name} is not supported. [Op:Cast]"
        raise UnimplementedError(None, None, message)


@op("Cast", "x: SrcT -> y: DstT", shape=same, check=_castable)
def _cast(xp: Namespace, x: Array, *, DstT: DType, Truncate: bool = False) -> Array:
    target = DstT.np_dtype
    if DstT.is_quantized:
        return _quantized(x, target)
    if x.dtype.fields:
        x = x.view(x.dtype[0])
    if x.dtype.kind == "c" and target.kind != "c":
        x = xp.real(x)
    if DstT.is_integer and x.dtype.kind not in "biu" and DstT.size and target.kind in "iu":
        return float_to_int(xp, x, target)
    return x.astype(target)


def _quantized(x: Array, target: np.dtype) -> Array:
    return x.astype(target[0]).view(target)


def float_to_int(xp: Namespace, x: Array, target: np.dtype) -> Array:
    """Floats cut to integers as an x86 processor does it, whatever this one does.

    Numbers are converted to 32 bits (64 where the target needs them); one that is too large, or no
    number, becomes the lowest integer. A narrower or unsigned target takes the low bits of that.
    """
    if x.dtype.itemsize == 2:
        x = x.astype(np.float32)
    wide = np.dtype(np.int32 if target.itemsize < 4 or target == np.int32 else np.int64)
    if target == np.uint64:
        upper = (x >= 2.0**63) & (x < 2.0**64)
        cut = _within(xp, xp.where(upper, x - np.asarray(2.0**63, x.dtype), x), wide)
        return xp.where(upper, cut ^ np.int64(-(2**63)), cut).astype(target)
    return _within(xp, x, wide).astype(target)


def _within(xp: Namespace, x: Array, wide: np.dtype) -> Array:
    limit = np.asarray(2.0 ** (8 * wide.itemsize - 1), x.dtype)
    fits = (x >= -limit) & (x < limit)
    lowest = np.asarray(np.iinfo(wide).min, wide)
    return xp.where(fits, xp.where(fits, x, xp.zeros((), x.dtype)).astype(wide), lowest)


@RegisterGradient("Cast", needs="")
def _cast_grad(op: Any, dy: Tensor) -> Gradients:
    source = op.inputs[0].dtype
    if {source, dy.dtype} <= FLOATS | COMPLEX:
        return raw_ops.Cast(dy, DstT=source)
    return None


def cast(x: TensorLike, dtype: DTypeLike, name: str | None = None) -> Any:
    """`x` with elements of another dtype; floats become integers by dropping their fraction.

    >>> tf.cast([1.8, -2.2], tf.int32)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([ 1, -2], dtype=int32)>
    """
    wanted = as_dtype(dtype).base_dtype
    if isinstance(x, IndexedSlices):
        return IndexedSlices(cast(x.values, wanted, name), x.indices, x.dense_shape)
    if not isinstance(x, Tensor):
        x = convert_to_tensor(x)
    if x.dtype is wanted:
        return x
    return raw_ops.Cast(x, DstT=wanted, name=name)


def saturate_cast(value: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """`value` cast to `dtype`, with values beyond its range moved to the end of it.

    >>> tf.saturate_cast([-5, 99, 300], tf.uint8).numpy()
    array([  0,  99, 255], dtype=uint8)
    """
    value = convert_to_tensor(value)
    wanted = as_dtype(dtype).base_dtype
    if value.dtype.is_complex:
        if not wanted.is_complex:
            value = real(value)
        elif value.dtype is wanted:
            return value
        else:
            part = wanted.real_dtype
            in_range = saturate_cast(real(value), part), saturate_cast(imag(value), part)
            return complex(in_range[0], in_range[1], name=name)
    low, high = _common_range(value.dtype, wanted.real_dtype)
    return cast(clip_by_value(value, low, high), wanted, name=name)


def _common_range(source: DType, target: DType) -> tuple[np.ndarray, np.ndarray]:
    """The lowest and highest value of dtype `source` that `target` has too."""
    low = np.asarray(max(source.min, target.min), source.np_dtype)
    high = np.asarray(min(source.max, target.max), source.np_dtype)
    if source.is_floating and target.is_integer:
        if int(low) < target.min:
            low = np.nextafter(low, np.zeros_like(low))
        if int(high) > target.max:
            high = np.nextafter(high, np.zeros_like(high))
    return low, high
