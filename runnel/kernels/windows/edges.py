"""Windows apart: those at an edge, which reach into the padding, and the many within.

A padded tensor is a copy, which costs a compiled program as much as the sum over its windows does.
Cut apart, the windows within read the tensor itself, and so does a single row of windows at an
edge, without the taps that lie in the padding; only where there are more, a strip of the tensor is
padded. A depthwise convolution of [16,56,56,64] by 3x3 takes 1.0 ms so, 1.9 ms if the tensor is
padded, and 5.7 ms as one loop with a condition for each element.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from runnel.core.values.types import Array, Namespace
from runnel.kernels.windows.windows import Window, pad, span

_ELEMENTS_BEYOND_CACHE = (
    1 << 18
)  # elements; a smaller tensor stays in the processor's cache while it is padded

Join = Callable[[list[Array], int], Array]
Place = tuple[slice, ...]


@dataclass(frozen=True)
class Part:
    """Some of the windows: `out` says which, `place` where they lie, `window` how in that place.

    Their first `missing` elements in each dimension lie in the padding and are left out, and so may
    be the last ones.
    """

    place: Place
    out: Place
    window: Window
    missing: tuple[int, ...]

    def seen(self, xp: Namespace, x: Array, fill: float = 0) -> Array:
        """What the windows see of `x`, padded where they reach beyond it."""
        return pad(xp, x[(slice(None), *self.place)], self.window.pads, fill)

    def places(self, taps: Sequence[Sequence[int]]) -> dict[int, Place]:
        """Where the taps lie in what is seen, for all windows, by number; not those left out."""
        found = ((number, self._place_of(tap)) for number, tap in enumerate(taps))
        return {number: place for number, place in found if place is not None}

    def _place_of(self, tap: Sequence[int]) -> Place | None:
        w = self.window
        moved = [t - gone for t, gone in zip(tap, self.missing)]
        reaches = map(span, w.kernel, w.dilations)
        if not all(0 <= t < reach for t, reach in zip(moved, reaches)):
            return None
        return slice(None), *(slice(t, t + n * s, s) for t, n, s in zip(moved, w.out, w.strides))


def whole(w: Window) -> Part:
    everywhere = (slice(None),) * len(w.sizes)
    return Part(everywhere, everywhere, w, (0,) * len(w.sizes))


def joined(xp: Namespace, x: Array, w: Window, run: Callable[[Part], Array]) -> Array:
    """What `run` answers for all windows over `x`: `[batch, *out, channels]`."""
    if xp is np:
        return run(whole(w))
    return parted(x, w, run, lambda found, axis: xp.concatenate(found, axis + 1))


def parted(x: Array, w: Window, run: Callable[[Part], Array], join: Join) -> Array:
    """`run` of all parts, if `x` is large; `join` makes one of the results along a dimension."""
    return run(whole(w)) if x.size < _ELEMENTS_BEYOND_CACHE else _parted(whole(w), run, join, 0)


def _parted(part: Part, run: Callable[[Part], Array], join: Join, axis: int) -> Array:
    if axis == len(part.window.sizes):
        return run(part)
    found = []
    for each in _cut(part, axis):
        is_padded = any(each.window.pads[axis])
        found.append(run(each) if is_padded else _parted(each, run, join, axis + 1))
    return found[0] if len(found) == 1 else join(found, axis)


def _cut(part: Part, axis: int) -> Iterator[Part]:
    """The windows before, within and after, in one dimension; all of them if none lies within."""
    w = part.window
    (before, _), size, stride = w.pads[axis], w.sizes[axis], w.strides[axis]
    reach, out = span(w.kernel[axis], w.dilations[axis]), w.out[axis]
    first, stop = max(-(-before // stride), 0), min((size - reach + before) // stride + 1, out)
    if first >= stop or not any(w.pads[axis]):
        yield part
        return
    for a, b in ((0, first), (first, stop), (stop, out)):
        if a < b:
            start, end = a * stride - before, (b - 1) * stride - before + reach
            pads = max(-start, 0), max(end - size, 0)
            some = _narrowed(part, axis, slice(a, b), slice(start + pads[0], end - pads[1]), pads)
            yield _shortened(some, axis) if b - a == 1 else some


def _narrowed(part: Part, axis: int, out: slice, place: slice, pads: tuple[int, int]) -> Part:
    w = part.window
    window = replace(
        w,
        sizes=_put(w.sizes, axis, place.stop - place.start),
        pads=_put(w.pads, axis, pads),
        out=_put(w.out, axis, out.stop - out.start),
    )
    return Part(_put(part.place, axis, place), _put(part.out, axis, out), window, part.missing)


def _shortened(part: Part, axis: int) -> Part:
    """A single row of windows, without the elements in the padding."""
    w = part.window
    rate, place = w.dilations[axis], part.place[axis]
    before, after = (-(-n // rate) for n in w.pads[axis])  # elements of the window
    kernel = w.kernel[axis] - before - after
    if kernel < 1:  # padding alone
        return part
    start = place.start + before * rate - w.pads[axis][0]
    inner = slice(start, start + span(kernel, rate))
    window = replace(w, kernel=_put(w.kernel, axis, kernel))
    missing = _put(part.missing, axis, before * rate)
    return _narrowed(
        replace(part, window=window, missing=missing), axis, part.out[axis], inner, (0, 0)
    )


def _put(values: tuple, axis: int, value: object) -> tuple:
    return (*values[:axis], value, *values[axis + 1 :])
