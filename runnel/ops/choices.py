"""The values that attributes of ops may have: `padding=PADDING, ksize=at_least(4)`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

PADDING = frozenset({"SAME", "VALID"})
PADDING_OR_PAIRS = PADDING | {"EXPLICIT"}
LAYOUT = frozenset({"NHWC", "NCHW"})
LAYOUT_3D = frozenset({"NDHWC", "NCDHW"})
LAYOUT_ANY = LAYOUT | LAYOUT_3D
LAYOUT_OR_PACKED = LAYOUT | {"NCHW_VECT_C"}
MIRROR = frozenset({"REFLECT", "SYMMETRIC"})
ALIGN = frozenset({"LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"})
QUANTIZING = frozenset({"MIN_COMBINED", "MIN_FIRST", "SCALED"})
ROUNDING = frozenset({"HALF_TO_EVEN", "HALF_UP"})
ROUNDING_AWAY = frozenset({"HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN"})
SAMPLING = frozenset({"bilinear", "nearest"})


@dataclass(frozen=True)
class AtLeast:
    """The numbers from `least` on, and the lists of so many elements or more."""

    least: int

    def __contains__(self, value: Any) -> bool:
        return (len(value) if isinstance(value, tuple) else value) >= self.least

    def __str__(self) -> str:
        return f"at least {self.least}, or so many"


at_least = AtLeast


def of_pools(layout: str) -> dict[str, Any]:
    """What the attributes of a pool in two or three dimensions may be."""
    sizes = at_least(len(layout))
    layouts = LAYOUT if layout in LAYOUT else LAYOUT_3D
    return {"padding": PADDING, "data_format": layouts, "ksize": sizes, "strides": sizes}
