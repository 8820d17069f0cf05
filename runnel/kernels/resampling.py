"""Resampling along one axis: which inputs an output is made of, and with what weights.

All of it is known from sizes alone, so it is computed with NumPy, in float32 as TensorFlow does it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from runnel.core.values.types import Array, Namespace
from runnel.kernels.arrays import once

WIDE = 16  # from so many taps on, a matrix product is faster than one pass for each of them
_ONE, _HALF = np.float32(1), np.float32(0.5)
_NEGLIGIBLE = (
    np.float32(1000) * np.finfo(np.float32).tiny
)  # weights that sum to less stay as they are


@dataclass(frozen=True)
class Taps:
    """Output element `o` is the sum of `weight[o, k] * x[index[o, k]]` over `k`."""

    index: np.ndarray
    weight: np.ndarray
    size: int

    def matrix(self) -> np.ndarray:
        """The weights as a matrix from inputs to outputs."""
        outputs = len(self.index)
        dense = np.zeros((outputs, self.size), np.float32)
        np.add.at(dense, (np.arange(outputs)[:, None], self.index), self.weight)
        return dense

    def transposed(self) -> Taps:
        """The way back: which outputs each input went into."""
        outputs, width = self.index.shape
        used = self.weight.ravel() != 0
        source = self.index.ravel()[used]
        order = np.argsort(source, kind="stable")
        source = source[order]
        target = np.repeat(np.arange(outputs), width)[used][order]
        first = np.searchsorted(source, np.arange(self.size))
        slot = np.arange(len(source)) - first[source]
        index = np.zeros((self.size, int(slot.max(initial=0)) + 1), np.int64)
        weight = np.zeros(index.shape, np.float32)
        index[source, slot] = target
        weight[source, slot] = self.weight.ravel()[used][order]
        return Taps(index, weight, outputs)


def resample(xp: Namespace, x: Array, taps: Taps, axis: int) -> Array:
    """`x` with `axis` made of its elements as `taps` says."""
    if taps.index.shape[1] >= WIDE:
        return _multiply(xp, xp.asarray(taps.matrix().astype(x.dtype)), x, axis)
    if x.dtype.kind == "f":
        x = once(xp, x)  # not for each tap: bicubic took 13 ms, not 3 ms, with 16 of them in one
    total = None
    for index, weight in zip(taps.index.T, taps.weight.T):
        part = xp.take(x, index, axis=axis) * _along(weight.astype(x.dtype), axis, x.ndim)
        total = part if total is None else total + part
    return total


def spread(xp: Namespace, x: Array, taps: Taps, axis: int) -> Array:
    """The transpose of `resample`: each element goes back to those it was made of."""
    return resample(xp, x, taps.transposed(), axis)


def _along(weight: np.ndarray, axis: int, rank: int) -> np.ndarray:
    return weight.reshape((1,) * axis + (-1,) + (1,) * (rank - axis - 1))


def _multiply(xp: Namespace, matrix: Array, x: Array, axis: int) -> Array:
    before, after = x.shape[:axis], x.shape[axis + 1 :]
    flat = xp.reshape(x, (int(np.prod(before)), x.shape[axis], int(np.prod(after))))
    return xp.reshape(xp.matmul(matrix, flat), (*before, matrix.shape[0], *after))


def scale_of(size: int, outputs: int, align_corners: bool) -> np.float32:
    """How many input elements one output element stands for."""
    if align_corners and outputs > 1:
        return np.float32(size - 1) / np.float32(outputs - 1)
    return np.float32(size) / np.float32(outputs)


def _positions(size: int, outputs: int, align_corners: bool, half_pixel: bool) -> np.ndarray:
    scale = scale_of(size, outputs, align_corners)
    steps = np.arange(outputs, dtype=np.float32)
    return (steps + _HALF) * scale - _HALF if half_pixel else steps * scale


def nearest(size: int, outputs: int, align_corners: bool, half_pixel: bool) -> np.ndarray:
    """The input element nearest to each output element."""
    steps = np.arange(outputs, dtype=np.float32)
    position = (steps + _HALF if half_pixel else steps) * scale_of(size, outputs, align_corners)
    whole = np.floor(position + _HALF) if align_corners else np.floor(position)
    return np.clip(whole.astype(np.int64), 0, size - 1)


def nearest_taps(size: int, outputs: int, align_corners: bool, half_pixel: bool) -> Taps:
    index = nearest(size, outputs, align_corners, half_pixel)[:, None]
    return Taps(index, np.ones(index.shape, np.float32), size)


def linear(
    size: int, outputs: int, align_corners: bool, half_pixel: bool
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """The two neighbours of each output, and how far it lies from the lower to the upper."""
    position = _positions(size, outputs, align_corners, half_pixel)
    below = np.floor(position)
    lower = np.maximum(below.astype(np.int64), 0)
    upper = np.minimum(np.ceil(position).astype(np.int64), size - 1)
    return lower, upper, position - below


def linear_taps(size: int, outputs: int, align_corners: bool, half_pixel: bool) -> Taps:
    lower, upper, fraction = linear(size, outputs, align_corners, half_pixel)
    weight = np.stack([_ONE - fraction, fraction], axis=1)
    return Taps(np.stack([lower, upper], axis=1), weight, size)


def cubic_taps(size: int, outputs: int, align_corners: bool, half_pixel: bool) -> Taps:
    """Keys' cubic with fractions rounded to 1/1024, as TensorFlow tabulates it."""
    position = _positions(size, outputs, align_corners, half_pixel)
    below = np.floor(position)
    fraction = np.rint((position - below) * np.float32(1024)) / np.float32(1024)
    a = np.float32(-0.5 if half_pixel else -0.75)
    near, far = (lambda x: ((a + 2) * x - (a + 3)) * x * x + 1), _far_cubic(a)
    columns = [far(fraction + 1), near(fraction), near(1 - fraction), far(2 - fraction)]
    weight = np.stack(columns, axis=1).astype(np.float32)
    wanted = below.astype(np.int64)[:, None] + np.arange(-1, 3)
    index = np.clip(wanted, 0, size - 1)
    if half_pixel:  # elements beyond the edge do not count; otherwise the edge stands in for them
        weight = _normalized(np.where(index == wanted, weight, np.float32(0)))
    return Taps(index, weight, size)


