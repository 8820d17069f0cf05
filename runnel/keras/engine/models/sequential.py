"""`tf.keras.Sequential`: layers one after another."""

from __future__ import annotations

import copy
from typing import Any, Self

import runnel as tf
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.layer.call_context import call_context
from runnel.keras.engine.layer.shapes import as_shapes, plain_shapes
from runnel.keras.engine.models.model import Functional, Model, numbered_layers
from runnel.keras.engine.models.module_wrapper import ModuleWrapper
from runnel.keras.engine.symbolic.input_layer import Input, InputLayer
from runnel.keras.engine.symbolic.keras_tensor import KerasTensor
from runnel.keras.saving.config_errors import checked_config, reads_config
from runnel.keras.saving.lookup import lookups
from runnel.keras.saving.serialization import (
    deserialize_keras_object,
    in_safe_mode,
    serialize_keras_object,
)

_untracked = tf.__internal__.tracking.no_automatic_dependency_tracking


class Sequential(Functional):
    """Layers that are called one after another.

    Args:
        layers: the layers in order; None to `add` them later.

    >>> model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(2)])
    >>> model.output_shape
    (None, 2)
    """

    _is_sequential = True
    _object_identifier = "_tf_keras_sequential"

    @_untracked
    def __init__(self, layers: Any = None, name: str | None = None) -> None:
        Model.__init__(self, name=name)
        self.supports_masking = True
        self._start: Any = None  # the InputLayer, once the shape is known
        self._stack: list[Any] = []
        self._deferred_shape: Any = None
        if layers is not None and not isinstance(layers, list | tuple):
            layers = [layers]
        for layer in layers or ():
            self.add(layer)

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> Any:
        children = super()._trackable_children(save_type, **kwargs)
        # Also before the shape is known: weights of a checkpoint wait for layers to be built.
        return children | numbered_layers(self.layers)

    def add(self, layer: Any) -> None:
        """Put a layer behind the others."""
        if isinstance(layer, KerasTensor):
            layer = layer._keras_history.layer
        if isinstance(layer, tf.Module) and not isinstance(layer, Layer):
            layer = ModuleWrapper(layer)
        if not isinstance(layer, Layer):
            if not callable(layer):
                raise TypeError(
                    "The added layer must be an instance of class Layer. "
                    f"Received: layer={layer} of type {type(layer)}."
                )
            layer = lookups["layer"].own("Lambda")(layer)
        with tf.__internal__.tracking.no_automatic_dependency_tracking_scope(self):
            self._add(layer)

    def _add(self, layer: Any) -> None:
        if any(layer.name == other.name and layer is not other for other in self._stack):
            raise ValueError(
                "All layers added to a Sequential model should have unique names. Name "
                f'"{layer.name}" is already the name of a layer in this model. Update the `name` '
                "argument to pass a unique name."
            )
        if isinstance(layer, InputLayer):
            if self._stack or self._start is not None:
                raise ValueError("An InputLayer can only be the first of a Sequential model.")
            self._start = layer
        else:
            self._stack.append(layer)
            if len(self._stack) == 1 and self._start is None:
                self._start = _start_for(layer)
        self._tracked = self._all_layers()
        for name, each in numbered_layers(self.layers).items():
            self._handle_deferred_dependencies(name, each)  # of a checkpoint restored before
        self.built = False
        self._network = None
        self._reset_functions()
        if self._start is not None and self._stack:
            self._connect()

    def _all_layers(self) -> list[Any]:
        return [*([self._start] if self._start is not None else []), *self.layers]

    @_untracked
    def _connect(self) -> None:
        """Call the layers on a symbolic input, as far as that has not been done."""
        start = self._start._inbound_nodes[0].outputs
        tensor = start
        for layer in self._stack:
            known = [
                n
                for n in layer._inbound_nodes
                if n.keras_inputs and n.call_args and n.call_args[0] is tensor
            ]
            tensor = known[0].outputs if known else layer(tensor)
            if not isinstance(tensor, KerasTensor):
                raise ValueError(
                    "All layers in a Sequential model should have a single output tensor. For "
                    "multi-output layers, use the functional API."
                )
        self._init_network(start, tensor)
        self._tracked = self._all_layers()

    def pop(self) -> None:
        """Take the last layer away."""
        if not self._stack:
            raise TypeError("There are no layers in the model.")
        with tf.__internal__.tracking.no_automatic_dependency_tracking_scope(self):
            self._stack.pop()
            self._network = None
            self.built = False
            self._tracked = self._all_layers()
            if self._start is not None and self._stack:
                self._connect()

    @property
    def layers(self) -> list[Layer]:
        """The layers, without the input; one that is called several times is there once."""
        return list(dict.fromkeys(self._stack))

    @layers.setter
    def layers(self, value: Any) -> None:
        raise AttributeError("Layers of a Sequential model are changed with `add` and `pop`.")

    def build(self, input_shape: Any = None) -> None:
        """Make the weights for inputs of a shape, batch included."""
        if self._network is not None or (self._start is not None and not self._stack):
            return
        if input_shape is None:
            raise ValueError("You must provide an `input_shape` argument.")
        shapes = as_shapes(input_shape)
        if self._stack and isinstance(shapes, tf.TensorShape):
            self._defer(shapes, None)
        else:  # several inputs, or nothing to be called
            super().build(shapes)

    @_untracked
    def _defer(self, shape: tf.TensorShape, dtype: Any) -> None:
        """Begin with an input of a shape that has become known."""
        with tf.init_scope():
            made: Any = Input(
                batch_shape=tuple(shape.as_list()), dtype=dtype, name=f"{self._stack[0].name}_input"
            )
            self._start = made._keras_history.layer
            self._tracked = self._all_layers()
            self._connect()
        self._input_spec = None  # the layers check what the next inputs are
        self._deferred_shape = tuple(shape.as_list())

    def _builds_itself(self) -> bool:
        return True

    def __call__(self, *args: Any, **kwargs: Any) -> tf.Tensor:
        try:
            if self._stack and (self._start is None or self._deferred_shape is not None):
                outer = call_context.training
                try:  # layers that draw seeds when they train do so here, too
                    call_context.training = kwargs.get("training", outer)
                    self._learn_shape(args[0] if args else kwargs.get("inputs"))
                finally:
                    call_context.training = outer
            return super().__call__(*args, **kwargs)
        except Exception as error:
            tf.__internal__.tracebacks.trim(error)
            raise

    def _learn_shape(self, inputs: Any) -> None:
        """With the first inputs the shape is known.

        Later inputs of another shape open the dimensions in which they differ.
        """
        if not isinstance(inputs, KerasTensor | tf.Tensor):
            if not hasattr(inputs, "__array__"):
                return
            inputs = tf.convert_to_tensor(inputs)
        if not inputs.shape.rank:
            return
        dims = tuple(inputs.shape.as_list())
        if self._deferred_shape is not None:
            self._relax(dims, inputs.dtype)
            return
        try:
            self._defer(tf.TensorShape(dims), inputs.dtype)
        except (NotImplementedError, TypeError):
            self._forget_start()

    @_untracked
    def _relax(self, dims: tuple[int | None, ...], dtype: Any) -> None:
        known = self._deferred_shape
        relaxed = tuple(a if a == b else None for a, b in zip(known, dims))
        if len(known) != len(dims) or relaxed == known:
            return
        start: Any = self._start
        old: Any = self._network
        try:
            self._defer(tf.TensorShape(relaxed), dtype)
        except (NotImplementedError, TypeError, ValueError):  # the call will say what is wrong
            self._start, self._network = start, old
            self._tracked = self._all_layers()
            return
        for layer in self._stack:
            layer._inbound_nodes[:] = [n for n in layer._inbound_nodes if id(n) not in old.node_ids]

    @_untracked
    def _forget_start(self) -> None:
        self._start, self._network = None, None
        self._tracked = self._all_layers()

    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        if self._network is not None:
            return super().call(inputs, training=training, mask=mask)
        outputs = inputs
        for layer in self._stack:
            kwargs = {}
            if layer._call_spec.expects_mask and mask is not None:
                kwargs["mask"] = mask
            if layer._call_spec.expects_training:
                kwargs["training"] = training
            outputs = layer(outputs, **kwargs)
            mask = getattr(outputs, "_keras_mask", None)
        return outputs

    def _assert_weights_created(self) -> None:
        if self._network is None and self._stack and not any(layer.built for layer in self._stack):
            raise ValueError(
                f"Weights for model '{self.name}' have not yet been created. Weights are created "
                "when the model is first called on inputs or `build()` is called with an "
                "`input_shape`."
            )

    @property
    def weights(self) -> list[Any]:
        self._assert_weights_created()
        return super().weights

    def get_config(self) -> dict[str, Any]:
        config: dict[str, Any] = {
            "name": self.name,
            "layers": [copy.deepcopy(serialize_keras_object(x)) for x in self._all_layers()],
        }
        if self._network is None and self._build_input_shape is not None:
            config["build_input_shape"] = plain_shapes(self._build_input_shape)
        return config

    @classmethod
    @reads_config
    def from_config(cls, config: Any, custom_objects: Any = None) -> Self:
        if isinstance(config, dict) and set(config) == {"config"}:
            config = config["config"]
        if isinstance(config, list):
            config = {"layers": config}
        model = cls(name=checked_config(config, layers=list).get("name"))
        for data in config["layers"]:
            if "module" in checked_config(data, class_name=str):
                layer = deserialize_keras_object(data, custom_objects, safe_mode=in_safe_mode())
            else:
                layer = lookups["layer"].deserialize(data, custom_objects=custom_objects)
            model.add(layer)
        shape = config.get("build_input_shape")
        if not model.inputs and shape:
            model.build(shape)
        return model


def _start_for(layer: Any) -> Any:
    """An InputLayer for a first layer that says the shape of its input.

    The shape that a model has only learnt from its first call says nothing of others.
    """
    if isinstance(layer, Sequential) and layer._deferred_shape is not None:
        return None
    if isinstance(layer, Model) and layer._network is not None and len(layer.inputs) == 1:
        shape: Any = tuple(layer.inputs[0].shape)
        dtype = layer.inputs[0].dtype
    else:
        shape, dtype = getattr(layer, "_batch_input_shape", None), layer.dtype
    if shape is None:
        return None
    kind = getattr(layer, "_input_dtype", None) or dtype
    made: Any = Input(batch_shape=shape, dtype=kind, name=f"{layer.name}_input")
    return made._keras_history.layer
