"""What a convolution computes, and its two adjoints, for NumPy and for JAX.

`x` is `[batch, *sizes, channels]`, `f` is `[*kernel, channels / groups, outputs]`; `w` says where
the windows lie. The number of groups follows from the channels.

`lax` does nearly everything. A filter gradient of 1x1 is a matmul, the side with fewer channels
slides in the others, that of few images pads them before; the input gradient goes by phases for a
strided convolution, by col2im if the input has few channels. Three dimensions are oneDNN's
(`runnel.backend.onednn`) or are laid out as two. `benchmarks/formulations.md` has the figures.
"""

from __future__ import annotations

import functools
import itertools
import math
import operator
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from runnel.backend import onednn
from runnel.backend.cpu_features import long_vectors
from runnel.backend.jax import jax, jnp, lax
from runnel.core.values.types import Array, Namespace
from runnel.kernels.arrays import largest_divisor, once
from runnel.kernels.linalg.product import product
from .windows import MANY_TAPS, Window, interleave, pad, patches, span, taps, unpatches, untaps

# Measured in benchmarks/formulations.md.
_MOST_LAID_OUT = 1 << 24  # elements of all windows together that are laid out in memory
_JOINED_CHANNELS = 16  # up to which all phases together are quicker although some have zeros
_MOST_TERMS = 18  # numbers of a window, up to which nothing is as quick as adding up their products
_FEW_CHANNELS = 8  # for which phases do not pay
_FEW_IMAGES = 8  # for which padding before does
_FEW_GROUPS = 8  # each of which is a convolution of its own


def correlate(xp: Namespace, x: Array, f: Array, w: Window) -> Array:
    """The convolution, without flipping as in all deep learning: `[batch, *out, outputs]`."""
    dtype = x.dtype
    x, f = _wide(x), _wide(f)
    if x.shape[-1] != f.shape[-2]:
        return _in_groups(xp, x, f, w).astype(dtype, copy=False)
    if xp is not np:
        if _has_few_terms(x, f, w):
            return _by_terms(x, f, w).astype(dtype)
        possible = onednn.convolves(x, f, w.pads, w.strides, w.dilations)
        solid = _is_solid(w, x.shape[-1], f.shape) and not possible
        return (_solid if solid else _slide_filter)(x, f, w).astype(dtype)
    outputs = f.shape[-1]
    rows = x.shape[0] * math.prod(w.out)
    if rows * w.count * x.shape[-1] > _MOST_LAID_OUT:
        matrices = f.reshape(w.count, *f.shape[-2:])
        found = np.asarray(sum(part @ m for part, m in zip(taps(np, x, w), matrices)))
    else:
        seen = patches(np, x, w)
        found = seen.reshape(rows, w.count * x.shape[-1]) @ f.reshape(-1, outputs)
    return found.reshape(x.shape[0], *w.out, outputs).astype(dtype, copy=False)


def _pieces(xp: Namespace, x: tuple[int, ...], groups: int, w: Window) -> int:
    """Into how many convolutions one in groups is taken apart; 1 if its windows are laid out.

    XLA takes 13 to 400 times as long for the gradients of a convolution in groups
    (`benchmarks/formulations.md`).
    """
    if xp is np:
        return 1
    if groups <= _FEW_GROUPS:
        return groups
    room = x[0] * math.prod(w.out) * w.count * x[-1]
    return 1 if room <= _MOST_LAID_OUT else largest_divisor(groups, _FEW_GROUPS)


def _in_groups(xp: Namespace, x: Array, f: Array, w: Window) -> Array:
    groups = x.shape[-1] // f.shape[-2]
    pieces = _pieces(xp, x.shape, groups, w)
    if pieces > 1:
        pairs = zip(xp.split(x, pieces, -1), xp.split(f, pieces, -1))
        return xp.concatenate([correlate(xp, *pair, w) for pair in pairs], -1)
    # [groups, rows, outputs / groups]
    grouped = xp.matmul(_split(xp, patches(xp, x, w), groups), _split_filter(xp, f, groups))
    return xp.moveaxis(grouped, 0, 1).reshape(x.shape[0], *w.out, f.shape[-1])


def _has_few_terms(x: Array, f: Array, w: Window) -> bool:
    """Whether `_by_terms` is the quickest way, as for the first layer of a network on grey images:
    it takes 0.55 ms for [64,28,28,1] * 3x3x1x32 with a relu, oneDNN 1.5.
    """
    return (
        np.issubdtype(x.dtype, np.floating)
        and 0 < w.count * x.shape[-1] <= _MOST_TERMS
        and x.shape[-1] <= 2
    )


