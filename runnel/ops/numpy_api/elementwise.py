"""`tf.experimental.numpy`, element by element: arithmetic, powers, angles, complex numbers."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.types import TensorLike
from runnel.ops.numpy_api.promotion import (
    as_inexact,
    asarray,
    change_dtype,
    default_float,
    is_inexact,
    promoted,
    promoted_as_numpy,
)

Unary = Callable[[TensorLike], Tensor]
Binary = Callable[[TensorLike, TensorLike], Tensor]
Promotion = Callable[..., list[Tensor]]


def named(function: Any, name: str, doc: str) -> Any:
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def _unary(name: str, op: str, what: str) -> Unary:
    def function(x: TensorLike) -> Tensor:
        return getattr(raw_ops, op)(asarray(x))

    return named(function, name, f"{what}, element by element.")


def inexact_unary(name: str, op: str, what: str) -> Unary:
    def function(x: TensorLike) -> Tensor:
        return getattr(raw_ops, op)(as_inexact(x))

    return named(function, name, f"{what}, element by element; integers become floats.")


def binary(
    name: str, op: str, what: str, for_bool: str = "", *, promote: Promotion = promoted_as_numpy
) -> Binary:
    def function(x1: TensorLike, x2: TensorLike) -> Tensor:
        x, y = promote(x1, x2)
        chosen = for_bool if for_bool and x.dtype is dtypes.bool else op
        return getattr(raw_ops, chosen)(x, y)

    return named(function, name, f"{what}, element by element, in their common dtype.")


add = binary("add", "AddV2", "The sum", "LogicalOr")
subtract = binary("subtract", "Sub", "The difference")
multiply = binary("multiply", "Mul", "The product", "LogicalAnd")
maximum = binary("maximum", "Maximum", "The greater of two", "LogicalOr")
minimum = binary("minimum", "Minimum", "The smaller of two", "LogicalAnd")
power = binary("power", "Pow", "`x1` to the power of `x2`")
float_power = binary("float_power", "Pow", "`x1` to the power of `x2`")
arctan2 = binary("arctan2", "Atan2", "The angle of the point `(x2, x1)`")
nextafter = binary("nextafter", "NextAfter", "The next number after `x1` towards `x2`")
bitwise_and = binary("bitwise_and", "BitwiseAnd", "The bits set in both", "LogicalAnd")
bitwise_or = binary("bitwise_or", "BitwiseOr", "The bits set in one or both", "LogicalOr")
bitwise_xor = binary("bitwise_xor", "BitwiseXor", "The bits set in one of them", "NotEqual")
negative = _unary("negative", "Neg", "The negative")
square = _unary("square", "Square", "The square")
reciprocal = _unary("reciprocal", "Reciprocal", "One over `x`")
sin = inexact_unary("sin", "Sin", "The sine")
cos = inexact_unary("cos", "Cos", "The cosine")
tan = inexact_unary("tan", "Tan", "The tangent")
sinh = inexact_unary("sinh", "Sinh", "The hyperbolic sine")
cosh = inexact_unary("cosh", "Cosh", "The hyperbolic cosine")
tanh = inexact_unary("tanh", "Tanh", "The hyperbolic tangent")
arcsin = inexact_unary("arcsin", "Asin", "The angle of a sine")
arccos = inexact_unary("arccos", "Acos", "The angle of a cosine")
arctan = inexact_unary("arctan", "Atan", "The angle of a tangent")
arcsinh = inexact_unary("arcsinh", "Asinh", "The inverse of the hyperbolic sine")
arccosh = inexact_unary("arccosh", "Acosh", "The inverse of the hyperbolic cosine")
arctanh = inexact_unary("arctanh", "Atanh", "The inverse of the hyperbolic tangent")
exp = inexact_unary("exp", "Exp", "The exponential")
expm1 = inexact_unary("expm1", "Expm1", "The exponential less one")
log = inexact_unary("log", "Log", "The natural logarithm")
log1p = inexact_unary("log1p", "Log1p", "The natural logarithm of one more than `x`")
sqrt = inexact_unary("sqrt", "Sqrt", "The square root")
ceil = inexact_unary("ceil", "Ceil", "The least whole number that is not less")
floor = inexact_unary("floor", "Floor", "The greatest whole number that is not greater")


def positive(x: TensorLike) -> Tensor:
    """`+x`: the same values."""
    return raw_ops.Identity(asarray(x))


def absolute(x: TensorLike) -> Tensor:
    """The absolute value, element by element.

    >>> tf.experimental.numpy.absolute(3 + 4j).numpy()
    np.float64(5.0)
    """
    return abs(asarray(x))


def fabs(x: TensorLike) -> Tensor:
    """The absolute value, element by element."""
    return absolute(x)


def sign(x: TensorLike, out: Any = None, where: Any = None, **kwargs: Any) -> Tensor:
    """-1, 0 or 1; for complex numbers the one of absolute value 1 in the same direction.

    >>> tf.experimental.numpy.sign([-2, 0, 7]).numpy()
    array([-1,  0,  1])
    """
    if out is not None or where is not None or kwargs:
        raise ValueError("tf.experimental.numpy.sign takes neither `out` nor `where`.")
    return raw_ops.Sign(asarray(x))


def true_divide(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The quotient; of integers as float64, of those of 8 or 16 bits as float32.

    >>> tf.experimental.numpy.true_divide(1, 2).numpy()
    np.float64(0.5)
    """
    x, y = promoted_as_numpy(x1, x2)
    if not is_inexact(x.dtype):
        wide = default_float()
        if x.dtype.is_integer:
            wide = dtypes.float32 if x.dtype.size <= 2 else dtypes.float64
        x, y = (change_dtype(v, wide) for v in (x, y))
    return raw_ops.RealDiv(x, y)


