"""Sharing arrays with other libraries through DLPack."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.backend.jax import jax, jnp
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values.dtypes import FROM_NUMPY, bfloat16
from runnel.core.values.errors import invalid


def to_dlpack(tf_tensor: Tensor) -> Any:
    """A capsule that other libraries read a tensor from, once.

    >>> capsule = tf.experimental.dlpack.to_dlpack(tf.constant([1.0, 2.0]))
    >>> tf.experimental.dlpack.from_dlpack(capsule).numpy()
    array([1., 2.], dtype=float32)
    """
    if not isinstance(tf_tensor, EagerTensor):
        raise invalid(f"to_dlpack takes an eager tensor, got {tf_tensor!r}.")
    if tf_tensor.dtype is bfloat16:  # NumPy does not share it
        return jnp.asarray(tf_tensor._value).__dlpack__()
    try:
        return tf_tensor.__dlpack__()
    except BufferError:
        message = f"to_dlpack does not support tensors of dtype {tf_tensor.dtype.name}."
        raise invalid(message) from None


class _Carrier:
    """A capsule with the protocol that NumPy expects of an array."""

    def __init__(self, capsule: Any) -> None:
        self._capsule = capsule

    def __dlpack__(self, **options: Any) -> Any:
        return self._capsule

    def __dlpack_device__(self) -> tuple[int, int]:
        return (1, 0)


def _read(carrier: Any) -> np.ndarray[Any, Any]:
    """The array in a capsule; JAX reads what NumPy does not know, such as bfloat16."""
    try:
        return np.from_dlpack(carrier)
    except (RuntimeError, BufferError):
        return np.asarray(jax.dlpack.from_dlpack(carrier))


def from_dlpack(dlcapsule: Any) -> Tensor:
    """The tensor in a capsule, or in an array of another library."""
    if type(dlcapsule).__name__ != "PyCapsule" and not hasattr(dlcapsule, "__dlpack__"):
        raise TypeError(f"from_dlpack takes a DLPack capsule, got {dlcapsule!r}.")
    carrier = dlcapsule if hasattr(dlcapsule, "__dlpack__") else _Carrier(dlcapsule)
    try:
        array = _read(carrier)
    except (ValueError, RuntimeError, BufferError) as error:
        message = f"The DLPack capsule cannot be read ({error}); each can be read once only."
        raise invalid(message) from error
    return EagerTensor(array.copy(), FROM_NUMPY[array.dtype])
