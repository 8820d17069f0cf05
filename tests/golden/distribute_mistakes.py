"""What is wrong with a program for several replicas; see `make_distribute.py`.

Each function gets the module and a strategy of three replicas, and gives the class of the error
that each of its rows raises, or "none". `OURS` are rows in which TensorFlow stumbles, or goes on
with values that differ between replicas, and Runnel raises an error of its own.
"""

from collections.abc import Callable
from typing import Any

Rows = dict[str, Callable[[], Any]]

OURS = {
    "devices": {"a class of cross device ops": "ValueError", "no cross device ops": "ValueError"},
    "outside": {"updated": "ValueError"},
    "writes": {
        "replicas differ": "ValueError",
        "replicas differ in a function": "InvalidArgumentError",
        "rows of replicas differ": "ValueError",
        "other values for replicas": "ValueError",
        "other values in an update": "ValueError",
    },
    "runs": {
        "options": "TypeError",
        "lists of other lengths": "ValueError",
        "other keys": "ValueError",
    },
    "reductions": {
        "no reduction": "ValueError",
        "a number": "ValueError",
        "an aggregation": "ValueError",
        "all_reduce of text": "InvalidArgumentError",
        "all_reduce of nothing": "ValueError",
    },
    "merges": {"in a branch": "none", "in a loop": "none", "in a function within": "none"},
    "datasets": {
        "a list": "ValueError",
        "an iterator": "ValueError",
        "distributed twice": "ValueError",
        "scalars": "ValueError",
        "a list on one device": "ValueError",
        "nothing from a function": "ValueError",
        "options": "TypeError",
    },
}


def _answers(rows: Rows) -> dict[str, str]:
    found = {}
    for name, call in rows.items():
        try:
            call()
            found[name] = "none"
        except Exception as error:
            found[name] = type(error).__name__
    return found


def _within(strategy: Any, call: Callable[[], Any]) -> Any:
    with strategy.scope():
        return call()


def _number(tf: Any) -> Any:
    return tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)


def _is(tf: Any, number: int) -> bool:
    return int(tf.distribute.get_replica_context().replica_id_in_sync_group) == number


def _variable(tf: Any, s: Any, **options: Any) -> Any:
    with s.scope():
        return tf.Variable([1.0, 2.0], **options)


def devices(tf: Any, s: Any) -> Any:
    d = tf.distribute
    mirrored, one, central = (
        d.MirroredStrategy,
        d.OneDeviceStrategy,
        d.experimental.CentralStorageStrategy,
    )
    pair = ["CPU:0", "CPU:1"]

    def hard() -> Any:
        tf.config.set_soft_device_placement(False)
        try:
            mirrored(["GPU:0", "GPU:1"]).run(lambda: tf.constant(1.0) + 1.0)
        finally:
            tf.config.set_soft_device_placement(True)

    return _answers(
        {
            "more than there are": lambda: mirrored([f"CPU:{i}" for i in range(9)]),
            "GPUs": lambda: mirrored(["GPU:0", "GPU:1"]).run(lambda: tf.constant(1.0) + 1.0),
            "GPUs, no soft placement": hard,
            "a TPU": lambda: mirrored(["TPU:0"]),
            "one twice": lambda: mirrored(["CPU:0", "/device:CPU:0"]),
            "no name": lambda: mirrored(["nonsense"]),
            "a name, not a list": lambda: mirrored("CPU:0"),
            "of another job": lambda: mirrored(["/job:worker/task:0/device:CPU:0"]),
            "logical ones": lambda: mirrored(tf.config.list_logical_devices("CPU")),
            "none": lambda: mirrored([]),
            "no cross device ops": lambda: mirrored(pair, cross_device_ops=3),
            "a class of cross device ops": lambda: mirrored(pair, cross_device_ops=d.NcclAllReduce),
            "negative packs": lambda: d.NcclAllReduce(num_packs=-1),
            "half a pack": lambda: d.NcclAllReduce(num_packs=1.5),
            "packs by name": lambda: d.NcclAllReduce(num_packs="a"),
            "one GPU": lambda: one("GPU:0").run(lambda: tf.constant(1.0) + 1.0),
            "one CPU too many": lambda: one("CPU:9").run(lambda: tf.constant(1.0) + 1.0),
            "one nonsense": lambda: one("nonsense"),
            "one list": lambda: one(["CPU:0"]),
            "variables on a GPU": lambda: central(["CPU:0"], "GPU:0"),
            "bytes": lambda: d.experimental.CommunicationOptions(bytes_per_pack=-1),
            "an implementation": lambda: d.experimental.CommunicationOptions(implementation="X"),
            "a number for one": lambda: d.experimental.CommunicationOptions(implementation=3),
            "no resolver": lambda: d.MultiWorkerMirroredStrategy(3),
            "no communication": lambda: d.MultiWorkerMirroredStrategy(communication_options=3),
        }
    )


