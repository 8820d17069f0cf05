"""Records what programs with reference variables give in TensorFlow 1's mode, in
`v1_references.json`. Run by `make golden`.
"""

import json
import sys
from pathlib import Path

import tensorflow as tf

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))
from tests.golden.v1_references import PROGRAMS

tf.compat.v1.disable_v2_behavior()
FOUND = {}
for name, program in PROGRAMS.items():
    with tf.Graph().as_default():
        FOUND[name] = program(tf.compat.v1)
(HERE / "v1_references.json").write_text(json.dumps(FOUND, indent=1) + "\n")
