"""The one-line notation in which an op says its inputs and outputs.

On the reading path after `core/op/context.py`, before `core/op/traits.py`.

"x: T, y: T -> z: T"                      two inputs of one dtype, an output of the same
"values: N*T, axis: Tidx -> output: T"    a list of tensors of one dtype
"input: *T -> output: *T"                 a list of tensors, each of its own dtype
"resource: resource ->"                   fixed dtypes, no output
"input: T, axis=dim: Tdim -> output: T"   an input that graphs call `dim`
"images: T=float32 -> output: T"          numbers and arrays become float32, if nothing tells T
"a: T[2+], b: T[1], c: T[0-1] -> d: T"    ranks, which are checked while tracing, and known by it
"seed: Tseed[1 of 2], a: T[1!], b: T[1?]" a vector of two; checked before runs too, or only there
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType
from runnel.core.values.ranks import Ranks

_FIXED = frozenset(
    "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 bfloat16 float32 float64 "
    "complex64 complex128 string resource variant qint8 quint8 qint32".split()
)
_INT32 = "Tidx Tperm Tshape Tdim Tblock_shape Tcrops Tpaddings Tmultiples Tk Tnumsegments"
_INT64 = "Tindex TI Tlen"
# The types of inputs that count: a Python float there is a mistake that is noticed at once.
INDEX_TYPES = frozenset(f"{_INT32} {_INT64} index_type".split())
_DEFAULTS = {  # of type attributes, in TensorFlow's registrations
    **dict.fromkeys(f"{_INT32} Tsegmentids index_type".split(), dtypes.int32),
    **dict.fromkeys(f"{_INT64} Tlabels Tsplits Tseed shape_dtype".split(), dtypes.int64),
}


@dataclass(frozen=True, slots=True)
class Arg:
    """An input or output: a tensor, `number` tensors of one dtype, or (`mixed`) of a dtype each.

    `title` is what a graph calls a constant that is made for the input, `default` the dtype of a
    NumPy array of none that the op takes, `preferred` that of anything which is no tensor, `ranks`
    those it may have, where the shape rule leaves that to the declaration.
    """

    name: str
    type: str
    number: str | None = None
    mixed: bool = False
    fixed: DType | None = None
    is_list: bool = False
    title: str = ""
    default: DType | None = None
    preferred: DType | None = None
    ranks: Ranks | None = None

    def default_for(self, value: Any, allowed: Collection[DType] | None) -> DType | None:
        """The default, for an empty list or an array of a dtype that is not allowed; else None."""
        if isinstance(value, np.ndarray | np.generic):
            return self.default if allowed and dtypes.as_dtype(value.dtype) not in allowed else None
        return self.default if isinstance(value, list | tuple) and not value else None


def parse(signature: str) -> tuple[tuple[Arg, ...], tuple[Arg, ...]]:
    """The inputs and outputs that the signature of an op names."""
    left, arrow, right = signature.partition("->")
    if not arrow:
        raise ValueError(f"An op's signature needs an arrow, got {signature!r}.")
    return _parse_args(left), _parse_args(right)


def _parse_args(text: str) -> tuple[Arg, ...]:
    return tuple(_parse_arg(part) for part in text.split(",") if part.strip())


def _parse_arg(text: str) -> Arg:
    names, _, kind = (part.strip() for part in text.partition(":"))
    name, _, title = names.partition("=")
    kind, _, ranks = kind.rstrip("]").partition("[")
    kind, _, preferred = kind.partition("=")
    number, star, type_ = kind.rpartition("*")
    fixed = dtypes.as_dtype(type_) if type_ in _FIXED else None
    mixed = bool(star) and not number
    default = _DEFAULTS.get(type_)
    hint = dtypes.as_dtype(preferred) if preferred else None
    known = Ranks.read(ranks) if ranks else None
    title = title or name
    return Arg(name, type_, number or None, mixed, fixed, bool(star), title, default, hint, known)
