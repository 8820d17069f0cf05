"""Gradients of convolutions that are given a tensor instead of its shape.

`Conv2DBackpropInput` and `Conv2DBackpropFilter` in ops.py do the work.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, op, raw_ops
from runnel.core.values.dtypes import FLOATS, int32
from runnel.core.values.types import Array, Dims, Namespace, Spec, TensorLike
from runnel.ops.choices import LAYOUT, PADDING_OR_PAIRS
from runnel.ops.nn.conv.ops import attributes_2d, with_attributes


def _of_input(input: Spec, filter: Spec, out_backprop: Spec, **attrs: Any) -> Dims:
    return input.dims


def _of_filter(input: Spec, filter: Spec, out_backprop: Spec, **attrs: Any) -> Dims:
    return filter.dims


def _sizes(x: Array) -> Array:
    return np.array(x.shape, np.int32)


_INPUTS = "input: T[4], filter: T[4], out_backprop: T[4] -> output: T"


@op(
    "Conv2DBackpropInputV2",
    _INPUTS,
    T=FLOATS | {int32},
    shape=_of_input,
    heavy=True,
    padding=PADDING_OR_PAIRS,
    data_format=LAYOUT,
)
@with_attributes(attributes_2d)
def _input_gradient(
    xp: Namespace, input: Array, filter: Array, out_backprop: Array, **how: Any
) -> Array:
    return raw_ops.Conv2DBackpropInput.kernel(xp, _sizes(input), filter, out_backprop, **how)


@op(
    "Conv2DBackpropFilterV2",
    _INPUTS,
    T=FLOATS,
    shape=_of_filter,
    heavy=True,
    padding=PADDING_OR_PAIRS,
    data_format=LAYOUT,
)
@with_attributes(attributes_2d)
def _filter_gradient(
    xp: Namespace, input: Array, filter: Array, out_backprop: Array, **how: Any
) -> Array:
    return raw_ops.Conv2DBackpropFilter.kernel(xp, input, _sizes(filter), out_backprop, **how)


def conv2d_backprop_input_v2(
    input: TensorLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: Sequence[int],
    padding: str,
    use_cudnn_on_gpu: bool = True,
    explicit_paddings: Sequence[int] = [],
    data_format: str = "NHWC",
    dilations: Sequence[int] = [1, 1, 1, 1],
    name: str | None = None,
) -> Tensor:
    """The gradient of a convolution by its input, of which only the shape counts.

    >>> x, f, dy = tf.zeros([1, 2, 2, 1]), tf.ones([1, 1, 1, 1]), tf.ones([1, 2, 2, 1])
    >>> tf.conv2d_backprop_input_v2(x, f, dy, [1, 1, 1, 1], "VALID").shape
    TensorShape([1, 2, 2, 1])
    """
    return raw_ops.Conv2DBackpropInputV2(  # type: ignore[no-any-return]
        input,
        filter,
        out_backprop,
        strides=strides,
        padding=padding,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        explicit_paddings=explicit_paddings,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )


def conv2d_backprop_filter_v2(
    input: TensorLike,
    filter: TensorLike,
    out_backprop: TensorLike,
    strides: Sequence[int],
    padding: str,
    use_cudnn_on_gpu: bool = True,
    explicit_paddings: Sequence[int] = [],
    data_format: str = "NHWC",
    dilations: Sequence[int] = [1, 1, 1, 1],
    name: str | None = None,
) -> Tensor:
    """The gradient of a convolution by its filter, of which only the shape counts.

    >>> x, f, dy = tf.ones([1, 2, 2, 1]), tf.zeros([1, 1, 1, 1]), tf.ones([1, 2, 2, 1])
    >>> tf.conv2d_backprop_filter_v2(x, f, dy, [1, 1, 1, 1], "VALID").numpy().item()
    4.0
    """
    return raw_ops.Conv2DBackpropFilterV2(  # type: ignore[no-any-return]
        input,
        filter,
        out_backprop,
        strides=strides,
        padding=padding,
        use_cudnn_on_gpu=use_cudnn_on_gpu,
        explicit_paddings=explicit_paddings,
        data_format=data_format,
        dilations=dilations,
        name=name,
    )
