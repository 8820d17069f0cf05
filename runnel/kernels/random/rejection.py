"""Gamma, Poisson and binomial numbers, as TensorFlow's CPU kernels make them.

How many draws a number takes depends on the draws, so TensorFlow gives each a stream of its own, a
fixed distance from the next. These kernels run on the host, in NumPy: all numbers go on together,
and each leaves when it is accepted. They compute in double precision, whatever the dtype.

`shape` is that of the whole result and ends with the shape of the parameters. The streams are in
the order of the parameters: all numbers for the first one, then all for the second.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np

from runnel.core.values.types import Array
from runnel.kernels.random import philox
from runnel.kernels.random.bits import box_muller, unit

Rows: TypeAlias = np.ndarray[Any, np.dtype[np.intp]]
Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

_PART = 1 << 17  # numbers
_INVERSION_STEPS = 42  # the distance between streams for binomial numbers found by inversion
# log(k!) less its Stirling approximation, from Hörmann's paper on the binomial distribution.
_STIRLING_TAIL = np.array(
    [
        0.0810614667953272,
        0.0413406959554092,
        0.0276779256849983,
        0.02079067210376509,
        0.0166446911898211,
        0.0138761288230707,
        0.0118967099458917,
        0.0104112652619720,
        0.00925546218271273,
        0.00833056343336287,
    ]
)


def gamma(key: Array, counter: Array, shape: tuple[int, ...], alpha: Array) -> Array:
    """Numbers of the gamma distribution with shape parameter `alpha` and rate 1, of its dtype."""
    parameter = _spread(alpha, shape)
    result = np.empty(parameter.size)

    def fill(streams: Streams, parameter: Floats, result: Floats) -> None:
        even = np.flatnonzero(parameter == 1)
        result[even] = -np.log1p(-streams.uniform(even))
        _marsaglia_tsang(streams, parameter, np.flatnonzero(parameter != 1), result)

    _in_parts(fill, key, counter, parameter, result)
    return _collect(result, alpha, shape, alpha.dtype)


def _marsaglia_tsang(streams: Streams, alpha: Floats, rows: Rows, result: Floats) -> None:
    """Fills `rows` of `result`: a normal number is transformed and then accepted or drawn again."""
    small = alpha < 1  # taken as alpha + 1, and corrected by the power of a uniform number
    d = alpha + np.where(small, 2 / 3, -1 / 3)
    c = 1 / 3 / np.sqrt(d)
    waiting = np.ones(alpha.size, bool)
    while rows.size:
        x = streams.normal(rows)
        v = 1 + c[rows] * x
        inside = ~(v <= 0)
        tried, x, v = rows[inside], x[inside], v[inside]
        v = v * v * v
        u = streams.uniform(tried)
        squeeze = u < 1 - 0.0331 * (x * x) * (x * x)
        accepted = squeeze | (np.log(u) < 0.5 * x * x + d[tried] * (1 - v + np.log(v)))
        done = tried[accepted]
        result[done] = d[done] * v[accepted]
        less = done[small[done]]
        result[less] *= np.power(streams.uniform(less), 1 / alpha[less])
        waiting[done] = False
        rows = rows[waiting[rows]]


def poisson(key: Array, counter: Array, shape: tuple[int, ...], rate: Array, dtype: Any) -> Array:
    """Numbers of the Poisson distribution with mean `rate`."""
    parameter = _spread(rate, shape)
    whole = np.issubdtype(dtype, np.integer)
    largest = float(np.iinfo(dtype).max if whole else np.finfo(dtype).max)
    result = np.full(parameter.size, np.nan)

    def fill(streams: Streams, parameter: Floats, result: Floats) -> None:
        endless = parameter / 2 > largest  # TensorFlow would wait forever for a number that fits
        result[endless] = largest
        result[np.isposinf(parameter)] = 0 if whole else np.inf
        _knuth(streams, parameter, np.flatnonzero(parameter < 10), result)
        rows = np.flatnonzero((parameter >= 10) & ~endless)
        _transformed_poisson(streams, parameter, rows, result, largest)

    _in_parts(fill, key, counter, parameter, result)
    return _collect(result, rate, shape, dtype)


def _in_parts(
    fill: Callable[[Streams, Floats, Floats], None],
    key: Array,
    counter: Array,
    parameter: Floats,
    result: Floats,
) -> None:
    """Fill the result part by part: what one takes stays in the cache.

    131,072 numbers of a gamma distribution take 21 ms, a million all at once 730 ms.
    """
    with np.errstate(all="ignore"):
        for start in range(0, parameter.size, _PART):
            part = slice(start, start + _PART)
            places = np.arange(start, min(start + _PART, parameter.size))
            streams = Streams(key, counter, places * philox.STEPS_PER_OUTPUT)
            fill(streams, parameter[part], result[part])


def _knuth(streams: Streams, rate: Floats, rows: Rows, result: Floats) -> None:
    """Counts how many uniform numbers can be multiplied before the product is below exp(-rate)."""
    limit = np.exp(-rate)
    product = np.ones(rate.size)
    result[rows] = 0
    while rows.size:
        product[rows] *= streams.uniform(rows)
        rows = rows[product[rows] > limit[rows]]
        result[rows] += 1


def _transformed_poisson(
    streams: Streams, rate: Floats, rows: Rows, result: Floats, largest: float
) -> None:
    """Hörmann's transformed rejection, for a rate of at least 10; the names are the paper's."""
    log_rate = np.log(rate)
    b = 0.931 + 2.53 * np.sqrt(rate)
    a = -0.059 + 0.02483 * b
    inverse_alpha = 1.1239 + 1.1328 / (b - 3.4)
    v_r = 0.9277 - 3.6224 / (b - 2)
    while rows.size:
        u, v = streams.uniform(rows) - 0.5, streams.uniform(rows)
        us = 0.5 - np.abs(u)
        k = np.floor((2 * a[rows] / us + b[rows]) * u + rate[rows] + 0.43)
        inner = (us >= 0.07) & (v <= v_r[rows])
        outer = ~inner & ~((k < 0) | (us < 0.013) & (v > us)) & (k <= largest)
        s = np.log(v * inverse_alpha[rows] / (a[rows] / (us * us) + b[rows]))
        log_factorial = np.zeros(rows.size)
        log_factorial[outer] = [_log_factorial(n) for n in k[outer].tolist()]
        accepted = inner | outer & (s <= -rate[rows] + k * log_rate[rows] - log_factorial)
        accepted &= ~(k > largest)
        result[rows[accepted]] = k[accepted]
        rows = rows[~accepted]


def binomial_outputs(shape: tuple[int, ...], batches: int) -> int:
    """How many numbers `StatefulRandomBinomial` takes from its generator, for `philox.advance`.

    `batches` is the size of the broadcast parameters.
    """
    each = math.prod(shape) // max(batches, 1)
    return batches * 2 * 100 * (each + 3) // 4


def binomial(
    key: Array, counter: Array, shape: tuple[int, ...], counts: Array, probs: Array, dtype: Any
) -> Array:
    """Numbers of successes among `counts` trials of probability `probs`, of one float dtype."""
    counts, probs = np.broadcast_arrays(counts, probs)
    real = probs.dtype.type
    with np.errstate(all="ignore"):
        rare = np.where(probs <= real(0.5), probs, real(1) - probs)
        often = _spread(counts * rare >= real(10), shape).astype(bool)
        count, prob, chance = (_spread(x, shape) for x in (counts, probs, rare))
        step = np.where(often, philox.STEPS_PER_OUTPUT, _INVERSION_STEPS)
        streams = Streams(key, counter, np.arange(step.size) * step)
        result = np.where((count <= 0) | (prob <= 0), 0.0, np.where(prob >= 1, count, np.nan))
        drawn = (count > 0) & (prob > 0) & (prob < 1)
        _invert(streams, count, chance, np.flatnonzero(drawn & ~often), result)
        _transformed_binomial(streams, count, chance, np.flatnonzero(drawn & often), result)
        result = np.where(drawn & (prob > 0.5), count - result, result)
    return _collect(result, probs, shape, dtype)


def _invert(streams: Streams, count: Floats, prob: Floats, rows: Rows, result: Floats) -> None:
    """Counts the waiting times of successes that fit in `count` trials."""
    waited = np.zeros(count.size)
    result[rows] = 0
    while rows.size:
        waited[rows] += np.ceil(np.log(streams.uniform(rows)) / np.log1p(-prob[rows]))
        rows = rows[waited[rows] <= count[rows]]
        result[rows] += 1


def _transformed_binomial(
    streams: Streams, count: Floats, prob: Floats, rows: Rows, result: Floats
) -> None:
    """Hörmann's transformed rejection (BTRS), for a mean of at least 10; the names are his."""
    deviation = np.sqrt(count * prob * (1 - prob))
    b = 1.15 + 2.53 * deviation
    a = -0.0873 + 0.0248 * b + 0.01 * prob
    v_r = 0.92 - 4.2 / b
    alpha = (2.83 + 5.1 / b) * deviation
    while rows.size:
        n, p = count[rows], prob[rows]
        u, v = streams.uniform(rows) - 0.5, streams.uniform(rows)
        us = 0.5 - np.abs(u)
        k = np.floor((2 * a[rows] / us + b[rows]) * u + (n * p + 0.5))
        inner = (us >= 0.07) & (v <= v_r[rows])
        outer = ~inner & ~((k < 0) | (k > n))
        ratio = np.log(v * alpha[rows] / (a[rows] / (us * us) + b[rows]))
        accepted = inner | outer & (ratio <= _log_ratio(n, p, k))
        result[rows[accepted]] = k[accepted]
        rows = rows[~accepted]


