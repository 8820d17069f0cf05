"""Calling a layer on `KerasTensor`s: a trial run in a scratch graph tells what comes out."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import runnel as tf
from runnel.keras.engine.layer.call_context import call_context
from runnel.keras.engine.layer.shapes import as_shapes
from .keras_tensor import KerasTensor, is_registered, keras_tensor_like
from .node import Node


@contextmanager
def scratch_graph() -> Iterator[Any]:
    """A graph that is thrown away."""
    outer = call_context.symbolic
    call_context.symbolic = True
    try:
        around = tf.__internal__.graphs.outside_graph()
        with tf.__internal__.FuncGraph("keras_scratch", around).as_default() as graph:
            yield graph
    finally:
        call_context.symbolic = outer


def placeholder(spec: Any) -> Any:
    """A tensor of the scratch graph that is like a spec."""
    parts = [tf.raw_ops.Placeholder(dtype=s.dtype, shape=s.shape) for s in _component_specs(spec)]
    return parts[0] if isinstance(spec, tf.TensorSpec) else spec._from_components(parts)


def _component_specs(spec: Any) -> list[Any]:
    return [spec] if isinstance(spec, tf.TensorSpec) else tf.nest.flatten(spec._component_specs)


def _stand_in(tensor: Any) -> Any:
    """A tensor of the scratch graph for a `KerasTensor`; its mask comes along."""
    if not isinstance(tensor, KerasTensor):
        return tensor
    if tensor._inferred_value is not None:
        sizes = tf.shape(placeholder(tf.TensorSpec(tensor._inferred_value)))
        return sizes if tensor.shape.rank == 1 else sizes[0]
    made = placeholder(tensor.type_spec)
    if tensor._keras_mask is not None:
        made._keras_mask = placeholder(tensor._keras_mask.type_spec)
    return made


def _stand_ins(structure: Any) -> Any:
    """The same tensor has the same stand-in wherever it appears."""
    made: dict[int, Any] = {}

    def once(tensor: Any) -> Any:
        if not isinstance(tensor, KerasTensor):
            return tensor
        if id(tensor) not in made:
            made[id(tensor)] = _stand_in(tensor)
        return made[id(tensor)]

    return tf.nest.map_structure(once, structure)


def call_on_keras_tensors(
    layer: Any, inputs: Any, rest: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """The outputs as `KerasTensor`s that remember this call."""
    if layer._dynamic:
        outputs = layer._described_outputs(inputs)
    else:
        with scratch_graph():
            inside, rest_inside, kwargs_inside = _stand_ins((inputs, rest, kwargs))
            given = tf.nest.flatten(inside)
            results = layer(inside, *rest_inside, **kwargs_inside)
            outputs = tf.nest.map_structure(lambda t: _keras_tensor(t, given), results)
        _check_room(layer, inputs, outputs)
    Node(layer, (inputs, *rest), kwargs, outputs)
    return outputs


def _keras_tensor(result: Any, given: list[Any]) -> Any:
    described = isinstance(result, tf.Tensor) or (
        hasattr(result, "_type_spec") and not isinstance(result, tf.Variable)
    )
    if not described and not is_registered(result):
        return result
    mask = getattr(result, "_keras_mask", None)
    made = keras_tensor_like(result)
    if mask is not None:
        made._keras_mask = keras_tensor_like(mask)
    return made


def output_shapes(layer: Any, input_shape: Any) -> Any:
    """The shapes that come out for inputs of given shapes."""
    try:
        outputs = trial_outputs(layer, input_shape)
    except (TypeError, RuntimeError) as error:
        raise NotImplementedError(
            f"The shape of the outputs of {type(layer).__name__} cannot be found by a trial "
            "call with inputs alone. Please implement `compute_output_shape` in the layer."
        ) from error
    return tf.nest.map_structure(lambda t: t.shape, outputs)


def trial_outputs(layer: Any, input_shape: Any) -> Any:
    """What a call on floats of given shapes gives, in a graph that is thrown away."""
    kind = layer.compute_dtype or "float32"
    with scratch_graph(), _keeping_losses(layer):
        inputs = _placeholders(as_shapes(input_shape), kind)
        return layer(inputs, training=False) if _takes_training(layer) else layer(inputs)


@contextmanager
def _keeping_losses(layer: Any) -> Iterator[None]:
    """In a call, forget the losses that a trial adds: they are no part of it."""
    before = {id(each): list(each._losses) for each in layer._flatten_layers()}
    try:
        yield
    finally:
        for each in layer._flatten_layers() if call_context.depth else ():
            each._losses[:] = before.get(id(each), [])


def _takes_training(layer: Any) -> bool:
    return "training" in layer._call_spec.names


def _placeholders(shapes: Any, kind: Any) -> Any:
    if isinstance(shapes, tf.TensorShape):
        return placeholder(tf.TensorSpec(shapes, kind))
    if isinstance(shapes, dict):
        return {key: _placeholders(value, kind) for key, value in shapes.items()}
    return type(shapes)(_placeholders(s, kind) for s in shapes)


def _check_room(layer: Any, inputs: Any, outputs: Any) -> None:
    """Refuse inputs in which not one window of a convolution or a pooling fits."""
    window = getattr(layer, "kernel_size", None) or getattr(layer, "pool_size", None)
    if window is None or not isinstance(outputs, KerasTensor) or outputs.shape.rank is None:
        return
    if 0 in outputs.shape.as_list()[1:] and 0 not in inputs.shape.as_list()[1:]:
        raise ValueError(
            f'Input 0 of layer "{layer.name}" is incompatible with the layer: the shape '
            f"{tuple(inputs.shape)} is smaller than its window of {window}, so that nothing would "
            f"be left: {tuple(outputs.shape)}. Use larger inputs, or padding='same'."
        )
