"""`BatchNormalization` and `LayerNormalization`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras import constraints, initializers, regularizers
from runnel.keras.engine.base_layer import Layer
from runnel.keras.engine.input_spec import InputSpec
from runnel.keras.layers.arguments import written
from runnel.keras.layers.batch_renormalization import add_statistics, correction
from runnel.keras.layers.core import when_training

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


def checked_axes(axis: Any, rank: int) -> list[int]:
    """Axes as a list of numbers from 0."""
    axes = list(axis) if isinstance(axis, list | tuple) else [axis]
    found = [a + rank if a < 0 else a for a in axes]
    if any(not 0 <= a < rank for a in found) or len(set(found)) != len(found):
        raise ValueError(f"Invalid value for `axis` argument: {axis} for inputs of rank {rank}.")
    return found


class BatchNormalization(Layer):
    """Centred and scaled by the mean and variance of the batch; by moving ones in inference.

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

    def _take_older_options(self, kwargs: dict[str, Any]) -> None:
        """What Keras takes without naming it: batch renormalization, and how variances are kept."""
        self.fused = kwargs.pop("fused", None)
        self.renorm = kwargs.pop("renorm", False)
        self.renorm_clipping = dict(kwargs.pop("renorm_clipping", None) or {})
        self.renorm_momentum = kwargs.pop("renorm_momentum", 0.99)
        unknown = sorted(set(self.renorm_clipping) - {"rmax", "rmin", "dmax"})
        if unknown:
            raise ValueError(f"`renorm_clipping` has rmax, rmin and dmax. Received: {unknown}")
        if self.fused and self.renorm:
            raise ValueError("With `fused=True`, `renorm=True` is not supported.")

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
        self.axis = self._no_wrap(axes)
        self.input_spec = InputSpec(ndim=input_shape.rank, axes=sizes)
        if len(axes) == 1:
            shape: Any = (sizes[axes[0]],)
        else:
            shape = [sizes.get(i, 1) for i in range(input_shape.rank)]
        self._make_weights(shape)
        super().build(input_shape)

    def _no_wrap(self, value: Any) -> Any:
        return tf.__internal__.tracking.NoDependency(value)

    def _make_weights(self, shape: Any) -> None:
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

    def _normalized(self, values: Any, mean: Any, variance: Any) -> Any:
        mean, variance = self._broadcast(mean, values), self._broadcast(variance, values)
        offset, scale = self._broadcast(self.beta, values), self._broadcast(self.gamma, values)
        return tf.nn.batch_normalization(values, mean, variance, offset, scale, self.epsilon)

    def _by_moving(self, values: Any) -> Any:
        return self._normalized(values, self.moving_mean, self.moving_variance)

    def _normalized_by_batch(self, values: Any, mask: Any) -> Any:
        mean, variance = self._moments(values, mask)
        if self.renorm:
            return self._renormalized(values, mean, variance)
        self._update(self.moving_mean, mean)
        self._update(self.moving_variance, self._moving_variance(values, variance))
        return self._normalized(values, mean, variance)

    def _renormalized(self, values: Any, mean: Any, variance: Any) -> Any:
        factor, shift = correction(self, mean, variance)
        scale = factor if self.gamma is None else factor * self.gamma
        offset = shift if self.gamma is None else shift * self.gamma
        offset = offset if self.beta is None else offset + self.beta
        mean, variance, offset, scale = (
            self._broadcast(t, values) for t in (mean, variance, offset, scale)
        )
        return tf.nn.batch_normalization(values, mean, variance, offset, scale, self.epsilon)

    def _moving_variance(self, values: Any, variance: Any) -> Any:
        """The variance of images is kept without bias, as TensorFlow's fused kernel does."""
        rank = values.shape.rank
        axes = checked_axes(self.axis, rank)
        if rank != 4 or axes not in ([1], [3]) or self.synchronized or self.fused is False:
            return variance
        shape = tf.shape(values)
        count = tf.cast(tf.size(values) // shape[axes[0]], values.dtype)
        return variance * (count / tf.maximum(count - 1.0, 1.0))

    def _moments(self, values: Any, mask: Any) -> tuple[Any, Any]:
        rank = values.shape.rank
        axes = checked_axes(self.axis, rank)
        reduced = [i for i in range(rank) if i not in axes]
        keep = len(axes) > 1
        if mask is None or mask.shape.rank is None:
            return tf.nn.moments(values, reduced, keepdims=keep)
        weights = tf.cast(mask, values.dtype)
        for _ in range(rank - mask.shape.rank):
            weights = tf.expand_dims(weights, -1)
        weights = tf.broadcast_to(weights, tf.shape(values))
        return tf.nn.weighted_moments(values, reduced, weights, keepdims=keep)

    def _update(self, moving: Any, value: Any, momentum: float | None = None) -> None:
        decay = tf.cast(1.0 - (self.momentum if momentum is None else momentum), moving.dtype)
        moving.assign_sub((moving - tf.cast(value, moving.dtype)) * decay)

    def compute_output_shape(self, input_shape: Any) -> Any:
        return input_shape

    def get_config(self) -> dict[str, Any]:
        names = (*_SETTINGS, *_RENORM) if self.renorm else _SETTINGS
        return {**super().get_config(), **written(self, names)}


class LayerNormalization(Layer):
    """Centred and scaled by the mean and variance of each example.

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
            self._broadcast(self.beta, axes, rank),
            self._broadcast(self.gamma, axes, rank),
            self.epsilon,
        )
        return tf.cast(outputs, kind) if low else outputs

    def _broadcast(self, weight: Any, axes: list[int], rank: int) -> Any:
        if weight is None or axes == [rank - 1]:
            return weight
        sizes = iter(weight.shape.as_list())
        return tf.reshape(weight, [next(sizes) if i in axes else 1 for i in range(rank)])

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
