"""Every layer in a model: the three kinds of files, batches of any size, mixed precision."""

import copy
from typing import Any

import numpy as np
import pytest

import runnel as tf
from tests.keras.tables import Row
from tests.keras.tables.own_layers import own_layers
from tests.keras.tables.running import as_half, at_rest, fill, half_layer, make, outputs, tensors
from tests.keras.test_layer_tables import RECORDED, TABLE, all_rows
from tests.tables import table

pytestmark = pytest.mark.filterwarnings("ignore:You are saving your model as an HDF5")
FIRST = {row.name: (family, row) for family, row in reversed(TABLE)}
each_layer = table("family, row", FIRST.values(), ids=list(FIRST), by=lambda family, row: family)


def model_of(row: Row) -> tuple[tf.keras.Model, list[Any]]:
    """A model of the layer alone, with weights that are not its first ones, and its inputs."""
    layer = make(tf, row)
    if isinstance(layer, tf.keras.layers.InputLayer):
        return tf.keras.Model(layer.input, layer.output), [tf.constant(row.inputs)]
    resting = at_rest(layer, row)
    arrays = [x for x in tf.nest.flatten([row.inputs, resting.call]) if isinstance(x, np.ndarray)]
    symbols = [tf.keras.Input(x.shape[1:], dtype=tf.constant(x).dtype) for x in arrays]
    left = iter(symbols)
    inputs, call = tf.nest.map_structure(
        lambda x: next(left) if isinstance(x, np.ndarray) else x, [row.inputs, resting.call]
    )
    model = tf.keras.Model(symbols, layer(inputs, **call))
    fill(model)
    return model, [tf.constant(x) for x in arrays]


def assert_same(got: Any, want: Any, close: float = 1e-6) -> None:
    for mine, other in zip(tf.nest.flatten(got), tf.nest.flatten(want), strict=True):
        assert mine.dtype == other.dtype
        if mine.dtype.is_floating:
            np.testing.assert_allclose(mine.numpy(), other.numpy(), rtol=close, atol=close)
        else:
            np.testing.assert_array_equal(mine.numpy(), other.numpy())


def load(path: Any) -> tf.keras.Model:
    return tf.keras.models.load_model(path, own_layers(tf), compile=False, safe_mode=False)


@all_rows
@pytest.mark.parametrize("ending", [".keras", ".h5"])
def test_a_layer_comes_back_from_a_file(family: str, row: Row, ending: str, tmp_path: Any) -> None:
    model, inputs = model_of(row)
    model.save(tmp_path / f"model{ending}")
    again = load(tmp_path / f"model{ending}")
    assert_same(again(inputs), model(inputs))
    assert_same(again.weights, model.weights)
    assert [w.name for w in again.weights] == [w.name for w in model.weights]


@each_layer
def test_a_layer_comes_back_from_a_folder(family: str, row: Row, tmp_path: Any) -> None:
    model, inputs = model_of(row)
    model.save(tmp_path / "model", save_format="tf")
    again = load(tmp_path / "model")
    assert_same(again(inputs), model(inputs))
    assert_same(again.weights, model.weights)
    assert [w.name for w in again.weights] == [w.name for w in model.weights]


def of_size(size: int, structure: Any) -> Any:
    """The batch repeated or cut."""
    return tf.nest.map_structure(
        lambda x: np.resize(x, (size, *x.shape[1:])) if isinstance(x, np.ndarray) else x, structure
    )


@all_rows
def test_a_layer_is_traced_once_for_all_sizes_of_a_batch(family: str, row: Row) -> None:
    layer = make(tf, row)
    resting = at_rest(layer, row)
    outputs(tf, layer, resting)
    fill(layer)
    arrays = tensors(tf, [row.inputs, resting.call])
    signature = tf.nest.map_structure(
        lambda x: tf.TensorSpec([None, *x.shape[1:]], x.dtype) if isinstance(x, tf.Tensor) else x,
        arrays,
    )
    traced = tf.function(lambda inputs, call: layer(inputs, **call))
    traced.get_concrete_function(*signature)
    before = traced.experimental_get_tracing_count()  # two, where the first trace makes variables
    for size in (1, 3):
        some = copy.copy(resting)
        some.inputs, some.call = of_size(size, [row.inputs, resting.call])
        assert_same(
            traced(*tensors(tf, [some.inputs, some.call])), outputs(tf, layer, some), close=1e-5
        )
    assert traced.experimental_get_tracing_count() == before


@all_rows
def test_a_layer_computes_nearly_the_same_in_float16(family: str, row: Row) -> None:
    if isinstance(RECORDED[family][row.id]["mixed precision"], str):
        pytest.skip("tf_keras refuses it: the class of its error is in the answers")
    layer = make(tf, row)
    resting = at_rest(layer, row)
    outputs(tf, layer, resting)
    fill(layer)
    half, _ = half_layer(tf, row)
    half.set_weights(layer.get_weights())
    found = zip(
        tf.nest.flatten(outputs(tf, half, as_half(resting))),
        tf.nest.flatten(outputs(tf, layer, resting)),
        strict=True,
    )
    for mine, other in found:
        if other.dtype.is_floating:
            np.testing.assert_allclose(mine.numpy(), other.numpy(), rtol=2e-2, atol=2e-2)


@each_layer
def test_a_layer_is_the_same_compiled_by_xla(family: str, row: Row) -> None:
    layer = make(tf, row)
    resting = at_rest(layer, row)
    want = outputs(tf, layer, resting)
    compiled = tf.function(lambda inputs, call: layer(inputs, **call), jit_compile=True)
    got = compiled(tensors(tf, row.inputs), tensors(tf, resting.call))
    assert_same(got, want, close=1e-5)
