"""Ask tf_keras for the answers to the tables of layers (run with TensorFlow's Python).

python tests/golden/make_keras_layers.py           # all families
python tests/golden/make_keras_layers.py core rnn  # some
"""

import json
import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import tensorflow as tf

from tests.keras.tables import families, rows
from tests.keras.tables.running import answers

HERE = Path(__file__).parent / "keras_layers"
HERE.mkdir(exist_ok=True)
for family in sys.argv[1:] or families():
    found = {row.id: answers(tf, row) for row in rows(family)}
    (HERE / f"{family}.json").write_text(json.dumps(found) + "\n")
    print(family, len(found))
