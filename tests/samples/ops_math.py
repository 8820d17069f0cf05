"""Samples of the ops in runnel/ops/math.py."""

from tests.samples import floats, ints, sample

ROWS = [
    sample("AddV2", floats(3, 4), floats(1, 4)),
    sample("AddV2", floats(2), floats(3)),
    sample("Mul", floats(3, 4), floats(4, seed=1)),
    sample("Sum", floats(3, 4), ints(1, low=0, high=1)),
    sample("MatMul", floats(3, 4), floats(4, 5)),
]
