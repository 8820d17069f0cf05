"""`tf.timestamp`."""

from __future__ import annotations

import time

import numpy as np

from runnel.core.extend import Tensor, no_gradient, op, raw_ops
from runnel.core.values.types import Array, Namespace
from runnel.ops.shapes import scalar


@op("Timestamp", "-> ts: float64", shape=scalar, effects="clock")
def _timestamp(xp: Namespace) -> Array:
    return np.array(time.time(), np.float64)


no_gradient("Timestamp")


def timestamp(name: str | None = None) -> Tensor:
    """The seconds since 1970, when the op runs.

    >>> bool(tf.timestamp() > 1.6e9)
    True
    """
    return raw_ops.Timestamp(name=name)  # type: ignore[no-any-return]
