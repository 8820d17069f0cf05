"""The shapes of the inputs of a layer, in nests of any kind."""

from __future__ import annotations

from typing import Any

import numpy as np

import runnel as tf


def shapes_of(inputs: Any) -> Any:
    """The shapes of inputs; None if one of them has none."""
    if isinstance(inputs, tf.Tensor):
        return inputs.shape
    if all(hasattr(x, "shape") for x in tf.nest.flatten(inputs)):
        return tf.nest.map_structure(lambda x: x.shape, inputs)
    return None


def as_shapes(shape: Any) -> Any:
    """Tuples and lists of dimensions, in any nest, as `tf.TensorShape`s."""
    if shape is None or isinstance(shape, tf.TensorShape):
        return tf.TensorShape(shape)
    if isinstance(shape, dict):
        return {key: as_shapes(value) for key, value in shape.items()}
    if isinstance(shape, str | bytes):
        raise ValueError(f"A shape must be a list of numbers, or several in a nest, got {shape!r}.")
    if all(d is None or isinstance(d, int | np.integer) for d in shape):
        return tf.TensorShape(shape)
    return type(shape)(as_shapes(s) for s in shape)


def plain_shapes(shape: Any) -> Any:
    """The reverse of `as_shapes`: shapes as tuples of dimensions."""
    if isinstance(shape, tf.TensorShape):
        return tuple(shape.as_list()) if shape.rank is not None else None
    if isinstance(shape, dict):
        return {key: plain_shapes(value) for key, value in shape.items()}
    if isinstance(shape, list | tuple):
        return (
            type(shape)(plain_shapes(s) for s in shape)
            if type(shape) in (list, tuple)
            else [plain_shapes(s) for s in shape]
        )
    return shape
