"""Record how the programs of `tests/mistakes.py` end on TensorFlow.

The class of the error, how many lines Python prints, and how many a notebook (IPython).
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, str(Path(__file__).parents[2]))

import numpy as np
import tensorflow as tf

from tests.mistakes import MISTAKES, ending

told = subprocess.run(
    [sys.executable, "-m", "tests.notebook", "tensorflow"],
    cwd=Path(__file__).parents[2],
    stdout=subprocess.PIPE,
    timeout=600,
    check=True,
)
below_cells = json.loads(told.stdout.splitlines()[-1])
recorded = {}
for mistake in MISTAKES:
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()):
        end = ending(mistake, {"tf": tf, "np": np}, folder)
    notebook = below_cells[mistake.name]
    recorded[mistake.name] = {"error": end.error, "lines": end.length, "notebook": notebook}

rows = ",\n".join(f"  {json.dumps(name)}: {json.dumps(row)}" for name, row in recorded.items())
Path(__file__).with_name("mistakes.json").write_text("{\n" + rows + "\n}\n", encoding="utf-8")
