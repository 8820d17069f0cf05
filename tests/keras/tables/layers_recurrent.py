"""Recurrent layers."""

import numpy as np

from tests.keras.tables import floats, inner, layer

X = floats(2, 4, 3)
MASK = np.array([[True, True, False, True], [True, False, False, False]])

ROWS = [
    layer("SimpleRNN", X, units=2),
    layer("SimpleRNN", X, {"mask": MASK}, units=2, return_sequences=True, activation="relu"),
    layer("LSTM", X, units=2),
    layer("LSTM", X, units=2, return_sequences=True, return_state=True, go_backwards=True),
    layer("LSTM", X, {"mask": MASK}, units=2, return_sequences=True),
    layer("LSTM", X, units=2, unit_forget_bias=False, use_bias=False, unroll=True),
    layer("LSTM", X, {"training": True}, units=2, dropout=0.5, recurrent_dropout=0.2, _random=True),
    layer("GRU", X, units=2),
    layer("GRU", X, {"mask": MASK}, units=2, return_sequences=True, return_state=True),
    layer("GRU", X, units=2, reset_after=False),
    layer("RNN", X, cell=inner("LSTMCell", 2), return_sequences=True),
    layer("RNN", X, cell=[inner("LSTMCell", 3), inner("GRUCell", 2)], return_state=True),
    layer("RNN", X, {"mask": MASK}, cell=inner("SimpleRNNCell", 2)),
    layer("LSTM", X, {"initial_state": [floats(2, 2), floats(2, 2, seed=1)]}, units=2),
    layer("SimpleRNNCell", floats(2, 3), {"states": [floats(2, 2)]}, units=2, _shapes=False),
    layer(
        "LSTMCell", floats(2, 3), {"states": [floats(2, 2), floats(2, 2)]}, units=2, _shapes=False
    ),
    layer("GRUCell", floats(2, 3), {"states": [floats(2, 2)]}, units=2, _shapes=False),
    layer("own.Fading", floats(2, 3), {"states": [floats(2, 2)]}, units=2, _shapes=False),
    layer("RNN", X, {"mask": MASK}, cell=inner("own.Fading", 2), return_sequences=True),
    layer(
        "StackedRNNCells",
        floats(2, 3),
        {"states": [[floats(2, 2), floats(2, 2, seed=1)], floats(2, 3)]},
        cells=[inner("LSTMCell", 2), inner("GRUCell", 3)],
        _shapes=False,
    ),
    layer(
        "RNN",
        X,
        cell=inner("StackedRNNCells", [inner("SimpleRNNCell", 2), inner("own.Fading", 3)]),
        return_sequences=True,
        return_state=True,
    ),
]
