"""`tf.keras.constraints`: what weights are mapped to after each step of an optimizer."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.settings import epsilon
from runnel.keras.saving.config_errors import reads_config
from runnel.keras.saving.lookup import Lookup


class Constraint:
    """A function from a weight to its nearest allowed value.

    >>> class Even(tf.keras.constraints.Constraint):
    ...     def __call__(self, w):
    ...         return tf.round(w / 2) * 2
    >>> float(Even()(tf.constant(2.7)))
    2.0
    """

    def __call__(self, w: Any) -> Any:
        raise NotImplementedError("Constraint subclasses implement `__call__`.")

    def get_config(self) -> dict[str, Any]:
        """The arguments with which another can be made."""
        return {}

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A constraint with the arguments of `get_config`."""
        return cls(**config)


def _norms(w: Any, axis: Any) -> tf.Tensor:
    return tf.sqrt(tf.reduce_sum(tf.square(w), axis=axis, keepdims=True))


class MaxNorm(Constraint):
    """Vectors along `axis` no longer than `max_value`.

    >>> tf.keras.constraints.MaxNorm(5.0)(tf.constant([[6.0], [8.0]])).numpy().round(3)
    array([[3.],
           [4.]], dtype=float32)
    """

    def __init__(self, max_value: float = 2, axis: Any = 0) -> None:
        self.max_value, self.axis = max_value, axis

    def __call__(self, w: Any) -> tf.Tensor:
        norms = _norms(w, self.axis)
        desired = tf.clip_by_value(norms, 0, self.max_value)
        return w * (desired / (epsilon() + norms))

    def get_config(self) -> dict[str, Any]:
        return {"max_value": self.max_value, "axis": self.axis}


class NonNeg(Constraint):
    """No negative values.

    >>> tf.keras.constraints.NonNeg()(tf.constant([-1.0, 2.0])).numpy()
    array([-0.,  2.], dtype=float32)
    """

    def __call__(self, w: Any) -> tf.Tensor:
        w = tf.convert_to_tensor(w)
        return w * tf.cast(tf.greater_equal(w, 0.0), w.dtype)


class UnitNorm(Constraint):
    """Vectors along `axis` of length one.

    >>> tf.keras.constraints.UnitNorm()(tf.constant([[3.0], [4.0]])).numpy().round(3)
    array([[0.6],
           [0.8]], dtype=float32)
    """

    def __init__(self, axis: Any = 0) -> None:
        self.axis = axis

    def __call__(self, w: Any) -> tf.Tensor:
        return w / (epsilon() + _norms(w, self.axis))

    def get_config(self) -> dict[str, Any]:
        return {"axis": self.axis}


class MinMaxNorm(Constraint):
    """Vectors along `axis` drawn at `rate` towards lengths between two bounds.

    >>> tf.keras.constraints.MinMaxNorm(0.0, 1.0)(tf.constant([[3.0], [4.0]])).numpy().round(3)
    array([[0.6],
           [0.8]], dtype=float32)
    """

    def __init__(
        self, min_value: float = 0.0, max_value: float = 1.0, rate: float = 1.0, axis: Any = 0
    ) -> None:
        self.min_value, self.max_value, self.rate, self.axis = min_value, max_value, rate, axis

    def __call__(self, w: Any) -> tf.Tensor:
        norms = _norms(w, self.axis)
        clipped = tf.clip_by_value(norms, self.min_value, self.max_value)
        desired = self.rate * clipped + (1 - self.rate) * norms
        return w * (desired / (epsilon() + norms))

    def get_config(self) -> dict[str, Any]:
        return {
            "min_value": self.min_value,
            "max_value": self.max_value,
            "rate": self.rate,
            "axis": self.axis,
        }


class RadialConstraint(Constraint):
    """Square kernels of convolutions that are equal at equal distance from the centre.

    >>> kernel = tf.reshape(tf.range(9.0), [3, 3, 1, 1])
    >>> tf.keras.constraints.RadialConstraint()(kernel)[:, :, 0, 0].numpy()
    array([[4., 4., 4.],
           [4., 0., 4.],
           [4., 4., 4.]], dtype=float32)
    """

    def __call__(self, w: Any) -> tf.Tensor:
        if w.shape.rank is not None and w.shape.rank != 4:
            raise ValueError(f"The weight tensor must have rank 4. Received weight tensor: {w}")
        height, width, channels, kernels = w.shape
        flat = tf.reshape(w, (height, width, channels * kernels))
        planes = [self._radial(plane) for plane in tf.unstack(flat, axis=-1)]
        return tf.reshape(tf.stack(planes, axis=-1), (height, width, channels, kernels))

    def _radial(self, kernel: Any) -> Any:
        size = kernel.shape[0]
        start = size // 2
        centre = kernel[start - 1 : start, start - 1 : start]
        made = centre if size % 2 else tf.tile(centre, [2, 2])
        for ring in range(0 if size % 2 else 1, start):
            value = kernel[start + ring, start + ring]
            made = tf.pad(made, [[1, 1], [1, 1]], constant_values=value)
        return made


max_norm, min_max_norm, non_neg = MaxNorm, MinMaxNorm, NonNeg
radial_constraint, unit_norm = RadialConstraint, UnitNorm

_KINDS = (MaxNorm, MinMaxNorm, NonNeg, RadialConstraint, UnitNorm)
_SNAKE = ("max_norm", "min_max_norm", "non_neg", "radial_constraint", "unit_norm")
_NAMES = {kind.__name__: kind for kind in _KINDS} | dict(zip(_SNAKE, _KINDS, strict=True))
_lookup = Lookup("constraint", lambda: _NAMES)


def serialize(constraint: Any, use_legacy_format: bool = False) -> Any:
    """The config of a constraint."""
    return _lookup.serialize(constraint, use_legacy_format)


def deserialize(config: Any, custom_objects: Any = None, use_legacy_format: bool = False) -> Any:
    """The constraint of a config or a name."""
    return _lookup.deserialize(config, custom_objects, use_legacy_format)


def get(identifier: Any) -> Any:
    """A constraint from a name or a config; a class or a function is itself.

    >>> type(tf.keras.constraints.get("max_norm")).__name__
    'MaxNorm'
    """
    return _lookup.get(identifier)
