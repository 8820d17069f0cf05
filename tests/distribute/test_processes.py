"""Strategies over several processes."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

import runnel as tf
from tests.distribute.processes import agreed, together

_LOOP = """
import numpy as np
import runnel as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
assert strategy.num_replicas_in_sync == 2
x = np.random.RandomState(0).rand(21, 4).astype("float32")
y = x.sum(axis=1, keepdims=True)
tf.keras.utils.set_random_seed(me + 1)  # so that they begin with different weights
with strategy.scope():
    layers = [tf.keras.layers.Dense(3, input_shape=(4,)), tf.keras.layers.Dense(1)]
    model = tf.keras.Sequential(layers)
    optimizer = tf.keras.optimizers.Adam(0.1)
    error = tf.keras.losses.MeanSquaredError(reduction=tf.keras.losses.Reduction.NONE)
tell([w.numpy().tolist() for w in model.weights])
data = tf.data.Dataset.from_tensor_slices((x, y)).batch(8)

def replica_step(x, y):
    with tf.GradientTape() as tape:
        loss = tf.nn.compute_average_loss(error(y, model(x)), global_batch_size=8)
    gradients = tape.gradient(loss, model.trainable_variables)
    optimizer.apply_gradients(zip(gradients, model.trainable_variables))
    return loss

@tf.function
def step(parts):
    return strategy.reduce("SUM", strategy.run(replica_step, args=parts), axis=None)

for _ in range(2):
    tell([float(step(parts)) for parts in strategy.experimental_distribute_dataset(data)])
with strategy.scope():
    model.compile(tf.keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
tell(model.fit(x, y, batch_size=8, epochs=2, verbose=0, shuffle=False).history)
tell(model.evaluate(x, y, batch_size=8, verbose=0))
tell(model.predict(x, batch_size=8, verbose=0).tolist())
model.fit(data.unbatch().shuffle(21).batch(8), verbose=0)
model.fit(x, y, batch_size=8, verbose=0)
tell([w.numpy().tolist() for w in model.weights])
tell(tf.distribute.explain(step).split("trace 2")[0].splitlines())
"""


def test_a_loop_and_fit_of_two_processes_are_those_of_one() -> None:
    weights, *epochs, history, scores, predicted, after, told = agreed(together(_LOOP))
    x = np.random.RandomState(0).rand(21, 4).astype("float32")
    y = x.sum(axis=1, keepdims=True)
    model = tf.keras.Sequential(
        [tf.keras.layers.Dense(3, input_shape=(4,)), tf.keras.layers.Dense(1)]
    )
    model.set_weights([np.array(w, "float32") for w in weights])
    optimizer = tf.keras.optimizers.Adam(0.1)
    for losses in epochs:
        for i, loss in enumerate(losses):
            rows = slice(8 * i, 8 * i + 8)
            with tf.GradientTape() as tape:
                found = tf.reduce_sum((model(x[rows]) - y[rows]) ** 2) / 8
            optimizer.minimize(found, model.trainable_variables, tape=tape)
            np.testing.assert_allclose(loss, found, rtol=1e-4)
    model.compile(tf.keras.optimizers.SGD(0.1), "mse", metrics=["mae"])
    alone = model.fit(x, y, batch_size=8, epochs=2, verbose=0, shuffle=False).history
    for key, values in alone.items():
        np.testing.assert_allclose(history[key], values, rtol=0.05)  # parts of 3 and 2 rows differ
    assert np.shape(predicted) == (21, 1)
    assert (
        np.isfinite(scores).all()
        and np.isfinite(np.concatenate([np.ravel(w) for w in after])).all()
    )
    assert told[:2] == [
        "trace 1: stepped, since the replicas are in several processes",
        "  replicas: 1 on CPU:0, in each of 2 processes",
    ]
    assert "  variable 'dense/kernel': mirrored, 48 bytes on each device" in told
    sizes = [re.search(r"all-reduce .* (\d+) bytes", line) for line in told]
    assert sorted(int(found[1]) for found in sizes if found) == [4, 4, 12, 12, 48]
    assert told[-1] == "  sent by each process in a step: 80 bytes"


_OPTIONS = """
import os, sys
import runnel as tf
from runnel.distribute.cluster.ops import joined

options = tf.distribute.experimental.CommunicationOptions
strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=options(8))
x = [tf.constant([1.0 + me, 2.0]), tf.constant([3.0, 4.0]), tf.constant([5.0, 6.0, 7.0])]

