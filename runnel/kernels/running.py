"""Running totals of arrays, which NumPy and JAX spell differently, said once for kernels."""

from __future__ import annotations

import math

import numpy as np

from runnel.backend.jax import jnp, lax
from runnel.core.values.types import Array, Namespace

_ELEMENTS_FOR_ROWS = (
    256  # elements; from so many on, adding whole rows is faster than NumPy's `accumulate`
)
_FEW, _LONG = 64, 256  # rows, and elements of each, that are cut into more and shorter rows

_START = {"add": -0.0, "multiply": 1, "logaddexp": -np.inf}  # changes nothing, no sign either


def running(xp: Namespace, how: str, x: Array, axis: int) -> Array:
    """What the ufunc `how` makes of all elements of `x` up to each one along `axis`."""
    if xp is np:
        return _with_numpy(getattr(np, how), x, axis)
    return jnp.moveaxis(_with_xla(how, jnp.moveaxis(x, axis, 0)), 0, axis)


def _with_numpy(combine: np.ufunc, x: np.ndarray, axis: int) -> np.ndarray:
    """NumPy goes along the axis for one element after another; whole rows fit caches better."""
    if not x.size or math.prod(x.shape[axis + 1 :]) < _ELEMENTS_FOR_ROWS:
        return combine.accumulate(x, axis, x.dtype)
    result = np.empty(x.shape, x.dtype)
    rows, totals = np.moveaxis(x, axis, 0), np.moveaxis(result, axis, 0)
    totals[0] = rows[0]
    for row, before, total in zip(rows[1:], totals, totals[1:]):
        combine(before, row, out=total)
    return result


def _with_xla(how: str, rows: Array) -> Array:
    """One row after another: JAX's own way, in a tree, takes five to twenty times as long."""
    if rows.size < _FEW * len(rows) and len(rows) > _LONG:
        return _in_parts(how, rows)

    def step(before: Array, row: Array) -> tuple[Array, Array]:
        total = getattr(jnp, how)(before, row)
        return total, total

    return lax.scan(step, jnp.full(rows.shape[1:], _START[how], rows.dtype), rows)[1]


def _in_parts(how: str, rows: Array) -> Array:
    """Totals of parts of a long axis side by side, with those of the parts before."""
    size = math.isqrt(len(rows))
    count = -(-len(rows) // size)
    spare = jnp.full((count * size - len(rows), *rows.shape[1:]), _START[how], rows.dtype)
    parts = jnp.concatenate([rows, spare]).reshape(count, size, *rows.shape[1:])
    inside = _with_xla(how, jnp.moveaxis(parts, 1, 0))
    before = jnp.concatenate([jnp.full_like(inside[-1, :1], _START[how]), inside[-1, :-1]])
    totals = getattr(jnp, how)(inside, _with_xla(how, before))
    return jnp.moveaxis(totals, 0, 1).reshape(-1, *rows.shape[1:])[: len(rows)]
