"""`BatchNormalization` and `LayerNormalization`."""

from __future__ import annotations

import warnings
from typing import Any

import runnel as tf
from runnel.keras import constraints, initializers, regularizers
from runnel.keras.engine import graph_mode
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.layer.input_spec import InputSpec
from runnel.keras.layers.arguments import written
from runnel.keras.layers.core import when_training
from runnel.keras.layers.normalization import ghost_batches
from .batch_renormalization import add_statistics, composed, correction

_SETTINGS = """axis momentum epsilon center scale beta_initializer gamma_initializer
moving_mean_initializer moving_variance_initializer beta_regularizer gamma_regularizer
beta_constraint gamma_constraint""".split()
_RENORM = ("renorm", "renorm_clipping", "renorm_momentum")


def _as_axes(axis: Any) -> Any:
    if isinstance(axis, list | tuple):
        return list(axis)
    if not isinstance(axis, int):
        raise TypeError(
            "Expected an int or a list/tuple of ints for the argument 'axis', but received: "
            f"{axis!r}"
        )
    return axis


_many_replicas: Any = tf.__internal__.distribute.many_replicas


def checked_axes(axis: Any, rank: int) -> list[int]:
    """Axes as a list of numbers from 0."""
    axes = list(axis) if isinstance(axis, list | tuple) else [axis]
    found = [a + rank if a < 0 else a for a in axes]
    if any(not 0 <= a < rank for a in found) or len(set(found)) != len(found):
        raise ValueError(f"Invalid value for `axis` argument: {axis} for inputs of rank {rank}.")
    return found


