"""Records how training of TensorFlow 1 goes; to be run with TensorFlow."""

import json
import os
import tempfile
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import tensorflow as tf
from v1_training import PROGRAMS

found = {}
for name, program in PROGRAMS.items():
    with tf.Graph().as_default():
        found[name] = program(tf.compat.v1, tempfile.mkdtemp())
Path(__file__).with_name("v1_training.json").write_text(json.dumps(found, indent=1) + "\n")
