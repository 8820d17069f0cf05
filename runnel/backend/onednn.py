"""Large products and convolutions by oneDNN, which lies inside jaxlib but which XLA leaves alone.

XLA's own kernels for float32 on a CPU take 1.1 to 3 times as long for large products and ordinary
convolutions, and up to a hundred times for those in three dimensions or with a filter for each
channel. In milliseconds on two cores with AVX-512, XLA and oneDNN:

    [1024,256] @ [256,1024]              1.6, 1.3
    [17408,192]' @ [17408,192]           8.6, 4.7
    [1024,64]' @ [1024,64]               0.22, 0.08
    [64,512]' @ [64,512]                 0.40, 0.27
    [16,32,32,64] * 3x3x64x64            5.9, 4.9
    [16,64,64,3] * 3x3x3x32              2.5, 0.7
    [4,16,32,32,16] * 3x3x3x16x32        66, 8
    [16,56,56,64] * 3x3x1x64, depthwise  118, 0.9

With vectors half as long the two multiply equally fast, but for sums over very long columns.

XLA's compiler calls oneDNN through custom calls whose settings are internal to a version and are
not checked: wrong ones end the process. So only versions of jaxlib are used that were tried, and
with any other everything is as right, but slower. `RUNNEL_ONEDNN=off` does without, too. A program
with such calls cannot be written to a file; `compilation_cache` is told of it.

A call may not share out work from inside work that it has shared out: jaxlib then waits for ever,
or writes where it must not. oneDNN does so where it has no kernel for the whole and multiplies
matrices in each thread ("gemm:jit" in what ONEDNN_VERBOSE=2 prints): for batches of products
without AVX-512, and for some convolutions with a filter for each channel. So those batches are left
to XLA, and of those convolutions the ones that are not plain. Without AVX2 there are hardly any
kernels for a whole convolution, and oneDNN is not used at all; nor where its own variable forbids
it the instructions that the processor has.

With AVX-512 there is a kernel for batches, and both threads work on them, where XLA multiplies one
small matrix after the other in one thread:

    64 times [128,32] @ [128,32]'        0.70, 0.45
    64 times [128,128]' @ [128,32]       1.40, 0.57
    64 times [512,512] @ [512,64]        14.7, 11.9
    256 times [64,64] @ [64,64]          1.8, 0.8

jaxlib calls oneDNN only for a convolution itself, not for its gradients. But the gradient for the
filter is a convolution too, with roles exchanged, and oneDNN takes 0.5 to 0.9 times as long for it
as for a product of all windows, which are laid out in memory for that. In milliseconds, product and
convolution:

    [4,16,32,32,16] * 3x3x3x16x16        15.7, 6.8
    [16,32,32,64] * 3x3x64x64            10.6, 7.3
    [64,26,26,32] * 3x3x32x64            15.8, 11.4
    [256,8,8,32] * 3x3x32x32             6.1, 3.1
    [32,128,64] * 5x64x64                1.8, 1.5
    [64,28,28,1] * 3x3x1x32              0.6, 1.2
    [1,200,200,100] * 3x3x100x100        54, 55

Without AVX-512 large gradients are left to the product, those in three dimensions excepted:

    [4,16,32,32,16] * 3x3x3x16x16        13.0, 7.3
    [16,24,24,64] * 3x3x64x64            7.9, 6.4
    [16,64,64,64] * 3x3x64x64            49, 62
    [128,8,8,64] * 3x3x64x128            13.1, 10.2
    [64,28,28,32] * 3x3x32x64            19.7, 37
    [32,1024,64] * 5x64x64               15.2, 28

and with strides:

    [16,32,32,64] * 3x3x64x128, 2        7.3, 10.2
    [32,64,64,16] * 3x3x16x32, 2         8.2, 13.7
    [16,64,64,8] * 5x5x8x16, 2           5.3, 2.6
    [16,56,56,32] * 3x3x32x32, 3         3.4, 2.5

Each of the three is a JAX primitive of its own, so that batching, derivatives and other platforms
fall back on `lax`.
"""

from __future__ import annotations

import functools
import json
import math
import os
import platform
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from runnel.backend import compile_cache
from runnel.backend.cpu_features import long_vectors
from runnel.backend.jax import jax, jnp, lax, load
from runnel.core.values.types import Array

