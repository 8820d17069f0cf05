"""Layers of a SavedModel whose classes are not known here.

What such a layer does is in its saved functions, what it is called and made of in the metadata. A
layer of a known class is made of its config instead, also inside of one that is revived.
"""

from __future__ import annotations

import inspect
import json
import warnings
from typing import Any

import runnel as tf
from runnel.keras.saving.files import layer_metadata
from runnel.keras.saving.lookup import lookups
from runnel.keras.saving.model_config import model_from_config

_CALL = "call_and_return_conditional_losses"
_OWN = frozenset({"_tf_keras_layer", "_tf_keras_rnn_layer", "_tf_keras_model"})
_MODELS = frozenset({"_tf_keras_model", "_tf_keras_network", "_tf_keras_sequential"})


class Revival:
    """The layers and models of a SavedModel: `nodes` say what they are, `objects` what they do."""

    def __init__(self, nodes: Any, objects: list[Any], custom_objects: Any) -> None:
        if not all(0 <= node.number < len(objects) for node in nodes):
            text = "The metadata of Keras name objects that the SavedModel does not have."
            raise tf.errors.DataLossError(None, None, text)
        self._data = {n.number: layer_metadata.decode(n.metadata) for n in nodes}
        self._kinds = {node.number: node.identifier for node in nodes}
        self._numbers = {id(objects[number]): number for number in self._data}
        self._objects = objects
        self._custom = dict(custom_objects or {})
        self._made: dict[int, Any] = {}
        self._waiting: dict[str, list[Any]] = {}  # revived layers by class and config
        self._silent: set[str] = set()  # classes, perhaps known ones, of layers without a config

    def root(self) -> Any:
        """The model that was saved."""
        for number, kind in sorted(self._kinds.items(), reverse=True):
            if number and kind in _OWN:
                self._layer(number)
        return self._layer(0)

    def _layer(self, number: int) -> Any:
        if number not in self._made:
            self._made[number] = self._from_config(number) or self._revived(number)
        return self._made[number]

    def _from_config(self, number: int) -> Any:
        """A layer of its class and config; None if these are not known."""
        data = self._data[number]
        names = {key.partition(":")[0] for key in self._waiting} - set(self._custom)
        if not layer_metadata.has_config(data) or data["class_name"] in names:
            return None
        known = self._custom | {name: self._stand_in(name) for name in names | self._silent}
        for class_name in layer_metadata.class_names(data, self._kinds[number]):
            try:
                made = model_from_config(
                    {"class_name": class_name, "config": data["config"]}, custom_objects=known
                )
            except (TypeError, ValueError):
                continue
            return made if isinstance(made, tf.keras.layers.Layer) else None
        return None

    def _stand_in(self, name: str) -> Any:
        """What makes layers of an unknown class: it hands out those that were revived."""
        waiting = self._waiting

        class StandIn:
            @classmethod
            def from_config(cls, config: Any) -> Any:
                found = waiting.get(_key(name, config))
                if not found:
                    raise ValueError(f"There is no layer {name!r} of this config.")
                return found.pop() if len(found) > 1 else found[0]  # the first to be saved

        return StandIn

    def _revived(self, number: int) -> Any:
        data, restored = self._data[number], self._objects[number]
        name = data["class_name"].rpartition(">")[2]
        warnings.warn(
            f"Unable to restore custom object of type {self._kinds[number]} ({name}): its calls "
            "are those that were saved. Pass its class in `custom_objects` to have the object.",
            stacklevel=2,
        )
        is_model = self._kinds[number] in _MODELS
        bases = (_Revived, lookups["layer"].own("Model" if is_model else "Layer"))
        cls: Any = type(name, bases, {"call": _call_of(restored), "__module__": __name__})
        made = cls(data) if is_model else cls(data, trainable=data.get("trainable", True))
        for child_name, child in _children(restored):
            setattr(made, child_name, self._attribute(child))
        _take_weights(made, restored)
        api = getattr(restored, "keras_api", None)
        made.add_loss(list(getattr(api, "layer_regularization_losses", ())))
        if not layer_metadata.has_config(data):
            self._silent.add(data["class_name"])
        if "config" in data:
            self._waiting.setdefault(_key(data["class_name"], data["config"]), []).append(made)
        return made

    def _attribute(self, child: Any) -> Any:
        """What a revived layer has in place of a part that was saved."""
        if id(child) in self._numbers:
            return self._inner(self._numbers[id(child)])
        if isinstance(child, dict):
            return {key: self._attribute(item) for key, item in child.items()}
        if isinstance(child, list | tuple):
            return type(child)(map(self._attribute, child)) if child else child
        return child

    def _inner(self, number: int) -> Any:
        """A layer inside of a revived one, whose calls use the variables that were loaded."""
        layer, restored = self._layer(number), self._objects[number]
        shape = self._data[number].get("build_input_shape")
        if not layer.built and shape is not None:
            layer.build(shape)
            layer.built = True
        _share(layer, restored)
        return layer


