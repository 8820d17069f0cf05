"""Structured data: a preprocessing layer for each feature, and one output for all."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import runnel as tf
from runnel.keras import layers
from runnel.keras.engine.layer.base_layer import Layer
from runnel.keras.engine.naming import unique_name
from runnel.keras.saving.api import save_model
from runnel.keras.saving.config_errors import reads_config
from runnel.keras.saving.serialization import deserialize_keras_object, serialize_keras_object

_Number = float  # inside the class, `float` is a kind of feature


class Cross:
    """Several features hashed together into one."""

    _saved_module = "tf_keras.src.utils.feature_space"  # where Keras looks for it

    def __init__(
        self, feature_names: Iterable[str], crossing_dim: int, output_mode: str = "one_hot"
    ) -> None:
        if output_mode not in ("int", "one_hot"):
            raise ValueError(f'`output_mode` must be "int" or "one_hot", got {output_mode!r}.')
        self.feature_names = tuple(feature_names)
        self.crossing_dim = crossing_dim
        self.output_mode = output_mode

    @property
    def name(self) -> str:
        return "_X_".join(self.feature_names)

    def get_config(self) -> dict[str, Any]:
        return {
            "feature_names": self.feature_names,
            "crossing_dim": self.crossing_dim,
            "output_mode": self.output_mode,
        }

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any]) -> Cross:
        return cls(**config)


class Feature:
    """The dtype of a feature, the layer that prepares it, and how its output is encoded."""

    _saved_module = Cross._saved_module

    def __init__(self, dtype: str, preprocessor: Any, output_mode: str) -> None:
        if output_mode not in ("int", "one_hot", "float"):
            raise ValueError(
                f'`output_mode` must be "int", "one_hot" or "float", got {output_mode!r}.'
            )
        self.dtype = dtype
        if isinstance(preprocessor, dict):
            preprocessor = deserialize_keras_object(preprocessor)
        self.preprocessor = preprocessor
        self.output_mode = output_mode

    def get_config(self) -> dict[str, Any]:
        return {
            "dtype": self.dtype,
            "preprocessor": serialize_keras_object(self.preprocessor),
            "output_mode": self.output_mode,
        }

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any]) -> Feature:
        return cls(**config)


_SAVED: dict[str, Any] = {"Cross": Cross, "Feature": Feature}  # what is in a file by its name


class FeatureSpace(Layer):
    """Dictionaries of features as one tensor, or as a dictionary of tensors.

    >>> space = tf.keras.utils.FeatureSpace({"age": "float", "kind": "integer_categorical"})
    >>> data = tf.data.Dataset.from_tensor_slices({"age": [1.0, 2.0], "kind": [7, 8]})
    >>> space.adapt(data)
    >>> space({"age": [3.0], "kind": [8]}).numpy()
    array([[3., 0., 1., 0.]], dtype=float32)
    """

    @classmethod
    def cross(
        cls, feature_names: Iterable[str], crossing_dim: int, output_mode: str = "one_hot"
    ) -> Cross:
        """Several features hashed together into `crossing_dim` bins."""
        return Cross(feature_names, crossing_dim, output_mode=output_mode)

    @classmethod
    def feature(cls, dtype: str, preprocessor: Any, output_mode: str) -> Feature:
        """A feature that is prepared by a layer or function of one's own."""
        return Feature(dtype, preprocessor, output_mode)

    @classmethod
    def float(cls, name: str | None = None) -> Feature:
        """A number that stays as it is."""
        layer = layers.Identity(dtype="float32", name=_layer_name("float", name))
        return Feature("float32", layer, "float")

    @classmethod
    def float_rescaled(
        cls, scale: _Number = 1.0, offset: _Number = 0.0, name: str | None = None
    ) -> Feature:
        """A number times `scale`, plus `offset`."""
        layer = layers.Rescaling(
            scale=scale, offset=offset, name=_layer_name("float_rescaled", name)
        )
        return Feature("float32", layer, "float")

    @classmethod
    def float_normalized(cls, name: str | None = None) -> Feature:
        """A number with mean 0 and variance 1."""
        layer = layers.Normalization(axis=-1, name=_layer_name("float_normalized", name))
        return Feature("float32", layer, "float")

    @classmethod
    def float_discretized(
        cls,
        num_bins: int,
        bin_boundaries: Any = None,
        output_mode: str = "one_hot",
        name: str | None = None,
    ) -> Feature:
        """A number as the bin it lies in."""
        layer = layers.Discretization(
            num_bins=num_bins,
            bin_boundaries=bin_boundaries,
            name=_layer_name("float_discretized", name),
        )
        return Feature("float32", layer, output_mode)

    @classmethod
    def integer_categorical(
        cls,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        output_mode: str = "one_hot",
        name: str | None = None,
    ) -> Feature:
        """An integer that names a category."""
        layer = layers.IntegerLookup(
            name=_layer_name("integer_categorical", name),
            max_tokens=max_tokens,
            num_oov_indices=num_oov_indices,
        )
        return Feature("int64", layer, output_mode)

    @classmethod
    def string_categorical(
        cls,
        max_tokens: int | None = None,
        num_oov_indices: int = 1,
        output_mode: str = "one_hot",
        name: str | None = None,
    ) -> Feature:
        """A string that names a category."""
        layer = layers.StringLookup(
            name=_layer_name("string_categorical", name),
            max_tokens=max_tokens,
            num_oov_indices=num_oov_indices,
        )
        return Feature("string", layer, output_mode)

    @classmethod
    def string_hashed(
        cls, num_bins: int, output_mode: str = "one_hot", name: str | None = None
    ) -> Feature:
        """A string as the bin of its hash."""
        layer = layers.Hashing(num_bins=num_bins, name=_layer_name("string_hashed", name))
        return Feature("string", layer, output_mode)

    @classmethod
    def integer_hashed(
        cls, num_bins: int, output_mode: str = "one_hot", name: str | None = None
    ) -> Feature:
        """An integer as the bin of its hash."""
        layer = layers.Hashing(num_bins=num_bins, name=_layer_name("integer_hashed", name))
        return Feature("int64", layer, output_mode)

    def __init__(
        self,
        features: Mapping[str, Any],
        output_mode: str = "concat",
        crosses: Any = None,
        crossing_dim: int = 32,
        hashing_dim: int = 32,
        num_discretization_bins: int = 32,
    ) -> None:
        if not features:
            raise ValueError("`features` must not be empty.")
        if output_mode not in ("dict", "concat"):
            raise ValueError(f'`output_mode` must be "dict" or "concat", got {output_mode!r}.')
        super().__init__()
        self.crossing_dim = crossing_dim
        self.hashing_dim = hashing_dim
        self.num_discretization_bins = num_discretization_bins
        self.output_mode = output_mode
        self.features = {name: self._feature(name, kind) for name, kind in features.items()}
        self.crosses = [self._cross(cross) for cross in crosses or ()]
        self.inputs = {
            name: layers.Input(shape=(1,), dtype=feature.dtype, name=name)
            for name, feature in self.features.items()
        }
        self.preprocessors = {name: f.preprocessor for name, f in self.features.items()}
        self.crossers = {
            cross.name: layers.HashedCrossing(cross.crossing_dim, name=cross.name)
            for cross in self.crosses
        }
        self.one_hot_encoders: dict[str, Any] = {}
        self.encoded_features: Any = None
        self._is_adapted = False
        self.concat: Any = None

    def _feature(self, name: str, kind: Any) -> Feature:
        if isinstance(kind, Feature):
            return kind
        if isinstance(kind, dict):
            loaded: Feature = deserialize_keras_object(kind, _SAVED)
            return loaded
        sizes = {
            "float_discretized": (self.num_discretization_bins,),
            "integer_hashed": (self.hashing_dim,),
            "string_hashed": (self.hashing_dim,),
        }
        if kind not in _KINDS:
            raise ValueError(f"A feature must be one of {_KINDS}, got {kind!r}.")
        made: Feature = getattr(self, kind)(*sizes.get(kind, ()), name=name)
        return made

    def _cross(self, cross: Any) -> Cross:
        if isinstance(cross, dict):
            cross = deserialize_keras_object(cross, _SAVED)
        if isinstance(cross, Cross):
            return cross
        if not self.crossing_dim:
            raise ValueError("`crosses` need `crossing_dim`, the number of their bins.")
        unknown = [name for name in cross if name not in self.features]
        if unknown:
            raise ValueError(f"`crosses` must name features; there is no {unknown}.")
        return Cross(cross, crossing_dim=self.crossing_dim)

    def _to_be_adapted(self) -> list[str]:
        return [
            name
            for name, layer in self.preprocessors.items()
            if hasattr(layer, "adapt") and getattr(layer, "input_mean", None) is None
        ]

    def adapt(self, dataset: Any) -> None:
        """Learn what the features' layers need from a dataset of dictionaries."""
        if not isinstance(dataset, tf.data.Dataset):
            raise ValueError(
                f"`adapt` takes a `tf.data.Dataset`, got {dataset} (of type {type(dataset)})."
            )
        for name in self._to_be_adapted():
            self.preprocessors[name].adapt(_column(dataset, name))
        self._is_adapted = True
        self.get_encoded_features()
        self.built = True

    def get_inputs(self) -> dict[str, Any]:
        """The symbolic inputs, for a model that prepares its data itself."""
        self._make_ready()
        return self.inputs

    def get_encoded_features(self) -> Any:
        """The symbolic outputs, for a model that gets prepared data."""
        self._check_adapted()
        if self.encoded_features is None:
            self.encoded_features = self._encoded(self.inputs)
        return self.encoded_features

    def _check_adapted(self) -> None:
        if not self._is_adapted and self._to_be_adapted():
            raise ValueError("Call `adapt(dataset)` of the FeatureSpace before you use it.")
        self._is_adapted = True

    def _make_ready(self) -> None:
        if not self.built:
            self.get_encoded_features()
            self.built = True

    def _encoded(self, data: Mapping[str, Any]) -> Any:
        """All features prepared, crossed, encoded and put together."""
        prepared = {name: self.preprocessors[name](value) for name, value in data.items()}
        crossed = {
            cross.name: self.crossers[cross.name]([prepared[n] for n in cross.feature_names])
            for cross in self.crosses
        }
        modes = {name: feature.output_mode for name, feature in self.features.items()}
        modes |= {cross.name: cross.output_mode for cross in self.crosses}
        outputs = {}
        for name in [*sorted(prepared), *sorted(crossed)]:
            value = prepared[name] if name in prepared else crossed[name]
            outputs[name] = self._one_hot(name, value) if modes[name] == "one_hot" else value
        if self.output_mode == "dict":
            return outputs
        for name, value in outputs.items():
            if value.dtype == tf.string or value.dtype.is_integer:
                raise ValueError(
                    f"The feature {name!r} is not encoded (its dtype is {value.dtype.name}), so "
                    'that features cannot be joined: use output_mode="dict".'
                )
        if self.concat is None:
            self.concat = layers.Concatenate(axis=-1)
        return self.concat(list(outputs.values()))

    def _one_hot(self, name: str, value: Any) -> Any:
        if name not in self.one_hot_encoders:
            if not value.dtype.is_integer:
                raise ValueError(
                    f'The feature {name!r} has output_mode="one_hot", but its layer gives '
                    f"{value.dtype.name} and not integers."
                )
            layer = self.preprocessors.get(name) or self.crossers[name]
            self.one_hot_encoders[name] = layers.CategoryEncoding(
                num_tokens=_cardinality(name, layer), output_mode="multi_hot"
            )
        return self.one_hot_encoders[name](value)

    def __call__(self, data: Any) -> Any:
        self._make_ready()
        if not isinstance(data, dict):
            raise ValueError(f"A FeatureSpace takes a dictionary, got {data} (of {type(data)}).")
        columns = {name: tf.convert_to_tensor(value) for name, value in data.items()}
        single = any(x.shape.rank == 0 for x in columns.values())
        outputs = self._encoded({name: _as_column(x) for name, x in columns.items()})
        if not single:
            return outputs
        return tf.nest.map_structure(lambda x: tf.squeeze(x, axis=0), outputs)

    def get_config(self) -> dict[str, Any]:
        return {
            "features": serialize_keras_object(self.features),
            "output_mode": self.output_mode,
            "crosses": serialize_keras_object(self.crosses),
            "crossing_dim": self.crossing_dim,
            "hashing_dim": self.hashing_dim,
            "num_discretization_bins": self.num_discretization_bins,
        }

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any]) -> FeatureSpace:
        return cls(**config)

    def get_build_config(self) -> dict[str, Any]:
        return {name: layer.get_build_config() for name, layer in self.preprocessors.items()}

    def build_from_config(self, config: dict[str, Any]) -> None:
        for name, found in config.items():
            self.preprocessors[name].build_from_config(found or {})
        self._is_adapted = True

    def save(self, filepath: Any) -> None:
        """Write the space with what it has learned to a `.keras` file."""
        save_model(self, filepath)

    def save_own_variables(self, store: Any) -> None:
        """Nothing: what was learned belongs to the features' layers."""

    def load_own_variables(self, store: Any) -> None:
        """Nothing: what was learned belongs to the features' layers."""


