"""`BatchNormalization`: mean 0 and variance 1, by the moments of a batch or those kept of many."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.core.op.raw import raw_ops
from runnel.v1.layers.base import Layer, Spec
from runnel.v1.layers.renormalization import check_options, make_renorm_weights, normalized
from runnel.v1.variables.initializers import Ones, Zeros


class BatchNormalization(Layer):
    """Normalises along `axis`; the updates of the kept moments are in the collection UPDATE_OPS."""

    def __init__(
        self,
        axis: Any = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = Zeros(),  # noqa: B008
        gamma_initializer: Any = Ones(),  # noqa: B008
        moving_mean_initializer: Any = Zeros(),  # noqa: B008
        moving_variance_initializer: Any = Ones(),  # noqa: B008
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        renorm: bool = False,
        renorm_clipping: Any = None,
        renorm_momentum: float = 0.99,
        fused: bool | None = None,
        trainable: bool = True,
        virtual_batch_size: int | None = None,
        adjustment: Any = None,
        name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(trainable, name, **kwargs)
        self.axis = list(axis) if isinstance(axis, (list, tuple)) else [axis]
        self.momentum, self.epsilon, self.renorm_momentum = momentum, epsilon, renorm_momentum
        self.center, self.scale, self.fused = center, scale, fused
        check_options(renorm, renorm_clipping, virtual_batch_size, self.axis, adjustment)
        self.renorm, self.renorm_clipping = renorm, renorm_clipping or {}
        self.virtual_batch_size, self.adjustment = virtual_batch_size, adjustment
        self._is_rare = bool(renorm or adjustment or virtual_batch_size is not None)
        self.beta_initializer, self.gamma_initializer = beta_initializer, gamma_initializer
        self.moving_mean_initializer = moving_mean_initializer
        self.moving_variance_initializer = moving_variance_initializer
        self.beta_regularizer, self.gamma_regularizer = beta_regularizer, gamma_regularizer
        self.beta_constraint, self.gamma_constraint = beta_constraint, gamma_constraint
        self.beta: Any = None
        self.gamma: Any = None

    def build(self, input_shape: Any) -> None:
        rank = input_shape.rank
        if rank is None:
            raise ValueError("BatchNormalization: the rank of the inputs must be known.")
        self.axis = [a + rank if a < 0 else a for a in self.axis]
        if any(not 0 <= a < rank for a in self.axis) or len(set(self.axis)) != len(self.axis):
            raise ValueError(f"BatchNormalization: invalid axis {self.axis} for rank {rank}.")
        kept = [input_shape[a] for a in self.axis]
        if None in kept:
            raise ValueError(f"BatchNormalization: the sizes along {self.axis} must be known.")
        self.input_spec = Spec(ndim=rank, axes=dict(zip(self.axis, kept, strict=True)))
        if self._is_rare:
            if self.fused:
                raise ValueError("BatchNormalization: `fused` goes with no option such as renorm.")
            self.fused = False
        elif self.fused is None:
            self.fused = rank == 4 and self.axis in ([1], [3])
        elif self.fused and not (rank == 4 and self.axis in ([1], [3])):
            raise ValueError("BatchNormalization: `fused` is for images, along axis 1 or 3.")
        one = len(kept) == 1 and self.virtual_batch_size is None
        shape = kept if one else [n if i in self.axis else 1 for i, n in enumerate(input_shape)]
        if self.virtual_batch_size is not None:  # parts of the batch are one more dimension
            shape.insert(1, 1)
            self.axis = [a + 1 for a in self.axis]
        self._make_weights(shape)
        self.built = True

    def _make_weights(self, shape: list[Any]) -> None:
        dtype = tf.float32 if self._dtype in (tf.float16, tf.bfloat16) else self._dtype
        if self.scale:
            self.gamma = self.add_weight(
                "gamma",
                shape,
                dtype,
                initializer=self.gamma_initializer,
                regularizer=self.gamma_regularizer,
                constraint=self.gamma_constraint,
            )
        if self.center:
            self.beta = self.add_weight(
                "beta",
                shape,
                dtype,
                initializer=self.beta_initializer,
                regularizer=self.beta_regularizer,
                constraint=self.beta_constraint,
            )
        self.moving_mean = self.add_weight(
            "moving_mean", shape, dtype, initializer=self.moving_mean_initializer, trainable=False
        )
        self.moving_variance = self.add_weight(
            "moving_variance",
            shape,
            dtype,
            initializer=self.moving_variance_initializer,
            trainable=False,
        )
        if self.renorm:
            make_renorm_weights(self, shape, dtype)

    def call(self, inputs: Any, training: Any = False) -> Any:  # type: ignore[override]
        known = tf.get_static_value(training) if isinstance(training, tf.Tensor) else training
        if known is not None:
            known = bool(known) and self.trainable
        if self._is_rare:
            return normalized(self, inputs, training if known is None else known)
        normalize = self._fused if self.fused else self._plain
        if known is not None:
            found, mean, variance = normalize(inputs, known)
        else:
            flag = tf.cast(training, tf.bool)
            found, mean, variance = tf.cond(
                flag, lambda: normalize(inputs, True), lambda: normalize(inputs, False)
            )
        found.set_shape(inputs.shape)
        if known is not False:
            rate: Any = 1.0 - self.momentum
            if known is None:
                rate = tf.where(tf.cast(training, tf.bool), rate, 0.0)
            self.add_update(
                [
                    self._moved(self.moving_mean, mean, rate),
                    self._moved(self.moving_variance, variance, rate),
                ]
            )
        return found

    def _moved(self, variable: Any, value: Any, rate: Any) -> Any:
        with tf.name_scope("AssignMovingAvg"):
            rate = tf.cast(rate, variable.dtype)
            value = tf.cast(value, variable.dtype)
            return variable.assign_sub((variable - value) * rate)

    def _fused(self, inputs: Any, training: bool) -> tuple[Any, Any, Any]:
        found, mean, variance, *_ = raw_ops.FusedBatchNormV3(
            x=inputs,
            scale=tf.ones_like(self.moving_mean) if self.gamma is None else self.gamma,
            offset=tf.zeros_like(self.moving_mean) if self.beta is None else self.beta,
            mean=tf.constant([]) if training else self.moving_mean,
            variance=tf.constant([]) if training else self.moving_variance,
            epsilon=max(self.epsilon, 1.001e-5),
            data_format="NCHW" if self.axis == [1] else "NHWC",
            is_training=training,
        )
        return found, mean, variance

    def _plain(self, inputs: Any, training: bool) -> tuple[Any, Any, Any]:
        rank = inputs.shape.rank
        others = [i for i in range(rank) if i not in self.axis]
        if training:
            keep = len(self.axis) > 1
            mean, variance = tf.nn.moments(inputs, others, keepdims=keep)
        else:
            mean, variance = tf.identity(self.moving_mean), tf.identity(self.moving_variance)
        spread = [n if i in self.axis else 1 for i, n in enumerate(inputs.shape)]

        def wide(value: Any) -> Any:
            if value is None:
                return None
            value = tf.cast(value, inputs.dtype)
            return value if others == list(range(rank - 1)) else tf.reshape(value, spread)

        found = tf.nn.batch_normalization(
            inputs, wide(mean), wide(variance), wide(self.beta), wide(self.gamma), self.epsilon
        )
        return found, mean, variance
