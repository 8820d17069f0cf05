"""Samples of the ops on strings."""

import numpy as np

from tests.samples import sample, strings

ROWS = [
    sample("Substr", strings("Hello", "World"), np.int32(1), np.int32(3)),
    sample("Substr", strings("Hello", "World"), np.array([-3, 0]), np.array([2, 9])),
    sample("Substr", strings("añbc", "日本語です"), np.int32(1), np.int32(2), unit="UTF8_CHAR"),
    sample("Substr", strings("añbc", "日本語です"), np.int32(-2), np.int32(2), unit="UTF8_CHAR"),
    sample("Substr", strings("ab"), np.int32(3), np.int32(1)),
    sample("Substr", strings(), np.zeros(0, np.int32), np.zeros(0, np.int32)),
]
