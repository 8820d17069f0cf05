"""Functions on strings whose parameters were others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.composite.sparse_tensor import SparseTensor
from runnel.core.op.raw import raw_ops
from runnel.core.settings.scopes import name_scope
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import float32, string
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.ops.array.joining import stack
from runnel.ops.io.csv import decode_csv as new_decode_csv
from runnel.ops.io.examples import parse_example as new_parse_example
from runnel.ops.io.examples import parse_single_example as new_parse_single_example
from runnel.ops.io.raw_bytes import decode_raw as new_decode_raw
from runnel.ops.strings.join import reduce_join as new_reduce_join
from runnel.ops.strings.numbers import to_number as new_to_number
from runnel.ops.strings.split import split as new_split
from runnel.ops.strings.substr import length as new_length
from runnel.ops.strings.substr import substr as new_substr
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
    with name_scope(name or "StringSplit"):
        source = convert_to_tensor(source, string)
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
    with name_scope(name or "StringSplit"):
        input = convert_to_tensor(input, string)
        if input.shape.rank == 0:
            input = stack([input])
        if result_type == "RaggedTensor":
            return new_split(input, sep, maxsplit)
        indices, values, shape = raw_ops.StringSplitV2(
            input=input, sep="" if sep is None else sep, maxsplit=maxsplit
        )
        return _pieces(indices, values, shape, result_type)


def _pieces(indices: Tensor, values: Tensor, shape: Tensor, result_type: str) -> Any:
    indices.set_shape([None, 2])
    values.set_shape([None])
    shape.set_shape([2])
    if result_type == "SparseTensor":
        return SparseTensor(indices, values, shape)
    if result_type == "RaggedTensor":
        return RaggedTensor.from_value_rowids(values, indices[:, 0], shape[0])
    raise ValueError(f"`result_type` is 'SparseTensor' or 'RaggedTensor', got {result_type!r}.")


def reduce_join(
    inputs: TensorLike,
    axis: Any = None,
    keep_dims: bool | None = None,
    separator: str = "",
    name: str | None = None,
    reduction_indices: Any = None,
    keepdims: bool | None = None,
) -> Tensor:
    """Strings joined along dimensions."""
    axis = either("reduce_join", "axis", axis, "reduction_indices", reduction_indices)
    keep = either("reduce_join", "keepdims", keepdims, "keep_dims", keep_dims)
    return new_reduce_join(inputs, axis, bool(keep), separator, name)


def length(input: TensorLike, name: str | None = None, unit: str = "BYTE") -> Tensor:
    """The lengths of strings."""
    return new_length(input, unit, name)


def substr(
    input: TensorLike, pos: TensorLike, len: TensorLike, name: str | None = None, unit: str = "BYTE"
) -> Tensor:
    """Parts of strings."""
    return new_substr(input, pos, len, unit, name)


def to_hash_bucket(
    string_tensor: TensorLike = None,
    num_buckets: int | None = None,
    name: str | None = None,
    input: TensorLike = None,
) -> Tensor:
    """Numbers below `num_buckets` for strings, by their hash."""
    input = either("string_to_hash_bucket", "input", input, "string_tensor", string_tensor)
    return raw_ops.StringToHashBucket(string_tensor=input, num_buckets=num_buckets, name=name)


def to_number(
    string_tensor: TensorLike = None,
    out_type: DTypeLike = float32,
    name: str | None = None,
    input: TensorLike = None,
) -> Tensor:
    """The numbers that strings show."""
    input = either("string_to_number", "input", input, "string_tensor", string_tensor)
    return new_to_number(input, out_type, name)


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
    return new_decode_csv(
        records, record_defaults, field_delim, use_quote_delim, na_value, select_cols, name
    )


def decode_raw(
    input_bytes: TensorLike = None,
    out_type: DTypeLike = None,
    little_endian: bool = True,
    name: str | None = None,
    bytes: TensorLike = None,
) -> Tensor:
    """The bytes of strings as numbers."""
    input_bytes = either("decode_raw", "input_bytes", input_bytes, "bytes", bytes)
    if out_type is None:
        raise ValueError("decode_raw: `out_type` must be given.")
    return new_decode_raw(input_bytes, out_type, little_endian, name=name)


def parse_example(
    serialized: TensorLike,
    features: Any,
    name: str | None = None,
    example_names: TensorLike = None,
) -> Any:
    """The features of a batch of `tf.train.Example`s."""
    return new_parse_example(serialized, features, example_names, name)


def parse_single_example(
    serialized: TensorLike,
    features: Any,
    name: str | None = None,
    example_names: TensorLike = None,
) -> Any:
    """The features of one `tf.train.Example`."""
    return new_parse_single_example(serialized, features, example_names, name)
