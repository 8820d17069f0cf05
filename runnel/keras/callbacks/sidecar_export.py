"""`SidecarEvaluatorModelExport`: the best model that an evaluator beside a training has seen."""

from __future__ import annotations

import re
from typing import Any

from runnel.keras.callbacks.checkpoints import ModelCheckpoint


class SidecarEvaluatorModelExport(ModelCheckpoint):
    """Saves the model after an evaluation that is the best so far.

    `checkpoint_filepath` is the pattern of the checkpoints that are evaluated, whose number is the
    `{epoch}` in `export_filepath`.

    >>> tf.keras.callbacks.SidecarEvaluatorModelExport("best", "ckpt-{epoch}").save_best_only
    True
    """

    def __init__(self, export_filepath: Any, checkpoint_filepath: Any, **kwargs: Any) -> None:
        super().__init__(filepath=export_filepath, save_best_only=True, **kwargs)
        self._checkpoint_filepath = checkpoint_filepath
        self.export_index = 0

    def on_test_begin(self, logs: Any = None) -> None:
        path = self._most_recent(self._checkpoint_filepath)
        found = re.match(r".*ckpt-(\d+)", path) if path is not None else None
        self.export_index = int(found[1]) - 1 if found else 0

    def on_test_end(self, logs: Any) -> None:  # type: ignore[override]
        self.epochs_since_last_save += 1
        self._save_model(epoch=self.export_index, batch=None, logs=logs)
