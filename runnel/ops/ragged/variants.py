"""Ragged tensors as variants, one tensor each, which can be stacked and unstacked.

A variant here is a NumPy array of objects; each object holds the row splits and the flat values of
a ragged tensor, or of one row of it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, op, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec
from runnel.ops.ragged.row_numbers import splits_of

_SPLITS = frozenset({dtypes.int32, dtypes.int64})


class Encoded(NamedTuple):
    """The parts of a ragged tensor; without row splits, a tensor."""

    nested_splits: tuple[Array, ...]
    values: Array


def _to_variant_rule(
    rt_nested_splits: list[Spec], rt_dense_values: Spec, *, batched_input: bool
) -> Dims:
    if not batched_input:
        return ()
    if not rt_nested_splits:
        want = "be one tensor or more where the input is a batch"
        raise bad_value("RaggedTensorToVariant", want=want, rt_nested_splits=rt_nested_splits)
    count = rt_nested_splits[0].dims[0] if rt_nested_splits[0].dims else None
    return (None if count is None else count - 1,)


@op(
    "RaggedTensorToVariant",
    "rt_nested_splits: RAGGED_RANK*Tsplits, rt_dense_values: Tvalues -> encoded_ragged: variant",
    Tsplits=_SPLITS,
    host=True,
    shape=_to_variant_rule,
)
def _to_variant(
    xp: Namespace, rt_nested_splits: list[Array], rt_dense_values: Array, *, batched_input: bool
) -> Array:
    if not batched_input:
        return _boxed([Encoded(tuple(rt_nested_splits), rt_dense_values)]).reshape(())
    if not rt_nested_splits:
        want = "be one tensor or more where the input is a batch"
        raise bad_value("RaggedTensorToVariant", want=want, rt_nested_splits=rt_nested_splits)
    first = rt_nested_splits[0]
    rows = [
        _row(rt_nested_splits[1:], rt_dense_values, int(start), int(stop))
        for start, stop in pairwise(first)
    ]
    return _boxed(rows)


def _boxed(values: list[Encoded]) -> Array:
    found = np.empty(len(values), object)
    for place, value in enumerate(values):
        found[place] = value
    return found


def _row(nested: list[Array], values: Array, start: int, stop: int) -> Encoded:
    """One row, its splits counted from its beginning."""
    parts = []
    for splits in nested:
        part = splits[start : stop + 1]
        start, stop = int(part[0]), int(part[-1])
        parts.append(part - part[0])
    return Encoded(tuple(parts), values[start:stop])


def _from_variant_rule(
    encoded_ragged: Spec,
    *,
    input_ragged_rank: int,
    output_ragged_rank: int,
    Tvalues: DType,
    Tsplits: DType = dtypes.int64,
) -> list[Any]:
    return [[(None,)] * output_ragged_rank, None]


@op(
    "RaggedTensorFromVariant",
    "encoded_ragged: variant -> output_nested_splits: output_ragged_rank*Tsplits, "
    "output_dense_values: Tvalues",
    Tsplits=_SPLITS,
    host=True,
    shape=_from_variant_rule,
)
def _from_variant(
    xp: Namespace,
    encoded_ragged: Array,
    *,
    input_ragged_rank: int,
    output_ragged_rank: int,
    Tvalues: DType,
    Tsplits: DType = dtypes.int64,
) -> list[Any]:
    boxes = np.asarray(encoded_ragged, object)
    inner = output_ragged_rank - boxes.ndim if input_ragged_rank == -1 else input_ragged_rank
    if inner < 0 or output_ragged_rank != boxes.ndim + inner:
        want = f"be the {boxes.ndim} dimensions of the variants and the {inner} inside them"
        raise bad_value("RaggedTensorFromVariant", want=want, output_ragged_rank=output_ragged_rank)
    items = list(boxes.ravel())
    if any(len(item.nested_splits) != inner for item in items):
        want = f"hold ragged tensors of ragged_rank {inner}"
        raise bad_value("RaggedTensorFromVariant", want=want, encoded_ragged=boxes)
    if boxes.ndim == 0:
        return [[part.astype(Tsplits.np_dtype) for part in items[0].nested_splits], items[0].values]
    outer = []
    for axis in range(1, boxes.ndim):
        rows = int(np.prod(boxes.shape[:axis]))
        outer.append(np.arange(rows + 1) * boxes.shape[axis])
    return [
        [s.astype(Tsplits.np_dtype) for s in [*outer, *_stacked(items, inner)]],
        _joined(items, Tvalues),
    ]


def _stacked(items: list[Encoded], inner: int) -> list[Array]:
    """The splits of all items one after another, below those of the items themselves."""
    counts = [len(i.nested_splits[0]) - 1 if inner else len(i.values) for i in items]
    found = [splits_of(np.array(counts, np.int64))]
    for level in range(inner):
        lengths = [np.diff(item.nested_splits[level]) for item in items]
        found.append(splits_of(np.concatenate([np.zeros(0, np.int64), *lengths])))
    return found


def _joined(items: list[Encoded], dtype: DType) -> Array:
    if not items:
        return np.zeros(0, dtype.np_dtype)
    return np.concatenate([item.values for item in items])


@RegisterGradient("RaggedTensorToVariant", needs="rt_nested_splits rt_dense_values")
def _to_variant_grad(op: Any, dy: Tensor) -> Gradients:
    *splits, values = op.inputs
    first = splits[0] if splits and op.attrs["batched_input"] else np.zeros(0, np.int64)
    grad = raw_ops.RaggedTensorToVariantGradient(
        dy, first, raw_ops.Shape(values), Tvalues=values.dtype
    )
    return (*[None] * len(splits), grad)


@RegisterGradient("RaggedTensorFromVariant", needs="outputs")
def _from_variant_grad(op: Any, *dy: Tensor) -> Gradients:
    *splits, _ = op.outputs
    kept = splits if op.inputs[0].shape.rank else []
    return raw_ops.RaggedTensorToVariant(kept, dy[-1], batched_input=bool(kept))  # type: ignore[no-any-return]


@op(
    "RaggedTensorToVariantGradient",
    "encoded_ragged_grad: variant, row_splits: Tsplits, dense_values_shape: int32 "
    "-> dense_values_grad: Tvalues",
    Tsplits=_SPLITS,
    host=True,
    shape=lambda encoded_ragged_grad, row_splits, dense_values_shape, *, Tvalues: None,
)
def _to_variant_gradient(
    xp: Namespace,
    encoded_ragged_grad: Array,
    row_splits: Array,
    dense_values_shape: Array,
    *,
    Tvalues: DType,
) -> Array:
    boxes = np.asarray(encoded_ragged_grad, object).ravel()
    shape = tuple(int(d) for d in dense_values_shape)
    values = _joined(list(boxes), Tvalues)
    if values.size != int(np.prod(shape)):
        want = f"have {int(np.prod(shape))} elements"
        raise bad_shape("RaggedTensorToVariantGradient", want=want, encoded_ragged_grad=values)
    return values.reshape(shape)
