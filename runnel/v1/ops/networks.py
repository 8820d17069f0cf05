"""Losses, tables of embeddings and normalisation: older orders and names of parameters."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.core.op.raw import raw_ops
from runnel.core.values.types import TensorLike
from runnel.v1.ops.arguments import either
from runnel.v1.ops.nn import whole


def crelu(features: TensorLike, name: str | None = None, axis: int = -1) -> tf.Tensor:
    """`relu` of the features and of their negative, one after the other."""
    return tf.nn.crelu(features, axis, name)


def weighted_cross_entropy_with_logits(
    labels: TensorLike = None,
    logits: TensorLike = None,
    pos_weight: TensorLike = None,
    name: str | None = None,
    targets: TensorLike = None,
) -> tf.Tensor:
    """The cross entropy, with a weight for the class that holds."""
    labels = either("weighted_cross_entropy_with_logits", "labels", labels, "targets", targets)
    return tf.nn.weighted_cross_entropy_with_logits(labels, logits, pos_weight, name)


def sufficient_statistics(
    x: TensorLike,
    axes: Any,
    shift: TensorLike = None,
    keep_dims: bool | None = None,
    name: str | None = None,
    keepdims: bool | None = None,
) -> Any:
    """Number, sum and sum of squares along axes."""
    keep = either("sufficient_statistics", "keepdims", keepdims, "keep_dims", keep_dims)
    return tf.nn.sufficient_statistics(x, axes, shift, bool(keep), name)


def weighted_moments(
    x: TensorLike,
    axes: Any,
    frequency_weights: TensorLike,
    name: str | None = None,
    keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> Any:
    """Mean and variance of elements that count differently."""
    keep = either("weighted_moments", "keepdims", keepdims, "keep_dims", keep_dims)
    return tf.nn.weighted_moments(x, axes, frequency_weights, bool(keep), name)


def batch_norm_with_global_normalization(
    t: TensorLike = None,
    m: TensorLike = None,
    v: TensorLike = None,
    beta: TensorLike = None,
    gamma: TensorLike = None,
    variance_epsilon: Any = None,
    scale_after_normalization: Any = None,
    name: str | None = None,
    input: TensorLike = None,
    mean: TensorLike = None,
    variance: TensorLike = None,
) -> tf.Tensor:
    """Normalisation with given moments."""
    what = "batch_norm_with_global_normalization"
    return tf.nn.batch_norm_with_global_normalization(
        either(what, "input", input, "t", t),
        either(what, "mean", mean, "m", m),
        either(what, "variance", variance, "v", v),
        beta,
        gamma,
        variance_epsilon,
        scale_after_normalization,
        name,
    )


def fused_batch_norm(
    x: TensorLike,
    scale: TensorLike,
    offset: TensorLike,
    mean: TensorLike = None,
    variance: TensorLike = None,
    epsilon: float = 0.001,
    data_format: str = "NHWC",
    is_training: bool = True,
    name: str | None = None,
    exponential_avg_factor: float = 1.0,
) -> Any:
    """Normalised images, and the moments of the batch or those that were given."""
    if (not is_training or exponential_avg_factor != 1.0) and (mean is None or variance is None):
        raise ValueError(
            "fused_batch_norm: `mean` and `variance` must be given unless the moments are those "
            "of the batch alone."
        )
    epsilon = max(epsilon, 1.001e-5)
    y, batch_mean, batch_variance, *_ = raw_ops.FusedBatchNormV3(
        x=x,
        scale=scale,
        offset=offset,
        mean=tf.constant([]) if mean is None else mean,
        variance=tf.constant([]) if variance is None else variance,
        epsilon=epsilon,
        exponential_avg_factor=exponential_avg_factor,
        data_format=data_format,
        is_training=is_training,
        name=name,
    )
    return y, batch_mean, batch_variance


def embedding_lookup_sparse(
    params: Any,
    sp_ids: Any,
    sp_weights: Any,
    partition_strategy: str = "mod",
    name: str | None = None,
    combiner: str | None = None,
    max_norm: Any = None,
    allow_fast_lookup: bool = False,
) -> tf.Tensor:
    """The rows of sparse ids in a table, combined by row of ids."""
    params = whole(params, partition_strategy)
    return tf.nn.embedding_lookup_sparse(
        params, sp_ids, sp_weights, combiner, max_norm, name, allow_fast_lookup
    )


def safe_embedding_lookup_sparse(
    embedding_weights: Any,
    sparse_ids: Any,
    sparse_weights: Any = None,
    combiner: str = "mean",
    default_id: int | None = None,
    name: str | None = None,
    partition_strategy: str = "div",
    max_norm: Any = None,
    allow_fast_lookup: bool = False,
) -> tf.Tensor:
    """As `embedding_lookup_sparse`, where rows without ids are zeros or those of `default_id`."""
    return tf.nn.safe_embedding_lookup_sparse(
        whole(embedding_weights, partition_strategy),
        sparse_ids,
        sparse_weights,
        combiner,
        default_id,
        max_norm,
        name,
        allow_fast_lookup,
    )


def nce_loss(
    weights: Any,
    biases: Any,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str = "nce_loss",
) -> tf.Tensor:
    """Noise-contrastive estimation with sampled classes."""
    return tf.nn.nce_loss(
        whole(weights, partition_strategy),
        whole(biases, partition_strategy),
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        name,
    )


def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str = "sampled_softmax_loss",
    seed: int | None = None,
) -> tf.Tensor:
    """The softmax loss of some sampled classes."""
    return tf.nn.sampled_softmax_loss(
        whole(weights, partition_strategy),
        whole(biases, partition_strategy),
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        seed,
        name,
    )


def ctc_loss(
    labels: Any,
    inputs: TensorLike = None,
    sequence_length: TensorLike = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: TensorLike = None,
) -> tf.Tensor:
    """The loss of sequences of labels without alignment; the last class is the blank."""
    if not isinstance(labels, tf.SparseTensor):
        raise TypeError(f"ctc_loss: `labels` must be a SparseTensor, got {labels!r}.")
    logits = tf.convert_to_tensor(either("ctc_loss", "logits", logits, "inputs", inputs))
    if not time_major:
        logits = tf.transpose(logits, [1, 0, 2])
    loss, _ = raw_ops.CTCLoss(
        inputs=logits,
        labels_indices=labels.indices,
        labels_values=labels.values,
        sequence_length=sequence_length,
        preprocess_collapse_repeated=preprocess_collapse_repeated,
        ctc_merge_repeated=ctc_merge_repeated,
        ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs,
    )
    return loss


def ctc_loss_v2(
    labels: Any,
    logits: TensorLike,
    label_length: TensorLike,
    logit_length: TensorLike,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: int | None = None,
    name: str | None = None,
) -> tf.Tensor:
    """The loss of sequences of labels without alignment, as TensorFlow 2 has it."""
    return tf.nn.ctc_loss(
        labels, logits, label_length, logit_length, logits_time_major, unique, blank_index, name
    )


def ctc_beam_search_decoder(
    inputs: TensorLike,
    sequence_length: TensorLike,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
) -> Any:
    """The most probable sequences of labels; repeated labels are one, by default."""
    found = raw_ops.CTCBeamSearchDecoder(
        inputs=inputs,
        sequence_length=sequence_length,
        beam_width=beam_width,
        top_paths=top_paths,
        merge_repeated=merge_repeated,
    )
    groups = (found[i : i + top_paths] for i in range(0, 3 * top_paths, top_paths))
    return [tf.SparseTensor(*parts) for parts in zip(*groups, strict=True)], found[-1]