def _by_terms(x: Array, f: Array, w: Window) -> Array:
    """The convolution as a sum with a term for each number of a window, in one loop."""
    if any(map(any, w.pads)):
        x = once(jnp, pad(jnp, x, w.pads))
    pairs = zip(w.places, f.reshape(w.count, *f.shape[-2:]))
    terms = (x[place][..., c, None] * m[c] for place, m in pairs for c in range(x.shape[-1]))
    return once(jnp, functools.reduce(operator.add, terms))


def _wide(x: Array) -> Array:
    """Halves are added up in float32."""
    return x.astype(np.float32) if x.dtype.itemsize == 2 else x


def _split(xp: Namespace, p: Array, groups: int) -> Array:
    """Patches as matrices `[groups, rows, elements * channels / groups]`."""
    count, channels = p.shape[-2:]
    rows = math.prod(p.shape[:-2])
    grouped = p.reshape(rows, count, groups, channels // groups)
    moved = xp.moveaxis(grouped, 2, 0)
    return moved.reshape(groups, rows, count * (channels // groups))


def _split_filter(xp: Namespace, f: Array, groups: int) -> Array:
    """A filter as matrices `[groups, elements * channels / groups, outputs / groups]`."""
    flat = f.reshape(-1, groups, f.shape[-1] // groups)
    return xp.moveaxis(flat, 1, 0)


def _numbers(rank: int) -> tuple[str, str, str]:
    spatial = "DHW"[-rank:]
    return f"N{spatial}C", f"{spatial}IO", f"N{spatial}C"


def _slide_filter(x: Array, f: Array, w: Window) -> Array:
    return _slide(x, f, w.pads, w.strides, w.dilations)


def _slide(
    x: Array,
    f: Array,
    pads: Sequence[tuple[int, int]],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> Array:
    """The convolution by oneDNN if it can, else by XLA."""
    if onednn.convolves(x, f, pads, strides, dilations):
        return onednn.convolution(x, f, pads, strides, dilations)
    return onednn.plain_convolution(x, f, pads=pads, strides=strides, dilations=dilations)


def _lax_correlate(x: Array, f: Array, w: Window) -> Array:
    return onednn.plain_convolution(x, f, pads=w.pads, strides=w.strides, dilations=w.dilations)


def _is_solid(w: Window, channels: int, f: tuple[int, ...]) -> bool:
    return len(w.sizes) == 3 and channels == f[-2]


def _solid(x: Array, f: Array, w: Window) -> Array:
    """A convolution in three dimensions as one in two."""
    if f.shape[-1] <= x.shape[-1] and w.strides[0] == 1:
        total = _spread(x, f, w)
        return once(jnp, total) if jnp.issubdtype(total.dtype, jnp.floating) else total
    y = _slide_filter(_layers(x, w), _flat_filter(f), _flat(w))
    return y.reshape(x.shape[0], w.out[0], *y.shape[1:])


def _flat(w: Window) -> Window:
    inner = (w.sizes[1:], w.kernel[1:], w.strides[1:], w.dilations[1:])
    return Window(*inner, w.pads[1:], w.out[1:])


def _flat_filter(f: Array) -> Array:
    return jnp.moveaxis(f, 0, 2).reshape(*f.shape[1:3], f.shape[0] * f.shape[3], f.shape[4])


def _layers(x: Array, w: Window) -> Array:
    """The layers that the windows of a volume see, as the channels of one image."""
    k, s, d, o = w.kernel[0], w.strides[0], w.dilations[0], w.out[0]
    padded = pad(jnp, x, [w.pads[0], (0, 0), (0, 0)])
    layers = [padded[:, i * d : i * d + (o - 1) * s + 1 : s] for i in range(k)]
    return jnp.concatenate(layers, -1).reshape(-1, *x.shape[2:4], k * x.shape[-1])


def _spread(x: Array, f: Array, w: Window) -> Array:
    """Every layer as an image, with outputs for each of the windows that see it."""
    k, d, o, outputs = w.kernel[0], w.dilations[0], w.out[0], f.shape[-1]
    kernel = jnp.moveaxis(f, 0, 3).reshape(*f.shape[1:4], k * outputs)
    y = _lax_correlate(x.reshape(-1, *x.shape[2:]), kernel, _flat(w))
    padded = pad(jnp, y.reshape(*x.shape[:2], *y.shape[1:]), [w.pads[0], (0, 0), (0, 0)])
    parts = (padded[:, i * d : i * d + o, ..., i * outputs : (i + 1) * outputs] for i in range(k))
    return sum(parts)  # type: ignore[return-value]


def correlate_input(xp: Namespace, f: Array, dy: Array, w: Window, channels: int) -> Array:
    """The gradient of `correlate` for `x`, which has `channels` channels."""
    dtype = dy.dtype
    f, dy = _wide(f), _wide(dy)
    groups = channels // f.shape[-2] if channels else 1
    if not dy.size or not f.size:
        return xp.zeros((dy.shape[0], *w.sizes, channels), dtype)
    if groups > 1:
        return _input_in_groups(xp, f, dy, w, channels).astype(dtype, copy=False)
    if xp is not np:
        turned = jax.ShapeDtypeStruct((*f.shape[:-2], *f.shape[:-3:-1]), f.dtype)
        joined = channels >= _FEW_CHANNELS and _are_joined(w, channels)
        steps = (1,) * len(w.strides) if joined else w.strides
        possible = onednn.convolves(dy, turned, w.pads, steps, w.dilations)
        if _is_solid(w, channels, f.shape) and not possible:
            return _solid_input(f, dy, w, channels).astype(dtype)
        strided = max(w.strides) > 1 and max(w.dilations) == 1 and channels >= _FEW_CHANNELS
        few = channels < _FEW_CHANNELS <= dy.shape[-1] or _is_mostly_padding(w)
        spread = few or (strided and _are_spread(w, channels, dy))
        if w.count <= MANY_TAPS and spread:
            return _by_taps(xp, f, dy, w, channels).astype(dtype)
        if strided:
            return _by_phases(xp, f, dy, w).astype(dtype)
        return _lax_correlate_input(xp, f, dy, w).astype(dtype)
    if dy.size // dy.shape[-1] * w.count * channels > _MOST_LAID_OUT:
        matrices = f.reshape(w.count, *f.shape[-2:])
        total = untaps(np, [dy @ m.T for m in matrices], w)
    else:
        seen = dy.reshape(-1, dy.shape[-1]) @ f.reshape(-1, dy.shape[-1]).T
        total = unpatches(np, seen.reshape(*dy.shape[:-1], w.count, channels), w)
    return total.astype(dtype, copy=False)


def _input_in_groups(xp: Namespace, f: Array, dy: Array, w: Window, channels: int) -> Array:
    groups = channels // f.shape[-2]
    pieces = _pieces(xp, (dy.shape[0], channels), groups, w)
    if pieces > 1:
        pairs = zip(xp.split(f, pieces, -1), xp.split(dy, pieces, -1))
        found = [correlate_input(xp, *pair, w, channels // pieces) for pair in pairs]
        return xp.concatenate(found, -1)
    rows = dy.reshape(-1, groups, dy.shape[-1] // groups)
    turned = xp.swapaxes(_split_filter(xp, f, groups), 1, 2)
    products = xp.matmul(xp.moveaxis(rows, 1, 0), turned)
    seen = products.reshape(groups, *dy.shape[:-1], w.count, channels // groups)
    joined = xp.moveaxis(seen, 0, -2).reshape(*dy.shape[:-1], w.count, channels)
    return unpatches(xp, joined, w)


def _solid_input(f: Array, dy: Array, w: Window, channels: int) -> Array:
    like = jax.ShapeDtypeStruct((dy.shape[0], *w.sizes, channels), dy.dtype)
    if f.shape[-1] < channels and w.strides[0] == 1:
        return jax.linear_transpose(lambda x: _spread(x, f, w), like)(dy)[0]
    images, kernel = dy.reshape(-1, *dy.shape[2:]), _flat_filter(f)
    seen = correlate_input(jnp, kernel, images, _flat(w), kernel.shape[-2])
    return jax.linear_transpose(lambda x: _layers(x, w), like)(seen)[0]


def _turned(xp: Namespace, f: Array) -> Array:
    """The filter of the backward convolution: flipped in space, inputs and outputs exchanged."""
    return xp.swapaxes(xp.flip(f, tuple(range(f.ndim - 2))), -1, -2)


def _lax_correlate_input(xp: Namespace, f: Array, dy: Array, w: Window) -> Array:
    pads = []
    for size, k, s, d, (before, _), out in zip(
        w.sizes, w.kernel, w.strides, w.dilations, w.pads, w.out
    ):
        reach = span(k, d)
        low = reach - 1 - before
        pads.append((low, size + reach - 1 - ((out - 1) * s + 1) - low))
    turned = _turned(xp, f)
    if max(w.strides) == 1:
        return _slide(dy, turned, pads, w.strides, w.dilations)
    return lax.conv_general_dilated(
        dy,
        turned,
        (1,) * len(pads),
        pads,
        lhs_dilation=w.strides,
        rhs_dilation=w.dilations,
        dimension_numbers=_numbers(len(pads)),
    )


def _is_mostly_padding(w: Window) -> bool:
    """Whether a convolution backwards would multiply zeros for the most part: few windows, each as
    wide as the input nearly.
    """
    return max(w.strides) == 1 and math.prod(w.sizes) > 2 * math.prod(w.out)


def _are_spread(w: Window, channels: int, dy: Array) -> bool:
    """Whether what each tap gives is laid out in memory although there are phases: without
    AVX-512, where that is a sixth faster for 64 channels.
    """
    room = dy.size // dy.shape[-1] * w.count * channels
    return channels > _JOINED_CHANNELS and room <= _MOST_LAID_OUT and not long_vectors()


def _by_taps(xp: Namespace, f: Array, dy: Array, w: Window, channels: int) -> Array:
    """The input gradient as a product for all taps, which are then added up in their places."""
    outputs = dy.shape[-1]
    seen = product(xp, dy.reshape(-1, outputs), f.reshape(-1, outputs), transpose_b=True)
    return unpatches(xp, seen.reshape(*dy.shape[:-1], w.count, channels), w)


def _by_phases(xp: Namespace, f: Array, dy: Array, w: Window) -> Array:
    """The input gradient of a strided convolution as dense convolutions.

    The padded place `stride * i + phase` is reached only by the kernel's elements `phase`,
    `phase + stride` and so on: no multiplications with the zeros of a dilated `dy`.
    """
    counts = [-(-(n + before) // s) for n, (before, _), s in zip(w.sizes, w.pads, w.strides)]
    if _are_joined(w, f.shape[-2]):
        full = _all_phases(xp, f, dy, w, counts)
    else:
        found = {
            phase: _phase(xp, f[tuple(map(slice, phase, w.kernel, w.strides))], dy, w, counts)
            for phase in itertools.product(*map(range, w.strides))
        }
        full = interleave(xp, found, w.strides)
    back = [
        (-before, n + before - c * s)
        for n, (before, _), c, s in zip(w.sizes, w.pads, counts, w.strides)
    ]
    return pad(xp, full, back)


def _are_joined(w: Window, channels: int) -> bool:
    """Whether one convolution does all phases: their filters are alike, or the channels are few."""
    return channels <= _JOINED_CHANNELS or not any(k % s for k, s in zip(w.kernel, w.strides))


def _phase(xp: Namespace, part: Array, dy: Array, w: Window, counts: Sequence[int]) -> Array:
    """The dense convolution with one part of the filter, at `counts` places."""
    if not part.size:
        return xp.zeros((dy.shape[0], *counts, part.shape[-2]), dy.dtype)
    pads = [(k - 1, c - o) for k, c, o in zip(part.shape, counts, w.out)]
    ones = (1,) * len(pads)
    return _slide(dy, _turned(xp, part), pads, ones, ones)


def _all_phases(xp: Namespace, f: Array, dy: Array, w: Window, counts: Sequence[int]) -> Array:
    """One convolution with outputs for each phase; smaller parts of the filter get zeros."""
    rank, channels = len(counts), f.shape[-2]
    f = xp.pad(f, [*((0, -k % s) for k, s in zip(w.kernel, w.strides)), (0, 0), (0, 0)])
    sides = [size for k, s in zip(f.shape, w.strides) for size in (k // s, s)]
    parts, phases = range(0, 2 * rank, 2), range(1, 2 * rank, 2)
    split = f.reshape(*sides, *f.shape[-2:]).transpose(*parts, *phases, 2 * rank, 2 * rank + 1)
    found = _phase(xp, split.reshape(*sides[::2], -1, f.shape[-1]), dy, w, counts)
    places = [axis for n in range(rank) for axis in (1 + n, 1 + rank + n)]
    woven = found.reshape(-1, *counts, *w.strides, channels).transpose(0, *places, 2 * rank + 1)
    return woven.reshape(-1, *(c * s for c, s in zip(counts, w.strides)), channels)


def correlate_filter(
    xp: Namespace, x: Array, dy: Array, w: Window, shape: tuple[int, ...]
) -> Array:
    """The gradient of `correlate` for `f`, which has the given shape."""
    dtype = dy.dtype
    x, dy = _wide(x), _wide(dy)
    if not x.size or not dy.size:
        return xp.zeros(shape, dtype)
    if x.shape[-1] != shape[-2]:
        return _filter_in_groups(xp, x, dy, w, shape).astype(dtype, copy=False)
    if w.is_pointwise:
        rows = x[w.places[0]].reshape(-1, x.shape[-1])
        return product(xp, rows, dy.reshape(-1, dy.shape[-1]), True).reshape(shape).astype(dtype)
    if xp is not np:
        how = (w.kernel, w.pads, w.strides, w.dilations)
        if onednn.differentiates(x, dy, *how):
            return onednn.filter_gradient(x, dy, *how).astype(dtype)
        if _is_solid(w, x.shape[-1], shape):
            flat = (*shape[1:3], shape[0] * shape[3], shape[4])
            images = dy.reshape(-1, *dy.shape[2:])
            found = correlate_filter(xp, _layers(x, w), images, _flat(w), flat)
            return xp.moveaxis(found.reshape(*flat[:2], shape[0], *shape[3:]), 2, 0).astype(dtype)
        if dy.shape[-1] < x.shape[-1] and max(w.strides) == 1:
            return _slide_back(x, dy, w).astype(dtype)
        if x.shape[0] < _FEW_IMAGES and any(map(any, w.pads)):
            x, w = pad(xp, x, w.pads), replace(w, sizes=w.full, pads=((0, 0),) * len(w.sizes))
        like = jax.ShapeDtypeStruct(shape, dy.dtype)
        (found,) = jax.linear_transpose(lambda f: _lax_correlate(x, f, w), like)(dy)
        return found.astype(dtype)
    if dy.size // dy.shape[-1] * w.count * x.shape[-1] > _MOST_LAID_OUT:
        rows = dy.reshape(-1, dy.shape[-1])
        found = np.stack([t.reshape(-1, x.shape[-1]).T @ rows for t in taps(np, x, w)])
    else:
        seen = patches(np, x, w).reshape(-1, w.count * x.shape[-1])
        found = seen.T @ dy.reshape(-1, dy.shape[-1])
    return found.reshape(shape).astype(dtype, copy=False)


def _filter_in_groups(
    xp: Namespace, x: Array, dy: Array, w: Window, shape: tuple[int, ...]
) -> Array:
    groups = x.shape[-1] // shape[-2]
    pieces = _pieces(xp, x.shape, groups, w)
    if pieces > 1:
        pairs = zip(xp.split(x, pieces, -1), xp.split(dy, pieces, -1))
        part = (*shape[:-1], shape[-1] // pieces)
        return xp.concatenate([correlate_filter(xp, *pair, w, part) for pair in pairs], -1)
    rows = xp.moveaxis(dy.reshape(-1, groups, dy.shape[-1] // groups), 1, 0)
    seen = _split(xp, patches(xp, x, w), groups)
    # [groups, elements, outputs / groups]
    return xp.moveaxis(xp.matmul(xp.swapaxes(seen, 1, 2), rows), 0, 1).reshape(shape)


def _slide_back(x: Array, dy: Array, w: Window) -> Array:
    """The filter gradient where `dy` slides over `x`, for it has fewer channels.

    XLA copies what slides once for each tap. It pads before: a convolution whose window is larger
    than its input, even if not than the padded one, takes a hundred times as long.
    """
    pads = []
    for size, k, d, (before, _), out in zip(w.sizes, w.kernel, w.dilations, w.pads, w.out):
        pads.append((span(k, d) - 1 - before, size - out + before))
    spatial = "DHW"[-len(pads) :]
    found = lax.conv_general_dilated(
        pad(jnp, once(jnp, dy), pads),
        x,
        w.dilations,
        "VALID",
        dimension_numbers=(f"C{spatial}N", f"I{spatial}O", f"{spatial}CN"),
    )
    return jnp.flip(found, tuple(range(len(pads))))
