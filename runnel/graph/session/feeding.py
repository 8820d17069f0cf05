"""What `run` is given: arrays for tensors."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np

from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.composite.sparse_tensor import SparseTensor
from runnel.core.state.variable import Variable
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import DType, string
from runnel.graph.build.graph import Graph
from runnel.graph.build.reference_ops import ReferenceTensor
from runnel.graph.build.tensor import SymbolicTensor
from runnel.graph.session.handles import TensorHandle


def flat_feeds(graph: Graph, feed_dict: Mapping[Any, Any]) -> dict[SymbolicTensor, Any]:
    """Tensors of the graph and what they are fed; sparse and ragged tensors by their parts."""
    if not isinstance(feed_dict, Mapping):
        raise TypeError(f"Session.run: `feed_dict` must be a dict, got {feed_dict!r}.")
    found: dict[SymbolicTensor, Any] = {}
    for key, value in feed_dict.items():
        for part, given in _parts(key, value):
            found[feedable(graph, part)] = given
    return found


def feedable(graph: Graph, key: Any) -> SymbolicTensor:
    """The tensor that a key of a `feed_dict` is, or names."""
    try:
        tensor = graph.as_graph_element(key, allow_operation=False)
    except (TypeError, ValueError, KeyError) as error:
        raise TypeError(
            f"Session.run: the key {key!r} of `feed_dict` is no tensor of the session's graph. "
            f"{error.args[0]}"
        ) from error
    if isinstance(tensor, ReferenceTensor):  # all that use the variable take what reads it
        tensor = graph.references[tensor.op.name]
    if not graph.is_feedable(tensor):
        raise ValueError(f"Session.run: {tensor!r} may not be fed.")
    return tensor  # type: ignore[no-any-return]


def tensors_of(key: Any) -> list[Any]:
    """The tensors that a key of a `feed_dict` stands for."""
    if isinstance(key, SparseTensor):
        return [key.indices, key.values, key.dense_shape]
    if isinstance(key, RaggedTensor):
        return [key.flat_values, *key.nested_row_splits]
    if isinstance(key, IndexedSlices):
        return [p for p in (key.values, key.indices, key.dense_shape) if p is not None]
    return [key]


def _parts(key: Any, value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(key, (list, tuple)):
        yield from _parts_of_nest(key, value)
        return
    tensors = tensors_of(key)
    if isinstance(key, RaggedTensor):
        yield from zip(tensors, [value.flat_values, *value.nested_row_splits], strict=True)
    elif len(tensors) > 1:
        yield from zip(tensors, value, strict=False)
    else:
        yield key, value


def _parts_of_nest(key: Sequence[Any], value: Any) -> Iterator[tuple[Any, Any]]:
    """The parts of a key that is a nest of tensors, such as the state of a recurrent cell."""
    if not isinstance(value, Sequence) or len(value) != len(key):
        raise ValueError(
            f"Session.run: the key {key!r} of `feed_dict` has {len(key)} parts, its value is "
            f"{value!r}."
        )
    for inner, given in zip(key, value, strict=True):
        yield from _parts(inner, given)


def fed_array(tensor: SymbolicTensor, value: Any) -> Any:
    """What a tensor is fed, as an array of its dtype and a shape that it may have."""
    wanted = tensor._dtype.np_dtype
    if type(value) is not np.ndarray or value.dtype != wanted:
        value = _converted(tensor, value)
    dims = tensor._shape._dims
    if (
        dims is not None
        and dims != value.shape
        and not tensor._shape.is_compatible_with(value.shape)
    ):
        raise ValueError(
            f"Cannot feed value of shape {value.shape} for Tensor {tensor.name!r}, which has shape "
            f"{tensor._shape}."
        )
    return value


def _converted(tensor: SymbolicTensor, value: Any) -> Any:
    if isinstance(value, TensorHandle):
        value = value.handle if tensor._dtype is string else value.eval()
    if isinstance(value, Tensor | Variable):
        raise TypeError(
            f"The value fed to {tensor.name!r} is the tensor {value!r}; feed numbers, lists, "
            "strings or NumPy arrays."
        )
    if isinstance(value, int) and not _fits(value, tensor._dtype):
        raise TypeError(
            f"The value {value} fed to {tensor.name!r} does not fit {tensor._dtype.name}."
        )
    try:
        return _array(value, tensor._dtype)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"Cannot feed {value!r} for Tensor {tensor.name!r}: {error}") from error


def _array(value: Any, dtype: DType) -> Any:
    if dtype is string:
        return _as_bytes(np.asarray(value, dtype=object))
    if not isinstance(value, np.ndarray | np.generic):
        with suppress(OverflowError, TypeError):  # NumPy cuts what does not fit
            return np.asarray(value, dtype=dtype.np_dtype)
    return np.asarray(value).astype(dtype.np_dtype)


def _fits(value: int, dtype: DType) -> bool:
    """Whether a number of Python's keeps its value as that dtype."""
    if dtype is string:
        return False
    if dtype.is_bool:
        return value in (0, 1)
    return not dtype.is_integer or dtype.min <= value <= dtype.max


def _as_bytes(array: Any) -> Any:
    flat = [v.encode() if isinstance(v, str) else v for v in array.ravel()]
    made = np.empty(len(flat), object)
    made[:] = flat
    return made.reshape(array.shape)