_TRIED = frozenset({"0.10.2"})  # versions of jaxlib
_VARIABLE = "RUNNEL_ONEDNN"
_LIMITS = ("ONEDNN_MAX_CPU_ISA", "DNNL_MAX_CPU_ISA")  # oneDNN's own, which change its kernels
_MANY = 1 << 24  # multiplications for which a product pays the call
_SOME = 1 << 22  # those of a convolution, or of a product whose columns are long
_LONG = 512
_DEEP = 64  # rows of a transposed matrix that is multiplied so with AVX-512
_TALL = 16  # times as long as a matrix is wide are columns that XLA sums badly on any processor
_NARROW = 16  # a product with fewer rows or columns is bound by memory
_FEW = 8  # channels of a filter gradient that is better left to a product
_MANY_TAPS = 16  # of a filter, from which on windows are not laid out for a product
_SHORT_ROW = 16  # places of a row of a filter gradient of more images than the following
_NEAR = 1 << 20  # numbers of a gradient of a convolution in two dimensions that caches hold
_BATCH = 16  # images of a filter gradient, up to which a row of them is one axis with its channels


@functools.cache
def available() -> bool:
    """Whether this jaxlib has oneDNN, with settings that are known."""
    if os.environ.get(_VARIABLE, "").lower() in ("off", "0"):
        return False
    if any(os.environ.get(limit, "ALL").upper() not in ("ALL", "DEFAULT") for limit in _LIMITS):
        return False
    if sys.platform != "linux" or platform.machine() != "x86_64" or not _has_avx2():
        return False
    return load("jaxlib").__version__ in _TRIED


def _has_avx2() -> bool:
    """Whether oneDNN has kernels for whole convolutions on this processor."""
    try:
        return " avx2 " in Path("/proc/cpuinfo").read_text()
    except OSError:
        return False


def multiplies(a: Array, b: Array, transpose_a: bool, transpose_b: bool) -> bool:
    """Whether `product` of these traced arrays is possible and worth while."""
    if a.dtype != np.float32 or a.ndim < 2 or a.shape[:-2] != b.shape[:-2]:
        return False
    rows, inner = a.shape[:-3:-1] if transpose_a else a.shape[-2:]
    columns = b.shape[-2 if transpose_b else -1]
    count = math.prod(a.shape[:-2]) * rows * inner * columns
    if a.ndim > 2 and not long_vectors():
        return False
    if a.ndim == 2 and transpose_a and inner >= (_DEEP if long_vectors() else _LONG):
        worse = inner >= _TALL * max(rows, columns) or long_vectors()  # XLA, summing over columns
        return worse and count >= _SOME and available()
    worth = count >= _MANY and min(rows, inner, columns) >= _NARROW
    return worth and available()


def product(a: Array, b: Array, transpose_a: bool, transpose_b: bool) -> Array:
    """`a @ b` of traced matrices, or batches of them; each may be transposed first."""
    return _product().bind(a, b, transpose_a=transpose_a, transpose_b=transpose_b)


