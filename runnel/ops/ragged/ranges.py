"""Many ranges at once: `tf.ragged.range`."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.extend import convert_to_tensor, no_gradient, op, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, DTypeLike, Namespace, Spec, TensorLike
from runnel.ops.math.casting import cast
from runnel.ops.ragged.row_numbers import splits_of

_SPLITS = frozenset({dtypes.int32, dtypes.int64})
_NUMBERS = frozenset({dtypes.bfloat16, dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64})


def _range_rule(starts: Spec, limits: Spec, deltas: Spec, *, Tsplits: DType) -> list[Dims]:
    count = None
    for name, spec in (("starts", starts), ("limits", limits), ("deltas", deltas)):
        if spec.rank is not None and spec.rank > 1:
            raise bad_shape("RaggedRange", want="be a scalar or a vector", **{name: spec})
        if spec.rank == 1 and spec.dims is not None:
            if count is not None and spec.dims[0] not in (None, count):
                raise bad_shape("RaggedRange", want=f"have {count} elements", **{name: spec})
            count = spec.dims[0] if count is None else count
    if all(spec.rank == 0 for spec in (starts, limits, deltas)):
        count = 1
    return [(None if count is None else count + 1,), (None,)]


def _check_range(starts: Array, limits: Array, deltas: Array, *, Tsplits: DType) -> None:
    vectors = {len(part) for part in (starts, limits, deltas) if part.ndim == 1}
    if max(starts.ndim, limits.ndim, deltas.ndim) > 1 or len(vectors) > 1:
        want = "be scalars or vectors of one length, as `limits` and `deltas`"
        raise bad_shape("RaggedRange", want=want, starts=starts)
    if np.any(deltas == 0):
        raise bad_value("RaggedRange", want="not be 0", deltas=deltas)


@op(
    "RaggedRange",
    "starts: T, limits: T, deltas: T -> rt_nested_splits: Tsplits, rt_dense_values: T",
    T=_NUMBERS,
    Tsplits=_SPLITS,
    host=True,
    shape=_range_rule,
    check=_check_range,
)
def _ragged_range(
    xp: Namespace, starts: Array, limits: Array, deltas: Array, *, Tsplits: DType = dtypes.int64
) -> list[Array]:
    start, limit, delta = np.broadcast_arrays(*map(np.atleast_1d, (starts, limits, deltas)))
    gap = limit - start
    size = -((-gap) // delta) if gap.dtype.kind in "iu" else np.ceil(gap / delta)
    lengths = np.maximum(size, 0).astype(Tsplits.np_dtype)
    splits = splits_of(lengths)
    place = np.arange(splits[-1]) - np.repeat(splits[:-1], lengths)
    values = np.repeat(start, lengths) + place.astype(start.dtype) * np.repeat(delta, lengths)
    return [splits, values.astype(starts.dtype)]


no_gradient("RaggedRange")


def range(
    starts: TensorLike,
    limits: TensorLike = None,
    deltas: TensorLike = 1,
    dtype: DTypeLike = None,
    name: str | None = None,
    row_splits_dtype: DTypeLike = dtypes.int64,
) -> RaggedTensor:
    """A row for each of several ranges.

    >>> tf.ragged.range([3, 0, 2])
    <tf.RaggedTensor [[0, 1, 2], [], [0, 1]]>
    >>> tf.ragged.range([0, 5], [3, 10], 2)
    <tf.RaggedTensor [[0, 2], [5, 7, 9]]>
    """
    first, last = (0, starts) if limits is None else (starts, limits)
    wanted = None if dtype is None else as_dtype(dtype)
    hint = wanted or dtypes.int32
    parts = [convert_to_tensor(p, dtype_hint=hint) for p in (first, last, deltas)]
    common = wanted or _widest([part.dtype for part in parts])
    splits, values = raw_ops.RaggedRange(
        *[cast(part, common) for part in parts], Tsplits=as_dtype(row_splits_dtype), name=name
    )
    return RaggedTensor.from_row_splits(values, splits, validate=False)


def _widest(found: list[DType]) -> DType:
    order: list[Any] = [dtypes.int32, dtypes.int64, dtypes.bfloat16, dtypes.float32, dtypes.float64]
    ranks = [order.index(d) if d in order else 0 for d in found]
    return order[max(ranks)]  # type: ignore[no-any-return]
