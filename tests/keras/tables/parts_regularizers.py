"""Rows of `tf.keras.regularizers`."""

import numpy as np

from tests.keras.tables import floats
from tests.keras.tables.parts import applied

X = floats(4, 3)

ROWS = [
    *[applied(name, X) for name in ("L1", "L2", "L1L2", "l1", "l2", "l1_l2")],
    *[applied(name, X.astype(np.float64)) for name in ("L1", "L2", "L1L2")],
    applied("L1", X, l1=0.5),
    applied("L1", X, l=0.5),
    applied("L2", X, l2=0.25),
    applied("L2", X, l=0.25),
    applied("L1L2", X, l1=0.5, l2=0.25),
    applied("l1_l2", X, l1=0.5, l2=0.25),
    applied("L1", X, l1="much"),
    applied("L1", X, l1=float("nan")),
    applied("L2", X, l1=0.5),
    applied("OrthogonalRegularizer", X),
    applied("OrthogonalRegularizer", X, factor=0.5, mode="columns"),
    applied("OrthogonalRegularizer", X[:1]),
    applied("OrthogonalRegularizer", X[0]),
    applied("OrthogonalRegularizer", X, mode="diagonals"),
    applied("orthogonal_regularizer", X),
]
