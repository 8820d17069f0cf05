"""Strings as code points and code points as strings, in any encoding: the ops.

The functions that give ragged tensors of code points or characters are in `unicode_rows.py`.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import Tensor, op, raw_ops
from runnel.core.values.dtypes import INDICES, DType, int32, int64
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Namespace, Spec, TensorLike
from runnel.kernels.text import codecs

_SPLITS = frozenset({int32, int64})
_POLICIES = ("strict", "replace", "ignore")


def _check_errors(op_name: str, errors: str) -> None:
    if errors not in _POLICIES:
        raise bad_value(op_name, want=f"be one of {_POLICIES}", errors=errors)


def _check_policy(op_name: str, errors: str, replacement_char: int) -> None:
    _check_errors(op_name, errors)
    if not 0 <= replacement_char < 0x110000:
        want = "be a code point, from 0 to 0x10FFFF"
        raise bad_value(op_name, want=want, replacement_char=replacement_char)


def _check_output(op_name: str, encoding: str) -> None:
    if encoding not in codecs.OUTPUT_ENCODINGS:
        want = f"be one of {sorted(codecs.OUTPUT_ENCODINGS)}"
        raise bad_value(op_name, want=want, output_encoding=encoding)


def _decoded(
    op_name: str, input: Array, encoding: str, errors: str, char: int, control: bool
) -> tuple[Array, Array, Array]:
    """The code points of all strings, the byte of each, and where each string begins."""
    _check_policy(op_name, errors, char)
    name = codecs.codec(encoding)
    if name is None:
        raise bad_value(op_name, want="be a known encoding", input_encoding=encoding)
    found = codecs.decode(input.ravel().tolist(), name)
    if errors == "strict" and found.bad.any():
        row = int(np.searchsorted(found.splits, found.bad.argmax(), "right")) - 1
        raise bad_value(op_name, want=f"hold valid {encoding}", input=input.ravel()[row])
    points, offsets, counts = found.points, found.offsets, found.counts
    replaced = found.bad | (points < 32) if control else found.bad
    if replaced.any() and errors == "ignore":
        counts = found.without(replaced)
        points, offsets = points[~replaced], offsets[~replaced]
    elif replaced.any():
        points = np.where(replaced, np.int32(char), points)
    splits = np.concatenate([np.zeros(1, np.int64), np.cumsum(counts)])
    return points, offsets, splits


def _decode_shape(input: Spec, *, op_name: str, **attrs: Any) -> list[Dims]:
    _check_errors(op_name, attrs["errors"])
    size = input.shape.num_elements()
    return [(None if size is None else size + 1,), (None,)]


@op(
    "UnicodeDecode",
    "input: string -> row_splits: Tsplits, char_values: int32",
    Tsplits=INDICES,
    shape=_decode_shape,
)
def _unicode_decode(
    xp: Namespace,
    input: Array,
    *,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    Tsplits: DType = int64,
) -> tuple[Array, Array]:
    points, _, splits = _decoded(
        "UnicodeDecode", input, input_encoding, errors, replacement_char, replace_control_characters
    )
    return splits.astype(Tsplits.np_dtype), points


def _decode_with_offsets_shape(input: Spec, *, op_name: str, **attrs: Any) -> list[Dims]:
    return [*_decode_shape(input, op_name=op_name, **attrs), (None,)]


@op(
    "UnicodeDecodeWithOffsets",
    "input: string -> row_splits: Tsplits, char_values: int32, char_to_byte_starts: int64",
    Tsplits=INDICES,
    shape=_decode_with_offsets_shape,
)
def _unicode_decode_with_offsets(
    xp: Namespace,
    input: Array,
    *,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    Tsplits: DType = int64,
) -> tuple[Array, Array, Array]:
    name = "UnicodeDecodeWithOffsets"
    points, offsets, splits = _decoded(
        name, input, input_encoding, errors, replacement_char, replace_control_characters
    )
    return splits.astype(Tsplits.np_dtype), points, offsets


def _encode_shape(input_values: Spec, input_splits: Spec, **attrs: Any) -> Dims:
    _check_errors("UnicodeEncode", attrs["errors"])
    _check_output("UnicodeEncode", attrs["output_encoding"])
    for name, spec in (("input_values", input_values), ("input_splits", input_splits)):
        if spec.rank not in (None, 1):
            raise bad_shape("UnicodeEncode", want="be a vector", **{name: spec})
    known = input_splits.dims is not None and input_splits.dims[0] is not None
    return (input_splits.dims[0] - 1,) if known else (None,)  # type: ignore[index,operator]


def _check_splits(input_values: Array, input_splits: Array, **attrs: Any) -> None:
    name = "UnicodeEncode"
    if input_values.ndim != 1 or input_splits.ndim != 1 or not len(input_splits):
        raise bad_shape(
            name, want="be a vector with one element or more", input_splits=input_splits
        )
    size = len(input_values)
    if input_splits[0] != 0 or input_splits[-1] != size or (np.diff(input_splits) < 0).any():
        want = f"go from 0 to {size}, the number of values, and not decrease"
        raise bad_value(name, want=want, input_splits=input_splits)


@op(
    "UnicodeEncode",
    "input_values: int32, input_splits: Tsplits -> output: string",
    Tsplits=_SPLITS,
    shape=_encode_shape,
    check=_check_splits,
)
def _unicode_encode(
    xp: Namespace,
    input_values: Array,
    input_splits: Array,
    *,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
) -> Array:
    _check_policy("UnicodeEncode", errors, replacement_char)
    _check_output("UnicodeEncode", output_encoding)
    points, splits = input_values, input_splits
    bad = (points < 0) | (points >= 0x110000) | codecs.is_surrogate(points)
    if bad.any():
        if errors == "strict":
            want = "be code points, neither surrogates nor out of range"
            raise bad_value("UnicodeEncode", want=want, input_values=points[bad])
        if errors == "ignore":
            kept = np.concatenate([np.zeros(1, np.int64), np.cumsum(~bad)])
            points, splits = points[~bad], kept[splits]
        else:
            points = np.where(bad, np.int32(replacement_char), points)
    return codecs.encode(points, splits, output_encoding)


def _transcode_shape(input: Spec, **attrs: Any) -> Dims:
    _check_errors("UnicodeTranscode", attrs["errors"])
    _check_output("UnicodeTranscode", attrs["output_encoding"])
    return input.dims


@op("UnicodeTranscode", "input: string -> output: string", shape=_transcode_shape)
def _unicode_transcode(
    xp: Namespace,
    input: Array,
    *,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
) -> Array:
    name = "UnicodeTranscode"
    _check_output(name, output_encoding)
    strict = errors == "strict" and replace_control_characters
    points, _, splits = _decoded(
        name,
        input,
        input_encoding,
        errors,
        replacement_char,
        replace_control_characters and not strict,
    )
    if strict and (points < 32).any():
        raise bad_value(name, want="hold no control characters", input=input)
    return codecs.encode(points, splits, output_encoding).reshape(input.shape)


def unicode_transcode(
    input: TensorLike,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    r"""Strings in another encoding: "UTF-8", "UTF-16-BE" or "UTF-32-BE".

    `errors` says what becomes of bytes that are no character: `replacement_char`, nothing
    ("ignore"), or an error ("strict").

    >>> tf.strings.unicode_transcode(["Hé", b"\xff"], "UTF-8", "UTF-16-BE").numpy()
    array([b'\x00H\x00\xe9', b'\xff\xfd'], dtype=object)
    """
    return raw_ops.UnicodeTranscode(  # type: ignore[no-any-return]
        input,
        input_encoding=input_encoding,
        output_encoding=output_encoding,
        errors=errors,
        replacement_char=replacement_char,
        replace_control_characters=replace_control_characters,
        name=name,
    )
