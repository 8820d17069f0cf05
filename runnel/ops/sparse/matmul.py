"""Sparse matrices times dense ones, without making them dense."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from runnel.core.composite.sparse_tensor import SparseTensor, SparseTensorValue
from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.op.registry import wants_gradient
from runnel.core.values import dtypes
from runnel.core.values.dtypes import NUMERIC
from runnel.core.values.errors import bad_shape
from runnel.core.values.types import Array, Dims, DTypeLike, Gradients, Namespace, Spec, TensorLike
from runnel.kernels.memo import kept_beside
from runnel.ops.array.gathering import gather_nd
from runnel.ops.linalg.matrices import matrix_transpose
from runnel.ops.math.casting import cast
from runnel.ops.math.complex import conj
from runnel.ops.reduce.reductions import reduce_sum
from runnel.ops.sparse.places import as_sparse, check_range, parts

_INDEX = frozenset({dtypes.int32, dtypes.int64})
_PRODUCTS_FOR_SCIPY = 1 << 12  # products; for less it is not worth loading SciPy's matrices
_NARROW = 32  # columns; up to so many, rows that are in order are worth noticing


def weighted_rows(
    xp: Namespace, target: Array, source: Array, weights: Array, count: int, rows: Array
) -> Array:
    """`count` rows, `rows[source[i]] * weights[i]` added to the one that `target[i]` numbers.

    That is the product of a sparse and a dense matrix.
    """
    if xp is not np:
        start = xp.zeros((count, rows.shape[1]), rows.dtype)
        return start.at[target].add(rows[source] * weights[:, None])
    wide = rows if rows.dtype.itemsize > 2 or rows.dtype.kind in "iu" else rows.astype(np.float32)
    factors = weights.astype(wide.dtype)
    if len(source) * rows.shape[1] <= _PRODUCTS_FOR_SCIPY:
        result = np.zeros((count, rows.shape[1]), wide.dtype)
        np.add.at(result, target, wide[source] * factors[:, None])
    else:
        single = wide.shape[1] == 1  # for a vector SciPy takes half the time
        ends = _row_ends(target) if not single and wide.shape[1] <= _NARROW else None
        matrix = _matrix(target, source, factors, (count, len(rows)), ends)
        result = (matrix @ wide[:, 0])[:, None] if single else matrix @ wide
    return result.astype(rows.dtype, copy=False)


def _matrix(
    target: Array, source: Array, factors: Array, shape: tuple[int, int], ends: Array | None
) -> Any:
    """SciPy's matrix; `ends` tells where each row ends, if its entries are in their order."""
    matrices = importlib.import_module("scipy.sparse")
    if ends is None:
        return matrices.coo_array((factors, (target, source)), shape=shape)
    starts = np.full(shape[0] + 1, len(target), source.dtype)
    starts[0], starts[1 : len(ends) + 1] = 0, ends
    return matrices.csr_array((factors, source, starts), shape=shape)


@kept_beside
def _columns(indices: Array) -> tuple[Array, Array]:
    """The rows and the columns of the places in a matrix, each in one piece."""
    return np.ascontiguousarray(indices[:, 0]), np.ascontiguousarray(indices[:, 1])


@kept_beside
def _row_ends(rows: Array) -> Array | None:
    """How many entries there are up to the end of each row, None if they are not in order."""
    return np.cumsum(np.bincount(rows)) if bool((rows[1:] >= rows[:-1]).all()) else None


def _inner(a: Dims, b: Dims, adjoint_a: bool, adjoint_b: bool) -> tuple[Any, Any, Any, Any]:
    """The rows of the product, the dimension that must agree in both, and the columns."""
    rows, inner = (None, None) if a is None else (a[1], a[0]) if adjoint_a else (a[0], a[1])
    height, columns = (None, None) if b is None else (b[1], b[0]) if adjoint_b else (b[0], b[1])
    return rows, inner, height, columns


