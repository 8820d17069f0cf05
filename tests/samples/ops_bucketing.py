"""Samples of sorting numbers into bins."""

import numpy as np

from tests.samples import floats, ints, sample

ROWS = [
    sample("Bucketize", floats(3, 4), boundaries=[-0.5, 0.0, 0.5]),
    sample("Bucketize", ints(5), boundaries=[1.0, 2.0]),
    sample("Bucketize", np.array([0.1, 0.2, 0.3]), boundaries=[0.1, 0.2]),
    sample("Bucketize", np.array([1, 5], np.int64), boundaries=[]),
    sample("Bucketize", np.zeros((0, 2), np.float32), boundaries=[1.0]),
    sample("Bucketize", np.array([np.inf, -np.inf], np.float32), boundaries=[0.0]),
    sample("Bucketize", floats(3), boundaries=[2.0, 1.0]),
]
