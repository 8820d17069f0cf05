"""Checkpoints and SavedModels: writing, restoring, saving, loading."""

import tempfile
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.jobs import Call, benchmark

COUNT, SHAPE = 50, (512, 1024)  # 50 variables of 2 MB each


def variables(tf: ModuleType) -> Any:
    rng = np.random.default_rng(0)
    made = [tf.Variable(rng.random(SHAPE, np.float32)) for _ in range(COUNT)]
    return tf.train.Checkpoint(variables=made)


@benchmark("50 variables, 100 MB: write a checkpoint")
def write(tf: ModuleType) -> Call:
    checkpoint, prefix = variables(tf), f"{tempfile.mkdtemp()}/checkpoint"

    def call() -> Any:
        checkpoint.write(prefix)
        return np.zeros(())

    return call


@benchmark("50 variables, 100 MB: restore a checkpoint")
def restore(tf: ModuleType) -> Call:
    checkpoint = variables(tf)
    path = checkpoint.write(f"{tempfile.mkdtemp()}/checkpoint")

    def call() -> Any:
        checkpoint.read(path).assert_consumed()
        return np.zeros(())

    return call


def network(tf: ModuleType) -> Any:
    """A small CNN: two convolutions, two dense layers."""

    class Network(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.filters = [tf.Variable(tf.ones(s)) for s in ([3, 3, 1, 16], [3, 3, 16, 32])]
            self.dense = [tf.Variable(tf.ones(s)) for s in ([7 * 7 * 32, 64], [64, 10])]

        @tf.function(input_signature=[tf.TensorSpec([None, 28, 28, 1])])
        def __call__(self, x: Any) -> Any:
            for filters in self.filters:
                x = tf.nn.relu(tf.nn.conv2d(x, filters, 1, "SAME"))
                x = tf.nn.max_pool2d(x, 2, 2, "SAME")
            x = tf.reshape(x, [-1, 7 * 7 * 32])
            for weights in self.dense:
                x = tf.nn.relu(x @ weights)
            return x

    return Network()


@benchmark("small CNN: saved_model.save")
def save(tf: ModuleType) -> Call:
    model, folder = network(tf), tempfile.mkdtemp()

    def call() -> Any:
        tf.saved_model.save(model, folder)
        return np.zeros(())

    return call


@benchmark("small CNN: saved_model.load and a first call")
def load(tf: ModuleType) -> Call:
    folder, x = tempfile.mkdtemp(), tf.ones([1, 28, 28, 1])
    tf.saved_model.save(network(tf), folder)
    return lambda: tf.saved_model.load(folder)(x)
