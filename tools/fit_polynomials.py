"""Find the polynomials of `runnel/kernels/approximations.py`: python tools/fit_polynomials.py

Each approximates a function from 0 to an end with the least largest relative error of the result
that is made of it. It is fitted by least squares again and again, with more weight wherever the
error is large, until it is as large everywhere (Lawson's algorithm).
"""

from __future__ import annotations

from collections.abc import Callable
from math import factorial

import numpy as np
from numpy.polynomial import Chebyshev, Polynomial

Function = Callable[[np.ndarray], np.ndarray]


def series(terms: list[float]) -> Function:
    return Polynomial(terms)


def asin_terms(count: int) -> list[float]:
    """The coefficients of x**3, x**5 and so on in the series of asin(x)."""
    share, terms = 1.0, []
    for k in range(count):
        share *= (2 * k + 1) / (2 * k + 2)
        terms.append(share / (2 * k + 3))
    return terms


def atan_rest(square: np.ndarray) -> np.ndarray:
    """(atan(x) / x - 1) / x**2, by the series where that formula would cancel."""
    near = Polynomial([(-1) ** (k + 1) / (2 * k + 3) for k in range(40)])(square)
    x = np.sqrt(np.where(square > 0.05, square, 1.0))
    return np.where(square > 0.05, (np.arctan(x) / x - 1) / x**2, near)


def one(z: np.ndarray) -> np.ndarray:
    return np.ones_like(z)


def itself(z: np.ndarray) -> np.ndarray:
    return z


QUARTER = (np.pi / 4) ** 2 * 1.0001  # a little more, since the number of quarters is rounded

# The function, its end, the degree, and how much of the result an error of it is.
WANTED: dict[str, tuple[Function, float, int, Function]] = {
    "_SIN": (
        series([(-1) ** (k + 1) / factorial(2 * k + 3) for k in range(12)]),
        QUARTER,
        3,
        itself,
    ),
    "_COS": (series([(-1) ** k / factorial(2 * k) for k in range(14)]), QUARTER, 4, one),
    "_ASIN": (series(asin_terms(60)), 0.25, 5, itself),
    "_ATAN": (atan_rest, 1.0, 8, itself),
    "_EXPM1": (series([(-1) ** k / factorial(k + 2) for k in range(25)]), 0.5, 5, itself),
}


def fit(fn: Function, end: float, degree: int, part: Function) -> tuple[np.ndarray, float]:
    """Coefficients, lowest first, and the largest error."""
    z = end / 2 * (1 - np.cos(np.linspace(0, np.pi, 4001)))
    wanted, share, weight = fn(z), part(z), np.full_like(z, 1 / len(z))
    best, least = None, np.inf
    for _ in range(200):
        found = Chebyshev.fit(z, wanted, degree, domain=[0, end], w=np.sqrt(weight) * share)
        error = np.abs((found(z) - wanted) * share)
        if error.max() < least:
            best, least = found, error.max()
        weight = np.maximum(weight * error / (weight * error).sum(), 1e-300)
    assert best is not None
    return best.convert(kind=Polynomial).coef, float(least)


if __name__ == "__main__":
    for name, wish in WANTED.items():
        coefficients, error = fit(*wish)
        print(name, "=", tuple(float(f"{c:.12g}") for c in coefficients), f" # error {error:.1e}")
