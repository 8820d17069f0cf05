"""`tf.keras.Model`: layers that are trained, saved and looked at together."""

from __future__ import annotations

import warnings
from collections import deque
from typing import Any, Self

import runnel as tf
from runnel.keras.engine import policy as policies
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.layer.call_spec import any_signature
from runnel.keras.engine.layer.input_spec import InputSpec
from runnel.keras.engine.layer.shapes import as_shapes
from runnel.keras.engine.layer.weights import count_scalars, distinct
from runnel.keras.engine.naming import unique_name
from runnel.keras.engine.symbolic.added_tensors import AddLoss, AddMetric
from runnel.keras.engine.symbolic.keras_tensor import KerasTensor
from runnel.keras.engine.symbolic.subgraphs import begun_at_inputs
from runnel.keras.engine.symbolic.symbolic_call import trial_outputs
from runnel.keras.engine.training.training import Training
from runnel.keras.saving.call_specs import call_specs, note_specs
from runnel.keras.saving.config_errors import reads_config
from runnel.keras.saving.pickling import copied, reduced
from runnel.keras.saving.serialization import writing_folder
from .model_files import ModelFiles
from .network import Network
from .network_config import is_network_config, network_config, network_from_config
from .summary import print_summary

_trimmed = tf.__internal__.tracebacks.trimmed

_untracked = tf.__internal__.tracking.no_automatic_dependency_tracking
_KEYWORDS = frozenset({"trainable", "dtype", "dynamic", "name", "autocast", "inputs", "outputs"})


