"""`tf.summary.histogram`."""

from __future__ import annotations

from typing import Any

from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import float64, int32
from runnel.core.values.types import TensorLike
from runnel.debugging.properties import assert_scalar, assert_type
from runnel.ops.array.constants import linspace
from runnel.ops.array.identity import stop_gradient
from runnel.ops.array.joining import concat, stack
from runnel.ops.array.selecting import where
from runnel.ops.array.shaping import reshape, transpose
from runnel.ops.math.casting import cast
from runnel.ops.reduce.reductions import reduce_max, reduce_min
from runnel.summary.metadata import metadata
from runnel.summary.writing import summary_scope, write

_BUCKETS = 30


def histogram(
    name: str,
    data: TensorLike,
    step: Any = None,
    buckets: Any = None,
    description: str | None = None,
) -> Tensor:
    """Write how often values occur, in so many `buckets` (30) between the least and the largest.

    >>> tf.summary.histogram("weights", [1.0, 2.0], step=0).numpy()  # there is no default writer
    np.False_
    """
    data = stop_gradient(data)
    count = _BUCKETS if buckets is None else buckets
    with summary_scope(name, "histogram_summary") as (tag, _):
        described = metadata("histograms", description)
        return write(tag, lambda: _rows(data, count), step, described)


def _rows(data: TensorLike, buckets: TensorLike) -> Tensor:
    """A row for each bucket: its left edge, its right edge, the number of values.

    If all values are the same, they are in the last bucket; if there are none, all is zero.
    """
    assert_scalar(buckets)
    assert_type(buckets, int32)
    count = raw_ops.Maximum(buckets, 0)
    flat = cast(reshape(data, [-1]), float64)
    low, high = reduce_min(flat), reduce_max(flat)
    width = (high - low) / cast(count, float64)
    one = convert_to_tensor(1.0, float64)
    steps = raw_ops.Floor((flat - low) / where(high > low, width, one))
    places = where(high > low, raw_ops.Minimum(cast(steps, int32), count - 1), count - 1)
    counts = raw_ops.UnsortedSegmentSum(raw_ops.OnesLike(flat), places, count)
    edges = concat([linspace(low, high, count + 1)[:-1], [high]], 0)  # its end without rounding
    rows = transpose(stack([edges[:-1], edges[1:], counts]))
    return where(raw_ops.Size(flat) > 0, rows, raw_ops.ZerosLike(rows))
