"""Large convolutions in three dimensions by oneDNN, which lies inside jaxlib but which XLA leaves
alone.

XLA has no fast kernel for them: laid out in two dimensions they take 1.6 times as long on a
processor with AVX-512, 1.3 times with AVX2, in the geometric mean of the cases "onednn" of
`benchmarks/mechanisms.py`. Products and other convolutions are left to XLA: there oneDNN gains
little, and a program with its calls cannot be written to a file, so that every process compiles it
anew (`benchmarks/formulations.md`). `compile_cache` is told of it.

XLA's compiler calls oneDNN through custom calls whose settings are internal to a version and are
not checked: wrong ones end the process. So only versions of jaxlib are used that were tried, and
with any other everything is as right, but slower. `RUNNEL_ONEDNN=off` does without, too.

A call may not share out work from inside work that it has shared out: jaxlib then waits for ever,
or writes where it must not. oneDNN does so where it has no kernel for the whole and multiplies
matrices in each thread ("gemm:jit" in what ONEDNN_VERBOSE=2 prints), as for a filter for each
channel. Without AVX2 there are hardly any kernels for a whole convolution, and oneDNN is not used
at all; nor where its own variable forbids it the instructions that the processor has.

jaxlib calls oneDNN only for a convolution itself, not for its gradients. But the gradient for the
filter is a convolution too, with roles exchanged.

Each of the two is a JAX primitive of its own, so that batching, derivatives and other platforms
fall back on `lax`.
"""

from __future__ import annotations

import functools
import json
import math
import operator
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
_WORTH_A_CALL = 1 << 22  # multiplications
_LEAST_CHANNELS = 8  # of a filter gradient; with fewer it is better laid out in two dimensions
_LEAST_TAPS = 16  # of a filter gradient with strides of 2, for vectors of 256 bits


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


def convolves(
    x: Array,
    f: Array,
    pads: Sequence[tuple[int, int]],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> bool:
    """Whether `convolution` of these traced arrays is possible and worth while."""
    if x.dtype != np.float32 or x.ndim != 5 or x.shape[-1] != f.shape[-2]:
        return False
    if not x.size or not f.size or min(map(min, pads)) < 0:
        return False
    places = math.prod(n // s for n, s in zip(x.shape[1:-1], strides))
    return x.shape[0] * places * f.size >= _WORTH_A_CALL and available()


def convolution(
    x: Array,
    f: Array,
    pads: Sequence[tuple[int, int]],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> Array:
    """The convolution of `[batch, *sizes, channels]` with `[*kernel, channels, outputs]`.

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
    if x.dtype != np.float32 or len(kernel) != 3 or dilations[-1] > 1:
        return False
    if x.shape[0] < 2 or x.shape[-1] < _LEAST_CHANNELS:
        return False
    taps = math.prod(kernel)
    if max(strides) == 2 and taps < _LEAST_TAPS and not long_vectors():
        return False
    sides = zip(kernel, pads, dilations)
    if not all(0 <= before <= (k - 1) * d for k, (before, _), d in sides):
        return False
    return taps * x.shape[-1] * dy.size >= _WORTH_A_CALL and available()


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


def plain_convolution(
    x: Array,
    f: Array,
    *,
    pads: Sequence[tuple[int, int]],
    strides: Sequence[int],
    dilations: Sequence[int],
) -> Array:
    """The same as `convolution` by XLA, which has no fast kernel for filters larger than `x`.

    [16,2,2,512] by 3x3x512x512 takes it 270 ms, and 4 ms if zeros have been put around it before.
    """
    spatial = "DHW"[2 - x.ndim :]
    spans = [1 + dilation * (size - 1) for size, dilation in zip(f.shape, dilations)]
    if any(map(operator.gt, spans, x.shape[1:])) and min(map(min, pads)) >= 0:
        wider = jnp.pad(x, [(0, 0), *pads, (0, 0)])
        x, pads = lax.optimization_barrier(wider), [(0, 0)] * len(pads)  # or XLA undoes it
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
        "feature_groups": 1,
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
    the strides. The channels of `x` are part of its last axis, along which a step is then as long
    as there are channels.
    """

    def call(x: Array, dy: Array, *, kernel: Any, pads: Any, strides: Any, dilations: Any) -> Array:
        x, pads = _covered(x, dy.shape[1:-1], kernel, pads, strides, dilations)
        images, channels, outputs = x.shape[0], x.shape[-1], dy.shape[-1]
        sizes = (*x.shape[1:-2], x.shape[-2] * channels)
        taps = (*kernel[:-1], kernel[-1] * channels)
        pads = (*pads[:-1], (pads[-1][0] * channels, pads[-1][1] * channels))
        strides = (*strides[:-1], strides[-1] * channels)
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
