"""Products of matrices, by what multiplies them fastest."""

from __future__ import annotations

import ml_dtypes
import numpy as np

from runnel.backend.jax import lax
from runnel.core.values.types import Array, Namespace

_HALVES = frozenset({np.dtype(np.float16), np.dtype(ml_dtypes.bfloat16)})


def product(
    xp: Namespace, a: Array, b: Array, transpose_a: bool = False, transpose_b: bool = False
) -> Array:
    """`a @ b`, each transposed before if so wanted; half precision is added up in float32."""
    if xp is not np and transpose_a and not transpose_b and _is_wide(a, b):
        return transposed(lax.optimization_barrier(product(xp, b, a, True)))
    a, b = transposed(a) if transpose_a else a, transposed(b) if transpose_b else b
    if a.dtype not in _HALVES:
        return xp.matmul(a, b)
    if xp is np:
        return np.matmul(a.astype(np.float32), b.astype(np.float32)).astype(a.dtype)
    return xp.matmul(a, b, preferred_element_type=np.float32).astype(a.dtype)


_WIDE = 128  # rows and columns of a matrix whose transposing is felt
_NARROW = 32  # columns of a factor beside which a matrix of half as many rows is wide as well


def _is_wide(a: Array, b: Array) -> bool:
    """Whether `b' @ a`, transposed, is faster than `a' @ b`.

    XLA multiplies by a transposed matrix on the left a column at a time, so it had better be the
    smaller one: half of the time for [4096,512]' @ [4096,64] (`benchmarks/formulations.md`). The
    barrier keeps XLA from turning the product round again.
    """
    rows, columns = a.shape[-2:]
    if a.dtype != np.float32 or columns < max(_WIDE, 2 * b.shape[-1]):
        return False
    return rows >= _WIDE or (rows * columns >= _WIDE * _WIDE and b.shape[-1] <= _NARROW)


def transposed(x: Array) -> Array:
    """`x` with its last two axes exchanged."""
    return x.swapaxes(-1, -2)
