"""`model.export`: the forward pass of a model for serving."""

from __future__ import annotations

from typing import Any

import runnel as tf


def input_specs(model: Any) -> list[Any]:
    """The specs of the inputs, with the size of the batch left open."""
    if model._network is not None:
        return [
            tf.TensorSpec([None, *t.shape[1:]], t.dtype, name=name)
            for t, name in zip(model._network.inputs, model._network.input_names)
        ]
    shape = model._build_input_shape
    if not isinstance(shape, tf.TensorShape):
        raise ValueError(
            f"Model {model.name} cannot be exported: the shapes of its inputs are not known. Call "
            "it on data first."
        )
    return [tf.TensorSpec([None, *shape[1:]], model.compute_dtype, name="inputs")]


def serving_module(model: Any) -> Any:
    """A `tf.Module` with the variables of a model and a traced function of its inputs."""
    specs = input_specs(model)
    nested = model._network.nested_inputs if model._network is not None else None

    class Serving(tf.Module):
        """What is written to the folder."""

        serving: Any

    module = Serving(name="serving")
    module.model_variables = list(model.variables)

    def call(*flat: Any) -> Any:
        inputs = (
            tf.nest.pack_sequence_as(nested, list(flat)) if tf.nest.is_nested(nested) else flat[0]
        )
        return _named(model, model(inputs, training=False))

    module.serving = tf.function(call, input_signature=specs)
    return module


def _named(model: Any, outputs: Any) -> dict[str, Any]:
    """Outputs by the names of the model's."""
    if isinstance(outputs, dict):
        return outputs
    flat = tf.nest.flatten(outputs)
    names = getattr(model, "output_names", None) or [f"output_{i}" for i in range(len(flat))]
    return dict(zip(names, flat))


def export_model(model: Any, filepath: Any) -> None:
    """Write a folder for `tf.saved_model.load` and servers."""
    module = serving_module(model)
    signatures = {"serving_default": module.serving, "serve": module.serving}
    tf.saved_model.save(module, str(filepath), signatures=signatures)
