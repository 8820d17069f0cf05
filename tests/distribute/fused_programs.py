"""Programs of `test_fused.py`, which run in a process with four logical CPUs."""

from __future__ import annotations

import itertools
import json
from typing import Any

import numpy as np

import runnel as tf

D = tf.distribute
BATCH = 12


def strategy_of(count: int) -> Any:
    return D.MirroredStrategy([f"CPU:{i}" for i in range(count)]) if count else D.get_strategy()


def dense() -> Any:
    return [tf.keras.layers.Dense(5, "relu", input_shape=(4,)), tf.keras.layers.Dense(1)]


def convolved() -> Any:
    layers = tf.keras.layers
    image = layers.Reshape((2, 2, 1), input_shape=(4,))
    return [image, layers.Conv2D(3, 2, padding="same"), layers.Flatten(), layers.Dense(1)]


def normalized() -> Any:
    layers = tf.keras.layers
    norm = layers.BatchNormalization(synchronized=True)
    return [layers.Dense(5, input_shape=(4,), use_bias=False), norm, layers.Dense(1)]


def recurrent() -> Any:
    layers = tf.keras.layers
    return [layers.Reshape((2, 2), input_shape=(4,)), layers.LSTM(3), layers.Dense(1)]


def embedded() -> Any:
    layers = tf.keras.layers
    return [layers.Embedding(7, 3, input_length=4), layers.Flatten(), layers.Dense(1)]


MODELS = (dense, convolved, normalized, recurrent, embedded)
OPTIMIZERS = {
    "sgd": lambda: tf.keras.optimizers.SGD(0.005),
    "momentum": lambda: tf.keras.optimizers.SGD(0.005, momentum=0.9),
    "adam": lambda: tf.keras.optimizers.Adam(0.01),
}


def losses(
    model: Any, optimizer: str, count: int, dtype: str = "float64"
) -> tuple[list[float], Any]:
    """The losses of a loop of 20 steps, and why it was not fused."""
    tf.keras.backend.set_floatx(dtype)
    tf.keras.utils.set_random_seed(3)
    s = strategy_of(count)
    with s.scope():
        net = tf.keras.Sequential(model())
        opt = OPTIMIZERS[optimizer]()

    def replica(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum((net(x, training=True) - y) ** 2) / BATCH
        gradients = tape.gradient(loss, net.trainable_variables)
        opt.apply_gradients(zip(gradients, net.trainable_variables, strict=True))
        return loss

    @tf.function
    def step(x: Any, y: Any) -> Any:
        return s.reduce("SUM", s.run(replica, args=(x, y)), axis=None)

    numbers = np.random.RandomState(1)
    x = numbers.randint(0, 7, (BATCH, 4)).astype(dtype)
    data = tf.data.Dataset.from_tensors((x, x[:, :1] / 7.0)).repeat(20)
    found = [float(step(*batch)) for batch in s.experimental_distribute_dataset(data)]
    tf.keras.backend.set_floatx("float32")
    return found, getattr(s.extended, "stepped_because", None)


def equal_to_one_device() -> list[str]:
    """What differs by more than rounding, or was not fused, in a share of the table."""
    few = [(dense, "adam", 4), (normalized, "sgd", 3), (embedded, "momentum", 2)]
    return _differences([(*case, "float64") for case in few])


def equal_in_every_case() -> list[str]:
    """The same in the whole table, which takes minutes."""
    kinds = itertools.product(MODELS, OPTIMIZERS, (2, 3, 4), _ROUNDING)
    return _differences(list(kinds))


_ROUNDING = {"float64": 1e-10, "float32": 1e-5}


def _differences(cases: list[Any]) -> list[str]:
    wrong = []
    whole: dict[Any, list[float]] = {}
    for model, optimizer, count, dtype in cases:
        key = model, optimizer, dtype
        if key not in whole:
            whole[key] = losses(model, optimizer, 0, dtype)[0]
        found, why = losses(model, optimizer, count, dtype)
        gap = np.abs(np.subtract(found, whole[key])).max()
        if why is not None or not gap < _ROUNDING[dtype]:
            wrong.append(f"{model.__name__} {optimizer} {count} {dtype}: {gap} {why}")
    return wrong


def compiled_once() -> list[str]:
    """Steps after the first one for which something was compiled again."""
    import jax.monitoring

    compiled: list[str] = []

    def note(event: str, seconds: float, **_: Any) -> None:
        if event.endswith("backend_compile_duration"):
            compiled.append(event)

    x = np.random.RandomState(0).rand(16, 4).astype("float32")
    s = strategy_of(2)
    with s.scope():
        model = tf.keras.Sequential(normalized())
        model.compile("adam", "mse", metrics=["mae"])
    model.fit(x, x[:, :1], batch_size=8, verbose=0)
    v, step = model.weights[0], tf.function(lambda: s.run(lambda: model(x)))
    step()
    jax.monitoring.register_event_duration_secs_listener(note)
    wrong = []
    for name, call in {
        "an epoch": lambda: model.fit(x, x[:, :1], batch_size=8, verbose=0),
        "a step": step,
        "after assigning": lambda: (v.assign(tf.ones_like(v)), step()),
    }.items():
        call()
        wrong += [name] if compiled else []
        compiled.clear()
    return wrong


def accumulated() -> list[str]:
    """Half batches, of which every second takes a step: what differs from whole ones."""
    found = []
    x = np.random.RandomState(0).rand(16, 4).astype("float32")
    for count, steps, size in ((0, None, 8), (0, 2, 4), (2, 2, 4)):
        tf.keras.utils.set_random_seed(1)
        with strategy_of(count).scope():
            model = tf.keras.Sequential(dense())
            adam = tf.keras.optimizers.Adam(0.01, gradient_accumulation_steps=steps)
            model.compile(adam, "mse")
        model.fit(x, x[:, :1], batch_size=size, epochs=2, verbose=0, shuffle=False)
        again = type(adam).from_config(adam.get_config()).gradient_accumulation_steps
        found.append((np.concatenate([w.ravel() for w in model.get_weights()]), again == steps))
    same = [np.abs(weights - found[0][0]).max() < 1e-6 and kept for weights, kept in found]
    return [f"{place}" for place, fine in enumerate(same) if not fine]


def remainders() -> list[str]:
    """Batches of 1 to 9 rows on four replicas: what counts a row twice, or loses its place."""
    wrong = []
    s = strategy_of(4)
    with s.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,), use_bias=False)])
        model.compile("sgd", "mse")
    model.set_weights([np.array([[2.0]], np.float32)])
    for rows in range(1, 10):
        x = np.arange(rows, dtype=np.float32)[:, None]
        loss = model.evaluate(x, x, batch_size=rows, verbose=0, return_dict=True)["loss"]
        if abs(loss - (x**2).mean()) > 1e-4:
            wrong.append(f"evaluate {rows}: {loss}")
        if not np.array_equal(model.predict(x, batch_size=rows, verbose=0), 2 * x):
            wrong.append(f"predict {rows}")
        data = s.experimental_distribute_dataset(tf.data.Dataset.from_tensors(x))
        total = tf.function(lambda v: s.reduce("SUM", s.run(tf.identity, args=(v,)), axis=0))
        if float(total(next(iter(data)))[0]) != x.sum():
            wrong.append(f"reduce {rows}")
    return wrong


