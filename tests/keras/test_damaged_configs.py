"""Configs with something missing or wrong, given to everything that reads configs."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

import runnel as tf
from tests.keras.test_damaged_files import changed

keras = tf.keras
pytestmark = pytest.mark.filterwarnings("ignore")


def _functional() -> Any:
    inputs = keras.Input((4, 3))
    outputs = tf.nn.relu(keras.layers.Bidirectional(keras.layers.GRU(2))(inputs)) + 1.0
    return keras.Model(inputs, keras.layers.Concatenate()([outputs, outputs]))


def _sequential() -> Any:
    dense = keras.layers.Dense(2, kernel_regularizer="l2", activation="relu")
    return keras.Sequential([keras.Input((4, 3)), keras.layers.TimeDistributed(dense)])


def _objects() -> list[tuple[Any, Any]]:
    schedule = keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.3)
    cells = [keras.layers.LSTMCell(2), keras.layers.GRUCell(2)]
    return [
        (keras.optimizers, keras.optimizers.Adam(schedule)),
        (keras.optimizers, keras.optimizers.legacy.SGD(0.1)),
        (keras.optimizers.schedules, schedule),
        (keras.losses, keras.losses.Huber()),
        (keras.metrics, keras.metrics.AUC(num_thresholds=3)),
        (keras.initializers, keras.initializers.VarianceScaling()),
        (keras.regularizers, keras.regularizers.L1L2(0.1, 0.1)),
        (keras.constraints, keras.constraints.MaxNorm()),
        (keras.layers, keras.layers.MultiHeadAttention(2, 2)),
        (keras.layers, keras.layers.TextVectorization(5)),
        (keras.layers, keras.layers.RNN(cells)),
    ]


def _doors() -> list[tuple[Any, Any]]:
    """What reads configs, each with one."""
    doors: list[tuple[Any, Any]] = []
    for model in (_functional(), _sequential()):
        plain = json.loads(model.to_json())
        doors += [
            (lambda config: keras.models.model_from_json(json.dumps(config)), plain),
            (keras.models.model_from_config, plain),
            (keras.layers.deserialize, plain),
            (type(model).from_config, plain["config"]),
            (keras.saving.deserialize_keras_object, keras.saving.serialize_keras_object(model)),
        ]
    for names, thing in _objects():
        doors.append((names.deserialize, names.serialize(thing)))
        doors.append((type(thing).from_config, thing.get_config()))
    return doors


def test_a_damaged_config_is_a_value_or_type_error() -> None:
    rng = random.Random(0)
    refused = 0
    for read, config in _doors():
        for _ in range(20):
            try:
                read(changed(config, rng))
            except (TypeError, ValueError, NotImplementedError, tf.errors.OpError):
                refused += 1
    assert refused > 100


@pytest.mark.parametrize(
    ("config", "match"),
    [
        ({}, "lacks the key 'class_name'"),
        ([], "expects a dict|must be a dict"),
        ({"class_name": 3, "config": {}}, "'class_name' of a config must be a str, got 3"),
        ({"class_name": "Sequential", "config": {"name": "a"}}, "lacks the key 'layers'"),
        ({"class_name": "Sequential", "config": {"layers": [3]}}, "must be a dict, got 3"),
        ({"class_name": "TimeDistributed", "config": {}}, "the key 'layer' is missing"),
    ],
)
def test_the_key_is_named(config: Any, match: str) -> None:
    with pytest.raises(ValueError, match=match):
        keras.models.model_from_json(json.dumps(config))


NESTED = '{"class_name": "A", "config": ' * 10**5 + "1" + "}" * 10**5


@pytest.mark.parametrize("text", ["[" * 10**5, NESTED])
def test_too_many_levels_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="too many levels"):
        keras.models.model_from_json(text)


def test_errors_in_code_of_users_stay_as_they_are() -> None:
    class Own(keras.losses.Loss):
        @classmethod
        def from_config(cls, config: Any) -> Any:
            return config["missing"]

    with pytest.raises(KeyError):
        keras.losses.deserialize({"class_name": "Own", "config": {}}, {"Own": Own})


@pytest.mark.parametrize("encoding", ["nope", "hex", None, 3, "a\0b"])
@pytest.mark.parametrize("layer", [keras.layers.StringLookup, keras.layers.TextVectorization])
def test_an_encoding_that_is_none_is_refused(layer: Any, encoding: Any) -> None:
    with pytest.raises(ValueError, match="`encoding` must be an encoding of text"):
        layer(encoding=encoding)
