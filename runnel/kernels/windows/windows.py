"""Windows that slide over the spatial dimensions of a tensor, for convolution and pooling.

Everything here has the channels last: `x` is `[batch, *sizes, channels]`. A `Window` says where the
windows lie; the functions take them out of a tensor and put them back, for NumPy and for JAX.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from runnel.backend.jax import jax, lax
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Namespace

MANY_TAPS = 64  # a window of more elements is not unrolled into a program


@dataclass(frozen=True)
class Window:
    """`out` windows of `kernel` elements over `sizes` elements, in each dimension."""

    sizes: tuple[int, ...]
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    pads: tuple[tuple[int, int], ...]
    out: tuple[int, ...]

    @functools.cached_property
    def count(self) -> int:
        """The number of elements of a window."""
        return math.prod(self.kernel)

    @functools.cached_property
    def is_pointwise(self) -> bool:
        return self.count == 1 and not any(map(any, self.pads))

    @functools.cached_property
    def taps(self) -> list[tuple[int, ...]]:
        """Where each element of the first window lies, in the order of the kernel."""
        ranges = (range(0, k * d, d) for k, d in zip(self.kernel, self.dilations))
        return list(itertools.product(*ranges))

    @functools.cached_property
    def places(self) -> list[tuple[slice, ...]]:
        """For each element of the window, where it is in the padded tensor for all windows."""
        return [
            (slice(None), *(slice(t, t + o * s, s) for t, o, s in each), slice(None))
            for each in (zip(tap, self.out, self.strides) for tap in self.taps)
        ]

    @functools.cached_property
    def full(self) -> tuple[int, ...]:
        """The sizes with the padding."""
        return tuple(n + before + after for n, (before, after) in zip(self.sizes, self.pads))


def span(kernel: int, dilation: int) -> int:
    """How many elements a dilated kernel reaches over."""
    return (kernel - 1) * dilation + 1


def extent(
    size: int | None,
    kernel: int | None,
    stride: int,
    dilation: int,
    padding: str,
    explicit: tuple[int, int],
) -> tuple[int | None, tuple[int, int]]:
    """How many windows there are along a dimension, and how much is padded before and after."""
    if padding == "SAME":
        if size is None:
            return None, (0, 0)
        out = -(-size // stride)
        if kernel is None:
            return out, (0, 0)
        total = max((out - 1) * stride + span(kernel, dilation) - size, 0)
        return out, (total // 2, total - total // 2)
    before, after = explicit if padding == "EXPLICIT" else (0, 0)
    if size is None or kernel is None:
        return None, (before, after)
    room = size + before + after - span(kernel, dilation) + stride
    return int(room / stride), (before, after)  # cut towards zero, as in C


def window(
    op_name: str,
    sizes: Sequence[int | None],
    kernel: Sequence[int | None],
    strides: Sequence[int],
    padding: str,
    dilations: Sequence[int] | None = None,
    explicit: Sequence[tuple[int, int]] | None = None,
) -> tuple[tuple[int | None, ...], tuple[tuple[int, int], ...]]:
    """The number of windows and the padding in each dimension, after a check that there is room."""
    rates = dilations or (1,) * len(sizes)
    given = explicit or ((0, 0),) * len(sizes)
    if padding not in ("SAME", "VALID", "EXPLICIT"):
        raise bad_value(op_name, want="be 'SAME', 'VALID' or 'EXPLICIT'", padding=padding)
    if any(s < 1 for s in strides):
        raise bad_value(op_name, want="be positive", strides=tuple(strides))
    if any(d < 1 for d in rates):
        raise bad_value(op_name, want="be positive", dilations=tuple(rates))
    found = [
        extent(*args[:4], padding, args[4]) for args in zip(sizes, kernel, strides, rates, given)
    ]
    if any(out is not None and out < 0 for out, _ in found):
        want = (
            f"be at least as large as the window of {tuple(kernel)} with dilations {tuple(rates)}"
        )
        raise bad_shape(op_name, want=want, input=_Sized(sizes))
    return tuple(out for out, _ in found), tuple(pads for _, pads in found)


class _Sized:
    """Something with a shape, to be described in an error."""

    def __init__(self, sizes: Sequence[int | None]) -> None:
        self.shape = tuple(sizes)


@functools.lru_cache(4096)
def make_window(
    op_name: str,
    sizes: tuple[int, ...],
    kernel: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    dilations: tuple[int, ...] | None = None,
    explicit: tuple[tuple[int, int], ...] | None = None,
) -> Window:
    """Where the windows lie; remembered, since the same shapes come again and again."""
    rates = tuple(dilations or (1,) * len(sizes))
    out, pads = window(op_name, sizes, kernel, strides, padding, rates, explicit)
    known: Any = out
    return Window(sizes, kernel, strides, rates, pads, known)


def spatial_axes(data_format: str, rank: int) -> tuple[int, ...]:
    return tuple(range(2, rank)) if channels_first(data_format) else tuple(range(1, rank - 1))


def channels_first(data_format: str) -> bool:
    if not isinstance(data_format, str):
        raise TypeError(f"`data_format` must be a string, such as 'NHWC', got {data_format!r}.")
    return data_format.startswith("NC") or data_format == "CHANNELS_FIRST"


def spatial(values: Sequence[Any], data_format: str) -> tuple[Any, ...]:
    """The spatial ones of values given for all dimensions."""
    return tuple(values[i] for i in spatial_axes(data_format, len(values)))


def pairs(flat: Sequence[int], data_format: str) -> tuple[tuple[int, int], ...] | None:
    """The spatial pairs of a flat list of paddings before and after each dimension."""
    if not flat:
        return None
    return spatial(tuple(zip(flat[::2], flat[1::2])), data_format)


def laid_out(batch: Any, sizes: Sequence[Any], channels: Any, data_format: str) -> Dims:
    """The dimensions in the order of the data format."""
    if channels_first(data_format):
        return (batch, channels, *sizes)
    return (batch, *sizes, channels)


def last(xp: Namespace, x: Array, data_format: str) -> Array:
    """`x` with its channels moved last."""
    return xp.moveaxis(x, 1, -1) if channels_first(data_format) else x


def restored(xp: Namespace, x: Array, data_format: str) -> Array:
    """`x`, whose channels are last, in its data format."""
    return xp.moveaxis(x, -1, 1) if channels_first(data_format) else x


def lowest(dtype: Any) -> Any:
    """The smallest value of a dtype, which loses against every other."""
    if np.issubdtype(dtype, np.integer):
        return np.iinfo(dtype).min
    return -np.inf


def pad(xp: Namespace, x: Array, pads: Sequence[tuple[int, int]], fill: Any = 0) -> Array:
    """`x` with its spatial dimensions padded; a negative padding cuts off."""
    if not any(a or b for a, b in pads):
        return x
    if xp is not np:
        config = [(0, 0, 0), *((a, b, 0) for a, b in pads), (0, 0, 0)]
        return lax.pad(x, xp.asarray(fill, x.dtype), config)
    keep = [slice(max(-a, 0), n - max(-b, 0)) for (a, b), n in zip(pads, x.shape[1:-1])]
    x = x[(slice(None), *keep)]
    if all(a <= 0 and b <= 0 for a, b in pads):
        return x
    sizes = x.shape[1:-1]
    shape = [n + max(a, 0) + max(b, 0) for (a, b), n in zip(pads, sizes)]
    result = np.full((x.shape[0], *shape, x.shape[-1]), fill, x.dtype)
    result[(slice(None), *(slice(max(a, 0), max(a, 0) + n) for (a, _), n in zip(pads, sizes)))] = x
    return result


def taps(xp: Namespace, x: Array, w: Window, fill: Any = 0) -> list[Array]:
    """For each element of the window, that element of all windows: `[batch, *out, channels]`."""
    padded = pad(xp, x, w.pads, fill)
    return [padded[place] for place in w.places]


def untaps(xp: Namespace, parts: Sequence[Array], w: Window) -> Array:
    """The adjoint of `taps`: every part added back to the places it came from."""
    first = parts[0]
    if xp is np:
        total = np.zeros((first.shape[0], *w.full, first.shape[-1]), first.dtype)
        for place, part in zip(w.places, parts):
            total[place] += part
    elif max(w.strides) > 1:
        total = _phases(xp, parts, w)
    else:
        total = sum(_spread(xp, part, w, tap) for tap, part in zip(w.taps, parts))
    return pad(xp, total, tuple((-a, -b) for a, b in w.pads))


def _spread(xp: Namespace, part: Array, w: Window, tap: Sequence[int]) -> Array:
    config = [
        (t, n - t - ((o - 1) * s + 1 if o else 0), s - 1)
        for t, n, o, s in zip(tap, w.full, w.out, w.strides)
    ]
    zero = xp.zeros((), part.dtype)
    return lax.pad(part, zero, [(0, 0, 0), *config, (0, 0, 0)])


def _phases(xp: Namespace, parts: Sequence[Array], w: Window) -> Array:
    """`untaps` with strides: the place `stride * i + phase` is reached by every `stride`th tap."""
    counts = [-(-n // s) for n, s in zip(w.full, w.strides)]
    first = parts[0]
    zeros = xp.zeros((first.shape[0], *counts, first.shape[-1]), first.dtype)
    sums: dict[Any, Array] = dict.fromkeys(itertools.product(*map(range, w.strides)), zeros)
    for tap, part in zip(w.taps, parts):
        phase = tuple(t % s for t, s in zip(tap, w.strides))
        before = [t // s for t, s in zip(tap, w.strides)]
        sums[phase] = sums[phase] + pad(
            xp, part, [(b, c - o - b) for b, c, o in zip(before, counts, w.out)]
        )
    full = interleave(xp, sums, w.strides)
    return full[(slice(None), *(slice(n) for n in w.full))]


def interleave(xp: Namespace, parts: dict[Any, Array], strides: Sequence[int]) -> Array:
    """One tensor of the parts for each phase, woven together in every spatial dimension."""
    for axis in reversed(range(len(strides))):
        joined: dict[Any, list[Array]] = {}
        for phase, part in parts.items():
            joined.setdefault(phase[:axis], []).append(part)
        parts = {key: _weave(xp, group, axis + 1) for key, group in joined.items()}
    return parts[()]


def _weave(xp: Namespace, group: list[Array], axis: int) -> Array:
    if len(group) == 1:
        return group[0]
    stacked = xp.stack(group, axis + 1)
    shape = group[0].shape
    return stacked.reshape(*shape[:axis], shape[axis] * len(group), *shape[axis + 1 :])


def patches(xp: Namespace, x: Array, w: Window, fill: Any = 0) -> Array:
    """All windows: `[batch, *out, elements of the window, channels]`."""
    padded = pad(xp, x, w.pads, fill)
    rank = len(w.sizes)
    if xp is np:
        batch, *inner, channel = padded.strides
        shape = (x.shape[0], *w.out, *w.kernel, x.shape[-1])
        outer = [i * s for i, s in zip(inner, w.strides)]
        within = [i * d for i, d in zip(inner, w.dilations)]
        seen = np.lib.stride_tricks.as_strided(
            padded, shape, (batch, *outer, *within, channel), writeable=False
        )
        return seen.reshape(x.shape[0], *w.out, w.count, x.shape[-1])
    for axis in range(rank):
        start = np.arange(w.out[axis])[:, None] * w.strides[axis]
        places = start + np.arange(w.kernel[axis]) * w.dilations[axis]
        # dimensions done: [batch, out, kernel, out, kernel ..., sizes to come, channels]
        padded = xp.take(padded, places, axis=1 + 2 * axis)
    order = [0, *range(1, 2 * rank, 2), *range(2, 2 * rank + 1, 2), 2 * rank + 1]
    moved = xp.transpose(padded, order)
    return moved.reshape(x.shape[0], *w.out, w.count, x.shape[-1])


def unpatches(xp: Namespace, p: Array, w: Window) -> Array:
    """The adjoint of `patches`."""
    if xp is np or w.count <= MANY_TAPS:
        return untaps(xp, [p[..., k, :] for k in range(w.count)], w)
    shape = jax.ShapeDtypeStruct((p.shape[0], *w.sizes, p.shape[-1]), p.dtype)
    return jax.linear_transpose(lambda x: patches(xp, x, w), shape)(p)[0]
