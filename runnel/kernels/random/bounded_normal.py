"""Normal numbers between bounds, as TensorFlow's CPU kernels make them.

One stream serves all batches in turn: a batch begins with the block after the last one that the
batch before it used. (TensorFlow starts again from a fixed place wherever it cuts the work between
threads, so that its numbers depend on the machine; these are the ones it gives on a single thread.)
The kernel runs on the host, in NumPy, and computes in the dtype of the parameters.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from runnel.core.values.errors import InternalError, InvalidArgumentError
from runnel.core.values.types import Array
from runnel.kernels.random import philox
from runnel.kernels.random.bits import box_muller, unit

_MAX_REJECTIONS = 1000
_NORMAL_REACH = 1.3  # with a bound this far on the other side of the mean, plain normals will do
_BATCH = 100  # so many numbers make a batch where all batches are alike
_GROUPS = 1 << 14  # how many groups of candidates are drawn at a time, at most


def stateful_bounded_normal(
    key: Array,
    counter: Array,
    shape: tuple[int, ...],
    parameters: tuple[Array, Array, Array, Array],
) -> Array:
    """The numbers of `ParameterizedTruncatedNormal`: mean, deviation, lower and upper bound.

    Each parameter is a scalar, or has one element for each row of the result.
    """
    size = math.prod(shape)
    _, each = _batches(shape, parameters)
    flat = (np.ravel(parameter) for parameter in parameters)
    rows = zip(*(p if p.size > 1 else np.repeat(p, -(-size // max(each, 1))) for p in flat))
    sizes = (min(each, size - start) for start in range(0, size, max(each, 1)))
    return _draw_all(key, counter, rows, sizes, parameters[0].dtype).reshape(shape)


def stateful_steps(shape: tuple[int, ...], parameters: tuple[Array, ...]) -> int:
    """How far one call of `ParameterizedTruncatedNormal` moves its counter."""
    batches, each = _batches(shape, parameters)
    return batches * 2 * _MAX_REJECTIONS * (each + 3) // 4


def stateless_bounded_normal(
    key: Array,
    counter: Array,
    shape: tuple[int, ...],
    parameters: tuple[Array, Array, Array, Array],
) -> Array:
    """The numbers of `StatelessParameterizedTruncatedNormal`, whose parameters are broadcast.

    `shape` ends with the shape they have together.
    """
    together = np.broadcast_arrays(*parameters)
    batches = max(together[0].size, 1)
    each = math.prod(shape) // batches
    rows = zip(*(np.ravel(parameter) for parameter in together))
    flat = _draw_all(key, counter, rows, [each] * batches, together[0].dtype)
    return flat.reshape(batches, each).T.reshape(shape)


def _batches(shape: tuple[int, ...], parameters: tuple[Array, ...]) -> tuple[int, int]:
    """How many batches the stateful op draws, and how many numbers in each."""
    mean, deviation, low, high = parameters
    if mean.size == deviation.size == 1 and low.ndim == high.ndim == 0:
        return -(-math.prod(shape) // _BATCH), _BATCH
    return shape[0], math.prod(shape[1:])


def _draw_all(
    key: Array, counter: Array, parameters: Iterable[Any], sizes: Iterable[int], dtype: Any
) -> Array:
    block = 0
    parts = [np.empty(0, dtype)]
    for bounds, size in zip(parameters, sizes):
        with np.errstate(all="ignore"):
            part, block = _Batch(*bounds).draw(key, counter, block, size)
        parts.append(part)
    return np.concatenate(parts)


@dataclass
class _Batch:
    """Numbers of one mean, deviation and pair of bounds, all of one dtype."""

    mean: Any
    deviation: Any
    low: Any
    high: Any

    def draw(self, key: Array, counter: Array, block: int, size: int) -> tuple[Array, int]:
        """`size` numbers from the stream at `block`, and the block at which the next batch begins.

        Candidates come in groups, and a group is used up even where the batch is full before.
        """
        self._check()
        propose, blocks, limit = self._choose()
        found: list[Array] = []
        rejected = 0
        while size:
            groups = min(_GROUPS, size // 2 + 8)
            index = np.arange(block, block + groups * blocks, dtype=np.uint64)
            numbers, accepted = propose(philox.blocks(np, key, counter, index))
            places = np.flatnonzero(accepted)[:size]
            gaps = np.diff(places, prepend=-1 - rejected, append=accepted.size)
            if gaps[:-1].max(initial=0) > limit or (len(places) < size and gaps[-1] > limit):
                raise InternalError(None, None, "No normal number fell between the bounds")
            found.append(numbers.ravel()[places])
            size -= len(places)
            rejected = gaps[-1] - 1
            block += blocks * (groups if size else places[-1] // numbers.shape[1] + 1)
        normalized = np.concatenate(found) if found else np.empty(0, self.mean.dtype)
        return normalized * self.deviation + self.mean, block

    def _check(self) -> None:
        bounded = np.isfinite(self.low) or np.isfinite(self.high)
        if not (self.deviation > 0 and self.low < self.high and bounded):
            raise InvalidArgumentError(None, None, "Invalid parameters")

    def _choose(self) -> tuple[Callable[[Array], tuple[Array, Array]], int, int]:
        """What proposes numbers, its blocks for each group, and the failures allowed in a row."""
        real = self.mean.dtype.type
        if (np.isinf(self.low) and self.low < 0) or self.high < self.mean:
            self.low, self.high, self.deviation = self.high, self.low, -self.deviation
        low = (self.low - self.mean) / self.deviation
        high = (self.high - self.mean) / self.deviation
        reach = real(_NORMAL_REACH)
        root = np.sqrt(low * low + real(4))
        widest = real(2) * _exp(real(0.5) + low * (low - root) / real(4)) / (low + root)
        if (low < -reach and high >= 0) or (high > reach and low <= 0):
            return lambda bits: _propose_normal(bits, low, high), 1, _MAX_REJECTIONS + 1
        if high - low < widest:
            return lambda bits: _propose_uniform(bits, low, high), 2, _MAX_REJECTIONS
        return lambda bits: _propose_exponential(bits, low, high), 1, _MAX_REJECTIONS


def _propose_normal(bits: Array, low: Any, high: Any) -> tuple[Array, Array]:
    number = box_muller(np, bits, low.dtype).astype(low.dtype)
    return number, (number >= low) & (number <= high)


def _propose_uniform(bits: Array, low: Any, high: Any) -> tuple[Array, Array]:
    """The first block of a group proposes, the second decides."""
    real = low.dtype.type
    drawn = unit(np, bits, real).astype(real)
    number = drawn[0::2] * (high - low) + low
    peak = real(0) if low < 0 else low * low
    return number, drawn[1::2] <= _exp((peak - number * number) / real(2))


def _propose_exponential(bits: Array, low: Any, high: Any) -> tuple[Array, Array]:
    """An exponential distribution beyond `low`, with the rate that is accepted most often."""
    real = low.dtype.type
    drawn = unit(np, bits, real).astype(real)
    rate = (low + np.sqrt(low * low + real(4))) / real(2)
    number = -_log(drawn[:, 0::2]) / rate + low
    x = rate - number if low < rate else np.full_like(number, low - rate)
    return number, (drawn[:, 1::2] <= _exp(-x * x / real(2))) & (number < high)


def _exp(x: Any) -> Any:
    return np.exp(x.astype(np.float64)).astype(x.dtype)  # rounded correctly, unlike float32's own


def _log(x: Any) -> Any:
    return np.log(x.astype(np.float64)).astype(x.dtype)
