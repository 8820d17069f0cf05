"""Strategies of one replica: TensorFlow's answers for the same calls."""

from __future__ import annotations

from typing import Any

import pytest

import runnel as tf

D = tf.distribute


def facts() -> tuple[bool, bool, bool]:
    """What a thread is told: another strategy than the default, across replicas, a replica."""
    return D.has_strategy(), D.in_cross_replica_context(), D.get_replica_context() is not None


def test_where_one_is() -> None:
    default, one = D.get_strategy(), D.OneDeviceStrategy("/cpu:0")
    assert facts() == (False, False, True)
    assert default.run(facts) == (False, False, True)
    with default.scope():
        assert facts() == (False, False, True)
    with one.scope(), one.scope():
        assert facts() == (True, True, False) and D.get_strategy() is one
    assert one.run(lambda: (*facts(), D.get_strategy() is one)) == (True, False, True, True)
    merged = one.run(lambda: D.get_replica_context().merge_call(lambda s, x: (s, x, facts()), (3,)))
    assert merged == (one, 3, (True, True, False))
    D.experimental_set_strategy(one)
    try:
        assert facts() == (True, True, False)
    finally:
        D.experimental_set_strategy(None)
    assert facts() == (False, False, True)


@pytest.mark.parametrize("strategy", [D.get_strategy(), D.OneDeviceStrategy("CPU:0")])
def test_values_of_one_replica(strategy: Any) -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
    assert strategy.num_replicas_in_sync == 1
    assert strategy.run(lambda a, b=0: a + b, args=(2,), kwargs={"b": 5}) == 7
    assert strategy.reduce("SUM", x, axis=None) is x
    assert strategy.reduce(D.ReduceOp.SUM, x, axis=0).numpy().tolist() == [4.0, 7.0]
    assert strategy.reduce("mean", x, axis=1).numpy().tolist() == [1.5, 4.0]
    assert strategy.experimental_local_results((1, 2)) == ((1, 2),)
    assert strategy.gather(x, axis=0).shape == [2, 2]
    ids = strategy.experimental_distribute_values_from_function(
        lambda c: (c.replica_id_in_sync_group, c.num_replicas_in_sync)
    )
    assert ids == (0, 1)

    def replica() -> Any:
        me = D.get_replica_context()
        summed = me.all_reduce("SUM", {"a": 1.0, "b": [x]})
        return me.replica_id_in_sync_group, summed["a"], me.all_gather(x, axis=0)

    number, one, gathered = strategy.run(replica)
    assert (number.dtype, int(number), float(one)) == (tf.int32, 0, 1.0)
    assert gathered.shape == [2, 2]


def test_functions_are_traced_and_converted() -> None:
    strategy = D.OneDeviceStrategy("CPU:0")
    with strategy.scope():
        v = tf.Variable(1.0)

    @tf.function
    def step(x: tf.Tensor) -> tf.Tensor:
        def replica(x: tf.Tensor) -> tf.Tensor:
            if tf.reduce_sum(x) > 2.0:  # a branch of the graph
                v.assign_add(1.0)
            return v * x

        return strategy.reduce("SUM", strategy.run(replica, args=(x,)), axis=0)

    assert [float(step(tf.constant(x))) for x in ([1.0, 1.0], [2.0, 3.0])] == [2.0, 10.0]
    assert strategy.extended.variable_created_in_scope(v)
    assert not D.get_strategy().extended.variable_created_in_scope(v)
    assert D.get_strategy().extended.variable_created_in_scope(tf.Variable(1.0))
    assert strategy.extended.worker_devices == ("/job:localhost/replica:0/task:0/device:CPU:0",)
    strategy.extended.update(v, lambda v, x: v.assign(x), args=(5.0,))
    assert float(strategy.extended.read_var(v)) == 5.0


def test_datasets_are_whole() -> None:
    for strategy in (D.get_strategy(), D.OneDeviceStrategy("CPU:0")):
        whole = strategy.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(2))
        made = strategy.distribute_datasets_from_function(
            lambda c: tf.data.Dataset.range(4).batch(c.get_per_replica_batch_size(2))
        )
        for dataset in (whole, made):
            assert [x.numpy().tolist() for x in dataset] == [[0, 1], [2, 3]]
    assert str(D.InputContext(2, 1, 4)) == (
        "tf.distribute.InputContext(input pipeline id 1, total: 2)"
    )


