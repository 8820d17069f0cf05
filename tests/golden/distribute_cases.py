"""Programs for several replicas on logical CPUs; see `make_distribute.py`.

Each function gets the module and a strategy of three replicas. What it returns is compared with
TensorFlow's answer; variables that replicas may not let differ here are left out.
"""

import importlib
from collections.abc import Callable
from typing import Any

REPLICAS = 3


def programs() -> dict[str, Callable[[Any, Any], Any]]:
    """The functions of this file by name, and those of `distribute_<subject>.py` after it."""
    found = {}
    for subject in ("cases", "functions", "mistakes", "random", "tutorials"):
        module = importlib.import_module(f"tests.golden.distribute_{subject}")
        prefix = "" if subject == "cases" else f"{subject}."
        for name, program in vars(module).items():
            if getattr(program, "__module__", "") == module.__name__ and name[0] != "_":
                found[prefix + name] = program
    del found["split"], found["programs"]
    return found


def split(tf: Any) -> Any:
    """Split the CPU; a strategy of three replicas, and one of four."""
    cpu = tf.config.list_physical_devices("CPU")[0]
    parts = [tf.config.LogicalDeviceConfiguration()] * 4
    tf.config.set_logical_device_configuration(cpu, parts)
    return tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(REPLICAS)])


def _id(tf: Any) -> Any:
    return tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)


def _both(tf: Any, program: Any) -> Any:
    """What a program gives eagerly and in a function; names of errors."""
    found = []
    for run in (program, tf.function(program)):
        try:
            found.append(run())
        except Exception as error:
            found.append(type(error).__name__)
    return found


def _local(s: Any, value: Any) -> Any:
    return list(s.experimental_local_results(value)) if not isinstance(value, str) else value


def contexts(tf: Any, s: Any) -> Any:
    d = tf.distribute

    def facts() -> Any:
        replica = d.get_replica_context()
        return d.has_strategy(), d.in_cross_replica_context(), replica is not None

    def merged(strategy: Any, x: Any, y: Any) -> Any:
        return type(x).__name__, type(y).__name__, strategy is s, *facts()

    def replica() -> Any:
        me = d.get_replica_context()
        found = me.merge_call(merged, args=(tf.constant(1.0), 5))
        return (*facts(), me.num_replicas_in_sync, *found)

    with s.scope():
        inside = facts()
    return [facts(), inside, s.run(replica), s.num_replicas_in_sync, s.extended.worker_devices]


def what_run_returns(tf: Any, s: Any) -> Any:
    def replica(x: Any, scale: float) -> Any:
        return {"none": None, "same": 3, "text": "a", "x": x * scale + _id(tf)}

    found = s.run(replica, args=(tf.constant(1.0),), kwargs={"scale": 2.0})
    return [found["none"], found["same"], found["text"], _local(s, found["x"])]


def collectives(tf: Any, s: Any) -> Any:
    def replica() -> Any:
        me = tf.distribute.get_replica_context()
        x = _id(tf) + 1.0
        return [
            me.all_reduce("SUM", x),
            me.all_reduce(tf.distribute.ReduceOp.MEAN, x),
            me.all_reduce("SUM", {"a": x, "b": [x * 2.0]})["b"][0],
            me.all_gather(tf.stack([[x, x]]), axis=0),
            me.merge_call(lambda s, v: s.reduce("SUM", v, axis=None), args=(x,)),
        ]

    return [_local(s, value) for value in tf.function(lambda: s.run(replica))()]


