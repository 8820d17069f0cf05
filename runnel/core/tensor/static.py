"""What is known of a tensor's value before it is computed."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values import nest


def constant_value(tensor: Any) -> np.ndarray[Any, Any] | None:
    """The value of a tensor where it is known: always eagerly; in a graph, of constants and what
    folds to one.
    """
    if isinstance(tensor, EagerTensor):
        return np.asarray(tensor._value)
    if hasattr(tensor, "constant_value"):
        return tensor.constant_value()  # type: ignore[no-any-return]
    if hasattr(tensor, "_dtype"):
        return None
    return np.asarray(tensor)


def known_elements(vector: Any) -> tuple[int | None, ...] | None:
    """The elements of an integer vector, None for those not known yet; None if not even their
    number is.
    """
    if hasattr(vector, "known_elements"):
        return vector.known_elements()  # type: ignore[no-any-return]
    value = constant_value(vector)
    return None if value is None else tuple(value.tolist())


def is_symbolic_tensor(tensor: Any) -> bool:
    """Whether it is a tensor without a value yet, or a composite of such tensors.

    >>> tf.is_symbolic_tensor(tf.constant(1))
    False
    """
    if isinstance(tensor, Tensor):
        return not isinstance(tensor, EagerTensor)
    if not hasattr(tensor, "_type_spec"):
        return False
    parts = nest.flatten(tensor, expand_composites=True)
    return any(isinstance(x, Tensor) and not isinstance(x, EagerTensor) for x in parts)
