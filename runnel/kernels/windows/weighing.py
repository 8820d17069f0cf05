"""Windows whose elements are weighted and added up, and the two adjoints of that.

This is a depthwise convolution, and average pooling where all weights are one. XLA's grouped
convolution is slow with one channel per group; these functions multiply and add shifted slices,
which XLA fuses into one loop over vectors of channels, a hundredth of the time
(`benchmarks/formulations.md`). Everything has the channels last, as in windows.py.
"""

from __future__ import annotations

import functools
import itertools
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.backend.jax import lax
from runnel.core.values.types import Array, Namespace
from runnel.kernels.arrays import largest_divisor, once
from runnel.kernels.windows.edges import Part, Place, joined, parted, whole
from runnel.kernels.windows.windows import Window, interleave, taps, untaps

Term = Callable[..., Array]

_GROUP = 9  # taps whose sums are one loop
_SOME_ROWS = 4  # added up in one step
_FEW_ROWS = 256  # added up at the end, of all taps in one loop
_PADDED_BEFORE = (
    25  # taps, above which a copy is little beside the sums, and parts are long to compile
)
_UNROLLED = 100  # additions, one more than taps for each row, that are unrolled


def weigh(xp: Namespace, x: Array, weights: Sequence[Any], w: Window) -> Array:
    """The elements of each window, times one weight for each, added up: `[batch, *out, channels]`.

    A weight is a number for all channels, or a vector with one for each.
    """
    x = once(xp, x)
    weights = _in_rows(xp, weights, w.out)
    total = _total(xp, [x], w.taps, lambda number, part: part * weights[number])
    return _once(xp, joined(xp, x, w, total), x)


def _in_rows(xp: Namespace, weights: Sequence[Any], sizes: Sequence[int]) -> Sequence[Any]:
    """The weights, for NumPy repeated for all windows of a row: it multiplies rows at once then,
    in half of the time for 32 channels.
    """
    if xp is not np or not sizes or not len(weights) or not np.ndim(weights[0]):
        return weights
    return [np.tile(weight, (sizes[-1], 1)) for weight in weights]


def _once(xp: Namespace, total: Array, source: Array) -> Array:
    """A sum over windows, computed once; beside a part of `source` of its shape, if possible."""
    fits = all(n <= m for n, m in zip(total.shape, source.shape))
    return once(xp, total, source[tuple(map(slice, total.shape))] if fits else None)


def _total(
    xp: Namespace, arrays: Sequence[Array], taps: Sequence[tuple[int, ...]], term: Term
) -> Callable[[Part], Array]:
    """For each window the sum of `term` of a tap's number and of what lies there in `arrays`."""

    def total(part: Part) -> Array:
        seen = [part.seen(xp, each) for each in arrays]
        places = part.places(taps).items()
        terms = (term(number, *(each[place] for each in seen)) for number, place in places)
        zeros = xp.zeros((len(seen[-1]), *part.window.out, seen[-1].shape[-1]), seen[-1].dtype)
        return functools.reduce(operator.add, terms) if places else zeros

    return total


def unweigh(xp: Namespace, dy: Array, weights: Sequence[Any], w: Window) -> Array:
    """The adjoint of `weigh`: each element of `dy`, weighted, added to all places of its window."""
    if xp is np:
        return untaps(np, [dy * weight for weight in _in_rows(np, weights, w.out)], w)
    return collect(xp, [dy], lambda tap, part: part * weights[tap], w)


