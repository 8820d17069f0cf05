"""Layers that give their inputs another shape."""

from __future__ import annotations

import math
from typing import Any

import runnel as tf
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.layer.input_spec import InputSpec
from runnel.keras.engine.settings import checked_data_format


class Flatten(Layer):
    """All features of an example in one axis.

    Args:
        data_format: "channels_last" or "channels_first": where the channels are; None is as in
            `keras.json`.

    >>> tf.keras.layers.Flatten()(tf.ones([2, 3, 4])).shape
    TensorShape([2, 12])
    """

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = checked_data_format(data_format)
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs: Any) -> Any:
        rank = tf.TensorShape(inputs.shape).rank
        if self.data_format == "channels_first" and rank is not None and rank > 1:
            inputs = tf.transpose(inputs, [0, *range(2, rank), 1])
        if rank == 1:
            return tf.expand_dims(inputs, axis=-1)
        rest = tf.TensorShape(inputs.shape)[1:]
        if rest.num_elements():
            return tf.reshape(inputs, [-1, rest.num_elements()])
        flat = tf.reshape(inputs, [tf.shape(inputs)[0], -1])
        flat.set_shape([inputs.shape[0], None])
        return flat

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = tf.TensorShape(input_shape)
        if not shape.rank:
            return tf.TensorShape([1])
        rest = shape[1:]
        size = rest.num_elements() or None  # Keras says None of nothing, too
        return tf.TensorShape([shape[0], size])

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "data_format": self.data_format}


class Reshape(Layer):
    """Another shape for each example; one dimension may be -1.

    Args:
        target_shape: the shape of one sample, without the batch.

    >>> tf.keras.layers.Reshape((3, -1))(tf.ones([2, 12])).shape
    TensorShape([2, 3, 4])
    """

    def __init__(self, target_shape: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.target_shape = tuple(target_shape)

    def _target(self, dims: tuple[Any, ...]) -> tuple[Any, ...]:
        """The target with a dimension of -1 filled in, None if it cannot be known."""
        if -1 not in self.target_shape:
            known = None if None in dims else math.prod(dims)
            if known is not None and known != math.prod(self.target_shape):
                raise ValueError(
                    f"total size of new array must be unchanged, input_shape = {dims}, "
                    f"output_shape = {self.target_shape}"
                )
            return self.target_shape
        rest = -math.prod(self.target_shape)
        if None in dims:
            return tuple(None if d == -1 else d for d in self.target_shape)
        if rest == 0 or math.prod(dims) % rest:
            raise ValueError(
                "total size of new array must be unchanged, "
                f"input_shape = {dims}, output_shape = {self.target_shape}"
            )
        return tuple(math.prod(dims) // rest if d == -1 else d for d in self.target_shape)

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = tf.TensorShape(input_shape).as_list()
        return tf.TensorShape([shape[0], *self._target(tuple(shape[1:]))])

    def call(self, inputs: Any) -> Any:
        result = tf.reshape(inputs, [tf.shape(inputs)[0], *self.target_shape])
        if not tf.executing_eagerly():
            result.set_shape(self.compute_output_shape(inputs.shape))
        return result

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "target_shape": self.target_shape}


class Permute(Layer):
    """The axes of each example in another order, counted from 1.

    >>> tf.keras.layers.Permute((2, 1))(tf.ones([2, 3, 4])).shape
    TensorShape([2, 4, 3])
    """

    def __init__(self, dims: Any, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dims = tuple(dims)
        if sorted(dims) != list(range(1, len(dims) + 1)):
            raise ValueError(
                f"Invalid permutation argument `dims` for Permute Layer. The set of indices in "
                f"`dims` must be consecutive and start from 1. Received dims={dims}"
            )
        self.input_spec = InputSpec(ndim=len(self.dims) + 1)

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = tf.TensorShape(input_shape).as_list()
        return tf.TensorShape([*shape[:1], *(shape[d] for d in self.dims)])

    def call(self, inputs: Any) -> Any:
        return tf.transpose(inputs, perm=(0, *self.dims))

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "dims": self.dims}


class RepeatVector(Layer):
    """The input `n` times, in a new axis.

    >>> tf.keras.layers.RepeatVector(3)(tf.ones([2, 4])).shape
    TensorShape([2, 3, 4])
    """

    def __init__(self, n: int, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        if not isinstance(n, int):
            raise TypeError(f"Expected an integer value for `n`, got {type(n)}.")
        self.n = n
        self.input_spec = InputSpec(ndim=2)

    def compute_output_shape(self, input_shape: Any) -> Any:
        shape = tf.TensorShape(input_shape).as_list()
        return tf.TensorShape([shape[0], self.n, shape[1]])

    def call(self, inputs: Any) -> Any:
        return tf.tile(tf.expand_dims(inputs, 1), [1, self.n, 1])

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "n": self.n}