class Model(ModelFiles, Training, Layer):
    """Layers that are trained together; made of symbolic tensors, or by subclassing.

    >>> class Twice(tf.keras.Model):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.dense = tf.keras.layers.Dense(1)
    ...     def call(self, inputs):
    ...         return 2 * self.dense(inputs)
    >>> model = Twice()
    >>> model(tf.ones([3, 2])).shape
    TensorShape([3, 1])
    """

    _network: Network | None = None
    _is_sequential = False
    _scoped = True
    input_names: Any = None
    output_names: Any = None
    _counts_metrics = True

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        if cls is Model and _is_functional(args, kwargs):
            return super().__new__(Functional)  # type: ignore[return-value]  # a `Model`
        return super().__new__(cls, *args, **kwargs)

    @_untracked
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        unknown = set(kwargs) - _KEYWORDS
        if unknown:
            raise TypeError(
                "The following keyword arguments passed to `Model` aren't supported: "
                f"{sorted(unknown)}."
            )
        functional = _is_functional(args, kwargs)
        inputs, outputs, name = _ends(args, kwargs) if functional else (None, None, None)
        rest = {k: v for k, v in kwargs.items() if k not in ("inputs", "outputs", "name")}
        name = kwargs.get("name", name)
        if functional and name is None and type(self).__module__.startswith("runnel."):
            name = unique_name("model")
        super().__init__(name=name, **rest)
        self._note_strategy()
        if functional:
            self._init_network(inputs, outputs)

    def _missing_init(self, value: Any) -> None:
        leaves = tf.nest.flatten(value)
        if leaves and all(isinstance(leaf, tf.Module | tf.Variable) for leaf in leaves):
            raise RuntimeError(
                "It looks like you are subclassing `Model` and you forgot to call "
                "`super().__init__()`. Always start with this line."
            )
        super()._missing_init(value)

    @_untracked
    def _init_network(self, inputs: Any, outputs: Any) -> None:
        """Make this a model of the calls between symbolic tensors."""
        inputs, outputs = begun_at_inputs(_without_wrappers(inputs), _without_wrappers(outputs))
        self._network = Network(inputs, outputs)
        own = [m for m in self._tracked if not isinstance(m, Layer)]
        self._tracked = [*self._network.layers, *own]
        self.built = True
        self._casts = False  # the layers cast their inputs themselves
        self._set_output_names()
        self._input_spec = self._network_spec()
        if len(self._network.inputs) == 1:
            self._build_input_shape = self._network.inputs[0].shape
        else:
            self._build_input_shape = tf.nest.map_structure(lambda t: t.shape, inputs)
        self.supports_masking = True

    def _set_output_names(self) -> None:
        assert self._network is not None
        self.output_names = self._network.output_names
        self.input_names = self._network.input_names

    def _network_spec(self) -> Any:
        """What is checked of the inputs."""
        assert self._network is not None
        nested = self._network.nested_inputs
        flat = isinstance(nested, KerasTensor) or len(nested) == len(self._network.inputs)
        if not flat:
            return None
        specs = []
        names = sorted(nested) if isinstance(nested, dict) else self._network.input_names
        for tensor, name in zip(self._network.inputs, names):
            shape = tensor.shape
            dims = None if shape.rank is None else (None, *shape.as_list()[1:])
            specs.append(InputSpec(shape=dims, allow_last_axis_squeeze=True, name=name))
        return specs[0] if isinstance(nested, KerasTensor) else specs

    @property
    def _object_identifier(self) -> str:  # type: ignore[override]
        return "_tf_keras_network" if self._network is not None else "_tf_keras_model"

    @property
    def _is_graph_network(self) -> bool:
        return self._network is not None

    @property
    def _input_layers(self) -> list[Any]:
        """The layers of a functional model's inputs; libraries walk it from there."""
        return self._network.input_layers  # type: ignore[no-any-return, union-attr]

    @property
    def _output_layers(self) -> list[Any]:
        """The layers that give a functional model's outputs."""
        return self._network.output_layers  # type: ignore[no-any-return, union-attr]

    def build(self, input_shape: Any) -> None:
        """Make the weights for inputs of a shape, batch included.

        Args:
            input_shape: the shape, or a structure of some.
        """
        if self._network is not None:
            return
        if input_shape is None:
            raise ValueError("Input shape must be defined when calling `build()` on a `Model`.")
        shapes = as_shapes(input_shape)
        self._scoped = False  # its layers are not called by it, and so have names of their own
        built, self.built = self.built, True  # a `build` that calls this one is not called again
        try:
            trial_outputs(self, shapes)
            built = True
        except (TypeError, ValueError) as error:
            raise ValueError(
                "You cannot build your model by calling `build` if your layers do not support "
                "float type inputs. Instead, in order to instantiate and build your model, call "
                f"your model on real tensor data. The actual error from `call` is: {error}."
            ) from error
        finally:
            self._scoped, self.built = True, built
        self._note_build_shape(shapes)

    def _name_scope(self) -> str:
        return super()._name_scope() if self._scoped else ""

    def _builds_itself(self) -> bool:
        return type(self).build is Model.build and "build" not in self.__dict__

    def _run(self, inputs: Any, rest: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if self._noted_specs is None and self._network is None:
            note_specs(self, inputs, rest, kwargs)
        return super()._run(inputs, rest, kwargs)

    @any_signature
    def call(self, inputs: Any, training: Any = None, mask: Any = None) -> Any:
        """The outputs for some inputs, given in subclasses.

        Args:
            inputs: a tensor, or a structure of some.
            training: whether it is called in training.
            mask: which places of the inputs count.
        """
        if self._network is None:
            raise NotImplementedError(
                "Unimplemented `tf.keras.Model.call()`: if you intend to create a `Model` with "
                "the Functional API, please provide `inputs` and `outputs` arguments. Otherwise, "
                "subclass `Model` with an overridden `call()` method."
            )
        return self._network.run(inputs, training=training, mask=mask)

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        if self._network is None:
            return None
        outputs = self._network.run(inputs, mask=mask)
        return tf.nest.map_structure(lambda t: getattr(t, "_keras_mask", None), outputs)

    def _set_masks(self, inputs: Any, outputs: Any, rest: Any, kwargs: Any) -> None:
        """The layers have set the masks of the outputs."""

    @property
    def layers(self) -> list[Layer]:
        """The layers, in the order in which data passes them or they were assigned."""
        return list(self._flatten_layers(recursive=False, include_self=False))

    @layers.setter
    def layers(self, value: Any) -> None:
        raise AttributeError(
            "`Model.layers` attribute is reserved and should not be used. Please use another name."
        )

    @property
    def inputs(self) -> Any:
        """The symbolic inputs of a functional model."""
        return None if self._network is None else self._network.inputs

    @property
    def outputs(self) -> Any:
        """The symbolic outputs of a functional model."""
        return None if self._network is None else self._network.outputs

    @property
    def input(self) -> Any:
        if self._network is None:
            return super().input
        return self._network.nested_inputs

    @property
    def output(self) -> Any:
        if self._network is None:
            return super().output
        return self._network.nested_outputs

    @property
    def input_shape(self) -> Any:
        if self._network is None:
            return super().input_shape
        return tf.nest.map_structure(lambda t: tuple(t.shape), self.input)

    @property
    def output_shape(self) -> Any:
        if self._network is None:
            return super().output_shape
        return tf.nest.map_structure(lambda t: tuple(t.shape), self.output)

    @property
    def weights(self) -> list[Any]:
        """All weights, layer by layer."""
        return distinct(
            [*self._below("variables"), *self._trainable_weights, *self._non_trainable_weights]
        )

    @property
    def trainable_weights(self) -> list[Any]:
        self._assert_weights_created()
        if not self._trainable:
            return []
        return distinct([*self._below("trainable_variables"), *self._trainable_weights])

    @property
    def non_trainable_weights(self) -> list[Any]:
        self._assert_weights_created()
        if not self._trainable:
            return self.weights
        below = self._below("non_trainable_variables")
        return distinct([*below, *self._non_trainable_weights])

    def _assert_weights_created(self) -> None:
        """A hook for models that know that their weights are still to come."""

    def get_layer(self, name: str | None = None, index: int | None = None) -> Layer:
        """A layer by its name or its place.

        Args:
            index: the place.

        Raises:
            ValueError: there is none.
        """
        if (name is None) == (index is None):
            raise ValueError(
                "Provide either a layer name or a layer index at `get_layer`, and not both. "
                f"Received: index={index}, name={name}."
            )
        if index is not None:
            if len(self.layers) <= index:
                raise ValueError(
                    f"Was asked to retrieve layer at index {index} but model only has "
                    f"{len(self.layers)} layers."
                )
            return self.layers[index]
        for layer in self.layers:
            if layer.name == name:
                return layer
        raise ValueError(
            f"No such layer: {name}. Existing layers are: {[layer.name for layer in self.layers]}."
        )

    def count_params(self) -> int:
        """The number of scalars in the weights."""
        if not self.built:
            raise ValueError(
                f"You tried to call `count_params` on {self.name}, but the layer isn't built. "
                "Call the model on data, or call `build()`."
            )
        return count_scalars(self.weights)

    @_trimmed
    def summary(
        self,
        line_length: int | None = None,
        positions: Any = None,
        print_fn: Any = None,
        expand_nested: bool = False,
        show_trainable: bool = False,
        layer_range: Any = None,
    ) -> None:
        """Print the layers, their shapes and the numbers of their weights.

        Args:
            line_length, positions: how wide lines and columns are.
            print_fn: what prints; None is `print`.
            expand_nested: whether the layers of models inside are shown.
            show_trainable: whether it is shown what is trained.
            layer_range: names or patterns of the first and the last layer to show.
        """
        if not self.built:
            raise ValueError(
                "This model has not yet been built. Build the model first by calling `build()` or "
                "by calling the model on a batch of data."
            )
        print_summary(
            self,
            line_length=line_length,
            positions=positions,
            print_fn=print_fn,
            expand_nested=expand_nested,
            show_trainable=show_trainable,
            layer_range=layer_range,
        )

    def get_weight_paths(self) -> dict[str, Any]:
        """The weights by what leads to them, such as `dense.kernel`: attributes, or layers' names.

        >>> model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1, name="d")])
        >>> list(model.get_weight_paths())
        ['d.kernel', 'd.bias']
        """
        if self._network is None:
            return paths_of_variables(self)
        found: dict[str, Any] = {}
        for layer in self.layers:
            inside = paths_of_variables(layer).items()
            found |= {f"{layer.name}.{path}": variable for path, variable in inside}
        return found

    def save_spec(self, dynamic_batch: bool = True) -> Any:
        """The specs of the arguments of a call, None before the first."""
        specs = call_specs(self, dynamic_batch)
        return None if specs is None else (list(specs[0]), specs[1])

    def reset_states(self) -> None:
        """Begin the states of recurrent layers again."""
        for layer in self.layers:
            if hasattr(layer, "reset_states") and getattr(layer, "stateful", False):
                layer.reset_states()

    @property
    def state_updates(self) -> list[Any]:
        """Nothing: what changes in a call changes there."""
        warnings.warn(
            "`Model.state_updates` will be removed in a future version. This property should not "
            "be used in TensorFlow 2.0, as `updates` are applied automatically.",
            stacklevel=2,
        )
        return []

    def get_config(self) -> dict[str, Any]:
        """The layers and how they are joined; of a class with its own `__init__`, the arguments.

        A subclass whose `get_config` calls this one adds its arguments to nothing.
        """
        base: dict[str, Any] = {"name": self.name, "trainable": self.trainable}
        if self._network is not None:
            if self._init_arguments is not None and not writing_folder():
                return self._automatic_config(base)
            return network_config(self)
        if type(self).get_config is not Model.get_config:
            return {}
        try:
            return self._automatic_config({**base, "dtype": policies.serialize(self.dtype_policy)})
        except NotImplementedError:
            tf.get_logger().warning(
                "The arguments of `%s.__init__()` are not plain values, so that its config is "
                "empty. Implement `get_config()` to save and load it.",
                type(self).__name__,
            )
            return {}

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Self:
        if is_network_config(config):
            inputs, outputs, ends = network_from_config(config, custom_objects)
            if cls.__init__ is Model.__init__ or cls.__name__ == "Functional":
                made = cls(inputs=inputs, outputs=outputs, name=config.get("name"))
            else:
                extra = {k: v for k, v in config.items() if k not in _NETWORK_KEYS}
                made = cls(inputs=inputs, outputs=outputs, name=config.get("name"), **extra)
            if ends:
                made._add_ends(ends)
            if config.get("trainable") is False:
                made._trainable = False
            return made
        return super().from_config(config)

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> Any:
        children = dict(super()._trackable_children(save_type, **kwargs))
        if self._network is not None:
            children |= numbered_layers(self.layers)
        return children

    def __copy__(self) -> Any:
        return copied(self, {})

    def __deepcopy__(self, memo: Any) -> Any:
        return copied(self, memo)

    def __reduce__(self) -> Any:
        return reduced(self)

    def _add_symbolic_loss(self, loss: Any) -> None:
        self._extend_network(AddLoss, loss)

    def _add_symbolic_metric(self, value: Any, name: str | None) -> None:
        self._extend_network(AddMetric, value, metric_name=name)

    def _extend_network(self, kind: Any, tensor: Any, **options: Any) -> None:
        """Add a layer behind a tensor whose output nobody takes."""
        self._add_ends([kind(**options)(tensor)])

    @_untracked
    def _add_ends(self, tensors: list[Any]) -> None:
        """Have the network compute tensors that are none of its outputs."""
        network = self._network
        assert network is not None
        extra = [*network.extra_outputs, *tensors]
        self._network = Network(network.nested_inputs, network.nested_outputs, extra)
        self._tracked = [*self._network.layers]


class Functional(Model):
    """What `tf.keras.Model(inputs, outputs)` makes.

    >>> x = tf.keras.Input((3,))
    >>> type(tf.keras.Model(x, tf.keras.layers.Dense(2)(x))).__name__
    'Functional'
    """

    _saved_module = "keras.src.engine.functional"

    def __init__(
        self,
        inputs: Any,
        outputs: Any,
        name: str | None = None,
        trainable: bool = True,
        **kwargs: Any,
    ) -> None:
        super().__init__(inputs=inputs, outputs=outputs, name=name, trainable=trainable, **kwargs)


def paths_of_variables(root: Any) -> dict[str, Any]:
    """The variables below an object by the shortest path that checkpoints know them by."""
    found: dict[str, Any] = {}
    waiting, seen = deque([("", root)]), {id(root)}
    while waiting:
        path, parent = waiting.popleft()
        for name, child in parent._trackable_children().items():
            if id(child) in seen:
                continue
            seen.add(id(child))
            place = f"{path}.{name}" if path else name
            if isinstance(child, tf.Variable):
                found[place] = child
            elif hasattr(child, "_trackable_children"):
                waiting.append((place, child))
    return found


_NETWORK_KEYS = ("name", "layers", "input_layers", "output_layers", "trainable")


def numbered_layers(layers: list[Any]) -> dict[str, Any]:
    """Layers by the names that checkpoints know them by."""
    found: dict[str, Any] = {}
    weighty = 0
    for number, layer in enumerate(layers):
        if _has_weights(layer):
            found[f"layer_with_weights-{weighty}"] = layer
            weighty += 1
        found[f"layer-{number}"] = layer
    return found


def _has_weights(layer: Any) -> bool:
    try:
        return bool(layer.weights)
    except ValueError:  # a model inside this one, whose weights are still to come
        return False


def _is_functional(args: Any, kwargs: Any) -> bool:
    return (
        len(args) == 2
        or (len(args) == 1 and "outputs" in kwargs)
        or ("inputs" in kwargs and "outputs" in kwargs)
        or len(args) == 3
    )


def _ends(args: Any, kwargs: Any) -> tuple[Any, Any, Any]:
    given = dict(zip(("inputs", "outputs", "name"), args)) | kwargs
    return given["inputs"], given["outputs"], given.get("name")


def _without_wrappers(structure: Any) -> Any:
    """Plain lists and dicts in place of tracked ones."""
    if isinstance(structure, dict):
        return {key: _without_wrappers(value) for key, value in structure.items()}
    if isinstance(structure, list | tuple) and not isinstance(structure, KerasTensor):
        values = [_without_wrappers(value) for value in structure]
        return tuple(values) if isinstance(structure, tuple) else values
    return structure
