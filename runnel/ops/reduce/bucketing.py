"""Numbers sorted into bins by boundaries: what Keras's Discretization uses."""

from __future__ import annotations

import itertools

import numpy as np

from runnel.core.op.op import op
from runnel.core.values.dtypes import float32, float64, int32, int64
from runnel.core.values.errors import bad_value
from runnel.core.values.types import Array, Namespace
from runnel.ops.shapes import same


def _check(x: Array, *, boundaries: tuple[float, ...]) -> None:
    if any(a > b for a, b in itertools.pairwise(boundaries)):
        raise bad_value("Bucketize", boundaries=boundaries, want="be sorted")


@op(
    "Bucketize",
    "input: T -> output: int32",
    T={int32, int64, float32, float64},
    shape=same,
    check=_check,
)
def _bucketize(xp: Namespace, input: Array, *, boundaries: tuple[float, ...]) -> Array:
    # The boundaries are float32, whatever the values are.
    edges = xp.asarray(boundaries, np.float32)
    exact = input.astype(np.float64)
    return xp.searchsorted(edges.astype(np.float64), exact, side="right").astype(np.int32)
