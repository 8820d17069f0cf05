"""How tensors and variables are shown."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.core.values import dtypes

if TYPE_CHECKING:
    from runnel.core.values.dtypes import DType
    from runnel.core.values.types import Array


def value_text(value: Array, dtype: DType, *, as_repr: bool) -> str:
    """The value as NumPy shows it; text of several lines starts on a line of its own."""
    if dtype is dtypes.resource or dtype is dtypes.variant:
        return handle_text(value)
    array = np.asarray(value)
    if array.ndim == 0:
        return repr(array.item()) if as_repr else str(array[()])
    text = repr(array) if as_repr else str(array)
    return "\n" + text if "\n" in text else text


def handle_text(held: Any) -> str:
    """What a handle points to, in TensorFlow's words for a variable."""
    shape = getattr(held, "static_shape", None)
    if shape is None:
        return f"<{type(held).__name__}>"
    sizes = "" if shape.rank is None else ",".join("?" if d is None else str(d) for d in shape)
    dims = "<unknown>" if shape.rank is None else f"[{sizes}]"
    return (
        f'<ResourceHandle(name="{held.name}", container="Anonymous", type="tensorflow::Var", '
        f'dtype and shapes : "[ DType enum: {held.dtype.enum}, Shape: {dims} ]")>'
    )
