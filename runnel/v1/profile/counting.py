"""How many operations on numbers an operation of a graph takes, by TensorFlow's counts."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

_Count = Callable[[Any], float]


class _Unknown(Exception):
    """A shape that the count depends on is not known."""


def _size(tensor: Any) -> int:
    if not tensor.shape.is_fully_defined():
        raise _Unknown
    return int(tensor.shape.num_elements())


def _per_input(count: int) -> _Count:
    return lambda op: count * _size(op.inputs[0])


def _per_output(count: int) -> _Count:
    return lambda op: count * _size(op.outputs[0])


def _reduction(finalize: int) -> _Count:
    """One for each number that goes in, but for the first of each, and some for what comes out."""

    def count(op: Any) -> float:
        given, left = _size(op.inputs[0]), _size(op.outputs[0])
        return given - left + left * finalize

    return count


def _window(op: Any) -> int:
    return math.prod(op.get_attr("ksize"))


def _strides(op: Any) -> int:
    check_layout(op)
    strides = op.get_attr("strides")
    return int(strides[1] * strides[2])


def check_layout(op: Any) -> None:
    """ValueError where channels do not come last: the counts are for that."""
    if op.get_attr("data_format") != b"NHWC":
        raise ValueError(f"Only channels that come last are counted: {op.name}.")


def _pool(count: int) -> _Count:
    def counted(op: Any) -> float:
        check_layout(op)
        return count * _window(op) * _size(op.outputs[0])

    return counted


def _pool_gradient(op: Any) -> float:
    check_layout(op)
    return 2 * _window(op) * _size(op.inputs[1])


def _max_pool_gradient(op: Any) -> float:
    check_layout(op)
    return (_window(op) + 1) * _size(op.inputs[1])


def _convolution(op: Any) -> float:
    kernel, depth = _size(op.inputs[1]), op.inputs[1].shape[-1]
    return 2 * _size(op.outputs[0]) * kernel / depth


def _depthwise(op: Any) -> float:
    kernel = op.inputs[1].shape.as_list()
    if None in kernel:
        raise _Unknown
    return 2 * _size(op.outputs[0]) * kernel[0] * kernel[1]


def _to_input(op: Any) -> float:
    made, kernel = _size(op.outputs[0]), _size(op.inputs[1])
    return 2 * made * kernel / (op.outputs[0].shape[-1] * _strides(op))


def _to_filter(op: Any) -> float:
    image, kernel = _size(op.inputs[0]), _size(op.outputs[0])
    return 2 * image * kernel / (op.inputs[0].shape[-1] * _strides(op))


def _product(attribute: str, swapped: int, straight: int) -> _Count:
    def count(op: Any) -> float:
        _size(op.inputs[0])
        axis = swapped if op.get_attr(attribute) else straight
        return 2 * int(op.inputs[0].shape[axis]) * _size(op.outputs[0])

    return count


COUNTS: dict[str, _Count] = {
    **dict.fromkeys("Reciprocal Square Log Neg AssignSub AssignAdd".split(), _per_input(1)),
    "Rsqrt": _per_input(2),
    "Softmax": _per_input(5),
    "L2Loss": lambda op: 3 * _size(op.inputs[0]) - 1,
    **dict.fromkeys(
        "Add AddV2 Sub Mul RealDiv Maximum Minimum Pow GreaterEqual Greater LessEqual Less Equal "
        "NotEqual".split(),
        _per_output(1),
    ),
    "RsqrtGrad": _per_output(4),
    "SquaredDifference": _per_output(2),
    "Mean": _reduction(1),
    **dict.fromkeys("Sum ArgMax ArgMin BiasAddGrad".split(), _reduction(0)),
    "AvgPool": _pool(1),
    "MaxPool": _pool(1),
    "AvgPoolGrad": _pool_gradient,
    "MaxPoolGrad": _max_pool_gradient,
    "Conv2D": _convolution,
    "Conv3D": _convolution,
    "DepthwiseConv2dNative": _depthwise,
    "Conv2DBackpropInput": _to_input,
    "Conv2DBackpropFilter": _to_filter,
    "BiasAdd": _per_input(1),
    "AddN": lambda op: (len(op.inputs) - 1) * _size(op.inputs[0]),
    "MatMul": _product("transpose_a", 0, 1),
    **dict.fromkeys("BatchMatMul BatchMatMulV2 BatchMatMulV3".split(), _product("adj_x", -2, -1)),
}


def float_ops(op: Any) -> int:
    """The count of an operation; 0 where it has none, or needs shapes that are not known."""
    count = COUNTS.get(op.type)
    try:
        return 0 if count is None else int(count(op))
    except (_Unknown, ValueError, TypeError):
        return 0
