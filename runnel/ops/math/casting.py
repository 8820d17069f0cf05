"""From one dtype to another: `tf.cast` and `tf.saturate_cast`."""

from __future__ import annotations

from typing import Any, TypeVar, overload

import numpy as np

from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.composite.sparse_tensor import SparseTensor, on_values
from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.op.context import state
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.values import dtypes
from runnel.core.values.dtypes import COMPLEX, FLOATS, DType, as_dtype
from runnel.core.values.errors import UnimplementedError
from runnel.core.values.types import Array, DTypeLike, Gradients, Namespace, TensorLike
from runnel.kernels.arrays import float_to_int
from runnel.kernels.halves import halved
from runnel.ops.math.clipping import clip_by_value
from runnel.ops.math.complex import complex, imag, real
from runnel.ops.shapes import same

Composite = TypeVar("Composite", IndexedSlices, RaggedTensor, SparseTensor)
_NO_NUMBERS = (dtypes.string, dtypes.resource, dtypes.variant)


def _castable(x: Array, *, DstT: DType, **attrs: Any) -> None:
    found = getattr(x, "dtype", np.dtype(object))
    if found.kind == "O" or DstT in _NO_NUMBERS:
        source = "string" if found.kind == "O" else found.name
        message = f"Cast {source} to {DstT.name} is not supported. [Op:Cast]"
        raise UnimplementedError(None, None, message)


@op("Cast", "x: SrcT -> y: DstT", shape=same, check=_castable, elementwise=True, scope="Cast")
def _cast(xp: Namespace, x: Array, *, DstT: DType, Truncate: bool = False) -> Array:
    target = DstT.np_dtype
    if x.dtype.kind == "c" and target.kind != "c":
        x = xp.real(x)
    whole = DstT.is_integer or DstT.is_quantized
    if whole and x.dtype.kind not in "biu" and DstT.size and target.kind in "iu":
        return float_to_int(xp, x, target)
    if xp is np and target == np.float16 and x.dtype == np.float32:
        return halved(x)
    return x.astype(target)


@RegisterGradient("Cast", needs="", slices=True)
def _cast_grad(op: Any, dy: Tensor) -> Gradients:
    source = op.inputs[0].dtype
    if {source, dy.dtype} <= FLOATS | COMPLEX:
        return cast(dy, source)
    return None


@overload
def cast(x: Composite, dtype: DTypeLike, name: str | None = None) -> Composite: ...
@overload
def cast(x: TensorLike, dtype: DTypeLike, name: str | None = None) -> Tensor: ...
def cast(x: TensorLike, dtype: DTypeLike, name: str | None = None) -> Any:
    """`x` with elements of another dtype; floats become integers by dropping their fraction.

    Args:
        x: a tensor, or a composite of tensors such as `tf.SparseTensor`.
        dtype: what the elements become.

    Raises:
        TypeError: `x` cannot be cast to `dtype`, such as strings to numbers.

    >>> tf.cast([1.8, -2.2], tf.int32)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([ 1, -2], dtype=int32)>
    """
    wanted = as_dtype(dtype).base_dtype
    if isinstance(x, IndexedSlices):
        return IndexedSlices(cast(x.values, wanted, name), x.indices, x.dense_shape)
    if isinstance(x, SparseTensor):
        return on_values(cast, x, wanted, name)
    if isinstance(x, Tensor):
        return x if x.dtype is wanted else raw_ops.Cast(x, DstT=wanted, name=name)
    if state.graph is None:
        x = convert_to_tensor(x)
        return x if x.dtype is wanted else raw_ops.Cast(x, DstT=wanted)
    with state.graph.name_scope(name or "Cast") as scope:
        x = convert_to_tensor(x, name="x")
        return x if x.dtype is wanted else raw_ops.Cast(x, DstT=wanted, name=scope)


@scoped("saturate_cast", last=True)
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