def mixing(tf: Any, s: Any) -> Any:
    d = tf.distribute
    other, one = d.MirroredStrategy(["CPU:0", "CPU:1"]), d.OneDeviceStrategy("CPU:0")
    default, v = d.get_strategy(), _variable(tf, s)
    read = _variable(tf, s, synchronization=tf.VariableSynchronization.ON_READ)
    value = s.run(lambda: _number(tf))

    def in_other(call: Callable[[], Any]) -> Any:
        return lambda: _within(other, call)

    return _answers(
        {
            "scopes": in_other(lambda: s.scope().__enter__()),
            "scope of one device": in_other(lambda: one.scope().__enter__()),
            "scope of the default": in_other(lambda: _within(d.get_strategy(), lambda: 1)),
            "run": in_other(lambda: s.run(lambda: 1)),
            "run of one device": in_other(lambda: one.run(lambda: 1)),
            "run of the default": in_other(lambda: default.run(lambda: 1)),
            "run in run": lambda: s.run(lambda: s.run(lambda: 1)),
            "run of another in run": lambda: s.run(lambda: other.run(lambda: 1)),
            "reduce": in_other(lambda: s.reduce("SUM", value, None)),
            "reduce of the default": in_other(lambda: default.reduce("SUM", 1.0, None)),
            "reduce by another": lambda: other.reduce("SUM", value, None),
            "gather": in_other(lambda: s.gather(value, 0)),
            "local results": in_other(lambda: s.experimental_local_results(value)),
            "too few values": lambda: s.run(lambda x: x, args=(other.run(lambda: _number(tf)),)),
            "too many values": lambda: other.run(lambda x: x, args=(value,)),
            "read": in_other(lambda: v + 1.0),
            "written": in_other(lambda: v.assign([1.0, 1.0])),
            "written by a replica": lambda: other.run(lambda: v.assign([1.0, 1.0])),
            "read on read": in_other(lambda: read + 1.0),
            "written under the default": lambda: _within(
                d.get_strategy(), lambda: v.assign([1.0, 1.0])
            ),
            "updated": in_other(lambda: s.extended.update(v, lambda v: v.assign([1.0, 1.0]))),
            "chosen in a scope": in_other(lambda: d.experimental_set_strategy(s)),
            "chosen in a replica": lambda: s.run(lambda: d.experimental_set_strategy(other)),
        }
    )


