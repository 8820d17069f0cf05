"""`DenseFeatures` and `SequenceFeatures`: features of many kinds as one tensor, by columns."""

from __future__ import annotations

import inspect
from contextlib import ExitStack
from typing import Any

import runnel as tf
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.learning_phase import learning_phase
from runnel.keras.saving.config_errors import reads_config
from runnel.keras.saving.object_registration import known_objects
from runnel.keras.saving.serialization import deserialize_keras_object, serialize_keras_object


class FeatureLayer(Layer):
    """What layers of columns have in common."""

    _kind: str  # the class of columns that the layer takes, in `tf.__internal__.feature_column`

    def __init__(
        self,
        feature_columns: Any,
        trainable: bool = True,
        name: str | None = None,
        partitioner: Any = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, trainable=trainable, **kwargs)
        api = tf.__internal__.feature_column
        columns = api.checked_columns(feature_columns, api.FeatureColumn)
        for column in columns:
            if not isinstance(column, getattr(api, self._kind)):
                raise ValueError(
                    f"{type(self).__name__}: columns must be of the class {self._kind}; categories "
                    "are wrapped in an embedding_column or an indicator_column. Got "
                    f"{column!r}."
                )
        plain = tf.__internal__.tracking.NoDependency
        self._feature_columns: Any = plain(columns)
        self._partitioner = partitioner
        self._state_manager: Any = plain(self._new_state())

    def _new_state(self) -> Any:
        return tf.__internal__.feature_column.StateManager(self, self.trainable)

    def _keep_weight(self, variable: Any, name: str | None) -> None:
        # Two columns may call a weight the same: the manager says under which name it is saved.
        super()._keep_weight(variable, None)

    def build(self, _: Any) -> None:
        scope = tf.compat.v1.variable_scope
        for column in self._feature_columns:
            with ExitStack() as stack:
                stack.enter_context(scope(self.name, partitioner=self._partitioner))
                stack.enter_context(scope(_as_scope(column.name)))
                column.create_state(self._state_manager)
        super().build(None)

    def _flat(self, column: Any, tensor: Any) -> Any:
        size = self._target_shape(tf.shape(tensor), column.variable_shape.num_elements())
        return tf.reshape(tensor, size)

    def _target_shape(self, input_shape: Any, total_elements: int) -> Any:
        raise NotImplementedError(f"{type(self).__name__} has no shape.")

    def compute_output_shape(self, input_shape: Any) -> Any:
        widths = [column.variable_shape.num_elements() for column in self._feature_columns]
        shapes = input_shape.values() if isinstance(input_shape, dict) else [input_shape]
        return tf.TensorShape(self._target_shape(tf.TensorShape(next(iter(shapes))), sum(widths)))

    def _made_by(self, make: Any, cache: Any, training: Any) -> Any:
        """What a column makes; those of users may want to know of `training`."""
        if training is None:
            training = learning_phase()
        wants = "training" in inspect.signature(make).parameters
        return make(cache, self._state_manager, **({"training": training} if wants else {}))

    def get_config(self) -> dict[str, Any]:
        write = tf.__internal__.feature_column.serialize_feature_column
        return {
            **super().get_config(),
            "feature_columns": [write(column) for column in self._feature_columns],
            "partitioner": serialize_keras_object(self._partitioner),
        }

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any], custom_objects: Any = None) -> Any:
        by_name: dict[str, Any] = {}
        read = tf.__internal__.feature_column.deserialize_feature_column
        known = known_objects(custom_objects)
        columns = [read(c, known, by_name) for c in config["feature_columns"]]
        partitioner = deserialize_keras_object(config["partitioner"], custom_objects)
        return cls(**{**config, "feature_columns": columns, "partitioner": partitioner})


def _as_scope(name: str) -> str:
    """A column's name with characters that names of variables may have."""
    return "".join(c if c.isascii() and (c.isalnum() or c in "_.-") else "_" for c in name)


def _features(given: Any) -> Any:
    if not isinstance(given, dict):
        raise ValueError(f"A dictionary of features by name is wanted, got {given!r}.")
    return tf.__internal__.feature_column.FeatureTransformationCache(given)


class DenseFeatures(FeatureLayer):
    """The tensors of dense columns beside each other, in the order of their names.

    >>> age = tf.feature_column.numeric_column("age")
    >>> ages = tf.feature_column.bucketized_column(age, [18.0])
    >>> tf.keras.layers.DenseFeatures([age, ages])({"age": tf.constant([7.0, 30.0])}).numpy()
    array([[ 7.,  1.,  0.],
           [30.,  0.,  1.]], dtype=float32)
    """

    _kind = "DenseColumn"
    _is_feature_layer = True

    def __init__(
        self, feature_columns: Any, trainable: bool = True, name: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(feature_columns, trainable, name, **kwargs)

    def _new_state(self) -> Any:
        return tf.__internal__.feature_column.StateManager(self, self.trainable, scoped=False)

    def build(self, _: Any) -> None:
        for column in self._feature_columns:
            with tf.name_scope(column.name):
                column.create_state(self._state_manager)
        Layer.build(self, None)

    def _target_shape(self, input_shape: Any, total_elements: int) -> Any:
        return input_shape[0], total_elements

    def call(self, features: Any, cols_to_output_tensors: Any = None, training: Any = None) -> Any:
        cache = _features(features)
        made = []
        for column in self._feature_columns:
            with tf.name_scope(column.name):
                tensor = self._made_by(column.get_dense_tensor, cache, training)
                made.append(self._flat(column, tensor))
            if cols_to_output_tensors is not None:
                cols_to_output_tensors[column] = made[-1]
        tf.__internal__.feature_column.refuse_different_batches(made, self._feature_columns)
        return tf.concat(made, -1)


class SequenceFeatures(FeatureLayer):
    """Sequences of several features beside each other, and how long they are.

    >>> heat = tf.feature_column.sequence_numeric_column("heat")
    >>> layer = tf.keras.experimental.SequenceFeatures([heat])
    >>> steps, lengths = layer({"heat": tf.sparse.from_dense([[20.0, 21.0], [19.0, 0.0]])})
    >>> steps.numpy()[:, :, 0]
    array([[20., 21.],
           [19.,  0.]], dtype=float32)
    """

    _kind = "SequenceDenseColumn"
    _is_feature_layer = True

    def __init__(
        self, feature_columns: Any, trainable: bool = True, name: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(feature_columns, trainable, name, **kwargs)

    def _target_shape(self, input_shape: Any, total_elements: int) -> Any:
        return input_shape[0], input_shape[1], total_elements

    def call(self, features: Any, training: Any = None) -> Any:
        cache = _features(features)
        made, lengths = [], []
        for column in self._feature_columns:
            with tf.name_scope(column.name):
                make = column.get_sequence_dense_tensor
                tensor, length = self._made_by(make, cache, training)
                made.append(self._flat(column, tensor))
                lengths.append(length)
        check = tf.__internal__.feature_column.refuse_different_batches
        check(lengths, self._feature_columns)
        length = _one_of(lengths)
        check(made, self._feature_columns)
        return tf.concat(made, -1), length


def _one_of(lengths: list[Any]) -> Any:
    """The first of the lengths, which must be equal."""
    if len(lengths) == 1:
        return lengths[0]
    with tf.name_scope("assert_all_equal"):
        checks = [tf.debugging.assert_equal(lengths[0], other) for other in lengths[1:]]
        with tf.control_dependencies([check for check in checks if check is not None]):
            return tf.identity(lengths[0])
