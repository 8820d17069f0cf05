"""Functions on strings whose parameters were others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import runnel as tf
from runnel.core.op.raw import raw_ops
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.v1.ops.arguments import either


def string_split(
    source: TensorLike,
    sep: Any = None,
    skip_empty: bool = True,
    delimiter: Any = None,
    result_type: str = "SparseTensor",
    name: str | None = None,
) -> Any:
    """The pieces of strings between separators, each character of which separates."""
    sep = either("string_split", "sep", sep, "delimiter", delimiter)
    with tf.name_scope(name or "StringSplit"):
        source = tf.convert_to_tensor(source, tf.string)
        indices, values, shape = raw_ops.StringSplit(
            input=source, delimiter=" " if sep is None else sep, skip_empty=skip_empty
        )
        return _pieces(indices, values, shape, result_type)


def split(
    input: TensorLike = None,
    sep: Any = None,
    maxsplit: int = -1,
    result_type: str = "SparseTensor",
    source: TensorLike = None,
    name: str | None = None,
) -> Any:
    """The pieces of strings between separators, as `str.split` cuts them."""
    input = either("strings.split", "input", input, "source", source)
    with tf.name_scope(name or "StringSplit"):
        input = tf.convert_to_tensor(input, tf.string)
        if input.shape.rank == 0:
            input = tf.stack([input])
        if result_type == "RaggedTensor":
            return tf.strings.split(input, sep, maxsplit)
        indices, values, shape = raw_ops.StringSplitV2(
            input=input, sep="" if sep is None else sep, maxsplit=maxsplit
        )
        return _pieces(indices, values, shape, result_type)


def _pieces(indices: tf.Tensor, values: tf.Tensor, shape: tf.Tensor, result_type: str) -> Any:
    indices.set_shape([None, 2])
    values.set_shape([None])
    shape.set_shape([2])
    if result_type == "SparseTensor":
        return tf.SparseTensor(indices, values, shape)
    if result_type == "RaggedTensor":
        return tf.RaggedTensor.from_value_rowids(values, indices[:, 0], shape[0])
    raise ValueError(f"`result_type` is 'SparseTensor' or 'RaggedTensor', got {result_type!r}.")


def reduce_join(
    inputs: TensorLike,
    axis: Any = None,
    keep_dims: bool | None = None,
    separator: str = "",
    name: str | None = None,
    reduction_indices: Any = None,
    keepdims: bool | None = None,
) -> tf.Tensor:
    """Strings joined along dimensions."""
    axis = either("reduce_join", "axis", axis, "reduction_indices", reduction_indices)
    keep = either("reduce_join", "keepdims", keepdims, "keep_dims", keep_dims)
    return tf.strings.reduce_join(inputs, axis, bool(keep), separator, name)


def length(input: TensorLike, name: str | None = None, unit: str = "BYTE") -> tf.Tensor:
    """The lengths of strings."""
    return tf.strings.length(input, unit, name)


def substr(
    input: TensorLike, pos: TensorLike, len: TensorLike, name: str | None = None, unit: str = "BYTE"
) -> tf.Tensor:
    """Parts of strings."""
    return tf.strings.substr(input, pos, len, unit, name)


def to_hash_bucket(
    string_tensor: TensorLike = None,
    num_buckets: int | None = None,
    name: str | None = None,
    input: TensorLike = None,
) -> tf.Tensor:
    """Numbers below `num_buckets` for strings, by their hash."""
    input = either("string_to_hash_bucket", "input", input, "string_tensor", string_tensor)
    return raw_ops.StringToHashBucket(string_tensor=input, num_buckets=num_buckets, name=name)


def to_number(
    string_tensor: TensorLike = None,
    out_type: DTypeLike = tf.float32,
    name: str | None = None,
    input: TensorLike = None,
) -> tf.Tensor:
    """The numbers that strings show."""
    input = either("string_to_number", "input", input, "string_tensor", string_tensor)
    return tf.strings.to_number(input, out_type, name)


def decode_csv(
    records: TensorLike,
    record_defaults: Sequence[Any],
    field_delim: str = ",",
    use_quote_delim: bool = True,
    name: str | None = None,
    na_value: str = "",
    select_cols: Sequence[int] | None = None,
) -> Any:
    """The columns of lines of CSV."""
    return tf.io.decode_csv(
        records, record_defaults, field_delim, use_quote_delim, na_value, select_cols, name
    )


def decode_raw(
    input_bytes: TensorLike = None,
    out_type: DTypeLike = None,
    little_endian: bool = True,
    name: str | None = None,
    bytes: TensorLike = None,
) -> tf.Tensor:
    """The bytes of strings as numbers."""
    input_bytes = either("decode_raw", "input_bytes", input_bytes, "bytes", bytes)
    if out_type is None:
        raise ValueError("decode_raw: `out_type` must be given.")
    return tf.io.decode_raw(input_bytes, out_type, little_endian, name=name)


def parse_example(
    serialized: TensorLike, features: Any, name: str | None = None, example_names: TensorLike = None
) -> Any:
    """The features of a batch of `tf.train.Example`s."""
    return tf.io.parse_example(serialized, features, example_names, name)


def parse_single_example(
    serialized: TensorLike, features: Any, name: str | None = None, example_names: TensorLike = None
) -> Any:
    """The features of one `tf.train.Example`."""
    return tf.io.parse_single_example(serialized, features, example_names, name)
