"""Initializers without chance."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.settings import floatx
from .base import Initializer, check_arguments, check_whole, checked_dtype


class Zeros(Initializer):
    """Zeros.

    >>> tf.keras.initializers.Zeros()((2,)).numpy()
    array([0., 0.], dtype=float32)
    """

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> tf.Tensor:
        check_arguments("Zeros", kwargs)
        return tf.zeros(kwargs.get("partition_shape") or shape, checked_dtype(dtype))


class Ones(Initializer):
    """Ones.

    >>> tf.keras.initializers.Ones()((2,)).numpy()
    array([1., 1.], dtype=float32)
    """

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> tf.Tensor:
        check_arguments("Ones", kwargs)
        return tf.ones(kwargs.get("partition_shape") or shape, checked_dtype(dtype))


class Constant(Initializer):
    """One value everywhere, or the values of a list.

    Args:
        value: a number, or a list of as many as the weight has.

    >>> tf.keras.initializers.Constant(3.0)((2,)).numpy()
    array([3., 3.], dtype=float32)
    """

    def __init__(self, value: Any = 0) -> None:
        self.value = value

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> tf.Tensor:
        check_arguments("Constant", kwargs)
        shape = kwargs.get("partition_shape") or shape
        return tf.constant(self.value, dtype=tf.as_dtype(dtype or floatx()), shape=shape)

    def get_config(self) -> dict[str, Any]:
        return {"value": self.value}


class Identity(Initializer):
    """A matrix with `gain` on its diagonal.

    >>> tf.keras.initializers.Identity(2.0)((2, 2)).numpy()
    array([[2., 0.],
           [0., 2.]], dtype=float32)
    """

    def __init__(self, gain: float = 1.0) -> None:
        self.gain = gain

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> tf.Tensor:
        check_arguments("Identity", kwargs)
        check_whole("Identity", kwargs)
        if len(shape) != 2:
            raise ValueError(
                f"Identity matrix initializer can only be used for 2D matrices, got shape {shape}."
            )
        rows, columns = shape
        return self.gain * tf.eye(rows, columns, dtype=checked_dtype(dtype, floats=True))

    def get_config(self) -> dict[str, Any]:
        return {"gain": self.gain}
