"""The places of sparse tensors: numbered, sorted, checked, compared.

A place is a row of `indices`. NumPy alone works here but where a function takes `xp`.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.composite.sparse_tensor import SparseTensor, SparseTensorValue
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import Array, Dims, Namespace, Spec

_LIMIT = 2**62  # places of a larger tensor cannot be numbered in 64 bits


def as_sparse(value: Any) -> SparseTensor:
    """`value`, which must be a sparse tensor."""
    if isinstance(value, SparseTensor):
        return value
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    raise TypeError(f"Input must be a SparseTensor, got {type(value).__name__}: {value!r}.")


def parts(sparse: SparseTensor) -> tuple[Any, Any, Any]:
    """Indices, values and dense shape, as ops take them."""
    return sparse._indices, sparse._values, sparse._dense_shape


def with_shape(sparse: SparseTensor, shape: Any) -> SparseTensor:
    """A new sparse tensor, told what is known of its shape; a contradiction is left to the ops."""
    known = TensorShape(shape)
    if sparse._static_shape.is_compatible_with(known):
        sparse._static_shape = sparse._static_shape.merge_with(known)
    return sparse


def strides(shape: Any) -> Array:
    """How far apart neighbours along each dimension are, counted in elements."""
    dims = [int(d) for d in shape]
    found = [math.prod(dims[i + 1 :]) for i in range(len(dims))]
    return np.array(found, np.int64)


def numbered(xp: Namespace, indices: Array, shape: Any) -> Array:
    """The number of each place, counted row by row."""
    if indices.shape[1] == 0:
        return xp.zeros(indices.shape[0], np.int64)
    steps = strides(shape)
    number = indices[:, 0] * steps[0]
    for i in range(1, indices.shape[1]):
        number = number + indices[:, i] * steps[i]
    return number.astype(np.int64)


def unnumbered(xp: Namespace, numbers: Array, shape: Any) -> Array:
    """The places that have these numbers."""
    if len(shape) == 0:
        return xp.zeros((numbers.shape[0], 0), np.int64)
    columns = []
    for step in np.maximum(strides(shape), 1).tolist():
        columns.append(numbers // np.int64(step))
        numbers = numbers % np.int64(step)
    return xp.stack(columns, axis=1).astype(np.int64)


def keys(*groups: Array) -> list[Array]:
    """Numbers that compare as the places do; equal ones for equal places of all groups."""
    extent = np.array([extents(indices) for indices in groups]).max(axis=0)
    inside = all(not indices.size or indices.min() >= 0 for indices in groups)
    if inside and math.prod(extent.tolist()) < _LIMIT:
        return [numbered(np, indices, extent) for indices in groups]
    _, inverse = np.unique(np.concatenate(groups), axis=0, return_inverse=True)
    ends = np.cumsum([len(indices) for indices in groups])
    return np.split(inverse.reshape(-1), ends[:-1])


def extents(indices: Array) -> list[int]:
    """The smallest shape that holds all places."""
    if not len(indices):
        return [0] * indices.shape[1]
    return [int(column.max()) + 1 for column in indices.T]  # NumPy is slow along short rows


def order(xp: Namespace, indices: Array) -> Array:
    """What sorts the places row by row; equal ones stay as they are."""
    count, rank = indices.shape
    if rank == 0:
        return xp.arange(count)
    if rank == 1:
        return xp.argsort(indices[:, 0], stable=True)
    if xp is np:  # one sort of numbers takes half the time
        return np.argsort(keys(indices)[0], stable=True)
    return xp.lexsort(tuple(indices[:, i] for i in reversed(range(rank))))


def increase(indices: Array) -> Array:
    """For each place but the first: 1 if it comes after the one before, 0 if it is equal, or -1."""
    if indices.shape[1] == 1:
        return np.sign(np.diff(indices[:, 0]))
    steps = np.sign(np.diff(indices, axis=0))
    first = (steps != 0).argmax(axis=1) if indices.shape[1] else np.zeros(len(steps), np.int64)
    return np.take_along_axis(steps, first[:, None], 1)[:, 0] if indices.shape[1] else first


def check_parts(
    op_name: str, indices: Array, values: Array, shape: Array, prefix: str = ""
) -> None:
    """That three arrays fit together as a sparse tensor; nothing about the places themselves."""
    if indices.ndim != 2:
        raise bad_shape(op_name, want="be a matrix", **{f"{prefix}indices": indices})
    if values.ndim != 1 or len(values) != len(indices):
        want = f"be a vector with a value for each of {len(indices)} places"
        raise bad_shape(op_name, want=want, **{f"{prefix}values": values})
    if shape.ndim != 1 or len(shape) != indices.shape[1]:
        want = f"be a vector of {indices.shape[1]} dimensions"
        raise bad_shape(op_name, want=want, **{f"{prefix}shape": shape})


def is_inside(indices: Array, shape: Any) -> bool:
    """Whether no index is negative or too large; as unsigned numbers, negative ones are large."""
    unsigned = indices.view(np.dtype(f"u{indices.dtype.itemsize}"))
    return all(
        column.max() < max(int(size), 0) for column, size in zip(unsigned.T, shape, strict=True)
    )


def check_range(op_name: str, indices: Array, shape: Any) -> None:
    """That all places are inside."""
    if not indices.size or is_inside(indices, shape):
        return
    bad = ((indices < 0) | (indices >= np.asarray(shape))).any(axis=1)
    want = f"be inside a tensor of shape {tuple(map(int, shape))}"
    raise bad_value(op_name, want=want, indices=indices[bad.argmax()])


def check_sorted(op_name: str, indices: Array, *, repeats: bool = False) -> None:
    """That places follow each other row by row, none twice unless `repeats` says so."""
    if len(indices) < 2:
        return
    bad = increase(indices) < (0 if repeats else 1)
    if bad.any():
        hint = "Use tf.sparse.reorder to sort them."
        place = indices[int(bad.argmax()) + 1]
        raise bad_value(op_name, want="be sorted, none twice", hint=hint, indices=place)


def checked(op_name: str, *, in_range: bool = False, in_order: bool = False) -> Callable[..., None]:
    """The check of an op whose first inputs are the parts of a sparse tensor."""

    def check(indices: Array, values: Array, shape: Array, *others: Any, **attrs: Any) -> None:
        check_parts(op_name, indices, values, shape)
        if in_range:
            check_range(op_name, indices, shape)
        if in_order:
            check_sorted(op_name, indices)

    return check


def count_of(spec: Spec) -> int | None:
    return spec.dims[0] if spec.dims else None


def rank_of(indices: Spec, shape: Spec | None = None) -> int | None:
    """The rank of a sparse tensor, from its indices or its shape."""
    if indices.dims is not None and len(indices.dims) == 2 and indices.dims[1] is not None:
        return indices.dims[1]
    return shape.dims[0] if shape is not None and shape.dims else None


def rule(
    indices: Spec, values: Spec, shape: Spec, *, op_name: str
) -> tuple[int | None, int | None]:
    """The number of places and the rank, after a check that the three fit together."""
    if indices.rank not in (None, 2):
        raise bad_shape(op_name, want="be a matrix", indices=indices)
    if values.rank not in (None, 1):
        raise bad_shape(op_name, want="be a vector", values=values)
    if shape.rank not in (None, 1):
        raise bad_shape(op_name, want="be a vector", shape=shape)
    count = count_of(indices) if indices.dims is not None else count_of(values)
    return count, rank_of(indices, shape)


def free_parts(rank: int | None) -> list[Dims]:
    """The dimensions of a sparse tensor of which only the rank is known."""
    return [(None, rank), (None,), (rank,)]