def reductions(tf: Any, s: Any) -> Any:
    uneven = s.experimental_distribute_values_from_function(
        lambda c: tf.ones([c.replica_id_in_sync_group + 1, 2]) * (c.replica_id_in_sync_group + 1.0)
    )
    whole = s.run(lambda: tf.distribute.get_replica_context().replica_id_in_sync_group)
    found = [
        s.reduce("SUM", uneven, axis=0),
        s.reduce("MEAN", uneven, axis=0),
        s.reduce("MEAN", uneven, axis=(0, 1)),
        s.reduce("SUM", whole, axis=None),
        s.reduce("MEAN", whole, axis=None),
        s.reduce("MEAN", tf.constant(2.0), axis=None),
        s.reduce("SUM", tf.constant([2.0, 1.0]), axis=0),
        s.gather(uneven, axis=0),
        s.reduce("SUM", {"a": whole}, axis=None)["a"],
    ]
    for call in (lambda: s.reduce("SUM", 1.0, axis=None), lambda: s.reduce("MAX", whole, None)):
        try:
            call()
        except ValueError:
            found.append("ValueError")
    return [*found, _local(s, uneven), _local(s, tf.constant(4.0))]


def values_from_functions_are_wrapped(tf: Any, s: Any) -> Any:
    made = s.experimental_distribute_values_from_function(lambda c: c.num_replicas_in_sync)
    return [type(made).__name__, list(made.values), str(made)]


def _variable(tf: Any, s: Any, synchronization: str, aggregation: str) -> Any:
    with s.scope():
        return tf.Variable(
            1.0,
            synchronization=getattr(tf.VariableSynchronization, synchronization),
            aggregation=getattr(tf.VariableAggregation, aggregation),
        )


def _writes(tf: Any, s: Any, synchronization: str, aggregation: str) -> Any:
    found = []
    for method in ("assign", "assign_add", "assign_sub"):
        for value in ("literal", "same", "different"):
            if (synchronization, aggregation, value) == ("AUTO", "NONE", "different"):
                continue  # the copies may not differ here

            v = _variable(tf, s, synchronization, aggregation)

            def replica(v: Any = v, method: str = method, value: str = value) -> Any:
                given = {"literal": 2.0, "same": tf.constant(2.0)}.get(value, _id(tf) + 1.0)
                return tf.identity(getattr(v, method)(given))

            for result in _both(tf, lambda replica=replica: s.run(replica)):
                found.append([_local(s, result), [float(x) for x in v.values]])
        try:
            getattr(v, method)(5.0)
            found.append([float(x) for x in v.values])
        except ValueError:
            found.append("ValueError")
    for read in (lambda: v.read_value(), lambda: v.numpy(), lambda: v + 1.0):
        try:
            found.append(float(read()))
        except ValueError:
            found.append("ValueError")
    return [*found, type(v).__name__, v.trainable, v.synchronization.name, v.aggregation.name]


def on_write_none(tf: Any, s: Any) -> Any:
    return _writes(tf, s, "AUTO", "NONE")


def on_write_sum(tf: Any, s: Any) -> Any:
    return _writes(tf, s, "AUTO", "SUM")


def on_write_mean(tf: Any, s: Any) -> Any:
    return _writes(tf, s, "ON_WRITE", "MEAN")


def on_write_only_first(tf: Any, s: Any) -> Any:
    return _writes(tf, s, "ON_WRITE", "ONLY_FIRST_REPLICA")


def on_read_none(tf: Any, s: Any) -> Any:
    return _writes(tf, s, "ON_READ", "NONE")


def on_read_sum(tf: Any, s: Any) -> Any:
    return _writes(tf, s, "ON_READ", "SUM")


def on_read_mean(tf: Any, s: Any) -> Any:
    return _writes(tf, s, "ON_READ", "MEAN")


def on_read_only_first(tf: Any, s: Any) -> Any:
    return _writes(tf, s, "ON_READ", "ONLY_FIRST_REPLICA")


