"""Records what calls of `tf.compat.v1` return, or their error; to be run with TensorFlow."""

import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
sys.path.insert(0, str(Path(__file__).parent.parent.parent))

import tensorflow as tf

from tests.golden.cases import answer
from tests.golden.v1_calls import CALLS, text, values


def in_graph(call):
    with tf.Graph().as_default():
        return values(tf.compat.v1, call)


found = {call: answer(lambda _, c=call: in_graph(c), tf) for call in CALLS.strip().split("\n")}
for entry in found.values():
    entry.pop("warnings")
    if "message" in entry:
        entry["message"] = entry["message"].partition("\n")[0]  # behind it are paths
Path(__file__).with_name("v1_calls.json").write_text(text(found))