def _log_ratio(n: Floats, p: Floats, k: Floats) -> Floats:
    """The logarithm of the probability of `k` over that of the mode."""
    r = p / (1 - p)
    m = np.floor((n + 1) * p)
    ratio: Floats = (
        (m + 0.5) * np.log((m + 1) / (r * (n - m + 1)))
        + (n + 1) * np.log((n - m + 1) / (n - k + 1))
        + (k + 0.5) * np.log(r * (n - k + 1) / (k + 1))
        + _stirling_tail(m)
        + _stirling_tail(n - m)
        - _stirling_tail(k)
        - _stirling_tail(n - k)
    )
    return ratio


def _stirling_tail(k: Floats) -> Floats:
    square = (k + 1) * (k + 1)
    far = (1 / 12 - (1 / 360 - 1 / 1260 / square) / square) / (k + 1)
    near = _STIRLING_TAIL[np.clip(np.nan_to_num(k), 0, 9).astype(np.intp)]
    return np.where(k <= 9, near, far)


def _log_factorial(n: float) -> float:
    return math.lgamma(n + 1) if n < 1e305 else math.inf


class Streams:
    """Random doubles for many numbers at once, each from its own stretch of blocks.

    A block gives two doubles, of which the second is used first. Uniform and normal numbers come
    from the same stretch, in the order in which they are asked for.
    """

    def __init__(self, key: Array, counter: Array, first_block: Array) -> None:
        self._key, self._counter = key, counter
        self._block = np.asarray(first_block, np.uint64).copy()
        self._uniform = _Buffer(self._block.size)
        self._normal = _Buffer(self._block.size)

    def uniform(self, rows: Rows) -> Floats:
        """The next uniform number of each row."""
        return self._uniform.take(rows, lambda empty: unit(np, self._bits(empty), np.float64))

    def normal(self, rows: Rows) -> Floats:
        """The next normal number of each row."""
        return self._normal.take(rows, lambda empty: box_muller(np, self._bits(empty), np.float64))

    def _bits(self, rows: Rows) -> Array:
        bits = philox.blocks(np, self._key, self._counter, self._block[rows])
        self._block[rows] += np.uint64(1)
        return bits


