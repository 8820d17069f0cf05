"""Parts of strings by position, and their length, in bytes or in UTF-8 characters."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from runnel.core.dtypes import int32, int64
from runnel.core.errors import bad_shape, bad_value
from runnel.core.op import op
from runnel.core.raw import raw_ops
from runnel.core.registry import no_gradient
from runnel.core.tensor import Tensor
from runnel.core.types import Array, Dims, Namespace, Spec, TensorLike
from runnel.ops.shapes import broadcast, same
from runnel.ops.string_arrays import byte_table, counts_between, packed

_LETTER = re.compile(rb"[\x00-\xff][\x80-\xbf]*")  # a byte with those that go on with it


def _check_unit(op_name: str, unit: str) -> None:
    if unit not in ("BYTE", "UTF8_CHAR"):
        raise bad_value(op_name, want='be "BYTE" or "UTF8_CHAR"', unit=unit)


@op("StringLength", "input: string -> output: int32", host=True, shape=same)
def _string_length(xp: Namespace, input: Array, *, unit: str = "BYTE") -> Array:
    _check_unit("StringLength", unit)
    values = input.ravel().tolist()
    if unit == "BYTE" or b"".join(values).isascii():
        return np.fromiter(map(len, values), np.int32, len(values)).reshape(input.shape)
    table, starts = byte_table(values)
    counts = counts_between((table & 0xC0) != 0x80, starts)  # bytes that begin a character
    return counts.astype(np.int32).reshape(input.shape)


no_gradient("StringLength")


def length(input: TensorLike, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """The number of bytes, or of UTF-8 characters, in each string.

    >>> tf.strings.length(["Grüße", ""], unit="UTF8_CHAR").numpy()
    array([5, 0], dtype=int32)
    """
    return raw_ops.StringLength(input, unit=unit, name=name)  # type: ignore[no-any-return]


def _substr_shape(
    input: Spec, pos: Spec, len: Spec, *, op_name: str = "Substr", **attrs: Any
) -> Dims:
    if pos.rank is not None and len.rank is not None and pos.rank != len.rank:
        raise bad_shape(op_name, want=f"have the shape {pos.shape} of `pos`", len=len)
    return broadcast(input, pos, op_name=op_name)


@op(
    "Substr",
    "input: string, pos: T, len: T -> output: string",
    T=frozenset({int32, int64}),
    host=True,
    shape=_substr_shape,
)
def _substr(xp: Namespace, input: Array, pos: Array, len: Array, *, unit: str = "BYTE") -> Array:
    _check_unit("Substr", unit)
    if pos.shape != len.shape:
        raise bad_shape("Substr", want=f"have the shape {pos.shape} of `pos`", len=len)
    if pos.ndim == 0 and unit == "BYTE" and pos >= 0 and len >= 0:
        return _same_part(input, int(pos), int(len))
    text, first, count = np.broadcast_arrays(input, pos, len)
    flat = zip(text.ravel().tolist(), first.ravel().tolist(), count.ravel().tolist(), strict=True)
    return packed([_part(value, start, size, unit) for value, start, size in flat], text.shape)


def _same_part(input: Array, start: int, size: int) -> Array:
    values, end = input.ravel().tolist(), start + size
    if start > min(map(len, values), default=start):
        short = next(value for value in values if len(value) < start)
        raise bad_value("Substr", want=f"be within the {len(short)} bytes of {short!r}", pos=start)
    return packed([value[start:end] for value in values], input.shape)


def _part(value: bytes, start: int, size: int, unit: str) -> bytes:
    units: Any = value if unit == "BYTE" else _LETTER.findall(value)
    if not -len(units) <= start <= len(units):
        raise bad_value("Substr", want=f"be within the {len(units)} units of {value!r}", pos=start)
    start = start + len(units) if start < 0 else start
    if unit == "UTF8_CHAR":
        return b"".join(units[start : start + max(size, 0)])
    return value[start : start + size] if size >= 0 else value[start:]


no_gradient("Substr")


def substr(
    input: TensorLike, pos: TensorLike, len: TensorLike, unit: str = "BYTE", name: str | None = None
) -> Tensor:
    """The `len` bytes, or characters, of each string from `pos` on; a negative `pos` counts from
    the end.

    >>> tf.strings.substr(["Hello", "World"], pos=1, len=3).numpy()
    array([b'ell', b'orl'], dtype=object)
    """
    return raw_ops.Substr(input, pos, len, unit=unit, name=name)  # type: ignore[no-any-return]
