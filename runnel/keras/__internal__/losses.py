"""`tf.keras.__internal__.losses`: what losses are made of."""

from typing import Any

import runnel as tf
from runnel.keras.losses.base import LossFunctionWrapper as LossFunctionWrapper
from runnel.keras.losses.reduction import Reduction, weighted_loss


def compute_weighted_loss(
    losses: Any,
    sample_weight: Any = None,
    reduction: str = Reduction.SUM_OVER_BATCH_SIZE,
    name: str | None = None,
) -> Any:
    """Losses times their weights, reduced to a number or left as they are."""
    Reduction.validate(reduction)
    with tf.name_scope(name or "weighted_loss"):
        return weighted_loss(losses, sample_weight, reduction)
