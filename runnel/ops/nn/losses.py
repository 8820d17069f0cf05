"""Losses other than the softmax's."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.op.context import state
from runnel.core.settings.arguments import operand
from runnel.core.tensor.filling import zeros_as
from runnel.core.tensor.static import constant_value
from runnel.core.values.dtypes import FLOATS, float64, string
from runnel.core.values.errors import InvalidArgumentError, bad_dtype
from runnel.core.values.types import Array, Gradients, Namespace, TensorLike
from runnel.ops.reduce.reductions import reduce_sum
from runnel.ops.shapes import scalar, shape_of


@op("L2Loss", "t: T -> output: T", T=FLOATS, shape=scalar)
def _l2_loss(xp: Namespace, t: Array) -> Array:
    wide = t.astype(np.float32) if t.dtype.itemsize == 2 else t
    return (xp.sum(wide * wide) / 2).astype(t.dtype)


@RegisterGradient("L2Loss", needs="t")
def _l2_loss_gradient(op: Any, dy: Tensor) -> Gradients:
    return op.inputs[0] * dy


_WEIGHTED = "weighted_cross_entropy_with_logits"


def l2_loss(t: TensorLike, name: str | None = None) -> Tensor:
    """Half the sum of the squares of `t`.

    >>> tf.nn.l2_loss([1.0, 2.0]).numpy()
    np.float32(2.5)
    """
    return raw_ops.L2Loss(t, name=name)


def _pair(labels: TensorLike, logits: TensorLike, what: str) -> tuple[Tensor, Tensor]:
    x = convert_to_tensor(logits)
    wanted = convert_to_tensor(labels)
    if not wanted.shape.is_compatible_with(x.shape):
        raise ValueError(
            f"{what}: the targets must have the shape {x.shape} of the logits, got {wanted.shape}."
        )
    return wanted, x


@scoped("logistic_loss", last=True)
def sigmoid_cross_entropy_with_logits(
    labels: TensorLike | None = None, logits: TensorLike | None = None, name: str | None = None
) -> Tensor:
    """The cross entropy of `sigmoid(logits)` with the probabilities `labels`, element by element.

    >>> tf.nn.sigmoid_cross_entropy_with_logits([1.0, 0.0], [0.0, 1000.0]).numpy().round(4)
    array([6.931e-01, 1.000e+03], dtype=float32)
    """
    if labels is None or logits is None:
        raise ValueError("sigmoid_cross_entropy_with_logits needs both `labels` and `logits`.")
    wanted, x = _pair(labels, logits, "sigmoid_cross_entropy_with_logits")
    # max(x, 0) - x * z + log(1 + exp(-|x|)), with selects so that the gradient at 0 is smooth.
    zeros = zeros_as(x)
    positive = x >= zeros
    large = raw_ops.Select(positive, x, zeros)
    small = raw_ops.Select(positive, -x, x)
    return raw_ops.AddV2(large - x * wanted, raw_ops.Log1p(raw_ops.Exp(small)), name=name)


@scoped("logistic_loss", last=True)
def weighted_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, pos_weight: TensorLike, name: str | None = None
) -> Tensor:
    """`sigmoid_cross_entropy_with_logits` with the positive labels counted `pos_weight` times.

    >>> tf.nn.weighted_cross_entropy_with_logits([1.0], [0.0], 2.0).numpy()
    array([1.3862944], dtype=float32)
    """
    wanted, x = _pair(labels, logits, _WEIGHTED)
    if wanted.dtype is string:
        raise bad_dtype(_WEIGHTED, want="hold numbers", labels=wanted)
    weight = 1 + (operand(_WEIGHTED, "pos_weight", pos_weight) - 1) * wanted
    rest = (1 - wanted) * x
    tail = raw_ops.Log1p(raw_ops.Exp(-raw_ops.Abs(x))) + raw_ops.Relu(-x)
    return raw_ops.AddV2(rest, weight * tail, name=name)


@scoped("log_poisson_loss")
def log_poisson_loss(
    targets: TensorLike,
    log_input: TensorLike,
    compute_full_loss: bool = False,
    name: str | None = None,
) -> Tensor:
    """How unlikely `targets` are for Poisson distributions of the means `exp(log_input)`.

    `compute_full_loss` adds Stirling's approximation of the term that depends on `targets` alone.

    >>> tf.nn.log_poisson_loss([1.0, 2.0], [0.0, 0.0]).numpy()
    array([1., 1.], dtype=float32)
    """
    wanted, x = _pair(targets, log_input, "log_poisson_loss")
    loss = raw_ops.Exp(x) - x * wanted
    if not compute_full_loss:
        return loss
    half = convert_to_tensor(0.5, x.dtype)
    circle = raw_ops.Log(convert_to_tensor(2 * np.pi, x.dtype) * wanted)
    stirling = wanted * raw_ops.Log(wanted) - wanted + half * circle
    small = (wanted >= raw_ops.ZerosLike(wanted)) & (wanted <= raw_ops.OnesLike(wanted))
    return loss + raw_ops.SelectV2(small, raw_ops.ZerosLike(wanted), stirling)


def compute_average_loss(
    per_example_loss: TensorLike,
    sample_weight: TensorLike | None = None,
    global_batch_size: TensorLike | None = None,
) -> Tensor:
    """The sum of the losses, weighted if weights are given, over the size of the whole batch.

    >>> tf.nn.compute_average_loss([1.0, 2.0, 6.0]).numpy()
    np.float32(3.0)
    """
    losses = convert_to_tensor(per_example_loss)
    if losses.shape.rank == 0:
        raise ValueError(
            "compute_average_loss: `per_example_loss` must have a dimension of examples, got "
            f"{per_example_loss!r}."
        )
    replicas = _replicas("compute_average_loss")
    if global_batch_size is None:
        global_batch_size = shape_of(losses)[0] * replicas
    count = convert_to_tensor(global_batch_size)
    if count.shape.rank not in (None, 0):
        raise ValueError(
            f"compute_average_loss: `global_batch_size` must be a scalar, got {count!r}."
        )
    if not count.dtype.is_integer:
        raise TypeError(f"compute_average_loss: `global_batch_size` must be an int, got {count!r}.")
    known = constant_value(count)
    if known is not None and known < 0:
        message = f"compute_average_loss: `global_batch_size` must not be negative, got {known}."
        raise InvalidArgumentError(None, None, message)
    if sample_weight is not None:
        losses = _weighted(losses, convert_to_tensor(sample_weight))
    total = reduce_sum(losses)
    if total.dtype.is_integer:
        total = raw_ops.Cast(total, DstT=float64)
    return raw_ops.DivNoNan(total, raw_ops.Cast(count, DstT=total.dtype))  # type: ignore[no-any-return]


def _weighted(losses: Tensor, weights: Tensor) -> Tensor:
    """Losses times weights, of which a last dimension of 1 may be missing or too many."""
    weights = raw_ops.Cast(weights, DstT=losses.dtype)
    have, want = weights.shape.rank, losses.shape.rank
    if have and want is not None and have == want - 1:
        weights = raw_ops.ExpandDims(weights, np.int32(-1))
    elif want is not None and have == want + 1:
        weights = raw_ops.Squeeze(weights, axis=[-1])
    return losses * weights


def scale_regularization_loss(regularization_loss: TensorLike) -> Tensor:
    """The sum of the regularization losses, which every replica adds, over the number of replicas.

    >>> tf.nn.scale_regularization_loss([1.0, 2.0]).numpy()
    np.float32(3.0)
    """
    losses = convert_to_tensor(regularization_loss)
    replicas = _replicas("scale_regularization_loss")
    return reduce_sum(losses) / convert_to_tensor(replicas, losses.dtype)


def _replicas(function: str) -> int:
    """How many replicas a loss is one of."""
    if not state.strategies:
        return 1
    context = state.strategies[-1]
    if context.replica is None:
        raise RuntimeError(
            f"{function} is for the losses of a replica, and was called across replicas: call it "
            "in the function that Strategy.run gets."
        )
    count: int = context.strategy.num_replicas_in_sync
    return count
