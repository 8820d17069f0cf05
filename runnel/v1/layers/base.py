"""`tf.compat.v1.layers.Layer`: a function whose variables are those of a variable scope."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple

import numpy as np

import runnel as tf
from runnel.core.op.context import state
from runnel.core.values.types import DTypeLike
from runnel.graph.session.default import get_default_graph, get_default_session
from runnel.v1.variables.collections import GraphKeys
from runnel.v1.variables.scopes import get_variable, variable_scope

_COUNTS = "__layer_names"


class Layer(tf.Module):
    """The base of layers: `build` makes the variables when it is first called, `call` uses them.

    >>> class Twice(tf.compat.v1.layers.Layer):
    ...     def build(self, input_shape):
    ...         self.w = self.add_weight("w", [], initializer=tf.compat.v1.ones_initializer())
    ...     def call(self, inputs):
    ...         return inputs * self.w * 2.0
    >>> with tf.Graph().as_default(), tf.compat.v1.Session() as session:
    ...     layer = Twice(name="twice")
    ...     y = layer(tf.constant([1.0, 2.0]))
    ...     session.run(tf.compat.v1.global_variables_initializer())
    ...     layer.w.name, session.run(y)
    ('twice/w:0', array([2., 4.], dtype=float32))
    """

    trainable = True
    stateful = False
    supports_masking = False
    input_spec: Any = None
    activity_regularizer: Any = None

    def __init__(
        self,
        trainable: bool = True,
        name: str | None = None,
        dtype: DTypeLike = None,
        **kwargs: Any,
    ) -> None:
        scope, self._reuse = kwargs.pop("_scope", None), kwargs.pop("_reuse", None)
        self.activity_regularizer = kwargs.pop("activity_regularizer", None)
        self._config = {"autocast": kwargs.pop("autocast", None)}
        if kwargs:
            raise TypeError(f"Layer: unknown arguments {sorted(kwargs)}.")
        self._base_name = name or to_snake(type(self).__name__)
        self._name = name or _unique(self._base_name)
        self.trainable, self.built = trainable, False
        self._dtype = None if dtype is None else tf.as_dtype(dtype)
        self._weights: list[Any] = []
        self._losses: list[Any] = []
        self._updates: list[Any] = []
        self._metrics: list[Any] = []
        self._calls: list[tuple[Any, Any]] = []
        self._graph: Any = None
        self._scope: Any = None
        self._current_scope: Any = None
        if scope:
            with variable_scope(scope) as captured:
                self._scope = captured

    @property
    def dtype(self) -> Any:
        """The dtype of the variables, as a name."""
        return None if self._dtype is None else self._dtype.name

    compute_dtype = variable_dtype = property(lambda self: self.dtype)
    dynamic = property(lambda self: False)

    @property
    def name_scope(self) -> Any:
        """The scope for the names of operations, to be entered."""
        return _reopened(self._scope.original_name_scope)

    @property
    def graph(self) -> Any:
        """The graph in which the layer was called first."""
        return self._graph

    @property
    def scope_name(self) -> str:
        """The name of the variable scope."""
        if self._scope is None:
            raise ValueError(f"No name is known for the scope of {self.name!r}: call it first.")
        return str(self._scope.name)

    def build(self, input_shape: Any) -> None:
        """Make the variables; called once, with the shape of the first inputs."""
        self.built = True

    def call(self, inputs: Any, **kwargs: Any) -> Any:
        """What the layer computes."""
        return inputs

    def apply(self, *args: Any, **kwargs: Any) -> Any:
        """An older name of calling the layer."""
        return self(*args, **kwargs)

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        self._open_scope(kwargs.pop("scope", None))
        if self._graph is None:
            self._graph = get_default_graph()
        reuse = True if self.built else self._reuse
        with variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as scope:
            self._current_scope = scope
            with _reopened(scope.original_name_scope):
                inputs = tf.nest.map_structure(self._as_tensor, inputs)
                self._check_inputs(inputs)
                if not self.built:
                    self.build(_shape_of(inputs))
                    self.built = True
                outputs = self.call(inputs, *args, **kwargs)
                self._regularize_activity(outputs)
        self._calls.append((inputs, outputs))
        return outputs

    def _open_scope(self, given: Any) -> None:
        if self._scope is not None:
            return
        if self._reuse:
            opened = variable_scope(given if given is not None else self._base_name)
        else:
            opened = variable_scope(given, default_name=self._base_name)
        with opened as captured:
            self._scope = captured

    def _as_tensor(self, value: Any) -> Any:
        if isinstance(value, (np.ndarray, float, int)):
            value = tf.convert_to_tensor(value, self._dtype)
        if self._dtype is None and getattr(value, "dtype", None) is not None:
            self._dtype = value.dtype
        return value

    def _check_inputs(self, inputs: Any) -> None:
        """ValueError if the inputs are not what `input_spec` says."""
        if self.input_spec is None:
            return
        wanted = (
            self.input_spec if isinstance(self.input_spec, (list, tuple)) else [self.input_spec]
        )
        for spec, value in zip(wanted, tf.nest.flatten(inputs), strict=False):
            _check_spec(self.name, spec, value.shape)

    def _regularize_activity(self, outputs: Any) -> None:
        if self.activity_regularizer is not None:
            with tf.name_scope("ActivityRegularizer"):
                self.add_loss([self.activity_regularizer(x) for x in tf.nest.flatten(outputs)])

    def add_weight(
        self,
        name: str,
        shape: Any,
        dtype: DTypeLike = None,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool | None = None,
        constraint: Any = None,
        use_resource: bool | None = None,
        synchronization: Any = tf.VariableSynchronization.AUTO,
        aggregation: Any = tf.VariableAggregation.NONE,
        partitioner: Any = None,
        **kwargs: Any,
    ) -> Any:
        """A variable in the scope of the layer."""
        for unknown in kwargs.keys() - {"experimental_autocast"}:
            raise TypeError(f"add_weight() got an unexpected keyword argument {unknown!r}.")
        trainable = True if trainable is None else trainable
        if synchronization == tf.VariableSynchronization.ON_READ:
            trainable = False
        reuse = True if self.built else self._reuse
        before = set(map(id, get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES)))
        self._open_scope(None)
        with variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False):
            made = get_variable(
                name,
                shape,
                dtype=tf.as_dtype(dtype or self._dtype or "float32"),
                initializer=initializer,
                trainable=trainable and self.trainable,
                constraint=constraint,
                use_resource=use_resource,
                synchronization=synchronization,
                aggregation=aggregation,
                partitioner=partitioner,
            )
        self._weights.append((made, trainable))
        if regularizer is not None and (state.graph is None or id(made) not in before):
            with tf.name_scope(f"{name}/Regularizer"):
                self.add_loss([regularizer(made)])
        return made

    def add_variable(self, *args: Any, **kwargs: Any) -> Any:
        """An older name of `add_weight`."""
        return self.add_weight(*args, **kwargs)

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Add losses to the layer, and to the collection of regularization losses."""
        found = [x() if callable(x) else x for x in tf.nest.flatten(losses) if x is not None]
        self._losses += found
        _into(GraphKeys.REGULARIZATION_LOSSES, found)

    def add_update(self, updates: Any) -> None:
        """Add operations that a step of training is to run, by the collection of such."""
        found = [x for x in tf.nest.flatten(updates) if x is not None]
        self._updates += found
        _into(GraphKeys.UPDATE_OPS, found)

    @property
    def weights(self) -> list[Any]:
        """The variables: first those that are trained."""
        return self.trainable_weights + self.non_trainable_weights

    @property
    def trainable_weights(self) -> list[Any]:
        return [w for w, trained in self._all_weights() if trained and self.trainable]

    @property
    def non_trainable_weights(self) -> list[Any]:
        return [w for w, trained in self._all_weights() if not (trained and self.trainable)]

    variables = property(lambda self: self.weights)
    trainable_variables = property(lambda self: self.trainable_weights)
    non_trainable_variables = property(lambda self: self.non_trainable_weights)

    def _all_weights(self) -> list[tuple[Any, bool]]:
        below = [p for m in self._inner_layers() for p in m._all_weights()]
        return list({id(w): (w, t) for w, t in [*self._weights, *below]}.values())

    def _inner_layers(self) -> list[Layer]:
        return [m for m in self._flatten(recursive=False) if isinstance(m, Layer)]

    @property
    def losses(self) -> list[Any]:
        return [*self._losses, *[x for m in self._inner_layers() for x in m.losses]]

    @property
    def updates(self) -> list[Any]:
        if not self.trainable:
            return []
        return [*self._updates, *[x for m in self._inner_layers() for x in m.updates]]

    def get_losses_for(self, inputs: Any) -> list[Any]:
        """The losses, whatever inputs they came from."""
        return self.losses

    def get_updates_for(self, inputs: Any) -> list[Any]:
        """The updates, whatever inputs they came from."""
        return self.updates

    def count_params(self) -> int:
        """How many numbers the variables hold."""
        if not self.built:
            raise ValueError(f"count_params: {self.name!r} has no variables yet: call it first.")
        return sum(int(np.prod(w.shape.as_list())) for w in self.weights)

    def get_weights(self) -> list[Any]:
        """The values of the variables, in the default session if there is one."""
        if state.graph is None and get_default_session() is None:
            return [w.numpy() for w in self.weights]
        return _session().run(self.weights)  # type: ignore[no-any-return]

    def set_weights(self, weights: Any) -> None:
        """Give the variables values."""
        if len(weights) != len(self.weights):
            raise ValueError(f"{self.name!r} has {len(self.weights)} weights, got {len(weights)}.")
        for variable, value in zip(self.weights, weights, strict=True):
            if tuple(variable.shape) != np.shape(value):
                raise ValueError(f"{variable.name} has another shape than {np.shape(value)}.")
            if state.graph is None:
                variable.assign(value)
            else:
                variable.load(value, _session())

    def get_config(self) -> dict[str, Any]:
        """The arguments with which such a layer can be made again."""
        return {"name": self.name, "trainable": self.trainable, "dtype": self.dtype}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A layer of `get_config`."""
        return cls(**config)

    def compute_output_shape(self, input_shape: Any) -> Any:
        """The shape of what the layer makes of inputs of a shape."""
        with tf.Graph().as_default():
            given = tf.zeros([1 if n is None else n for n in tf.TensorShape(input_shape)])
            made = type(self).from_config(self.get_config())(given).shape.as_list()
        known = tf.TensorShape(input_shape).as_list()
        return tf.TensorShape([known[0], *made[1:]])

    def compute_mask(self, inputs: Any, mask: Any = None) -> Any:
        """The mask as it is, if the layer can have one."""
        if mask is not None and not self.supports_masking:
            raise TypeError(f"Layer {self.name} does not support masking.")
        return mask

    def _call_at(self, node_index: int) -> tuple[Any, Any]:
        if node_index >= len(self._calls):
            raise RuntimeError(f"{self.name!r} was called {len(self._calls)} times.")
        return self._calls[node_index]

    def get_input_at(self, node_index: int) -> Any:
        return self._call_at(node_index)[0]

    def get_output_at(self, node_index: int) -> Any:
        return self._call_at(node_index)[1]

    def get_input_shape_at(self, node_index: int) -> Any:
        return _shape_of(self._call_at(node_index)[0])

    def get_output_shape_at(self, node_index: int) -> Any:
        return _shape_of(self._call_at(node_index)[1])

    def get_input_mask_at(self, node_index: int) -> None:
        """None: these layers hand on no masks."""
        self._call_at(node_index)

    get_output_mask_at = get_input_mask_at
    input_mask = output_mask = property(lambda self: self.get_input_mask_at(0))
    inbound_nodes = outbound_nodes = property(lambda self: [])  # nobody builds models of these

    @property
    def metrics(self) -> list[Any]:
        """The metrics of `add_metric`, and those of layers inside."""
        return [*self._metrics, *[x for m in self._inner_layers() for x in m.metrics]]

    def add_metric(self, value: Any, name: str | None = None, **kwargs: Any) -> None:
        """Keep the mean of a value as a metric."""
        for unknown in kwargs.keys() - {"aggregation"}:
            raise TypeError(f"add_metric() got an unexpected keyword argument {unknown!r}.")
        if name is None:
            raise ValueError(f"add_metric: the metric of {value!r} needs a `name`.")
        metric = tf.keras.metrics.Mean(name=name)
        metric(value)
        self._metrics.append(metric)

    @property
    def dtype_policy(self) -> Any:
        """The dtype as a policy of Keras."""
        return tf.keras.mixed_precision.Policy(self.dtype or "_infer")

    def finalize_state(self) -> None:
        """Nothing: a layer calls this when its state will change no more."""

    def get_build_config(self) -> dict[str, Any]:
        """The shape that the layer was built for."""
        if not self._calls:
            return {"input_shape": None}
        shape = _shape_of(self._calls[0][0])
        return {"input_shape": tuple(shape) if isinstance(shape, tf.TensorShape) else shape}

    def build_from_config(self, config: dict[str, Any]) -> None:
        """Make the variables for a shape of `get_build_config`."""
        shape = config.get("input_shape")
        if shape is not None:
            self.build(tf.TensorShape(shape))
            self.built = True

    def compute_output_signature(self, input_signature: Any) -> Any:
        """The shape and dtype of what the layer makes of such inputs."""
        shape = self.compute_output_shape(input_signature.shape)
        return tf.TensorSpec(shape, self.dtype or input_signature.dtype)

    def save_own_variables(self, store: Any) -> None:
        """Put the values of the layer's variables into a mapping, by their places."""
        for place, value in enumerate(self.get_weights()):
            store[str(place)] = value

    def load_own_variables(self, store: Any) -> None:
        """Take the values back from such a mapping."""
        if len(store) != len(self.weights):
            raise ValueError(f"{self.name!r} has {len(self.weights)} weights, got {len(store)}.")
        self.set_weights([np.asarray(store[str(place)]) for place in range(len(store))])

    def _only_call(self) -> tuple[Any, Any]:
        if len(self._calls) != 1:
            raise AttributeError(
                f"{self.name!r} was called {len(self._calls)} times; use get_input_at and its like."
            )
        return self._calls[0]

    input = property(lambda self: self._only_call()[0])
    output = property(lambda self: self._only_call()[1])
    input_shape = property(lambda self: _shape_of(self._only_call()[0]))
    output_shape = property(lambda self: _shape_of(self._only_call()[1]))