def outside(tf: Any, s: Any) -> Any:
    d, e = tf.distribute, s.extended
    plain, v = tf.Variable([1.0, 2.0]), _variable(tf, s)
    optimizers = tf.keras.optimizers

    def step(optimizer: Any, variable: Any) -> Any:
        return lambda: s.run(
            lambda: optimizer.apply_gradients([(tf.constant([1.0, 1.0]), variable)])
        )

    def made_by_one() -> None:
        if _is(tf, 1):
            tf.Variable(1.0)

    with s.scope():
        sgd, adam, legacy = optimizers.SGD(0.1), optimizers.Adam(0.1), optimizers.legacy.Adam(0.1)
    return _answers(
        {
            "written": lambda: s.run(lambda: plain.assign([1.0, 1.0])),
            "written in a function": lambda: tf.function(
                lambda: s.run(lambda: plain.assign([1.0, 1.0]))
            )(),
            "updated": lambda: _within(s, lambda: e.update(plain, lambda v: v.assign([1.0, 1.0]))),
            "a place beside it": lambda: _within(
                s, lambda: e.colocate_vars_with(plain).__enter__()
            ),
            "reduced to it": lambda: _within(
                s, lambda: e.reduce_to("SUM", s.run(lambda: _number(tf)), plain)
            ),
            "trained": step(sgd, plain),
            "trained in a function": lambda: tf.function(step(adam, plain))(),
            "trained by an older optimizer": step(legacy, plain),
            "an optimizer": step(optimizers.Adam(0.1), v),
            "made by one replica": lambda: s.run(made_by_one),
            "made in a function": lambda: tf.function(
                lambda: s.run(lambda: tf.Variable(1.0) + 1.0)
            )(),
            "average loss": lambda: _within(s, lambda: tf.nn.compute_average_loss([1.0])),
            "scaled loss": lambda: _within(s, lambda: tf.nn.scale_regularization_loss(1.0)),
            "a collective": lambda: _within(
                s, lambda: d.get_replica_context().all_reduce("SUM", 1.0)
            ),
            "a negative batch": lambda: tf.nn.compute_average_loss([1.0], global_batch_size=-1),
            "half a batch": lambda: tf.nn.compute_average_loss([1.0], global_batch_size=2.5),
            "a loss without examples": lambda: tf.nn.compute_average_loss(1.0),
        }
    )


def writes(tf: Any, s: Any) -> Any:
    kinds, times = tf.VariableAggregation, tf.VariableSynchronization
    v, total = _variable(tf, s), _variable(tf, s, aggregation=kinds.SUM)
    mean = _variable(tf, s, aggregation=kinds.MEAN)
    read = _variable(tf, s, synchronization=times.ON_READ, aggregation=kinds.SUM)
    free = _variable(tf, s, synchronization=times.ON_READ)
    ones = tf.constant([1.0, 1.0])

    def different() -> Any:
        return v.assign([_number(tf), 1.0])

    def rows(variable: Any) -> Any:
        first = tf.reshape(_number(tf), [1])
        variable.scatter_update(tf.IndexedSlices(first, tf.constant([0])))

    def made(**options: Any) -> Any:
        return lambda: _variable(tf, s, **options)

    values = s.run(lambda: _number(tf) * ones)
    return _answers(
        {
            "replicas differ": lambda: s.run(different),
            "replicas differ in a function": lambda: tf.function(lambda: s.run(different))(),
            "rows of replicas differ": lambda: s.run(lambda: rows(v)),
            "other values for replicas": lambda: v.assign(values),
            "other values in an update": lambda: _within(
                s, lambda: s.extended.update(v, lambda v, x: v.assign(x), args=(values,))
            ),
            "a sum of a number": lambda: s.run(lambda: total.assign([1.0, 1.0])),
            "a mean of a number": lambda: s.run(lambda: mean.assign([1.0, 1.0])),
            "a mean of whole numbers": lambda: _within(
                s, lambda: tf.Variable(1, aggregation=kinds.MEAN)
            ),
            "no synchronization": made(synchronization=times.NONE),
            "a number for it": made(synchronization=3),
            "a number for an aggregation": made(aggregation=3),
            "a name for an aggregation": made(aggregation="sum"),
            "on read, trainable": made(synchronization=times.ON_READ, trainable=True),
            "added to a sum across": lambda: read.assign_add(ones),
            "added without aggregation": lambda: free.assign_add(ones),
            "read without aggregation": lambda: free.read_value(),
            "rows on read": lambda: s.run(lambda: rows(read)),
            "another shape": lambda: s.run(lambda: v.assign([1.0])),
            "another shape on read": lambda: s.run(lambda: read.assign([1.0])),
            "another shape across": lambda: v.assign([1.0]),
            "another dtype": lambda: s.run(lambda: v.assign(tf.constant([1, 1]))),
            "another dtype of a sum": lambda: s.run(lambda: total.assign(tf.constant([1, 1]))),
            "another dtype on read": lambda: s.run(lambda: read.assign(tf.constant([1, 1]))),
        }
    )


