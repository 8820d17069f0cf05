"""The weights of a layer: making them, finding them in attributes, reading and setting them."""

from __future__ import annotations

import warnings
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import nullcontext
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras import constraints, initializers, regularizers
from runnel.keras.engine import graph_mode, weight_budget
from runnel.keras.engine.layer.autocast import auto_cast
from runnel.keras.engine.layer.call_context import call_context
from runnel.keras.engine.settings import floatx

_KEYWORDS = frozenset(
    """collections experimental_autocast caching_device getter layout
    experimental_enable_variable_lifting""".split()
)
_OWN = frozenset("_compile_arguments _stack _start _tracked".split())
_Containers = tf.__internal__.tracking.TrackableDataStructure


class LayerWeights(tf.Module):
    """Part of `Layer`: what has to do with weights and sub-layers."""

    _trainable = True
    built: bool
    name: Any
    dtype_policy: Any
    _trainable_weights: list[Any]
    _non_trainable_weights: list[Any]
    _tracked: list[Any]
    _callable_losses: list[Any]
    _metrics: list[Any]
    _is_metric = False
    _counts_metrics = False  # whether variables of metrics in attributes are weights, as of models

    def add_variable(self, *args: Any, **kwargs: Any) -> Any:
        """The old name of `add_weight`."""
        warnings.warn(
            "`layer.add_variable` is deprecated and will be removed in a future version. Please "
            "use the `layer.add_weight()` method instead.",
            stacklevel=2,
        )
        return self.add_weight(*args, **kwargs)

    def add_weight(
        self,
        name: str | None = None,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool | None = None,
        constraint: Any = None,
        use_resource: bool | None = None,
        synchronization: tf.VariableSynchronization = tf.VariableSynchronization.AUTO,
        aggregation: tf.VariableAggregation = tf.VariableAggregation.NONE,
        **kwargs: Any,
    ) -> tf.Variable:
        """A new variable of this layer, as `build` makes them.

        Every variable of TensorFlow 2 is a resource, whatever `use_resource` says.

        Args:
            shape: the shape of the variable.
            dtype: the dtype; None is that of the layer.
            initializer, regularizer, constraint: what it begins with, a penalty on it, and a
                function that it goes through after each update.
            trainable: whether training changes it.
            use_resource: of TensorFlow 1; without effect.
            synchronization, aggregation: for several replicas: how the variable's copies are kept
                together.
        """
        for key in kwargs:
            if key not in _KEYWORDS:
                raise TypeError(f"Unknown keyword argument: {key}")
        kind = tf.as_dtype(dtype or self.dtype_policy.variable_dtype or floatx())
        start = _initializer(initializer, kind, name)
        trainable = _checked_trainable(trainable, synchronization)
        autocast = kwargs.get("experimental_autocast", True) and self._casts_variables(kind)
        make = kwargs.get("getter") or (auto_cast if autocast else tf.Variable)
        dims = () if shape is None else tuple(tf.TensorShape(shape).as_list())
        weight_budget.take(name, dims, kind)
        outside: Any = tf.init_scope
        if make is tf.Variable and graph_mode.in_graph():
            make, outside = graph_mode.make_weight, nullcontext
        with outside():
            variable = make(
                initial_value=lambda: start(dims, dtype=kind),
                trainable=trainable,
                name=name,
                dtype=kind,
                constraint=constraints.get(constraint),
                synchronization=synchronization,
                aggregation=aggregation,
                shape=dims,
            )
        self._keep_weight(variable, name)
        if regularizer is not None:
            self._regularize(variable, regularizers.get(regularizer))
        return variable

    def _casts_variables(self, kind: tf.DType) -> bool:
        policy = self.dtype_policy
        return kind.is_floating and policy.compute_dtype not in (None, policy.variable_dtype)

    def _keep_weight(self, variable: Any, name: str | None) -> None:
        kept = self._trainable_weights if variable.trainable else self._non_trainable_weights
        kept.append(variable)
        if name is not None and name not in self._dependencies.children:
            self._track_trackable(variable, name)

    def _regularize(self, variable: Any, regularizer: Any) -> None:
        def penalty() -> Any:
            with tf.name_scope(variable.name.split(":")[0].split("/")[-1] + "/Regularizer"):
                return regularizer(variable)

        self._callable_losses.append(penalty)

    def __setattr__(self, name: str, value: Any) -> None:
        old = self.__dict__.get(name)
        super().__setattr__(name, value)
        if not self._self_setattr_tracking:
            return
        place = None
        if isinstance(old, tf.Variable | tf.Module | _Containers):
            place = self._place_of(old) if isinstance(value, tf.Variable) else None
            self._forget(old)
        if isinstance(value, tf.Variable | tf.Module | list | dict | tuple):
            self._follow(self.__dict__.get(name, value), place)

    def _place_of(self, old: Any) -> int | None:
        """The place among the trainable weights, which a variable leaves to its successor."""
        places = [i for i, w in enumerate(self.__dict__.get("_trainable_weights", ())) if w is old]
        return places[0] if places else None

    def _forget(self, old: Any) -> None:
        """No longer count what an attribute held, if no other attribute holds it."""
        if any(old is value for value in self.__dict__.values()):
            return
        for kept in ("_tracked", "_trainable_weights", "_non_trainable_weights"):
            found = self.__dict__.get(kept)
            if found:
                found[:] = [other for other in found if other is not old]

    def _follow(self, value: Any, place: int | None = None) -> None:
        """Remember a variable, a module or a container that was assigned to an attribute."""
        if "_tracked" not in self.__dict__:
            self._missing_init(value)
            return
        if isinstance(value, tf.Variable):
            self._follow_variable(value, place)
        elif isinstance(value, tf.Module):
            if not any(value is known for known in self._tracked):
                self._tracked.append(value)
                self._note_metric(value)
        elif isinstance(value, _Containers):
            if not any(value is known for known in self._tracked):
                self._tracked.append(value)
            for leaf in _leaves(value):
                if isinstance(leaf, tf.Variable):
                    self._follow_variable(leaf)
                else:
                    self._note_metric(leaf)

    def _missing_init(self, value: Any) -> None:
        """An attribute was set before `super().__init__()`."""
        for kept in ("_tracked", "_trainable_weights", "_non_trainable_weights", "_metrics"):
            object.__setattr__(self, kept, [])  # plain lists, that no checkpoint follows
        self._follow(value)

    def _follow_variable(self, variable: Any, place: int | None = None) -> None:
        known = (*self._trainable_weights, *self._non_trainable_weights)
        if not any(variable is other for other in known):
            kept = self._trainable_weights if variable.trainable else self._non_trainable_weights
            kept.insert(len(kept) if place is None else place, variable)

    def _note_metric(self, value: Any) -> None:
        if getattr(value, "_is_metric", False) and "_metrics" in self.__dict__:
            self._metrics.append(value)

    def __delattr__(self, name: str) -> None:
        old = self.__dict__.get(name)
        super().__delattr__(name)
        self._forget(old)

    def _flatten_modules(self, recursive: bool = True, include_self: bool = True) -> Iterator[Any]:
        """The modules below this one, metrics excepted, in the order of their assignment."""
        if include_self:
            yield self
        seen: set[int] = set()
        waiting = deque(self.__dict__.get("_tracked", ()))
        while waiting:
            found = waiting.popleft()
            if id(found) in seen:
                continue
            seen.add(id(found))
            if isinstance(found, _Containers):
                waiting.extendleft(reversed(_values(found)))
            elif isinstance(found, tf.Module) and not getattr(found, "_is_metric", False):
                yield found
                if recursive:
                    waiting.extendleft(reversed(found.__dict__.get("_tracked", ())))

    def _flatten_layers(self, recursive: bool = True, include_self: bool = True) -> Iterator[Any]:
        for module in self._flatten_modules(recursive, include_self):
            if isinstance(module, LayerWeights):
                yield module

    def _parts(self) -> Iterator[Any]:
        """The modules directly below this one, metrics too."""
        seen: set[int] = set()
        waiting = deque(self.__dict__.get("_tracked", ()))
        while waiting:
            found = waiting.popleft()
            if id(found) in seen:
                continue
            seen.add(id(found))
            if isinstance(found, _Containers):
                waiting.extendleft(reversed(_values(found)))
            elif isinstance(found, tf.Module):
                yield found

    def _attributes_to_flatten(self) -> dict[str, Any]:
        """The attributes under the names that they have in Keras, since their order shows."""
        found = {name: value for name, value in vars(self).items() if name not in _OWN}
        found["_self_tracked_trackables"] = self.__dict__.get("_tracked", [])
        network = self.__dict__.get("_network")
        if network is not None:
            found["_input_layers"] = network.input_layers
            found["_output_layers"] = network.output_layers
        return found

    @property
    def trainable(self) -> bool:
        return self._trainable

    @trainable.setter
    def trainable(self, value: Any) -> None:
        for layer in self._flatten_layers():
            layer._trainable = bool(value)

    @property
    def trainable_weights(self) -> list[tf.Variable]:
        """The weights that training changes, those of sub-layers last."""
        if not self.trainable:
            return []
        return distinct([*self._trainable_weights, *self._below("trainable_variables")])

    @property
    def non_trainable_weights(self) -> list[tf.Variable]:
        """The weights that training leaves alone."""
        if self.trainable:
            below = self._below("non_trainable_variables")
            return distinct([*self._non_trainable_weights, *below])
        own = [*self._trainable_weights, *self._non_trainable_weights]
        return distinct([*own, *self._below("variables")])

    def _below(self, kind: str) -> list[Any]:
        every = self._parts() if self._counts_metrics else self._flatten_modules(False, False)
        return [v for part in every for v in getattr(part, kind)]

    def _dedup_weights(self, weights: Iterable[Any]) -> list[Any]:
        """Each of some weights once; layers of libraries that list their own call it."""
        return distinct(weights)

    @property
    def weights(self) -> list[tf.Variable]:
        """All weights, the trainable ones first."""
        return distinct([*self.trainable_weights, *self.non_trainable_weights])

    @property
    def trainable_variables(self) -> list[tf.Variable]:
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list[tf.Variable]:
        return self.non_trainable_weights

    @property
    def variables(self) -> list[tf.Variable]:
        return self.weights

    @graph_mode.at_once
    def get_weights(self) -> list[np.ndarray]:
        """The values of the weights, in their order."""
        if tf.inside_function():
            raise RuntimeError(
                f"The weights of {self.name!r} have no values inside a tf.function, where no layer "
                "can `get_weights`. Read `layer.weights` there."
            )
        return [
            weight.numpy() if weight.shape.rank else np.asarray(weight.numpy())
            for weight in self.weights
        ]

    @graph_mode.at_once
    def set_weights(self, weights: Any) -> None:
        """Set the values of the weights from a list in their order."""
        own = self.weights
        if len(own) != len(weights):
            raise ValueError(
                f'You called `set_weights(weights)` on layer "{self.name}" with a weight list of '
                f"length {len(weights)}, but the layer was expecting {len(own)} weights. "
                f"Provided weights: {str(weights)[:50]}..."
            )
        for variable, value in zip(own, weights, strict=True):
            shape = getattr(value, "shape", np.shape(value))
            if not variable.shape.is_compatible_with(shape):
                raise ValueError(
                    f"Layer {self.name} weight shape {variable.shape} is not compatible with "
                    f"provided weight shape {tuple(shape)}."
                )
        for variable, value in zip(own, weights, strict=True):
            variable.assign(np.asarray(value, variable.dtype.as_numpy_dtype))

    def count_params(self) -> int:
        """The number of scalars in the weights."""
        if not self.built:
            raise ValueError(
                f"You tried to call `count_params` on layer {self.name}, but the layer isn't "
                "built. You can build it manually via: "
                f"`{self.name}.build(batch_input_shape)`."
            )
        return count_scalars(self.weights)


