"""`tf.keras.callbacks.CSVLogger`."""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable
from typing import Any

import numpy as np

from runnel.keras.callbacks.base import Callback


class CSVLogger(Callback):
    """Writes the metrics of each epoch to a table.

    >>> tf.keras.callbacks.CSVLogger("training.csv").sep
    ','
    """

    def __init__(self, filename: Any, separator: str = ",", append: bool = False) -> None:
        super().__init__()
        self.sep, self.filename, self.append = separator, os.fspath(filename), append
        self.writer: Any = None
        self.keys: Any = None
        self.append_header = True
        self.csv_file: Any = None

    def on_train_begin(self, logs: Any = None) -> None:
        if self.append and os.path.exists(self.filename):
            with open(self.filename, newline="") as file:
                self.append_header = not bool(len(file.readline()))
        self.csv_file = open(self.filename, "a" if self.append else "w", newline="")  # noqa: SIM115

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        logs = logs or {}
        if self.keys is None:
            self.keys = sorted(logs)
            if not any(
                key.startswith("val_") for key in self.keys
            ):  # they may come in later epochs
                self.keys += [f"val_{key}" for key in self.keys]
        if self.writer is None:
            self.writer = csv.DictWriter(
                self.csv_file,
                fieldnames=["epoch", *self.keys],
                delimiter=self.sep,
                lineterminator="\n",
            )
            if self.append_header:
                self.writer.writeheader()
        row = {"epoch": epoch} | {key: _cell(logs.get(key, "NA")) for key in self.keys}
        self.writer.writerow(row)
        self.csv_file.flush()

    def on_train_end(self, logs: Any = None) -> None:
        self.csv_file.close()
        self.writer = None


def _cell(value: Any) -> Any:
    if isinstance(value, str) or np.ndim(value) == 0:
        return value
    if isinstance(value, Iterable):
        return f'"[{", ".join(map(str, value))}]"'
    return value
