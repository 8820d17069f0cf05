"""Records what programs of TensorFlow 1 compute; to be run with TensorFlow."""

import json
from pathlib import Path

import tensorflow as tf
from v1_programs import PROGRAMS

found = {}
for name, program in PROGRAMS.items():
    with tf.Graph().as_default():
        found[name] = [float(value) for value in program(tf.compat.v1)]
Path(__file__).with_name("v1.json").write_text(json.dumps(found, indent=1) + "\n")
