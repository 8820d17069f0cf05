"""`tf.keras.layers.Layer`: weights, and a computation on them."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import Any, Self

import numpy as np

import runnel as tf
from runnel.keras.engine import policy as policies
from runnel.keras.engine.layer.autocast import reading_variables_as
from runnel.keras.engine.layer.call_context import call_context
from runnel.keras.engine.layer.call_errors import name_layer
from runnel.keras.engine.layer.call_spec import CallSpec, any_signature
from runnel.keras.engine.layer.input_spec import InputSpec, check_inputs
from runnel.keras.engine.layer.losses import LayerLosses
from runnel.keras.engine.layer.nodes import LayerNodes
from runnel.keras.engine.layer.shapes import as_shapes, plain_shapes, shapes_of
from runnel.keras.engine.learning_phase import global_learning_phase_is_set, learning_phase
from runnel.keras.engine.naming import argument_hint, snake_case, unique_name
from runnel.keras.engine.symbolic.keras_tensor import KerasTensor, has_keras_tensors
from runnel.keras.engine.symbolic.symbolic_call import call_on_keras_tensors, output_shapes
from runnel.keras.saving.call_specs import note_specs, set_specs
from runnel.keras.saving.config_errors import reads_config
from runnel.keras.saving.files.saved_functions import saved_children

_untracked = tf.__internal__.tracking.no_automatic_dependency_tracking
_convert = tf.__internal__.autograph.tf_convert
KEYWORDS = frozenset(
    """input_dim input_shape batch_input_shape batch_size weights activity_regularizer autocast
    implementation""".split()
)
"""Arguments that every layer takes beside those of `Layer.__init__`."""
_PLAIN = (bool, int, float, str, list, tuple, dict, type(None))


class Layer(LayerLosses, LayerNodes):
    """A computation with weights: `build` makes the weights, `call` uses them.

    >>> class Scale(tf.keras.layers.Layer):
    ...     def build(self, input_shape):
    ...         self.factor = self.add_weight("factor", shape=input_shape[-1:], initializer="ones")
    ...     def call(self, inputs):
    ...         return inputs * self.factor
    >>> layer = Scale(name="scale")
    >>> layer(tf.constant([[1.0, 2.0]])).numpy(), [w.name for w in layer.weights]
    (array([[1., 2.]], dtype=float32), ['scale/factor:0'])
    """

    supports_masking = False
    _object_identifier = "_tf_keras_layer"  # what SavedModels call the kind of a layer
    _converts_inputs = True  # whether numbers and arrays among the inputs become tensors
    _has_loop = False  # whether a call is a loop of the graph
    _init_arguments: dict[str, Any] | None = None
    _noted_specs: Any = None  # of the arguments of the first call

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if "compute_mask" in vars(cls) and "supports_masking" not in vars(cls):
            cls.supports_masking = True

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        made = super().__new__(cls)
        if cls.get_config is Layer.get_config or not cls.__module__.startswith("runnel."):
            object.__setattr__(made, "_init_arguments", _plain_arguments(cls, args, kwargs))
        return made

    @_untracked
    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        dtype: Any = None,
        dynamic: bool = False,
        **kwargs: Any,
    ) -> None:
        for key in kwargs:
            if key not in KEYWORDS:
                raise TypeError(
                    f"Keyword argument not understood: {key!r}.{argument_hint(key, type(self))}"
                )
        if not isinstance(trainable, bool) and trainable not in (0, 1):
            raise TypeError(f"Expected `trainable` argument to be a boolean, but got: {trainable}")
        self._trainable = bool(trainable)
        self._name = name if name is not None else unique_name(snake_case(type(self).__name__))
        if not isinstance(self._name, str):
            raise TypeError(f"The name of a layer is a string, got {name!r}.")
        self.built = False
        self._dtype_policy = policies.get(dtype)
        self._autocast = kwargs.get("autocast", True)
        self._compute = tf.as_dtype(self._dtype_policy.compute_dtype or "float32")
        self._casts = self._autocast and self._compute.is_floating
        self._mixed = self._dtype_policy.compute_dtype != self._dtype_policy.variable_dtype
        self._dynamic = dynamic
        self._input_spec: Any = None
        self._stateful = False
        self._trainable_weights = self.__dict__.get("_trainable_weights", [])
        self._non_trainable_weights = self.__dict__.get("_non_trainable_weights", [])
        self._tracked = self.__dict__.get("_tracked", [])
        self._metrics = self.__dict__.get("_metrics", [])
        self._losses: list[Any] = []
        self._callable_losses: list[Any] = []
        self._inbound_nodes: list[Any] = []
        self._outbound_nodes: list[Any] = []
        self._build_input_shape: Any = None
        self._initial_weights = kwargs.get("weights")
        self._call_spec = CallSpec(self.call)
        if kwargs.get("activity_regularizer") is not None:
            self.activity_regularizer = kwargs["activity_regularizer"]
        self._note_input_shape(kwargs)

    def _note_input_shape(self, kwargs: dict[str, Any]) -> None:
        if "input_dim" in kwargs and "input_shape" not in kwargs:
            kwargs["input_shape"] = (kwargs["input_dim"],)
        if "batch_input_shape" in kwargs:
            self._batch_input_shape = tuple(kwargs["batch_input_shape"])
        elif "input_shape" in kwargs:
            self._batch_input_shape = (kwargs.get("batch_size"), *kwargs["input_shape"])

    def _set_save_spec(self, inputs: Any, args: Any = None, kwargs: Any = None) -> None:
        """Say what a call is given, for saving; what was said before, or seen in a call, stays."""
        if self._noted_specs is None:
            set_specs(self, inputs, args or (), kwargs or {})

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> Any:
        children = dict(super()._trackable_children(save_type, **kwargs))
        if save_type == "savedmodel":
            children |= saved_children(self, kwargs.get("cache"))
        return children

    def build(self, input_shape: Any) -> None:
        """Make the weights; called with the shape of the first inputs.

        Args:
            input_shape: the shape of the inputs, batch included.
        """
        self._note_build_shape(input_shape)
        self.built = True

    @any_signature
    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The computation, given in subclasses.

        Args:
            inputs: a tensor, or a structure of some.
        """
        return inputs

    def __call__(self, *args: Any, **kwargs: Any) -> tf.Tensor:
        try:
            try:
                spec = self._call_spec
            except AttributeError:
                raise RuntimeError(
                    f"The constructor of {type(self).__name__} did not call `super().__init__()`. "
                    "You must call `super().__init__()` in the layer constructor."
                ) from None
            inputs, rest = spec.split(args, kwargs)
            if rest or kwargs or not isinstance(inputs, tf.Tensor):
                if has_keras_tensors(inputs, rest, kwargs):
                    return self._call_symbolically(inputs, rest, kwargs)
                inputs = _tensors(inputs) if self._converts_inputs else inputs
                rest = tuple(map(_arrays, rest))
                kwargs = {key: _arrays(value) for key, value in kwargs.items()}
            outer_training, outer_layer = call_context.training, call_context.layer
            if call_context.depth == 0 and not call_context.symbolic:
                self._clear_losses()
            if spec.expects_mask and spec.given("mask", rest, kwargs) is None:
                mask = _collected_masks(inputs)
                if mask is not None or "mask" in spec.required:
                    rest = spec.replaced("mask", mask, rest, kwargs)
            if spec.expects_training:
                training = self._training_mode(rest, kwargs)
                rest = spec.replaced("training", training, rest, kwargs)
                call_context.training = training
            elif "training" in kwargs:
                call_context.training = kwargs.pop("training")  # for the layers inside
            call_context.depth += 1
            call_context.layer = self
            try:
                with tf.name_scope(self._name_scope()):
                    outputs = self._run(inputs, rest, kwargs)
            finally:
                call_context.depth -= 1
                call_context.training, call_context.layer = outer_training, outer_layer
            return outputs
        except Exception as error:
            tf.__internal__.tracebacks.trim(error)
            raise

    def _training_mode(self, rest: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Whether to train: as asked, as the layer around, as everywhere, or the default."""
        given = self._call_spec.given("training", rest, kwargs)
        if given is not None:
            return given
        if call_context.training is not None:
            return call_context.training
        if global_learning_phase_is_set():
            return bool(learning_phase())
        return self._call_spec.training_default

    def _run(self, inputs: Any, rest: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Build if need be, check and cast the inputs, call, and see to masks and penalties."""
        if not self.built:
            self._maybe_build(inputs)
            if self._noted_specs is None:
                note_specs(self, inputs, rest, kwargs)
        if self._input_spec is not None:
            check_inputs(self._input_spec, inputs, self._name)
        if self._casts:
            inputs = self._cast_inputs(inputs)
        call = self.call if tf.executing_eagerly() else _convert(self.call)
        try:
            if self._mixed:
                with reading_variables_as(self._compute):
                    outputs = call(inputs, *rest, **kwargs)
            else:
                outputs = call(inputs, *rest, **kwargs)
        except Exception as error:
            name_layer(error, self, inputs, rest, kwargs)
            raise
        if self._activity_regularizer is not None:
            self._regularize_outputs(outputs)
        self._set_masks(inputs, outputs, rest, kwargs)
        return outputs

    def _name_scope(self) -> str:
        return self._name

    def name_scope(self) -> str:  # type: ignore[override]  # a property of modules
        """The scope of the names that a call makes here."""
        around = tf.get_current_name_scope()
        return f"{around}/{self._name}/" if around else f"{self._name}/"

    def _maybe_build(self, inputs: Any) -> None:
        if self._input_spec is not None:
            check_inputs(self._input_spec, inputs, self._name)
        if not self._builds_itself():
            shapes = shapes_of(inputs)
            with tf.init_scope():
                self.build(shapes)
            self._note_build_shape(shapes)
        else:
            self._note_build_shape(shapes_of(inputs))
        self.built = True
        if self._initial_weights is not None:
            with tf.init_scope():  # also where a model is traced or tried on symbolic tensors
                self.set_weights(self._initial_weights)
            self._initial_weights = None

    def _note_build_shape(self, shapes: Any) -> None:
        if self._build_input_shape is None:
            object.__setattr__(self, "_build_input_shape", shapes)  # not tracked, if it is a list

    def _builds_itself(self) -> bool:
        """Whether the class has no `build` of its own."""
        return type(self).build is Layer.build and "build" not in self.__dict__

    def _cast_inputs(self, inputs: Any) -> Any:
        wanted = self._compute
        if isinstance(inputs, tf.Tensor):
            kind = inputs.dtype
            return tf.cast(inputs, wanted) if kind is not wanted and kind.is_floating else inputs
        return tf.nest.map_structure(lambda x: _cast(x, wanted), inputs)

    def _set_masks(
        self, inputs: Any, outputs: Any, rest: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> None:
        """Give the outputs the masks that follow from those of the inputs."""
        default = type(self).compute_mask is Layer.compute_mask
        if default and not self.supports_masking:
            return
        mask = self._call_spec.given("mask", rest, kwargs)
        if mask is None:
            mask = _collected_masks(inputs)
        if mask is None and default:
            return
        flat = tf.nest.flatten(outputs)
        if all(getattr(t, "_keras_mask", None) is not None for t in flat):
            return
        masks = self.compute_mask(inputs, mask)
        flat_masks = [None] * len(flat) if masks is None else tf.nest.flatten(masks)
        for tensor, found in zip(flat, flat_masks):
            if tf.is_tensor(tensor) and found is not None:
                tensor._keras_mask = found

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask of the outputs; the same as that of the inputs where masks are supported."""
        if not self.supports_masking:
            if any(m is not None for m in tf.nest.flatten(mask)):
                raise TypeError(
                    f"Layer {self.name} does not support masking, but was passed an input_mask: "
                    f"{mask}"
                )
            return None
        return mask

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of the outputs for inputs of a shape, found by a trial in a scratch graph."""
        self._maybe_build_for(input_shape)
        return output_shapes(self, input_shape)

    def _maybe_build_for(self, input_shape: Any) -> None:
        if not self.built and not self._builds_itself():
            with tf.init_scope(), tf.name_scope(self._name):
                self.build(as_shapes(input_shape))
            self.built = True

    def compute_output_signature(self, input_signature: Any) -> Any:
        """The `tf.TensorSpec`s of the outputs for inputs of given specs."""
        for spec in tf.nest.flatten(input_signature):
            if not isinstance(spec, tf.TensorSpec | tf.SparseTensorSpec | tf.RaggedTensorSpec):
                raise TypeError(f"`input_signature` must hold `tf.TensorSpec`s, got {spec!r}.")
        shapes = tf.nest.map_structure(lambda spec: spec.shape, input_signature)
        flat = tf.nest.flatten(input_signature)
        kind = self._dtype_policy.compute_dtype or flat[0].dtype
        found = self.compute_output_shape(shapes)
        if isinstance(found, tuple) and all(d is None or isinstance(d, int) for d in found):
            found = tf.TensorShape(found)
        return tf.nest.map_structure(lambda shape: tf.TensorSpec(shape, kind), found)

    def _described_outputs(self, inputs: Any) -> Any:
        """Symbolic outputs of a layer that cannot be tried in a graph, by what it says of them."""
        if type(self).compute_output_shape is Layer.compute_output_shape:
            raise NotImplementedError(
                "Please run in eager mode or implement the `compute_output_shape` method on your "
                f"layer ({type(self).__name__})."
            )
        specs = tf.nest.map_structure(lambda t: tf.TensorSpec(t.shape, t.dtype), inputs)
        self._maybe_build_for(tf.nest.map_structure(lambda t: t.shape, inputs))
        return tf.nest.map_structure(KerasTensor, self.compute_output_signature(specs))

    def _call_symbolically(self, inputs: Any, rest: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return call_on_keras_tensors(self, inputs, rest, kwargs)

    @property
    def name(self) -> str:
        return self._name

    @property
    def dtype(self) -> str | None:
        """The dtype of the weights."""
        return self._dtype_policy.variable_dtype

    @property
    def variable_dtype(self) -> str | None:
        return self._dtype_policy.variable_dtype

    @property
    def compute_dtype(self) -> str | None:
        return self._dtype_policy.compute_dtype

    @property
    def dtype_policy(self) -> policies.Policy:
        return self._dtype_policy

    @property
    def dynamic(self) -> bool:
        """Whether the layer runs Python at each call, so that it cannot be part of a graph."""
        return any(layer._dynamic for layer in self._flatten_layers())

    @property
    def stateful(self) -> bool:
        return any(layer._stateful for layer in self._flatten_layers())

    @stateful.setter
    def stateful(self, value: bool) -> None:
        self._stateful = value

    @property
    def input_spec(self) -> Any:
        """What is checked of the inputs: `InputSpec`s, or None."""
        return self._input_spec

    @input_spec.setter
    @_untracked
    def input_spec(self, value: Any) -> None:
        for spec in tf.nest.flatten(value):
            if spec is not None and not isinstance(spec, InputSpec):
                raise TypeError(f"Layer input_spec must be an instance of InputSpec. Got: {spec}")
        self._input_spec = value

    def get_config(self) -> dict[str, Any]:
        """The arguments with which another such layer can be made."""
        config: dict[str, Any] = {
            "name": self.name,
            "trainable": self.trainable,
            "dtype": policies.serialize(self._dtype_policy),
        }
        if getattr(self, "_batch_input_shape", None) is not None:
            config["batch_input_shape"] = self._batch_input_shape
        if self._dynamic:
            config["dynamic"] = True
        if type(self).get_config is not Layer.get_config or type(self).__init__ is Layer.__init__:
            return config
        return self._automatic_config(config)

    def _automatic_config(self, config: dict[str, Any]) -> dict[str, Any]:
        """For classes without `get_config`: the arguments of `__init__`, if all were plain."""
        given = self._init_arguments
        if given is None:
            raise NotImplementedError(
                f"Layer {type(self).__name__} was created by passing non-serializable argument "
                "values in `__init__()`, and therefore the layer must override `get_config()` in "
                "order to be serializable. Please implement `get_config()`."
            )
        taken = inspect.signature(type(self).__init__).parameters
        takes_rest = any(p.kind is p.VAR_KEYWORD for p in taken.values())
        base = {key: value for key, value in config.items() if key in taken or takes_rest}
        return base | given

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any]) -> Self:
        """A layer with the arguments of `get_config`.

        Args:
            config: a dict.
        """
        try:
            return cls(**config)
        except Exception as error:
            raise TypeError(
                f"Error when deserializing class '{cls.__name__}' using config={config}.\n\n"
                f"Exception encountered: {error}"
            ) from error

    def get_build_config(self) -> Any:
        """What `build_from_config` needs to make the weights again."""
        if self._build_input_shape is None:
            return None
        return {"input_shape": plain_shapes(self._build_input_shape)}

    def build_from_config(self, config: dict[str, Any]) -> None:
        """Make the weights for the shape that was saved."""
        if not isinstance(config, Mapping):
            raise TypeError(f"`config` must be a dict with 'input_shape', got {config!r}.")
        shape = config.get("input_shape")
        if shape is not None and not self.built:
            with tf.name_scope(self._name):
                self.build(as_shapes(shape))
            self._note_build_shape(as_shapes(shape))
            self.built = True  # not every `build` says so

    def save_own_variables(self, store: Any) -> None:
        """Put the values of the layer's own weights into `store`, under numbers."""
        own = [*self._trainable_weights, *self._non_trainable_weights]
        for number, variable in enumerate(own):
            store[str(number)] = variable.numpy()

    def load_own_variables(self, store: Any) -> None:
        """Set the layer's own weights from what `save_own_variables` stored."""
        own = [*self._trainable_weights, *self._non_trainable_weights]
        if len(store.keys()) != len(own):
            missing = (
                f"Layer '{self.name}' was never built and thus it doesn't have any variables. "
                f"However the weights file lists {len(store.keys())} variables for this layer. "
                "Most likely `build()` or `build_from_config()` must be implemented."
            )
            counted = (
                f"Layer '{self.name}' expected {len(own)} variables, but received "
                f"{len(store.keys())} variables during loading. "
                f"Expected: {[v.name for v in own]}"
            )
            raise ValueError(counted if own or self.built else missing)
        for number, variable in enumerate(own):
            variable.assign(np.asarray(store[str(number)]))

    def finalize_state(self) -> None:
        """Settle the state after `adapt` or `set_weights`; nothing here."""

    def __repr__(self) -> str:
        return object.__repr__(self)

    def __hash__(self) -> int:
        return id(self)

    def __eq__(self, other: object) -> bool:
        return self is other


def _plain_arguments(cls: Any, args: Any, kwargs: dict[str, Any]) -> dict[str, Any] | None:
    """The arguments of `__init__` by name, None if one is not plain data."""
    try:
        bound = inspect.signature(cls.__init__).bind(None, *args, **kwargs).arguments
    except (TypeError, ValueError):
        return None
    found: dict[str, Any] = {}
    for key, value in list(bound.items())[1:]:
        kind = inspect.signature(cls.__init__).parameters[key].kind
        if kind is inspect.Parameter.VAR_KEYWORD:
            found.update(value)
        elif kind is inspect.Parameter.VAR_POSITIONAL:
            return None
        else:
            found[key] = value
    plain = all(isinstance(v, _PLAIN) for v in tf.nest.flatten(list(found.values())))
    return found if plain else None


def _tensors(inputs: Any) -> Any:
    """Inputs with numbers and arrays made tensors."""
    if isinstance(inputs, np.ndarray):
        return tf.convert_to_tensor(inputs)
    if isinstance(inputs, tf.Tensor | tf.Variable):
        return inputs
    return tf.nest.map_structure(_tensor, inputs)


def _tensor(value: Any) -> Any:
    if isinstance(value, np.ndarray | float | int | np.generic):
        return tf.convert_to_tensor(value)
    return value


def _arrays(value: Any) -> Any:
    """A further argument, with arrays in it made tensors."""
    if isinstance(value, np.ndarray):
        return tf.convert_to_tensor(value)
    if not isinstance(value, list | tuple | dict):
        return value
    if not any(isinstance(x, np.ndarray) for x in tf.nest.flatten(value)):
        return value  # the caller's own list or dict, which the layer may fill
    return tf.nest.map_structure(
        lambda x: tf.convert_to_tensor(x) if isinstance(x, np.ndarray) else x, value
    )


def _cast(value: Any, wanted: tf.DType) -> Any:
    kind = getattr(value, "dtype", None)
    if isinstance(kind, tf.DType) and kind.is_floating and kind is not wanted:
        return tf.cast(value, wanted)
    return value


def _collected_masks(inputs: Any) -> Any:
    """The masks that tensors carry, in the structure of the inputs; None if there are none."""
    if isinstance(inputs, tf.Tensor):
        return getattr(inputs, "_keras_mask", None)
    found = [getattr(x, "_keras_mask", None) for x in tf.nest.flatten(inputs)]
    if all(mask is None for mask in found):
        return None
    return tf.nest.pack_sequence_as(inputs, found)
