"""Programs with `tf.keras.utils.FeatureSpace`."""

from __future__ import annotations

from typing import Any

import numpy as np

_DATA = {
    "age": np.array([20.0, 30.0, 40.0, 50.0], "float32"),
    "size": np.array([1.0, 2.0, 3.0, 4.0], "float32"),
    "kind": np.array([3, 4, 3, 9]),
    "color": np.array(["red", "blue", "red", "green"]),
    "code": np.array([11, 12, 13, 14]),
}


def _dataset(tf: Any) -> Any:
    return tf.data.Dataset.from_tensor_slices(_DATA)


def joined(tf: Any) -> Any:
    space = tf.keras.utils.FeatureSpace(
        features={
            "age": "float_normalized",
            "size": "float",
            "kind": "integer_categorical",
            "color": tf.keras.utils.FeatureSpace.string_categorical(num_oov_indices=2),
            "code": tf.keras.utils.FeatureSpace.integer_hashed(num_bins=3),
        },
        crosses=[("kind", "code")],
        crossing_dim=4,
    )
    space.adapt(_dataset(tf))
    one = {name: values[0] for name, values in _DATA.items()}
    return [space(_DATA), space(one), sorted(space.get_inputs())]


def in_a_dictionary(tf: Any) -> Any:
    space = tf.keras.utils.FeatureSpace(
        features={
            "age": tf.keras.utils.FeatureSpace.float_discretized(num_bins=2, output_mode="int"),
            "size": tf.keras.utils.FeatureSpace.float_rescaled(scale=2.0, offset=1.0),
            "color": "string_hashed",
        },
        output_mode="dict",
        hashing_dim=3,
    )
    space.adapt(_dataset(tf).batch(2))
    rows = {name: _DATA[name] for name in ("age", "size", "color")}
    return [space(rows), {name: list(x.shape) for name, x in space.get_encoded_features().items()}]


def in_a_model(tf: Any) -> Any:
    space = tf.keras.utils.FeatureSpace({"size": "float", "kind": "integer_hashed"}, hashing_dim=2)
    model = tf.keras.Model(space.get_inputs(), space.get_encoded_features())
    rows = {name: _DATA[name][:, None] for name in ("size", "kind")}
    return model(rows)


def not_adapted(tf: Any) -> Any:
    return tf.keras.utils.FeatureSpace({"age": "float_normalized"})({"age": [1.0]})


def adapted_to_an_array(tf: Any) -> Any:
    return tf.keras.utils.FeatureSpace({"age": "float"}).adapt(_DATA["age"])


def without_features(tf: Any) -> Any:
    return tf.keras.utils.FeatureSpace({})


def with_an_unknown_kind(tf: Any) -> Any:
    return tf.keras.utils.FeatureSpace({"age": "double"})


def joined_without_encoding(tf: Any) -> Any:
    space = tf.keras.utils.FeatureSpace
    made = space({"kind": space.integer_categorical(output_mode="int")})
    return made.adapt(_dataset(tf))


def crossed_with_something_unknown(tf: Any) -> Any:
    return tf.keras.utils.FeatureSpace({"age": "float"}, crosses=[("age", "size")])


def called_with_a_list(tf: Any) -> Any:
    return tf.keras.utils.FeatureSpace({"age": "float"})([1.0])
