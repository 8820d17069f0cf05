"""A program of two processes, one of which is told to end: see `test_launcher.py`.

The launcher starts it with a folder. The second attempt goes on, and trains once more undisturbed.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

import runnel as tf

STEPS, TOLD_AT = 10, 4


class Training:
    """What is trained, with all that a checkpoint must hold of it."""

    def __init__(self, strategy: Any) -> None:
        self.strategy = strategy
        with strategy.scope():
            self.v, self.optimizer = tf.Variable(tf.zeros([3])), tf.keras.optimizers.Adam(0.1)
            self.generator = tf.random.Generator.from_seed(1)
            self.optimizer.build([self.v])
        numbers = tf.data.Dataset.range(24).shuffle(24, seed=3).repeat().batch(4)
        self.iterator = iter(strategy.experimental_distribute_dataset(numbers))
        self.step = tf.function(self._step)

    def next(self) -> None:
        self.step(next(self.iterator))

    def _step(self, x: Any) -> None:
        noise = self.generator.normal([3])

        def replica(x: Any) -> None:
            with tf.GradientTape() as tape:
                scale = tf.reduce_sum(tf.cast(x, tf.float32))
                loss = tf.reduce_sum(tf.tanh(self.v * noise)) * scale
            self.optimizer.minimize(loss, [self.v], tape=tape)

        self.strategy.run(replica, args=(x,))


def main(folder: str) -> None:
    strategy = tf.distribute.MultiWorkerMirroredStrategy()
    me, first = strategy.cluster_resolver.task_id, os.environ["RUNNEL_ATTEMPT"] == "0"
    training = Training(strategy)
    parts = {k: getattr(training, k) for k in ("v", "optimizer", "generator", "iterator")}
    handler = tf.distribute.experimental.PreemptionCheckpointHandler(
        strategy.cluster_resolver, tf.train.Checkpoint(**parts), folder
    )
    print("from step", handler.total_run_calls, flush=True)
    with handler.watch_preemption_scope():
        while handler.total_run_calls < STEPS:
            if first and me == 1 and handler.total_run_calls == TOLD_AT:
                os.kill(os.getpid(), signal.SIGTERM)
            handler.run(training.next)
    undisturbed = Training(strategy)
    for _ in range(STEPS):
        undisturbed.next()
    print("the same" if (training.v.numpy() == undisturbed.v.numpy()).all() else "other")


if __name__ == "__main__":
    main(sys.argv[1])
