"""Sparse tensors as strings: three serialized tensors, for indices, values and shape."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.composite.sparse_tensor import SparseTensor
from runnel.core.extend import Tensor, op, raw_ops
from runnel.core.protos import messages
from runnel.core.values import dtypes
from runnel.core.values.array_protos import array_of, content_proto
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.errors import InvalidArgumentError, bad_shape, bad_value
from runnel.core.values.types import Array, Dims, DTypeLike, Namespace, Spec, TensorLike
from runnel.ops.sparse.places import as_sparse, check_parts, check_range, check_sorted, parts

_MOST_AXES = 254  # of a shape in a graph


def _text(array: Array) -> bytes:
    """A tensor as bytes; of strings, first all lengths and then all characters."""
    proto = content_proto(array[:0] if array.dtype == object else array, as_dtype(array.dtype))
    if array.dtype == object:
        proto.tensor_shape.dim[0].size = len(array)
        proto.tensor_content = b"".join([*[_varint(len(x)) for x in array], *array])
    data: bytes = proto.SerializeToString()
    return data


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])


def _strings(content: bytes, count: int) -> Array:
    """The strings that `_text` wrote; ValueError if they end too early or too late."""
    lengths, place = [], 0
    for _ in range(count):
        number = shift = 0
        while True:
            if place >= len(content) or shift > 63:
                raise ValueError("the lengths of the strings are cut off")
            byte = content[place]
            number |= (byte & 0x7F) << shift
            place, shift = place + 1, shift + 7
            if byte < 0x80:
                break
        lengths.append(number)
    if place + sum(lengths) != len(content):
        raise ValueError("the strings do not have the lengths that are given")
    result = np.empty(count, object)
    for i, length in enumerate(lengths):
        result[i] = content[place : place + length]
        place += length
    return result


def _row(out_type: DType, indices: Array, values: Array, shape: Array) -> list[Any]:
    """The three parts as strings; as variants they are what they are."""
    arrays = [np.ascontiguousarray(part) for part in (indices, values, shape)]
    return [_text(array) for array in arrays] if out_type is dtypes.string else arrays


def _objects(rows: list[Any], shape: tuple[int, ...]) -> Array:
    result = np.empty(len(rows), object)
    for place, row in enumerate(rows):  # an assignment of all would look into arrays
        result[place] = row
    return result.reshape(shape)


def _check(
    sparse_indices: Array,
    sparse_values: Array,
    sparse_shape: Array,
    *,
    out_type: DType = dtypes.string,
) -> None:
    ranks = {"sparse_indices": (sparse_indices, 2), "sparse_values": (sparse_values, 1)}
    for name, (array, rank) in {**ranks, "sparse_shape": (sparse_shape, 1)}.items():
        if array.ndim != rank:
            raise bad_shape("SerializeSparse", want=f"have rank {rank}", **{name: array})


def _one_rule(
    sparse_indices: Spec,
    sparse_values: Spec,
    sparse_shape: Spec,
    *,
    out_type: DType = dtypes.string,
) -> Dims:
    return (3,)


_FORMS = frozenset({dtypes.string, dtypes.variant})
_SERIALIZED = (
    "sparse_indices: int64[2], sparse_values: T[1], sparse_shape: int64[1] "
    "-> serialized_sparse: out_type"
)


@op("SerializeSparse", _SERIALIZED, out_type=_FORMS, host=True, shape=_one_rule, check=_check)
def _serialize_sparse(
    xp: Namespace,
    sparse_indices: Array,
    sparse_values: Array,
    sparse_shape: Array,
    *,
    out_type: DType = dtypes.string,
) -> Array:
    return _objects(_row(out_type, sparse_indices, sparse_values, sparse_shape), (3,))


def serialize_sparse(
    sp_input: Any, out_type: DTypeLike = dtypes.string, name: str | None = None
) -> Tensor:
    """A sparse tensor as a vector of three strings, or of variants if `out_type` says so.

    >>> tf.io.serialize_sparse(tf.sparse.eye(2)).shape
    TensorShape([3])
    """
    sparse = as_sparse(sp_input)
    return raw_ops.SerializeSparse(*parts(sparse), out_type=out_type, name=name)  # type: ignore[no-any-return]


def _check_many(
    sparse_indices: Array,
    sparse_values: Array,
    sparse_shape: Array,
    *,
    out_type: DType = dtypes.string,
) -> None:
    name = "SerializeManySparse"
    check_parts(name, sparse_indices, sparse_values, sparse_shape, "sparse_")
    if len(sparse_shape) < 2:
        raise bad_shape(name, want="have two elements or more", sparse_shape=sparse_shape)
    check_range(name, sparse_indices, sparse_shape)
    check_sorted(name, sparse_indices)


def _many_rule(
    sparse_indices: Spec,
    sparse_values: Spec,
    sparse_shape: Spec,
    *,
    out_type: DType = dtypes.string,
) -> Dims:
    return (None, 3)


@op(
    "SerializeManySparse",
    _SERIALIZED,
    out_type=_FORMS,
    host=True,
    shape=_many_rule,
    check=_check_many,
)
def _serialize_many_sparse(
    xp: Namespace,
    sparse_indices: Array,
    sparse_values: Array,
    sparse_shape: Array,
    *,
    out_type: DType = dtypes.string,
) -> Array:
    count, row = int(sparse_shape[0]), sparse_indices[:, 0]
    cuts = np.bincount(row, minlength=count).cumsum()[:-1]
    indices = np.split(sparse_indices[:, 1:], cuts) if count else []
    values = np.split(sparse_values, cuts) if count else []
    rest = sparse_shape[1:]
    pairs = zip(indices, values, strict=True)
    found = [part for pair in pairs for part in _row(out_type, *pair, rest)]
    return _objects(found, (count, 3))


def serialize_many_sparse(
    sp_input: Any, out_type: DTypeLike = dtypes.string, name: str | None = None
) -> Tensor:
    """Each element of a batch of sparse tensors as three strings: a matrix of three columns.

    >>> tf.io.serialize_many_sparse(tf.sparse.eye(2)).shape
    TensorShape([2, 3])
    """
    sparse = as_sparse(sp_input)
    return raw_ops.SerializeManySparse(*parts(sparse), out_type=out_type, name=name)  # type: ignore[no-any-return]


def _parsed(op_name: str, data: Any) -> Array:
    if isinstance(data, np.ndarray):  # of a variant
        return data
    try:
        proto = messages.TensorProto.FromString(data)
        if proto.dtype == dtypes.string.enum and proto.tensor_content:
            return _strings(proto.tensor_content, _count(proto))
        return array_of(proto)
    except Exception as error:  # of protobuf, which has an error class of its own, or ours
        raise bad_value(
            op_name, want=f"be serialized tensors ({error})", serialized_sparse=data[:40]
        ) from None


def _count(proto: Any) -> int:
    dims = [dim.size for dim in proto.tensor_shape.dim]
    if len(dims) != 1 or not 0 <= dims[0] <= len(proto.tensor_content):
        raise ValueError(f"a vector of strings cannot have shape {dims}")
    return int(dims[0])


def _read(op_name: str, row: list[bytes], dtype: DType) -> tuple[Array, Array, Array]:
    indices, values, shape = (_parsed(op_name, text) for text in row)
    if indices.dtype != np.int64 or shape.dtype != np.int64:
        raise bad_value(op_name, want="hold int64 indices and shape", serialized_sparse=indices)
    check_parts(op_name, indices, values, shape)
    if as_dtype(values.dtype) is not dtype:
        found = as_dtype(values.dtype).name
        raise InvalidArgumentError(None, None, f"{op_name}: asked for {dtype.name}, found {found}.")
    return indices, values, shape


def _joined(
    op_name: str, rows: list[list[bytes]], lead: tuple[int, ...], dtype: DType
) -> list[Array]:
    """Rows of three strings as one sparse tensor, with the dimensions `lead` before their own."""
    read = [_read(op_name, row, dtype) for row in rows]
    ranks = {len(shape) for _, _, shape in read}
    if len(ranks) > 1:
        raise bad_value(op_name, want="all have the same rank", serialized_sparse=sorted(ranks))
    shapes = np.array([shape for _, _, shape in read], np.int64)
    whole = np.concatenate([np.array(lead, np.int64), shapes.max(axis=0)])
    indices = [
        np.concatenate([np.tile(np.array(place, np.int64), (len(own), 1)), own], axis=1)
        for place, (own, _, _) in zip(np.ndindex(*lead), read, strict=True)
    ]
    return [np.concatenate(indices), np.concatenate([values for _, values, _ in read]), whole]


def _rows(serialized: Array) -> list[list[bytes]]:
    return [list(row) for row in serialized.reshape(-1, 3)]


def _check_strings(op_name: str, serialized: Array) -> None:
    if not serialized.ndim or serialized.shape[-1] != 3:
        raise bad_shape(op_name, want="have a last dimension of 3", serialized_sparse=serialized)
    if not serialized.size:
        raise bad_shape(op_name, want="not be empty", serialized_sparse=serialized)


def _open_rule(serialized_sparse: Spec, *, dtype: DType) -> list[Dims]:
    return [(None, None), (None,), (None,)]


@op(
    "DeserializeSparse",
    "serialized_sparse: Tserialized[1+] -> sparse_indices: int64, sparse_values: dtype, "
    "sparse_shape: int64",
    Tserialized=frozenset({dtypes.string, dtypes.variant}),
    host=True,
    shape=_open_rule,
)
def _deserialize_sparse(xp: Namespace, serialized_sparse: Array, *, dtype: DType) -> list[Array]:
    name = "DeserializeSparse"
    _check_strings(name, serialized_sparse)
    return _joined(name, _rows(serialized_sparse), serialized_sparse.shape[:-1], dtype)


@op(
    "DeserializeManySparse",
    "serialized_sparse: string -> sparse_indices: int64, sparse_values: dtype, sparse_shape: int64",
    shape=_open_rule,
)
def _deserialize_many_sparse(
    xp: Namespace, serialized_sparse: Array, *, dtype: DType
) -> list[Array]:
    name = "DeserializeManySparse"
    _check_strings(name, serialized_sparse)
    return _joined(name, _rows(serialized_sparse), serialized_sparse.shape[:-1], dtype)


def deserialize_many_sparse(
    serialized_sparse: TensorLike,
    dtype: DTypeLike,
    rank: int | None = None,
    name: str | None = None,
) -> SparseTensor:
    """The batch of sparse tensors that `serialize_many_sparse` made strings of.

    `rank` is what the rank of the whole is known to be.

    >>> strings = tf.io.serialize_many_sparse(tf.sparse.eye(2))
    >>> tf.io.deserialize_many_sparse(strings, tf.float32, rank=2).indices.numpy().tolist()
    [[0, 0], [1, 1]]
    """
    found = raw_ops.DeserializeManySparse(serialized_sparse, dtype=dtype, name=name)
    result = SparseTensor(*found)
    if rank is not None:
        if rank > _MOST_AXES:
            want = f"`rank` must be {_MOST_AXES} at most"
            raise ValueError(f"deserialize_many_sparse: {want}, got {rank}.")
        result.set_shape([None] * rank)
    return result
