"""The ops by which older graphs take and set diagonals: fewer arguments, padding on the right."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, op, raw_ops
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec
from runnel.ops.shapes import shape_of

_LEFT = "LEFT_LEFT"
_MAIN, _ANY = np.int32(0), np.int32(-1)


def _known(value: Any, spec: Spec) -> Spec:
    return Spec((), spec.dtype, np.asarray(value))


def _diag_shape(diagonal: Spec, *others: Spec) -> Dims:
    k, rows, columns, padding = others or (_known(v, diagonal) for v in (_MAIN, _ANY, _ANY, 0))
    return raw_ops.MatrixDiagV3.infer([diagonal, k, rows, columns, padding], {"align": _LEFT})


@op("MatrixDiag", "diagonal: T -> output: T", shape=_diag_shape)
def _matrix_diag(xp: Namespace, diagonal: Array) -> Array:
    zero = xp.zeros((), diagonal.dtype)
    return raw_ops.MatrixDiagV3.kernel(xp, diagonal, _MAIN, _ANY, _ANY, zero)


@RegisterGradient("MatrixDiag", needs="")
def _matrix_diag_grad(op: Any, dy: Tensor) -> Gradients:
    return raw_ops.MatrixDiagPart(dy)


@op(
    "MatrixDiagV2",
    "diagonal: T[1+], k: int32[0-1], num_rows: int32[0!], num_cols: int32[0!], padding_value: "
    "T[0!] -> output: T",
    static=("k", "num_rows", "num_cols"),
    shape=_diag_shape,
)
def _matrix_diag_of_bands(
    xp: Namespace,
    diagonal: Array,
    k: np.ndarray,
    num_rows: np.ndarray,
    num_cols: np.ndarray,
    padding_value: Array,
) -> Array:
    return raw_ops.MatrixDiagV3.kernel(
        xp, diagonal, k, num_rows, num_cols, padding_value, align=_LEFT
    )


@RegisterGradient("MatrixDiagV2", needs="k")
def _matrix_diag_of_bands_grad(op: Any, dy: Tensor) -> Gradients:
    zero = np.zeros((), dy.dtype.np_dtype)
    return raw_ops.MatrixDiagPartV2(dy, op.inputs[1], zero), None, None, None, None


def _part_shape(input: Spec, *others: Spec) -> Dims:
    k, padding = others or (_known(_MAIN, input), _known(0, input))
    return raw_ops.MatrixDiagPartV3.infer([input, k, padding], {"align": _LEFT})


@op("MatrixDiagPart", "input: T -> diagonal: T", shape=_part_shape)
def _matrix_diag_part(xp: Namespace, input: Array) -> Array:
    return raw_ops.MatrixDiagPartV3.kernel(xp, input, _MAIN, xp.zeros((), input.dtype))


@RegisterGradient("MatrixDiagPart", needs="")
def _matrix_diag_part_grad(op: Any, dy: Tensor) -> Gradients:
    zero = np.zeros((), dy.dtype.np_dtype)
    return raw_ops.MatrixSetDiag(raw_ops.Fill(shape_of(op.inputs[0]), zero), dy)


@op(
    "MatrixDiagPartV2",
    "input: T[2+], k: int32[0-1], padding_value: T[0] -> diagonal: T",
    static=("k",),
    shape=_part_shape,
)
def _matrix_bands(xp: Namespace, input: Array, k: np.ndarray, padding_value: Array) -> Array:
    return raw_ops.MatrixDiagPartV3.kernel(xp, input, k, padding_value, align=_LEFT)


@RegisterGradient("MatrixDiagPartV2", needs="k")
def _matrix_bands_grad(op: Any, dy: Tensor) -> Gradients:
    x, k, _ = op.inputs
    zeros = raw_ops.Fill(shape_of(x), np.zeros((), dy.dtype.np_dtype))
    return raw_ops.MatrixSetDiagV2(zeros, dy, k), None, None


def _set_shape(input: Spec, diagonal: Spec, *others: Spec) -> Dims:
    (k,) = others or (_known(_MAIN, input),)
    return raw_ops.MatrixSetDiagV3.infer([input, diagonal, k], {"align": _LEFT})


@op("MatrixSetDiag", "input: T, diagonal: T[1+] -> output: T", shape=_set_shape)
def _matrix_set_diag(xp: Namespace, input: Array, diagonal: Array) -> Array:
    return raw_ops.MatrixSetDiagV3.kernel(xp, input, diagonal, _MAIN)


@RegisterGradient("MatrixSetDiag", needs="")
def _matrix_set_diag_grad(op: Any, dy: Tensor) -> Gradients:
    zeros = raw_ops.Fill(shape_of(op.inputs[1]), np.zeros((), dy.dtype.np_dtype))
    return raw_ops.MatrixSetDiag(dy, zeros), raw_ops.MatrixDiagPart(dy)


@op(
    "MatrixSetDiagV2",
    "input: T, diagonal: T[1+], k: int32[0-1] -> output: T",
    static=("k",),
    shape=_set_shape,
)
def _matrix_set_bands(xp: Namespace, input: Array, diagonal: Array, k: np.ndarray) -> Array:
    return raw_ops.MatrixSetDiagV3.kernel(xp, input, diagonal, k, align=_LEFT)


@RegisterGradient("MatrixSetDiagV2", needs="k")
def _matrix_set_bands_grad(op: Any, dy: Tensor) -> Gradients:
    _, diagonal, k = op.inputs
    zero = np.zeros((), dy.dtype.np_dtype)
    zeros = raw_ops.Fill(shape_of(diagonal), zero)
    return raw_ops.MatrixSetDiagV2(dy, zeros, k), raw_ops.MatrixDiagPartV2(dy, k, zero), None
