"""`tf.keras.layers.Wrapper`: the base of layers around another layer."""

from __future__ import annotations

from typing import Any

from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.saving.config_errors import reads_config
from runnel.keras.saving.lookup import lookups
from runnel.keras.saving.serialization import (
    SafeModeScope,
    deserialize_keras_object,
    reading_safely,
    serialize_keras_object,
)


class Wrapper(Layer):
    """A layer that has another as its `layer`, and builds it.

    >>> class Twice(tf.keras.layers.Wrapper):
    ...     def call(self, inputs):
    ...         return 2 * self.layer(inputs)
    >>> Twice(tf.keras.layers.ReLU())(tf.constant([-1.0, 1.0])).numpy()
    array([0., 2.], dtype=float32)
    """

    def __init__(self, layer: Any, **kwargs: Any) -> None:
        if not isinstance(layer, Layer):
            raise ValueError(
                f"Layer {layer} supplied to Wrapper isn't a supported layer type. Please ensure "
                "wrapped layer is a valid Keras layer."
            )
        super().__init__(**kwargs)
        self.layer = layer

    def build(self, input_shape: Any = None) -> None:
        if not self.layer.built:
            self.layer.build(input_shape)
            self.layer.built = True
        super().build(input_shape)

    @property
    def activity_regularizer(self) -> Any:
        return getattr(self.layer, "activity_regularizer", None)

    @activity_regularizer.setter
    def activity_regularizer(self, regularizer: Any) -> None:
        raise AttributeError("The activity regularizer of a wrapper is that of its layer.")

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), "layer": serialize_keras_object(self.layer)}

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        config = dict(config)
        return cls(layer_of(config.pop("layer"), custom_objects), **config)


def layer_of(data: Any, custom_objects: Any = None) -> Any:
    """The layer of a config, in the format of now or of old files.

    It is not built: the layer around it does that, and its weights are named after that one.
    """
    data = {key: value for key, value in data.items() if key != "build_config"}
    with SafeModeScope(reading_safely()):
        if "module" in data:
            return deserialize_keras_object(data, custom_objects)
        return lookups["layer"].deserialize(data, custom_objects=custom_objects)