def rows_of_variables(tf: Any, s: Any) -> Any:
    found = []
    for aggregation in ("SUM", "MEAN", "ONLY_FIRST_REPLICA"):
        for method in ("scatter_add", "scatter_sub", "scatter_mul", "scatter_max"):
            with s.scope():
                v = tf.Variable(
                    [1.0, 2.0], aggregation=getattr(tf.VariableAggregation, aggregation)
                )

            def replica(v: Any = v, method: str = method) -> None:
                rows = tf.IndexedSlices(tf.reshape(_id(tf) + 1.0, [1]), tf.constant([1]))
                getattr(v, method)(rows)

            try:
                s.run(replica)
                found.append(v.numpy())
            except NotImplementedError:
                found.append("NotImplementedError")
    return found


def variables_are_shown(tf: Any, s: Any) -> Any:
    with s.scope():
        v = tf.Variable([1.0, 2.0], name="v")
        r = tf.Variable(1, name="r", synchronization=tf.VariableSynchronization.ON_READ)
    return [repr(v), str(v), repr(r), v.name, v.shape.as_list(), r.dtype.name]


def gradients(tf: Any, s: Any) -> Any:
    with s.scope():
        v = tf.Variable([2.0, 3.0])

    def replica() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v) * (_id(tf) + 1.0)
        g = tape.gradient(loss, v)
        return g, tf.distribute.get_replica_context().all_reduce("SUM", g)

    return [_local(s, part) for part in tf.function(lambda: s.run(replica))()]


def variables_made_by_replicas(tf: Any, s: Any) -> Any:
    made: list[Any] = []

    @tf.function
    def step() -> Any:
        def replica() -> Any:
            if not made:
                made.append(tf.Variable(1.0))
            return made[0] + _id(tf)

        return s.run(replica)

    with s.scope():
        first = _local(s, step())
    return [first, _local(s, step())]


def updates(tf: Any, s: Any) -> Any:
    with s.scope():
        v = tf.Variable(1.0)
    e = s.extended
    with s.scope():
        e.update(v, lambda v, x: v.assign_add(x), args=(2.0,))
        grouped = e.update(v, lambda v, x: v * x, args=(tf.constant(2.0),), group=False)
    outside = tf.Variable(1.0)
    known = [e.variable_created_in_scope(x) for x in (v, outside)]
    total = e.reduce_to("SUM", s.run(lambda: _id(tf)), destinations=v)
    return [v.numpy(), grouped, known, _local(s, total)]


def functions_that_are_run(tf: Any, s: Any) -> Any:
    with s.scope():
        v = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)

    @tf.function
    def replica(x: Any) -> Any:
        v.assign_add(x + _id(tf))
        return v * 2.0

    first = _local(s, s.run(replica, args=(tf.constant(1.0),)))
    return [first, _local(s, s.run(replica, args=(tf.constant(1.0),)))]


def values_as_arguments(tf: Any, s: Any) -> Any:
    x = s.experimental_distribute_values_from_function(
        lambda c: tf.constant(float(c.replica_id_in_sync_group))
    )
    double = tf.function(lambda x: s.run(lambda x: x * 2.0, args=(x,)))
    return [_local(s, double(x)), _local(s, s.run(lambda x: x, args=(x,)))]


def _rows(tf: Any, s: Any, dataset: Any) -> Any:
    return [[x.numpy().tolist() for x in s.experimental_local_results(part)] for part in dataset]


def datasets(tf: Any, s: Any) -> Any:
    make = tf.data.Dataset.range
    found = [
        _rows(tf, s, s.experimental_distribute_dataset(make(2 * size - 1).batch(size)))
        for size in range(1, 10)
    ]
    made = s.distribute_datasets_from_function(
        lambda c: make(8).batch(c.get_per_replica_batch_size(6))
    )
    fixed = s.experimental_distribute_dataset(make(6).batch(3, drop_remainder=True))
    iterator = iter(fixed)
    next(iterator), next(iterator)
    try:
        next(iterator)
    except StopIteration:
        found.append("StopIteration")
    try:
        iterator.get_next()
    except tf.errors.OutOfRangeError:
        found.append("OutOfRangeError")
    return [*found, _rows(tf, s, made), repr(fixed.element_spec), repr(made.element_spec)]


