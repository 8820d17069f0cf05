"""Rows of `tf.keras.activations`."""

import numpy as np

from tests.keras.tables.parts import function

X = np.linspace(-3, 3, 12, dtype=np.float32).reshape(3, 4)
NAMES = """elu exponential gelu hard_sigmoid linear mish relu selu sigmoid softmax softplus softsign
swish tanh""".split()

ROWS = [
    *[function(name, X) for name in NAMES],
    *[function(name, X.astype(np.float64)) for name in NAMES],
    *[function(name, X.astype(np.float16)) for name in NAMES],
    *[function(name, np.array([1, -2, 3])) for name in NAMES if name != "softmax"],
    function("relu", X, alpha=0.1, max_value=2.0, threshold=0.5),
    function("relu", X, max_value=6),
    function("relu", X, alpha=0.3),
    function("relu", X, max_value=1.0, threshold=-1.0),
    function("elu", X, alpha=2.0),
    function("gelu", X, approximate=True),
    function("softmax", X, axis=0),
    function("softmax", X, axis=[0, 1]),
    function("softmax", X.reshape(3, 2, 2), axis=1),
    function("softmax", X[0]),
    function("softmax", X.astype(np.int32)),
    function("relu", np.array(["a"])),
]