def runs(tf: Any, s: Any) -> Any:
    d = tf.distribute
    value = s.run(lambda: _number(tf))

    def fails() -> None:
        if _is(tf, 1):
            raise RuntimeError("x")

    def of_one(this: Any, that: Any) -> Any:
        return lambda: s.run(lambda: this if _is(tf, 1) else that)

    return _answers(
        {
            "a number": lambda: s.run(3),
            "nothing": lambda: s.run(None),
            "a number as arguments": lambda: s.run(lambda x: x, args=3),
            "text as arguments": lambda: s.run(lambda x: x, args="a"),
            "a tensor as arguments": lambda: s.run(lambda x: x, args=tf.constant([1.0])),
            "too few": lambda: s.run(lambda x: x),
            "too many": lambda: s.run(lambda: 1, args=(1,)),
            "no keywords": lambda: s.run(lambda x: x, kwargs=[1]),
            "unknown keywords": lambda: s.run(lambda: 1, kwargs={"a": 1}),
            "options": lambda: s.run(lambda: 1, options=3),
            "lists of other lengths": of_one([1], [1, 1]),
            "other keys": of_one({"a": 1}, {"b": 1}),
            "nothing and a tensor": of_one(None, tf.constant(1.0)),
            "an error in one": lambda: s.run(fails),
            "an error in one in a function": lambda: tf.function(lambda: s.run(fails))(),
            "a value as a tensor": lambda: tf.convert_to_tensor(value),
            "a value in a sum": lambda: value + 1.0,
            "a value as a number": lambda: float(value),
            "a value as an array": lambda: value.numpy(),
            "a value's elements": lambda: value[0],
            "a value in a function": lambda: tf.function(lambda x: x + 1.0)(value),
            "in a merge": lambda: s.run(
                lambda: d.get_replica_context().merge_call(lambda s: s.run(lambda: 1))
            ),
            "a scope": lambda: s.run(lambda: s.scope().__enter__()),
            "of one device": lambda: d.OneDeviceStrategy("CPU:0").run(lambda x: x, args=3),
        }
    )


