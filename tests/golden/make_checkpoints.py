"""Writes checkpoints with TensorFlow, and the values in them, to `checkpoints/`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import tensorflow as tf
from tf_keras import Sequential, layers, optimizers

FOLDER = Path(__file__).parent / "checkpoints"


def sharded(prefix: str) -> None:
    """Data in three files."""
    values = [tf.Variable(np.arange(40.0) + i) for i in range(3)]
    policy = tf.train.experimental.MaxShardSizePolicy(400)
    options = tf.train.CheckpointOptions(experimental_sharding_callback=policy)
    tf.train.Checkpoint(values=values).write(prefix, options=options)


def parts(prefix: str) -> None:
    """A partitioned tensor, whose numbers need more than one byte."""
    whole = np.arange(300 * 3, dtype=np.float32).reshape(300, 3)
    tf.raw_ops.SaveV2(
        prefix=prefix,
        tensor_names=["other", "whole", "whole", "words"],
        shape_and_slices=["", "300 3 0,70:-", "300 3 70,230:-", ""],
        tensors=[tf.range(3), whole[:70], whole[70:], tf.constant(["a", "", "bcd"])],
    )


def training(prefix: str) -> None:
    """A Keras model with an optimizer that keeps slots, and a step."""
    model = Sequential([layers.Input([2]), layers.Dense(3, name="d")])
    model.set_weights([np.arange(6.0).reshape(2, 3), np.arange(3.0)])
    adam = optimizers.legacy.Adam(0.1)
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(model(tf.ones([1, 2])) ** 2)
    variables = model.trainable_variables
    adam.apply_gradients(zip(tape.gradient(loss, variables), variables))
    tf.train.Checkpoint(model=model, optimizer=adam, step=tf.Variable(5)).write(prefix)


def names(prefix: str) -> None:
    """Values by name alone, as TensorFlow 1 wrote them."""
    tf.raw_ops.SaveV2(
        prefix=prefix,
        tensor_names=["layer/b", "layer/w"],
        shape_and_slices=["", ""],
        tensors=[tf.constant([1.0, 2.0]), tf.constant([[3.0, 4.0]])],
    )


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    values = {}
    for write in (sharded, parts, training, names):
        prefix = str(FOLDER / write.__name__)
        write(prefix)
        reader = tf.train.load_checkpoint(prefix)
        for key, shape in reader.get_variable_to_shape_map().items():
            value = reader.get_tensor(key)
            if key != "_CHECKPOINTABLE_OBJECT_GRAPH":
                values[f"{write.__name__}/{key}"] = np.asarray(value)
                assert list(np.shape(value)) == shape
    words = {k: np.asarray(v.tolist(), "S") for k, v in values.items() if v.dtype == object}
    np.savez(FOLDER / "values.npz", **{**values, **words})
