"""Blocks of space as batches and channels, windows, sequences: older orders of parameters."""

from __future__ import annotations

from typing import Any

import numpy as np

import runnel as tf
from runnel.core.op.raw import raw_ops
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.v1.ops.arguments import either


def batch_to_space(
    input: TensorLike,
    crops: TensorLike,
    block_size: int,
    name: str | None = None,
    block_shape: TensorLike = None,
) -> tf.Tensor:
    """Images put together from a batch of their pieces."""
    if block_shape is not None:
        return tf.batch_to_space(input, block_shape, crops, name)
    return tf.batch_to_space(input, np.array([block_size, block_size]), crops, name)


def batch_to_space_nd(
    input: TensorLike, block_shape: TensorLike, crops: TensorLike, name: str | None = None
) -> tf.Tensor:
    """Blocks of any number of dimensions put together from a batch."""
    return tf.batch_to_space(input, block_shape, crops, name)


def space_to_batch(
    input: TensorLike,
    paddings: TensorLike,
    block_size: int | None = None,
    name: str | None = None,
    block_shape: TensorLike = None,
) -> tf.Tensor:
    """Images cut into a batch of pieces."""
    if block_shape is None:
        block_shape = np.array([block_size, block_size])
    return tf.space_to_batch(input, block_shape, paddings, name)


def space_to_depth(
    input: TensorLike, block_size: int, name: str | None = None, data_format: str = "NHWC"
) -> tf.Tensor:
    """Blocks of pixels as channels."""
    return tf.nn.space_to_depth(input, block_size, data_format, name)


def depth_to_space(
    input: TensorLike, block_size: int, name: str | None = None, data_format: str = "NHWC"
) -> tf.Tensor:
    """Channels as blocks of pixels."""
    return tf.nn.depth_to_space(input, block_size, data_format, name)


def extract_image_patches(
    images: TensorLike,
    ksizes: Any = None,
    strides: Any = None,
    rates: Any = None,
    padding: Any = None,
    name: str | None = None,
    sizes: Any = None,
) -> tf.Tensor:
    """The windows of images, each as one row of channels."""
    sizes = either("extract_image_patches", "sizes", sizes, "ksizes", ksizes)
    return tf.image.extract_patches(images, sizes, strides, rates, padding, name)


def reverse_sequence(
    input: TensorLike,
    seq_lengths: TensorLike,
    seq_axis: int | None = None,
    batch_axis: int | None = None,
    name: str | None = None,
    seq_dim: int | None = None,
    batch_dim: int | None = None,
) -> tf.Tensor:
    """The beginnings of sequences, of given lengths, from back to front."""
    seq_axis = either("reverse_sequence", "seq_axis", seq_axis, "seq_dim", seq_dim)
    batch_axis = either("reverse_sequence", "batch_axis", batch_axis, "batch_dim", batch_dim)
    return tf.reverse_sequence(input, seq_lengths, seq_axis, batch_axis, name)


def batch_gather(params: TensorLike, indices: TensorLike, name: str | None = None) -> tf.Tensor:
    """Slices of each element of a batch by their numbers in it."""
    with tf.name_scope(name or "BatchGather"):
        indices = tf.convert_to_tensor(indices, name="indices")
        if indices.shape.rank is None:
            raise ValueError("batch_gather: the rank of `indices` must be known.")
        return tf.gather(params, indices, batch_dims=indices.shape.rank - 1)


def setdiff1d(
    x: TensorLike, y: TensorLike, index_dtype: DTypeLike = tf.int32, name: str | None = None
) -> Any:
    """The elements of a vector that are not in another, and their places."""
    return raw_ops.ListDiff(x=x, y=y, out_idx=index_dtype, name=name)


def sparse_to_dense(
    sparse_indices: TensorLike,
    output_shape: TensorLike,
    sparse_values: TensorLike,
    default_value: TensorLike = 0,
    validate_indices: bool = True,
    name: str | None = None,
) -> tf.Tensor:
    """A dense tensor with given values in given places."""
    return raw_ops.SparseToDense(
        sparse_indices=sparse_indices,
        output_shape=output_shape,
        sparse_values=sparse_values,
        default_value=default_value,
        validate_indices=validate_indices,
        name=name,
    )


def clip_by_average_norm(
    t: TensorLike, clip_norm: TensorLike, name: str | None = None
) -> tf.Tensor:
    """`t` made smaller, so that its norm by the number of its elements is at most `clip_norm`."""
    with tf.name_scope(name or "clip_by_average_norm"):
        t = tf.convert_to_tensor(t, name="t")
        count = tf.cast(tf.size(t), t.dtype)
        inverse = tf.math.rsqrt(tf.reduce_sum(t * t, list(range(t.shape.rank))))
        return tf.identity(
            t * clip_norm * tf.minimum(inverse * count, tf.constant(1.0, t.dtype) / clip_norm)
        )


def bincount(
    arr: TensorLike,
    weights: TensorLike = None,
    minlength: TensorLike = None,
    maxlength: TensorLike = None,
    dtype: DTypeLike = tf.int32,
) -> tf.Tensor:
    """How often each number is there."""
    return tf.math.bincount(arr, weights, minlength, maxlength, dtype)


def confusion_matrix(
    labels: TensorLike,
    predictions: TensorLike,
    num_classes: Any = None,
    dtype: DTypeLike = tf.int32,
    name: str | None = None,
    weights: TensorLike = None,
) -> tf.Tensor:
    """How often each class was taken for each other."""
    return tf.math.confusion_matrix(labels, predictions, num_classes, weights, dtype, name)


def in_top_k(
    predictions: TensorLike, targets: TensorLike, k: TensorLike, name: str | None = None
) -> tf.Tensor:
    """Whether the target is among the `k` largest predictions."""
    return tf.math.in_top_k(targets, predictions, k, name)


def floor_div(x: TensorLike, y: TensorLike, name: str | None = None) -> tf.Tensor:
    """The largest integer below `x / y`."""
    return raw_ops.FloorDiv(x=x, y=y, name=name)


def sparse_matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> tf.Tensor:
    """A product of matrices of which many elements are zero."""
    return raw_ops.SparseMatMul(
        a=a,
        b=b,
        transpose_a=transpose_a,
        transpose_b=transpose_b,
        a_is_sparse=a_is_sparse,
        b_is_sparse=b_is_sparse,
        name=name,
    )


def quantize_v2(
    input: TensorLike,
    min_range: TensorLike,
    max_range: TensorLike,
    T: DTypeLike,
    mode: str = "MIN_COMBINED",
    name: str | None = None,
    round_mode: str = "HALF_AWAY_FROM_ZERO",
    narrow_range: bool = False,
    axis: int | None = None,
    ensure_minimum_range: float = 0.01,
) -> Any:
    """Numbers of few bits, and the range that they stand for."""
    return raw_ops.QuantizeV2(
        input=input,
        min_range=min_range,
        max_range=max_range,
        T=T,
        mode=mode,
        name=name,
        round_mode=round_mode,
        narrow_range=narrow_range,
        axis=-1 if axis is None else axis,
        ensure_minimum_range=ensure_minimum_range,
    )