def total(chosen):
    context = tf.distribute.get_replica_context()
    return context.all_reduce("SUM", x, chosen)

for chosen in (None, options(16), options(17), options(1 << 20)):
    before = joined.exchange._number
    found = strategy.run(total, args=(chosen,))
    tell([joined.exchange._number - before, [v.numpy().tolist() for v in found]])
gather = lambda chosen: tf.distribute.get_replica_context().all_gather(x[0], 0, chosen)
class Held(tf.Module):
    def __init__(self):
        kinds = tf.VariableAggregation.MEAN, tf.VariableSynchronization.ON_READ
        with strategy.scope():
            self.v = tf.Variable([0.0, 0.0], aggregation=kinds[0], synchronization=kinds[1])

    @tf.function(input_signature=[])
    def doubled(self):
        return self.v * 2.0

held = Held()
strategy.run(lambda: held.v.assign([1.0 + me, 2.0]))
tf.saved_model.save(held, sys.argv[1])
tell([m.doubled().numpy().tolist() for m in (held, tf.saved_model.load(sys.argv[1]))])
if me == 0:
    try:
        strategy.run(gather, args=(options(timeout_seconds=0.01),))
    except tf.errors.DeadlineExceededError as error:
        assert "took more than 0.01 seconds" in str(error)
        tell("late")
joined.exchange.roll.agree("late", 1)
if me == 1:
    tell("late")
os._exit(0)
"""


def test_exchanges_are_packed_and_given_up_as_options_ask(tmp_path: Path) -> None:
    *packed, saved, last = agreed(together(_OPTIONS, 2, str(tmp_path / "held")))
    sums = [[3.0, 4.0], [6.0, 8.0], [10.0, 12.0, 14.0]]
    assert packed == [[3, sums], [2, sums], [2, sums], [1, sums]]
    assert saved == [[3.0, 4.0], [3.0, 4.0]]  # a variable with a value in each process, in a file
    assert last == "late"


_FILES = """
import os, sys
import runnel as tf

strategy = tf.distribute.MultiWorkerMirroredStrategy()
names = [os.path.join(sys.argv[1], name) for name in sorted(os.listdir(sys.argv[1]))]
for policy in ("AUTO", "FILE", "DATA", "OFF"):
    data = tf.data.TextLineDataset(names).map(tf.strings.to_number).batch(4)
    options = tf.data.Options()
    chosen = tf.data.experimental.AutoShardPolicy[policy]
    options.experimental_distribute.auto_shard_policy = chosen
    parts = strategy.experimental_distribute_dataset(data.with_options(options))
    tell([[int(x) for x in part] for part in parts])
"""


def test_processes_get_files_rows_or_everything_and_end_together(tmp_path: Path) -> None:
    for name, first, count in (("a", 0, 5), ("b", 100, 4), ("c", 200, 7)):
        lines = [f"{number}\n" for number in range(first, first + count)]
        (tmp_path / name).write_text("".join(lines))
    ones, twos = together(_FILES, 2, str(tmp_path))
    by_file = [[0, 1], [2, 3], [4, 200], [201, 202], [203, 204], [205, 206]]
    assert ones[:2] == [by_file, by_file]
    assert twos[:2] == [[[100, 101], [102, 103], [], [], [], []]] * 2
    assert ones[2] == [[0, 1], [4, 100], [103, 200], [203, 204]]
    assert twos[2] == [[2, 3], [101, 102], [201, 202], [205, 206]]
    assert ones[3] == twos[3]
    assert sum(map(len, ones[3])) == 16