def reductions(tf: Any, s: Any) -> Any:
    e = s.extended
    value = s.run(lambda: _number(tf))
    pair = s.run(lambda: tf.ones([2]))

    def both(this: Any, that: Any) -> Any:
        return s.run(lambda: this if _is(tf, 1) else that)

    def in_replica(method: str, *args: Any) -> Any:
        def call() -> Any:
            values = [arg() if callable(arg) else arg for arg in args]
            return getattr(tf.distribute.get_replica_context(), method)(*values)

        return lambda: s.run(call)

    slices = tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0]))
    return _answers(
        {
            "another": lambda: s.reduce("MAX", value, None),
            "no reduction": lambda: s.reduce(None, value, None),
            "a number": lambda: s.reduce(3, value, None),
            "an aggregation": lambda: s.reduce(tf.VariableAggregation.SUM, value, None),
            "no axis": lambda: s.reduce("SUM", value),
            "an axis too far": lambda: s.reduce("SUM", pair, 5),
            "the axis of a scalar": lambda: s.reduce("SUM", value, 0),
            "text as axis": lambda: s.reduce("SUM", pair, "a"),
            "a fraction as axis": lambda: s.reduce("SUM", pair, 0.5),
            "the last axis": lambda: s.reduce("MEAN", pair, -1),
            "a sum of one": lambda: s.reduce("SUM", 1.0, None),
            "a sum of a tensor": lambda: s.reduce("SUM", tf.constant(1.0), None),
            "a sum of nothing": lambda: s.reduce("SUM", None, None),
            "a mean of one": lambda: s.reduce("MEAN", 1.0, None),
            "text": lambda: s.reduce("SUM", s.run(lambda: tf.strings.as_string(_number(tf))), None),
            "truths": lambda: s.reduce("SUM", s.run(lambda: _number(tf) > 1.0), None),
            "other shapes": lambda: s.reduce("SUM", both(tf.ones([1]), tf.ones([2])), None),
            "other dtypes": lambda: s.reduce("SUM", both(tf.constant(1), tf.constant(1.0)), None),
            "in a replica": lambda: s.run(lambda: s.reduce("SUM", 1.0, None)),
            "reduce_to in a replica": lambda: s.run(lambda: e.reduce_to("SUM", 1.0, "CPU:0")),
            "reduce_to another": lambda: e.reduce_to("MAX", value, "CPU:0"),
            "no pairs": lambda: e.batch_reduce_to("SUM", [3]),
            "gathered scalars": lambda: s.gather(value, 0),
            "gathered too far": lambda: s.gather(pair, 3),
            "gathered by a replica": lambda: s.run(lambda: s.gather(tf.ones([2]), 0)),
            "gathered dtypes": lambda: s.gather(both(tf.ones([2], tf.int32), tf.ones([2])), 0),
            "gathered ranks": lambda: s.gather(both(tf.ones([2, 2]), tf.ones([2])), 0),
            "gathered slices": lambda: s.gather(s.run(lambda: slices), 0),
            "all_gather of slices": in_replica("all_gather", slices, 0),
            "all_gather too far": in_replica("all_gather", lambda: tf.ones([2]), 4),
            "all_reduce by another": in_replica("all_reduce", "MAX", lambda: tf.ones([2])),
            "all_reduce of text": in_replica("all_reduce", "SUM", "a"),
            "all_reduce of nothing": in_replica("all_reduce", "SUM", None),
            "its name": lambda: tf.distribute.ReduceOp("MAX"),
            "of no aggregation": lambda: tf.distribute.ReduceOp.from_variable_aggregation(
                tf.VariableAggregation.NONE
            ),
        }
    )


def merges(tf: Any, s: Any) -> Any:
    d = tf.distribute

    def merge(fn: Any, *args: Any) -> Any:
        return d.get_replica_context().merge_call(fn, *args)

    def total() -> Any:
        return d.get_replica_context().all_reduce("SUM", _number(tf))

    def by_one(number: int) -> Any:
        return lambda: s.run(lambda: merge(lambda s: 1) if _is(tf, number) else 1)

    def fails(strategy: Any) -> None:
        raise RuntimeError("x")

    def in_function(fn: Any) -> Any:
        return lambda: tf.function(lambda: s.run(fn))()

    within = tf.function(total)
    return _answers(
        {
            "by the first alone": by_one(0),
            "not by the first": by_one(1),
            "of a number": lambda: s.run(lambda: merge(3)),
            "a number as arguments": lambda: s.run(lambda: merge(lambda s: 1, 3)),
            "without the strategy": lambda: s.run(lambda: merge(lambda: 1)),
            "in a merge": lambda: s.run(lambda: merge(lambda s: merge(lambda s: 1))),
            "an error": lambda: s.run(lambda: merge(fails)),
            "an error in a function": in_function(lambda: merge(fails)),
            "of the default": lambda: merge(lambda s: 1),
            "of the default, without it": lambda: merge(lambda: 1),
            "in a branch": in_function(lambda: tf.cond(_number(tf) < 5.0, total, lambda: 0.0)),
            "in a loop": in_function(
                lambda: tf.while_loop(lambda x: x < 2.0, lambda x: x + total(), [0.0])
            ),
            "in a function within": in_function(lambda: within()),
        }
    )


