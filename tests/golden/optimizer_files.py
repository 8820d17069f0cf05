"""A checkpoint of all optimizers in the middle of their steps, written and read by both systems."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from tests.golden.optimizer_rows import FIRST, ROWS, made, steps, variables

FOLDER = Path(__file__).parent / "optimizer_files"
SCALED = {"scaled_adam": "Adam", "scaled_legacy_adam": "legacy.Adam"}


def training(tf: Any) -> dict[str, Any]:
    """Optimizers, also such with a scaled loss, and the variables of each."""
    found: dict[str, Any] = {}
    for name in FIRST.values():
        path, arguments = ROWS[name]
        found[name] = {"optimizer": made(tf, path, **arguments), "held": variables(tf)}
    for name, path in SCALED.items():
        optimizer = tf.keras.mixed_precision.LossScaleOptimizer(
            made(tf, path, learning_rate=0.1), initial_scale=4.0, dynamic_growth_steps=2
        )
        found[name] = {"optimizer": optimizer, "held": variables(tf)}
    return found


def write(tf: Any, folder: Path) -> None:
    """Save all after three steps, and what the variables are after five."""
    folder.mkdir(exist_ok=True)
    found = training(tf)
    go_on(tf, found, 0, 3)
    tf.train.Checkpoint(**found).write(str(folder / "checkpoint"))
    go_on(tf, found, 3, 5)
    np.savez(folder / "after.npz", **values(found))


def read(tf: Any, folder: Path) -> dict[str, np.ndarray]:
    """The variables after the last two steps from a checkpoint, all of which was used."""
    found = training(tf)
    status = tf.train.Checkpoint(**found).read(str(folder / "checkpoint"))
    go_on(tf, found, 3, 5)
    status.assert_consumed()
    return values(found)


def go_on(tf: Any, found: dict[str, Any], first: int, last: int) -> None:
    for each in found.values():
        steps(tf, each["optimizer"], each["held"], first, last)


def values(found: dict[str, Any]) -> dict[str, np.ndarray]:
    """All variables of each optimizer's model in one row."""
    return {
        name: np.concatenate([v.numpy().ravel() for v in each["held"]])
        for name, each in found.items()
    }
