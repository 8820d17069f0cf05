"""Callbacks that save: `ModelCheckpoint` and `BackupAndRestore`."""

from __future__ import annotations

import glob
import logging
import os
import re
import shutil
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras.callbacks.base import Callback
from runnel.keras.callbacks.monitoring import improvement
from runnel.keras.callbacks.numbers import as_numbers
from runnel.keras.callbacks.termination import TerminationWarning
from runnel.keras.optimizers.names import create_variables
from runnel.keras.utils.messages import print_message


class ModelCheckpoint(Callback):
    """Saves the model, or its weights, from time to time.

    Args:
        filepath: the path, in which `{epoch}` and names of metrics may stand in braces.
        monitor: the name of the metric that is watched.
        verbose: 0 for silence, 1 for messages.
        save_best_only: whether only a model that is better than all before is saved.
        save_weights_only: whether weights alone are saved.
        mode: "min", "max" or "auto": which way is better; "auto" tells by the name.
        save_freq: "epoch", or after how many batches.
        options: settings of where and how files are read and written; None for the usual ones.
        initial_value_threshold: a value that has to be beaten first.

    >>> tf.keras.callbacks.ModelCheckpoint("model.keras", save_best_only=True).monitor
    'val_loss'
    """

    _supports_tf_logs = True

    def __init__(
        self,
        filepath: Any,
        monitor: str = "val_loss",
        verbose: int = 0,
        save_best_only: bool = False,
        save_weights_only: bool = False,
        mode: str = "auto",
        save_freq: Any = "epoch",
        options: Any = None,
        initial_value_threshold: float | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__()
        self.monitor, self.verbose = monitor, verbose
        self.filepath = os.fspath(filepath)
        self.save_best_only, self.save_weights_only = save_best_only, save_weights_only
        self.save_freq = save_freq
        self.period = kwargs.pop("period", 1)
        self.load_weights_on_restart = kwargs.pop("load_weights_on_restart", False)
        if kwargs:
            tf.get_logger().warning("ModelCheckpoint: unknown arguments %s", sorted(kwargs))
        _check_options(options, self.filepath, save_weights_only)
        if save_freq != "epoch" and not isinstance(save_freq, int):
            raise ValueError(
                f"Unrecognized save_freq: {save_freq}. Expected save_freq are 'epoch' or integer "
                "values"
            )
        self.epochs_since_last_save = 0
        self._batches_seen_since_last_saving = 0
        self._last_batch_seen = 0
        self._current_epoch = 0
        self._options = options
        self.monitor_op = improvement(mode, monitor, "ModelCheckpoint")
        worst = np.inf if self.monitor_op is np.less else -np.inf
        self.best = worst if initial_value_threshold is None else initial_value_threshold

    def _implements(self, *names: str) -> bool:
        return self.save_freq != "epoch"

    def on_train_begin(self, logs: Any = None) -> None:
        if self.load_weights_on_restart:
            path = self._most_recent(self.filepath)
            if path is not None:
                self.model.load_weights(path)

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        if self._should_save_on_batch(batch):
            self._save_model(epoch=self._current_epoch, batch=batch, logs=logs)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._current_epoch = epoch

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        self.epochs_since_last_save += 1
        if self.save_freq == "epoch":
            self._save_model(epoch=epoch, batch=None, logs=logs)

    def _should_save_on_batch(self, batch: int) -> bool:
        if self.save_freq == "epoch":
            return False
        new = batch + 1 if batch <= self._last_batch_seen else batch - self._last_batch_seen
        self._batches_seen_since_last_saving += new
        self._last_batch_seen = batch
        if self._batches_seen_since_last_saving >= self.save_freq:
            self._batches_seen_since_last_saving = 0
            return True
        return False

    def _save_model(self, epoch: int, batch: int | None, logs: Any) -> None:
        logs = as_numbers(logs or {})
        if not isinstance(self.save_freq, int) and self.epochs_since_last_save < self.period:
            return
        self.epochs_since_last_save = 0
        path = self._path(epoch, batch, logs)
        if self.save_best_only and not self._is_best(epoch, path, logs):
            return
        if not self.save_best_only and self.verbose > 0:
            print_message(f"\nEpoch {epoch + 1}: saving model to {path}")
        folder = os.path.dirname(path)
        if folder:
            os.makedirs(folder, exist_ok=True)
        options = {} if self._options is None else {"options": self._options}
        if self.save_weights_only:
            self.model.save_weights(path, overwrite=True, **options)
        else:
            self.model.save(path, overwrite=True, **options)

    def _is_best(self, epoch: int, path: str, logs: dict[str, Any]) -> bool:
        current = logs.get(self.monitor)
        if current is None:
            logging.getLogger("tensorflow").warning(
                "Can save best model only with %s available, skipping.", self.monitor
            )
            return False
        better = bool(self.monitor_op(current, self.best))
        if self.verbose > 0 and better:
            print_message(
                f"\nEpoch {epoch + 1}: {self.monitor} improved from {self.best:.5f} to "
                f"{current:.5f}, saving model to {path}"
            )
        elif self.verbose > 0:
            print_message(
                f"\nEpoch {epoch + 1}: {self.monitor} did not improve from {self.best:.5f}"
            )
        if better:
            self.best = current
        return better

    def _path(self, epoch: int, batch: int | None, logs: dict[str, Any]) -> str:
        try:
            extra = {} if batch is None else {"batch": batch + 1}
            return self.filepath.format(epoch=epoch + 1, **extra, **logs)
        except KeyError as error:
            raise KeyError(
                f'Failed to format this callback filepath: "{self.filepath}". Reason: {error}'
            ) from None

    @staticmethod
    def _most_recent(filepath: str) -> str | None:
        """The newest file that a path with places for numbers fits."""
        pattern = re.sub(r"\{[^}]*\}", "*", filepath)
        found = glob.glob(pattern) + glob.glob(pattern + ".index")
        if not found:
            return None
        return max(found, key=os.path.getmtime).removesuffix(".index")


def _check_options(options: Any, filepath: str, save_weights_only: bool) -> None:
    wanted: Any = tf.saved_model.SaveOptions
    name = "tf.saved_model.SaveOptions"
    if save_weights_only:
        wanted, name = tf.train.CheckpointOptions, "tf.train.CheckpointOptions"
    elif options is not None and filepath.endswith(".keras"):
        raise ValueError(
            "The native Keras format does not support the `options` argument. Please remove it, or "
            "use the SavedModel format by removing the `.keras` extension from the filepath."
        )
    if options is not None and not isinstance(options, wanted):
        raise TypeError(
            f"If save_weights_only is {save_weights_only}, then `options` must be either None or a "
            f"{name}. Got {options}."
        )


class BackupAndRestore(Callback):
    """Saves the state of training, so that an interrupted `fit` goes on where it stopped.

    >>> tf.keras.callbacks.BackupAndRestore("backup").save_freq
    'epoch'
    """

    _supports_tf_logs = True

    def __init__(
        self,
        backup_dir: Any,
        save_freq: Any = "epoch",
        delete_checkpoint: bool = True,
        save_before_preemption: bool = False,
    ) -> None:
        super().__init__()
        self.backup_dir = os.fspath(backup_dir)
        if not self.backup_dir:
            raise ValueError("Empty `backup_dir` argument passed")
        if not save_freq and not save_before_preemption:
            raise ValueError("Either `save_freq` or `save_before_preemption` must be set.")
        self.save_freq, self.delete_checkpoint = save_freq, delete_checkpoint
        self.save_before_preemption = save_before_preemption
        self._epoch: Any = None
        self._batch: Any = None  # the last one that is saved, of an epoch that is not yet over
        self._manager: Any = None
        self._warning = TerminationWarning()
        self._current_epoch = self._done = 0

    def _implements(self, *names: str) -> bool:
        return self.save_freq != "epoch" or self.save_before_preemption

    def on_train_begin(self, logs: Any = None) -> None:
        self._epoch = tf.Variable(-1, dtype=tf.int64, trainable=False, name="ckpt_saved_epoch")
        self._batch = tf.Variable(-1, dtype=tf.int64, trainable=False, name="ckpt_saved_batch")
        if self.model.built:
            create_variables(self.model.optimizer, self.model.trainable_variables)
        checkpoint = tf.train.Checkpoint(
            model=self.model, ckpt_saved_epoch=self._epoch, ckpt_saved_batch=self._batch
        )
        folder = os.path.join(self.backup_dir, "chief")
        self._manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=1)
        if self._manager.latest_checkpoint:
            checkpoint.restore(self._manager.latest_checkpoint)
        epoch, batch = int(self._epoch), int(self._batch)
        self.model._resume_at = (epoch + 1, 0) if batch < 0 else (epoch, batch + 1)
        if self.save_before_preemption:
            self._warning.listen(lambda: self.model._in_fit)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._current_epoch = epoch

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self._done += 1
        due = isinstance(self.save_freq, int) and self.save_freq and self._done >= self.save_freq
        if due or self._warning.received:
            self._done = 0
            self._save(self._current_epoch, batch)
        self._warning.obey()

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if self.save_freq == "epoch":
            self._save(epoch, -1)

    def _save(self, epoch: int, batch: int) -> None:
        self._epoch.assign(epoch)
        self._batch.assign(batch)
        self._manager.save()

    def on_train_end(self, logs: Any = None) -> None:
        self._warning.ignore()
        if self.model is None:
            raise ValueError("BackupAndRestore has no model: give it to `fit`.")
        self.model._resume_at = None
        if self.delete_checkpoint:
            shutil.rmtree(self._manager.directory, ignore_errors=True)
