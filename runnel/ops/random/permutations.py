"""Permutations of the first whole numbers."""

from __future__ import annotations

import numpy as np

from runnel.core.extend import Tensor, no_gradient, op, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Namespace, TensorLike
from runnel.kernels.arrays import scatter
from runnel.ops.shapes import same


def _is_permutation(x: Array) -> None:
    if x.ndim != 1:
        raise bad_shape("InvertPermutation", want="be a vector", x=x)
    if not np.array_equal(np.sort(x), np.arange(len(x))):
        want = f"hold each number from 0 to {len(x) - 1} once"
        raise bad_value("InvertPermutation", want=want, x=x)


@op(
    "InvertPermutation",
    "x: T[1] -> y: T",
    T=frozenset({dtypes.int32, dtypes.int64}),
    shape=same,
    check=_is_permutation,
)
def _invert_permutation(xp: Namespace, x: Array) -> Array:
    return scatter(xp, xp.zeros_like(x), x, xp.arange(x.shape[0], dtype=x.dtype))


no_gradient("InvertPermutation")


def invert_permutation(x: TensorLike, name: str | None = None) -> Tensor:
    """The permutation `y` that undoes `x`: `y[x[i]] == i`.

    >>> tf.math.invert_permutation([2, 0, 1]).numpy()
    array([1, 2, 0], dtype=int32)
    """
    return raw_ops.InvertPermutation(x, name=name)
