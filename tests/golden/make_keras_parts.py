"""Ask tf_keras for the answers to the tables of losses, metrics … (run with TensorFlow's Python).

python tests/golden/make_keras_parts.py                 # all areas
python tests/golden/make_keras_parts.py losses metrics  # some
"""

import json
import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import tensorflow as tf

from tests.keras.tables.parts import AREAS, answer, names, rows

HERE = Path(__file__).parent / "keras_parts"
HERE.mkdir(exist_ok=True)
for area in sys.argv[1:] or AREAS:
    found = {row.id: answer(tf, area, row) for row in rows(area)}
    recorded = {"names": names(tf, area), "answers": found}
    (HERE / f"{area}.json").write_text(json.dumps(recorded) + "\n")
    print(area, len(found), "errors:", [key for key, a in found.items() if "error" in a])
