"""Parts of `tf.train` that may change: `tf.train.experimental`."""

from runnel.train.python_state import PythonState as PythonState
