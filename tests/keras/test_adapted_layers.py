"""Layers that have learnt from data keep what they learnt when a model is saved."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runnel as tf

layers = tf.keras.layers
NUMBERS = np.array([[1.0, 20.0], [3.0, 40.0], [8.0, 90.0], [2.0, 10.0]], np.float32)
WORDS = np.array([["earth", "wind"], ["fire", "earth"], ["earth", "water"]], object)
TEXTS = np.array([["the earth and the wind"], ["fire and water"], ["the sea"]], object)

ADAPTED = {
    "Normalization": (lambda: layers.Normalization(), NUMBERS),
    "Normalization of all": (lambda: layers.Normalization(axis=None), NUMBERS),
    "Discretization": (lambda: layers.Discretization(num_bins=3), NUMBERS),
    "IntegerLookup": (lambda: layers.IntegerLookup(), NUMBERS.astype(np.int64)),
    "StringLookup": (lambda: layers.StringLookup(), WORDS),
    "StringLookup tf_idf": (lambda: layers.StringLookup(output_mode="tf_idf"), WORDS),
    "TextVectorization": (lambda: layers.TextVectorization(), TEXTS),
    "TextVectorization tf_idf": (lambda: layers.TextVectorization(output_mode="tf_idf"), TEXTS),
}


def adapted(name: str) -> tuple[Any, Any]:
    """A model of one layer that has learnt, and data for it."""
    make, data = ADAPTED[name]
    layer = make()
    layer.adapt(data)
    given = tf.convert_to_tensor(data)
    inputs = tf.keras.Input(data.shape[1:], dtype=given.dtype)
    return tf.keras.Model(inputs, layer(inputs)), given


@pytest.mark.filterwarnings("ignore:You are saving your model as an HDF5", "ignore:No training")
@pytest.mark.parametrize("file", ["folder", "model.keras", "model.h5"])
@pytest.mark.parametrize("name", ADAPTED)
def test_a_saved_model_keeps_what_its_layer_learnt(name: str, file: str, tmp_path: Path) -> None:
    model, data = adapted(name)
    if file.endswith(".h5") and name.startswith(("IntegerL", "StringL", "Text")):
        with pytest.raises(NotImplementedError, match="vocabulary"):
            model.save(tmp_path / file)
        assert not (tmp_path / file).exists()
        return
    model.save(tmp_path / file)
    loaded = tf.keras.models.load_model(tmp_path / file)
    np.testing.assert_array_equal(loaded(data).numpy(), model(data).numpy())
    again = loaded.predict(data, verbose=0)
    np.testing.assert_array_equal(again, model.predict(data, verbose=0))


@pytest.mark.parametrize("file", ["weights.h5", "checkpoint", "model.weights.h5", None])
@pytest.mark.parametrize("name", ["Normalization", "Normalization of all"])
def test_weights_carry_what_was_learnt(name: str, file: str | None, tmp_path: Path) -> None:
    model, data = adapted(name)
    fresh = tf.keras.models.clone_model(model)
    assert not np.allclose(fresh(data).numpy(), model(data).numpy())
    if file is None:
        fresh.set_weights(model.get_weights())
    else:
        model.save_weights(str(tmp_path / file))
        fresh.load_weights(str(tmp_path / file))
    np.testing.assert_allclose(fresh(data).numpy(), model(data).numpy())
    np.testing.assert_allclose(fresh.predict(data, verbose=0), model.predict(data, verbose=0))


def test_text_vectorization_keeps_a_known_number_of_texts():
    layer = tf.keras.layers.TextVectorization(output_sequence_length=3, vocabulary=["a", "b"])
    function = tf.function(lambda texts: layer(texts)).get_concrete_function
    assert function(tf.TensorSpec([5], tf.string)).output_shapes == (5, 3)
    assert function(tf.TensorSpec([None, 1], tf.string)).output_shapes.as_list() == [None, 3]