_KINDS = (
    "float",
    "float_rescaled",
    "float_normalized",
    "float_discretized",
    "integer_categorical",
    "string_categorical",
    "integer_hashed",
    "string_hashed",
)


def _layer_name(kind: str, name: str | None) -> str:
    return f"{name or unique_name(kind, zero_based=False)}_preprocessor"


def _column(dataset: Any, name: str) -> Any:
    """One feature as a dataset of columns."""
    column = dataset.map(lambda row: row[name])
    rank = column.element_spec.shape.rank
    if rank is None:
        rank = next(iter(column)).shape.rank
    if rank == 0:
        column = column.batch(32)
    return column.map(lambda x: tf.expand_dims(x, -1)) if rank in (0, 1) else column


def _as_column(x: tf.Tensor) -> tf.Tensor:
    if x.shape.rank == 0:
        return tf.reshape(x, [1, 1])
    return tf.expand_dims(x, -1) if x.shape.rank == 1 else x


def _cardinality(name: str, layer: Any) -> int:
    """How many categories a layer tells apart."""
    if isinstance(layer, layers.IntegerLookup | layers.StringLookup):
        return layer.vocabulary_size()
    if isinstance(layer, layers.CategoryEncoding):
        return layer.num_tokens
    if isinstance(layer, layers.Discretization):
        return layer.num_bins or len(layer.bin_boundaries) + 1
    if isinstance(layer, layers.HashedCrossing | layers.Hashing):
        return layer.num_bins
    raise ValueError(
        f'The feature {name!r} has output_mode="one_hot", but how many categories its layer tells '
        'apart is not known: use output_mode="int".'
    )
