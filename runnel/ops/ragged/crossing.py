"""Crosses of features in ragged tensors: every combination of the values in a row."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.composite.sparse_tensor import SparseTensor
from runnel.core.extend import Tensor, convert_to_tensor, op, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.dtypes import INDICES, DType, int64, string
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Namespace, Spec
from runnel.kernels.text.feature_crosses import (
    HASH_KEY,
    Feature,
    crossed_hashes,
    crossed_texts,
    dense_feature,
    sparse_feature,
)
from runnel.ops.ragged.row_numbers import check_splits, splits_of
from runnel.ops.sparse.crossing import as_feature

_NAME = "RaggedCross"
_HASHED = frozenset({int64, string})


def _cross_rule(
    ragged_values: list[Spec],
    ragged_row_splits: list[Spec],
    sparse_indices: list[Spec],
    sparse_values: list[Spec],
    sparse_shape: list[Spec],
    dense_inputs: list[Spec],
    **attrs: Any,
) -> list[Dims]:
    known = [splits.dims[0] for splits in ragged_row_splits if splits.dims]
    known += [dense.dims[0] + 1 for dense in dense_inputs if dense.dims and dense.dims[0]]
    sizes = {size for size in known if size is not None}
    if len(sizes) > 1:
        raise bad_value(_NAME, want="have as many rows everywhere", dense_inputs=sorted(sizes))
    return [(None,), (next(iter(sizes), None),)]


def _check_cross(
    ragged_values: list[Array],
    ragged_row_splits: list[Array],
    sparse_indices: list[Array],
    sparse_values: list[Array],
    sparse_shape: list[Array],
    dense_inputs: list[Array],
    *,
    input_order: str,
    **attrs: Any,
) -> None:
    if len(ragged_values) != len(ragged_row_splits) or len(sparse_values) != len(sparse_indices):
        want = "have a partner for each of the values"
        raise bad_value(_NAME, want=want, ragged_row_splits=len(ragged_row_splits))
    batches = []
    for values, splits in zip(ragged_values, ragged_row_splits, strict=True):
        check_splits(_NAME, [splits], len(values))
        batches.append(len(splits) - 1)
    for places, shape in zip(sparse_indices, sparse_shape, strict=True):
        if places.ndim != 2 or len(shape) != 2:
            raise bad_shape(_NAME, want="be those of matrices", sparse_indices=places)
        batches.append(int(shape[0]))
    for dense in dense_inputs:
        if dense.ndim != 2:
            raise bad_shape(_NAME, want="be matrices", dense_inputs=dense)
        batches.append(len(dense))
    if len(set(batches)) > 1:
        raise bad_value(_NAME, want="have as many rows everywhere", dense_inputs=batches)
    if len(input_order) != len(batches) or set(input_order) - set("RSD"):
        want = "name all inputs with R, S and D"
        raise bad_value(_NAME, want=want, input_order=input_order)


@op(
    "RaggedCross",
    "ragged_values: *ragged_values_types, ragged_row_splits: *ragged_splits_types[1], "
    "sparse_indices: Nsparse*int64, sparse_values: *sparse_values_types, sparse_shape: "
    "Nsparse*int64, dense_inputs: *dense_types -> output_values: out_values_type, "
    "output_row_splits: out_row_splits_type",
    out_values_type=_HASHED,
    out_row_splits_type=INDICES,
    host=True,
    shape=_cross_rule,
    check=_check_cross,
)
def _ragged_cross(
    xp: Namespace,
    ragged_values: list[Array],
    ragged_row_splits: list[Array],
    sparse_indices: list[Array],
    sparse_values: list[Array],
    sparse_shape: list[Array],
    dense_inputs: list[Array],
    *,
    input_order: str,
    hashed_output: bool,
    num_buckets: int,
    hash_key: int,
    out_values_type: DType,
    out_row_splits_type: DType,
) -> list[Array]:
    ragged = zip(ragged_values, ragged_row_splits, strict=True)
    sparse = zip(sparse_indices, sparse_values, sparse_shape, strict=True)
    kinds = {
        "R": iter([Feature(values, np.diff(splits)) for values, splits in ragged]),
        "S": iter([sparse_feature(*parts) for parts in sparse]),
        "D": iter([dense_feature(values) for values in dense_inputs]),
    }
    features = [next(kinds[kind]) for kind in input_order]
    if hashed_output:
        found = crossed_hashes(features, num_buckets, hash_key)
    else:
        found = crossed_texts(features, b"_X_")
    return [found.values, splits_of(found.counts.astype(out_row_splits_type.np_dtype))]


def cross(inputs: list[Any], name: str | None = None) -> RaggedTensor:
    """All combinations of the values in each row of the inputs, as strings joined by `_X_`.

    >>> tf.ragged.cross([tf.ragged.constant([["a"], ["b", "c"]]), tf.constant([[1], [2]])])
    <tf.RaggedTensor [[b'a_X_1'], [b'b_X_2', b'c_X_2']]>
    """
    return _crossed(inputs, hashed=False, num_buckets=0, hash_key=None, name=name)


def cross_hashed(
    inputs: list[Any], num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> RaggedTensor:
    """All combinations of the values in each row of the inputs, as the numbers of hash buckets.

    >>> tf.ragged.cross_hashed([tf.ragged.constant([["a"], ["b", "c"]])], num_buckets=100)
    <tf.RaggedTensor [[15], [68, 76]]>
    """
    return _crossed(inputs, hashed=True, num_buckets=num_buckets, hash_key=hash_key, name=name)


def _crossed(
    inputs: Any, *, hashed: bool, num_buckets: int, hash_key: int | None, name: str | None
) -> RaggedTensor:
    if not isinstance(inputs, list | tuple):
        raise TypeError(f"tf.ragged.cross: `inputs` must be a list, got {type(inputs).__name__}.")
    ragged, sparse, dense, order = _sorted(inputs)
    dtype = (
        dtypes.int32
        if ragged and all(part.row_splits.dtype is dtypes.int32 for part in ragged)
        else dtypes.int64
    )
    values, splits = raw_ops.RaggedCross(
        [as_feature(part.values) for part in ragged],
        [part.row_splits for part in ragged],
        [part.indices for part in sparse],
        [as_feature(part.values) for part in sparse],
        [part.dense_shape for part in sparse],
        [as_feature(part) for part in dense],
        input_order=order,
        hashed_output=hashed,
        num_buckets=num_buckets,
        hash_key=HASH_KEY if hash_key is None else hash_key,
        out_values_type=dtypes.int64 if hashed else dtypes.string,
        out_row_splits_type=dtype,
        name=name,
    )
    return RaggedTensor.from_row_splits(values, splits, validate=False)


def _sorted(inputs: Any) -> tuple[list[RaggedTensor], list[SparseTensor], list[Tensor], str]:
    """The inputs by kind, and a letter for each that says which kind it was."""
    ragged: list[RaggedTensor] = []
    sparse: list[SparseTensor] = []
    dense: list[Tensor] = []
    order = ""
    for value in inputs:
        if isinstance(value, RaggedTensor):
            if value.ragged_rank != 1:
                raise ValueError("tf.ragged.cross: ragged inputs must have ragged_rank 1.")
            ragged.append(value)
            order += "R"
        elif isinstance(value, SparseTensor):
            sparse.append(value)
            order += "S"
        else:
            dense.append(convert_to_tensor(value))
            order += "D"
    return ragged, sparse, dense, order
