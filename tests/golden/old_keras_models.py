"""Models whose weights and configs were written in 2016 to 2019, and the layouts of such files."""

from __future__ import annotations

import json
from typing import Any

import numpy as np


def data(*shape: int, seed: int = 0) -> Any:
    return np.random.RandomState(seed).uniform(-1, 1, shape).astype("float32")


def _apart(count: int, inputs: int, units: int) -> list[Any]:
    """The weights of gates that are apart: input, recurrent, bias of each."""
    shapes = [(inputs, units), (units, units), (units,)] * count
    return [data(*shape, seed=n) for n, shape in enumerate(shapes)]


def first(tf: Any) -> Any:
    """Layers that Keras 1 kept otherwise."""
    layers = tf.keras.layers
    inner = tf.keras.Sequential([layers.Input([4]), layers.Dense(3)], name="inner")
    return tf.keras.Sequential(
        [
            layers.Input([6, 3]),
            layers.Conv1D(4, 2, name="conv"),
            layers.LSTM(3, return_sequences=True, recurrent_activation="hard_sigmoid", name="lstm"),
            layers.Bidirectional(
                layers.GRU(2, reset_after=False, return_sequences=True), name="both"
            ),
            layers.TimeDistributed(inner, name="each"),
            layers.Reshape([5, 3, 1]),
            layers.Conv2DTranspose(2, 2, name="up"),
            layers.Flatten(),
            layers.Dense(2, name="out"),
        ]
    )


FIRST = {
    "conv": [data(2, 1, 3, 4), data(4)],
    "lstm": _apart(4, 4, 3),
    "both": _apart(3, 3, 2) + _apart(3, 3, 2),
    "each": [data(4, 3), data(3)],
    "up": [data(2, 2, 1, 2), data(2)],
    "out": [data(48, 2), data(2)],
}


def cudnn(tf: Any) -> Any:
    """Layers whose weights were those of cuDNN."""
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            layers.Input([4, 3]),
            layers.LSTM(2, return_sequences=True, name="lstm"),
            layers.Bidirectional(layers.GRU(2, reset_after=True), name="both"),
        ]
    )


_GRU = [data(2, 6), data(2, 6, seed=1), data(12, seed=2)]
CUDNN = {"lstm": [data(3, 8), data(2, 8), data(16)], "both": _GRU + _GRU}

_ZEROS = {"class_name": "Zeros", "config": {}}
_ONES = {"class_name": "Ones", "config": {}}
_GLOROT = {
    "class_name": "VarianceScaling",
    "config": {"scale": 1.0, "mode": "fan_avg", "distribution": "uniform", "seed": None},
}
_NONE = dict.fromkeys(
    ["kernel_regularizer", "bias_regularizer", "activity_regularizer", "kernel_constraint",
     "bias_constraint"]
)  # fmt: skip


def _dense(name: str, units: int, activation: str, **more: Any) -> Any:
    config = {"name": name, "trainable": True, "units": units, "activation": activation,
              "use_bias": True, "kernel_initializer": _GLOROT, "bias_initializer": _ZEROS,
              **_NONE, **more}  # fmt: skip
    return {"class_name": "Dense", "config": config}


def _convolution(name: str) -> Any:
    config = {"name": name, "trainable": True, "batch_input_shape": [None, 4, 4, 1],
              "dtype": "float32", "filters": 2, "kernel_size": [2, 2], "strides": [1, 1],
              "padding": "valid", "data_format": "channels_last", "dilation_rate": [1, 1],
              "activation": "relu", "use_bias": True, "kernel_initializer": _GLOROT,
              "bias_initializer": _ZEROS, **_NONE}  # fmt: skip
    return {"class_name": "Conv2D", "config": config}


def _batch_norm(name: str) -> Any:
    config = {"name": name, "trainable": True, "axis": -1, "momentum": 0.99, "epsilon": 0.001,
              "center": True, "scale": True, "beta_initializer": _ZEROS, "gamma_initializer": _ONES,
              "moving_mean_initializer": _ZEROS, "moving_variance_initializer": _ONES,
              **dict.fromkeys(["beta_regularizer", "gamma_regularizer", "beta_constraint",
                               "gamma_constraint"])}  # fmt: skip
    return {"class_name": "BatchNormalization", "config": config}


