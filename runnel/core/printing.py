"""How tensors and variables are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from runnel.core import dtypes

if TYPE_CHECKING:
    from runnel.core.dtypes import DType
    from runnel.core.types import Array


def value_text(value: Array, dtype: DType, *, as_repr: bool) -> str:
    """The value as NumPy shows it; text of several lines starts on a line of its own."""
    if dtype is dtypes.resource or dtype is dtypes.variant:
        return "<unprintable>"
    array = np.asarray(value)
    if array.ndim == 0:
        return repr(array.item()) if as_repr else str(array[()])
    text = repr(array) if as_repr else str(array)
    return "\n" + text if "\n" in text else text
