"""Sets in the last dimension of tensors, dense or sparse: `tf.sets`."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from runnel.core.composite.sparse_tensor import SparseTensor, SparseTensorValue
from runnel.core.extend import Tensor, convert_to_tensor, no_gradient, op, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Namespace, Spec
from runnel.ops.array.shaping import entries
from .places import as_sparse, check_parts, check_range, check_sorted, numbered, parts, unnumbered

_T = frozenset(
    {dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64}
    | {dtypes.uint8, dtypes.uint16, dtypes.string}
)


class _Sets(NamedTuple):
    """Values, the number of the set each belongs to, and the shape in which the sets stand."""

    owner: Array
    values: Array
    shape: tuple[int, ...]


def _dense_sets(op_name: str, x: Array) -> _Sets:
    if x.ndim < 2:
        raise bad_shape(op_name, want="have rank 2 or more", set1=x)
    count = math.prod(x.shape[:-1])
    return _Sets(np.repeat(np.arange(count), x.shape[-1]), x.reshape(-1), x.shape[:-1])


def _sparse_sets(
    op_name: str, indices: Array, values: Array, shape: Array, *, validate: bool
) -> _Sets:
    check_parts(op_name, indices, values, shape)
    if len(shape) < 2:
        raise bad_shape(op_name, want="have two elements or more", shape=shape)
    if validate:
        check_range(op_name, indices, shape)
        check_sorted(op_name, indices)
    rows = tuple(int(d) for d in shape[:-1])
    return _Sets(numbered(np, indices[:, :-1], rows), values, rows)


def _distinct(x: Array) -> Array:
    """The different numbers of `x`, sorted; ten times as fast as `np.unique`."""
    ordered = np.sort(x, kind="stable")
    return ordered[np.append(True, ordered[1:] != ordered[:-1])] if len(x) else x


def _among(a: Array, b: Array) -> Array:
    """Which numbers of `a` are in `b`, which is sorted."""
    if not len(b):
        return np.zeros(len(a), bool)
    return b[np.minimum(b.searchsorted(a), len(b) - 1)] == a


_OPERATIONS: dict[str, Callable[[Array, Array], Array]] = {
    "a-b": lambda a, b: a[~_among(a, b)],
    "b-a": lambda a, b: b[~_among(b, a)],
    "intersection": lambda a, b: a[_among(a, b)],
    "union": lambda a, b: _distinct(np.concatenate([a, b])),
}
"""What becomes of two sets of sorted numbers."""


def _combined(op_name: str, a: _Sets, b: _Sets, operation: str) -> list[Array]:
    """The operation on each pair of sets, as indices, sorted values and shape."""
    combine = _OPERATIONS.get(operation.lower())
    if combine is None:
        raise bad_value(op_name, want=f"be one of {list(_OPERATIONS)}", set_operation=operation)
    if a.shape != b.shape:
        raise bad_value(op_name, want=f"hold sets in shape {a.shape} as the first", set2=b.shape)
    values, code = np.unique(np.concatenate([a.values, b.values]), return_inverse=True)
    span = np.int64(max(len(values), 1))
    cut = len(a.values)
    found = combine(_distinct(a.owner * span + code[:cut]), _distinct(b.owner * span + code[cut:]))
    owner = found // span
    count = np.bincount(owner, minlength=math.prod(a.shape)).astype(np.int64)
    place = np.arange(len(found)) - (np.cumsum(count) - count)[owner]
    indices = np.concatenate([unnumbered(np, owner, a.shape), place[:, None]], axis=1)
    shape = np.array([*a.shape, count.max(initial=0)], np.int64)
    return [indices, values[found % span], shape]


def _free(rank: int | None) -> list[Dims]:
    return [(None, rank), (None,), (rank,)]


def _dense_rule(set1: Spec, set2: Spec, *, op_name: str, **attrs: Any) -> list[Dims]:
    for name, spec in (("set1", set1), ("set2", set2)):
        if spec.dims is not None and len(spec.dims) < 2:
            raise bad_shape(op_name, want="have rank 2 or more", **{name: spec})  # type: ignore[arg-type]
    if not set1.shape[:-1].is_compatible_with(set2.shape[:-1]):
        want = f"hold sets in shape {set1.shape[:-1]} as the first"
        raise bad_shape(op_name, want=want, set2=set2)
    return _free(set1.rank if set1.rank is not None else set2.rank)


def _mixed_rule(
    set1: Spec, set2_indices: Spec, set2_values: Spec, set2_shape: Spec, **attrs: Any
) -> list[Dims]:
    rank = set2_shape.dims[0] if set2_shape.dims else None
    return _free(set1.rank if set1.rank is not None else rank)


def _sparse_rule(
    set1_indices: Spec, set1_values: Spec, set1_shape: Spec, *others: Spec, **attrs: Any
) -> list[Dims]:
    return _free(set1_shape.dims[0] if set1_shape.dims else None)


_RESULT = "result_indices: int64, result_values: T, result_shape: int64"


@op(
    "DenseToDenseSetOperation", f"set1: T, set2: T -> {_RESULT}", T=_T, host=True, shape=_dense_rule
)
def _dense_to_dense(
    xp: Namespace, set1: Array, set2: Array, *, set_operation: str, validate_indices: bool = True
) -> list[Array]:
    name = "DenseToDenseSetOperation"
    return _combined(name, _dense_sets(name, set1), _dense_sets(name, set2), set_operation)


@op(
    "DenseToSparseSetOperation",
    f"set1: T[2+], set2_indices: int64[2], set2_values: T[1], set2_shape: int64[1] -> {_RESULT}",
    T=_T,
    host=True,
    shape=_mixed_rule,
)
def _dense_to_sparse(
    xp: Namespace,
    set1: Array,
    set2_indices: Array,
    set2_values: Array,
    set2_shape: Array,
    *,
    set_operation: str,
    validate_indices: bool = True,
) -> list[Array]:
    name = "DenseToSparseSetOperation"
    b = _sparse_sets(name, set2_indices, set2_values, set2_shape, validate=validate_indices)
    return _combined(name, _dense_sets(name, set1), b, set_operation)


@op(
    "SparseToSparseSetOperation",
    "set1_indices: int64[2], set1_values: T[1], set1_shape: int64[1], "
    f"set2_indices: int64[2], set2_values: T[1], set2_shape: int64[1] -> {_RESULT}",
    T=_T,
    host=True,
    shape=_sparse_rule,
)
def _sparse_to_sparse(
    xp: Namespace,
    set1_indices: Array,
    set1_values: Array,
    set1_shape: Array,
    set2_indices: Array,
    set2_values: Array,
    set2_shape: Array,
    *,
    set_operation: str,
    validate_indices: bool = True,
) -> list[Array]:
    name = "SparseToSparseSetOperation"
    a = _sparse_sets(name, set1_indices, set1_values, set1_shape, validate=validate_indices)
    b = _sparse_sets(name, set2_indices, set2_values, set2_shape, validate=validate_indices)
    return _combined(name, a, b, set_operation)


for _name in ("DenseToDense", "DenseToSparse", "SparseToSparse"):
    no_gradient(f"{_name}SetOperation")


def _size_rule(
    set_indices: Spec, set_values: Spec, set_shape: Spec, *, validate_indices: bool = True
) -> Dims:
    dims = entries(set_shape)
    return None if dims is None else dims[:-1]


@op(
    "SetSize",
    "set_indices: int64, set_values: T, set_shape: int64 -> size: int32",
    T=_T,
    host=True,
    shape=_size_rule,
)
def _set_size(
    xp: Namespace,
    set_indices: Array,
    set_values: Array,
    set_shape: Array,
    *,
    validate_indices: bool = True,
) -> Array:
    sets = _sparse_sets("SetSize", set_indices, set_values, set_shape, validate=validate_indices)
    values, code = np.unique(sets.values, return_inverse=True)
    span = np.int64(max(len(values), 1))
    owner = _distinct(sets.owner * span + code) // span
    count = np.bincount(owner, minlength=math.prod(sets.shape))
    return count.astype(np.int32).reshape(sets.shape)


no_gradient("SetSize")


def size(a: Any, validate_indices: bool = True) -> Tensor:
    """How many different values each row of a sparse tensor has.

    >>> tf.sets.size(tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [5, 5, 6], [2, 2])).numpy()
    array([1, 1], dtype=int32)
    """
    if not isinstance(a, SparseTensor | SparseTensorValue):
        raise TypeError(f"tf.sets.size: `a` must be a SparseTensor, got {a!r}.")
    sparse = as_sparse(a)
    _check_dtype("a", sparse)
    return raw_ops.SetSize(*parts(sparse), validate_indices=validate_indices)  # type: ignore[no-any-return]


def intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """The values that each row of `a` shares with the same row of `b`, sorted.

    >>> tf.sets.intersection([[1, 2, 3]], [[3, 2, 9]]).values.numpy()
    array([2, 3], dtype=int32)
    """
    return _operate(a, b, "intersection", validate_indices)


def difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """The values in each row of `a` that are not in the same row of `b`, or the other way round.

    >>> tf.sets.difference([[1, 2, 3]], [[3, 2, 9]]).values.numpy()
    array([1], dtype=int32)
    """
    return _operate(a, b, "a-b" if aminusb else "b-a", validate_indices)


def union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """The values in each row of `a` or the same row of `b`, sorted.

    >>> tf.sets.union([[1, 2, 3]], [[3, 2, 9]]).values.numpy()
    array([1, 2, 3, 9], dtype=int32)
    """
    return _operate(a, b, "union", validate_indices)


def _check_dtype(name: str, x: Any) -> None:
    if x.dtype not in _T:
        names = sorted(d.name for d in _T)
        raise TypeError(f"tf.sets: `{name}` must be one of {names}, got {x.dtype.name}.")


_SWAPPED = {"a-b": "b-a", "b-a": "a-b"}


def _operate(a: Any, b: Any, operation: str, validate: bool) -> SparseTensor:
    left, right = (_as_set(x) for x in (a, b))
    _check_dtype("a", left)
    if left.dtype is not right.dtype:
        raise TypeError(f"Types don't match, {left.dtype!r} vs {right.dtype!r}.")
    if isinstance(left, SparseTensor) and isinstance(right, Tensor):
        left, right, operation = right, left, _SWAPPED.get(operation, operation)
    attrs: Any = {"set_operation": operation, "validate_indices": validate}
    if isinstance(left, SparseTensor):
        op: Any = raw_ops.SparseToSparseSetOperation
        return SparseTensor(*op(*parts(left), *parts(right), **attrs))
    if isinstance(right, SparseTensor):
        return SparseTensor(*raw_ops.DenseToSparseSetOperation(left, *parts(right), **attrs))
    return SparseTensor(*raw_ops.DenseToDenseSetOperation(left, right, **attrs))


def _as_set(value: Any) -> Any:
    kinds = (SparseTensor, SparseTensorValue)
    return as_sparse(value) if isinstance(value, kinds) else convert_to_tensor(value)