def _far_cubic(a: np.float32) -> Callable[[np.ndarray], np.ndarray]:
    return lambda x: ((a * x - 5 * a) * x + 8 * a) * x - 4 * a


def _normalized(weight: np.ndarray) -> np.ndarray:
    total = weight.sum(axis=1, keepdims=True, dtype=np.float32)
    return np.where(
        np.abs(total) >= _NEGLIGIBLE, weight / np.where(total == 0, _ONE, total), weight
    )


def area_taps(size: int, outputs: int, align_corners: bool) -> Taps:
    """The share of each input element in the stretch that an output element covers."""
    scale = scale_of(size, outputs, align_corners)
    steps = np.arange(outputs, dtype=np.float32)
    start, end = (steps * scale)[:, None], ((steps + _ONE) * scale)[:, None]
    first = np.floor(start).astype(np.int64)
    count = int((np.ceil(end).astype(np.int64) - first).max(initial=1))
    wanted = first + np.arange(count)
    i = wanted.astype(np.float32)
    covered = np.minimum(i + _ONE, end) - np.maximum(i, start)
    inside = np.where(start - i > 0, np.where(i + _ONE > end, scale, i + _ONE - start), covered)
    weight = np.where(i < end, inside, np.float32(0)) / scale
    return Taps(np.clip(wanted, 0, size - 1), weight.astype(np.float32), size)


def _lanczos(radius: float) -> Callable[[np.ndarray], np.ndarray]:
    def kernel(x: np.ndarray) -> np.ndarray:
        angle = np.pi * np.where(x <= 1e-3, 1, x)
        wave = radius * np.sin(angle) * np.sin(angle / radius) / (angle * angle)
        return np.where(x > radius, 0, np.where(x <= 1e-3, 1, wave))

    return kernel


def _gaussian(x: np.ndarray) -> np.ndarray:
    return np.where(x >= 1.5, 0, np.exp(-x * x / (2 * 0.5 * 0.5)))


def _box(x: np.ndarray) -> np.ndarray:
    return np.where(x < 0.5, 1, np.where(x == 0.5, 0.5, 0))


def _triangle(x: np.ndarray) -> np.ndarray:
    return np.maximum(0, 1 - x)


def _keys_cubic(x: np.ndarray) -> np.ndarray:
    far = ((-0.5 * x + 2.5) * x - 4) * x + 2
    return np.where(x >= 2, 0, np.where(x >= 1, far, (1.5 * x - 2.5) * x * x + 1))


def _mitchell_cubic(x: np.ndarray) -> np.ndarray:
    far = ((-7 / 18 * x + 2) * x - 10 / 3) * x + 16 / 9
    return np.where(x >= 2, 0, np.where(x >= 1, far, (7 / 6 * x - 2) * x * x + 8 / 9))


KERNELS: dict[str, tuple[float, Callable[[np.ndarray], np.ndarray]]] = {
    "lanczos1": (1.0, _lanczos(1.0)),
    "lanczos3": (3.0, _lanczos(3.0)),
    "lanczos5": (5.0, _lanczos(5.0)),
    "gaussian": (1.5, _gaussian),
    "box": (0.5, _box),
    "triangle": (1.0, _triangle),
    "keyscubic": (2.0, _keys_cubic),
    "mitchellcubic": (2.0, _mitchell_cubic),
}
"""By name: a radius, and the weight at a distance."""


def kernel_taps(
    kernel: str, size: int, outputs: int, scale: np.float32, shift: np.float32, antialias: bool
) -> Taps:
    """Weights by distance, for outputs at `scale * x + shift`; `antialias` widens to shrink."""
    radius, weigh = KERNELS[kernel]
    inverse = _ONE / np.float32(scale)
    width = np.maximum(inverse, _ONE) if antialias else _ONE
    centre = (np.arange(outputs, dtype=np.float32) + _HALF) * inverse - inverse * np.float32(shift)
    reach = np.float32(radius) * width
    first = np.clip(np.ceil(centre - reach - _HALF).astype(np.int64), 0, size - 1)
    last = np.clip(np.floor(centre + reach - _HALF).astype(np.int64), 0, size - 1)
    count = int((last - first).max(initial=0)) + 1
    wanted = first[:, None] + np.arange(count)
    distance = np.abs((wanted.astype(np.float32) + _HALF - centre[:, None]) * (_ONE / width))
    used = (wanted <= last[:, None]) & ((centre >= 0) & (centre <= size))[:, None]
    weight = np.where(used, weigh(distance), 0).astype(np.float32)
    return Taps(np.clip(wanted, 0, size - 1), _normalized(weight), size)
