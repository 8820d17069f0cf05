"""Fake quantization: floats rounded to few steps while training, still as floats."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, no_gradient, op, raw_ops
from runnel.core.tensor.convert import unread
from runnel.core.values.dtypes import float32
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.ops.quantization.quantizing import away
from runnel.ops.shapes import same, same_shapes


def _backward_shapes(
    gradients: Spec, inputs: Spec, low: Spec, high: Spec, **attrs: Any
) -> list[Dims]:
    if not gradients.shape.is_compatible_with(inputs.shape):
        want = f"have the shape {gradients.shape} of the gradients"
        raise bad_shape("FakeQuantWithMinMaxVars", want=want, inputs=inputs)
    return [gradients.shape.merge_with(inputs.shape)._dims, low.dims, high.dims]


class _Nudged(NamedTuple):
    """A range moved a little, so that zero is one of its steps."""

    low: Array
    high: Array
    scale: Array


def _nudge(xp: Namespace, low: Array, high: Array, num_bits: int, narrow_range: bool) -> _Nudged:
    if not 2 <= num_bits <= 16:
        raise bad_value("FakeQuantWithMinMaxVars", want="be in [2, 16]", num_bits=num_bits)
    least, most = np.float32(narrow_range), np.float32(2**num_bits - 1)
    scale = (high - low) / (most - least)
    zero = least - low / scale
    zero = xp.clip(away(xp, zero), least, most)
    return _Nudged((least - zero) * scale, (most - zero) * scale, scale)


def _fake(xp: Namespace, x: Array, range_: _Nudged) -> Array:
    inverse = np.float32(1) / range_.scale
    shifted = xp.clip(x, range_.low, range_.high) - range_.low
    steps = xp.floor(
        shifted * inverse - xp.floor(-range_.low * inverse + np.float32(0.5)) + np.float32(0.5)
    )
    return (steps * range_.scale).astype(np.float32)


@op("FakeQuantWithMinMaxArgs", "inputs: float32 -> outputs: float32", shape=same)
def _fake_quant_args(
    xp: Namespace,
    inputs: Array,
    *,
    min: float = -6.0,
    max: float = 6.0,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> Array:
    return _fake(xp, inputs, _args_range(xp, min, max, num_bits, narrow_range))


def _args_range(
    xp: Namespace, low: float, high: float, num_bits: int, narrow_range: bool
) -> _Nudged:
    if low >= high:
        raise bad_value("FakeQuantWithMinMaxArgs", want=f"be less than max {high}", min=low)
    return _nudge(xp, np.float32(low), np.float32(high), num_bits, narrow_range)


@op(
    "FakeQuantWithMinMaxArgsGradient",
    "gradients: float32, inputs: float32 -> backprops: float32",
    shape=same,
    check=same_shapes("FakeQuantWithMinMaxArgsGradient", "inputs"),
)
def _fake_quant_args_back(
    xp: Namespace,
    gradients: Array,
    inputs: Array,
    *,
    min: float = -6.0,
    max: float = 6.0,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> Array:
    low, high, _ = _args_range(xp, min, max, num_bits, narrow_range)
    return xp.where((inputs >= low) & (inputs <= high), gradients, np.float32(0))


@RegisterGradient("FakeQuantWithMinMaxArgs", needs="inputs")
def _fake_quant_args_grad(op: Any, dy: Tensor) -> Gradients:
    attrs = {name: op.attrs[name] for name in ("min", "max", "num_bits", "narrow_range")}
    return raw_ops.FakeQuantWithMinMaxArgsGradient(dy, op.inputs[0], **attrs)  # type: ignore[no-any-return]


no_gradient("FakeQuantWithMinMaxArgsGradient")


@op(
    "FakeQuantWithMinMaxVars",
    "inputs: float32, min: float32[0], max: float32[0] -> outputs: float32",
    shape=same,
)
def _fake_quant_vars(
    xp: Namespace,
    inputs: Array,
    min: Array,
    max: Array,
    *,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> Array:
    for name, bound in (("min", min), ("max", max)):
        if bound.shape != ():
            raise bad_shape("FakeQuantWithMinMaxVars", want="be a scalar", **{name: bound})
    return _fake_between(xp, inputs, min, max, num_bits, narrow_range)


def _fake_between(
    xp: Namespace, x: Array, low: Array, high: Array, num_bits: int, narrow_range: bool
) -> Array:
    empty = (low == 0) & (high == 0)
    nudged = _nudge(xp, low, xp.where(empty, np.float32(1), high), num_bits, narrow_range)
    return xp.where(empty, np.float32(0), _fake(xp, x, nudged))


@op(
    "FakeQuantWithMinMaxVarsPerChannel",
    "inputs: float32[1+], min: float32[1], max: float32[1] -> outputs: float32",
    shape=same,
)
def _fake_quant_channels(
    xp: Namespace,
    inputs: Array,
    min: Array,
    max: Array,
    *,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> Array:
    if min.shape != (inputs.shape[-1],) or max.shape != min.shape:
        raise bad_shape(
            "FakeQuantWithMinMaxVarsPerChannel", want=f"have shape ({inputs.shape[-1]},)", min=min
        )
    return _fake_between(xp, inputs, min, max, num_bits, narrow_range)


def _shared_out(
    xp: Namespace, gradients: Array, x: Array, low: Array, high: Array, axis: int | None
) -> tuple[Array, Array, Array]:
    """The gradient of clipping: to `x` within the bounds, else to the bound it passed."""
    zero = xp.zeros((), gradients.dtype)
    rest = (
        None if axis is None else tuple(i for i in range(len(x.shape)) if i != axis % len(x.shape))
    )
    below = xp.sum(xp.where(x < low, gradients, zero), axis=rest, dtype=gradients.dtype)
    above = xp.sum(xp.where(x > high, gradients, zero), axis=rest, dtype=gradients.dtype)
    return xp.where((x >= low) & (x <= high), gradients, zero), below, above


def _check_back(op_name: str) -> Callable[..., None]:
    alike = same_shapes(op_name, "inputs")

    def check(gradients: Array, inputs: Array, low: Array, high: Array, **attrs: Any) -> None:
        alike(gradients, inputs)
        for name, bound in (("min", low), ("max", high)):
            if bound.ndim and bound.shape != inputs.shape[-1:]:
                want = f"have shape {inputs.shape[-1:]}, one for each channel"
                raise bad_shape(op_name, want=want, **{name: bound})

    return check


_BACK = (
    "gradients: float32, inputs: float32, min: float32[{0}!], max: float32[{0}!] "
    "-> backprops_wrt_input: float32, backprop_wrt_min: float32, backprop_wrt_max: float32"
)


def _fake_back(
    xp: Namespace,
    gradients: Array,
    x: Array,
    low: Array,
    high: Array,
    num_bits: int,
    narrow_range: bool,
    axis: int | None,
) -> tuple[Array, Array, Array]:
    empty = (low == 0) & (high == 0)
    nudged = _nudge(xp, low, xp.where(empty, np.float32(1), high), num_bits, narrow_range)
    zero = np.float32(0)
    dx, below, above = _shared_out(xp, gradients, x, nudged.low, nudged.high, axis)
    return (
        xp.where(empty, gradients, dx),
        xp.where(empty, zero, below),
        xp.where(empty, zero, above),
    )


@op(
    "FakeQuantWithMinMaxVarsGradient",
    _BACK.format(0),
    shape=_backward_shapes,
    check=_check_back("FakeQuantWithMinMaxVarsGradient"),
)
def _fake_quant_vars_back(
    xp: Namespace,
    gradients: Array,
    inputs: Array,
    min: Array,
    max: Array,
    *,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> tuple[Array, Array, Array]:
    low, high = min.reshape(()), max.reshape(())
    return _fake_back(xp, gradients, inputs, low, high, num_bits, narrow_range, None)


@op(
    "FakeQuantWithMinMaxVarsPerChannelGradient",
    _BACK.format(1),
    shape=_backward_shapes,
    check=_check_back("FakeQuantWithMinMaxVarsPerChannelGradient"),
)
def _fake_quant_channels_back(
    xp: Namespace,
    gradients: Array,
    inputs: Array,
    min: Array,
    max: Array,
    *,
    num_bits: int = 8,
    narrow_range: bool = False,
) -> tuple[Array, Array, Array]:
    return _fake_back(xp, gradients, inputs, min, max, num_bits, narrow_range, -1)


@RegisterGradient("FakeQuantWithMinMaxVars", needs="inputs min max")
def _fake_quant_vars_grad(op: Any, dy: Tensor) -> Gradients:
    attrs = {name: op.attrs[name] for name in ("num_bits", "narrow_range")}
    return raw_ops.FakeQuantWithMinMaxVarsGradient(dy, *op.inputs, **attrs)  # type: ignore[no-any-return]


@RegisterGradient("FakeQuantWithMinMaxVarsPerChannel", needs="inputs min max")
def _fake_quant_channels_grad(op: Any, dy: Tensor) -> Gradients:
    attrs = {name: op.attrs[name] for name in ("num_bits", "narrow_range")}
    return raw_ops.FakeQuantWithMinMaxVarsPerChannelGradient(dy, *op.inputs, **attrs)  # type: ignore[no-any-return]


no_gradient("FakeQuantWithMinMaxVarsGradient")
no_gradient("FakeQuantWithMinMaxVarsPerChannelGradient")


def fake_quant_with_min_max_args(
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """`inputs` rounded to the steps that `num_bits` allow between two numbers, still as floats.

    >>> tf.quantization.fake_quant_with_min_max_args([0.3, 7.0], min=0, max=3, num_bits=2).numpy()
    array([0., 3.], dtype=float32)
    """
    x = unread(inputs, float32)
    return raw_ops.FakeQuantWithMinMaxArgs(  # type: ignore[no-any-return]
        x if x.dtype is float32 else convert_to_tensor(inputs, float32),
        min=float(min),
        max=float(max),
        num_bits=num_bits,
        narrow_range=narrow_range,
        name=name,
    )


def fake_quant_with_min_max_args_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """The gradient of `fake_quant_with_min_max_args`: none where `inputs` leaves the range.

    >>> tf.quantization.fake_quant_with_min_max_args_gradient([1.0, 1.0], [0.3, 7.0]).numpy()
    array([1., 0.], dtype=float32)
    """
    return raw_ops.FakeQuantWithMinMaxArgsGradient(  # type: ignore[no-any-return]
        gradients,
        inputs,
        min=float(min),
        max=float(max),
        num_bits=num_bits,
        narrow_range=narrow_range,
        name=name,
    )


def fake_quant_with_min_max_vars(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """As `fake_quant_with_min_max_args`, with a range that can be learnt.

    >>> tf.quantization.fake_quant_with_min_max_vars([0.3, 7.0], 0.0, 3.0, num_bits=2).numpy()
    array([0., 3.], dtype=float32)
    """
    return raw_ops.FakeQuantWithMinMaxVars(  # type: ignore[no-any-return]
        inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )


def fake_quant_with_min_max_vars_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Any:
    """The gradients of `fake_quant_with_min_max_vars`.

    >>> back = tf.quantization.fake_quant_with_min_max_vars_gradient
    >>> found = back([1.0, 2.0], [0.3, 7.0], 0.0, 3.0)
    >>> found.backprop_wrt_max.numpy()
    np.float32(2.0)
    """
    return raw_ops.FakeQuantWithMinMaxVarsGradient(
        gradients, inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )


def fake_quant_with_min_max_vars_per_channel(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """As `fake_quant_with_min_max_vars`, with a range for each entry of the last dimension.

    >>> fake = tf.quantization.fake_quant_with_min_max_vars_per_channel
    >>> fake([[9.0, 9.0]], [0.0, 0.0], [1.0, 3.0]).numpy()
    array([[1., 3.]], dtype=float32)
    """
    return raw_ops.FakeQuantWithMinMaxVarsPerChannel(  # type: ignore[no-any-return]
        inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )


def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Any:
    """The gradients of `fake_quant_with_min_max_vars_per_channel`.

    >>> back = tf.quantization.fake_quant_with_min_max_vars_per_channel_gradient
    >>> found = back(tf.ones([1, 2]), [[9.0, 9.0]], [0.0, 0.0], [1.0, 9.0])
    >>> found.backprop_wrt_max.numpy()
    array([1., 0.], dtype=float32)
    """
    return raw_ops.FakeQuantWithMinMaxVarsPerChannelGradient(
        gradients, inputs, min, max, num_bits=num_bits, narrow_range=narrow_range, name=name
    )
