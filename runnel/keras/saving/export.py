"""Models for serving: `ExportArchive`, and `model.export`."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.saving.call_specs import known_specs
from runnel.keras.utils.messages import print_message

_Function = tf.types.experimental.GenericFunction


class ExportArchive(tf.__internal__.tracking.AutoTrackable):
    """Functions of models, to be written as a folder for `tf.saved_model.load` and servers.

    >>> model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
    >>> archive = tf.keras.export.ExportArchive()
    >>> archive.track(model)
    >>> archive.add_endpoint("serve", model.call, [tf.TensorSpec((None, 3), tf.float32)])
    """

    def __init__(self) -> None:
        untracked: Any = tf.__internal__.tracking.NoDependency
        self._endpoints: Any = untracked({})
        self._tracked: Any = untracked([])
        self.variables: list[Any] = []
        self.trainable_variables: list[Any] = []
        self.non_trainable_variables: list[Any] = []

    def track(self, resource: Any) -> None:
        """Keep the variables, and tables and the like, of a layer or another trackable object."""
        if not isinstance(resource, tf.__internal__.tracking.Trackable):
            raise ValueError(
                "Invalid resource type. Expected an instance of a TensorFlow `Trackable` (such as "
                "a Keras `Layer` or `Model`). Received instead an object of type "
                f"'{type(resource)}'. Object received: {resource}"
            )
        if isinstance(resource, Layer) and not resource.built:
            raise ValueError(
                "The layer provided has not yet been built. It must be built before export."
            )
        self._tracked.append(resource)
        if isinstance(resource, Layer):
            self.variables += resource.variables
            self.trainable_variables += resource.trainable_variables
            self.non_trainable_variables += resource.non_trainable_variables

    def add_endpoint(self, name: str, fn: Any, input_signature: Any = None) -> None:
        """Add a function: a traced one, or any with the specs of its arguments."""
        if name in self._endpoints:
            raise ValueError(f"Endpoint name '{name}' is already taken.")
        if input_signature:
            fn = tf.function(fn, input_signature=input_signature)
            concrete = fn.get_concrete_function()
        elif not isinstance(fn, _Function):
            raise ValueError(
                "If the `fn` argument provided is not a `tf.function`, you must provide an "
                "`input_signature` argument to specify the shape and dtype of the function "
                "arguments, such as input_signature=[tf.TensorSpec((None, 3), tf.float32)]."
            )
        elif not fn._list_all_concrete_functions():
            raise ValueError(
                f"The provided tf.function '{fn}' has never been called. To specify the expected "
                "shape and dtype of the function's arguments, you must either provide a function "
                "that has been called at least once, or alternatively pass an `input_signature` "
                "argument in `add_endpoint()`."
            )
        else:
            concrete = fn._list_all_concrete_functions()[0]
        setattr(self, name, fn)
        self._endpoints[name] = concrete

    def add_variable_collection(self, name: str, variables: Any) -> None:
        """Keep some variables as an attribute of what is loaded."""
        if not isinstance(variables, list | tuple | set):
            raise ValueError(
                "Expected `variables` to be a list/tuple/set. Received instead object of type "
                f"'{type(variables)}'."
            )
        others = {type(v) for v in variables if not isinstance(v, tf.Variable)}
        if others:
            raise ValueError(
                "Expected all elements in `variables` to be `tf.Variable` instances. Found instead "
                f"the following types: {list(others)}"
            )
        setattr(self, name, list(variables))

    def write_out(self, filepath: Any, options: Any = None) -> None:
        """Write the folder; the first function is its default signature."""
        if not self._endpoints:
            raise ValueError("No endpoints have been set yet. Call add_endpoint().")
        used = {id(v): v for concrete in self._endpoints.values() for v in concrete.variables}
        self._all_variables = list(used.values())
        self._misc_assets = [r for root in self._tracked for r in _resources(root)]
        signatures = {name: getattr(self, name) for name in self._endpoints}
        signatures.setdefault("serving_default", next(iter(signatures.values())))
        tf.saved_model.save(self, str(filepath), signatures=signatures, options=options)
        described = [_described(name, concrete) for name, concrete in self._endpoints.items()]
        print_message(
            f"Saved artifact at '{filepath}'. The following endpoints are available:\n\n"
            + "\n\n".join(described)
        )


def _described(name: str, concrete: Any) -> str:
    signature = concrete.pretty_printed_signature(verbose=True).removeprefix("Input Parameters:\n")
    return f"* Endpoint '{name}'\n{signature}"


def export_model(model: Any, filepath: Any) -> None:
    """Write a folder with the function `serve`: the call without training."""
    archive = ExportArchive()
    archive.track(model)
    args, kwargs = known_specs(model)
    training = {"training": False} if model._call_spec.expects_training else {}

    def serve(*args: Any, **kwargs: Any) -> Any:
        return model(*args, **kwargs, **training)

    function = tf.function(serve, autograph=False)
    function.get_concrete_function(*args, **kwargs)
    archive.add_endpoint("serve", function)
    archive.write_out(filepath)


def _resources(root: Any) -> list[Any]:
    """What layers hold besides variables and layers: tables, states of generators."""
    layers = root._flatten_layers() if isinstance(root, Layer) else [root]
    found = []
    for layer in layers:
        for name, child in layer._trackable_children().items():
            if name != "optimizer" and not isinstance(child, tf.Variable | Layer):
                found.append(child)
    return found
