"""The first versions of the ops that parse examples: keys one by one, and nothing ragged."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import op, raw_ops
from runnel.core.values.dtypes import DType
from runnel.core.values.errors import bad_shape
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import Array, Namespace, Spec

_NO_KEYS = np.empty(0, object)
_NOTHING = np.array(b"", object)


def _keys(keys: Any) -> np.ndarray:
    """Keys as the newer ops take them, in one array."""
    found = np.empty(len(keys), object)
    for place, key in enumerate(keys):
        found[place] = key.encode() if isinstance(key, str) else np.asarray(key).item()
    return found


def _example_shape(serialized: Spec, defaults: list[Spec], **attrs: Any) -> list[Any]:
    rule = raw_ops.ParseExampleV2.shape
    assert rule is not None
    none: Any = serialized
    options = {"ragged_value_types": (), "ragged_split_types": (), **attrs}
    return rule(serialized, none, none, none, none, defaults, **options)[:4]  # type: ignore[no-any-return]


def _examples(
    xp: Namespace, serialized: Array, sparse: Any, dense: Any, defaults: list[Array], **attrs: Any
) -> list[Any]:
    options = {"ragged_value_types": (), "ragged_split_types": (), **attrs}
    parse = raw_ops.ParseExampleV2.kernel
    arguments = (serialized, _NO_KEYS, _keys(sparse), _keys(dense), _NO_KEYS, defaults)
    return parse(xp, *arguments, **options)[:4]  # type: ignore[no-any-return]


def _batch_shape(
    serialized: Spec,
    names: Spec,
    sparse_keys: list[Spec],
    dense_keys: list[Spec],
    dense_defaults: list[Spec],
    **attrs: Any,
) -> list[Any]:
    if serialized.rank not in (None, 1):
        raise bad_shape("ParseExample", want="be a vector", serialized=serialized)
    return _example_shape(serialized, dense_defaults, num_sparse=len(sparse_keys), **attrs)


@op(
    "ParseExample",
    "serialized: string, names: string[1], sparse_keys: Nsparse*string, dense_keys: "
    "Ndense*string, dense_defaults: *Tdense -> sparse_indices: Nsparse*int64, sparse_values: "
    "*sparse_types, sparse_shapes: Nsparse*int64, dense_values: *Tdense",
    shape=_batch_shape,
)
def _parse_example(
    xp: Namespace,
    serialized: Array,
    names: Array,
    sparse_keys: list[Array],
    dense_keys: list[Array],
    dense_defaults: list[Array],
    *,
    sparse_types: tuple[DType, ...],
    dense_shapes: tuple[TensorShape, ...],
) -> list[Any]:
    if np.ndim(serialized) != 1:
        raise bad_shape("ParseExample", want="be a vector", serialized=serialized)
    how = {"sparse_types": sparse_types, "dense_shapes": dense_shapes}
    count = len(sparse_keys)
    keys = (sparse_keys, dense_keys)
    return _examples(xp, serialized, *keys, dense_defaults, num_sparse=count, **how)


def _single_shape(
    serialized: Spec,
    dense_defaults: list[Spec],
    *,
    sparse_keys: tuple[str, ...],
    dense_keys: tuple[str, ...],
    **attrs: Any,
) -> list[Any]:
    if serialized.rank not in (None, 0):
        raise bad_shape("ParseSingleExample", want="be a scalar", serialized=serialized)
    return _example_shape(serialized, dense_defaults, **attrs)


@op(
    "ParseSingleExample",
    "serialized: string, dense_defaults: *Tdense -> sparse_indices: num_sparse*int64, "
    "sparse_values: *sparse_types, sparse_shapes: num_sparse*int64, dense_values: *Tdense",
    shape=_single_shape,
)
def _parse_single_example(
    xp: Namespace,
    serialized: Array,
    dense_defaults: list[Array],
    *,
    num_sparse: int,
    sparse_keys: tuple[str, ...],
    dense_keys: tuple[str, ...],
    sparse_types: tuple[DType, ...],
    dense_shapes: tuple[TensorShape, ...],
) -> list[Any]:
    if np.ndim(serialized):
        raise bad_shape("ParseSingleExample", want="be a scalar", serialized=serialized)
    how = {"sparse_types": sparse_types, "dense_shapes": dense_shapes}
    keys = (sparse_keys, dense_keys)
    return _examples(xp, serialized, *keys, dense_defaults, num_sparse=num_sparse, **how)


_CONTEXT = (
    "context_sparse_indices: Ncontext_sparse*int64, context_sparse_values: *context_sparse_types, "
    "context_sparse_shapes: Ncontext_sparse*int64, context_dense_values: *Tcontext_dense"
)
_LISTS = (
    "feature_list_sparse_indices: Nfeature_list_sparse*int64, "
    "feature_list_sparse_values: *feature_list_sparse_types, "
    "feature_list_sparse_shapes: Nfeature_list_sparse*int64, "
    "feature_list_dense_values: *feature_list_dense_types"
)


def _sequence_shape(context_dense: int, lists_dense: int, attrs: Any, lengths: bool) -> list[Any]:
    context = attrs["Ncontext_sparse"]
    lists = attrs["Nfeature_list_sparse"]
    found = [[None] * context] * 3 + [[None] * context_dense]
    found += [[None] * lists] * 3 + [[None] * lists_dense]
    return [*found, [None] * lists_dense] if lengths else found


def _batches_of_sequences_shape(
    serialized: Spec, debug_name: Spec, context_dense_defaults: list[Spec], **attrs: Any
) -> list[Any]:
    lists = len(attrs["feature_list_dense_types"])
    return _sequence_shape(len(context_dense_defaults), lists, attrs, lengths=True)


def _sequences(
    xp: Namespace, serialized: Array, keys: list[Any], empty: Any, defaults: list[Array], attrs: Any
) -> list[Any]:
    """What the newer op gives for `keys`: of the context, then of the lists; first sparse ones."""
    context_sparse, context_dense, list_sparse, list_dense = map(_keys, keys)
    may_lack = np.array([key in empty for key in list_dense], bool)
    found = raw_ops.ParseSequenceExampleV2.kernel(
        xp,
        serialized,
        _NOTHING,
        context_sparse,
        context_dense,
        _NO_KEYS,
        list_sparse,
        list_dense,
        _NO_KEYS,
        may_lack,
        defaults,
        **{**raw_ops.ParseSequenceExampleV2.defaults, **attrs},
    )
    return [*found[:4], *found[6:11]]


@op(
    "ParseSequenceExample",
    "serialized: string[1], debug_name: string[1], context_dense_defaults: *Tcontext_dense -> "
    f"{_CONTEXT}, {_LISTS}, feature_list_dense_lengths: Nfeature_list_dense*int64",
    shape=_batches_of_sequences_shape,
)
def _parse_sequence_example(
    xp: Namespace,
    serialized: Array,
    debug_name: Array,
    context_dense_defaults: list[Array],
    *,
    feature_list_dense_missing_assumed_empty: tuple[str, ...],
    context_sparse_keys: tuple[str, ...],
    context_dense_keys: tuple[str, ...],
    feature_list_sparse_keys: tuple[str, ...],
    feature_list_dense_keys: tuple[str, ...],
    Ncontext_sparse: int = 0,
    Ncontext_dense: int = 0,
    Nfeature_list_sparse: int = 0,
    Nfeature_list_dense: int = 0,
    context_sparse_types: tuple[DType, ...] = (),
    feature_list_dense_types: tuple[DType, ...] = (),
    context_dense_shapes: tuple[TensorShape, ...] = (),
    feature_list_sparse_types: tuple[DType, ...] = (),
    feature_list_dense_shapes: tuple[TensorShape, ...] = (),
) -> list[Any]:
    if np.ndim(serialized) != 1:
        raise bad_shape("ParseSequenceExample", want="be a vector", serialized=serialized)
    keys = [context_sparse_keys, context_dense_keys]
    keys += [feature_list_sparse_keys, feature_list_dense_keys]
    attrs = {
        "Ncontext_sparse": Ncontext_sparse,
        "Nfeature_list_sparse": Nfeature_list_sparse,
        "Nfeature_list_dense": Nfeature_list_dense,
        "context_sparse_types": context_sparse_types,
        "context_dense_shapes": context_dense_shapes,
        "feature_list_dense_types": feature_list_dense_types,
        "feature_list_sparse_types": feature_list_sparse_types,
        "feature_list_dense_shapes": feature_list_dense_shapes,
    }
    empty = {key.encode() for key in feature_list_dense_missing_assumed_empty}
    return _sequences(xp, serialized, keys, empty, context_dense_defaults, attrs)


def _single_sequence_shape(
    serialized: Spec,
    empty: Spec,
    context_sparse: list[Spec],
    context_dense: list[Spec],
    list_sparse: list[Spec],
    list_dense: list[Spec],
    defaults: list[Spec],
    debug_name: Spec,
    **attrs: Any,
) -> list[Any]:
    counts = {"Ncontext_sparse": len(context_sparse), "Nfeature_list_sparse": len(list_sparse)}
    return _sequence_shape(len(defaults), len(list_dense), counts, lengths=False)


@op(
    "ParseSingleSequenceExample",
    "serialized: string[0], feature_list_dense_missing_assumed_empty: string[1], "
    "context_sparse_keys: Ncontext_sparse*string, context_dense_keys: Ncontext_dense*string, "
    "feature_list_sparse_keys: Nfeature_list_sparse*string, "
    "feature_list_dense_keys: Nfeature_list_dense*string, context_dense_defaults: *Tcontext_dense, "
    f"debug_name: string -> {_CONTEXT}, {_LISTS}",
    shape=_single_sequence_shape,
)
def _parse_single_sequence_example(
    xp: Namespace,
    serialized: Array,
    feature_list_dense_missing_assumed_empty: Array,
    context_sparse_keys: list[Array],
    context_dense_keys: list[Array],
    feature_list_sparse_keys: list[Array],
    feature_list_dense_keys: list[Array],
    context_dense_defaults: list[Array],
    debug_name: Array,
    *,
    context_sparse_types: tuple[DType, ...] = (),
    feature_list_dense_types: tuple[DType, ...] = (),
    context_dense_shapes: tuple[TensorShape, ...] = (),
    feature_list_sparse_types: tuple[DType, ...] = (),
    feature_list_dense_shapes: tuple[TensorShape, ...] = (),
) -> list[Any]:
    if np.ndim(serialized):
        raise bad_shape("ParseSingleSequenceExample", want="be a scalar", serialized=serialized)
    keys = [context_sparse_keys, context_dense_keys]
    keys += [feature_list_sparse_keys, feature_list_dense_keys]
    attrs = {
        "Ncontext_sparse": len(context_sparse_keys),
        "Nfeature_list_sparse": len(feature_list_sparse_keys),
        "Nfeature_list_dense": len(feature_list_dense_keys),
        "context_sparse_types": context_sparse_types,
        "context_dense_shapes": context_dense_shapes,
        "feature_list_dense_types": feature_list_dense_types,
        "feature_list_sparse_types": feature_list_sparse_types,
        "feature_list_dense_shapes": feature_list_dense_shapes,
    }
    empty = {*np.ravel(feature_list_dense_missing_assumed_empty)}
    return _sequences(xp, serialized, keys, empty, context_dense_defaults, attrs)[:8]