class _Buffer:
    """Two numbers per row, given out from the end."""

    def __init__(self, rows: int) -> None:
        self._numbers = np.empty((rows, 2))
        self._left = np.zeros(rows, np.intp)

    def take(self, rows: Rows, refill: Callable[[Rows], Floats]) -> Floats:
        empty = rows[self._left[rows] == 0]
        if empty.size:
            self._numbers[empty] = refill(empty)
            self._left[empty] = 2
        self._left[rows] -= 1
        taken: Floats = self._numbers[rows, self._left[rows]]
        return taken


def _spread(parameter: Array, shape: tuple[int, ...]) -> Floats:
    """The parameter of every number, in the order of the streams, as doubles."""
    each = math.prod(shape) // max(parameter.size, 1)
    return np.repeat(np.ravel(parameter).astype(np.float64), each)


def _collect(result: Floats, parameter: Array, shape: tuple[int, ...], dtype: Any) -> Array:
    """The numbers in the order of the result."""
    columns = max(parameter.size, 1)
    values = result.reshape(columns, -1).T.reshape(shape)
    with np.errstate(all="ignore"):
        if np.dtype(dtype).itemsize == 2:
            return values.astype(np.float32).astype(dtype)  # TensorFlow rounds twice
        if np.issubdtype(dtype, np.floating):
            tiny = np.abs(values) < np.finfo(dtype).tiny
            values = np.where(tiny, 0.0, values)  # TensorFlow has no denormal numbers
        return values.astype(dtype)
