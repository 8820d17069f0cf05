"""Categories as numbers, as rows of zeros and ones, or counted: what these layers share."""

from __future__ import annotations

from typing import Any

import numpy as np

import runnel as tf

_OLD_NAMES = {"binary": "multi_hot", "tf-idf": "tf_idf"}


def checked_mode(mode: Any, allowed: tuple[str, ...], layer: str) -> Any:
    """The output mode under its present name."""
    mode = _OLD_NAMES.get(mode, mode)
    check_name(mode, allowed, layer, "output_mode")
    return mode


def check_name(
    value: Any, allowed: tuple[str, ...], layer: str, name: str, functions: bool = False
) -> None:
    """Raise unless the value is one of the names (or a function, where those are)."""
    if value in allowed or (functions and callable(value)):
        return
    kinds = f"one of {allowed}" + (" or a function" if functions else "")
    raise ValueError(f"The `{name}` argument of layer {layer} must be {kinds}, got {value!r}.")


def check_integer(mode: Any, dtype: Any) -> None:
    """Raise if numbers of categories are wanted as something else than integers."""
    if mode == "int" and not tf.as_dtype(dtype).is_integer:
        raise ValueError(
            f'With output_mode="int" the `dtype` must be an integer type, got {dtype}.'
        )


def check_sparse(mode: Any, sparse: bool) -> None:
    """Raise if numbers of categories are wanted sparse."""
    if sparse and mode == "int":
        raise ValueError(f'`sparse` has no meaning with output_mode="int", got sparse={sparse}.')


def as_tensor(inputs: Any, dtype: Any = None) -> Any:
    """A tensor (also a ragged or sparse one) of a dtype."""
    if not isinstance(inputs, tf.Tensor | tf.RaggedTensor | tf.SparseTensor):
        made = any(tf.is_tensor(x) for x in tf.nest.flatten(inputs))
        inputs = tf.convert_to_tensor(inputs, None if made else dtype)
    if dtype is not None and inputs.dtype != dtype:
        inputs = tf.cast(inputs, dtype)
    return inputs


def as_list(values: Any) -> Any:
    """Tensors and arrays as lists, for configurations."""
    if tf.is_tensor(values):
        values = values.numpy()
    return values.tolist() if isinstance(values, np.ndarray) else values


def map_values(function: Any, inputs: Any) -> Any:
    """The function applied to the values of a dense, ragged or sparse tensor."""
    if isinstance(inputs, tf.SparseTensor):
        return tf.SparseTensor(inputs.indices, function(inputs.values), inputs.dense_shape)
    if isinstance(inputs, tf.RaggedTensor):
        return tf.ragged.map_flat_values(function, inputs)
    return function(inputs)


def expanded(inputs: Any, axis: int) -> Any:
    """`tf.expand_dims`, also of a sparse tensor."""
    if isinstance(inputs, tf.SparseTensor):
        return tf.sparse.expand_dims(inputs, axis)
    return tf.expand_dims(inputs, axis)


def encoded(
    inputs: Any,
    mode: str,
    depth: Any,
    dtype: Any = "float32",
    sparse: bool = False,
    count_weights: Any = None,
    idf_weights: Any = None,
) -> Any:
    """Numbers of categories in the form the layer gives them."""
    if mode == "int":
        return tf.identity(tf.cast(inputs, dtype))
    shape = inputs.shape
    if shape.rank == 0:
        inputs = expanded(inputs, -1)
    if mode == "one_hot" and inputs.shape[-1] != 1:
        inputs = expanded(inputs, -1)
    if inputs.shape.rank > 2:
        raise ValueError(
            f'With output_mode="{mode}" the output has at most rank 2, but inputs of shape {shape} '
            f"would give rank {inputs.shape.rank}."
        )
    counts = _counted(inputs, depth, mode in ("multi_hot", "one_hot"), dtype, sparse, count_weights)
    if mode != "tf_idf":
        return counts
    if sparse:
        weights = tf.gather(idf_weights, counts.indices[:, -1])
        return tf.SparseTensor(counts.indices, weights * counts.values, counts.dense_shape)
    return counts * idf_weights


def _counted(inputs: Any, depth: Any, binary: bool, dtype: Any, sparse: bool, weights: Any) -> Any:
    options = {"minlength": depth, "maxlength": depth, "axis": -1, "binary_output": binary}
    if not sparse:
        counts = tf.math.bincount(inputs, weights=weights, dtype=dtype, **options)
        batch = () if inputs.shape.rank == 1 else (inputs.shape[0],)
        counts.set_shape((*batch, depth))
        return counts
    found = tf.cast(tf.sparse.bincount(inputs, weights=weights, **options), dtype)
    batch = () if inputs.shape.rank == 1 else (found.dense_shape[0],)
    return tf.SparseTensor(found.indices, found.values, (*batch, depth))


def encoded_shape(shape: Any, mode: str, depth: Any) -> tf.TensorShape:
    """The shape `encoded` gives to inputs of a shape."""
    dims = list(tf.TensorShape(shape))
    if mode == "int":
        return tf.TensorShape(dims)
    if not dims:
        return tf.TensorShape([depth])
    if mode == "one_hot" and dims[-1] != 1:
        return tf.TensorShape([*dims, depth])
    return tf.TensorShape([*dims[:-1], depth])
