"""`DenseFeatures`: features of many kinds as one dense tensor, by columns that know how."""

from __future__ import annotations

import inspect
from collections import defaultdict
from collections.abc import Iterator
from typing import Any

import runnel as tf
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.learning_phase import learning_phase
from runnel.keras.saving.config_errors import reads_config
from runnel.keras.saving.object_registration import get_registered_object


class FeatureCache:
    """What columns are given: the features by name, and what other columns made of them."""

    def __init__(self, features: dict[str, Any]) -> None:
        self._features = dict(features)
        self._made: dict[Any, Any] = {}

    def get(self, key: Any, state_manager: Any, training: Any = None) -> Any:
        """The feature of a name, or what a column makes of the features, once."""
        if isinstance(key, str):
            return self._raw(key)
        if key not in self._made:
            transform = key.transform_feature
            wants = "training" in inspect.signature(transform).parameters
            options = {"training": training} if wants else {}
            self._made[key] = transform(self, state_manager, **options)
        return self._made[key]

    def _raw(self, name: str) -> Any:
        if name not in self._features:
            raise ValueError(f"Feature {name} is not in features dictionary.")
        value = self._features[name]
        if isinstance(value, tf.SparseTensor | tf.RaggedTensor):
            return value
        tensor = tf.convert_to_tensor(value)
        return tf.expand_dims(tensor, -1) if tensor.shape.rank == 1 else tensor


class StateManager:
    """Makes variables for columns, as weights of the layer."""

    def __init__(self, layer: Layer, trainable: bool) -> None:
        self._layer, self._trainable = layer, trainable
        self._variables: dict[Any, dict[str, Any]] = defaultdict(dict)
        self._resources: dict[Any, dict[str, Any]] = defaultdict(dict)

    def create_variable(
        self,
        feature_column: Any,
        name: str,
        shape: Any,
        dtype: Any = None,
        trainable: bool = True,
        use_resource: bool = True,
        initializer: Any = None,
    ) -> Any:
        """A weight that belongs to a column."""
        if name in self._variables[feature_column]:
            raise ValueError("Variable already exists.")
        made = self._layer.add_weight(
            name,
            shape=shape,
            dtype=dtype,
            initializer=initializer,
            trainable=self._trainable and trainable,
            use_resource=use_resource,
        )
        self._layer._track_trackable(made, f"{feature_column.name}/{name}")
        self._variables[feature_column][name] = made
        return made

    def get_variable(self, feature_column: Any, name: str) -> Any:
        if name not in self._variables[feature_column]:
            raise ValueError("Variable does not exist.")
        return self._variables[feature_column][name]

    def add_resource(self, feature_column: Any, name: str, resource: Any) -> None:
        """Keep a table or the like of a column."""
        self._resources[feature_column][name] = resource

    def has_resource(self, feature_column: Any, name: str) -> bool:
        return name in self._resources[feature_column]

    def get_resource(self, feature_column: Any, name: str) -> Any:
        if not self.has_resource(feature_column, name):
            raise ValueError("Resource does not exist.")
        return self._resources[feature_column][name]


