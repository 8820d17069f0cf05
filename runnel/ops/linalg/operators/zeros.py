"""`tf.linalg.LinearOperatorZeros`."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import Tensor, raw_ops
from runnel.core.values.dtypes import as_dtype, float32
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.ops.linalg.operators import arithmetic as ar
from runnel.ops.linalg.operators.identity import batch_parameter, size_parameter, static_shape
from runnel.ops.linalg.operators.operator import LinearOperator, arguments
from runnel.ops.shapes import shape_of


class LinearOperatorZeros(LinearOperator):
    """The operator of matrices of zeros.

    >>> tf.linalg.LinearOperatorZeros(2).matvec([1.0, 2.0]).numpy()
    array([0., 0.], dtype=float32)
    """

    def __init__(
        self,
        num_rows: TensorLike,
        num_columns: TensorLike = None,
        batch_shape: TensorLike = None,
        dtype: DTypeLike = None,
        is_non_singular: bool | None = False,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = False,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorZeros",
    ) -> None:
        parameters = arguments(locals())
        if is_non_singular or is_positive_definite:
            raise ValueError("An operator of zeros is singular, and not positive definite.")
        if is_self_adjoint is False and is_square:
            raise ValueError("A square operator of zeros is self-adjoint.")
        self._num_rows = size_parameter("num_rows", num_rows)
        self._num_columns = (
            self._num_rows if num_columns is None else size_parameter("num_columns", num_columns)
        )
        sizes = self._num_rows, self._num_columns
        if is_square and all(isinstance(n, int) for n in sizes) and sizes[0] != sizes[1]:
            raise ValueError(f"is_square=True contradicts {sizes[0]} rows and {sizes[1]} columns.")
        self._batch_shape = batch_parameter(batch_shape)
        super().__init__(
            float32 if dtype is None else as_dtype(dtype),
            is_non_singular=False,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=False,
            is_square=is_square,
            name=name,
            parameters=parameters,
        )

    def _shape(self) -> TensorShape:
        return static_shape(self._batch_shape, self._num_rows, self._num_columns)

    def _shape_tensor(self) -> Any:
        return ar.concat_shapes(
            self._batch_shape, raw_ops.Pack([self._num_rows, self._num_columns])
        )

    def _filled(self, shape: Any) -> Tensor:
        return raw_ops.Fill(shape, np.zeros((), self.dtype.np_dtype))

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = ar.adjoint(x) if adjoint_arg else x
        shape = shape_of(x)
        batch = ar.broadcast_batch(self._known_shape()[:-2], shape[:-2])
        rows = self._known_shape()[-1:] if adjoint else self._known_shape()[-2:-1]
        return self._filled(ar.concat_shapes(batch, rows, shape[-1:]))

    def _determinant(self) -> Tensor:
        return self._filled(self._known_shape()[:-2])

    def _log_abs_determinant(self) -> Tensor:
        return raw_ops.Log(self._determinant())

    def _trace(self) -> Tensor:
        return self._filled(self._known_shape()[:-2])

    def _diag_part(self) -> Tensor:
        if isinstance(self._num_rows, int) and isinstance(self._num_columns, int):
            shortest: Any = [min(self._num_rows, self._num_columns)]
        else:
            shortest = ar.expand(raw_ops.Minimum(self._num_rows, self._num_columns), 0)
        return self._filled(ar.concat_shapes(self._known_shape()[:-2], shortest))

    def _to_dense(self) -> Tensor:
        return self._filled(self._known_shape())

    def add_to_tensor(self, mat: TensorLike, name: str = "add_to_tensor") -> Tensor:  # type: ignore[override]
        """The sum of the matrices and `mat`, which is `mat`."""
        return super().add_to_tensor(mat, name)

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        return ar.with_batch(x, self._known_shape()[:-2])

    def _eigvals(self) -> Tensor:
        return self._filled(self._known_shape()[:-1])

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorZeros(
            self._num_columns,
            self._num_rows,
            batch_shape=self._batch_shape,
            dtype=self.dtype,
            is_self_adjoint=self.is_self_adjoint,
            is_square=self.is_square,
        )

    def _times(self, right: LinearOperator) -> LinearOperator:
        if not self.is_square or not right.is_square:
            raise ValueError("A product with an operator of zeros wants square operators.")
        return self

    def _after(self, left: LinearOperator) -> LinearOperator | None:
        return self._times(left)

    def _assert_non_singular(self) -> Any:
        raise InvalidArgumentError(None, None, "An operator of zeros is always singular.")

    def _assert_positive_definite(self) -> Any:
        raise InvalidArgumentError(None, None, "An operator of zeros is never positive definite.")

    def _assert_self_adjoint(self) -> Any:
        return None
