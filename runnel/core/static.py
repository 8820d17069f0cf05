"""What is known of a tensor's value before it is computed."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.tensor import EagerTensor


def constant_value(tensor: Any) -> np.ndarray[Any, Any] | None:
    """The value of a tensor where it is known: always eagerly; in a graph, of constants and what folds to one."""
    if isinstance(tensor, EagerTensor):
        return np.asarray(tensor._value)
    if hasattr(tensor, "constant_value"):
        return tensor.constant_value()  # type: ignore[no-any-return]
    if hasattr(tensor, "_dtype"):
        return None
    return np.asarray(tensor)
