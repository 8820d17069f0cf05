"""Strings as rows of code points or characters, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.op.raw import raw_ops
from runnel.core.settings.scopes import name_scope
from runnel.core.values.types import TensorLike
from runnel.ops.strings.rows import as_tensor, each_row

_NO_DIMS = np.zeros(0, np.int32)


def _points(input: Any, **options: Any) -> Any:
    """A ragged tensor of the code points of each string of a vector."""
    splits, points = raw_ops.UnicodeDecode(input, **options)
    return RaggedTensor.from_row_splits(points, splits, validate=False)


def _points_and_offsets(input: Any, **options: Any) -> Any:
    splits, points, offsets = raw_ops.UnicodeDecodeWithOffsets(input, **options)
    rows = RaggedTensor.from_row_splits(points, splits, validate=False)
    return rows, rows.with_values(offsets)


def unicode_decode(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """The code points of each string, as rows.

    `errors` says what becomes of bytes that are no character: `replacement_char`, nothing
    ("ignore"), or an error ("strict").

    >>> tf.strings.unicode_decode(["Gö", "a"], "UTF-8").to_list()
    [[71, 246], [97]]
    """
    with name_scope(name or "UnicodeDecode"):
        return each_row(
            as_tensor(input),
            lambda x: _points(
                x,
                input_encoding=input_encoding,
                errors=errors,
                replacement_char=replacement_char,
                replace_control_characters=replace_control_characters,
            ),
        )


def unicode_decode_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The code points of each string, and the bytes at which they begin.

    >>> tf.strings.unicode_decode_with_offsets(["Gö!"], "UTF-8")[1].to_list()
    [[0, 1, 3]]
    """
    with name_scope(name or "UnicodeDecodeWithOffsets"):
        found: tuple[Any, Any] = each_row(
            as_tensor(input),
            lambda x: _points_and_offsets(
                x,
                input_encoding=input_encoding,
                errors=errors,
                replacement_char=replacement_char,
                replace_control_characters=replace_control_characters,
            ),
        )
        return found


def unicode_split(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """Each string cut into a row of its characters.

    >>> tf.strings.unicode_split("Gö", "UTF-8").numpy()
    array([b'G', b'\\xc3\\xb6'], dtype=object)
    """
    with name_scope(name or "UnicodeSplit"):
        points = unicode_decode(input, input_encoding, errors, replacement_char)
        return _letters(points, input_encoding, errors, replacement_char)


def unicode_split_with_offsets(
    input: TensorLike,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> tuple[Any, Any]:
    """The characters of each string, and the bytes at which they begin.

    >>> tf.strings.unicode_split_with_offsets(["Gö!"], "UTF-8")[1].to_list()
    [[0, 1, 3]]
    """
    with name_scope(name or "UnicodeSplitWithOffsets"):
        points, offsets = unicode_decode_with_offsets(
            input, input_encoding, errors, replacement_char
        )
        return _letters(points, input_encoding, errors, replacement_char), offsets


def _letters(points: Any, encoding: str, errors: str, replacement_char: int) -> Any:
    """A string for each code point."""

    def encoded(values: Any) -> Any:
        splits = raw_ops.Range(0, raw_ops.Size(values) + 1, 1)
        return raw_ops.UnicodeEncode(
            values,
            splits,
            output_encoding=encoding,
            errors=errors,
            replacement_char=replacement_char,
        )

    if isinstance(points, RaggedTensor):
        return points.with_flat_values(encoded(points.flat_values))
    return encoded(points)


def unicode_encode(
    input: TensorLike,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    name: str | None = None,
) -> Any:
    """The strings that rows of code points make, in "UTF-8", "UTF-16-BE" or "UTF-32-BE".

    >>> tf.strings.unicode_encode([[71, 246], [97, 98]], "UTF-8").numpy()
    array([b'G\\xc3\\xb6', b'ab'], dtype=object)
    """
    points = as_tensor(input)

    def encoded(values: Any, splits: Any) -> Any:
        return raw_ops.UnicodeEncode(
            values,
            splits,
            output_encoding=output_encoding,
            errors=errors,
            replacement_char=replacement_char,
        )

    with name_scope(name or "UnicodeEncode"):
        return _encode_rows(points, encoded)


def _encode_rows(points: Any, encoded: Callable[[Any, Any], Any]) -> Any:
    if isinstance(points, RaggedTensor):
        if points.values.shape.rank == 1:
            return encoded(points.values, points.row_splits)
        return points.with_values(_encode_rows(points.values, encoded))
    rank = points.shape.rank
    if rank is None:
        raise ValueError("Rank of `input` must be statically known.")
    if rank == 0:
        raise ValueError("input_tensor's rank must be at least 1.")
    if rank == 1:
        size = raw_ops.Shape(points, out_type="int64")
        return raw_ops.Reshape(encoded(points, raw_ops.ConcatV2([[0], size], 0)), _NO_DIMS)
    shape = raw_ops.Shape(points, out_type="int64")
    rows = RaggedTensor.from_tensor(raw_ops.Reshape(points, [-1, *shape[-1:]]))
    return raw_ops.Reshape(encoded(rows.values, rows.row_splits), shape[:-1])