class BatchNormalization(Layer):
    """Centred and scaled by the mean and variance of the batch; by moving ones in inference.

    Args:
        axis: the axis of the features.
        momentum: how slowly the moving mean and variance change.
        epsilon: a small number, against division by zero.
        center, scale: whether a bias (beta) and a factor (gamma) are learnt.
        beta_initializer, gamma_initializer: what the bias and the factor begin with.
        moving_mean_initializer, moving_variance_initializer: what these begin with.
        beta_regularizer, gamma_regularizer: penalties on them.
        beta_constraint, gamma_constraint: functions that they go through after each update.
        synchronized: whether replicas share the mean and variance of a step.

    >>> layer = tf.keras.layers.BatchNormalization()
    >>> layer(tf.constant([[1.0], [3.0]]), training=True).numpy().round(2)
    array([[-1.],
           [ 1.]], dtype=float32)
    """

    def __init__(
        self,
        axis: Any = -1,
        momentum: float = 0.99,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        moving_mean_initializer: Any = "zeros",
        moving_variance_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        synchronized: bool = False,
        **kwargs: Any,
    ) -> None:
        self._take_older_options(kwargs)
        super().__init__(**kwargs)
        self.axis = _as_axes(axis)
        self.momentum, self.epsilon = momentum, epsilon
        self.center, self.scale = center, scale
        self.synchronized = synchronized
        self.beta_initializer = initializers.get(beta_initializer)
        self.gamma_initializer = initializers.get(gamma_initializer)
        self.moving_mean_initializer = initializers.get(moving_mean_initializer)
        self.moving_variance_initializer = initializers.get(moving_variance_initializer)
        self.beta_regularizer = regularizers.get(beta_regularizer)
        self.gamma_regularizer = regularizers.get(gamma_regularizer)
        self.beta_constraint = constraints.get(beta_constraint)
        self.gamma_constraint = constraints.get(gamma_constraint)
        self.supports_masking = True
        self._check_fused()

    def _take_older_options(self, kwargs: dict[str, Any]) -> None:
        """What Keras takes without naming it: ways to normalise, and how variances are kept."""
        self.fused = kwargs.pop("fused", None)
        self.virtual_batch_size = kwargs.pop("virtual_batch_size", None)
        self.adjustment = kwargs.pop("adjustment", None)
        self.renorm = kwargs.pop("renorm", False)
        self.renorm_clipping = dict(kwargs.pop("renorm_clipping", None) or {})
        self.renorm_momentum = kwargs.pop("renorm_momentum", 0.99)
        unknown = sorted(set(self.renorm_clipping) - {"rmax", "rmin", "dmax"})
        if unknown:
            raise ValueError(f"`renorm_clipping` has rmax, rmin and dmax. Received: {unknown}")

    def _check_fused(self) -> None:
        """Whether TensorFlow's kernel for images can be used, which `fused=True` asks for."""
        reason = self._not_fused()
        if self.fused and reason:
            raise ValueError(
                f"BatchNormalization: `fused=True` is not supported with {reason}. Leave `fused` "
                "out to have the layer choose."
            )
        if reason:
            self.fused = False

    def _not_fused(self) -> str | None:
        if self.synchronized:
            return "`synchronized=True`"
        axes = self.axis if isinstance(self.axis, list) else [self.axis]
        kinds = (None, "float16", "bfloat16", "float32")
        reasons = {
            "`renorm=True`": self.renorm,
            f"axis={self.axis}": len(axes) > 1 or axes[0] not in (-4, -3, -1, 1, 3, 4),
            "`virtual_batch_size`": self.virtual_batch_size is not None,
            "`adjustment`": self.adjustment is not None,
            f"computing in {self.compute_dtype}": self.compute_dtype not in kinds,
        }
        return next((reason for reason, holds in reasons.items() if holds), None)

    def _settle_fused(self, axes: list[int], input_shape: tf.TensorShape) -> None:
        """Choose, now that the rank is known."""
        rank = len(input_shape)
        if self.fused and rank not in (4, 5):
            raise ValueError(
                "BatchNormalization: `fused=True` is for inputs of rank 4 or 5. Received inputs of "
                f"shape {tuple(input_shape)}; leave `fused` out to have the layer choose."
            )
        if self.fused is None:
            self.fused = rank in (4, 5)
        if self.fused and axes not in ([1], [rank - 1]):
            if rank == 4:
                raise ValueError(
                    "BatchNormalization: with `fused=True`, images have `axis=1` or `axis=3`. "
                    f"Received: axis={tuple(axes)}"
                )
            self.fused = False

    @property
    def _param_dtype(self) -> Any:
        low = self.compute_dtype in ("float16", "bfloat16")
        return "float32" if low else self.variable_dtype

    def build(self, input_shape: Any) -> None:
        input_shape = tf.TensorShape(input_shape)
        axes = checked_axes(self.axis, input_shape.rank)
        sizes = {a: input_shape[a] for a in axes}
        for a, size in sizes.items():
            if size is None:
                raise ValueError(
                    f"Input has undefined `axis` dimension. Received input with shape "
                    f"{input_shape}. Axis value: {a}"
                )
        ghost_batches.check(self, axes)
        self._settle_fused(axes, input_shape)
        self.axis = self._no_wrap(axes)
        self.input_spec = InputSpec(ndim=input_shape.rank, axes=sizes)
        if self.virtual_batch_size is not None:
            shape: Any = ghost_batches.weight_shape(sizes, input_shape.rank)
        elif len(axes) == 1:
            shape = (sizes[axes[0]],)
        else:
            shape = [sizes.get(i, 1) for i in range(input_shape.rank)]
        self._make_weights(shape)
        super().build(input_shape)

    def _no_wrap(self, value: Any) -> Any:
        return tf.__internal__.tracking.NoDependency(value)

    def _make_weights(self, shape: Any) -> None:
        kept: Any = {
            "synchronization": tf.VariableSynchronization.ON_READ,
            "aggregation": tf.VariableAggregation.MEAN,
        }

        def make(name: str, kind: str, trainable: bool = True) -> Any:
            return self.add_weight(
                name,
                shape=shape,
                dtype=self._param_dtype,
                initializer=getattr(self, f"{kind}_initializer"),
                regularizer=getattr(self, f"{kind}_regularizer", None),
                constraint=getattr(self, f"{kind}_constraint", None),
                trainable=trainable,
                experimental_autocast=False,
                **({} if trainable else kept),
            )

        self.gamma = make("gamma", "gamma") if self.scale else None
        self.beta = make("beta", "beta") if self.center else None
        self.moving_mean = make("moving_mean", "moving_mean", trainable=False)
        self.moving_variance = make("moving_variance", "moving_variance", trainable=False)
        if self.renorm:
            add_statistics(self, shape)

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        if not self.trainable:
            training = False  # frozen: inference, and the statistics stay
        inputs = tf.cast(inputs, self.compute_dtype)
        kind = inputs.dtype
        low = kind in (tf.float16, tf.bfloat16)
        values = tf.cast(inputs, tf.float32) if low else inputs
        outputs = when_training(
            training,
            lambda: self._normalized_by_batch(values, mask),
            lambda: self._by_moving(values),
        )
        return tf.cast(outputs, kind) if low else outputs

    def _broadcast(self, weight: Any, values: Any) -> Any:
        """A weight so shaped that it goes along the normalised axes."""
        if weight is None:
            return None
        rank = values.shape.rank
        axes = checked_axes(self.axis, rank)
        if len(axes) != 1 or axes[0] == rank - 1:
            return tf.convert_to_tensor(weight)
        return tf.reshape(weight, [-1 if i == axes[0] else 1 for i in range(rank)])

    def _normalized(self, values: Any, mean: Any, variance: Any, scale: Any, offset: Any) -> Any:
        mean, variance = self._broadcast(mean, values), self._broadcast(variance, values)
        return tf.nn.batch_normalization(values, mean, variance, offset, scale, self.epsilon)

    def _scale_and_offset(self, values: Any) -> tuple[Any, Any]:
        return self._broadcast(self.gamma, values), self._broadcast(self.beta, values)

    def _by_moving(self, values: Any) -> Any:
        if self.virtual_batch_size is not None:
            return ghost_batches.by_moving(self, values)
        last = self._scale_and_offset(values)
        return self._normalized(values, self.moving_mean, self.moving_variance, *last)

    def _normalized_by_batch(self, values: Any, mask: Any) -> Any:
        if self.virtual_batch_size is not None:
            return ghost_batches.by_batch(self, values, mask)
        mean, variance = self._moments(values, mask)
        if _many_replicas() is not None:  # of which one may be without examples
            some = tf.shape(values)[0] > 0
            mean = tf.where(some, mean, tf.zeros_like(mean))
            variance = tf.where(some, variance, tf.zeros_like(variance))
        last = self._scale_and_offset(values)
        if self.adjustment is not None:
            last = composed(self.adjustment(tf.shape(values)), last)
        if self.renorm:
            factor, shift = correction(self, mean, variance)
            last = composed((self._broadcast(factor, values), self._broadcast(shift, values)), last)
        else:
            kept = self._moving_variance(values, variance)
            self._update(self.moving_mean, mean, values=values)
            self._update(self.moving_variance, kept, values=values)
        return self._normalized(values, mean, variance, *last)

    def _moving_variance(self, values: Any, variance: Any) -> Any:
        """The variance of images is kept without bias, as TensorFlow's fused kernel does."""
        if not self.fused:
            return variance
        axes = checked_axes(self.axis, values.shape.rank)
        shape = tf.shape(values)
        count = tf.cast(tf.size(values) // shape[axes[0]], values.dtype)
        return variance * (count / tf.maximum(count - 1.0, 1.0))

    def _moments(self, values: Any, mask: Any) -> tuple[Any, Any]:
        rank = values.shape.rank
        axes = checked_axes(self.axis, rank)
        reduced = [i for i in range(rank) if i not in axes]
        keep = len(axes) > 1
        if self.fused and mask is not None:
            warnings.warn(
                "BatchNormalization: the kernel for images takes no mask, so that it is ignored. "
                "Give `fused=False` to have it regarded.",
                stacklevel=2,
            )
            mask = None
        if self.synchronized and _many_replicas() is not None and mask is None:
            return _moments_of_all(values, reduced, keep)
        if mask is None or mask.shape.rank is None:
            return tf.nn.moments(values, reduced, keepdims=keep)
        weights = tf.cast(mask, values.dtype)
        for _ in range(rank - mask.shape.rank):
            weights = tf.expand_dims(weights, -1)
        weights = tf.broadcast_to(weights, tf.shape(values))
        return tf.nn.weighted_moments(values, reduced, weights, keepdims=keep)

    def _update(
        self, moving: Any, value: Any, momentum: float | None = None, values: Any = None
    ) -> None:
        if graph_mode.is_realising():  # a session that wants outputs alone changes nothing
            return
        decay = tf.cast(1.0 - (self.momentum if momentum is None else momentum), moving.dtype)
        delta = (moving - tf.cast(value, moving.dtype)) * decay
        if values is not None and _many_replicas() is not None:
            delta = tf.where(tf.size(values) > 0, delta, tf.zeros_like(delta))
        moving.assign_sub(delta)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        names = (*_SETTINGS, *_RENORM) if self.renorm else _SETTINGS
        config = {**super().get_config(), **written(self, names)}
        if self.virtual_batch_size is not None:
            config["virtual_batch_size"] = self.virtual_batch_size
        if self.adjustment is not None:
            tf.get_logger().warning(
                "The `adjustment` of the layer %s is a function, which a config cannot hold: a "
                "layer that is made of the config will have none.",
                self.name,
            )
        return config


def _moments_of_all(values: Any, axes: list[int], keepdims: bool) -> tuple[Any, Any]:
    """Mean and variance over the examples of all replicas."""
    total = tf.reduce_sum(values, axes, keepdims=keepdims)
    squares = tf.reduce_sum(tf.square(values), axes, keepdims=keepdims)
    count = tf.cast(tf.reduce_prod(tf.gather(tf.shape(values), axes)), values.dtype)
    total, squares, count = _many_replicas().all_reduce("SUM", [total, squares, count])
    mean = total / count
    return mean, squares / count - tf.square(mean)


class LayerNormalization(Layer):
    """Centred and scaled by the mean and variance of each example.

    Args:
        axis: the axis, or axes, over which each sample is normalised.
        epsilon: a small number, against division by zero.
        center, scale: whether a bias (beta) and a factor (gamma) are learnt.
        beta_initializer, gamma_initializer: what the bias and the factor begin with.
        beta_regularizer, gamma_regularizer: penalties on them.
        beta_constraint, gamma_constraint: functions that they go through after each update.

    >>> layer = tf.keras.layers.LayerNormalization()
    >>> layer(tf.constant([[1.0, 3.0]])).numpy().round(2)
    array([[-1.,  1.]], dtype=float32)
    """

    def __init__(
        self,
        axis: Any = -1,
        epsilon: float = 1e-3,
        center: bool = True,
        scale: bool = True,
        beta_initializer: Any = "zeros",
        gamma_initializer: Any = "ones",
        beta_regularizer: Any = None,
        gamma_regularizer: Any = None,
        beta_constraint: Any = None,
        gamma_constraint: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.axis = _as_axes(axis)
        self.epsilon, self.center, self.scale = epsilon, center, scale
        self.beta_initializer = initializers.get(beta_initializer)
        self.gamma_initializer = initializers.get(gamma_initializer)
        self.beta_regularizer = regularizers.get(beta_regularizer)
        self.gamma_regularizer = regularizers.get(gamma_regularizer)
        self.beta_constraint = constraints.get(beta_constraint)
        self.gamma_constraint = constraints.get(gamma_constraint)
        self.supports_masking = True

    def build(self, input_shape: Any) -> None:
        input_shape = tf.TensorShape(input_shape)
        axes = checked_axes(self.axis, input_shape.rank)
        shape = [input_shape[a] for a in axes]
        self.axis = tf.__internal__.tracking.NoDependency(axes)

        def make(name: str) -> Any:
            return self.add_weight(
                name,
                shape=shape,
                initializer=getattr(self, f"{name}_initializer"),
                regularizer=getattr(self, f"{name}_regularizer"),
                constraint=getattr(self, f"{name}_constraint"),
                experimental_autocast=False,
            )

        self.gamma = make("gamma") if self.scale else None
        self.beta = make("beta") if self.center else None
        super().build(input_shape)

    def call(self, inputs: Any) -> Any:
        inputs = tf.cast(inputs, self.compute_dtype)
        kind = inputs.dtype
        low = kind in (tf.float16, tf.bfloat16)
        values = tf.cast(inputs, tf.float32) if low else inputs
        rank = values.shape.rank
        axes = checked_axes(self.axis, rank)
        mean, variance = tf.nn.moments(values, axes, keepdims=True)
        outputs = tf.nn.batch_normalization(
            values,
            mean,
            variance,
            self._broadcast(self.beta, axes, rank, values.dtype),
            self._broadcast(self.gamma, axes, rank, values.dtype),
            self.epsilon,
        )
        return tf.cast(outputs, kind) if low else outputs

    def _broadcast(self, weight: Any, axes: list[int], rank: int, dtype: Any) -> Any:
        if weight is None:
            return None
        if weight.dtype != dtype:  # of a layer that is float16 throughout
            weight = tf.cast(weight, dtype)
        if axes == [rank - 1]:
            return weight
        sizes = dict(zip(axes, weight.shape.as_list(), strict=True))
        return tf.reshape(weight, [sizes.get(i, 1) for i in range(rank)])

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "axis": self.axis,
            "epsilon": self.epsilon,
            "center": self.center,
            "scale": self.scale,
            "beta_initializer": initializers.serialize(self.beta_initializer),
            "gamma_initializer": initializers.serialize(self.gamma_initializer),
            "beta_regularizer": regularizers.serialize(self.beta_regularizer),
            "gamma_regularizer": regularizers.serialize(self.gamma_regularizer),
            "beta_constraint": constraints.serialize(self.beta_constraint),
            "gamma_constraint": constraints.serialize(self.gamma_constraint),
        }
