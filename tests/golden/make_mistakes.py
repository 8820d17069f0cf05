"""Record how the programs of `tests/mistakes.py` end on TensorFlow: the error, how many lines."""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
import tensorflow as tf

from tests.mistakes import MISTAKES, ending

recorded = {}
for mistake in MISTAKES:
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()):
        try:
            end = ending(mistake, {"tf": tf, "np": np}, folder)
        except AssertionError:  # TensorFlow does not mind
            recorded[mistake.name] = {"error": None, "lines": 0}
            continue
        recorded[mistake.name] = {"error": end.error, "lines": end.length}

rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in recorded.items())
Path(__file__).with_name("mistakes.json").write_text("{\n" + rows + "\n}\n", encoding="utf-8")
