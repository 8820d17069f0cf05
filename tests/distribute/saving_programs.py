"""Programs of `test_saving.py`, which run in a process with four logical CPUs."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import runnel as tf

X = np.linspace(0, 1, 24).reshape(6, 4).astype("float32")
Y = X[:, :1]


def scope(count: int) -> Any:
    devices = [f"CPU:{i}" for i in range(count)]
    return tf.distribute.MirroredStrategy(devices) if count else tf.distribute.get_strategy()


def model() -> Any:
    layers = tf.keras.layers
    made = tf.keras.Sequential(
        [layers.Dense(3, "relu", input_shape=(4,)), layers.BatchNormalization(), layers.Dense(1)]
    )
    made.compile(tf.keras.optimizers.Adam(0.1), "mse", metrics=["mae"])
    return made


def trained(count: int) -> Any:
    tf.keras.utils.set_random_seed(1)
    with scope(count).scope():
        made = model()
    made.fit(X, Y, batch_size=6, epochs=2, verbose=0)
    return made


def write(folder: Path, count: int) -> np.ndarray:
    made = trained(count)
    made.save(folder / "model.keras")
    made.save_weights(folder / "model.weights.h5")
    made.save(folder / "model", save_format="tf")
    tf.saved_model.save(made, str(folder / "plain"))
    tf.train.Checkpoint(model=made, optimizer=made.optimizer).write(str(folder / "checkpoint"))
    return made.predict(X, verbose=0)  # type: ignore[no-any-return]


def read(folder: Path, count: int, want: np.ndarray) -> list[str]:
    """What is not as it was written, when it is read by so many replicas."""
    strategy, wrong = scope(count), []

    def check(name: str, got: Any) -> None:
        if not np.allclose(got, want, atol=1e-5):
            wrong.append(f"{name} read by {count}")

    for name in ("model.keras", "model"):
        with strategy.scope():
            made = tf.keras.models.load_model(folder / name)
        check(name, made.predict(X, verbose=0))
        steps = int(made.optimizer.iterations)
        made.fit(X, Y, batch_size=6, verbose=0)
        if (steps, int(made.optimizer.iterations)) != (2, 3):
            wrong.append(f"steps of {name} read by {count}")
    with strategy.scope():
        made, other = model(), model()
        served = tf.saved_model.load(str(folder / "plain")).signatures["serving_default"]
    made.load_weights(folder / "model.weights.h5")
    check("weights", made.predict(X, verbose=0))
    tf.train.Checkpoint(model=other, optimizer=other.optimizer).read(str(folder / "checkpoint"))
    check("checkpoint", other.predict(X, verbose=0))
    check("plain", *served(tf.constant(X)).values())
    data = tf.data.Dataset.from_tensors(X)
    (part,) = strategy.experimental_distribute_dataset(data)
    for run in (strategy.run, tf.function(strategy.run)):
        (found,) = run(served, args=(part,)).values()
        check("plain in run", np.concatenate(strategy.experimental_local_results(found)))
    return wrong


class Held(tf.Module):
    """A variable with a value for each replica, and functions that use it across them."""

    def __init__(self, aggregation: str) -> None:
        super().__init__()
        kinds = tf.VariableAggregation, tf.VariableSynchronization
        self.v = tf.Variable(
            [0.0, 0.0], aggregation=kinds[0][aggregation], synchronization=kinds[1].ON_READ
        )

    @tf.function(input_signature=[tf.TensorSpec([], tf.bool)])
    def doubled(self, flag: Any) -> Any:
        return tf.cond(flag, lambda: self.v * 2.0, lambda: tf.zeros([2]))

    @tf.function(input_signature=[tf.TensorSpec([2])])
    def given(self, x: Any) -> None:
        self.v.assign(x)
        if self.v.aggregation is not tf.VariableAggregation.SUM:
            self.v.assign_sub(x / 2.0)


def values_of_replicas(folder: Path) -> list[str]:
    """Aggregations by which a file does not know one value of a variable."""
    strategy, wrong = scope(3), []
    for aggregation, want in {"SUM": 6.0, "MEAN": 2.0, "ONLY_FIRST_REPLICA": 2.0}.items():
        with strategy.scope():
            held = Held(aggregation)
        strategy.run(lambda held=held: held.v.assign([1.0, 4.0]))
        tf.saved_model.save(held, str(folder / aggregation))
        read = tf.saved_model.load(str(folder / aggregation))
        both = [m.doubled(tf.constant(True)).numpy().tolist() for m in (held, read)]
        for made in (held, read):
            made.given(tf.constant([2.0, 8.0]))
        both += [m.v.read_value().numpy().tolist() for m in (held, read)]
        after = [2.0, 8.0] if aggregation == "SUM" else [1.0, 4.0]
        if both != [[want, 4 * want]] * 2 + [after] * 2:
            wrong.append(f"{aggregation}: {both}")
    return wrong


def main(folder: str) -> None:
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 4)
    wrong = values_of_replicas(Path(folder))
    for writer, readers in {4: (2, 1, 0), 1: (0,)}.items():
        own = Path(folder, str(writer))
        own.mkdir()
        want = write(own, writer)
        wrong += [f"{what} of {writer}" for count in readers for what in read(own, count, want)]
    print(json.dumps(wrong))


if __name__ == "__main__":
    main(sys.argv[1])
