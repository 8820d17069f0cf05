"""Every layer against tf_keras: outputs, gradients, configs, shapes; eager, traced, loaded."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.keras.saving.serialization import deserialize_keras_object, serialize_keras_object
from tests.keras.tables import Inner, Row, families, rows
from tests.keras.tables.running import answers, fill, make, numbers, outputs, tensors

GOLDEN = Path(__file__).parent.parent / "golden" / "keras_layers"
TABLE = [(family, row) for family in families() for row in rows(family)]
RECORDED = {family: json.loads((GOLDEN / f"{family}.json").read_text()) for family in families()}
all_rows = pytest.mark.parametrize(
    "family, row", TABLE, ids=[f"{family}-{row.id}" for family, row in TABLE]
)


def assert_close(got: Any, want: Any, row: Row, where: str) -> None:
    if want is None or got is None:
        assert got == want, where
        return
    assert got["dtype"] == want["dtype"], where
    assert np.shape(got["value"]) == np.shape(want["value"]), where
    if row.random or want["dtype"] == "string":
        assert row.random or got["value"] == want["value"], where
        return
    low = want["dtype"] in ("float16", "bfloat16")
    close = 2e-2 if low else row.tolerance
    np.testing.assert_allclose(got["value"], want["value"], rtol=close, atol=close, err_msg=where)


@all_rows
def test_a_layer_is_tf_keras_layer(family: str, row: Row) -> None:
    want, got = RECORDED[family][row.id], answers(tf, row)
    assert got["weights"] == want["weights"]
    assert got["mask"] == want["mask"]
    for kind in ("outputs", "gradients", "after"):
        assert len(got[kind]) == len(want[kind]), kind
        for place, (mine, other) in enumerate(zip(got[kind], want[kind], strict=True)):
            assert_close(mine, other, row, f"{kind}[{place}]")
    assert got["config"] == want["config"]
    if row.shapes:
        assert got["shape"] == want["shape"]


@all_rows
def test_a_layer_is_the_same_traced_and_made_again_from_its_config(family: str, row: Row) -> None:
    layer = make(tf, row)
    eager = outputs(tf, layer, row)
    fill(layer)
    before = layer.get_weights()
    eager = outputs(tf, layer, row)
    again = deserialize_keras_object(serialize_keras_object(layer))
    outputs(tf, again, row)
    again.set_weights(before)
    traced = tf.function(lambda inputs, call: again(inputs, **call))(
        tensors(tf, row.inputs), tensors(tf, row.call)
    )
    assert json.dumps(again.get_config(), default=str) == json.dumps(
        layer.get_config(), default=str
    )
    for mine, other in zip(tf.nest.flatten(traced), tf.nest.flatten(eager), strict=True):
        assert_close(numbers(mine), numbers(other), row, "traced")


@all_rows
def test_compute_output_shape_is_the_real_one(family: str, row: Row) -> None:
    if not row.shapes:
        pytest.skip("the row says that its shapes are not compared")
    layer = make(tf, row)
    real = tf.nest.map_structure(lambda t: t.shape, outputs(tf, layer, row))
    shapes = tf.nest.map_structure(lambda x: tf.TensorShape(np.shape(x)), row.inputs)
    said = layer.compute_output_shape(shapes)
    flat = tf.nest.flatten(real)
    said = [said] if len(flat) == 1 else said
    assert [tuple(tf.TensorShape(s)) for s in said] == [tuple(s) for s in flat]


# These are tested elsewhere: bases, and layers that say something of other layers.
WITHOUT_ROW = {
    "AbstractRNNCell",  # cases_keras_library.py
    "DenseFeatures",  # cases_keras_tools.py
    "DynamicEmbedding",  # cases_keras_library.py
    "DynamicLookup",  # cases_keras_library.py
    "Lambda",  # its config is code: cases_keras_backend.py, test_saving.py
    "Layer",
    "PreprocessingLayer",
    "StackedRNNCells",  # cases_keras_tools.py
    "Wrapper",  # cases_keras_tools.py
}


def test_every_layer_has_a_row() -> None:
    experimental = tf.keras.layers.experimental
    spaces = (tf.keras.layers, experimental, experimental.preprocessing)
    known = {value for space in spaces for value in vars(space).values() if isinstance(value, type)}
    layers = {kind.__name__ for kind in known if issubclass(kind, tf.keras.layers.Layer)}
    rows_of = {row.name.rpartition(".")[2] for _, row in TABLE}
    used = {name for name in layers if any(_uses(row.kwargs, name) for _, row in TABLE)}
    assert layers - rows_of - used == WITHOUT_ROW


def _uses(kwargs: Any, name: str) -> bool:
    """Whether a row has such a layer inside: a cell, a layer that is wrapped."""
    return any(isinstance(value, Inner) and value.name == name for value in tf.nest.flatten(kwargs))
