"""Isotonic regression: the nearest sequence that never rises."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops
from runnel.core.settings.arguments import integer
from runnel.core.values.dtypes import FLOATS, REAL, DType, float32, float64, int8, int16
from runnel.core.values.errors import bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike


def _rule(input: Spec, **attrs: Any) -> list[Dims]:
    return [input.dims, input.dims]


@op(
    "IsotonicRegression",
    "input: T -> output: output_dtype, segments: int32",
    T=REAL,
    output_dtype=FLOATS,
    shape=_rule,
    host=True,
)
def _isotonic_regression(
    xp: Namespace, input: Array, *, output_dtype: DType = float32
) -> list[Array]:
    rows = input.reshape(-1, input.shape[-1] if input.ndim else 1) if input.size else []
    fitted = [_pooled(row.astype(np.float64)) for row in rows]
    shape = input.shape
    output = np.array([values for values, _ in fitted]).reshape(shape)
    segments = np.array([numbers for _, numbers in fitted], np.int32).reshape(shape)
    return [output.astype(output_dtype.np_dtype), segments]


def _pooled(row: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The pool of adjacent violators: neighbours that rise are replaced by their mean."""
    means: list[float] = []
    counts: list[int] = []
    for value in row.tolist():
        means.append(value)
        counts.append(1)
        while len(means) > 1 and means[-2] < means[-1]:
            last, count = means.pop(), counts.pop()
            total = means[-1] * counts[-1] + last * count
            counts[-1] += count
            means[-1] = total / counts[-1]
    return np.repeat(means, counts), np.repeat(np.arange(len(counts)), counts)


@RegisterGradient("IsotonicRegression", needs="outputs")
def _isotonic_regression_gradient(op: Any, dy: Tensor, _: Any) -> Gradients:
    """Every element of a segment gets the segment's mean gradient."""
    segments = op.outputs[1]
    columns = raw_ops.ExpandDims(segments, np.int32(-1))
    rows = raw_ops.ExpandDims(segments, np.int32(-2))
    alike = raw_ops.Cast(raw_ops.Equal(columns, rows), DstT=dy.dtype)
    total = raw_ops.Sum(alike * raw_ops.ExpandDims(dy, np.int32(-2)), np.int32(-1))
    dx = total / raw_ops.Sum(alike, np.int32(-1))
    dtype = op.inputs[0].dtype
    return dx if dtype is dy.dtype else raw_ops.Cast(dx, DstT=dtype)


def isotonic_regression(
    inputs: TensorLike, decreasing: bool = True, axis: int = -1
) -> tuple[Tensor, Tensor]:
    """The sequence nearest to `inputs` that never rises, and the number of each of its plateaus.

    >>> output, segments = tf.nn.isotonic_regression([3.0, 1.0, 2.0])
    >>> output.numpy(), segments.numpy()
    (array([3. , 1.5, 1.5], dtype=float32), array([0, 1, 1], dtype=int32))
    """
    x = convert_to_tensor(inputs)
    kind = x.dtype
    if not kind.is_floating:
        kind = float32 if kind in (int8, int16) else float64
    axis = integer("isotonic_regression", "axis", axis)
    if axis != -1 and not -len(x.shape) <= axis < len(x.shape):
        raise bad_value("isotonic_regression", want=f"be one of {len(x.shape)} axes", axis=axis)
    if axis not in (-1, len(x.shape) - 1):
        order = list(range(len(x.shape)))
        order[axis], order[-1] = order[-1], order[axis]
        swap = np.array(order, np.int32)
        found = isotonic_regression(raw_ops.Transpose(x, swap), decreasing)
        return raw_ops.Transpose(found[0], swap), raw_ops.Transpose(found[1], swap)
    if decreasing:
        return raw_ops.IsotonicRegression(x, output_dtype=kind)  # type: ignore[no-any-return]
    output, segments = raw_ops.IsotonicRegression(-x, output_dtype=kind)
    return -output, segments
