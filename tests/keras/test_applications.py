"""The image networks of Keras: made as Keras makes them, so that its weights fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.core.tensor.convert import emit
from runnel.keras.applications import imagenet_utils
from runnel.keras.initializers import VarianceScaling
from tests.golden.networks import NETWORKS, description

_ANSWERS = json.loads((Path(__file__).parent.parent / "golden" / "applications.json").read_text())


@pytest.fixture
def quick_weights(monkeypatch: pytest.MonkeyPatch) -> None:
    """Zeros for all weights, in memory that nobody has touched: numbers say nothing about a
    network.
    """

    def zeros(self: Any, shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
        kind = tf.as_dtype(dtype or "float32")
        return emit(np.zeros(shape, kind.np_dtype), None, kind)

    monkeypatch.setattr(VarianceScaling, "__call__", zeros)


@pytest.mark.usefixtures("quick_weights")
@pytest.mark.parametrize("name", NETWORKS)
def test_layers_and_weights_are_those_of_keras(name: str) -> None:
    tf.keras.backend.clear_session()
    function, options = NETWORKS[name]
    model = getattr(tf.keras.applications, function)(weights=None, **options)
    assert description(model) == _ANSWERS[name]


@pytest.mark.usefixtures("quick_weights")
def test_weights_are_loaded_from_a_file(tmp_path: Path) -> None:
    options: dict[str, Any] = {"include_top": False, "input_shape": (32, 32, 3), "alpha": 0.25}
    model = tf.keras.applications.MobileNet(weights=None, **options)
    kernel = model.get_layer("conv1").kernel
    kernel.assign(tf.ones_like(kernel))
    path = str(tmp_path / "weights.h5")
    model.save_weights(path)
    again = tf.keras.applications.MobileNet(weights=path, **options)
    np.testing.assert_array_equal(again.get_layer("conv1").kernel, kernel)


@pytest.mark.usefixtures("quick_weights")
def test_a_network_takes_an_input_of_a_model() -> None:
    pixels = tf.keras.Input((32, 32, 3))
    network = tf.keras.applications.VGG16(
        weights=None, include_top=False, input_tensor=pixels / 255.0, pooling="avg"
    )
    assert network.inputs[0] is pixels
    assert network(np.ones((2, 32, 32, 3), "float32")).shape == (2, 512)


def test_images_are_prepared_in_three_ways() -> None:
    image = np.full((1, 2, 2, 3), 255.0)
    image[..., 0] = 0.0
    as_tf = imagenet_utils.preprocess_input(image.copy(), mode="tf")
    np.testing.assert_allclose(as_tf[0, 0, 0], [-1.0, 1.0, 1.0])
    as_caffe = imagenet_utils.preprocess_input(image.copy(), mode="caffe")
    np.testing.assert_allclose(as_caffe[0, 0, 0], [255 - 103.939, 255 - 116.779, -123.68])
    as_torch = imagenet_utils.preprocess_input(image.copy(), mode="torch")
    mean, deviation = np.array([0.485, 0.456, 0.406]), np.array([0.229, 0.224, 0.225])
    np.testing.assert_allclose(as_torch[0, 0, 0], ([0.0, 1.0, 1.0] - mean) / deviation)


@pytest.mark.parametrize("mode", ["tf", "caffe", "torch"])
@pytest.mark.parametrize("layout", ["channels_last", "channels_first"])
def test_tensors_are_prepared_as_arrays_are(mode: str, layout: str) -> None:
    image = np.random.default_rng(0).uniform(0, 255, (2, 3, 3, 3)).astype("float32")
    tensor = imagenet_utils.preprocess_input(tf.constant(image), layout, mode)
    array = imagenet_utils.preprocess_input(image.copy(), layout, mode)
    np.testing.assert_allclose(tensor, array, rtol=1e-5, atol=1e-5)


def test_predictions_get_names(monkeypatch: pytest.MonkeyPatch) -> None:
    names = {str(i): [f"n{i}", f"thing {i}"] for i in range(1000)}
    monkeypatch.setattr(imagenet_utils, "_classes", lambda: names)
    scores = np.zeros((1, 1000))
    scores[0, 7], scores[0, 3] = 0.6, 0.4
    assert imagenet_utils.decode_predictions(scores, top=2) == [
        [("n7", "thing 7", 0.6), ("n3", "thing 3", 0.4)]
    ]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weights": "nowhere.h5"}, "path of a file"),
        ({"weights": "imagenet", "classes": 7}, "must be 1000"),
        ({"weights": None, "input_shape": (8, 8, 3)}, "at least 32x32"),
        ({"weights": None, "input_shape": (64, 64)}, "three integers"),
        ({"weights": "imagenet", "input_shape": (64, 64, 3)}, r"must be \(224, 224, 3\)"),
        ({"weights": None, "input_shape": (None, None, 3)}, "must be known"),
    ],
)
def test_what_does_not_fit_is_named(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tf.keras.applications.VGG16(**options)


def test_predictions_of_another_shape_are_refused() -> None:
    with pytest.raises(ValueError, match="1000"):
        imagenet_utils.decode_predictions(np.zeros((1, 10)))