def datasets_in_functions(tf: Any, s: Any) -> Any:
    def dataset() -> Any:
        return s.experimental_distribute_dataset(tf.data.Dataset.range(7).batch(5))

    @tf.function
    def total(dataset: Any) -> Any:
        found = tf.constant(0, tf.int64)
        for x in dataset:
            found += s.reduce("SUM", s.run(tf.reduce_sum, args=(x,)), axis=None)
        return found

    @tf.function
    def step(iterator: Any) -> Any:
        return s.reduce("SUM", s.run(tf.reduce_sum, args=(next(iterator),)), axis=None)

    iterator = iter(dataset())
    return [total(dataset()), step(iterator), step(iterator)]


def checkpoints(tf: Any, s: Any) -> Any:
    import tempfile

    kept = {}
    for aggregation in ("SUM", "MEAN", "ONLY_FIRST_REPLICA"):
        kept[aggregation] = _variable(tf, s, "ON_READ", aggregation)
        s.run(lambda v=kept[aggregation]: v.assign(_id(tf) * 3.0))
    kept["mirrored"] = _variable(tf, s, "AUTO", "NONE")
    with tempfile.TemporaryDirectory() as folder:
        path = tf.train.Checkpoint(**kept).save(f"{folder}/c")
        plain = {name: tf.Variable(0.0) for name in kept}
        tf.train.Checkpoint(**plain).restore(path)
        for v in kept.values():
            v.assign(7.0)
        tf.train.Checkpoint(**kept).restore(path)
        again = {name: [float(x) for x in v.values] for name, v in kept.items()}
    return [{name: v.numpy() for name, v in plain.items()}, again]


def a_variable_of_outside_is_written_by_each(tf: Any, s: Any) -> Any:
    v = tf.Variable(1.0)

    def replica() -> None:
        v.assign_add(1.0)

    s.run(replica)
    first = v.numpy()
    tf.function(lambda: s.run(replica))()
    return [first, v.numpy()]


def _error(call: Any) -> str:
    try:
        call()
    except Exception as error:
        return type(error).__name__
    return "none"


def mistakes(tf: Any, s: Any) -> Any:
    other = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    v, r = _variable(tf, s, "AUTO", "NONE"), _variable(tf, s, "ON_READ", "SUM")
    x = s.run(lambda: _id(tf))

    def in_other(call: Any) -> str:
        with other.scope():
            return _error(call)

    with s.scope():
        made = [
            _error(lambda: tf.Variable(1, aggregation=tf.VariableAggregation.MEAN)),
            _error(lambda: tf.Variable(1.0, synchronization=tf.VariableSynchronization.NONE)),
            _error(lambda: other.scope().__enter__()),
        ]
    return [
        *made,
        in_other(lambda: v.assign(1.0)),
        in_other(lambda: r + 1.0),
        _error(lambda: s.run(lambda: s.run(lambda: 1))),
        _error(lambda: s.run(3)),
        _error(lambda: s.run(lambda: s.reduce("SUM", 1.0, axis=None))),
        _error(lambda: tf.convert_to_tensor(x)),
        _error(lambda: tf.distribute.MirroredStrategy(["CPU:0", "CPU:0"])),
        _error(lambda: s.run(lambda: r.scatter_add(tf.IndexedSlices([1.0], [0])))),
        _error(lambda: s.extended.reduce_to("SUM", 1.0, destinations=v)),
    ]


def gradients_of_collectives(tf: Any, s: Any) -> Any:
    def replica() -> Any:
        me = tf.distribute.get_replica_context()
        x = tf.stack([_id(tf) + 1.0, _id(tf) + 2.0])
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            total = me.all_reduce("SUM", x * x)
            mean = me.all_reduce("MEAN", x)
            y = tf.reduce_sum(total * (_id(tf) + 1.0)) + tf.reduce_sum(mean * mean)
            z = tf.reduce_sum(me.all_gather(x, axis=0) ** 2 * (_id(tf) + 1.0))
        return tape.gradient(y, x), tape.gradient(z, x)

    return [_local(s, part) for part in tf.function(lambda: s.run(replica))()]


