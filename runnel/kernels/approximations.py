"""Sines, angles and others of float32 for compiled programs: XLA's go number by number.

Angles are computed in float64, as vectors, from polynomials of least largest error; what is rounded
to float32 at the end is wrong by little more than half of its last place.
`tools/fit_polynomials.py` finds the coefficients.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from runnel.backend.jax import jnp, lax
from runnel.core.values.types import Array, Namespace

# (sin(x) / x - 1) / x**2 and cos(x) by x**2, up to pi / 4.
_SIN = (-0.166666666416, 0.00833332938475, -0.000198393344632, 2.71830789776e-06)
_COS = (0.999999999953, -0.499999996153, 0.0416666167243, -0.00138866187575, 2.43798874016e-05)
# (asin(x) / x - 1) / x**2 by x**2 up to 1/2, the same of atan up to 1.
_ASIN = (
    *(0.166666598719, 0.0750051092052, 0.0445157196252),
    *(0.0318176175499, 0.0144025814275, 0.0375652379082),
)
_ATAN = (
    *(-0.333333018669, 0.199986386234, -0.142652453666, 0.10957575911, -0.084194578885),
    *(0.058234524566, -0.0314556727725, 0.0110644241416, -0.00182720896409),
)
# (exp(-x) - 1 + x) / x**2, up to 1/2.
_EXPM1 = (
    *(0.499999997398, -0.166666564632, 0.0416653322608),
    *(-0.00832528154221, 0.00136413734376, -0.000160247334272),
)

# A quarter of a turn in two numbers; the first has 31 bits, so that its multiples are exact.
_QUARTER = 1686629713 * 2.0**-30
_QUARTER_REST = 6.077100506506192e-11
_LARGEST_EXACT = 2.0**20  # beyond, the multiples are not exact
_ELEMENTS_FOR_XLA = 1 << 10  # elements that XLA is done with before it has chosen


def sin(xp: Namespace, x: Array) -> Array:
    """The sine."""
    return xp.sin(x) if _left(xp, x) else _unless_huge(_sin, lax.sin, x)


def cos(xp: Namespace, x: Array) -> Array:
    """The cosine."""
    return xp.cos(x) if _left(xp, x) else _unless_huge(_cos, lax.cos, x)


def tan(xp: Namespace, x: Array) -> Array:
    """The tangent."""
    return xp.tan(x) if _left(xp, x) else _unless_huge(_tan, lax.tan, x)


def asin(xp: Namespace, x: Array) -> Array:
    """The angle with the sine `x`."""
    if _left(xp, x):
        return xp.arcsin(x)
    wide = xp.abs(x).astype(np.float64)
    high = wide > 0.5
    angle = _arc(wide, high)
    return xp.copysign(xp.where(high, np.pi / 2 - 2 * angle, angle).astype(x.dtype), x)


def acos(xp: Namespace, x: Array) -> Array:
    """The angle with the cosine `x`."""
    if _left(xp, x):
        return xp.arccos(x)
    wide = x.astype(np.float64)
    high = xp.abs(wide) > 0.5
    angle = _arc(xp.abs(wide), high)
    signed = xp.where(wide < 0, -angle, angle)
    outer = xp.where(wide < 0, np.pi, 0.0) + 2 * signed
    return xp.where(high, outer, np.pi / 2 - signed).astype(x.dtype)


def atan(xp: Namespace, x: Array) -> Array:
    """The angle with the tangent `x`."""
    if _left(xp, x):
        return xp.arctan(x)
    wide = xp.abs(x).astype(np.float64)
    steep = wide > 1
    angle = _slope(xp.where(steep, 1 / wide, wide))
    return xp.copysign(xp.where(steep, np.pi / 2 - angle, angle).astype(x.dtype), x)


def atan2(xp: Namespace, y: Array, x: Array) -> Array:
    """The angle of the point with coordinates `x` and `y`."""
    if _left(xp, x):
        return xp.arctan2(y, x)
    wide, high = xp.abs(x).astype(np.float64), xp.abs(y).astype(np.float64)
    short, long = xp.minimum(wide, high), xp.maximum(wide, high)
    # Two zeros are as zero and one, two infinities as one and one.
    ratio = xp.where(short == long, xp.where(long == 0, 0.0, 1.0), short / long)
    angle = _slope(xp.where(xp.isnan(long), long, ratio))
    angle = xp.where(high > wide, np.pi / 2 - angle, angle)
    angle = xp.where(xp.signbit(x), np.pi - angle, angle)
    return xp.copysign(angle.astype(x.dtype), y)


def expm1_below(xp: Namespace, x: Array) -> Array:
    """`exp(x) - 1` of numbers that are not above zero."""
    if _left(xp, x):
        return xp.expm1(x)
    near = x + x * x * _polynomial(_EXPM1, -x)
    return xp.where(x > -0.5, near, xp.exp(x) - 1)


def _left(xp: Namespace, x: Array) -> bool:
    """Whether this is left to NumPy, or to XLA."""
    return xp is np or x.dtype != np.float32


def _polynomial(coefficients: Sequence[float], x: Array) -> Array:
    total = coefficients[-1]
    for coefficient in reversed(coefficients[:-1]):
        total = total * x + coefficient
    return total


def _unless_huge(fn: Callable[[Array], Array], exact: Callable[[Array], Array], x: Array) -> Array:
    """`fn` of many angles, or `exact`, which is slow, if some are so large that `fn` is wrong."""
    if x.size <= _ELEMENTS_FOR_XLA:
        return exact(x)
    return lax.cond(jnp.any(jnp.abs(x) > _LARGEST_EXACT), exact, fn, x)


def _turned(x: Array) -> tuple[Array, Array, Array]:
    """How many quarters of a turn `x` is, and sine and cosine of the angle that remains."""
    wide = x.astype(np.float64)
    quarters = jnp.round(wide * (2 / np.pi))
    rest = wide - quarters * _QUARTER - quarters * _QUARTER_REST
    square = rest * rest
    sine = rest + rest * (square * _polynomial(_SIN, square))
    return quarters.astype(np.int32), sine, _polynomial(_COS, square)


def _sin(x: Array) -> Array:
    quarters, sine, cosine = _turned(x)
    found = jnp.where(quarters & 1, cosine, sine)
    # A sum of -0.0 and 0.0 is 0.0: the sine of zero is zero with its sign.
    found = jnp.where(quarters & 2, -found, found).astype(x.dtype)
    return jnp.where(x == 0, x, found)


def _cos(x: Array) -> Array:
    quarters, sine, cosine = _turned(x)
    found = jnp.where(quarters & 1, sine, cosine)
    return jnp.where((quarters + 1) & 2, -found, found).astype(x.dtype)


def _tan(x: Array) -> Array:
    quarters, sine, cosine = _turned(x)
    odd = quarters & 1
    found = jnp.where(odd, -cosine, sine) / jnp.where(odd, sine, cosine)
    return jnp.where(x == 0, x, found.astype(x.dtype))


def _arc(x: Array, high: Array) -> Array:
    """The angle with the sine `x`, or half the angle with the cosine `x` where that is `high`."""
    square = jnp.where(high, (1 - x) * 0.5, x * x)
    sine = jnp.where(high, jnp.sqrt(square), x)
    return sine + sine * (square * _polynomial(_ASIN, square))


def _slope(x: Array) -> Array:
    """The angle with the tangent `x`, from 0 to 1."""
    square = x * x
    return x + x * (square * _polynomial(_ATAN, square))
