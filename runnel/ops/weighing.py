"""Windows whose elements are weighted and added up, and the two adjoints of that.

This is a depthwise convolution, and average pooling where all weights are one. XLA's grouped
convolution is slow with one channel per group; these functions multiply and add shifted slices,
which XLA fuses into one loop over vectors of channels. Everything has the channels last, as in
windows.py.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from runnel.core.types import Array, Namespace
from runnel.core.xla import lax
from runnel.ops.primitives import largest_divisor, once
from runnel.ops.windows import Window, interleave, pad, span, taps, untaps

_BLOCK = 1 << 15  # elements of the output that a step of `tap_sums` takes


def weigh(xp: Namespace, x: Array, weights: Sequence[Any], w: Window) -> Array:
    """The elements of each window, times one weight for each, added up: `[batch, *out, channels]`.

    A weight is a number for all channels, or a vector with one for each.
    """
    framed = _framed(xp, x, w.pads)
    return once(xp, _total(xp, zip((framed[place] for place in w.places), weights)))


def _framed(xp: Namespace, x: Array, pads: Sequence[tuple[int, int]]) -> Array:
    """`x` with its spatial dimensions padded, stored; XLA never repeats a padding of itself."""
    return pad(xp, x, pads) if any(map(any, pads)) else once(xp, x)


def _total(xp: Namespace, terms: Iterable[tuple[Array, Any]]) -> Array:
    return sum(part * weight for part, weight in terms)  # type: ignore[return-value]


def unweigh(xp: Namespace, dy: Array, weights: Sequence[Any], w: Window) -> Array:
    """The adjoint of `weigh`: each element of `dy`, weighted, added to all places of its window.

    Where XLA compiles it, the places `stride * i + phase` are one sum of slices for each phase.
    """
    if xp is np:
        return untaps(np, [dy * weight for weight in weights], w)
    counts = [-(-n // s) for n, s in zip(w.sizes, w.strides)]
    reached = {p: _reaching(p, weights, w) for p in itertools.product(*map(range, w.strides))}
    starts = list(zip(*(start for terms in reached.values() for start, _ in terms)))
    low, high = map(min, starts), [max(s) + c for s, c in zip(starts, counts)]
    frame = [(-a, b - o) for a, b, o in zip(low, high, w.out)]
    framed = _framed(xp, once(xp, dy), frame)

    def phase_of(terms: list[tuple[tuple[int, ...], Any]]) -> Array:
        if not terms:
            return xp.zeros((dy.shape[0], *counts, dy.shape[-1]), dy.dtype)
        places = (
            [slice(s + a, s + a + n) for s, (a, _), n in zip(start, frame, counts)]
            for start, _ in terms
        )
        parts = (framed[(slice(None), *place)] for place in places)
        return _total(xp, zip(parts, (weight for _, weight in terms)))

    woven = interleave(xp, {p: phase_of(terms) for p, terms in reached.items()}, w.strides)
    return once(xp, woven[(slice(None), *map(slice, w.sizes))])


def _reaching(
    phase: Sequence[int], weights: Sequence[Any], w: Window
) -> list[tuple[tuple[int, ...], Any]]:
    """The weights of the taps that reach the places of a phase, and which window reaches the first.

    A tap lies at the place `stride * window + tap` of the padded tensor.
    """
    found = []
    for tap, weight in zip(w.taps, weights):
        away = [p + before - t for p, (before, _), t in zip(phase, w.pads, tap)]
        if all(a % s == 0 for a, s in zip(away, w.strides)):
            found.append((tuple(a // s for a, s in zip(away, w.strides)), weight))
    return found


def tap_sums(xp: Namespace, x: Array, dy: Array, w: Window) -> Array:
    """The adjoint of `weigh` by its weights: for each tap, its product with `dy` added up.

    XLA adds up columns slowly, one product after the other: 100 ms for [16,56,56,64] and 3x3. A
    loop that adds the products of some rows, which the processor's cache holds, to a block for each
    tap takes 4 ms.
    """
    if xp is np:
        axes = tuple(range(dy.ndim - 1))
        return np.stack([np.sum(part * dy, axis=axes, dtype=dy.dtype) for part in taps(xp, x, w)])
    if not dy.size:
        return xp.zeros((w.count, dy.shape[-1]), dy.dtype)
    framed, dy = _framed(xp, x, w.pads), once(xp, dy)
    row = math.prod(dy.shape[2:])
    rows = largest_divisor(w.out[0], _BLOCK // row)
    images = largest_divisor(dy.shape[0], _BLOCK // (row * rows)) if rows == w.out[0] else 1
    steps = w.out[0] // rows
    reach = (rows - 1) * w.strides[0] + span(w.kernel[0], w.dilations[0])
    heights = [slice(t[0], t[0] + (rows - 1) * w.strides[0] + 1, w.strides[0]) for t in w.taps]

    def add(n: Array, sums: tuple[Array, ...]) -> tuple[Array, ...]:
        image, top = n // steps * images, n % steps * rows
        seen = _part(framed, image, top * w.strides[0], images, reach)
        arriving = _part(dy, image, top, images, rows)
        parts = (seen[:, height, *place[2:]] for height, place in zip(heights, w.places))
        return tuple(a + part * arriving for a, part in zip(sums, parts))

    zero = xp.zeros((images, rows, *dy.shape[2:]), dy.dtype)
    found = lax.fori_loop(0, dy.shape[0] // images * steps, add, (zero,) * w.count)
    ones = xp.ones((1, zero.size // zero.shape[-1]), dy.dtype)
    return xp.stack([xp.matmul(ones, each.reshape(-1, zero.shape[-1]))[0] for each in found])


def _part(x: Array, image: Array, top: Array, images: int, rows: int) -> Array:
    rest = x.shape[2:]
    start = (image, top, *[np.int64(0)] * len(rest))
    return lax.dynamic_slice(x, start, (images, rows, *rest))
