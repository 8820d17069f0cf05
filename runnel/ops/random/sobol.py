"""Sobol's sequence of points that fill a cube evenly."""

from __future__ import annotations

import importlib

import numpy as np

from runnel.core.extend import Tensor, op, raw_ops, scoped
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType
from runnel.core.values.errors import bad_value
from runnel.core.values.types import Array, Dims, DTypeLike, Namespace, Spec, TensorLike


def _points(dim: Spec, num_results: Spec, skip: Spec, *, dtype: DType) -> Dims:
    return tuple(None if s.value is None else int(s.value) for s in (num_results, dim))


def _counts(dim: Array, num_results: Array, skip: Array, *, dtype: DType) -> None:
    for name, value, least in (("dim", dim, 1), ("num_results", num_results, 1), ("skip", skip, 0)):
        if value < least:
            raise bad_value("SobolSample", want=f"be at least {least}", **{name: value})


@op(
    "SobolSample",
    "dim: int32[0], num_results: int32[0], skip: int32[0] -> samples: dtype",
    dtype=frozenset({dtypes.float32, dtypes.float64}),
    host=True,
    shape=_points,
    check=_counts,
)
def _sobol_sample(
    xp: Namespace, dim: Array, num_results: Array, skip: Array, *, dtype: DType = dtypes.float32
) -> Array:
    # SciPy has the same direction numbers; its sequence begins with the origin, which is left out.
    sequence = importlib.import_module("scipy.stats.qmc").Sobol(int(dim), scramble=False)
    sequence.fast_forward(int(skip) + 1)
    return sequence.random(int(num_results)).astype(np.dtype(dtype.np_dtype))


@scoped("sobol")
def sobol_sample(
    dim: TensorLike,
    num_results: TensorLike,
    skip: TensorLike = 0,
    dtype: DTypeLike = dtypes.float32,
    name: str | None = None,
) -> Tensor:
    """`num_results` points of Sobol's sequence in the unit cube of `dim` dimensions.

    >>> tf.math.sobol_sample(2, 3).numpy().tolist()
    [[0.5, 0.5], [0.75, 0.25], [0.25, 0.75]]
    """
    return raw_ops.SobolSample(dim, num_results, skip, dtype=dtype, name=name)
