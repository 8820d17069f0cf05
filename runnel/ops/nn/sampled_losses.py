"""Losses over many classes that look at the true ones and a sample of the others."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops, scoped
from runnel.core.values.types import TensorLike
from runnel.ops.array.shaping import index_operand
from runnel.ops.nn.embedding import embedding_lookup
from runnel.ops.nn.losses import sigmoid_cross_entropy_with_logits
from runnel.ops.nn.softmax import softmax_cross_entropy_with_logits
from runnel.ops.random.candidate_sampling import (
    compute_accidental_hits,
    log_uniform_candidate_sampler,
)


@scoped("compute_sampled_logits")
def _sampled_logits(
    weights: Any,
    biases: Any,
    labels: TensorLike,
    inputs: TensorLike,
    num_sampled: int,
    num_classes: int,
    num_true: int,
    sampled_values: Any,
    remove_accidental_hits: bool,
    seed: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Logits of the true classes and then of the sampled ones, and the labels for these."""
    x = convert_to_tensor(inputs)
    true = raw_ops.Cast(convert_to_tensor(labels), DstT="int64")
    flat = raw_ops.Reshape(true, np.array([-1], np.int32))
    if sampled_values is None:
        sampled_values = log_uniform_candidate_sampler(
            true, num_true, num_sampled, True, num_classes, seed
        )
    sampled, true_count, sampled_count = (raw_ops.StopGradient(t) for t in sampled_values)
    sampled = raw_ops.Cast(sampled, DstT="int64")
    ids = raw_ops.ConcatV2([flat, sampled], np.int32(0))
    rows, offsets = (_as(embedding_lookup(table, ids), x) for table in (weights, biases))
    split = raw_ops.Shape(flat)[0]
    true_rows, sampled_rows = rows[:split], rows[split:]
    width = raw_ops.Shape(rows)[1]
    shape = raw_ops.Pack([np.int32(-1), index_operand(num_true), width])
    products = raw_ops.ExpandDims(x, np.int32(1)) * raw_ops.Reshape(true_rows, shape)
    true_logits = raw_ops.Sum(products, np.int32(2))
    true_logits += raw_ops.Reshape(offsets[:split], index_operand([-1, num_true]))
    sampled_logits = raw_ops.MatMul(x, sampled_rows, transpose_b=True) + offsets[split:]
    if remove_accidental_hits:
        sampled_logits += _penalty(true, sampled, num_true, sampled_logits)
    true_logits -= raw_ops.Log(_as(true_count, true_logits))
    sampled_logits -= raw_ops.Log(_as(sampled_count, sampled_logits))
    wanted = raw_ops.OnesLike(true_logits) / num_true
    return (
        raw_ops.ConcatV2([true_logits, sampled_logits], np.int32(1)),
        raw_ops.ConcatV2([wanted, raw_ops.ZerosLike(sampled_logits)], np.int32(1)),
    )


def _as(x: Tensor, like: Tensor) -> Tensor:
    return x if x.dtype is like.dtype else raw_ops.Cast(x, DstT=like.dtype)


def _penalty(true: Tensor, sampled: Tensor, num_true: int, logits: Tensor) -> Tensor:
    """A very low number where a sampled class is a true one of the row."""
    row, place, weight = compute_accidental_hits(true, sampled, num_true)
    places = raw_ops.Pack([row, raw_ops.Cast(place, DstT="int32")], axis=1)
    return raw_ops.ScatterNd(places, _as(weight, logits), raw_ops.Shape(logits))


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
    name: str = "nce_loss",
) -> Tensor:
    """Noise-contrastive estimation: each row tells its true classes from a sample of noise.

    >>> sample = tf.constant([0]), tf.constant([[1.0]]), tf.constant([1.0])
    >>> w, b, x = tf.zeros([3, 2]), tf.zeros(3), tf.ones([1, 2])
    >>> tf.nn.nce_loss(w, b, [[1]], x, 1, 3, sampled_values=sample).numpy()
    array([1.3862944], dtype=float32)
    """
    given = weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values
    logits, wanted = _sampled_logits(*given, remove_accidental_hits, name=name)
    return raw_ops.Sum(sigmoid_cross_entropy_with_logits(wanted, logits), np.int32(1))


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
    seed: int | None = None,
    name: str = "sampled_softmax_loss",
) -> Tensor:
    """The softmax loss over the true classes and a sample of the others.

    >>> sample = tf.constant([0]), tf.constant([[1.0]]), tf.constant([1.0])
    >>> w, b, x = tf.zeros([3, 2]), tf.zeros(3), tf.ones([1, 2])
    >>> tf.nn.sampled_softmax_loss(w, b, [[1]], x, 1, 3, sampled_values=sample).numpy()
    array([0.6931472], dtype=float32)
    """
    given = weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values
    logits, wanted = _sampled_logits(*given, remove_accidental_hits, seed, name=name)
    return softmax_cross_entropy_with_logits(raw_ops.StopGradient(wanted), logits)