def test_keras_trains_under_a_strategy() -> None:
    tf.keras.utils.set_random_seed(1)
    with D.OneDeviceStrategy("CPU:0").scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(2,))])
        model.compile("sgd", "mse")
    x = tf.ones([8, 2])
    losses = model.fit(x, x[:, :1], epochs=3, verbose=0).history["loss"]
    assert losses[0] > losses[1] > losses[2]


one, other = D.OneDeviceStrategy("CPU:0"), D.OneDeviceStrategy("CPU:0")


def mixed() -> None:
    with one.scope(), other.scope():
        pass


def _across(function: Any) -> None:
    with one.scope():
        function([1.0])


WRONG = [
    (mixed, RuntimeError, "cannot be mixed"),
    (lambda: one.run(lambda: one.run(int)), RuntimeError, "Strategy.run is called across"),
    (lambda: one.run(lambda: one.reduce("SUM", 1.0, None)), RuntimeError, "Strategy.reduce"),
    (lambda: one.run(lambda: one.scope().__enter__()), RuntimeError, "Strategy.scope"),
    (lambda: one.run(3), TypeError, "`fn` must be callable"),
    (lambda: _across(tf.nn.compute_average_loss), RuntimeError, "called across replicas"),
    (lambda: _across(tf.nn.scale_regularization_loss), RuntimeError, "called across replicas"),
    (lambda: one.run(int, args=3), ValueError, "`args` must be"),
    (
        lambda: one.run(int, options=D.RunOptions(experimental_xla_options=1)),
        NotImplementedError,
        "experimental_xla_options=1",
    ),
    (lambda: one.reduce("MAX", 1.0, None), ValueError, "MAX"),
    (lambda: D.OneDeviceStrategy("nonsense"), ValueError, "nonsense"),
    (lambda: D.OneDeviceStrategy(3), TypeError, "`device` must be a name, got 3"),
    (lambda: D.get_strategy().extended.colocate_vars_with(2), TypeError, "must be a variable"),
    (lambda: D.InputContext(1, 0, 4).get_per_replica_batch_size(7), ValueError, "batch of 7"),
    (lambda: D.get_strategy().extended.worker_devices, RuntimeError, "worker_devices"),
    (lambda: D.MultiWorkerMirroredStrategy(3), ValueError, "`cluster_resolver` must be a"),
    (lambda: D.MultiWorkerMirroredStrategy(None, 3), ValueError, "`communication_options` must"),
    (lambda: D.MirroredStrategy("CPU:0"), ValueError, "a list of names, got 'CPU:0'"),
    (lambda: D.MirroredStrategy(cross_device_ops=3), ValueError, "`cross_device_ops` must be"),
    (D.TPUStrategy, ValueError, "this host has no TPU"),
    (
        lambda: one.experimental_distribute_dataset(
            tf.data.Dataset.range(1),
            D.InputOptions(experimental_replication_mode=D.InputReplicationMode.PER_REPLICA),
        ),
        NotImplementedError,
        "experimental_replication_mode",
    ),
]


@pytest.mark.parametrize(("call", "error", "words"), WRONG)
def test_what_is_wrong_is_told(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()
    assert facts() == (False, False, True)


def test_replicas_on_devices_that_are_not_there_run_on_the_cpu(
    caplog: pytest.LogCaptureFixture,
) -> None:
    strategy = D.MirroredStrategy(["GPU:0", "CPU:9"])
    assert "there is no /device:GPU:0, /device:CPU:9, only" in caplog.text
    with strategy.scope():
        v = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)
    step = tf.function(lambda: strategy.run(lambda: v.assign_add(tf.constant(2.0))))
    step()
    assert float(v) == 5.0
    why = "not all devices are there, or JAX was started before the CPU was split"
    kept = f"  variable {v.name[:-2]!r}: mirrored, 4 bytes on each device"
    told = [f"trace 1: stepped, since {why}", "  replicas: 2 on GPU:0, CPU:9", kept]
    assert D.explain(step).splitlines() == told


@pytest.mark.parametrize("make", [D.MirroredStrategy, lambda: D.OneDeviceStrategy("/cpu:0")])
def test_keras_trains_on_one_replica(make: Any) -> None:
    strategy, data = make(), tf.data.Dataset.from_tensors(([1.0], [1.0])).repeat(6).batch(4)
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=[1])])
        model.compile(loss="mse", optimizer="sgd", metrics=["mae"])
    first = model.evaluate(data, verbose=0)
    model.fit(data, epochs=2, verbose=0)
    assert model.evaluate(data, verbose=0)[0] < first[0]
    assert model.predict(data, verbose=0).shape == (6, 1)
    assert model.predict(strategy.experimental_distribute_dataset(data), verbose=0).shape == (6, 1)