class DenseFeatures(Layer):
    """The tensors of some columns beside each other, in the order of their names.

    A column is an object with a `name`, a `variable_shape`, and the methods `create_state(manager)`
    and `get_dense_tensor(cache, manager)`; `cache.get(key, manager)` gives it features.

    >>> class Column:
    ...     name, variable_shape = "age", tf.TensorShape([1])
    ...     def create_state(self, manager):
    ...         pass
    ...     def get_dense_tensor(self, cache, manager):
    ...         return cache.get("age", manager) / 10.0
    >>> tf.keras.layers.DenseFeatures([Column()])({"age": tf.constant([30.0])}).numpy()
    array([[3.]], dtype=float32)
    """

    def __init__(
        self, feature_columns: Any, trainable: bool = True, name: str | None = None, **kwargs: Any
    ) -> None:
        self._partitioner = kwargs.pop("partitioner", None)
        super().__init__(trainable=trainable, name=name, **kwargs)
        if self._partitioner is not None:
            raise NotImplementedError("DenseFeatures: `partitioner` is not supported.")
        columns = tf.__internal__.tracking.NoDependency(_checked_columns(feature_columns))
        self._feature_columns: Any = columns
        manager = tf.__internal__.tracking.NoDependency(StateManager(self, self.trainable))
        self._state_manager: Any = manager

    def _keep_weight(self, variable: Any, name: str | None) -> None:
        # Two columns may call a weight the same: the manager says under which name it is saved.
        super()._keep_weight(variable, None)

    def build(self, _: Any) -> None:
        for column in self._feature_columns:
            with tf.name_scope(column.name):
                column.create_state(self._state_manager)
        super().build(None)

    def call(self, features: Any, cols_to_output_tensors: Any = None, training: Any = None) -> Any:
        if training is None:
            training = learning_phase()
        if not isinstance(features, dict):
            raise ValueError("We expected a dictionary here. Instead we got: ", features)
        cache = FeatureCache(features)
        made = []
        for column in self._feature_columns:
            with tf.name_scope(column.name):
                tensor = self._flat(column, self._tensor(column, cache, training))
            if cols_to_output_tensors is not None:
                cols_to_output_tensors[column] = tensor
            made.append(tensor)
        _check_batches(made, self._feature_columns)
        return tf.concat(made, -1)

    def _tensor(self, column: Any, cache: FeatureCache, training: Any) -> Any:
        get = column.get_dense_tensor
        if "training" in inspect.signature(get).parameters:
            return get(cache, self._state_manager, training=training)
        return get(cache, self._state_manager)

    @staticmethod
    def _flat(column: Any, tensor: Any) -> Any:
        width = tf.TensorShape(column.variable_shape).num_elements()
        return tf.reshape(tensor, [tf.shape(tensor)[0], width])

    def compute_output_shape(self, input_shape: Any) -> Any:
        shapes = input_shape.values() if isinstance(input_shape, dict) else [input_shape]
        widths = [tf.TensorShape(c.variable_shape).num_elements() for c in self._feature_columns]
        return tf.TensorShape([tf.TensorShape(next(iter(shapes)))[0], sum(widths)])

    def get_config(self) -> dict[str, Any]:
        columns = [
            {"class_name": type(column).__name__, "config": column.get_config()}
            for column in self._feature_columns
        ]
        return {**super().get_config(), "feature_columns": columns, "partitioner": None}

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        by_name: dict[str, Any] = {}
        made = []
        for column in config["feature_columns"]:
            kind = get_registered_object(column["class_name"], custom_objects)
            if kind is None:
                raise ValueError(
                    f"Unknown feature column {column['class_name']!r}: pass its class as "
                    "`custom_objects`."
                )
            made.append(kind.from_config(column["config"], custom_objects, by_name))
        return cls(**{**config, "feature_columns": made})


def _checked_columns(columns: Any) -> list[Any]:
    """Columns in the order of their names."""
    if isinstance(columns, dict):
        raise ValueError("Expected feature_columns to be iterable, found dict.")
    if hasattr(columns, "get_dense_tensor"):
        columns = [columns]
    columns = list(columns) if isinstance(columns, Iterator | list | tuple | set) else [columns]
    if not columns:
        raise ValueError("feature_columns must not be empty.")
    seen: dict[str, Any] = {}
    for column in columns:
        if not hasattr(column, "get_dense_tensor"):
            raise ValueError(
                "Items of feature_columns must be a dense FeatureColumn. You can wrap a "
                "categorical column with an embedding_column or indicator_column. Given (type "
                f"{type(column)}): {column}."
            )
        if column.name in seen:
            raise ValueError(
                f"Duplicate feature column name found for columns: {column} and "
                f"{seen[column.name]}."
            )
        seen[column.name] = column
    return sorted(columns, key=lambda column: str(column.name))


def _check_batches(tensors: list[Any], columns: list[Any]) -> None:
    sizes = {c.name: t.shape[0] for c, t in zip(columns, tensors) if t.shape[0] is not None}
    if len(set(sizes.values())) > 1:
        raise ValueError(
            f"Batch size (first dimension) of each feature must be same. Batch sizes: {sizes}"
        )
