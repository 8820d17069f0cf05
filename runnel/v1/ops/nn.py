"""`tf.compat.v1.nn`: functions of networks whose parameters were others."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.core.op.raw import raw_ops
from runnel.core.values.types import TensorLike
from runnel.ops.nn import dropout as dropping
from runnel.ops.nn import embedding as embeddings
from runnel.ops.nn import normalization
from runnel.ops.nn import softmax as soft
from runnel.ops.nn.conv import functions as convolutions
from runnel.ops.nn.pool import functions as pooling
from runnel.v1.ops.arguments import either
from runnel.v1.variables.partitioning import PartitionedVariable


def softmax(
    logits: TensorLike, axis: Any = None, name: str | None = None, dim: Any = None
) -> tf.Tensor:
    """Probabilities of logits."""
    return soft.softmax(logits, either("softmax", "axis", axis, "dim", dim), name)


def log_softmax(
    logits: TensorLike, axis: Any = None, name: str | None = None, dim: Any = None
) -> tf.Tensor:
    """Logarithms of the probabilities of logits."""
    return soft.log_softmax(logits, either("log_softmax", "axis", axis, "dim", dim), name)


def softmax_cross_entropy_with_logits_v2(
    labels: TensorLike,
    logits: TensorLike,
    axis: Any = None,
    name: str | None = None,
    dim: Any = None,
) -> tf.Tensor:
    """The cross entropy of probabilities and logits, with gradients for both."""
    axis = either("softmax_cross_entropy_with_logits_v2", "axis", axis, "dim", dim)
    return soft.softmax_cross_entropy_with_logits(
        labels, logits, -1 if axis is None else axis, name
    )


def softmax_cross_entropy_with_logits(
    labels: TensorLike = None,
    logits: TensorLike = None,
    dim: Any = -1,
    name: str | None = None,
    axis: Any = None,
) -> tf.Tensor:
    """The cross entropy of probabilities and logits, with a gradient for the logits alone."""
    _both("softmax_cross_entropy_with_logits", labels, logits)
    fixed = tf.stop_gradient(tf.convert_to_tensor(labels, name="labels"))
    return soft.softmax_cross_entropy_with_logits(
        fixed, logits, dim if axis is None else axis, name
    )


def sparse_softmax_cross_entropy_with_logits(
    labels: TensorLike = None,
    logits: TensorLike = None,
    name: str | None = None,
) -> tf.Tensor:
    """The cross entropy of classes and logits."""
    _both("sparse_softmax_cross_entropy_with_logits", labels, logits)
    return soft.sparse_softmax_cross_entropy_with_logits(labels, logits, name)


def _both(function: str, labels: Any, logits: Any) -> None:
    if labels is None or logits is None:
        raise ValueError(f"{function}: both `labels` and `logits` must be given.")


def dropout(
    x: TensorLike,
    keep_prob: Any = None,
    noise_shape: Any = None,
    seed: int | None = None,
    name: str | None = None,
    rate: Any = None,
) -> tf.Tensor:
    """Zeros in some places, and larger numbers in the others."""
    if keep_prob is not None:
        keep = 1 - keep_prob
        rate = either("dropout", "rate", rate, "keep_prob", keep)
    if rate is None:
        raise ValueError("dropout: `rate` must be given.")
    return dropping.dropout(x, rate, noise_shape, seed, name)


def conv2d(
    input: TensorLike,
    filter: TensorLike = None,
    strides: Any = None,
    padding: Any = None,
    use_cudnn_on_gpu: bool = True,
    data_format: str = "NHWC",
    dilations: Any = (1, 1, 1, 1),
    name: str | None = None,
    filters: TensorLike = None,
) -> tf.Tensor:
    """A convolution of images."""
    kernel = either("conv2d", "filters", filters, "filter", filter)
    return convolutions.conv2d(input, kernel, strides, padding, data_format, dilations, name)


def max_pool(
    value: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
    input: TensorLike = None,
) -> tf.Tensor:
    """The largest of each window."""
    value = either("max_pool", "input", input, "value", value)
    return pooling.max_pool(value, ksize, strides, padding, data_format, name)


def avg_pool(
    value: TensorLike,
    ksize: Any,
    strides: Any,
    padding: Any,
    data_format: str = "NHWC",
    name: str | None = None,
    input: TensorLike = None,
) -> tf.Tensor:
    """The mean of each window."""
    value = either("avg_pool", "input", input, "value", value)
    return pooling.avg_pool(value, ksize, strides, padding, data_format, name)


def moments(
    x: TensorLike,
    axes: Any,
    shift: Any = None,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[tf.Tensor, tf.Tensor]:
    """Mean and variance along axes."""
    keep = either("moments", "keepdims", keepdims, "keep_dims", keep_dims)
    return normalization.moments(x, axes, None, bool(keep), name)  # type: ignore[no-any-return]


def xw_plus_b(
    x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None
) -> tf.Tensor:
    """`x @ weights + biases`."""
    return tf.nn.bias_add(tf.matmul(x, weights), biases, name=name)


def relu_layer(
    x: TensorLike, weights: TensorLike, biases: TensorLike, name: str | None = None
) -> tf.Tensor:
    """`relu(x @ weights + biases)`."""
    return raw_ops.Relu(features=xw_plus_b(x, weights, biases), name=name)  # type: ignore[no-any-return]


def embedding_lookup(
    params: Any,
    ids: TensorLike,
    partition_strategy: str = "mod",
    name: str | None = None,
    validate_indices: bool = True,
    max_norm: float | None = None,
) -> tf.Tensor:
    """Rows of a table; of several tables, by the remainders of their numbers (`mod`)."""
    return embeddings.embedding_lookup(whole(params, partition_strategy), ids, max_norm, name)


def whole(params: Any, strategy: str) -> Any:
    """A table, or its pieces as one in the order in which a strategy deals ids out."""
    pieces = list(params) if isinstance(params, (list, tuple, PartitionedVariable)) else [params]
    if len(pieces) == 1:
        return pieces[0]
    tables = [tf.convert_to_tensor(piece) for piece in pieces]
    if strategy == "div":
        return tf.concat(tables, 0)
    if strategy != "mod":
        raise ValueError(f"`partition_strategy` is 'mod' or 'div', got {strategy!r}.")
    count = len(tables)
    places = [tf.range(tf.shape(table)[0]) * count + n for n, table in enumerate(tables)]
    return tf.dynamic_stitch(places, tables)
