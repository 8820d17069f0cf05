"""Records what programs of TensorFlow 1 compute; to be run with TensorFlow."""

import json
import os
from pathlib import Path

os.environ["TF_USE_LEGACY_KERAS"] = "1"
os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf
from v1_programs import PROGRAMS

found = {}
for name, program in PROGRAMS.items():
    with tf.Graph().as_default():
        found[name] = [float(value) for value in program(tf.compat.v1)]
Path(__file__).with_name("v1.json").write_text(json.dumps(found, indent=1) + "\n")
