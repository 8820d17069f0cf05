"""The remainder of float32 numbers by a division in float64, many times as fast as by subtraction.

As long as the quotient is less than 2**28 its whole part is right, and its product with the divisor
has no more than the 53 bits of a float64: the remainder is exact.
"""

from __future__ import annotations

import numpy as np

from runnel.backend.jax import jnp, lax
from runnel.core.values.types import Array, Namespace

_LARGEST_EXACT = 2.0**28
_ELEMENTS_FOR_XLA = 1 << 10  # elements
_BLOCK = 1 << 14  # elements of all arrays that the processor keeps near


def floor_remainder(xp: Namespace, x: Array, y: Array) -> Array:
    """`x - y * floor(x / y)` of floats; a zero has the sign of `x`."""
    if x.dtype != np.float32 or max(x.size, y.size) <= _ELEMENTS_FOR_XLA:
        return _signed(xp, xp.mod(x, y), x)
    return _by_blocks(x, y) if xp is np else _compiled(x, y)


def _signed(xp: Namespace, found: Array, x: Array) -> Array:
    """`found` with zeros of the sign of `x`; NumPy gives them that of the divisor."""
    zero = xp.zeros((), x.dtype)
    return xp.where(found == zero, xp.copysign(zero, x), found)


def _by_blocks(x: Array, y: Array) -> Array:
    kinds = [np.float64, np.float64, np.float32]
    flags = ["external_loop", "buffered"]
    options: dict[str, object] = {"casting": "same_kind", "buffersize": _BLOCK}
    with np.nditer([x, y, None], flags, op_dtypes=kinds, **options) as blocks:  # type: ignore
        for a, b, result in blocks:
            result[...] = _block(a, b)
        return blocks.operands[2]


def _block(x: Array, y: Array) -> Array:
    quotient = x / y
    if not (
        quotient.min() > -_LARGEST_EXACT
        and quotient.max() < _LARGEST_EXACT
        and np.isfinite(y).all()
    ):
        return _signed(np, np.mod(x, y), x)
    np.floor(quotient, out=quotient)
    quotient *= y
    rest = np.subtract(x, quotient, out=quotient)
    if x.min() < 0:
        rest[(rest == 0) & (x < 0)] = -0.0
    return rest


def _compiled(x: Array, y: Array) -> Array:
    x, y = jnp.broadcast_arrays(x, y)
    fine = (jnp.abs(x.astype(np.float64) / y) < _LARGEST_EXACT) & jnp.isfinite(y)
    return lax.cond(jnp.all(fine), _quick, lambda x, y: _signed(jnp, jnp.mod(x, y), x), x, y)


def _quick(x: Array, y: Array) -> Array:
    dividend, divisor = x.astype(np.float64), y.astype(np.float64)
    rest = dividend - jnp.floor(dividend / divisor) * divisor
    return _signed(jnp, rest.astype(x.dtype), x)
