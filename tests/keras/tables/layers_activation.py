"""Activations as layers."""

import numpy as np

from tests.keras.tables import floats, layer

X = floats(3, 4)
MASK = np.array([[True, True, False], [True, False, False]])

ROWS = [
    layer("ReLU", X),
    layer("ReLU", X, max_value=0.5, negative_slope=0.1, threshold=0.2),
    layer("LeakyReLU", X),
    layer("LeakyReLU", X, alpha=0.5),
    layer("PReLU", X),
    layer("PReLU", floats(2, 3, 3, 2), shared_axes=[1, 2]),
    layer("ELU", X, alpha=0.7),
    layer("ThresholdedReLU", X, theta=0.3),
    layer("Softmax", X),
    layer("Softmax", floats(2, 3), {"mask": MASK}),
    layer("Softmax", floats(2, 3), {"mask": MASK}, robust_masking=True),
    layer("Softmax", floats(2, 3, 2), axis=[1, 2]),
    layer("Identity", X),
]
