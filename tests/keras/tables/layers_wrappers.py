"""Layers around other layers."""

import numpy as np

from tests.keras.tables import floats, inner, layer

X = floats(2, 4, 3)
MASK = np.array([[True, True, False, True], [True, False, False, False]])

ROWS = [
    layer("TimeDistributed", X, layer=inner("Dense", 2)),
    layer(
        "TimeDistributed",
        floats(2, 3, 5, 5, 2),
        layer=inner("Conv2D", 2, 3),
        _beyond=("passed mask",),  # a mask of steps is of no concern to the layer inside
    ),
    layer("TimeDistributed", X, {"mask": MASK}, layer=inner("Dense", 2, activation="tanh")),
    layer("TimeDistributed", X, layer=inner("BatchNormalization")),
    layer("TimeDistributed", floats(2, 3, 4, 2), layer=inner("LSTM", 2)),
    layer("Bidirectional", X, layer=inner("LSTM", 2)),
    layer("Bidirectional", X, layer=inner("GRU", 2, return_sequences=True), merge_mode="sum"),
    layer(
        "Bidirectional",
        X,
        {"mask": MASK},
        layer=inner("LSTM", 2, return_sequences=True),
        merge_mode="ave",
    ),
    layer(
        "Bidirectional",
        X,
        layer=inner("LSTM", 2, return_sequences=True, return_state=True),
    ),
    layer("Bidirectional", X, layer=inner("SimpleRNN", 2), merge_mode="mul"),
    layer("Bidirectional", X, layer=inner("GRU", 2, return_sequences=True), merge_mode=None),
    layer(
        "Bidirectional",
        X,
        {"initial_state": [floats(2, 2, seed=3), floats(2, 2, seed=4)]},
        layer=inner("GRU", 2),
    ),
]
