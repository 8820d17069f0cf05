"""`tf.linalg.LinearOperatorLowerTriangular`."""

from __future__ import annotations

from typing import Any

from runnel.core.tensor.tensor import Tensor
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import TensorLike
from runnel.ops.array.diagonals import band_part, diag_part
from runnel.ops.linalg.matmul import matmul
from runnel.ops.linalg.operators import arithmetic as ar
from runnel.ops.linalg.operators.full_matrix import matrix_parameter
from runnel.ops.linalg.operators.operator import LinearOperator, arguments
from runnel.ops.linalg.solvers import triangular_solve
from runnel.ops.shapes import shape_of


class LinearOperatorLowerTriangular(LinearOperator):
    """The operator of lower triangular matrices; what stands above their diagonals is not read.

    >>> operator = tf.linalg.LinearOperatorLowerTriangular([[1.0, 9.0], [2.0, 4.0]])
    >>> operator.to_dense().numpy()
    array([[1., 0.],
           [2., 4.]], dtype=float32)
    """

    _batched = {"tril": 2}

    def __init__(
        self,
        tril: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowerTriangular",
    ) -> None:
        parameters = arguments(locals())
        self._tril = matrix_parameter("tril", tril, 2)
        if is_square is False:
            raise ValueError("A lower triangular operator must be square.")
        super().__init__(
            self._tril.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters=parameters,
        )

    @property
    def tril(self) -> Any:
        return self._tril

    def _shape(self) -> TensorShape:
        return self._tril.shape

    def _shape_tensor(self) -> Any:
        return shape_of(self._tril)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return matmul(self._to_dense(), x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        rhs = ar.adjoint(rhs) if adjoint_arg else rhs
        return triangular_solve(self._tril, rhs, lower=True, adjoint=adjoint)

    def _determinant(self) -> Tensor:
        return ar.prod_last(diag_part(self._tril))

    def _log_abs_determinant(self) -> Tensor:
        return ar.log_abs_sum(diag_part(self._tril))

    def _diag_part(self) -> Tensor:
        return diag_part(self._tril)

    def _to_dense(self) -> Tensor:
        return band_part(self._tril, -1, 0)

    def _eigvals(self) -> Tensor:
        return diag_part(self._tril)

    def _assert_non_singular(self) -> Any:
        return ar.require(
            ar.absolute(diag_part(self._tril)) > 0, f"{self.name} must not be singular."
        )
