"""`tf.io.parse_example` and its family: records of features as tensors."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.composite.sparse_tensor import SparseTensor
from runnel.core.extend import Tensor, convert_to_tensor, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import TensorLike
from runnel.ops.io import example_parsing as _example_parsing  # noqa: F401 (declares the ops)
from runnel.ops.io.example_features import (
    FixedLenFeature,
    FixedLenSequenceFeature,
    RaggedFeature,
    SparseFeature,
    VarLenFeature,
)
from runnel.ops.io.ragged_features import partitioned

_TYPES = (dtypes.float32, dtypes.int64, dtypes.string)


class _Wanted:
    """What to ask an op for: keys, dtypes, shapes and defaults, by kind of feature."""

    def __init__(self, features: Mapping[str, Any] | None, allowed: tuple[type, ...]) -> None:
        self.features = dict(features or {})
        self.sparse: dict[str, DType] = {}
        self.dense: dict[str, tuple[TensorShape, DType, Any]] = {}
        self.ragged: dict[str, tuple[DType, DType]] = {}
        self.may_miss: list[bool] = []
        for key in sorted(self.features):
            feature = self.features[key]
            if not isinstance(feature, allowed):
                names = ", ".join(kind.__name__ for kind in allowed)
                raise ValueError(f"Feature {key!r} must be one of {names}, got {feature!r}.")
            _ADDERS[type(feature)](self, key, feature)

    def add_sparse(self, key: str, dtype: Any) -> None:
        dtype = _checked(key, dtype)
        if self.sparse.setdefault(key, dtype) is not dtype:
            raise ValueError(f"Feature {key!r} is wanted with two dtypes.")

    def add_fixed(self, key: str, feature: FixedLenFeature) -> None:
        if feature.shape is None:
            raise ValueError(f"Feature {key!r}: its shape is missing.")
        shape = TensorShape(feature.shape)
        if not shape.is_fully_defined():
            raise ValueError(f"Feature {key!r}: all sizes must be known, got shape {shape}.")
        dtype = _checked(key, feature.dtype)
        self.dense[key] = shape, dtype, _default(feature.default_value, dtype, shape.as_list())

    def add_sequence(self, key: str, feature: FixedLenSequenceFeature) -> None:
        dtype = _checked(key, feature.dtype)
        shape = TensorShape([None]).concatenate(TensorShape(feature.shape))
        self.may_miss.append(bool(feature.allow_missing))
        default = feature.default_value
        if default is None:
            default = "" if dtype is dtypes.string else 0
        size = [1] + [1] * len(TensorShape(feature.shape))
        self.dense[key] = shape, dtype, _default(default, dtype, size)

    def add_pair(self, key: str, feature: SparseFeature) -> None:
        for name in _index_keys(feature):
            self.add_sparse(name, dtypes.int64)
        self.add_sparse(feature.value_key, feature.dtype)

    def add_ragged(self, key: str, feature: RaggedFeature) -> None:
        self._add_ragged(feature.value_key or key, feature.dtype, feature.row_splits_dtype)
        for partition in feature.partitions:
            if not isinstance(partition, RaggedFeature.UniformRowLength):
                self._add_ragged(partition.key, dtypes.int64, feature.row_splits_dtype)

    def _add_ragged(self, key: str, dtype: DType, splits: DType) -> None:
        wanted = _checked(key, dtype), splits
        if self.ragged.setdefault(key, wanted) != wanted:
            raise ValueError(f"Feature {key!r} is wanted with two dtypes.")


def _checked(key: str, dtype: Any) -> DType:
    if dtype is None:
        raise ValueError(f"Feature {key!r}: its dtype is missing.")
    dtype = as_dtype(dtype)
    if dtype not in _TYPES:
        message = f"Feature {key!r}: records hold float32, int64 and string, got {dtype.name}."
        raise InvalidArgumentError(None, None, message)
    return dtype


def _default(value: Any, dtype: DType, dims: list[Any]) -> Tensor:
    if value is None:
        return convert_to_tensor(np.zeros(0, dtype.np_dtype), dtype=dtype)
    tensor = convert_to_tensor(value, dtype=dtype)
    return raw_ops.Reshape(tensor, np.array(dims, np.int32))  # type: ignore[no-any-return]


def _index_keys(feature: SparseFeature) -> list[str]:
    keys = feature.index_key
    return [keys] if isinstance(keys, str) else list(keys)


_ADDERS: dict[type, Any] = {
    VarLenFeature: lambda wanted, key, feature: wanted.add_sparse(key, feature.dtype),
    FixedLenFeature: _Wanted.add_fixed,
    FixedLenSequenceFeature: _Wanted.add_sequence,
    SparseFeature: _Wanted.add_pair,
    RaggedFeature: _Wanted.add_ragged,
}
_KINDS = tuple(_ADDERS)
_LIST_KINDS = (VarLenFeature, FixedLenSequenceFeature, RaggedFeature)


def parse_example(
    serialized: TensorLike,
    features: Mapping[str, Any],
    example_names: TensorLike | None = None,
    name: str | None = None,
) -> dict[str, Any]:
    """The features of serialized `tf.train.Example`s: of one, or of a batch.

    >>> example = tf.train.Example()
    >>> example.features.feature["x"].int64_list.value.extend([1, 2])
    >>> tf.io.parse_example(
    ...     [example.SerializeToString()], {"x": tf.io.FixedLenFeature([2], tf.int64)}
    ... )["x"].numpy()
    array([[1, 2]])
    """
    if not features:
        raise ValueError("parse_example: `features` must not be empty.")
    if not isinstance(features, Mapping):
        raise TypeError(f"parse_example: `features` must be a dict, got {features!r}.")
    serialized = _records(serialized, "parse_example")
    _check_sequences(features)
    wanted = _Wanted(features, _KINDS)
    names = _strings([]) if example_names is None else convert_to_tensor(example_names)
    flat = raw_ops.ParseExampleV2(
        serialized,
        names,
        _strings(wanted.sparse),
        _strings(wanted.dense),
        _strings(wanted.ragged),
        [default for _, _, default in wanted.dense.values()],
        num_sparse=len(wanted.sparse),
        sparse_types=tuple(wanted.sparse.values()),
        ragged_value_types=tuple(dtype for dtype, _ in wanted.ragged.values()),
        ragged_split_types=tuple(splits for _, splits in wanted.ragged.values()),
        dense_shapes=tuple(shape for shape, _, _ in wanted.dense.values()),
        name=name,
    )
    return _assembled(wanted, _Flat(flat), serialized.shape.rank == 0)


def _check_sequences(features: Mapping[str, Any]) -> None:
    for key, feature in features.items():
        if isinstance(feature, FixedLenSequenceFeature) and not feature.allow_missing:
            raise ValueError(
                f"Feature {key!r}: a FixedLenSequenceFeature must have allow_missing=True here."
            )


def _records(serialized: TensorLike, what: str) -> Tensor:
    tensor = convert_to_tensor(serialized, dtype=dtypes.string)
    if tensor.shape.rank is not None and tensor.shape.rank > 1:
        raise ValueError(
            f"{what}: `serialized` must be a scalar or a vector, got shape {tensor.shape}."
        )
    return tensor


def _strings(keys: Any) -> Any:
    made = np.empty(len(keys), object)
    made[:] = [key.encode() for key in keys]
    return made


class _Flat:
    """The outputs of an op, taken in order."""

    def __init__(self, tensors: Any) -> None:
        self._rest = iter(tensors)

    def take(self, keys: Any) -> dict[str, Any]:
        return {key: next(self._rest) for key in keys}


def _assembled(wanted: _Wanted, flat: _Flat, single: bool) -> dict[str, Any]:
    places, values, shapes = (flat.take(wanted.sparse) for _ in range(3))
    dense = flat.take(wanted.dense)
    rows, splits = flat.take(wanted.ragged), flat.take(wanted.ragged)
    sparse = {key: SparseTensor(places[key], values[key], shapes[key]) for key in wanted.sparse}
    ragged = {
        key: rows[key]
        if single
        else RaggedTensor.from_row_splits(rows[key], splits[key], validate=False)
        for key in wanted.ragged
    }
    order = [*wanted.sparse, *wanted.dense, *wanted.ragged, *sorted(wanted.features)]
    return {
        key: _result(wanted.features[key], key, sparse, dense, ragged)
        for key in dict.fromkeys(order)
        if key in wanted.features
    }


def _result(
    feature: Any,
    key: str,
    sparse: dict[str, SparseTensor],
    dense: dict[str, Tensor],
    ragged: dict[str, Any],
) -> Any:
    if isinstance(feature, VarLenFeature):
        return sparse[key]
    if isinstance(feature, SparseFeature):
        return _merged(feature, sparse)
    if isinstance(feature, RaggedFeature):
        return partitioned(feature, ragged[feature.value_key or key], ragged)
    return dense[key]


def _merged(feature: SparseFeature, sparse: dict[str, SparseTensor]) -> SparseTensor:
    """The sparse tensor whose indices are the values of other features."""
    values = sparse[feature.value_key]
    sizes = [feature.size] if isinstance(feature.size, int) else list(feature.size)
    columns = [sparse[key].values for key in _index_keys(feature)]
    batched = values.indices.shape[1] == 2
    if batched:
        columns.insert(0, values.indices[:, 0])
    indices = raw_ops.Pack(columns, axis=1)
    batch = [values.dense_shape[:1]] if batched else []
    shape = (
        raw_ops.ConcatV2([*batch, np.array(sizes, np.int64)], np.int32(0))
        if batch
        else (convert_to_tensor(np.array(sizes, np.int64)))
    )
    made = SparseTensor(indices, values.values, shape)
    if feature.already_sorted:
        return made
    ordered = raw_ops.SparseReorder(made.indices, made.values, made.dense_shape)
    return SparseTensor(ordered[0], ordered[1], made.dense_shape)


def parse_single_example(
    serialized: TensorLike,
    features: Mapping[str, Any],
    example_names: TensorLike | None = None,
    name: str | None = None,
) -> dict[str, Any]:
    """The features of one serialized `tf.train.Example`.

    Args:
        serialized: a string.
        features: what to read: `FixedLenFeature`s and their like, by name.
        example_names: names for error messages.

    >>> example = tf.train.Example()
    >>> example.features.feature["x"].float_list.value.append(1.5)
    >>> features = {"x": tf.io.FixedLenFeature([], tf.float32)}
    >>> tf.io.parse_single_example(example.SerializeToString(), features)["x"].numpy()
    np.float32(1.5)
    """
    if not features:
        raise ValueError("parse_single_example: `features` must not be empty.")
    serialized = convert_to_tensor(serialized, dtype=dtypes.string)
    if serialized.shape.rank:
        raise ValueError(
            f"parse_single_example: `serialized` must be a scalar, got shape {serialized.shape}."
        )
    if serialized.shape.rank is None:
        serialized = raw_ops.Reshape(serialized, np.zeros(0, np.int32))
    return parse_example(serialized, features, example_names, name)


def _parse_sequences(
    serialized: Tensor,
    context_features: Mapping[str, Any] | None,
    sequence_features: Mapping[str, Any] | None,
    example_names: Any,
    name: str | None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    if not (context_features or sequence_features):
        raise ValueError("Give `context_features` or `sequence_features`.")
    context = _Wanted(context_features, (VarLenFeature, FixedLenFeature, RaggedFeature))
    lists = _Wanted(sequence_features, _LIST_KINDS)
    single = serialized.shape.rank == 0
    nothing: Any = _strings([]) if not single else np.array(b"", object)
    flat = _Flat(
        raw_ops.ParseSequenceExampleV2(
            serialized,
            nothing if example_names is None else convert_to_tensor(example_names),
            _strings(context.sparse),
            _strings(context.dense),
            _strings(context.ragged),
            _strings(lists.sparse),
            _strings(lists.dense),
            _strings(lists.ragged),
            np.array(lists.may_miss, bool),
            [default for _, _, default in context.dense.values()],
            Ncontext_sparse=len(context.sparse),
            context_sparse_types=tuple(context.sparse.values()),
            context_ragged_value_types=tuple(d for d, _ in context.ragged.values()),
            context_ragged_split_types=tuple(s for _, s in context.ragged.values()),
            context_dense_shapes=tuple(s for s, _, _ in context.dense.values()),
            Nfeature_list_sparse=len(lists.sparse),
            Nfeature_list_dense=len(lists.dense),
            feature_list_dense_types=tuple(d for _, d, _ in lists.dense.values()),
            feature_list_sparse_types=tuple(lists.sparse.values()),
            feature_list_ragged_value_types=tuple(d for d, _ in lists.ragged.values()),
            feature_list_ragged_split_types=tuple(s for _, s in lists.ragged.values()),
            feature_list_dense_shapes=tuple(s[1:] for s, _, _ in lists.dense.values()),
            name=name,
        )
    )
    return (_assembled(context, flat, single), *_assembled_lists(lists, flat, single))


def _assembled_lists(
    wanted: _Wanted, flat: _Flat, single: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    places, values, shapes = (flat.take(wanted.sparse) for _ in range(3))
    dense, lengths = flat.take(wanted.dense), flat.take(wanted.dense)
    rows, outer, inner = (flat.take(wanted.ragged) for _ in range(3))
    sparse = {key: SparseTensor(places[key], values[key], shapes[key]) for key in wanted.sparse}
    ragged = {}
    for key in wanted.ragged:
        steps = RaggedTensor.from_row_splits(rows[key], inner[key], validate=False)
        if not single:
            steps = RaggedTensor.from_row_splits(steps, outer[key], validate=False)
        ragged[key] = steps
    found = {
        key: _list_result(feature, key, sparse, dense, ragged, single)
        for key, feature in sorted(wanted.features.items())
    }
    return found, lengths


def _list_result(
    feature: Any, key: str, sparse: Any, dense: Any, ragged: dict[str, RaggedTensor], single: bool
) -> Any:
    if isinstance(feature, RaggedFeature):
        return _list_partitioned(feature, ragged[feature.value_key or key], ragged, single)
    return sparse[key] if isinstance(feature, VarLenFeature) else dense[key]


def _list_partitioned(
    feature: RaggedFeature, steps: RaggedTensor, parts: dict[str, RaggedTensor], single: bool
) -> Any:
    """The steps of all records cut as the steps of other feature lists say."""
    if single or not feature.partitions:
        return partitioned(feature, steps, parts)
    inner = partitioned(feature, steps.values, {key: part.values for key, part in parts.items()})
    return RaggedTensor.from_row_splits(inner, steps.row_splits, validate=feature.validate)


def parse_sequence_example(
    serialized: TensorLike,
    context_features: Mapping[str, Any] | None = None,
    sequence_features: Mapping[str, Any] | None = None,
    example_names: TensorLike | None = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any], dict[str, Any]]:
    """The context, the feature lists and their lengths of a batch of `tf.train.SequenceExample`s.

    >>> example = tf.train.SequenceExample()
    >>> steps = example.feature_lists.feature_list["x"]
    >>> for n in (1, 2):
    ...     steps.feature.add().int64_list.value.append(n)
    >>> features = {"x": tf.io.FixedLenSequenceFeature([], tf.int64)}
    >>> _, lists, lengths = tf.io.parse_sequence_example(
    ...     [example.SerializeToString()], sequence_features=features
    ... )
    >>> lists["x"].numpy(), lengths["x"].numpy()
    (array([[1, 2]]), array([2]))
    """
    tensor = _records(serialized, "parse_sequence_example")
    return _parse_sequences(tensor, context_features, sequence_features, example_names, name)


def parse_single_sequence_example(
    serialized: TensorLike,
    context_features: Mapping[str, Any] | None = None,
    sequence_features: Mapping[str, Any] | None = None,
    example_name: TensorLike | None = None,
    name: str | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The context and the feature lists of one `tf.train.SequenceExample`.

    >>> example = tf.train.SequenceExample()
    >>> example.context.feature["n"].int64_list.value.append(7)
    >>> context, _ = tf.io.parse_single_sequence_example(
    ...     example.SerializeToString(), {"n": tf.io.FixedLenFeature([], tf.int64)}
    ... )
    >>> context["n"].numpy()
    np.int64(7)
    """
    tensor = convert_to_tensor(serialized, dtype=dtypes.string)
    if tensor.shape.rank:
        raise ValueError(
            f"parse_single_sequence_example: `serialized` must be a scalar, got {tensor.shape}."
        )
    tensor = raw_ops.Reshape(tensor, np.zeros(0, np.int32))
    return _parse_sequences(tensor, context_features, sequence_features, example_name, name)[:2]