def _take_weights(made: Any, restored: Any) -> None:
    """Let a revived layer have the variables that it had by no attribute with a public name."""
    trained = list(getattr(restored, "trainable_variables", None) or ())
    for variable in getattr(restored, "variables", None) or ():
        if not any(variable is known for known in made.weights):
            trains = any(variable is each for each in trained)
            (made._trainable_weights if trains else made._non_trainable_weights).append(variable)


def _share(layer: Any, restored: Any) -> None:
    """Let a layer have the variables of an object, whose children have the same names."""
    for name, child in _children(restored):
        own = layer._lookup_dependency(name)
        if isinstance(own, tf.Variable) and isinstance(child, tf.Variable):
            if getattr(layer, name, None) is own:
                delattr(layer, name)
                setattr(layer, name, child)
        elif isinstance(own, tf.keras.layers.Layer):
            _share(own, child)


def _key(class_name: str, config: Any) -> str:
    return f"{class_name}:{json.dumps(config, sort_keys=True, default=str)}"


def _children(restored: Any) -> list[tuple[str, Any]]:
    """What a layer had as attributes: variables, layers, and lists and dicts of them."""
    made_to_be_saved = {"variables", "trainable_variables", "regularization_losses", "keras_api"}
    return [
        (name, child)
        for name, child in restored._trackable_children().items()
        if name not in made_to_be_saved
        and name.isidentifier()
        and not name.startswith("_")
        and not hasattr(child, "get_concrete_function")  # a function that was saved
    ]


def _call_of(restored: Any) -> Any:
    """The saved call as a method with the parameters that it had."""
    saved = getattr(getattr(restored, "keras_api", None), _CALL, None)

    @tf.autograph.experimental.do_not_convert
    def call(self: Any, *args: Any, **kwargs: Any) -> Any:
        if saved is None:
            raise ValueError(
                f"The layer {self.name!r} cannot be called: it was saved without its functions. "
                "Pass its class in `custom_objects`."
            )
        outputs, losses = saved(*args, **kwargs)
        self.add_loss(losses)
        return outputs

    own = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if saved is not None:
        parameters = inspect.signature(saved.python_function).parameters.values()
        signature = inspect.Signature([own, *parameters])
        call.__signature__ = signature
    return call


class _Revived:
    """Part of a layer or a model of a class that is not known here."""

    _data: dict[str, Any]

    def __init__(self, data: dict[str, Any], **options: Any) -> None:
        super().__init__(name=data["name"], **options)  # type: ignore[call-arg]
        object.__setattr__(self, "_data", data)  # not tracked
        self.built = True

    def get_config(self) -> Any:
        """The config as it was saved."""
        if not layer_metadata.has_config(self._data):
            raise NotImplementedError("The layer was saved without a config.")
        return self._data["config"]
