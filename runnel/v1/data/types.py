"""The types of elements as TensorFlow 1 has them: three nests, of dtypes, shapes and classes."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.core.values.types import DTypeLike


def types_of(dataset_or_iterator: Any) -> Any:
    """The dtypes of the parts of an element."""
    return _mapped(dataset_or_iterator, lambda spec: getattr(spec, "dtype", None) or spec._dtype)


def shapes_of(dataset_or_iterator: Any) -> Any:
    """The shapes of the parts of an element."""
    return _mapped(dataset_or_iterator, lambda spec: getattr(spec, "shape", None))


def classes_of(dataset_or_iterator: Any) -> Any:
    """The classes of the parts of an element."""
    return _mapped(dataset_or_iterator, _class_of)


def _class_of(spec: Any) -> Any:
    return tf.Tensor if isinstance(spec, tf.TensorSpec) else spec.value_type


def _mapped(holder: Any, part: Any) -> Any:
    return tf.nest.map_structure(part, holder.element_spec)


def spec_of(output_types: Any, output_shapes: Any, output_classes: Any) -> Any:
    """The type of an element, of its dtypes, shapes and classes, or of itself."""
    first = tf.nest.flatten(output_types)
    if first and isinstance(first[0], tf.TypeSpec):
        return output_types
    dtypes = [tf.as_dtype(t) for t in first]
    shapes = [tf.TensorShape(None)] * len(dtypes)
    if output_shapes is not None:
        shapes = _shapes(output_types, output_shapes)
    classes = [tf.Tensor] * len(dtypes)
    if output_classes is not None:
        classes = tf.nest.flatten(output_classes)
    made = [_spec(d, s, c) for d, s, c in zip(dtypes, shapes, classes, strict=True)]
    return tf.nest.pack_sequence_as(output_types, made)


def _shapes(types: Any, shapes: Any) -> list[Any]:
    """The shapes beside the leaves of a nest of dtypes."""
    if isinstance(types, dict):
        return [s for key in sorted(types) for s in _shapes(types[key], shapes[key])]
    if isinstance(types, (list, tuple)):
        return [s for t, sub in zip(types, shapes, strict=True) for s in _shapes(t, sub)]
    return [tf.TensorShape(shapes)]


def _spec(dtype: Any, shape: Any, kind: Any) -> Any:
    if kind is tf.SparseTensor:
        return tf.SparseTensorSpec(shape, dtype)
    return tf.TensorSpec(shape, dtype)


def TensorStructure(dtype: DTypeLike, shape: Any) -> Any:
    """An older name of `tf.TensorSpec`, with the dtype first."""
    return tf.TensorSpec(shape, dtype)


def SparseTensorStructure(dtype: DTypeLike, shape: Any) -> Any:
    """An older name of `tf.SparseTensorSpec`, with the dtype first."""
    return tf.SparseTensorSpec(shape, dtype)


def RaggedTensorStructure(dtype: DTypeLike, shape: Any, ragged_rank: int) -> Any:
    """An older name of `tf.RaggedTensorSpec`, with the dtype first."""
    return tf.RaggedTensorSpec(shape, dtype, ragged_rank)


def TensorArrayStructure(
    dtype: DTypeLike, element_shape: Any, dynamic_size: bool, infer_shape: bool
) -> Any:
    """An older name of `tf.TensorArraySpec`, with the dtype first."""
    return tf.TensorArraySpec(element_shape, dtype, dynamic_size, infer_shape)
