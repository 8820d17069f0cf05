"""`tf.linalg.LinearOperatorToeplitz`."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import TensorLike
from runnel.ops.linalg.matrices import matrix_transpose
from runnel.ops.linalg.operators import arithmetic as ar
from runnel.ops.linalg.operators.blocks import side_by_side
from runnel.ops.linalg.operators.full_matrix import matrix_parameter
from runnel.ops.linalg.operators.operator import LinearOperator, arguments
from runnel.ops.shapes import shape_of


class LinearOperatorToeplitz(LinearOperator):
    """The operator of matrices with equal elements along each diagonal.

    They are given by their first column and first row. Products use the Fourier transform.

    >>> operator = tf.linalg.LinearOperatorToeplitz([1.0, 2.0, 3.0], [1.0, 4.0, 5.0])
    >>> operator.to_dense().numpy()
    array([[1., 4., 5.],
           [2., 1., 4.],
           [3., 2., 1.]], dtype=float32)
    """

    _batched = {"col": 1, "row": 1}

    def __init__(
        self,
        col: TensorLike,
        row: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorToeplitz",
    ) -> None:
        parameters = arguments(locals())
        self._col = matrix_parameter("col", col, 1)
        self._row = matrix_parameter("row", row, 1)
        if self._col.dtype is not self._row.dtype:
            raise TypeError(f"`row` must be of dtype {self._col.dtype.name}, as `col` is.")
        if is_square is False:
            raise ValueError("A Toeplitz operator is square.")
        super().__init__(
            self._col.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters=parameters,
        )

    @property
    def col(self) -> Any:
        return self._col

    @property
    def row(self) -> Any:
        return self._row

    def _shape(self) -> TensorShape:
        batch = ar.static_batch([self._col.shape[:-1], self._row.shape[:-1]])
        return batch.concatenate([self._col.shape[-1], self._row.shape[-1]])

    def _shape_tensor(self) -> Any:
        col, row = shape_of(self._col), shape_of(self._row)
        return ar.concat_shapes(ar.broadcast_batch(col[:-1], row[:-1]), col[-1:], row[-1:])

    def _circle(self) -> Tensor:
        """The column and the row, which a circulant matrix of twice the size has around it."""
        row = convert_to_tensor(self._row)
        backwards = raw_ops.ReverseV2(row[..., 1:], np.array([-1], np.int32))
        return side_by_side([convert_to_tensor(self._col), backwards])

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = ar.adjoint(x) if adjoint_arg else x
        if adjoint:
            return LinearOperatorToeplitz(*self._turned())._matmul(x)
        wide = (
            dtypes.complex128 if self.dtype.size >= 8 and not _is_narrow(self) else dtypes.complex64
        )
        rows = ar.cast(matrix_transpose(x), wide)
        circle = ar.cast(self._circle(), wide)
        size = self._columns()
        rows = ar.pad_last(rows, 0, size - 1)
        found = raw_ops.IFFT(ar.expand(raw_ops.FFT(circle), -2) * raw_ops.FFT(rows))
        return _narrowed(matrix_transpose(found[..., :size]), self.dtype)

    def _turned(self) -> tuple[Tensor, Tensor]:
        """Column and row of the adjoint."""
        return ar.conj(convert_to_tensor(self._row)), ar.conj(convert_to_tensor(self._col))

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorToeplitz(*self._turned(), **self._hints())

    def _to_dense(self) -> Tensor:
        size = self._columns()
        if isinstance(size, int):
            places: Any = (np.arange(size)[:, None] - np.arange(size)) % (2 * size - 1)
            places = places.astype(np.int32)
        else:
            steps = raw_ops.Range(np.int32(0), size, np.int32(1))
            gaps = ar.expand(steps, 1) - steps
            places = raw_ops.FloorMod(gaps, 2 * size - 1)
        circle = self._circle()
        return raw_ops.GatherV2(circle, places, np.int32(-1))

    def _diag_part(self) -> Tensor:
        shape = self._known_shape()[:-1]
        return raw_ops.BroadcastTo(convert_to_tensor(self._col)[..., :1], shape)


def _is_narrow(operator: LinearOperator) -> bool:
    return operator.dtype is dtypes.complex64


def _narrowed(x: Tensor, dtype: Any) -> Tensor:
    return ar.cast(x if dtype.is_complex else ar.real(x), dtype)