def reasons() -> dict[str, Any]:
    """Why some programs are stepped; what others give."""
    s = strategy_of(2)
    with s.scope():
        v = tf.Variable(1.0)
        total = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)
    me = D.get_replica_context
    outside = tf.Variable(0.0)

    def parts(*sizes: int) -> Any:
        made = iter(sizes)
        return s.experimental_distribute_values_from_function(lambda c: tf.ones([next(made)]))

    def differing() -> None:
        v.assign(tf.cast(me().replica_id_in_sync_group, tf.float32))

    def elsewhere() -> None:
        outside.assign_add(1.0)

    def in_branch(x: Any) -> Any:
        if tf.reduce_sum(total) < 100.0:
            total.assign_add(tf.reduce_sum(x))
        return total.read_value()

    def in_loop(x: Any) -> Any:
        for _ in tf.range(3):
            total.assign_add(tf.reduce_sum(x))
        return total.read_value()

    def looks(x: Any) -> Any:
        return tf.numpy_function(lambda a: a * 2, [x], tf.float32) + 1.0

    programs: dict[str, Any] = {
        "equal": lambda: s.run(lambda x: x * v, args=(parts(2, 2),)),
        "uneven": lambda: s.run(lambda x: x * v, args=(parts(2, 1),)),
        "constant": lambda: s.run(lambda: me().all_reduce("SUM", 1.0)),
        "outside": lambda: s.run(elsewhere),
        "differing": lambda: s.run(differing),
        "branch": lambda: s.run(in_branch, args=(parts(2, 2),)),
        "loop": lambda: s.run(in_loop, args=(parts(2, 2),)),
        "host": lambda: s.run(looks, args=(parts(2, 2),)),
        "random": lambda: s.run(lambda: tf.random.uniform([3])),
        "unique": lambda: s.run(lambda x: tf.size(tf.unique(x)[0]), args=(parts(2, 2),)),
    }
    found: dict[str, Any] = {}
    for name, program in programs.items():
        s.extended.stepped_because = None
        function = tf.function(program)
        try:
            values = [function() for _ in range(3)][-1]
            given = [x.numpy().tolist() for x in s.experimental_local_results(values)]
        except AttributeError:
            given = [None]
        except Exception as error:
            given = [type(error).__name__]
        found[name] = [s.extended.stepped_because, given]
    return found


def main(name: str) -> None:
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 4)
    print(json.dumps(globals()[name]()))
