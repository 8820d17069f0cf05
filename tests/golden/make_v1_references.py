"""Records what programs give in TensorFlow 1's mode: with reference variables in
`v1_references.json`, with its rarer parts in `v1_rarer.json`. Run by `make golden`.
"""

import json
import sys
from pathlib import Path

import tensorflow as tf

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parents[1]))
from tests.golden import v1_rarer, v1_references

tf.compat.v1.disable_v2_behavior()
for table in (v1_references, v1_rarer):
    found = {}
    for name, program in table.PROGRAMS.items():
        with tf.Graph().as_default():
            found[name] = program(tf.compat.v1)
    path = HERE / f"{table.__name__.rpartition('.')[2]}.json"
    path.write_text(json.dumps(found, indent=1) + "\n")
