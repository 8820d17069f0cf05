"""Where the largest and the smallest elements are, in compiled programs."""

from __future__ import annotations

from runnel.backend.jax import jnp, lax
from runnel.core.values.types import Array
from runnel.kernels.arrays import MANY

_LANES = 32  # columns that are looked at side by side


def place(x: Array, axis: int, how: str) -> Array:
    """Where the first "max" or "min" along an axis is, of numbers without NaN.

    XLA carries number and place of the best so far from element to element, and finds the best
    number alone as vectors. So that comes first, and then the first place where it is: of 1000 rows
    of 1000 in 0.3 ms, not 4.9 ms, of as many columns in 0.2 ms, not 2.8 ms.
    """
    axis %= x.ndim
    count = x.shape[axis]
    if x.size < MANY or (axis == x.ndim - 1 and count < _LANES):
        return getattr(jnp, f"arg{how}")(x, axis)
    if axis < x.ndim - 1:
        return _first(x, lax.broadcasted_iota(jnp.int32, x.shape, axis), axis, how, count)
    whole = count // _LANES * _LANES
    lanes = x[..., :whole].reshape(*x.shape[:-1], -1, _LANES)
    rounds = _first(lanes, lax.broadcasted_iota(jnp.int32, lanes.shape, axis), axis, how, count)
    best = getattr(lanes, how)(axis)
    found = rounds * _LANES + jnp.arange(_LANES, dtype=jnp.int32)
    found, best = lax.optimization_barrier((found, best))  # or XLA does both in one slow breath
    rest = jnp.broadcast_to(jnp.arange(whole, count, dtype=jnp.int32), x[..., whole:].shape)
    found = jnp.concatenate([found, rest], -1)
    return _first(jnp.concatenate([best, x[..., whole:]], -1), found, axis, how, count)


def _first(x: Array, places: Array, axis: int, how: str, beyond: int) -> Array:
    """The least of the `places` of the best elements."""
    best = getattr(x, how)(axis, keepdims=True)
    return jnp.where(x == best, places, beyond).min(axis)
