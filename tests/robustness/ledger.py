"""A program that trains in several processes, saves as it goes, and writes down what it uses.

It is run by the launcher: `python -m runnel.distribute --workers 3 tests/robustness/ledger.py
FOLDER STEPS MOMENTS`. MOMENTS lists, as JSON, in which attempt, how many seconds after the
start of which step (or the first, if that is later), which process does what to itself. Each writes
a line for each step: the attempt, the step, and the numbers of its samples. When it catches an
error, it says so, with the time.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from typing import Any

import numpy as np

import runnel as tf

SAMPLES, BATCH, EVERY = 24, 6, 4


def _strikes(moments: Any, attempt: int, step: int, process: int) -> list[threading.Timer]:
    """What strikes this process in this attempt, soon after a step that has come now."""
    found = [
        threading.Timer(seconds, _strike, [attempt, kind])
        for when, first, who, kind, seconds in moments
        if when == attempt and who == process and first <= step
    ]
    for timer in found:
        timer.start()
    return found


def _strike(attempt: int, kind: str) -> None:
    os.write(1, f"STRUCK {attempt} {time.time()}\n".encode())
    os.kill(os.getpid(), getattr(signal, kind))


def _meet(strategy: Any) -> None:
    strategy.run(lambda: tf.distribute.get_replica_context().all_reduce("SUM", tf.ones([1])))


def main(folder: str, steps: int, moments: Any) -> None:
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    process, attempt = strategy.cluster_resolver.task_id, int(os.environ["RUNNEL_ATTEMPT"])
    tf.keras.utils.set_random_seed(1)
    numbers = np.arange(SAMPLES, dtype=np.int64)
    data = tf.data.Dataset.from_tensor_slices(numbers).shuffle(SAMPLES).repeat().batch(BATCH)
    with strategy.scope():
        v = tf.Variable(tf.random.normal([4]), name="v")
        optimizer = tf.keras.optimizers.Adam(0.05)
        generator = tf.random.Generator.from_seed(3)
        done = tf.Variable(0, dtype=tf.int64, name="done")
        optimizer.build([v])
    iterator = iter(strategy.experimental_distribute_dataset(data))
    checkpoint = tf.train.Checkpoint(
        v=v, optimizer=optimizer, iterator=iterator, generator=generator, done=done
    )
    manager = tf.train.CheckpointManager(checkpoint, os.path.join(folder, "saved"), max_to_keep=2)
    manager.restore_or_initialize()

    @tf.function
    def step(part: Any) -> None:
        noise = generator.normal([4])

        def run(part: Any) -> None:
            x = tf.cast(part, tf.float32)[:, None] * [0.1, 0.2, 0.3, 0.4] + noise
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.tanh(x @ v[:, None])) / BATCH
            optimizer.minimize(loss, [v], tape=tape)

        strategy.run(run, args=(part,))

    with open(os.path.join(folder, f"ledger-{process}"), "a") as ledger:
        strikes: list[threading.Timer] = []
        while int(done) < steps:
            now = int(done)
            strikes = strikes or _strikes(moments, attempt, now, process)
            part = next(iterator)
            ledger.write(json.dumps([attempt, now, part.numpy().tolist()]) + "\n")
            ledger.flush()  # before the others can save what this step makes
            step(part)
            done.assign_add(1)
            if int(done) % EVERY == 0:
                manager.save()
    for timer in strikes:
        timer.join()
    _meet(strategy)
    with open(os.path.join(folder, f"final-{process}"), "w") as final:
        json.dump(v.numpy().tolist(), final)


if __name__ == "__main__":
    try:
        main(sys.argv[1], int(sys.argv[2]), json.loads(sys.argv[3]))
    except tf.errors.OpError as error:
        attempt = os.environ["RUNNEL_ATTEMPT"]
        print(f"CAUGHT {attempt} {time.time()} {type(error).__name__}: {error}", flush=True)
        raise
