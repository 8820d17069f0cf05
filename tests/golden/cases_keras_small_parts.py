"""Initializers that share a seed, schedules, and small parts of layers and models."""

from __future__ import annotations

from typing import Any

import numpy as np


def initializers_by_the_seed_of_all(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(3)
    return [tf.keras.initializers.get(name)((2, 3)) for name in ("glorot_uniform", "he_normal")]


def schedules(tf: Any) -> Any:
    s = tf.keras.optimizers.schedules
    kinds = [
        s.ExponentialDecay(0.1, 10, 0.5),
        s.ExponentialDecay(0.1, 10, 0.5, staircase=True),
        s.InverseTimeDecay(0.1, 10, 0.5),
        s.PolynomialDecay(0.1, 10, 0.01, power=2.0),
        s.PolynomialDecay(0.1, 10, 0.01, cycle=True),
        s.PiecewiseConstantDecay([3, 12], [0.1, 0.01, 0.001]),
        s.CosineDecay(0.1, 10, alpha=0.1),
        s.CosineDecay(0.0, 10, warmup_target=0.1, warmup_steps=5),
        s.CosineDecayRestarts(0.1, 5, m_mul=0.5, alpha=0.1),
        s.CosineDecayRestarts(0.1, 5, t_mul=1.0),
    ]
    return [[[kind(step) for step in (0, 3, 7, 12, 40)], kind.get_config()] for kind in kinds]


def _class(call: Any) -> Any:
    try:
        return call()
    except Exception as error:
        return type(error).__name__


def layers_of_integers(tf: Any) -> Any:
    layers = tf.keras.layers
    x = tf.constant([[1, 2]])
    kinds = [layers.BatchNormalization, layers.LayerNormalization, layers.UnitNormalization]
    return [
        [kind()(x) for kind in kinds],
        [_class(lambda kind=kind: kind()(x)) for kind in (layers.ThresholdedReLU, layers.PReLU)],
    ]


def bad_margins(tf: Any) -> Any:
    layers = tf.keras.layers
    kinds = [layers.ZeroPadding1D, layers.Cropping1D, layers.ZeroPadding2D]
    return [_class(lambda kind=kind: kind(1.5)) for kind in kinds]


def masks_are_supported_where_they_are_computed(tf: Any) -> Any:
    class Masked(tf.keras.layers.Layer):
        def compute_mask(self, inputs, mask=None):
            return mask

    class Further(Masked):
        supports_masking = False

    kinds = [Masked(), tf.keras.layers.Layer(), tf.keras.layers.Lambda(abs)]
    return [layer.supports_masking for layer in kinds]


def batches_of_unequal_sizes(tf: Any) -> Any:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
    model.compile("sgd", "mse")
    x, y = np.ones([3, 2]), np.ones([2, 1])
    return [
        _class(lambda: model.train_on_batch(x, y)),
        _class(lambda: model.test_on_batch(x, y)),
        _class(lambda: model.train_on_batch(x, np.ones([3, 1]), sample_weight=np.ones([2]))),
        model.predict_on_batch(x).shape,
    ]


def functions_in_configs(tf: Any) -> Any:
    def double(x):
        return x * 2

    keras = tf.keras
    spaces = [keras.regularizers, keras.constraints, keras.initializers, keras.losses]
    spaces += [keras.metrics, keras.activations, keras.layers]
    given = {"kernel_initializer": double, "bias_regularizer": double}
    layer = keras.layers.Dense(2, activation=double, activity_regularizer=double, **given)
    config = layer.get_config()
    return [
        [space.serialize(double) for space in spaces],
        [space.serialize(double, use_legacy_format=True) for space in spaces],
        [config[key] for key in ("activation", "activity_regularizer", *given)],
        keras.utils.serialize_keras_object((1, np)),
    ]


def cells_of_layers_with_time_first(tf: Any) -> Any:
    layers = tf.keras.layers
    found = []
    for time_major in (False, True):
        layer = layers.RNN(layers.SimpleRNNCell(3), time_major=time_major)
        layer.build((None, 4, 2))
        found.append(layer.get_config()["cell"]["build_config"])
    backward = layers.LSTM(2, go_backwards=True)
    both = layers.Bidirectional(layers.GRU(1, time_major=True), backward_layer=backward)
    return [found, both(tf.ones([3, 3, 2])).shape.as_list()]


def sizes_of_cropped_images(tf: Any) -> Any:
    layers = tf.keras.layers
    image = tf.keras.Input([4, 5, 3])
    return [tuple(layers.CenterCrop(*size)(image).shape) for size in ((5, 6), (5, 2), (2, 3))]
