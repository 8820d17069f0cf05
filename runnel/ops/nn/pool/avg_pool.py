"""Average pooling, with its gradients; padding does not count."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, op, raw_ops
from runnel.core.tensor.vectors import shape_tensor
from runnel.core.values.dtypes import FLOATS
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec
from runnel.kernels.windows.weighing import unweigh
from runnel.kernels.windows.windows import (
    MANY_TAPS,
    Window,
    last,
    patches,
    restored,
    taps,
    unpatches,
)
from runnel.ops.choices import of_pools
from runnel.ops.nn.conv.ops import not_implemented
from runnel.ops.nn.pool.shared import POOL, attributes, check_shape, pool_rule, pool_window


@functools.lru_cache(1024)
def _shares(w: Window) -> np.ndarray:
    """One over the number of real elements in each window, as `[1, *out, 1]` of float64."""
    counts = np.ones((1, *w.out, 1))
    for i, (size, (before, _)) in enumerate(zip(w.sizes, w.pads)):
        steps, reach = np.arange(w.out[i]) * w.strides[i], np.arange(w.kernel[i]) * w.dilations[i]
        places = steps[:, None] + reach - before
        real = np.sum((places >= 0) & (places < size), axis=1)
        counts = counts * real.reshape([-1 if a == i + 1 else 1 for a in range(counts.ndim)])
    return np.asarray(1 / np.maximum(counts, 1))


def _average_window(
    name: str, shape: tuple[int, ...], ksize: tuple, strides: tuple, padding: str, data_format: str
) -> tuple[Window, Dims]:
    w, dims = pool_window(name, shape, ksize, strides, padding, data_format)
    if len(w.sizes) != len(shape) - 2:
        raise not_implemented(name, "pooling over channels")
    return w, dims


def _avg_pool(
    xp: Namespace, name: str, x: Array, ksize: tuple, strides: tuple, padding: str, layout: str
) -> Array:
    w, _ = _average_window(name, x.shape, ksize, strides, padding, layout)
    inner = last(xp, x, layout)
    wide = inner.astype(np.float32) if x.dtype.itemsize == 2 else inner
    if w.count > MANY_TAPS:
        total = xp.sum(patches(xp, wide, w), axis=-2)
    else:
        total = functools.reduce(xp.add, taps(xp, wide, w))
    average = (total * _shares(w).astype(wide.dtype)).astype(x.dtype)
    return restored(xp, average, layout)


def _avg_pool_grad(
    xp: Namespace,
    name: str,
    sizes: np.ndarray,
    dy: Array,
    ksize: tuple,
    strides: tuple,
    padding: str,
    layout: str,
) -> Array:
    shape = tuple(np.ravel(sizes).tolist())
    w, want = _average_window(name, shape, ksize, strides, padding, layout)
    check_shape(name, dy, want, "grad")
    inner = last(xp, dy, layout)
    wide = inner.astype(np.float32) if dy.dtype.itemsize == 2 else inner
    share = wide * _shares(w).astype(wide.dtype)
    if w.count > MANY_TAPS and xp is not np:
        full = (*share.shape[:-1], w.count, share.shape[-1])
        spread = unpatches(xp, xp.broadcast_to(share[..., None, :], full), w)
    else:
        spread = unweigh(xp, share, [np.ones((), share.dtype)] * w.count, w)
    return restored(xp, spread.astype(dy.dtype), layout)


def sizes_rule(rank: int) -> Any:
    """The rule of an op whose first input holds the shape of its output."""

    def rule(sizes: Spec, *others: Spec, **attrs: Any) -> Dims:
        if sizes.value is not None:
            return tuple(np.ravel(sizes.value).tolist())
        return sizes.partial if sizes.partial is not None else (None,) * rank

    return rule


def _declare(name: str, backward: str, value: str, layout: str, scope: str) -> None:
    """An op whose input is called `value`, and the op of its gradient: each is the other's."""

    @op(
        name,
        f"{value}: T -> output: T",
        T=FLOATS,
        shape=pool_rule(name),
        heavy=True,
        scope=scope,
        **of_pools(layout),
    )
    def pool(
        xp: Namespace,
        value: Array,
        *,
        ksize: tuple,
        strides: tuple,
        padding: str,
        data_format: str = layout,
    ) -> Array:
        return _avg_pool(xp, name, value, ksize, strides, padding, data_format)

    @op(
        backward,
        f"orig_input_shape: int32[1 of {len(layout)}], grad: T -> output: T",
        T=FLOATS,
        static=("orig_input_shape",),
        shape=sizes_rule(len(layout)),
        heavy=True,
        **of_pools(layout),
    )
    def spread(
        xp: Namespace,
        orig_input_shape: np.ndarray,
        grad: Array,
        *,
        ksize: tuple,
        strides: tuple,
        padding: str,
        data_format: str = layout,
    ) -> Array:
        args = (ksize, strides, padding, data_format)
        return _avg_pool_grad(xp, backward, orig_input_shape, grad, *args)

    @RegisterGradient(name, needs="")
    def gradient(op: Any, dy: Tensor) -> Gradients:
        shape, how = shape_tensor(op.inputs[0]), attributes(op, *POOL)
        return getattr(raw_ops, backward)(shape, dy, **how)  # type: ignore[no-any-return]

    @RegisterGradient(backward, needs="")
    def second_gradient(op: Any, ddx: Tensor) -> Gradients:
        return None, getattr(raw_ops, name)(ddx, **attributes(op, *POOL))


_declare("AvgPool", "AvgPoolGrad", "value", "NHWC", scope="AvgPool2D")
_declare("AvgPool3D", "AvgPool3DGrad", "input", "NDHWC", scope="AvgPool3D")
