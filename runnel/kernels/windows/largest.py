"""The largest element of each window, and the way back to it."""

from __future__ import annotations

import functools

import numpy as np

from runnel.core.values.types import Array, Namespace
from runnel.kernels.arrays import once
from .edges import Part, joined
from .weighing import collect
from .windows import MANY_TAPS, Window, lowest, pad, patches, taps, unpatches, untaps


def window_max(xp: Namespace, x: Array, w: Window) -> Array:
    fill = lowest(x.dtype)
    if w.count > MANY_TAPS:
        return xp.max(patches(xp, x, w, fill), axis=-2)

    def largest(part: Part) -> Array:
        seen = part.seen(xp, x, fill)
        return functools.reduce(xp.maximum, (seen[p] for p in part.places(w.taps).values()))

    return joined(xp, x, w, largest)


def first_largest(xp: Namespace, x: Array, w: Window) -> Array:
    """The number of the element of each window that is the largest; of several the first."""
    fill = lowest(x.dtype)
    if w.count > MANY_TAPS:
        return xp.argmax(patches(xp, x, w, fill), axis=-2).astype(np.int32)

    def first(part: Part) -> Array:
        seen = part.seen(xp, x, fill)
        (least, place), *rest = part.places(w.taps).items()
        best = seen[place]
        found = xp.full(best.shape, least, np.int32)
        for number, place in rest:
            better = seen[place] > best
            best = xp.where(better, seen[place], best)
            found = xp.where(better, xp.asarray(number, np.int32), found)
        return found

    return joined(xp, x, w, first)


def to_largest(xp: Namespace, x: Array, dy: Array, w: Window) -> Array:
    """The gradient of a maximum: what arrives at a window goes to its first largest element.

    Where windows overlap, every place collects what they have for it: XLA would look for the
    largest element again for each place that a window reaches. 3x3 in steps of two over
    [16,57,57,64] takes 5.7 ms, not 15.
    """
    chosen = first_largest(xp, x, w)
    zero = xp.zeros((), dy.dtype)
    if w.count > MANY_TAPS:
        hit = chosen[..., None, :] == xp.arange(w.count, dtype=np.int32)[:, None]
        return unpatches(xp, xp.where(hit, dy[..., None, :], zero), w)
    if xp is not np and w.kernel == w.strides and max(w.dilations) == 1:
        return _to_tiles(xp, chosen, dy, w)
    apart = all(k <= s for k, s in zip(w.kernel, w.strides))
    if xp is np or apart or not np.issubdtype(dy.dtype, np.floating):
        return untaps(xp, [xp.where(chosen == k, dy, zero) for k in range(w.count)], w)
    numbers = chosen.astype(dy.dtype)
    return collect(xp, [numbers, dy], lambda tap, n, part: xp.where(n == tap, part, zero), w)


def _to_tiles(xp: Namespace, chosen: Array, dy: Array, w: Window) -> Array:
    """`to_largest` of windows side by side: every place asks its window whether it was chosen.

    XLA would not compute as vectors what is woven together of one part for each tap: a small
    network takes a tenth longer so. XLA also would repeat `dy` for every place as part of
    the product that makes it, at ten times the cost of that.
    """
    dy = once(xp, dy)

    def spread(x: Array) -> Array:
        return x.reshape(x.shape[0], *(n for size in w.out for n in (size, 1)), x.shape[-1])

    taps = np.arange(w.count, dtype=np.int32).reshape(*(n for k in w.kernel for n in (1, k)), 1)
    found = xp.where(spread(chosen) == taps, spread(dy), xp.zeros((), dy.dtype))
    covered = [out * k for out, k in zip(w.out, w.kernel)]
    tiles = found.reshape(dy.shape[0], *covered, dy.shape[-1])
    sides = zip(w.sizes, covered, w.pads)
    return pad(xp, tiles, [(-before, size + before - seen) for size, seen, (before, _) in sides])


def from_largest(xp: Namespace, x: Array, g: Array, w: Window) -> Array:
    """The adjoint of `to_largest`: of each window the element of `g` where `x` is largest."""
    chosen = first_largest(xp, x, w)
    zero = xp.zeros((), g.dtype)
    if w.count > MANY_TAPS:
        hit = chosen[..., None, :] == xp.arange(w.count, dtype=np.int32)[:, None]
        return xp.sum(xp.where(hit, patches(xp, g, w), zero), axis=-2, dtype=g.dtype)
    result = zero
    for k, part in enumerate(taps(xp, g, w)):
        result = xp.where(chosen == k, part, result)
    return result
