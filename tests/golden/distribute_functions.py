"""Functions that replicas call, what writes give back, functions from files, small batches."""

from typing import Any

from tests.golden.distribute_cases import _error, _id, _local, _variable


def functions_of_replicas(tf: Any, s: Any) -> Any:
    """A trace belongs to who asked for it: a replica, all of them, or nobody."""
    d = tf.distribute
    with s.scope():
        generator = tf.random.Generator.from_seed(0)
    r = _variable(tf, s, "ON_READ", "SUM")

    @tf.function
    def who() -> Any:
        return d.in_cross_replica_context()

    @tf.function
    def own() -> Any:
        return _id(tf), generator.normal([]), r + 1.0

    @tf.function
    def changed(x: Any) -> Any:
        r.assign_add(x)
        return r.value()

    with s.scope():
        found = [who()]
    found += [who(), *_local(s, s.run(lambda: who())), who()]
    x = s.experimental_distribute_values_from_function(
        lambda c: tf.constant(float(c.replica_id_in_sync_group))
    )
    for _ in range(2):
        found += [_local(s, part) for part in s.run(lambda: own())]
        found += [_local(s, s.run(lambda x: changed(x), args=(x,)))]
    return [*found, r.numpy()]


def what_writes_give_back(tf: Any, s: Any) -> Any:
    found = []
    for kind in (("AUTO", "SUM"), ("AUTO", "MEAN"), ("ON_READ", "SUM"), ("ON_READ", "MEAN")):
        for method in ("assign", "assign_add", "assign_sub"):
            for how in (lambda f: f, tf.function):
                v = _variable(tf, s, *kind)

                def write(v: Any = v, method: str = method) -> Any:
                    return getattr(v, method)(_id(tf) + 1.0)

                given = how(lambda write=write: s.run(write))()
                found.append([_local(s, given), s.reduce("SUM", given, axis=None)])
    return found


def functions_from_files(tf: Any, s: Any) -> Any:
    import tempfile

    class Model(tf.Module):
        def __init__(self) -> None:
            self.v = tf.Variable(2.0)
            self.generator = tf.random.Generator.from_seed(0)

        @tf.function(input_signature=[tf.TensorSpec([None])])
        def scaled(self, x: Any) -> Any:
            return x * self.v

        @tf.function
        def noise(self) -> Any:
            return self.generator.normal([])

    with s.scope():
        model = Model()
    x = s.run(lambda: tf.reshape(_id(tf), [1]))

    def scaled(model: Any) -> Any:
        return s.run(lambda x: model.scaled(x), args=(x,))

    found = [_local(s, s.run(lambda: model.noise())), _local(s, scaled(model))]
    with tempfile.TemporaryDirectory() as folder:
        tf.saved_model.save(model, folder)
        loaded = tf.saved_model.load(folder)
        with s.scope():
            inside = tf.saved_model.load(folder)
    found += [loaded.noise(), loaded.noise(), loaded.scaled(tf.ones([2]))]
    for each in (loaded, inside):
        found += [_local(s, scaled(each)), _local(s, tf.function(lambda e=each: scaled(e))())]
    return found


def values_are_printed(tf: Any, s: Any) -> Any:
    import tempfile

    with tempfile.NamedTemporaryFile() as file:
        x = s.run(lambda: _id(tf))
        for value in (x, (1, {"x": x}), _variable(tf, s, "AUTO", "NONE")):
            tf.print(value, output_stream=f"file://{file.name}")
        s.run(lambda: tf.print(x, _id(tf), output_stream=f"file://{file.name}"))
        text = file.read().decode()
    return [text, _error(lambda: tf.strings.format("{}", x)) != "none"]


def batches_of_any_size(tf: Any, s: Any) -> Any:
    """Of 1 to 9 rows on four replicas, of which some have fewer than others, or none."""
    import numpy as np

    with tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(4)]).scope():
        layer = tf.keras.layers.Dense(1, input_shape=(1,), kernel_regularizer="l2")
        model = tf.keras.Sequential([layer])
        model.compile("sgd", "mse", metrics=["mae"])
    start = [np.array([[2.0]], np.float32), np.array([0.5], np.float32)]
    found = []
    for rows in range(1, 10):
        model.set_weights(start)
        x = np.arange(rows, dtype=np.float32)[:, None]
        history = model.fit(x, x, batch_size=rows, verbose=0, shuffle=False).history
        found += [dict(sorted(history.items())), *model.get_weights()]
        found += [model.evaluate(x, x, verbose=0), model.predict(x, verbose=0)]
    return tf.nest.map_structure(lambda v: np.asarray(v, np.float32), found)