def convolves(
    x: Array,
    f: Array,
    pads: Sequence[tuple[int, int]],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> bool:
    """Whether `convolution` of these traced arrays is possible and worth while."""
    if x.dtype != np.float32 or not x.size or not f.size or min(map(min, pads)) < 0:
        return False
    if f.shape[-2] == 1 and f.shape[-1] == x.shape[-1] and not _is_plain(f, pads, dilations):
        return False
    places = math.prod(n // s for n, s in zip(x.shape[1:-1], strides))
    return x.shape[0] * places * f.size >= _SOME and available()


def _is_plain(f: Array, pads: Sequence[tuple[int, int]], dilations: Sequence[int]) -> bool:
    """Whether oneDNN has a kernel for a filter for each channel: in two dimensions, no gaps in it,
    no window on padding alone."""
    inside = [max(pair) < size for pair, size in zip(pads, f.shape)]
    return f.ndim == 4 and max(dilations) == 1 and all(inside)


def convolution(
    x: Array,
    f: Array,
    pads: Sequence[tuple[int, int]],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> Array:
    """The convolution of `[batch, *sizes, channels]` with `[*kernel, channels / groups, outputs]`.

    `f` is laid along `x` without being flipped.
    """
    return _convolution().bind(
        x, f, pads=tuple(map(tuple, pads)), strides=tuple(strides), dilations=tuple(dilations)
    )


def differentiates(
    x: Array,
    dy: Array,
    kernel: Sequence[int],
    pads: Sequence[tuple[int, int]],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> bool:
    """Whether `filter_gradient` of these traced arrays is possible and worth while."""
    if x.dtype != np.float32 or x.shape[0] < 2 or x.shape[-1] < _FEW:
        return False
    if not long_vectors() and not _is_close(dy, kernel, strides, dilations):
        return False
    beside = [0 <= before <= (k - 1) * d for k, (before, _), d in zip(kernel, pads, dilations)]
    if not all(beside) or (len(kernel) == 3 and dilations[-1] > 1):
        return False
    return math.prod(kernel) * x.shape[-1] * dy.size >= _SOME and available()


def _is_close(
    dy: Array, kernel: Sequence[int], strides: Sequence[int], dilations: Sequence[int]
) -> bool:
    """Whether short vectors are fast enough: what is added up for a tap must lie close together."""
    if max(strides) == 2 and math.prod(kernel) < _MANY_TAPS:
        return False
    if len(kernel) == 3:
        return True
    if dy.shape[0] > _BATCH:
        return bool(dy.shape[-2] <= _SHORT_ROW)
    return bool(dy.size * math.prod(dilations) <= _NEAR or dy.shape[1] == 1)


def filter_gradient(
    x: Array,
    dy: Array,
    kernel: Sequence[int],
    pads: Sequence[tuple[int, int]],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> Array:
    """The gradient of `convolution` for a filter of size `kernel`; `dy` is that for its result."""
    return _filter_gradient().bind(
        x,
        dy,
        kernel=tuple(kernel),
        pads=tuple(map(tuple, pads)),
        strides=tuple(strides),
        dilations=tuple(dilations),
    )


def _primitive(name: str, plain: Callable[..., Array], call: Callable[..., Array]) -> Any:
    """A primitive that is `call` in a program for a CPU, and else what `plain` makes of it."""
    primitive = load("jax.extend.core").Primitive(name)
    mlir, batching, ad = (load("jax.interpreters." + part) for part in ("mlir", "batching", "ad"))

    def shaped(*args: Any, **how: Any) -> Any:
        found = jax.eval_shape(functools.partial(plain, **how), *args)
        return args[0].update(shape=found.shape)

    lower_call = mlir.lower_fun(call, multiple_results=False)

    def lowered(*args: Any, **how: Any) -> Any:
        compile_cache.skip()
        return lower_call(*args, **how)

    primitive.def_impl(plain)
    primitive.def_abstract_eval(shaped)
    mlir.register_lowering(primitive, mlir.lower_fun(plain, multiple_results=False))
    mlir.register_lowering(primitive, lowered, platform="cpu")

    def batched(args: Any, axes: Any, **how: Any) -> Any:
        return jax.vmap(functools.partial(plain, **how), axes)(*args), 0

    def differentiated(primals: Any, tangents: Any, **how: Any) -> Any:
        known = tuple(ad.instantiate_zeros(tangent) for tangent in tangents)
        return jax.jvp(functools.partial(plain, **how), tuple(primals), known)

    batching.primitive_batchers[primitive] = batched
    ad.primitive_jvps[primitive] = differentiated
    return primitive


def _call(target: str, shape: tuple[int, ...], settings: dict[str, Any], *args: Array) -> Array:
    made = jax.ffi.ffi_call(
        target,
        jax.ShapeDtypeStruct(shape, np.float32),
        custom_call_api_version=1,
        legacy_backend_config=json.dumps(settings),
    )
    return made(*args)


@functools.cache
def _product() -> Any:
    def plain(a: Array, b: Array, *, transpose_a: bool, transpose_b: bool) -> Array:
        return jnp.matmul(a.mT if transpose_a else a, b.mT if transpose_b else b)

    def call(a: Array, b: Array, *, transpose_a: bool, transpose_b: bool) -> Array:
        batch = a.shape[:-2]
        a, b = (x.reshape(*(-1,)[: len(batch)], *x.shape[-2:]) for x in (a, b))
        sides = (a.shape[-1 if transpose_a else -2], b.shape[-2 if transpose_b else -1])
        how = {"transpose_a": transpose_a, "transpose_b": transpose_b}
        shape = (*a.shape[:-2], *sides)
        found = _call("__onednn$matmul", shape, {"onednn_matmul_config": how}, a, b)
        return found.reshape(*batch, *sides)

    return _primitive("large_product", plain, call)


def plain_convolution(
    x: Array,
    f: Array,
    *,
    pads: Sequence[tuple[int, int]],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> Array:
    """The same as `convolution` by XLA."""
    spatial = "DHW"[2 - x.ndim :]
    return lax.conv_general_dilated(
        x,
        f,
        strides,
        pads,
        rhs_dilation=dilations,
        dimension_numbers=(f"N{spatial}C", f"{spatial}IO", f"N{spatial}C"),
        feature_group_count=x.shape[-1] // f.shape[-2],
    )


def plain_filter_gradient(
    x: Array,
    dy: Array,
    *,
    kernel: Sequence[int],
    pads: Sequence[tuple[int, int]],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> Array:
    """The same as `filter_gradient` by XLA."""
    slide = functools.partial(plain_convolution, pads=pads, strides=strides, dilations=dilations)
    like = jax.ShapeDtypeStruct((*kernel, x.shape[-1], dy.shape[-1]), dy.dtype)
    (found,) = jax.linear_transpose(lambda f: slide(x, f), like)(dy)
    return found


def _slid(
    x: Array,
    f: Array,
    shape: tuple[int, ...],
    inputs: int,
    *,
    pads: Sequence[tuple[int, int]],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> Array:
    """The call for a convolution; `inputs` is the axis of `f` for the channels of `x`."""
    rank = x.ndim - 2
    images = {"batch_dim": 0, "feature_dim": rank + 1, "spatial_dims": [*range(1, rank + 1)]}
    spatial = [axis for axis in range(rank + 1) if axis != inputs]
    filters = {
        "input_feature_dim": inputs,
        "output_feature_dim": rank + 1,
        "spatial_dims": spatial,
    }
    how = {
        "dims": x.ndim,
        "input": {"data": images},
        "output": {"data": images},
        "kernel": {"filter": filters},
        "window": {
            "size": [f.shape[axis] for axis in spatial],
            "pad_left": [before for before, _ in pads],
            "pad_right": [after for _, after in pads],
            "strides": list(strides),
            "window_dilations": list(dilations),
        },
        "feature_groups": x.shape[-1] // f.shape[inputs],
    }
    return _call("__onednn$convolution", shape, {"onednn_conv_config": how}, x, f)


@functools.cache
def _convolution() -> Any:
    def call(x: Array, f: Array, **window: Any) -> Array:
        shape = jax.eval_shape(functools.partial(plain_convolution, **window), x, f).shape
        return _slid(x, f, shape, x.ndim - 2, **window)

    return _primitive("large_convolution", plain_convolution, call)


@functools.cache
def _filter_gradient() -> Any:
    """A convolution with `dy` as its filter and the images as its channels.

    The gradient at a tap is the sum of all places of `x`, moved by the tap, times `dy`. So the taps
    are the places of what this convolution gives, its strides are the dilations and its dilations
    the strides. The channels of `x` are one more axis, or, for few images, part of the last one: a
    step along it is then as long as there are channels.
    """

    def call(x: Array, dy: Array, *, kernel: Any, pads: Any, strides: Any, dilations: Any) -> Array:
        x, pads = _covered(x, dy.shape[1:-1], kernel, pads, strides, dilations)
        images, channels, outputs = x.shape[0], x.shape[-1], dy.shape[-1]
        sizes, taps = x.shape[1:], (*kernel, channels)
        if dilations[-1] == 1 and (len(kernel) == 3 or images <= _BATCH):
            sizes = (*sizes[:-2], sizes[-2] * channels)
            taps = (*taps[:-2], taps[-2] * channels)
            pads = (*pads[:-1], (pads[-1][0] * channels, pads[-1][1] * channels))
            strides = (*strides[:-1], strides[-1] * channels)
        else:
            dy = dy.reshape(*dy.shape[:-1], 1, outputs)
            pads, strides, dilations = (*pads, (0, 0)), (*strides, 1), (*dilations, 1)
        turned = x.reshape(images, -1).T.reshape(1, *sizes, images)
        shape = (1, *taps, outputs)
        found = _slid(turned, dy, shape, 0, pads=pads, strides=dilations, dilations=strides)
        return found.reshape(*kernel, channels, outputs)

    return _primitive("large_filter_gradient", plain_filter_gradient, call)


def _covered(
    x: Array, out: Sequence[int], kernel: Any, pads: Any, strides: Any, dilations: Any
) -> tuple[Array, tuple[tuple[int, int], ...]]:
    """What `out` windows see of `x`, and how much padding they see before and after it."""
    sides = zip(x.shape[1:-1], out, kernel, pads, strides, dilations)
    seen = [(n, (o - 1) * s + (k - 1) * d + 1 - before) for n, o, k, (before, _), s, d in sides]
    x = x[(slice(None), *(slice(reach) for _, reach in seen))]
    return x, tuple((p[0], max(reach - n, 0)) for p, (n, reach) in zip(pads, seen))
