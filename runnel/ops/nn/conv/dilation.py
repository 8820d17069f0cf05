"""Dilation and erosion of images in grey: the largest sum, or smallest difference, in a window."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops
from runnel.core.values.dtypes import REAL
from runnel.core.values.errors import UnimplementedError, bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.kernels.windows.windows import Window, lowest, make_window, taps, untaps, window
from runnel.ops.choices import PADDING, at_least
from runnel.ops.nn.bias import channel_sums


def _check_ranks(input: Any, filter: Any) -> None:
    if len(input.shape) != 4:
        raise bad_shape("Dilation2D", want="have 4 dimensions", input=input)
    if len(filter.shape) != 3:
        raise bad_shape("Dilation2D", want="have 3 dimensions", filter=filter)
    if input.shape[3] != filter.shape[2]:
        want = f"have the {input.shape[3]} channels of `input`"
        raise bad_shape("Dilation2D", want=want, filter=filter)


def _check_lists(strides: tuple, rates: tuple) -> None:
    for name, sizes in (("strides", strides), ("rates", rates)):
        if len(sizes) != 4:
            raise bad_value("Dilation2D", want="have 4 elements", **{name: sizes})
        if sizes[0] != 1 or sizes[3] != 1:
            message = f"Dilation2D: `{name}` must be 1 for batch and channels, got {list(sizes)}."
            raise UnimplementedError(None, None, f"{message} [Op:Dilation2D]")


def _rule(input: Spec, filter: Spec, *, strides: tuple, rates: tuple, padding: str) -> Dims:
    _check_lists(strides, rates)
    if input.dims is None or filter.dims is None:
        return (None,) * 4
    if None not in (*input.dims, *filter.dims):
        _check_ranks(input, filter)
    sizes = input.dims[1:3], filter.dims[:2]
    out, _ = window("Dilation2D", *sizes, strides[1:3], padding, rates[1:3])
    return (input.dims[0], *out, input.dims[3])


def _window(x: Array, f: Array, strides: tuple, rates: tuple, padding: str) -> Window:
    _check_lists(strides, rates)
    _check_ranks(x, f)
    return make_window(
        "Dilation2D", x.shape[1:3], f.shape[:2], tuple(strides[1:3]), padding, tuple(rates[1:3])
    )


def _sums(xp: Namespace, x: Array, f: Array, w: Window) -> list[Array]:
    """For each element of the filter, its sum with the image; outside the image the lowest."""
    inside = taps(np, np.ones((1, *w.sizes, 1), bool), w, False)
    fill = xp.asarray(lowest(x.dtype), x.dtype)
    added = f.reshape(w.count, f.shape[2])
    parts = taps(xp, x, w)
    return [xp.where(i, part + a, fill) for part, a, i in zip(parts, added, inside)]


@op("Dilation2D", "input: T[4], filter: T[3] -> output: T", T=REAL, shape=_rule, heavy=True)
def _dilation2d(
    xp: Namespace, input: Array, filter: Array, *, strides: tuple, rates: tuple, padding: str
) -> Array:
    w = _window(input, filter, strides, rates, padding)
    best, *rest = _sums(xp, input, filter, w)
    for part in rest:
        best = xp.maximum(best, part)
    return best


def _chosen(xp: Namespace, x: Array, f: Array, w: Window) -> Array:
    """The number of the first element of the filter that gives the largest sum."""
    best, *rest = _sums(xp, x, f, w)
    found = xp.zeros(best.shape, np.int32)
    for number, part in enumerate(rest, 1):
        better = part > best
        best = xp.where(better, part, best)
        found = xp.where(better, xp.asarray(number, np.int32), found)
    return found


def _same_as(place: int) -> Any:
    def rule(*inputs: Spec, **attrs: Any) -> Dims:
        return inputs[place].dims

    return rule


@RegisterGradient("Dilation2D", needs="input filter")
def _dilation2d_gradient(op: Any, dy: Tensor) -> Gradients:
    x, f = op.inputs
    how = {name: op.attrs[name] for name in ("strides", "rates", "padding")}
    return (
        raw_ops.Dilation2DBackpropInput(x, f, dy, **how),
        raw_ops.Dilation2DBackpropFilter(x, f, dy, **how),
    )


@op(
    "Dilation2DBackpropInput",
    "input: T, filter: T, out_backprop: T[4?] -> in_backprop: T",
    T=REAL,
    shape=_same_as(0),
    heavy=True,
    padding=PADDING,
    strides=at_least(4),
    rates=at_least(4),
)
def _dilation2d_backprop_input(
    xp: Namespace,
    input: Array,
    filter: Array,
    out_backprop: Array,
    *,
    strides: tuple,
    rates: tuple,
    padding: str,
) -> Array:
    w = _window(input, filter, strides, rates, padding)
    chosen = _chosen(xp, input, filter, w)
    zero = xp.zeros((), out_backprop.dtype)
    parts = [xp.where(chosen == k, out_backprop, zero) for k in range(w.count)]
    return untaps(xp, parts, w)


@op(
    "Dilation2DBackpropFilter",
    "input: T, filter: T, out_backprop: T[4?] -> filter_backprop: T",
    T=REAL,
    shape=_same_as(1),
    heavy=True,
    padding=PADDING,
    strides=at_least(4),
    rates=at_least(4),
)
def _dilation2d_backprop_filter(
    xp: Namespace,
    input: Array,
    filter: Array,
    out_backprop: Array,
    *,
    strides: tuple,
    rates: tuple,
    padding: str,
) -> Array:
    w = _window(input, filter, strides, rates, padding)
    chosen = _chosen(xp, input, filter, w)
    zero = xp.zeros((), out_backprop.dtype)
    parts = [channel_sums(xp, xp.where(chosen == k, out_backprop, zero)) for k in range(w.count)]
    return xp.stack(parts).reshape(filter.shape).astype(filter.dtype)


def dilation2d(
    input: TensorLike,
    filters: TensorLike,
    strides: Sequence[int],
    padding: str,
    data_format: str,
    dilations: Sequence[int],
    name: str | None = None,
) -> Tensor:
    """The largest sum of image and filter in each window, channel by channel.

    >>> x = tf.reshape(tf.range(4.0), [1, 2, 2, 1])
    >>> tf.nn.dilation2d(x, tf.zeros([2, 2, 1]), [1] * 4, "VALID", "NHWC", [1] * 4).numpy().ravel()
    array([3.], dtype=float32)
    """
    if data_format != "NHWC":
        raise ValueError(f"dilation2d: `data_format` must be 'NHWC', got {data_format!r}.")
    return raw_ops.Dilation2D(
        input, filters, strides=strides, rates=dilations, padding=padding, name=name
    )


def erosion2d(
    value: TensorLike,
    filters: TensorLike,
    strides: Sequence[int],
    padding: str,
    data_format: str,
    dilations: Sequence[int],
    name: str | None = None,
) -> Tensor:
    """The smallest difference of image and mirrored filter in each window, channel by channel.

    >>> x = tf.reshape(tf.range(4.0) + 1.0, [1, 2, 2, 1])
    >>> tf.nn.erosion2d(x, tf.zeros([2, 2, 1]), [1] * 4, "VALID", "NHWC", [1] * 4).numpy().ravel()
    array([1.], dtype=float32)
    """
    if data_format != "NHWC":
        raise ValueError(f"erosion2d: `data_format` must be 'NHWC', got {data_format!r}.")
    flipped = raw_ops.ReverseV2(convert_to_tensor(filters), np.array([0, 1], np.int32))
    dilated = raw_ops.Dilation2D(
        -convert_to_tensor(value), flipped, strides=strides, rates=dilations, padding=padding
    )
    return raw_ops.Neg(dilated, name=name)
