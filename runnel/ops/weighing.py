"""Windows whose elements are weighted and added up, and the two adjoints of that.

This is a depthwise convolution, and average pooling where all weights are one. XLA's grouped
convolution is slow with one channel per group; these functions multiply and add shifted slices,
which XLA fuses into one loop over vectors of channels. Everything has the channels last, as in
windows.py.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from runnel.core.types import Array, Namespace
from runnel.core.xla import jax, lax
from runnel.ops.primitives import largest_divisor, once
from runnel.ops.windows import Window, interleave, pad, span, taps, untaps

Term = Callable[..., Array]

_SLAB = 1 << 19  # elements of both tensors that a step of `tap_sums` takes
_FOLD = 16  # rows that it adds up at once


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
    """The adjoint of `weigh`: each element of `dy`, weighted, added to all places of its window."""
    if xp is np:
        return untaps(np, [dy * weight for weight in weights], w)
    return collect(xp, [dy], lambda tap, part: part * weights[tap], w)


def collect(xp: Namespace, arrays: Sequence[Array], term: Term, w: Window) -> Array:
    """For each place, the sum over the windows that reach it: `term` of the number of the tap that
    lies there and of the elements that the window has in `arrays`, which is zero if they are.

    The places `stride * i + phase` are one sum of slices for each phase.
    """
    counts = [-(-n // s) for n, s in zip(w.sizes, w.strides)]
    reached = {p: _reaching(p, w) for p in itertools.product(*map(range, w.strides))}
    starts = list(zip(*(start for found in reached.values() for start, _ in found)))
    low, high = map(min, starts), [max(s) + c for s, c in zip(starts, counts)]
    frame = [(-a, b - o) for a, b, o in zip(low, high, w.out)]
    framed = [_framed(xp, once(xp, each), frame) for each in arrays]

    def phase_of(found: list[tuple[tuple[int, ...], int]]) -> Array:
        if not found:
            return xp.zeros((len(arrays[-1]), *counts, arrays[-1].shape[-1]), arrays[-1].dtype)
        terms = []
        for start, tap in found:
            place = [slice(s + a, s + a + n) for s, (a, _), n in zip(start, frame, counts)]
            terms.append(term(tap, *(each[(slice(None), *place)] for each in framed)))
        return functools.reduce(xp.add, terms)

    woven = interleave(xp, {p: phase_of(found) for p, found in reached.items()}, w.strides)
    return once(xp, woven[(slice(None), *map(slice, w.sizes))])


def _reaching(phase: Sequence[int], w: Window) -> list[tuple[tuple[int, ...], int]]:
    """The taps that reach the places of a phase, and which window reaches the first of them.

    A tap lies at the place `stride * window + tap` of the padded tensor.
    """
    found = []
    for number, tap in enumerate(w.taps):
        away = [p + before - t for p, (before, _), t in zip(phase, w.pads, tap)]
        if all(a % s == 0 for a, s in zip(away, w.strides)):
            found.append((tuple(a // s for a, s in zip(away, w.strides)), number))
    return found


def tap_sums(xp: Namespace, x: Array, dy: Array, w: Window) -> Array:
    """The adjoint of `weigh` by its weights: for each tap, its product with `dy` added up.

    XLA adds up columns slowly, one product after the other: 100 ms for [16,56,56,64] and 3x3. A
    loop over slabs which the processor's cache holds takes 3 ms, without padding: every tap meets a
    part of `x` and a part of `dy`.
    """
    if xp is np:
        axes = tuple(range(dy.ndim - 1))
        return np.stack([np.sum(part * dy, axis=axes, dtype=dy.dtype) for part in taps(xp, x, w)])
    if not dy.size:
        return xp.zeros((w.count, dy.shape[-1]), dy.dtype)
    row = math.prod(dy.shape[2:]) + math.prod(x.shape[2:]) * w.strides[0]
    rows = w.out[0]
    if rows * row > _SLAB:
        rows = largest_divisor(rows, _SLAB // row)
        x = pad(xp, x, [w.pads[0], *[(0, 0)] * (len(w.pads) - 1)])
        w = replace(w, sizes=x.shape[1:-1], pads=((0, 0), *w.pads[1:]))
    images = largest_divisor(x.shape[0], _SLAB // (rows * row)) if rows == w.out[0] else 1
    steps = w.out[0] // rows
    reach = (rows - 1) * w.strides[0] + span(w.kernel[0], w.dilations[0])
    reach = w.sizes[0] if steps == 1 else reach
    meetings = _meetings(replace(w, sizes=(reach, *w.sizes[1:]), out=(rows, *w.out[1:])))

    def parts(n: Any) -> list[Array]:
        image, top = n // steps * images, n % steps * rows
        seen = _part(x, image, top * w.strides[0], images, reach)
        arriving = _part(dy, image, top, images, rows)
        return [_folded(xp, seen[place] * arriving[out]) for place, out in meetings]

    def add(n: Array, sums: list[Array]) -> list[Array]:
        return [a + part for a, part in zip(sums, parts(n))]

    start = [xp.zeros(s.shape, s.dtype) for s in jax.eval_shape(parts, np.int64(0))]
    found = lax.fori_loop(0, x.shape[0] // images * steps, add, start)
    return xp.stack([_column_sums(xp, each) for each in found])


def _meetings(w: Window) -> list[tuple[tuple[slice, ...], tuple[slice, ...]]]:
    """For each tap, where it lies in the tensor without padding, and in which windows."""
    found = []
    for tap in w.taps:
        ranges = [_meeting(*args) for args in zip(tap, w.pads, w.strides, w.sizes, w.out)]
        place, out = zip(*ranges)
        found.append(((slice(None), *place), (slice(None), *out)))
    return found


def _meeting(
    tap: int, pads: tuple[int, int], stride: int, size: int, out: int
) -> tuple[slice, slice]:
    away = tap - pads[0]
    first, stop = max(0, -(away // stride)), min(out, (size - 1 - away) // stride + 1)
    count = max(stop - first, 0)
    start = first * stride + away if count else 0
    return slice(start, start + count * stride, stride), slice(first, first + count)


def _folded(xp: Namespace, p: Array) -> Array:
    """`p` with some of its rows or columns added up: as many as XLA unrolls into one step."""
    folds = {a: largest_divisor(p.shape[a], _FOLD) for a in range(1, p.ndim - 1)}
    axis = max(folds, key=folds.__getitem__)
    split = (p.shape[axis] // folds[axis], folds[axis])
    return xp.sum(p.reshape(*p.shape[:axis], *split, *p.shape[axis + 1 :]), axis=axis + 1)


def _column_sums(xp: Namespace, x: Array) -> Array:
    rows = x.reshape(-1, x.shape[-1])
    return xp.matmul(xp.ones((1, len(rows)), x.dtype), rows)[0]


def _part(x: Array, image: Array, top: Array, images: int, rows: int) -> Array:
    rest = x.shape[2:]
    start = (image, top, *[np.int64(0)] * len(rest))
    return lax.dynamic_slice(x, start, (images, rows, *rest))