def divide(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The quotient; of integers as float64, of those of 8 or 16 bits as float32."""
    return true_divide(x1, x2)


def floor_divide(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The quotient, rounded down.

    >>> tf.experimental.numpy.floor_divide(-7, 2).numpy()
    np.int64(-4)
    """
    return raw_ops.FloorDiv(*_without_bool(x1, x2))


def mod(x1: TensorLike, x2: TensorLike) -> Tensor:
    """What a division that rounds down leaves; it has the sign of `x2`.

    >>> tf.experimental.numpy.mod(-7, 3).numpy()
    np.int64(2)
    """
    return raw_ops.FloorMod(*_without_bool(x1, x2))


def remainder(x1: TensorLike, x2: TensorLike) -> Tensor:
    """What a division that rounds down leaves; it has the sign of `x2`."""
    return mod(x1, x2)


def divmod(x1: TensorLike, x2: TensorLike) -> tuple[Tensor, Tensor]:
    """`floor_divide` and `mod`."""
    return floor_divide(x1, x2), mod(x1, x2)


def _without_bool(x1: TensorLike, x2: TensorLike) -> list[Tensor]:
    x, y = promoted_as_numpy(x1, x2)
    return [change_dtype(v, dtypes.int8 if v.dtype is dtypes.bool else None) for v in (x, y)]


def bitwise_not(x: TensorLike) -> Tensor:
    """Every bit turned over; `not` for booleans."""
    x = asarray(x)
    return raw_ops.LogicalNot(x) if x.dtype is dtypes.bool else raw_ops.Invert(x)


def exp2(x: TensorLike) -> Tensor:
    """Two to the power of `x`."""
    x = as_inexact(x)
    return raw_ops.Pow(raw_ops.Identity(np.asarray(2, x.dtype.np_dtype)), x)


def log2(x: TensorLike) -> Tensor:
    """The logarithm to base 2."""
    return true_divide(log(x), np.log(2))  # float64, as NumPy's logarithm is


def log10(x: TensorLike) -> Tensor:
    """The logarithm to base 10."""
    return true_divide(log(x), np.log(10))


def cbrt(x: TensorLike) -> Tensor:
    """The cube root, also of negative numbers."""
    x = as_inexact(x)
    third = np.asarray(1 / 3, x.dtype.np_dtype)
    root = raw_ops.Pow(abs(x), third)
    return raw_ops.SelectV2(raw_ops.Less(x, 0), -root, root)


def deg2rad(x: TensorLike) -> Tensor:
    """Degrees as radians."""
    return as_inexact(x) * (math.pi / 180)


def rad2deg(x: TensorLike) -> Tensor:
    """Radians as degrees."""
    return as_inexact(x) * (180 / math.pi)


def hypot(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The root of the sum of two squares."""
    return sqrt(add(square(x1), square(x2)))


def logaddexp(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The logarithm of the sum of two exponentials, without overflow."""
    x, y = (as_inexact(v) for v in promoted_as_numpy(x1, x2))
    return raw_ops.Maximum(x, y) + raw_ops.Log1p(raw_ops.Exp(-abs(x - y)))


def logaddexp2(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The same to base 2."""
    x, y = (as_inexact(v) for v in promoted(x1, x2))
    return add(raw_ops.Maximum(x, y), log2(1 + exp2(-abs(x - y))))


def heaviside(x1: TensorLike, x2: TensorLike) -> Tensor:
    """0 for negative `x1`, 1 for positive, `x2` where it is 0.

    >>> tf.experimental.numpy.heaviside([-1.0, 0.0, 1.0], 0.5).numpy()
    array([0. , 0.5, 1. ])
    """
    x, y = (as_inexact(v) for v in promoted(x1, x2))
    zeros, ones = raw_ops.ZerosLike(x), raw_ops.OnesLike(x)
    high = raw_ops.SelectV2(raw_ops.Greater(x, 0), ones, y)
    return raw_ops.SelectV2(raw_ops.Less(x, 0), zeros, high)


def sinc(x: TensorLike) -> Tensor:
    """`sin(pi x) / (pi x)`, and 1 at 0."""
    scaled = as_inexact(x) * math.pi
    zero = raw_ops.Equal(scaled, 0)
    safe = raw_ops.SelectV2(zero, raw_ops.OnesLike(scaled), scaled)
    return raw_ops.SelectV2(zero, raw_ops.OnesLike(scaled), raw_ops.Sin(safe) / safe)


def fix(x: TensorLike) -> Tensor:
    """`x` without its fraction."""
    x = as_inexact(x)
    return raw_ops.SelectV2(raw_ops.Greater(x, 0), raw_ops.Floor(x), raw_ops.Ceil(x))


def gcd(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The greatest common divisor.

    >>> tf.experimental.numpy.gcd(12, [8, 9]).numpy()
    array([4, 3])
    """
    return _euclid(x1, x2)


def _integers(name: str, x1: TensorLike, x2: TensorLike) -> list[Tensor]:
    pair = promoted_as_numpy(x1, x2)
    if not pair[0].dtype.is_integer:
        raise ValueError(f"Arguments to {name} must be integers.")
    return pair


def _euclid(x1: TensorLike, x2: TensorLike) -> Tensor:
    """Euclid's steps, as many as any pair of 64-bit numbers can need."""
    x, y = _integers("gcd", x1, x2)
    x, y = abs(x), abs(y)
    one = raw_ops.Identity(np.asarray(1, x.dtype.np_dtype))
    for _ in range(_EUCLID_STEPS[x.dtype.size]):
        zero = raw_ops.Equal(y, 0)
        rest = raw_ops.FloorMod(x, raw_ops.SelectV2(zero, one, y))
        x, y = raw_ops.SelectV2(zero, x, y), raw_ops.SelectV2(zero, raw_ops.ZerosLike(y), rest)
    return x


_EUCLID_STEPS = {1: 12, 2: 23, 4: 45, 8: 91}  # Lamé: Fibonacci numbers take the longest


def lcm(x1: TensorLike, x2: TensorLike) -> Tensor:
    """The least common multiple.

    >>> tf.experimental.numpy.lcm(4, 6).numpy()
    np.int64(12)
    """
    x, y = _integers("gcd", x1, x2)
    divisor = gcd(x, y)
    zero = raw_ops.Equal(divisor, 0)
    safe = raw_ops.SelectV2(zero, raw_ops.OnesLike(divisor), divisor)
    return abs(x) * raw_ops.FloorDiv(abs(y), safe)


def around(a: TensorLike, decimals: int = 0) -> Tensor:
    """`a` rounded to so many decimals, halves to the even neighbour.

    >>> tf.experimental.numpy.around([0.5, 1.5, 2.345], 0).numpy()
    array([0., 2., 2.])
    """
    a = asarray(a)
    factor = math.pow(10, decimals)
    if is_inexact(a.dtype):
        return raw_ops.Rint(a * factor) / factor
    wide = change_dtype(a, default_float())
    return change_dtype(raw_ops.Rint(wide * factor) / factor, a.dtype)


def round(a: TensorLike, decimals: int = 0) -> Tensor:
    """`a` rounded to so many decimals, halves to the even neighbour."""
    return around(a, decimals)


def clip(a: TensorLike, a_min: TensorLike, a_max: TensorLike) -> Tensor:
    """`a` with values below `a_min` and above `a_max` moved to them; either may be None.

    >>> tf.experimental.numpy.clip([1, 5, 9], 2, 6).numpy()
    array([2, 5, 6])
    """
    if a_min is None and a_max is None:
        raise ValueError("Not more than one of `a_min` and `a_max` may be `None`.")
    if a_min is None:
        return minimum(a, a_max)
    if a_max is None:
        return maximum(a, a_min)
    array, low, high = promoted(a, a_min, a_max)
    return raw_ops.Minimum(raw_ops.Maximum(array, low), high)


def real(val: TensorLike) -> Tensor:
    """The real part."""
    val = asarray(val)
    return raw_ops.Real(val, Tout=val.dtype.real_dtype) if val.dtype.is_complex else val


def imag(val: TensorLike) -> Tensor:
    """The imaginary part."""
    val = asarray(val)
    if not val.dtype.is_complex:
        return raw_ops.ZerosLike(val)
    return raw_ops.Imag(val, Tout=val.dtype.real_dtype)


def conj(x: TensorLike) -> Tensor:
    """The complex conjugate."""
    x = asarray(x)
    return raw_ops.Conj(x) if x.dtype.is_complex else x


def conjugate(x: TensorLike) -> Tensor:
    """The complex conjugate."""
    return conj(x)


def angle(z: TensorLike, deg: bool = False) -> Tensor:
    """The angle of a complex number with the real axis, in radians or degrees.

    >>> tf.experimental.numpy.angle(1j, deg=True).numpy()
    np.float64(90.0)
    """
    z = as_inexact(z)
    if z.dtype.is_complex:
        found = raw_ops.Angle(z, Tout=z.dtype.real_dtype)
    else:
        zeros = raw_ops.ZerosLike(z)
        found = raw_ops.SelectV2(raw_ops.Less(z, 0), zeros + math.pi, zeros)
    return found * (180 / math.pi) if deg else found


def polyval(p: TensorLike, x: TensorLike) -> Tensor:
    """The value at `x` of the polynomial with the coefficients `p`, highest first.

    >>> tf.experimental.numpy.polyval([2, 0, 1], 3).numpy()
    np.int64(19)
    """
    coefficients, x = promoted(p, x)
    if coefficients.shape.rank == 0:
        coefficients = raw_ops.ExpandDims(coefficients, np.int32(0))
    count = coefficients.shape[0]
    if count is None:
        raise ValueError("polyval: the number of coefficients must be known.")
    total = raw_ops.ZerosLike(x)
    for i in range(count):
        total = total * x + coefficients[i]
    return total
