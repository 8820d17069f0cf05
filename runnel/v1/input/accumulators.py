"""Gradients that are gathered in a graph until enough of them are there."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.core.op.raw import raw_ops
from runnel.core.values.types import DTypeLike, ShapeLike, TensorLike


class ConditionalAccumulatorBase:
    """What gathers gradients; those of older steps than the newest taken are dropped."""

    def __init__(self, dtype: DTypeLike, shape: ShapeLike, accumulator_ref: Any) -> None:
        self._dtype = tf.as_dtype(dtype)
        self._shape = tf.TensorShape(shape)
        self._ref = accumulator_ref

    @property
    def accumulator_ref(self) -> Any:
        """The handle of the accumulator."""
        return self._ref

    @property
    def name(self) -> str:
        """The name of the operation that makes it."""
        return str(self._ref.op.name)

    @property
    def dtype(self) -> Any:
        """The dtype of the gradients."""
        return self._dtype

    def num_accumulated(self, name: str | None = None) -> Any:
        """How many gradients are there."""
        title = name or f"{self.name.rpartition('/')[2]}_NumAccumulated"
        return raw_ops.ResourceAccumulatorNumAccumulated(self._ref, name=title)

    def set_global_step(self, new_global_step: TensorLike, name: str | None = None) -> Any:
        """Drop gradients of older steps than this one from now on; it never falls."""
        step = tf.cast(new_global_step, tf.int64)
        return raw_ops.ResourceAccumulatorSetGlobalStep(self._ref, step, name=name)


class ConditionalAccumulator(ConditionalAccumulatorBase):
    """Adds up dense gradients, and gives their mean when as many are there as are asked for.

    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     gathered = tf.compat.v1.ConditionalAccumulator(tf.float32, shape=[2])
    ...     session.run([gathered.apply_grad([1.0, 2.0]), gathered.apply_grad([3.0, 4.0])])
    ...     session.run(gathered.take_grad(2)).tolist()
    [None, None]
    [2.0, 3.0]
    """

    def __init__(
        self,
        dtype: DTypeLike,
        shape: ShapeLike = None,
        shared_name: str | None = None,
        name: str = "conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        if reduction_type not in ("MEAN", "SUM"):
            raise ValueError(
                f"ConditionalAccumulator: `reduction_type` is MEAN or SUM, got {reduction_type!r}."
            )
        made = raw_ops.ResourceConditionalAccumulator(
            dtype=tf.as_dtype(dtype),
            shape=tf.TensorShape(shape),
            shared_name=shared_name or "",
            name=name,
            reduction_type=reduction_type,
        )
        super().__init__(dtype, shape, made)

    def apply_grad(
        self, grad: TensorLike, local_step: TensorLike = 0, name: str | None = None
    ) -> Any:
        """Add a gradient that was computed in a step; the operation."""
        gradient = tf.convert_to_tensor(grad, self._dtype)
        gradient.shape.assert_is_compatible_with(self._shape)
        step = tf.cast(local_step, tf.int64)
        return raw_ops.ResourceAccumulatorApplyGradient(self._ref, step, gradient, name=name)

    def take_grad(self, num_required: TensorLike, name: str | None = None) -> Any:
        """Wait for so many gradients; their mean or sum. The step then goes on by one."""
        found = raw_ops.ResourceAccumulatorTakeGradient(
            self._ref, num_required, dtype=self._dtype, name=name
        )
        found.set_shape(self._shape)
        return found
