"""Has TensorFlow go on from a checkpoint of all optimizers that Runnel writes.

    python tests/golden/check_optimizer_files.py write FOLDER    with Runnel at hand
    python tests/golden/check_optimizer_files.py check FOLDER    with TensorFlow at hand

The second writes how far the two end from each other to `optimizer_files/read_by_tensorflow.json`,
which `tests/keras/test_optimizers.py` reads.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import numpy as np

os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
sys.path.insert(0, str(Path(__file__).parents[2]))

from tests.golden import optimizer_files


def check(folder: Path) -> None:
    """TensorFlow's half."""
    import tensorflow as tf

    found, want = optimizer_files.read(tf, folder), np.load(folder / "after.npz")
    apart = {name: float(np.abs(found[name] - want[name]).max()) for name in found}
    text = json.dumps({"tensorflow": tf.__version__, "apart": apart}, indent=1) + "\n"
    (optimizer_files.FOLDER / "read_by_tensorflow.json").write_text(text)
    print(text)


def write(folder: Path) -> None:
    """Runnel's half."""
    import runnel as tf

    optimizer_files.write(tf, folder)


if __name__ == "__main__":
    {"write": write, "check": check}[sys.argv[1]](Path(sys.argv[2]))
