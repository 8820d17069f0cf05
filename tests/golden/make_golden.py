"""Ask TensorFlow for the answers to the tables in tests/samples (run with TensorFlow's Python).

python tests/golden/make_golden.py                    # all tables
python tests/golden/make_golden.py ops_math calls_nn  # some
"""

from __future__ import annotations

import os
import pathlib
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
sys.path.insert(0, str(pathlib.Path(__file__).parent.parent.parent))

import tensorflow as tf

from tests.samples import Sample, families, rows, store
from tests.samples.answers import fingerprint, run_call, run_sample


def main() -> None:
    for family in sys.argv[1:] or [*families("ops_"), *families("calls_")]:
        answers = {}
        for row in rows(family):
            if isinstance(row, Sample) and not row.judged:
                continue
            answer = run_sample(tf, row) if isinstance(row, Sample) else run_call(tf, row)
            answers[row.id] = {**answer, "fingerprint": fingerprint(row)}
            if "error" in answer:
                print(f"{family} {row.id}: {answer['error']}: {answer['message'][:120]}")
        store.save(family, answers)
        print(f"{family}: {len(answers)} answers")


if __name__ == "__main__":
    main()
