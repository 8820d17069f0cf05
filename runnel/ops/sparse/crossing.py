"""Crosses of features: every combination of the values that the inputs have in a row."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.composite.sparse_tensor import SparseTensor, SparseTensorValue
from runnel.core.extend import Tensor, convert_to_tensor, op, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType, int64, string
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Namespace, TensorLike
from runnel.kernels.text.feature_crosses import (
    HASH_KEY,
    Combinations,
    Feature,
    crossed_hashes,
    crossed_texts,
    dense_feature,
    sparse_feature,
)
from runnel.kernels.text.flat_text import FlatText
from runnel.kernels.text.many_hashes import fingerprints64, keyed_hashes64
from runnel.ops.sparse.places import as_sparse, check_parts

_KINDS = frozenset({dtypes.int64, dtypes.string})


def _rule(*inputs: Any, **attrs: Any) -> list[Dims]:
    return [(None, 2), (None,), (2,)]


def _check(op_name: str) -> Callable[..., None]:
    def check(
        indices: list[Array],
        values: list[Array],
        shapes: list[Array],
        dense_inputs: list[Array],
        *others: Array,
        **attrs: Any,
    ) -> None:
        if len(indices) != len(values):
            raise bad_value(op_name, want=f"have {len(indices)} vectors", values=len(values))
        batches = []
        for group in zip(indices, values, shapes, strict=True):
            check_parts(op_name, *group)
            if len(group[2]) != 2:
                raise bad_shape(op_name, want="have two elements", shapes=group[2])
            batches.append(int(group[2][0]))
        for dense in dense_inputs:
            if dense.ndim != 2:
                raise bad_shape(op_name, want="be matrices", dense_inputs=dense)
            batches.append(len(dense))
        if len(set(batches)) > 1:
            raise bad_value(op_name, want="have as many rows everywhere", shapes=batches)

    return check


def _features(
    indices: list[Array], values: list[Array], shapes: list[Array], dense_inputs: list[Array]
) -> list[Feature]:
    """The inputs, sparse ones first."""
    sparse = zip(indices, values, shapes, strict=True)
    return [*[sparse_feature(*parts) for parts in sparse], *map(dense_feature, dense_inputs)]


def _sparse(found: Combinations) -> list[Array]:
    """The combinations as the rows of a sparse matrix."""
    counts = found.counts
    row = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(row)) - np.repeat(np.cumsum(counts) - counts, counts)
    shape = np.array([len(counts), counts.max(initial=0)], np.int64)
    return [np.stack([row, number], axis=1), found.values, shape]


_INPUTS = "indices: N*int64, values: *sparse_types, shapes: N*int64, dense_inputs: *dense_types"


@op(
    "SparseCross",
    f"{_INPUTS} -> output_indices: int64, output_values: out_type, output_shape: int64",
    out_type=frozenset({int64, string}),
    internal_type=frozenset({int64, string}),
    host=True,
    shape=_rule,
    check=_check("SparseCross"),
)
def _sparse_cross(
    xp: Namespace,
    indices: list[Array],
    values: list[Array],
    shapes: list[Array],
    dense_inputs: list[Array],
    *,
    hashed_output: bool,
    num_buckets: int,
    hash_key: int,
    out_type: DType,
    internal_type: DType,
) -> list[Array]:
    features = _features(indices, values, shapes, dense_inputs)
    if not hashed_output:
        return _sparse(crossed_texts(features, b"_X_"))
    if num_buckets < 0:
        raise bad_value("SparseCross", want="not be negative", num_buckets=num_buckets)
    return _sparse(crossed_hashes(features, num_buckets, hash_key))


@op(
    "SparseCrossV2",
    f"{_INPUTS}, sep: string[0?] -> output_indices: int64, output_values: string, "
    "output_shape: int64",
    host=True,
    shape=_rule,
    check=_check("SparseCrossV2"),
)
def _sparse_cross_text(
    xp: Namespace,
    indices: list[Array],
    values: list[Array],
    shapes: list[Array],
    dense_inputs: list[Array],
    sep: Array,
) -> list[Array]:
    features = _features(indices, values, shapes, dense_inputs)
    return _sparse(crossed_texts(features, np.asarray(sep).item()))


def _check_hashed(
    indices: list[Array],
    values: list[Array],
    shapes: list[Array],
    dense_inputs: list[Array],
    num_buckets: Array,
    strong_hash: Array,
    salt: Array,
) -> None:
    _check("SparseCrossHashed")(indices, values, shapes, dense_inputs)
    if np.ndim(num_buckets) or num_buckets < 0:
        raise bad_value("SparseCrossHashed", want="be 0 or more", num_buckets=num_buckets)
    if salt.shape != (2,):
        raise bad_shape("SparseCrossHashed", want="be two numbers", salt=salt)


@op(
    "SparseCrossHashed",
    f"{_INPUTS}, num_buckets: int64, strong_hash: bool, salt: int64 "
    "-> output_indices: int64, output_values: int64, output_shape: int64",
    host=True,
    shape=_rule,
    check=_check_hashed,
)
def _sparse_cross_hashed(
    xp: Namespace,
    indices: list[Array],
    values: list[Array],
    shapes: list[Array],
    dense_inputs: list[Array],
    num_buckets: Array,
    strong_hash: Array,
    salt: Array,
) -> list[Array]:
    key = (int(salt[0]), int(salt[1]))

    def hashed(feature: Feature) -> Feature:
        # TensorFlow takes four bytes of a number, unless it is in a dense input: see below.
        data = feature.values
        strings = (
            data.tolist() if data.dtype == object else [x.tobytes() for x in data.astype("<i4")]
        )
        text = FlatText.of(strings)
        found = keyed_hashes64(text, key) if strong_hash else fingerprints64(text)
        return feature._replace(values=found)

    features = _features(indices, values, shapes, dense_inputs)
    sparse = len(indices)
    dense = [hashed(feature) if strong_hash else feature for feature in features[sparse:]]
    return _sparse(crossed_hashes([*map(hashed, features[:sparse]), *dense], int(num_buckets)))


def _split(inputs: list[Any]) -> tuple[list[SparseTensor], list[Tensor]]:
    """The sparse inputs and the dense ones, numbers as int64."""
    if not isinstance(inputs, list):
        raise TypeError("Inputs must be a list")
    kinds = (SparseTensor, SparseTensorValue, Tensor)
    if not all(isinstance(each, kinds) for each in inputs):
        raise TypeError("All inputs must be Tensor or SparseTensor.")
    dense = [as_feature(each) for each in inputs if isinstance(each, Tensor)]
    sparse = [as_sparse(each) for each in inputs if not isinstance(each, Tensor)]
    return [each.with_values(as_feature(each.values)) for each in sparse], dense


def as_feature(x: Tensor) -> Tensor:
    """Strings as they are, numbers as int64."""
    return x if x.dtype in _KINDS else raw_ops.Cast(x, DstT=dtypes.int64)


def _lists(sparse: list[SparseTensor]) -> tuple[list[Tensor], list[Tensor], list[Tensor]]:
    return (
        [each.indices for each in sparse],
        [each.values for each in sparse],
        [each.dense_shape for each in sparse],
    )


def cross(inputs: list[Any], name: str | None = None, separator: TensorLike = None) -> SparseTensor:
    """All combinations of the values in each row of the inputs, as strings joined by `separator`.

    Sparse inputs come before dense ones, and numbers are written out.

    >>> crossed = tf.sparse.cross([tf.constant([["a", "b"]]), tf.constant([[1, 2]])])
    >>> crossed.values.numpy().tolist()
    [b'a_X_1', b'a_X_2', b'b_X_1', b'b_X_2']
    """
    sparse, dense = _split(inputs)
    between = convert_to_tensor("_X_" if separator is None else separator)
    return SparseTensor(*raw_ops.SparseCrossV2(*_lists(sparse), dense, between, name=name))


def cross_hashed(
    inputs: list[Any], num_buckets: int = 0, hash_key: int | None = None, name: str | None = None
) -> SparseTensor:
    """All combinations of the values in each row of the inputs, as the numbers of hash buckets.

    >>> tf.sparse.cross_hashed([tf.constant([["a"]]), tf.constant([["d"]])], 100).values.numpy()
    array([82])
    """
    sparse, dense = _split(inputs)
    found = raw_ops.SparseCross(
        *_lists(sparse),
        dense,
        hashed_output=True,
        num_buckets=num_buckets,
        hash_key=hash_key or HASH_KEY,  # TensorFlow takes 0 for none
        out_type=dtypes.int64,
        internal_type=dtypes.int64,
        name=name,
    )
    return SparseTensor(*found)