def _unique(base: str) -> str:
    """A name that no layer of the graph has."""
    held = get_default_graph().get_collection_ref(_COUNTS)
    if not held:
        held.append({})
    number = held[0].get(base, 0)
    held[0][base] = number + 1
    return f"{base}_{number}" if number else base


def to_snake(name: str) -> str:
    """The name of a class as scopes have it: `MaxPooling2D` is `max_pooling2d`."""
    parts = re.sub(r"(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    parts = re.sub(r"([a-z])([A-Z])", r"\1_\2", parts).lower()
    return parts if parts[0] != "_" else f"private{parts}"


def _reopened(name: str) -> Any:
    """The name scope that a variable scope opened, opened again."""
    return tf.name_scope(name if name.endswith("/") or not name else f"{name}/")


def _into(collection: str, values: list[Any]) -> None:
    if state.graph is None:
        return
    held = get_default_graph().get_collection_ref(collection)
    held += [v for v in values if not any(v is old for old in held)]


def _session() -> Any:
    session = get_default_session()
    if session is None:
        raise ValueError("A session is needed: enter one by `with session.as_default()`.")
    return session


def _shape_of(inputs: Any) -> Any:
    return tf.nest.map_structure(lambda x: getattr(x, "shape", None), inputs)


def _check_spec(name: str, spec: Any, shape: Any) -> None:
    rank, axes = getattr(spec, "ndim", None), getattr(spec, "axes", None) or {}
    at_least = getattr(spec, "min_ndim", None)
    if shape.rank is None:
        return
    if rank is not None and shape.rank != rank:
        raise ValueError(f"Layer {name}: inputs of rank {rank} are wanted, got shape {shape}.")
    if at_least is not None and shape.rank < at_least:
        raise ValueError(f"Layer {name}: at least rank {at_least} is wanted, got shape {shape}.")
    for axis, size in axes.items():
        if size is not None and shape[int(axis)] not in (size, None):
            raise ValueError(
                f"Layer {name}: axis {axis} of the inputs must have size {size}, got shape {shape}."
            )


class Spec(NamedTuple):
    """What inputs must be like: the rank, the least rank, the sizes of axes."""

    ndim: int | None = None
    min_ndim: int | None = None
    axes: dict[int, Any] | None = None


@contextmanager
def keras_style_scope() -> Iterator[None]:
    """Layers made inside would keep their variables for themselves, as those of Keras do."""
    raise NotImplementedError("keras_style_scope: take the layers of `tf.keras.layers` instead.")
    yield


def set_keras_style() -> None:
    """Layers made from now on would keep their variables for themselves, as those of Keras do."""
    raise NotImplementedError("set_keras_style: take the layers of `tf.keras.layers` instead.")
