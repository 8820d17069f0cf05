"""Every layer against tf_keras: outputs, gradients, configs, shapes; eager, traced, loaded."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.keras.saving.serialization import deserialize_keras_object, serialize_keras_object
from tests.keras.tables import Inner, Row, families, rows
from tests.keras.tables.running import answers, fill, make, numbers, outputs, said_shape, tensors

GOLDEN = Path(__file__).parent.parent / "golden" / "keras_layers"
TABLE = [(family, row) for family in families() for row in rows(family)]
RECORDED = {family: json.loads((GOLDEN / f"{family}.json").read_text()) for family in families()}
all_rows = pytest.mark.parametrize(
    "family, row", TABLE, ids=[f"{family}-{row.id}" for family, row in TABLE]
)

# What tf_keras cannot do, by mistake or for want of a kernel: it raises, here there is an answer.
DIFFERENT = {
    ("AveragePooling3D-1", "mixed precision"),  # TensorFlow has no float16 kernel for a CPU
    ("MaxPooling3D-1", "mixed precision"),
    ("HashedCrossing-1", "shape"),  # its method forgets two arguments of a function
    ("TimeDistributed-2", "passed mask"),  # a mask of steps is of no concern to the layer inside
}


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
    for kind in ("shape", "passed mask", "mixed precision"):
        same = got[kind] == want[kind]
        assert same != ((row.id, kind) in DIFFERENT), (kind, got[kind], want[kind])


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
        pytest.skip("the method is not told of all that this call is given")
    layer = make(tf, row)
    real = [tuple(t.shape) for t in tf.nest.flatten(outputs(tf, layer, row))]
    said = said_shape(tf, layer, row)
    said = [said] if len(real) == 1 else said
    # tf_keras knows some sizes only from the values: that it says None too is compared above.
    filled = [
        tuple(b if a is None else a for a, b in zip(tf.TensorShape(shape), size, strict=True))
        for shape, size in zip(said, real, strict=True)
    ]
    assert filled == real


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
