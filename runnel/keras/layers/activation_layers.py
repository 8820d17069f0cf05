"""Activations as layers: those with settings or weights of their own."""

from __future__ import annotations

from typing import Any

import numpy as np

import runnel as tf
from runnel.keras import activations, constraints, initializers, regularizers
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.layer.input_spec import InputSpec
from runnel.keras.engine.settings import floatx


class _Elementwise(Layer):
    """Every element by itself: the shape and the mask stay."""

    supports_masking = True

    def compute_output_shape(self, input_shape: Any) -> Any:
        return tf.TensorShape(input_shape)


def _not_negative(layer: str, **values: Any) -> None:
    for name, value in values.items():
        if value is None or value < 0.0:
            raise ValueError(f"`{name}` of a {layer} layer cannot be negative, got {value}.")


def _rounded(value: float) -> float:
    """The number as Keras stores it, in the default dtype of floats."""
    return float(np.asarray(value, dtype=floatx()))


class ReLU(_Elementwise):
    """`inputs` where they are above `threshold`, at most `max_value`.

    Args:
        max_value: the largest output; None for no bound.
        negative_slope: the slope below the threshold.
        threshold: below it, the output is 0 or follows the slope.

    >>> tf.keras.layers.ReLU(max_value=1.0)(tf.constant([-3.0, 0.5, 2.0])).numpy()
    array([0. , 0.5, 1. ], dtype=float32)
    """

    def __init__(
        self,
        max_value: float | None = None,
        negative_slope: float = 0.0,
        threshold: float = 0.0,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        if max_value is not None:
            _not_negative("ReLU", max_value=max_value)
        _not_negative("ReLU", negative_slope=negative_slope, threshold=threshold)
        self.max_value = None if max_value is None else _rounded(max_value)
        self.negative_slope = _rounded(negative_slope)
        self.threshold = _rounded(threshold)

    def call(self, inputs: Any) -> Any:
        return activations.relu(
            inputs,
            alpha=self.negative_slope,
            max_value=self.max_value,
            threshold=self.threshold,
        )

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "max_value": self.max_value,
            "negative_slope": self.negative_slope,
            "threshold": self.threshold,
        }


class LeakyReLU(_Elementwise):
    """`inputs`, negative ones times `alpha`.

    >>> tf.keras.layers.LeakyReLU(0.5)(tf.constant([-2.0, 2.0])).numpy()
    array([-1.,  2.], dtype=float32)
    """

    def __init__(self, alpha: float = 0.3, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if alpha is None:
            raise ValueError("`alpha` of a LeakyReLU layer cannot be None.")
        self.alpha = _rounded(alpha)

    def call(self, inputs: Any) -> Any:
        return tf.nn.leaky_relu(inputs, alpha=self.alpha)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "alpha": self.alpha}


class PReLU(_Elementwise):
    """`inputs`, negative ones times weights that are learned.

    >>> tf.keras.layers.PReLU("ones")(tf.constant([[-2.0, 2.0]])).numpy()
    array([[-2.,  2.]], dtype=float32)
    """

    def __init__(
        self,
        alpha_initializer: Any = "zeros",
        alpha_regularizer: Any = None,
        alpha_constraint: Any = None,
        shared_axes: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.alpha_initializer = initializers.get(alpha_initializer)
        self.alpha_regularizer = regularizers.get(alpha_regularizer)
        self.alpha_constraint = constraints.get(alpha_constraint)
        if shared_axes is not None and not isinstance(shared_axes, list | tuple):
            shared_axes = [shared_axes]
        self.shared_axes = None if shared_axes is None else list(shared_axes)

    def build(self, input_shape: Any) -> None:
        dims = tf.TensorShape(input_shape).as_list()
        shared = self.shared_axes or []
        shape = dims[1:]
        for axis in shared:
            if axis >= len(dims):
                raise IndexError(
                    f"PReLU: `shared_axes` must be axes of inputs of rank {len(dims)}, got {axis}."
                )
            shape[axis - 1] = 1
        self.alpha = self.add_weight(
            "alpha",
            shape=shape,
            initializer=self.alpha_initializer,
            regularizer=self.alpha_regularizer,
            constraint=self.alpha_constraint,
        )
        fixed = {axis: dims[axis] for axis in range(1, len(dims)) if axis not in shared}
        self.input_spec = InputSpec(ndim=len(dims), axes=fixed if shared else {})
        super().build(input_shape)

    def call(self, inputs: Any) -> Any:
        return tf.nn.relu(inputs) - self.alpha * tf.nn.relu(-inputs)

    def get_config(self) -> dict[str, Any]:
        return {
            **super().get_config(),
            "alpha_initializer": initializers.serialize(self.alpha_initializer),
            "alpha_regularizer": regularizers.serialize(self.alpha_regularizer),
            "alpha_constraint": constraints.serialize(self.alpha_constraint),
            "shared_axes": self.shared_axes,
        }


class ELU(_Elementwise):
    """`inputs`, negative ones as `alpha * (exp(x) - 1)`.

    >>> tf.keras.layers.ELU()(tf.constant([0.0, 2.0])).numpy()
    array([0., 2.], dtype=float32)
    """

    def __init__(self, alpha: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if alpha is None:
            raise ValueError("`alpha` of an ELU layer cannot be None.")
        self.alpha = _rounded(alpha)

    def call(self, inputs: Any) -> Any:
        return activations.elu(inputs, self.alpha)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "alpha": self.alpha}


class ThresholdedReLU(_Elementwise):
    """`inputs` above `theta`, zero for the others.

    >>> tf.keras.layers.ThresholdedReLU(1.0)(tf.constant([0.5, 2.0])).numpy()
    array([0., 2.], dtype=float32)
    """

    def __init__(self, theta: float = 1.0, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        _not_negative("ThresholdedReLU", theta=theta)
        self.theta = _rounded(theta)

    def call(self, inputs: Any) -> Any:
        kind = self.compute_dtype
        return inputs * tf.cast(tf.cast(inputs, kind) > self.theta, kind)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "theta": self.theta}


class Softmax(_Elementwise):
    """Positive numbers that sum to one along an axis; masked places get none.

    Args:
        axis: the axis along which the sum is 1.
        robust_masking: whether masked places get exactly none.

    >>> tf.keras.layers.Softmax()(tf.constant([[1.0, 1.0]])).numpy()
    array([[0.5, 0.5]], dtype=float32)
    """

    def __init__(self, axis: Any = -1, robust_masking: bool = False, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.axis = axis
        self.robust_masking = robust_masking

    def call(self, inputs: Any, mask: Any = None) -> Any:
        if mask is not None:
            inputs = self._without_masked(inputs, mask)
        if isinstance(self.axis, list | tuple) and len(self.axis) > 1:
            total = tf.reduce_logsumexp(inputs, axis=self.axis, keepdims=True)
            return tf.exp(inputs - total)
        axis = self.axis[0] if isinstance(self.axis, list | tuple) else self.axis
        return activations.softmax(inputs, axis=axis)

    def _without_masked(self, inputs: Any, mask: Any) -> Any:
        low = tf.float16.min / 2.0 if inputs.dtype == tf.float16 else -1e9
        if not self.robust_masking:
            return inputs + (1.0 - tf.cast(mask, inputs.dtype)) * low
        if mask.dtype != tf.bool:
            mask = mask > tf.constant(0.5, dtype=mask.dtype)
        return tf.where(mask, inputs, tf.constant(low, inputs.dtype))

    def get_config(self) -> dict[str, Any]:
        robust = {"robust_masking": True} if self.robust_masking else {}
        return {**super().get_config(), "axis": self.axis, **robust}
