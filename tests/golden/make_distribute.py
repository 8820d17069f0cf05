"""Ask TensorFlow for the answers to `distribute_cases.py` and its kin (with its Python)."""

import json
import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import tensorflow as tf

from tests.golden import distribute_cases
from tests.golden.cases import answer
from tests.golden.distribute_cases import programs

if __name__ == "__main__":
    strategy = distribute_cases.split(tf)
    found = {}
    for name, case in programs().items():
        if len(sys.argv) < 2 or name in sys.argv[1:]:
            found[name] = answer(lambda tf, case=case: case(tf, strategy), tf)
            print(name, found[name].get("error"), found[name].pop("message", ""), flush=True)
    path = Path(__file__).with_name("distribute.json")
    old = json.loads(path.read_text()) if path.exists() and len(sys.argv) > 1 else {}
    path.write_text(json.dumps({**old, **found}, indent=1) + "\n")
