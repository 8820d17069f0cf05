"""Ask TensorFlow for the answers to tests/samples/numpy_api.py (run with TensorFlow's Python)."""

from __future__ import annotations

import os
import pathlib
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent.parent))

import tensorflow as tf

from tests.samples import rows, store
from tests.samples.answers import fingerprint, run_call


def main() -> None:
    tf.experimental.numpy.experimental_enable_numpy_behavior()
    answers = {
        row.id: {**run_call(tf, row), "fingerprint": fingerprint(row)} for row in rows("numpy_api")
    }
    for name, answer in answers.items():
        if "error" in answer:
            print(f"{name}: {answer['error']}: {answer['message'][:120]}")
    store.save("numpy_api", answers)
    print(f"{len(answers)} answers")


if __name__ == "__main__":
    main()
