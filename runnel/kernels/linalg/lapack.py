"""Matrix factorizations that NumPy and JAX spell differently, each said once for kernels.

All work on batches. Half precision is computed in float32. What has no solution is NaN in a
compiled program; NumPy's side raises where TensorFlow's CPU kernels do.
"""

from __future__ import annotations

import functools
import importlib
import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import ml_dtypes
import numpy as np

from runnel.backend.blas import one_thread
from runnel.backend.jax import jax
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.types import Array, Namespace

_SMALL, _MUCH = 256, 1 << 19  # rows or columns, and multiplications in squares of such matrices
_HALVES = frozenset({np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)})


def widened(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`fn` for arrays of half precision too, which it gets and gives as float32."""

    @functools.wraps(fn)
    def wrapped(xp: Namespace, *arrays: Array, **options: Any) -> Any:
        half = arrays[0].dtype
        if half not in _HALVES:
            return fn(xp, *arrays, **options)
        found = fn(xp, *(a.astype(np.float32) for a in arrays), **options)
        if isinstance(found, tuple):
            return tuple(f.astype(half) if f.dtype == np.float32 else f for f in found)
        return found.astype(half)

    return wrapped


def crowded(values: Sequence[Any]) -> bool:
    """Whether there is so much to do on small matrices that one thread for each should do it."""
    dims = values[0].shape
    least = min(dims[-2:], default=0) if len(dims) > 1 else 0
    return least <= _SMALL and math.prod(dims) * least >= _MUCH


def unthreaded(fn: Callable[..., Any]) -> Callable[..., Any]:
    """`fn`, in which NumPy does not start threads for many small matrices."""

    @functools.wraps(fn)
    def wrapped(xp: Namespace, *arrays: Array, **options: Any) -> Any:
        if xp is not np or not crowded(arrays):
            return fn(xp, *arrays, **options)
        with one_thread():
            return fn(xp, *arrays, **options)

    return wrapped


def scipy_linalg(name: str = "scipy.linalg") -> Any:
    return importlib.import_module(name)


def each(fn: Callable[..., Any], *arrays: np.ndarray) -> list[np.ndarray]:
    """`fn` on each matrix of NumPy batches that broadcast; its results stacked."""
    batch = np.broadcast_shapes(*(a.shape[:-2] for a in arrays))
    flat = [np.broadcast_to(a, batch + a.shape[-2:]).reshape((-1, *a.shape[-2:])) for a in arrays]
    found = [fn(*matrices) for matrices in zip(*flat)]
    return [np.stack(part).reshape(batch + part[0].shape) for part in zip(*found)]


def not_invertible(op_name: str) -> InvalidArgumentError:
    message = f"{op_name}: the matrix must be invertible, and it is not. [Op:{op_name}]"
    return InvalidArgumentError(None, None, message)


@unthreaded
@widened
def cholesky(xp: Namespace, a: Array) -> Array:
    """The lower triangular factor; NaN where a matrix is not positive definite."""
    if xp is not np:
        return xp.tril(jax.lax.linalg.cholesky(a, symmetrize_input=False))
    if not a.size or (a.shape[-1] == a.shape[-2] and not crowded([a])):
        with suppress(np.linalg.LinAlgError):
            return np.linalg.cholesky(a)
    potrf = scipy_linalg().get_lapack_funcs("potrf", (a,))  # NumPy takes five times as long
    return each(lambda m: (_lower_factor(*potrf(m.T, lower=False)),), a)[0]


def _lower_factor(factor: np.ndarray, info: int) -> np.ndarray:
    return np.tril(np.full_like(factor, np.nan)) if info > 0 else factor.T


@unthreaded
@widened
def triangular_solve(xp: Namespace, a: Array, b: Array, *, lower: bool, adjoint: bool) -> Array:
    """`x` of `a x = b`, reading one triangle of `a`; batches broadcast."""
    if xp is np:
        if a.size == 0 or b.size == 0:
            batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
            return np.zeros(batch + b.shape[-2:], b.dtype)
        trsm = scipy_linalg("scipy.linalg.blas").get_blas_funcs("trsm", (a, b))
        transpose = (2 if a.dtype.kind == "c" else 1) if adjoint else 0
        solve = lambda m, r: (trsm(1.0, m, r, lower=lower, trans_a=transpose),)  # noqa: E731
        return each(solve, a, b)[0].astype(b.dtype)
    batch = np.broadcast_shapes(a.shape[:-2], b.shape[:-2])
    a, b = xp.broadcast_to(a, batch + a.shape[-2:]), xp.broadcast_to(b, batch + b.shape[-2:])
    options = {"transpose_a": adjoint, "conjugate_a": adjoint and a.dtype.kind == "c"}
    return jax.lax.linalg.triangular_solve(a, b, left_side=True, lower=lower, **options)


@unthreaded
@widened
def lu(xp: Namespace, a: Array) -> tuple[Array, Array]:
    """Both factors in one matrix, and the order of rows (int32) for which they are."""
    if xp is np:
        if a.size == 0:
            return a, np.zeros(a.shape[:-1], np.int32)
        getrf = scipy_linalg().get_lapack_funcs("getrf", (a,))
        factors, order = each(lambda m: _permuted(*getrf(m)), a)
        return factors.astype(a.dtype), order
    factors, _, order = jax.lax.linalg.lu(a)
    return factors, order


def _permuted(factors: np.ndarray, pivots: np.ndarray, info: int) -> tuple[np.ndarray, np.ndarray]:
    if info > 0:
        raise not_invertible("Lu")
    order = list(range(len(factors)))
    for row, pivot in enumerate(pivots.tolist()):
        order[row], order[pivot] = order[pivot], order[row]
    return factors, np.array(order, np.int32)


@unthreaded
@widened
def solve(xp: Namespace, a: Array, b: Array) -> Array:
    """`x` of `a x = b`, the batches alike."""
    if xp is np and crowded([a]):
        return _solved("MatrixSolve", a, b)
    try:
        return xp.linalg.solve(a, b)
    except np.linalg.LinAlgError as error:
        raise not_invertible("MatrixSolve") if "Singular" in str(error) else error from None


def _solved(op_name: str, a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The same with LAPACK, one matrix after another: NumPy takes four times as long."""
    getrf, getrs = scipy_linalg().get_lapack_funcs(("getrf", "getrs"), (a, b))

    def solve_one(matrix: np.ndarray, rhs: np.ndarray) -> tuple[np.ndarray]:
        factors, pivots, info = getrf(matrix.T)
        if info > 0:
            raise not_invertible(op_name)
        return (getrs(factors, pivots, rhs, trans=1)[0],)

    return each(solve_one, a, b)[0]


@unthreaded
@widened
def inverse(xp: Namespace, a: Array) -> Array:
    if xp is np and crowded([a]):
        return _solved("MatrixInverse", a, np.eye(a.shape[-1], dtype=a.dtype))
    try:
        return xp.linalg.inv(a)
    except np.linalg.LinAlgError as error:
        raise not_invertible("MatrixInverse") if "Singular" in str(error) else error from None


@unthreaded
@widened
def qr(xp: Namespace, a: Array, *, full: bool) -> tuple[Array, Array]:
    return tuple(xp.linalg.qr(a, mode="complete" if full else "reduced"))  # type: ignore[return-value]


@unthreaded
@widened
def svd(xp: Namespace, a: Array, *, full: bool) -> tuple[Array, Array, Array]:
    """`s, u, v` with `a = u s v^H`."""
    finite = xp.isfinite(a).all(axis=(-2, -1))
    u, s, vh = xp.linalg.svd(xp.where(finite[..., None, None], a, 0), full_matrices=full)
    u, vh = (xp.where(finite[..., None, None], part, np.nan).astype(a.dtype) for part in (u, vh))
    return xp.where(finite[..., None], s, np.nan).astype(a.dtype), u, adjoint(xp, vh)


@unthreaded
@widened
def singular_values(xp: Namespace, a: Array) -> Array:
    finite = xp.isfinite(a).all(axis=(-2, -1))
    s = xp.linalg.svd(xp.where(finite[..., None, None], a, 0), compute_uv=False)
    return xp.where(finite[..., None], s, np.nan).astype(a.dtype)


@unthreaded
@widened
def eigh(xp: Namespace, a: Array) -> tuple[Array, Array]:
    """Eigenvalues in rising order and eigenvectors, reading the lower triangle."""
    options = {} if xp is np else {"symmetrize_input": False}
    values, vectors = xp.linalg.eigh(a, UPLO="L", **options)
    return values.astype(a.dtype), vectors


def adjoint(xp: Namespace, x: Array) -> Array:
    swapped = x.swapaxes(-1, -2)
    return xp.conj(swapped) if x.dtype.kind == "c" else swapped


@unthreaded
@widened
def expm(xp: Namespace, a: Array) -> Array:
    """The matrix exponential."""
    if a.shape[-1] != a.shape[-2]:
        raise ValueError("the matrix must be square")
    if xp is np:
        return scipy_linalg().expm(a).astype(a.dtype) if a.size else a
    return jax.scipy.linalg.expm(a)


def tridiagonal_solve(
    xp: Namespace, above: Array, main: Array, below: Array, b: Array, *, pivot: bool
) -> Array:
    """`x` of `a x = b` for `a` with three diagonals, each as long as the main one."""
    if not pivot:
        return _without_pivoting(xp, above, main, below, b)
    if xp is not np:
        return jax.lax.linalg.tridiagonal_solve(below, main, above, b)
    if main.size == 0:
        return b
    gtsv = scipy_linalg().get_lapack_funcs("gtsv", (main, b))

    def solve_one(diagonals: np.ndarray, rhs: np.ndarray) -> tuple[np.ndarray]:
        up, mid, low = diagonals
        if len(mid) == 1:
            return (rhs / mid[:, None],)
        *_, x, info = gtsv(low[1:], mid, up[:-1], rhs)
        return (np.full_like(rhs, np.nan) if info > 0 else x,)

    return each(solve_one, np.stack([above, main, below], axis=-2), b)[0].astype(b.dtype)


def _without_pivoting(xp: Namespace, above: Array, main: Array, below: Array, b: Array) -> Array:
    """The same by elimination in the order of the rows; NaN where a pivot is 0."""
    rows = [xp.moveaxis(part, -1, 0)[..., None] for part in (above, main, below)]
    up, mid, low = rows
    right = xp.moveaxis(b, -2, 0)

    def down(last: tuple[Array, ...], row: tuple[Array, ...]) -> tuple[Any, Any]:
        pivot, value, over = last
        factor = row[2] / pivot
        new = row[1] - factor * over, row[3] - factor * value
        return (*new, row[0]), new

    def back(after: Array, row: tuple[Array, ...]) -> tuple[Any, Any]:
        found = (row[1] - row[2] * after) / row[0]
        return found, found

    first = xp.ones_like(mid[0]), xp.zeros_like(right[0]), xp.zeros_like(up[0])
    low = xp.concatenate([xp.zeros_like(low[:1]), low[1:]])
    pivots, values = _scan(xp, down, first, (up, mid, low, right))
    turned = tuple(part[::-1] for part in (pivots, values, up))
    found = _scan(xp, back, xp.zeros_like(right[0]), turned)[::-1]
    bad = (pivots == 0).any(axis=0)
    return xp.moveaxis(xp.where(bad, np.nan, found).astype(b.dtype), 0, -2)


def perturbed_tridiagonal_solve(
    xp: Namespace, above: Array, main: Array, below: Array, b: Array
) -> Array:
    """The same with pivots of 0 moved away from it, as LAPACK's xLAGTF and xLAGTS do."""
    above = xp.concatenate([above[..., :-1], xp.zeros_like(above[..., :1])], axis=-1)
    up, mid, low = (xp.moveaxis(part, -1, 0)[..., None] for part in (above, main, below))
    right = xp.moveaxis(b, -2, 0)

    def down(last: tuple[Array, ...], row: tuple[Array, ...]) -> tuple[Any, Any]:
        """One row of the upper triangle, and what is left of the other: the better pivot first."""
        (pivot, over, value, size), (next_low, next_mid, next_up, next_value) = last, row
        next_size = abs(next_low) + abs(next_mid) + abs(next_up)
        share = [abs(x) / xp.where(x == 0, 1, s) for x, s in ((pivot, size), (next_low, next_size))]
        swap = share[1] > share[0]
        divisor = xp.where(swap, next_low, pivot)
        factor = xp.where(swap, pivot, next_low) / xp.where(divisor == 0, 1, divisor)
        kept = (
            divisor,
            xp.where(swap, next_mid, over),
            xp.where(swap, next_up, 0),
            xp.where(swap, next_value, value),
        )
        left = (
            xp.where(swap, over - factor * next_mid, next_mid - factor * over),
            xp.where(swap, -factor * next_up, next_up),
            xp.where(swap, value - factor * next_value, next_value - factor * value),
        )
        return (*left, xp.where(swap, size, next_size)), kept

    first = (mid[0], up[0], right[0], abs(mid[0]) + abs(up[0]))
    none = tuple(xp.zeros_like(part[:1]) for part in (low, mid, up, right))  # pushes the last out
    rows = tuple(xp.concatenate([part[1:], end]) for part, end in zip((low, mid, up, right), none))
    pivots, over, beyond, values = _scan(xp, down, first, rows)
    tolerance = _tolerance(xp, first, (pivots, over, beyond))

    def back(after: tuple[Array, Array], row: tuple[Array, ...]) -> tuple[Any, Any]:
        pivot, value, second, third = row
        rest = value - second * after[0] - third * after[1]
        found = (rest / _moved(xp, pivot, rest, tolerance)).astype(b.dtype)
        return (found, after[0]), found

    start = (xp.zeros_like(right[0]), xp.zeros_like(right[0]))
    turned = tuple(part[::-1] for part in (pivots, values, over, beyond))
    return xp.moveaxis(_scan(xp, back, start, turned)[::-1], 0, -2)


def _tolerance(xp: Namespace, first: tuple[Array, ...], triangle: tuple[Array, ...]) -> Array:
    """How far a pivot is moved: by the largest elements, the last row but one not looked at."""
    limits = np.finfo(first[0].real.dtype)
    largest = xp.maximum(abs(first[0]), abs(first[1]))
    for part in triangle:
        size = abs(part)
        for rows in (size[:-2], size[-1:]):
            largest = xp.maximum(largest, xp.max(rows, axis=0, initial=0))
    return xp.where(largest == 0, limits.tiny, largest * limits.eps)


def _moved(xp: Namespace, pivot: Array, value: Array, tolerance: Array) -> Array:
    """The pivot, further from 0 where `value / pivot` would be infinite."""
    size = abs(pivot)
    need = xp.max(abs(value), axis=-1, keepdims=True) * np.finfo(size.dtype).tiny
    bad = (size < 1) & ((size == 0) | (size < need))
    doublings = xp.ceil(xp.log2(xp.maximum((need - size) / tolerance, 0) + 1))
    step = (2 ** xp.maximum(doublings, 1) - 1) * tolerance
    away = xp.where(pivot.real < 0, -step, step)
    return xp.where(bad, pivot + away, pivot)


def _scan(xp: Namespace, step: Callable[..., Any], carry: Any, rows: tuple[Array, ...]) -> Any:
    """The results of `step` for one row after another, stacked."""
    if xp is not np:
        return jax.lax.scan(step, carry, rows)[1]
    found = []
    for row in zip(*rows):
        carry, result = step(carry, row)
        found.append(result)
    if isinstance(found[0], tuple):
        return tuple(np.stack(part) for part in zip(*found))
    return np.stack(found)
