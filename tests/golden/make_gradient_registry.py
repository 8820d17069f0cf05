"""Records which ops TensorFlow has a gradient for, in `gradient_registry.json`.

An op has a gradient function, or none by nature; one in neither list is not registered. Run by
`make golden`.
"""

import json
from pathlib import Path

import tensorflow as tf
from tensorflow.python.framework.ops import _gradient_registry

names = [name for name in dir(tf.raw_ops) if name in _gradient_registry.list()]
found = {name: _gradient_registry.lookup(name) for name in names}
answers = {
    "function": [name for name in names if found[name] is not None],
    "none": [name for name in names if found[name] is None],
}
text = json.dumps(answers, indent=1) + "\n"
Path(__file__).with_name("gradient_registry.json").write_text(text)
