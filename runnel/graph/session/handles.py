"""Tensors that a session keeps from one run to another: `get_session_handle` and its like."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.core.op.context import state
from runnel.core.op.op import execute
from runnel.core.op.raw import raw_ops
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import DType, as_dtype, string
from runnel.core.values.errors import invalid
from runnel.core.values.types import Array, DTypeLike, Namespace
from runnel.graph.build.reference_ops import GraphOp
from runnel.graph.build.tensor import SymbolicTensor

if TYPE_CHECKING:
    from runnel.graph.session.session import BaseSession

_DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"
_NUMBERS = itertools.count(1)


def _kept() -> dict[str, Any]:
    """The values that the running session keeps."""
    assert state.owned is not None
    return state.owned.tensors


def _keep(xp: Namespace, value: Array) -> Array:
    handle = f"GetSessionHandle;{next(_NUMBERS)};{_DEVICE}"
    _kept()[handle] = value
    return np.array(handle.encode(), object)


def _text(handle: Array) -> str:
    text = handle.item()
    return text.decode() if isinstance(text, bytes) else str(text)


def _find(xp: Namespace, handle: Array, *, dtype: DType) -> Array:
    found = _kept().get(_text(handle))
    if found is None:
        raise invalid(f"GetSessionTensor: the session keeps no tensor by {_text(handle)!r}.")
    return found


def _drop(xp: Namespace, handle: Array) -> None:
    if _kept().pop(_text(handle), None) is None:
        raise invalid(f"DeleteSessionTensor: the session keeps no tensor by {_text(handle)!r}.")


_SCALAR: Any = {"shape": lambda *inputs, **attrs: (), "effects": "queues"}
_UNKNOWN: Any = {"shape": lambda *inputs, **attrs: None, "effects": "queues"}
_KEEP = GraphOp("GetSessionHandle", "value: T -> handle: string", _keep, **_SCALAR)
_FIND = GraphOp("GetSessionTensor", "handle: string -> value: dtype", _find, **_UNKNOWN)
_DROP = GraphOp("DeleteSessionTensor", "handle: string ->", _drop, **_UNKNOWN)


class TensorHandle:
    """What a run gives for `get_session_handle`: it stands for a tensor that the session keeps."""

    def __init__(self, handle: Any, dtype: DType, session: BaseSession) -> None:
        self._handle, self._dtype, self._session = _text(handle), dtype, session
        self._owns = True

    @property
    def handle(self) -> str:
        """The text to be fed for it."""
        return self._handle

    def __str__(self) -> str:
        return self._handle

    def _tensors(self) -> dict[str, Any]:
        if not self._owns:
            raise TypeError(f"The tensor of {self._handle!r} may have been deleted already.")
        return self._session.resources.owned.tensors

    def eval(self) -> Any:
        """The value."""
        value = self._tensors()[self._handle]
        return value.copy() if value.ndim else value[()]

    def delete(self) -> None:
        """Let the session forget the value."""
        self._tensors().pop(self._handle, None)
        self._owns = False

    def get_raw_handle(self) -> str:
        """The text; the value is kept from then on until the program deletes it."""
        self._owns = False
        return self._handle

    def __del__(self) -> None:
        if getattr(self, "_owns", False):
            self.delete()


def handles_among(tensors: Sequence[SymbolicTensor]) -> dict[int, DType]:
    """The places of handles, and the dtypes of what they stand for."""
    return {
        place: tensor.op.inputs[0].dtype
        for place, tensor in enumerate(tensors)
        if tensor.op.op is _KEEP
    }


def get_session_handle(data: Any, name: str | None = None) -> Any:
    """What a run gives as a handle of the value, which the session keeps.

    >>> v1 = tf.compat.v1
    >>> with tf.Graph().as_default(), v1.Session() as session:
    ...     kept = session.run(v1.get_session_handle(tf.constant([1.0, 2.0]) * 3.0))
    ...     fed, value = v1.get_session_tensor(kept.handle, tf.float32)
    ...     session.run(value + 1.0, {fed: kept.handle}).tolist()
    [4.0, 7.0]
    """
    if not isinstance(data, Tensor):
        raise TypeError(f"get_session_handle: `data` must be a tensor, got {data!r}.")
    return execute(_KEEP, (data,), {}, name)


def get_session_tensor(handle: Any, dtype: DTypeLike, name: str | None = None) -> tuple[Any, Any]:
    """A placeholder to feed a handle to, and the tensor that it then stands for."""
    _check(handle)
    holder = raw_ops.Placeholder(dtype=string, shape=None)
    return holder, execute(_FIND, (holder,), {"dtype": as_dtype(dtype)}, name)


def delete_session_tensor(handle: Any, name: str | None = None) -> tuple[Any, Any]:
    """A placeholder to feed a handle to, and the operation that lets the session forget it."""
    _check(handle)
    holder = raw_ops.Placeholder(dtype=string, shape=None)
    return holder, execute(_DROP, (holder,), {}, name)


def _check(handle: Any) -> None:
    """ValueError for what is no handle: it ends with a device."""
    text = handle.decode() if isinstance(handle, bytes) else str(handle)
    if text.count(";") != 2:
        raise ValueError(f"A session's handle is a text of three parts, got {text!r}.")