def _trained(tf: Any, s: Any, optimizer: Any, normalized: Any = None, **options: Any) -> Any:
    """What training, evaluating and predicting give for batches that are divided unevenly."""
    import numpy as np

    loss = options.pop("loss", "mse")
    policy = options.pop("policy", "float32")
    layers = tf.keras.layers
    x = np.random.RandomState(0).rand(11, 4).astype("float32")
    y, weights = x.sum(1, keepdims=True), np.arange(11) / 6.0
    tf.keras.mixed_precision.set_global_policy(policy)
    try:
        with s.scope():
            first = layers.Dense(3, use_bias=False, input_shape=(4,), kernel_regularizer="l2")
            between = [] if normalized is None else [layers.BatchNormalization(**normalized)]
            model = tf.keras.Sequential([first, *between, layers.Dense(1, dtype="float32")])
            start = [np.random.RandomState(i).rand(*w.shape) for i, w in enumerate(model.weights)]
            model.set_weights(start)
            metrics = ["mae", tf.keras.metrics.RootMeanSquaredError()]
            model.compile(optimizer(tf.keras.optimizers), loss, metrics=metrics, **options)
        fitted = model.fit(
            x,
            y,
            epochs=2,
            batch_size=4,
            verbose=0,
            shuffle=False,
            validation_data=(x[:5], y[:5]),
            sample_weight=weights,
        )
    finally:
        tf.keras.mixed_precision.set_global_policy("float32")
    found = [
        dict(sorted(fitted.history.items())),
        model.evaluate(x, y, batch_size=4, verbose=0),
        model.predict(x, batch_size=4, verbose=0),
        model.train_on_batch(x[:7], y[:7]),
        model.test_on_batch(x[:7], y[:7]),
        [w.numpy() for w in model.weights],
    ]
    return tf.nest.map_structure(lambda v: np.asarray(v, np.float32), found)


def keras_momentum(tf: Any, s: Any) -> Any:
    return _trained(tf, s, lambda o: o.SGD(0.1, momentum=0.9, global_clipnorm=0.5))


def keras_adam_with_a_schedule(tf: Any, s: Any) -> Any:
    return _trained(tf, s, lambda o: o.Adam(o.schedules.ExponentialDecay(0.1, 2, 0.5)))


def keras_legacy(tf: Any, s: Any) -> Any:
    return _trained(tf, s, lambda o: o.legacy.Adam(0.1))


def keras_normalization(tf: Any, s: Any) -> Any:
    return _trained(tf, s, lambda o: o.SGD(0.1), {})


def keras_synchronized_normalization(tf: Any, s: Any) -> Any:
    return _trained(tf, s, lambda o: o.SGD(0.1), {"synchronized": True})


def keras_sum_of_losses(tf: Any, s: Any) -> Any:
    loss = tf.keras.losses.MeanSquaredError(reduction="sum")
    return _trained(tf, s, lambda o: o.SGD(0.01), loss=loss)


def keras_eagerly(tf: Any, s: Any) -> Any:
    return _trained(tf, s, lambda o: o.SGD(0.1), run_eagerly=True)


def keras_loss_scale(tf: Any, s: Any) -> Any:
    found = _trained(tf, s, lambda o: o.SGD(0.1), policy="mixed_float16")
    return tf.nest.map_structure(lambda v: v.round(2), found[:2])


def keras_mistakes(tf: Any, s: Any) -> Any:
    def mean() -> Any:
        with s.scope():
            return tf.keras.losses.MeanSquaredError()([1.0], [2.0])

    def outside() -> Any:
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(4,))])
        with s.scope():
            model.compile("sgd", "mse")

    return [_error(mean), _error(outside)]
