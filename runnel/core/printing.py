"""How tensors and variables are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
        return scalar_text(array[()])
    text = repr(array) if as_repr else str(array)
    return "\n" + text if "\n" in text else text


def scalar_text(value: Any) -> str:
    """One element, without the name of its NumPy class."""
    if isinstance(value, np.generic):
        value = value if value.dtype.kind == "V" or value.dtype.itemsize < 4 else value[()]
        return str(value)
    return repr(value)