def datasets(tf: Any, s: Any) -> Any:
    d = tf.distribute
    data = tf.data.Dataset.range(6).batch(3)
    divide, make = s.experimental_distribute_dataset, s.distribute_datasets_from_function
    divided = divide(data)
    iterator = iter(divided)
    per_replica = d.InputOptions(
        experimental_replication_mode=d.InputReplicationMode.PER_REPLICA,
        experimental_fetch_to_device=False,
    )
    return _answers(
        {
            "nothing": lambda: divide(None),
            "a list": lambda: divide([1]),
            "an iterator": lambda: divide(iter(data)),
            "distributed twice": lambda: divide(divided),
            "scalars": lambda: divide(tf.data.Dataset.range(3)),
            "a list on one device": lambda: d.OneDeviceStrategy(
                "CPU:0"
            ).experimental_distribute_dataset([1]),
            "options": lambda: divide(data, 3),
            "each replica's own": lambda: divide(data, per_replica),
            "in a replica": lambda: s.run(lambda: divide(data)),
            "nothing from a function": lambda: make(lambda context: None),
            "no function": lambda: make(3),
            "a dataset as function": lambda: make(data),
            "no context": lambda: make(lambda: data),
            "a batch that is not divided": lambda: make(
                lambda c: data.batch(c.get_per_replica_batch_size(4))
            ),
            "a replica's share": lambda: d.InputContext(1, 0, 4).get_per_replica_batch_size(7),
            "next in a replica": lambda: s.run(lambda: next(iterator)),
            "get_next in a replica": lambda: s.run(lambda: iterator.get_next()),
            "next in a replica in a function": lambda: tf.function(
                lambda: s.run(lambda: next(iterator))
            )(),
            "next of a dataset": lambda: next(divided),
            "its length": lambda: len(divided),
            "mapped": lambda: divided.map(lambda x: x),
            "values of no function": lambda: s.experimental_distribute_values_from_function(3),
            "values without context": lambda: s.experimental_distribute_values_from_function(
                lambda: 1
            ),
        }
    )


def keras(tf: Any, s: Any) -> Any:
    other = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    x = tf.ones([6, 2])
    data = tf.data.Dataset.from_tensor_slices((x, x[:, :1])).batch(6)

    def model() -> Any:
        return tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])

    def compiled(**options: Any) -> Any:
        made = model()
        made.compile(**{"optimizer": "sgd", "loss": "mse", **options})
        return made

    def made_outside(name: str, value: Any) -> Any:
        return lambda: _within(s, lambda: compiled(**{name: value}))

    def model_outside() -> None:
        made = model()
        _within(s, lambda: made.compile("sgd", "mse"))

    with s.scope():
        known = compiled()
        mean = tf.keras.losses.MeanSquaredError()
    metric = tf.keras.metrics.MeanSquaredError()
    return _answers(
        {
            "a model of outside": model_outside,
            "a metric of outside": made_outside("metrics", [metric]),
            "fit in a replica": lambda: s.run(lambda: known.fit(x, x[:, :1], verbose=0)),
            "fit in another scope": lambda: _within(
                other, lambda: known.fit(x, x[:, :1], verbose=0)
            ),
            "a dataset of other replicas": lambda: known.fit(
                other.experimental_distribute_dataset(data), steps_per_epoch=1, verbose=0
            ),
            "divided data without a strategy": lambda: compiled().fit(
                other.experimental_distribute_dataset(data), steps_per_epoch=1, verbose=0
            ),
            "a mean loss in a replica": lambda: s.run(lambda: mean([1.0], [2.0])),
        }
    )
