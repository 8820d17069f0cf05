"""Ask TensorFlow for the answers to `cases_devices.py` (run with TensorFlow's Python)."""

import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import json

import tensorflow as tf

from tests.golden.cases import HERE, answer, cases
from tests.golden.cases_devices import split

if __name__ == "__main__":
    split(tf)
    found = {name: answer(case, tf) for name, case in cases("devices").items() if name != "split"}
    for name, value in found.items():
        print(name, value.get("error"), value.pop("message", ""))
    (HERE / "cases_devices.json").write_text(json.dumps(found, indent=1) + "\n")
