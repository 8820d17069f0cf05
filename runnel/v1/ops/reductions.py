"""Reductions with `reduction_indices` and `keep_dims`, and what else was in `tf.math`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.ops.reduce import argmax as extremes
from runnel.ops.reduce import reductions, statistics
from runnel.v1.ops.arguments import either


def _reduction(name: str, run: Any) -> Any:
    def reduce(
        input_tensor: TensorLike,
        axis: Any = None,
        keepdims: bool | None = None,
        name: str | None = None,
        reduction_indices: Any = None,
        keep_dims: bool | None = None,
    ) -> tf.Tensor:
        axis = either(title, "axis", axis, "reduction_indices", reduction_indices)
        keep = either(title, "keepdims", keepdims, "keep_dims", keep_dims)
        return run(input_tensor, axis, bool(keep), name)  # type: ignore[no-any-return]

    title = name
    reduce.__name__ = reduce.__qualname__ = name
    reduce.__doc__ = f"`tf.{name}`, which takes older names of its arguments as well."
    return reduce


reduce_all = _reduction("reduce_all", reductions.reduce_all)
reduce_any = _reduction("reduce_any", reductions.reduce_any)
reduce_max = _reduction("reduce_max", reductions.reduce_max)
reduce_mean = _reduction("reduce_mean", reductions.reduce_mean)
reduce_min = _reduction("reduce_min", reductions.reduce_min)
reduce_prod = _reduction("reduce_prod", reductions.reduce_prod)
reduce_sum = _reduction("reduce_sum", reductions.reduce_sum)
reduce_logsumexp = _reduction("reduce_logsumexp", statistics.reduce_logsumexp)


def argmax(
    input: TensorLike,
    axis: Any = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: DTypeLike = tf.int64,
) -> tf.Tensor:
    """Where the largest element along an axis is, the first one by default."""
    axis = either("argmax", "axis", axis, "dimension", dimension)
    return extremes.argmax(input, 0 if axis is None else axis, output_type, name)


def argmin(
    input: TensorLike,
    axis: Any = None,
    name: str | None = None,
    dimension: Any = None,
    output_type: DTypeLike = tf.int64,
) -> tf.Tensor:
    """Where the least element along an axis is, the first one by default."""
    axis = either("argmin", "axis", axis, "dimension", dimension)
    return extremes.argmin(input, 0 if axis is None else axis, output_type, name)


def arg_max(
    input: TensorLike, dimension: Any, output_type: DTypeLike = tf.int64, name: str | None = None
) -> tf.Tensor:
    """An older name of `argmax`."""
    return extremes.argmax(input, dimension, output_type, name)


def arg_min(
    input: TensorLike, dimension: Any, output_type: DTypeLike = tf.int64, name: str | None = None
) -> tf.Tensor:
    """An older name of `argmin`."""
    return extremes.argmin(input, dimension, output_type, name)


def count_nonzero(
    input_tensor: TensorLike = None,
    axis: Any = None,
    keepdims: bool | None = None,
    dtype: DTypeLike = tf.int64,
    name: str | None = None,
    reduction_indices: Any = None,
    keep_dims: bool | None = None,
    input: TensorLike = None,
) -> tf.Tensor:
    """How many elements are not zero."""
    values = either("count_nonzero", "input", input, "input_tensor", input_tensor)
    axis = either("count_nonzero", "axis", axis, "reduction_indices", reduction_indices)
    keep = either("count_nonzero", "keepdims", keepdims, "keep_dims", keep_dims)
    return reductions.count_nonzero(values, axis, keep, dtype, name)


def norm(
    tensor: TensorLike,
    ord: Any = "euclidean",
    axis: Any = None,
    keepdims: bool | None = None,
    name: str | None = None,
    keep_dims: bool | None = None,
) -> tf.Tensor:
    """The norm of vectors or matrices."""
    keep = either("norm", "keepdims", keepdims, "keep_dims", keep_dims)
    return tf.norm(tensor, ord, axis, bool(keep), name)


def div(x: TensorLike, y: TensorLike, name: str | None = None) -> tf.Tensor:
    """Division as Python 2 had it: rounded down for integers."""
    quotient = tf.math.floordiv if _is_integer(x) and _is_integer(y) else tf.truediv
    return quotient(x, y, name)


def _is_integer(x: Any) -> bool:
    dtype = getattr(x, "dtype", None)
    return dtype.is_integer if isinstance(dtype, tf.DType) else isinstance(x, int)


def _to(name: str, title: str) -> Any:
    def convert(x: TensorLike, name: str = title) -> tf.Tensor:
        return tf.cast(x, kind, name)  # type: ignore[no-any-return]

    kind = name
    convert.__name__ = convert.__qualname__ = f"to_{title.removeprefix('To').lower()}"
    convert.__doc__ = f"`tf.cast` to {name}."
    return convert


to_float = _to("float32", "ToFloat")
to_double = _to("float64", "ToDouble")
to_int32 = _to("int32", "ToInt32")
to_int64 = _to("int64", "ToInt64")
to_bfloat16 = _to("bfloat16", "ToBFloat16")
to_complex64 = _to("complex64", "ToComplex64")
to_complex128 = _to("complex128", "ToComplex128")
