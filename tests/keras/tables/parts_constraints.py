"""Rows of `tf.keras.constraints`."""

import numpy as np

from tests.keras.tables import floats
from tests.keras.tables.parts import applied

X = floats(4, 3, scale=2.0)
KERNEL = floats(5, 5, 1, 2)
NAMES = """MaxNorm MinMaxNorm NonNeg UnitNorm max_norm min_max_norm non_neg unit_norm""".split()

ROWS = [
    *[applied(name, X) for name in NAMES],
    *[applied(name, X.astype(np.float64)) for name in NAMES if "neg" not in name.lower()],
    applied("MaxNorm", X, max_value=0.5, axis=1),
    applied("MaxNorm", KERNEL, max_value=1.0, axis=[0, 1, 2]),
    applied("MinMaxNorm", X, min_value=0.5, max_value=1.0, rate=0.5),
    applied("MinMaxNorm", X, min_value=1.5, max_value=3.0, axis=1),
    applied("UnitNorm", X, axis=[0, 1]),
    applied("UnitNorm", np.zeros((2, 2), np.float32)),
    applied("NonNeg", np.array([[-0.0, np.nan, -1.0]], np.float32)),
    applied("RadialConstraint", KERNEL),
    applied("RadialConstraint", KERNEL[:4, :4]),
    applied("RadialConstraint", KERNEL[:, :3]),
    applied("RadialConstraint", X),
    applied("radial_constraint", KERNEL[:3, :3]),
    applied("MaxNorm", X, max=1.0),
]
