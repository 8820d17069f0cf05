"""Records with which error each program of `v1_mistakes.py` ends; to be run with TensorFlow."""

import json
import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("TF_USE_LEGACY_KERAS", "1")
sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import tensorflow as tf

from tests.golden.v1_mistakes import mistakes, outcome

found = {mistake.name: outcome(mistake.program, tf.compat.v1)[0] for mistake in mistakes()}
Path(__file__).with_name("v1_mistakes.json").write_text(json.dumps(found, indent=1) + "\n")
