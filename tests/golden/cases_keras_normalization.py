"""`BatchNormalization` by parts of a batch, with adjustments, and as kernels for images do it."""

from __future__ import annotations

from typing import Any

import numpy as np


def _growing(*shape: int) -> Any:
    """0, 1, 2 ... to the power of 1.5: by a root, which is the same number on every processor."""
    numbers = np.arange(np.prod(shape), dtype=np.float32)
    return (numbers * np.sqrt(numbers)).reshape(shape)


ROWS, IMAGES = _growing(8, 3), _growing(4, 2, 4, 3)


def _layer(tf: Any, inputs: Any, **options: Any) -> Any:
    layer = tf.keras.layers.BatchNormalization(**options)
    values = tf.constant(inputs)
    with tf.GradientTape() as tape:
        tape.watch(values)
        outputs = layer(values, training=True)
        total = tf.reduce_sum(outputs**3)
    return outputs, tape.gradient(total, values), layer.get_weights(), layer(values)


def rows_by_parts_of_a_batch(tf: Any) -> Any:
    return _layer(tf, ROWS, virtual_batch_size=4)


def images_by_parts_of_a_batch(tf: Any) -> Any:
    return [_layer(tf, IMAGES, virtual_batch_size=2, axis=axis) for axis in (-1, 1, (1, 3))]


def parts_of_a_batch_are_renormalized(tf: Any) -> Any:
    return _layer(tf, ROWS / 10, virtual_batch_size=4, renorm=True)


def a_model_with_parts_of_a_batch(tf: Any) -> Any:
    tf.keras.utils.set_random_seed(1)
    dense = tf.keras.layers.Dense
    layer = tf.keras.layers.BatchNormalization(virtual_batch_size=2)
    model = tf.keras.Sequential([tf.keras.Input((3,)), dense(4), layer, dense(1)])
    model.compile("sgd", "mse")
    found = model.fit(ROWS / 100, ROWS[:, :1] / 100, batch_size=4, verbose=0).history
    return np.float32(found["loss"]), model.predict(ROWS / 100, verbose=0)


def adjustments(tf: Any) -> Any:
    def adjustment(shape: Any) -> Any:
        return tf.fill([shape[0], 1, 1, 1], 2.0), tf.ones(shape[-1:])

    return [_layer(tf, IMAGES / 500, adjustment=adjustment, renorm=r) for r in (False, True)]


def five_axes(tf: Any) -> Any:
    return [_layer(tf, IMAGES.reshape(2, 2, 2, 4, 3), axis=axis) for axis in (-1, 1, 2)]


def doubles(tf: Any) -> Any:
    return _layer(tf, IMAGES.astype(np.float64), dtype="float64")


def _refusal(tf: Any, inputs: Any, **options: Any) -> str:
    try:
        _layer(tf, inputs, **options)
    except (ValueError, TypeError, tf.errors.InvalidArgumentError) as error:
        return type(error).__name__
    return "taken"


def what_does_not_go_together(tf: Any) -> Any:
    options: list[dict[str, Any]] = [
        {"virtual_batch_size": 0},
        {"virtual_batch_size": 3},
        {"virtual_batch_size": 2, "adjustment": lambda shape: (1.0, 0.0)},
        {"virtual_batch_size": 2, "axis": 0},
        {"fused": True},
        {"fused": True, "virtual_batch_size": 2},
        {"fused": True, "renorm": True},
        {"fused": True, "synchronized": True},
        {"fused": True, "axis": [0, 1]},
        {"fused": True, "dtype": "float64"},
        {"renorm": True, "renorm_clipping": {"a": 1}},
    ]
    return [_refusal(tf, ROWS, **each) for each in options], _refusal(tf, IMAGES, axis=2)
