"""Every layer against tf_keras: outputs, gradients, configs, shapes; eager, traced, loaded."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.keras.saving.serialization import deserialize_keras_object, serialize_keras_object
from tests.keras.tables import Inner, Row, families, rows
from tests.keras.tables.own_layers import own_layers
from tests.keras.tables.running import (
    answers,
    fill,
    kind_of,
    make,
    numbers,
    outputs,
    plain_config,
    said_shape,
    tensors,
)
from tests.tables import table

GOLDEN = Path(__file__).parent.parent / "golden" / "keras_layers"
TABLE = [(family, row) for family in families() for row in rows(family)]
RECORDED = {family: json.loads((GOLDEN / f"{family}.json").read_text()) for family in families()}
all_rows = table("family, row", TABLE, ids=lambda pair: pair[1].id, by=lambda family, row: row.name)


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
    assert list(got["config"]) == list(want["config"])
    for kind in ("shape", "passed mask", "mixed precision"):
        if kind in row.beyond:
            assert isinstance(want[kind], str), f"tf_keras has an answer: {want[kind]}"
            assert not isinstance(got[kind], str), got[kind]
        else:
            assert got[kind] == want[kind], kind


@all_rows
def test_a_layer_is_the_same_traced_and_made_again_from_its_config(family: str, row: Row) -> None:
    layer = make(tf, row)
    eager = outputs(tf, layer, row)
    fill(layer)
    before = layer.get_weights()
    eager = outputs(tf, layer, row)
    again = deserialize_keras_object(serialize_keras_object(layer), own_layers(tf), safe_mode=False)
    outputs(tf, again, row)
    again.set_weights(before)
    traced = tf.function(lambda inputs, call: again(inputs, **call))(
        tensors(tf, row.inputs), tensors(tf, row.call)
    )
    assert plain_config(again) == plain_config(layer)
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


def test_every_layer_has_a_row() -> None:
    experimental = tf.keras.layers.experimental
    spaces = (tf.keras.layers, experimental, experimental.preprocessing)
    known = {value for space in spaces for value in vars(space).values() if isinstance(value, type)}
    layers = {kind for kind in known if issubclass(kind, tf.keras.layers.Layer)}
    used = {kind_of(tf, name) for _, row in TABLE for name in (row.name, *_inside(row.kwargs))}
    bases = {base for kind in used & set(own_layers(tf).values()) for base in kind.__bases__}
    assert not layers - used - bases


def _inside(kwargs: Any) -> list[str]:
    """The names of the layers inside the layer of a row: cells, layers that are wrapped."""
    found = [value for value in tf.nest.flatten(kwargs) if isinstance(value, Inner)]
    return [name for one in found for name in (one.name, *_inside([one.args, one.kwargs]))]
