"""Weights and models in files of 2016 to 2019 give what they give in TensorFlow."""

import json
from pathlib import Path

import h5py
import numpy as np
import pytest

import runnel as tf
from tests.golden.old_keras_models import CUDNN, answers, cudnn, write_weights

_RECORDED = json.loads((Path(__file__).parents[1] / "golden/old_keras.json").read_text())


@pytest.mark.filterwarnings("ignore")  # about a file that has no training configuration
def test_answers(tmp_path):
    found = answers(tf, h5py, str(tmp_path))
    assert found.keys() == _RECORDED.keys()
    for name, want in _RECORDED.items():
        np.testing.assert_allclose(found[name], want, rtol=2e-5, atol=2e-6, err_msg=name)


def test_weights_for_another_kind_of_layer(tmp_path):
    path = str(tmp_path / "cudnn.h5")
    with h5py.File(path, "w") as file:
        write_weights(file, CUDNN, "2.2.4")
    layers = tf.keras.layers
    gru = layers.Bidirectional(layers.GRU(2, reset_after=False), name="both")
    model = tf.keras.Sequential([layers.Input([4, 3]), cudnn(tf).layers[0], gru])
    with pytest.raises(ValueError, match="CuDNNGRU is not compatible"):
        model.load_weights(path)
