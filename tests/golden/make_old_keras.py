"""Records what TensorFlow gives for weights and models in files of earlier years."""

import json
import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
sys.path.insert(0, str(Path(__file__).parents[2]))

import h5py
import tensorflow as tf

from tests.golden.old_keras_models import answers

found = answers(tf, h5py, tempfile.mkdtemp())
Path(__file__).with_name("old_keras.json").write_text(json.dumps(found, indent=1) + "\n")