def count_scalars(weights: Any) -> int:
    """The number of elements in all of some variables, each counted once.

    A variable whose shape is open, such as the summary of a `Discretization`, counts for nothing.
    """
    shapes = [w.shape.as_list() for w in distinct(weights)]
    return sum(int(np.prod(shape)) for shape in shapes if None not in shape)


def distinct(weights: Any) -> list[Any]:
    """Each variable once, in order."""
    seen: set[int] = set()
    return [w for w in weights if not (id(w) in seen or seen.add(id(w)))]  # type: ignore[func-returns-value]


def _values(container: Any) -> list[Any]:
    return list(container.values()) if isinstance(container, dict) else list(container)


def _leaves(container: Any) -> Iterator[Any]:
    for value in _values(container):
        if isinstance(value, _Containers):
            yield from _leaves(value)
        else:
            yield value


def _initializer(initializer: Any, kind: tf.DType, name: str | None) -> Any:
    if initializer is not None:
        return initializers.get(initializer)
    if kind.is_floating:
        return initializers.get("glorot_uniform")
    if kind.is_integer or kind == tf.bool:
        return initializers.get("zeros")
    raise ValueError(
        f"An initializer for variable {name} of type {kind.name} is required. "
        f"Received: {initializer}"
    )


def _checked_trainable(trainable: bool | None, synchronization: Any) -> bool:
    if synchronization is tf.VariableSynchronization.ON_READ:
        if trainable:
            raise ValueError(
                "Synchronization value can be set to VariableSynchronization.ON_READ only for "
                "non-trainable variables. You have specified trainable=True and "
                "synchronization=VariableSynchronization.ON_READ."
            )
        return False
    return True if trainable is None else bool(trainable)


def in_call() -> bool:
    """Whether a layer is being called."""
    return call_context.depth > 0