SEQUENTIAL = {
    "class_name": "Sequential",
    "config": [  # a list until Keras 2.2.3
        _convolution("conv2d_1"),
        {"class_name": "MaxPooling2D",
         "config": {"name": "pool_1", "trainable": True, "pool_size": [2, 2], "padding": "valid",
                    "strides": [2, 2], "data_format": "channels_last"}},
        _batch_norm("norm_1"),
        {"class_name": "Dropout", "config": {"name": "drop_1", "trainable": True, "rate": 0.5}},
        {"class_name": "Flatten", "config": {"name": "flatten_1", "trainable": True}},
        _dense("dense_1", 3, "softmax"),
    ],
}  # fmt: skip
SEQUENTIAL_WEIGHTS = {
    "conv2d_1": [data(2, 2, 1, 2), data(2)],
    "norm_1": [data(2), data(2), data(2), np.abs(data(2))],
    "dense_1": [data(2, 3), data(3)],
}
FUNCTIONAL = {
    "class_name": "Model",
    "config": {
        "name": "model_1",
        "layers": [
            {"name": "input_1", "class_name": "InputLayer", "inbound_nodes": [],
             "config": {"batch_input_shape": [None, 5], "dtype": "float32", "sparse": False,
                        "name": "input_1"}},
            {"name": "left", "inbound_nodes": [[["input_1", 0, 0, {}]]],
             **_dense("left", 3, "relu")},
            {"name": "right", "inbound_nodes": [[["input_1", 0, 0, {}]]],
             **_dense("right", 3, "tanh")},
            {"name": "add_1", "class_name": "Add", "config": {"name": "add_1", "trainable": True},
             "inbound_nodes": [[["left", 0, 0, {}], ["right", 0, 0, {}]]]},
            {"name": "out", "inbound_nodes": [[["add_1", 0, 0, {}]]],
             **_dense("out", 1, "linear", kernel_regularizer={
                 "class_name": "L1L2", "config": {"l1": 0.0, "l2": 0.01}})},
        ],
        "input_layers": [["input_1", 0, 0]],
        "output_layers": [["out", 0, 0]],
    },
}  # fmt: skip
FUNCTIONAL_WEIGHTS = {
    "left": [data(5, 3), data(3)],
    "right": [data(5, 3, seed=1), data(3)],
    "out": [data(3, 1), data(1)],
}
TRAINING = {
    "optimizer_config": {
        "class_name": "Adam",
        "config": {"lr": 0.01, "beta_1": 0.9, "beta_2": 0.999, "decay": 0.0, "epsilon": 1e-07,
                   "amsgrad": False},
    },
    "loss": "mean_squared_error",
    "metrics": ["mae"],
    "sample_weight_mode": None,
    "loss_weights": None,
}  # fmt: skip


def write_weights(group: Any, weights: dict[str, Any], version: str | None) -> None:
    """A group for each layer; Keras 1 did not say its version."""
    group.attrs["layer_names"] = [name.encode() for name in weights]
    if version is not None:
        group.attrs["keras_version"] = version.encode()
        group.attrs["backend"] = b"tensorflow"
    for name, arrays in weights.items():
        held = group.create_group(name)
        names = [f"{name}_W{place}" for place in range(len(arrays))]
        held.attrs["weight_names"] = [text.encode() for text in names]
        for text, array in zip(names, arrays):
            held.create_dataset(text, data=array)


def write_model(file: Any, config: Any, weights: Any, training: Any = None) -> None:
    """A whole model as Keras 2.0 wrote it."""
    file.attrs["keras_version"] = b"2.0.8"
    file.attrs["backend"] = b"tensorflow"
    file.attrs["model_config"] = json.dumps(config).encode()
    write_weights(file.create_group("model_weights"), weights, "2.0.8")
    if training is not None:
        file.attrs["training_config"] = json.dumps(training).encode()


def answers(tf: Any, h5py: Any, folder: str) -> dict[str, Any]:
    """What the models give with the weights of the files, which are written to a folder."""
    found = {}
    for name, make, weights, version in (
        ("first", first, FIRST, None),
        ("cudnn", cudnn, CUDNN, "2.2.4"),
    ):
        with h5py.File(f"{folder}/{name}.h5", "w") as file:
            write_weights(file, weights, version)
        model = make(tf)
        model.load_weights(f"{folder}/{name}.h5")
        x = data(2, *model.input_shape[1:], seed=9)
        found[name] = model.predict(x, verbose=0).tolist()
    for name, config, weights, training in (
        ("sequential", SEQUENTIAL, SEQUENTIAL_WEIGHTS, None),
        ("functional", FUNCTIONAL, FUNCTIONAL_WEIGHTS, TRAINING),
    ):
        with h5py.File(f"{folder}/{name}.h5", "w") as file:
            write_model(file, config, weights, training)
        model = tf.keras.models.load_model(f"{folder}/{name}.h5")
        x = data(2, *model.input_shape[1:], seed=9)
        found[name] = model.predict(x, verbose=0).tolist()
        if training is not None:
            y = data(2, 1, seed=8)
            found["trained"] = [float(model.train_on_batch(x, y)[0]) for _ in range(3)]
            found["rate"] = float(tf.keras.backend.get_value(model.optimizer.learning_rate))
    return found