def _product_rule(
    a_indices: Spec,
    a_values: Spec,
    a_shape: Spec,
    b: Spec,
    *,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> Dims:
    name = "SparseTensorDenseMatMul"
    if b.rank not in (None, 2):
        raise bad_shape(name, want="be a matrix", b=b)
    if a_shape.dims is not None and a_shape.dims not in ((2,), (None,)):
        raise bad_shape(name, want="have two elements", a_shape=a_shape)
    dims = tuple(a_shape.value.tolist()) if a_shape.value is not None else a_shape.partial
    rows, inner, height, columns = _inner(dims, b.dims, adjoint_a, adjoint_b)
    if inner is not None and height is not None and inner != height:
        want = f"have an inner dimension of {inner} to follow the sparse {dims}"
        raise bad_shape(name, want=want, b=b, hint="Check adjoint_a and adjoint_b.")
    return rows, columns


def _check_product(
    a_indices: Array,
    a_values: Array,
    a_shape: Array,
    b: Array,
    *,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> None:
    name = "SparseTensorDenseMatMul"
    if a_indices.ndim != 2 or a_indices.shape[1] != 2:
        raise bad_shape(name, want="be a matrix of two columns", a_indices=a_indices)
    if a_values.shape != a_indices.shape[:1]:
        want = f"be a vector with a value for each of {len(a_indices)} places"
        raise bad_shape(name, want=want, a_values=a_values)
    if a_shape.shape != (2,):
        raise bad_shape(name, want="have two elements", a_shape=a_shape)
    if b.ndim != 2:
        raise bad_shape(name, want="be a matrix", b=b)
    _, inner, height, _ = _inner(tuple(a_shape.tolist()), b.shape, adjoint_a, adjoint_b)
    if inner != height:
        want = f"have an inner dimension of {inner} to follow the sparse {tuple(a_shape.tolist())}"
        raise bad_shape(name, want=want, b=b, hint="Check adjoint_a and adjoint_b.")
    check_range(name, a_indices, a_shape)


@op(
    "SparseTensorDenseMatMul",
    "a_indices: Tindices[2], a_values: T[1], a_shape: int64, b: T -> product: T",
    T=NUMERIC,
    Tindices=_INDEX,
    static=("a_shape",),
    shape=_product_rule,
    check=_check_product,
)
def _product(
    xp: Namespace,
    a_indices: Array,
    a_values: Array,
    a_shape: Array,
    b: Array,
    *,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> Array:
    many = xp is np and len(a_indices) > _PRODUCTS_FOR_SCIPY
    target, source = _columns(a_indices) if many else (a_indices[:, 0], a_indices[:, 1])
    count = int(a_shape[1 if adjoint_a else 0])
    if adjoint_a:
        target, source, a_values = source, target, xp.conj(a_values)
    if adjoint_b:
        b = xp.conj(b.T)
    return weighted_rows(xp, target, source, a_values, count, b)


@RegisterGradient("SparseTensorDenseMatMul", needs="a_indices a_values a_shape b")
def _product_grad(op: Any, dy: Tensor) -> Gradients:
    indices, values, shape, b = op.inputs
    adjoint_a, adjoint_b = op.attrs["adjoint_a"], op.attrs["adjoint_b"]
    db = None
    if wants_gradient(op, 3):
        db = raw_ops.SparseTensorDenseMatMul(indices, values, shape, dy, adjoint_a=not adjoint_a)
        db = _adjoint(db) if adjoint_b else db
    if not wants_gradient(op, 1):
        return None, None, None, db
    target, source = indices[:, 0], indices[:, 1]
    if adjoint_a:
        target, source = source, target
    whole = _adjoint(b) if adjoint_b else b
    rows, first = raw_ops.GatherV2(dy, target, np.int32(0)), np.int32(0)
    slope = reduce_sum(rows * conj(raw_ops.GatherV2(whole, source, first)), axis=1)
    return None, conj(slope) if adjoint_a else slope, None, db


def _adjoint(x: Tensor) -> Tensor:
    return conj(raw_ops.Transpose(x, np.array([1, 0], np.int32)))


@scoped("SparseTensorDenseMatMul")
def sparse_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Tensor:
    """The product of two matrices of which one, usually the first, is sparse.

    >>> swap = tf.SparseTensor([[0, 1], [1, 0]], [1.0, 1.0], [2, 2])
    >>> tf.sparse.sparse_dense_matmul(swap, [[1.0, 2.0], [3.0, 4.0]]).numpy()
    array([[3., 4.],
           [1., 2.]], dtype=float32)
    """
    kinds = (SparseTensor, SparseTensorValue)
    if isinstance(b, kinds) and not isinstance(sp_a, kinds):
        # A B = (B* A*)*, and there the sparse matrix comes first.
        turned = sparse_dense_matmul(b, sp_a, not adjoint_b, not adjoint_a)
        return _adjoint(turned)
    sparse = as_sparse(sp_a)
    if isinstance(b, kinds):
        raise TypeError("sparse_dense_matmul: one of the matrices must be dense.")
    product: Tensor = raw_ops.SparseTensorDenseMatMul(
        *parts(sparse), convert_to_tensor(b), adjoint_a=adjoint_a, adjoint_b=adjoint_b, name=name
    )
    return product


def sampled_addmm(
    indices: TensorLike,
    values: TensorLike,
    dense_shape: TensorLike,
    mat1: TensorLike,
    mat2: TensorLike,
    beta: float = 1.0,
    alpha: float = 1.0,
    output_type: DTypeLike = dtypes.float32,
) -> tuple[Tensor, Tensor, Tensor]:
    """`alpha * (mat1 @ mat2) + beta * values` at the places that `indices` name, and only there.

    >>> found = tf.sparse.sampled_addmm([[0, 1]], [1.0], [2, 2], tf.ones([2, 3]), tf.ones([3, 2]))
    >>> found[1].numpy()
    array([4.], dtype=float32)
    """
    places = convert_to_tensor(indices)
    given = cast(values, output_type)
    left, right = (cast(convert_to_tensor(m), output_type) for m in (mat1, mat2))
    # A matrix of unknown rank has as many dimensions of batches as the places.
    batches = [(x.ndim or places.ndim or 2) - 2 for x in (left, right)]
    rows = gather_nd(left, places[..., :1], batch_dims=batches[0])
    columns = gather_nd(matrix_transpose(right), places[..., 1:], batch_dims=batches[1])
    total = reduce_sum(rows * columns, axis=-1)
    return places, total * alpha + given * beta, convert_to_tensor(dense_shape)
