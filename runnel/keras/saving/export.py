"""`model.export`: the forward pass of a model for serving."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.saving.call_specs import known_specs


def export_model(model: Any, filepath: Any) -> None:
    """Write a folder for `tf.saved_model.load` and servers, with the function `serve`."""
    if not model.built:
        raise ValueError(
            "The layer provided has not yet been built. It must be built before export."
        )
    served: Any = tf.__internal__.tracking.AutoTrackable()
    served.serve, used = _endpoint(model)
    served._all_variables = list(used)
    served.variables = list(model.variables)
    served.trainable_variables = list(model.trainable_variables)
    served.non_trainable_variables = list(model.non_trainable_variables)
    served._misc_assets = _resources(model)
    signatures = {"serving_default": served.serve, "serve": served.serve}
    tf.saved_model.save(served, str(filepath), signatures=signatures)


def _endpoint(model: Any) -> tuple[Any, Any]:
    """The call without training, as a function that has been traced, and the variables in it."""
    args, kwargs = known_specs(model)
    training = {"training": False} if model._call_spec.expects_training else {}

    def serve(*args: Any, **kwargs: Any) -> Any:
        return model(*args, **kwargs, **training)

    function = tf.function(serve, autograph=False)
    return function, function.get_concrete_function(*args, **kwargs).variables


def _resources(model: Any) -> list[Any]:
    """What the layers hold besides variables and layers: tables, states of generators."""
    found = []
    for layer in model._flatten_layers():
        for name, child in layer._trackable_children().items():
            if name != "optimizer" and not isinstance(child, tf.Variable | tf.keras.layers.Layer):
                found.append(child)
    return found
