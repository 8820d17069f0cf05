"""Ask TensorFlow how it names operations (run with TensorFlow's Python)."""

import json
import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import tensorflow as tf

from tests.golden.op_names import answers

target = Path(__file__).with_name("op_names.json")
lines = [f"{json.dumps(call)}: {json.dumps(found)}" for call, found in answers(tf).items()]
target.write_text("{\n" + ",\n".join(lines) + "\n}\n")
