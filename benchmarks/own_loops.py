"""A training loop of one's own under a strategy, as users write it, and what its steps cost."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any


def own_loop(tf: Any, strategy: Any, model: Any, x: Any, y: Any, batch: int) -> Callable[[], None]:
    """A function that goes through the data once and trains the model with Adam."""
    losses = tf.keras.losses
    with strategy.scope():
        optimizer = tf.keras.optimizers.Adam()
        error = losses.SparseCategoricalCrossentropy(
            from_logits=True, reduction=losses.Reduction.NONE
        )
    data = tf.data.Dataset.from_tensor_slices((x, y)).batch(batch, drop_remainder=True)
    data = strategy.experimental_distribute_dataset(data)

    def replica_step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.nn.compute_average_loss(error(y, model(x)), global_batch_size=batch)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables))
        return loss

    @tf.function
    def step(parts: Any) -> Any:
        return strategy.reduce("SUM", strategy.run(replica_step, args=parts), axis=None)

    def loop() -> None:
        for parts in data:
            loss = step(parts)
        float(loss)

    return loop


def least(run: Callable[[], None], rounds: int, steps: int) -> tuple[float, float]:
    """Milliseconds of processor time and of time of a step, the least of some rounds."""
    processor, wall = [], []
    for _ in range(rounds):
        used, begun = time.process_time(), time.perf_counter()
        run()
        processor.append(time.process_time() - used)
        wall.append(time.perf_counter() - begun)
    return 1000 * min(processor) / steps, 1000 * min(wall) / steps
