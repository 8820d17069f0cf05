"""Max pooling that says where each largest element was."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, op, raw_ops
from runnel.core.values.dtypes import INDICES, REAL, DType, int32, int64
from runnel.core.values.errors import bad_shape
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec
from runnel.kernels.arrays import scatter
from runnel.kernels.windows.largest import first_largest, window_max
from runnel.ops.choices import PADDING, at_least
from runnel.ops.nn.conv.ops import not_implemented
from runnel.ops.nn.pool.shared import attributes, check_shape, pool_dims, pool_window
from runnel.ops.shapes import same

_INDEX = frozenset({int32, int64})


def _argmax_rule(
    input: Spec, *, ksize: tuple, strides: tuple, padding: str, **rest: Any
) -> list[Dims]:
    dims = pool_dims("MaxPoolWithArgmax", input.dims, ksize, strides, padding, "NHWC")
    return [dims, dims]


@op(
    "MaxPoolWithArgmax",
    "input: T -> output: T, argmax: Targmax",
    Targmax=INDICES,
    T=REAL,
    shape=_argmax_rule,
    heavy=True,
)
def _max_pool_with_argmax(
    xp: Namespace,
    input: Array,
    *,
    ksize: tuple,
    strides: tuple,
    padding: str,
    Targmax: DType = int64,
    include_batch_in_index: bool = False,
) -> list[Array]:
    if 0 in input.shape:
        raise bad_shape("MaxPoolWithArgmax", want="have elements", input=input)
    w, _ = pool_window("MaxPoolWithArgmax", input.shape, ksize, strides, padding, "NHWC")
    if len(w.sizes) != 2:
        raise not_implemented("MaxPoolWithArgmax", "pooling over channels")
    chosen = first_largest(xp, input, w)
    (top, left), channels = (before for before, _ in w.pads), input.shape[3]
    row, column = chosen // w.kernel[1], chosen % w.kernel[1]
    index = Targmax.np_dtype
    rows = xp.arange(w.out[0], dtype=index) * w.strides[0] - top
    columns = xp.arange(w.out[1], dtype=index) * w.strides[1] - left
    y = row.astype(index) + rows[:, None, None]
    x = column.astype(index) + columns[:, None]
    flat = (y * input.shape[2] + x) * channels + xp.arange(channels, dtype=index)
    if include_batch_in_index:
        size = input.shape[1] * input.shape[2] * channels
        flat = flat + (xp.arange(input.shape[0], dtype=index) * size)[:, None, None, None]
    return [window_max(xp, input, w), flat.astype(index)]


_ARGMAX = ("ksize", "strides", "padding", "include_batch_in_index")


@RegisterGradient("MaxPoolWithArgmax", needs="input outputs")
def _max_pool_with_argmax_gradient(op: Any, dy: Tensor, _: Any) -> Gradients:
    x, argmax = op.inputs[0], op.outputs[1]
    return raw_ops.MaxPoolGradWithArgmax(x, dy, argmax, **attributes(op, *_ARGMAX))


def _flat_index(xp: Namespace, x: Array, argmax: Array, include_batch: bool) -> Array:
    """Indices into all of `x`."""
    if include_batch:
        return argmax
    size = int(np.prod(x.shape[1:]))
    return argmax + (xp.arange(x.shape[0], dtype=argmax.dtype) * size)[:, None, None, None]


_BY_PLACES = "input: T[4], grad: T, argmax: Targmax -> output: T"


@op(
    "MaxPoolGradWithArgmax",
    _BY_PLACES,
    T=REAL,
    Targmax=_INDEX,
    shape=same,
    heavy=True,
    padding=PADDING,
    ksize=at_least(4),
    strides=at_least(4),
)
def _max_pool_grad_with_argmax(
    xp: Namespace,
    input: Array,
    grad: Array,
    argmax: Array,
    *,
    ksize: tuple,
    strides: tuple,
    padding: str,
    include_batch_in_index: bool = False,
) -> Array:
    check_shape("MaxPoolGradWithArgmax", grad, argmax.shape, "grad")
    index = _flat_index(xp, input, argmax, include_batch_in_index).reshape(-1)
    zeros = xp.zeros(input.size, grad.dtype)
    return scatter(xp, zeros, index, grad.reshape(-1), "add").reshape(input.shape)


def _third(first: Spec, second: Spec, third: Spec, **attrs: Any) -> Dims:
    for name, spec in (("grad", second), ("argmax", third)):
        if spec.rank not in (None, 4):
            raise bad_shape("MaxPoolGradGradWithArgmax", want="have rank 4", **{name: spec})
    return third.dims


@op(
    "MaxPoolGradGradWithArgmax",
    _BY_PLACES,
    T=REAL,
    Targmax=_INDEX,
    shape=_third,
    heavy=True,
    padding=PADDING,
    ksize=at_least(4),
    strides=at_least(4),
)
def _max_pool_grad_grad_with_argmax(
    xp: Namespace,
    input: Array,
    grad: Array,
    argmax: Array,
    *,
    ksize: tuple,
    strides: tuple,
    padding: str,
    include_batch_in_index: bool = False,
) -> Array:
    return xp.take(grad.reshape(-1), _flat_index(xp, input, argmax, include_batch_in_index))
