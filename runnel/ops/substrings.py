"""Parts of strings, by position: `tf.strings.substr`."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.dtypes import int32, int64
from runnel.core.errors import bad_value
from runnel.core.op import op
from runnel.core.raw import raw_ops
from runnel.core.registry import no_gradient
from runnel.core.tensor import Tensor
from runnel.core.types import Array, Dims, Namespace, Spec, TensorLike
from runnel.ops.shapes import broadcast


def _substr_shape(input: Spec, pos: Spec, len: Spec, *, op_name: str, **attrs: Any) -> Dims:
    return broadcast(input, pos, op_name=op_name)


@op(
    "Substr",
    "input: string, pos: T, len: T -> output: string",
    T=frozenset({int32, int64}),
    host=True,
    shape=_substr_shape,
)
def _substr(xp: Namespace, input: Array, pos: Array, len: Array, *, unit: str = "BYTE") -> Array:
    if unit not in ("BYTE", "UTF8_CHAR"):
        raise bad_value("Substr", want='be "BYTE" or "UTF8_CHAR"', unit=unit)
    text, first, count = np.broadcast_arrays(input, pos, len)
    flat = zip(text.ravel().tolist(), first.ravel().tolist(), count.ravel().tolist(), strict=True)
    parts = [_part(value, start, size, unit) for value, start, size in flat]
    result = np.empty(np.size(text), object)
    result[:] = parts
    return result.reshape(text.shape)


def _part(value: bytes, start: int, size: int, unit: str) -> bytes:
    units: Any = value if unit == "BYTE" else value.decode("utf-8", "surrogateescape")
    if not -len(units) <= start <= len(units):
        raise bad_value("Substr", want=f"be within the {len(units)} units of {value!r}", pos=start)
    start = start + len(units) if start < 0 else start
    found = units[start : start + max(size, 0)]
    return found if unit == "BYTE" else found.encode("utf-8", "surrogateescape")


no_gradient("Substr")


def substr(
    input: TensorLike, pos: TensorLike, len: TensorLike, unit: str = "BYTE", name: str | None = None
) -> Tensor:
    """The `len` bytes, or characters, of each string from `pos` on; a negative `pos` counts from
    the end.

    >>> tf.raw_ops.Substr(input=["Hello", "World"], pos=1, len=3).numpy()
    array([b'ell', b'orl'], dtype=object)
    """
    return raw_ops.Substr(input, pos, len, unit=unit, name=name)  # type: ignore[no-any-return]
