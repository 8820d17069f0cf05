"""Evaluating a model's checkpoints beside the training that writes them."""

from __future__ import annotations

import logging
from typing import Any

import runnel as tf

_TIMEOUT = 30  # seconds between remarks that there is no checkpoint


class SidecarEvaluator:
    """Loads each new checkpoint in a folder into a model and evaluates it.

    The checkpoints are those of `tf.train.Checkpoint(model=..., optimizer=...)` or of
    `ModelCheckpoint(save_weights_only=True)`.
    """

    def __init__(
        self,
        model: Any,
        data: Any,
        checkpoint_dir: str,
        steps: int | None = None,
        max_evaluations: int | None = None,
        callbacks: list[Any] | None = None,
    ) -> None:
        self.model = model
        self.data = data
        self.checkpoint_dir = checkpoint_dir
        self.steps = steps
        self.max_evaluations = max_evaluations
        self.callbacks = callbacks or []

    def start(self) -> None:
        """Evaluate checkpoints as they come, up to number `max_evaluations`, else for ever."""
        log = logging.getLogger("absl")
        iterator = tf.train.checkpoints_iterator(
            self.checkpoint_dir, timeout=_TIMEOUT, timeout_fn=self._nothing_yet
        )
        for path in iterator:
            try:
                self._load(path)
            except tf.errors.UnavailableError:
                raise
            except tf.errors.OpError as error:
                log.info(f"The checkpoint {path} could not be loaded, it is tried again: {error}")
                continue
            log.info(f"Evaluation of {path} starts.")
            self.model.evaluate(self.data, steps=self.steps, callbacks=self.callbacks, verbose=2)
            if self.max_evaluations and self.max_evaluations <= int(path.split("-")[-1]):
                return

    def _load(self, path: str) -> None:
        names = tf.train.load_checkpoint(path).get_variable_to_shape_map()
        if any(name.split("/")[0] == "model" for name in names):
            parts = {"model": self.model, "optimizer": self.model.optimizer}
            checkpoint = tf.train.Checkpoint(**{k: v for k, v in parts.items() if v is not None})
            checkpoint.restore(path).expect_partial()
        else:
            self.model.load_weights(path)

    def _nothing_yet(self) -> bool:
        logging.getLogger("absl").info(
            f"There is no checkpoint in {self.checkpoint_dir} yet. Save them with "
            "`tf.train.CheckpointManager` or `ModelCheckpoint(save_weights_only=True)`."
        )
        return False