def collect(xp: Namespace, arrays: Sequence[Array], term: Term, w: Window) -> Array:
    """For each place, the sum over the windows that reach it: `term` of the number of the tap that
    lies there and of the elements that the window has in `arrays`, which is zero if they are.

    The places `stride * i + phase` are one sum of slices for each phase.
    """
    stored = [once(xp, each) for each in arrays]
    reached = {p: _reaching(p, w) for p in itertools.product(*map(range, w.strides))}
    starts = list(zip(*(start for found in reached.values() for start in found.values())))
    low, high = [min(each) for each in starts], [max(each) for each in starts]
    counts = tuple(-(-n // s) for n, s in zip(w.sizes, w.strides))
    pads = tuple((-a, b + n - o) for a, b, n, o in zip(low, high, counts, w.out))
    kernel, ones = tuple(b - a + 1 for a, b in zip(low, high)), (1,) * len(counts)
    inverse = Window(w.out, kernel, ones, ones, pads, counts)  # for each place, who reaches it
    is_even = all(n % s == 0 for n, s in zip(w.sizes, w.strides))  # else the woven parts are cut

    def phase(found: dict[int, tuple[int, ...]]) -> Array:
        numbers = list(found)
        taps = [tuple(s - a for s, a in zip(start, low)) for start in found.values()]
        total = _total(xp, stored, taps, lambda n, *parts: term(numbers[n], *parts))
        return joined(xp, stored[0], inverse, total) if is_even else total(whole(inverse))

    woven = interleave(xp, {p: phase(found) for p, found in reached.items()}, w.strides)
    return _once(xp, woven[(slice(None), *map(slice, w.sizes))], stored[-1])


def _reaching(phase: Sequence[int], w: Window) -> dict[int, tuple[int, ...]]:
    """The taps that reach the places of a phase, and which window reaches the first of them.

    A tap lies at the place `stride * window + tap` of the padded tensor.
    """
    found = {}
    for number, tap in enumerate(w.taps):
        away = [p + before - t for p, (before, _), t in zip(phase, w.pads, tap)]
        if all(a % s == 0 for a, s in zip(away, w.strides)):
            found[number] = tuple(a // s for a, s in zip(away, w.strides))
    return found


def tap_sums(xp: Namespace, x: Array, dy: Array, w: Window) -> Array:
    """The adjoint of `weigh` by its weights: for each tap, its product with `dy` added up.

    XLA adds up columns slowly, one product after the other, but vectors of channels if the sum is
    short enough to be unrolled; and it reads `x` and `dy` once if the sums of several taps are one
    reduction of several arrays. So such a reduction adds up some rows in a first step, and what it
    leaves in further ones.
    """
    if xp is np:
        axes = tuple(range(dy.ndim - 1))
        return np.stack([np.sum(part * dy, axis=axes, dtype=dy.dtype) for part in taps(xp, x, w)])
    if not dy.size:
        return xp.zeros((w.count, dy.shape[-1]), dy.dtype)
    x, dy = once(xp, x), once(xp, dy)

    def sums(part: Part) -> Array:
        seen, arriving = part.seen(xp, x), dy[(slice(None), *part.out)]
        places = list(part.places(w.taps).items())
        found = [xp.zeros(dy.shape[-1], dy.dtype)] * w.count
        for i in range(0, len(places), _GROUP):
            numbers, group = zip(*places[i : i + _GROUP])
            for number, each in zip(numbers, _sums(xp, seen, arriving, group)):
                found[number] = each
        return xp.stack(found)

    return parted(x, w, sums, lambda found, axis: functools.reduce(operator.add, found))


def _sums(xp: Namespace, x: Array, dy: Array, places: Sequence[Place]) -> list[Array]:
    """The sums of the products of `dy` with parts of `x`, for each channel."""
    limit = _UNROLLED // (len(places) + 1)
    folds = {axis: largest_divisor(dy.shape[axis], limit) for axis in reversed(range(dy.ndim - 1))}
    # Neighbours in memory, if there are some: rows far apart push each other out of the cache.
    near = [axis for axis, rows in folds.items() if rows >= _SOME_ROWS]
    axis = near[0] if near else max(folds, key=folds.__getitem__)
    found = _fold([x[place] * dy for place in places], axis, folds[axis])
    found = [each.reshape(-1, each.shape[-1]) for each in found]
    while len(found[0]) > _FEW_ROWS and (rows := largest_divisor(len(found[0]), limit)) > 1:
        found = _fold(found, 0, rows)
    return list(xp.sum(xp.stack(found), axis=1))


def _fold(arrays: Sequence[Array], axis: int, rows: int) -> list[Array]:
    """Each array with so many neighbours along an axis added up, all in one loop."""
    split = [each.reshape(*each.shape[:axis], -1, rows, *each.shape[axis + 1 :]) for each in arrays]
    zeros = [np.zeros((), each.dtype) for each in arrays]
    return list(lax.reduce(split, zeros, lambda a, b: [p + q for p, q in zip(a, b)], (axis + 1,)))
