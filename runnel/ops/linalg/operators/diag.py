"""`tf.linalg.LinearOperatorDiag`."""

from __future__ import annotations

from typing import Any

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import TensorLike
from runnel.ops.array.diagonals import diag, diag_part, set_diag
from runnel.ops.linalg.operators import arithmetic as ar
from runnel.ops.linalg.operators.full_matrix import matrix_parameter
from runnel.ops.linalg.operators.lower_triangular import LinearOperatorLowerTriangular
from runnel.ops.linalg.operators.operator import LinearOperator, arguments
from runnel.ops.shapes import shape_of


class LinearOperatorDiag(LinearOperator):
    """The operator of diagonal matrices, given by their diagonals.

    >>> tf.linalg.LinearOperatorDiag([1.0, 2.0]).to_dense().numpy()
    array([[1., 0.],
           [0., 2.]], dtype=float32)
    """

    _batched = {"diag": 1}

    def __init__(
        self,
        diag: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorDiag",
    ) -> None:
        parameters = arguments(locals())
        self._diag = matrix_parameter("diag", diag, 1)
        if not self._diag.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real diagonal operator is always self-adjoint.")
            is_self_adjoint = True
        if is_square is False:
            raise ValueError("A diagonal operator is always square.")
        super().__init__(
            self._diag.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters=parameters,
        )

    @property
    def diag(self) -> Any:
        return self._diag

    def _shape(self) -> TensorShape:
        return self._diag.shape.concatenate(self._diag.shape[-1:])

    def _shape_tensor(self) -> Any:
        shape = shape_of(self._diag)
        return ar.concat_shapes(shape, shape[-1:])

    def _column(self, adjoint: bool) -> Tensor:
        column = ar.expand(convert_to_tensor(self._diag))
        return ar.conj(column) if adjoint else column

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._column(adjoint) * (ar.adjoint(x) if adjoint_arg else x)

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return (ar.conj(convert_to_tensor(self._diag)) if adjoint else self._diag) * x

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return (ar.adjoint(rhs) if adjoint_arg else rhs) / self._column(adjoint)

    def _determinant(self) -> Tensor:
        return ar.prod_last(convert_to_tensor(self._diag))

    def _log_abs_determinant(self) -> Tensor:
        return ar.log_abs_sum(convert_to_tensor(self._diag))

    def _diag_part(self) -> Tensor:
        return convert_to_tensor(self._diag)

    def _to_dense(self) -> Tensor:
        return diag(self._diag)

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        x = ar.with_batch(x, self._known_shape()[:-2])
        return set_diag(x, diag_part(x) + self._diag)

    def _eigvals(self) -> Tensor:
        return convert_to_tensor(self._diag)

    def _cond(self) -> Tensor:
        return ar.spread_of(convert_to_tensor(self._diag))

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorDiag(ar.conj(convert_to_tensor(self._diag)), **self._hints())

    def _inverse(self) -> LinearOperator:
        return LinearOperatorDiag(1.0 / convert_to_tensor(self._diag), **self._hints())

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorDiag(
            raw_ops.Sqrt(self._diag),
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=True,
        )

    def _times(self, right: LinearOperator) -> LinearOperator:
        if isinstance(right, LinearOperatorDiag):
            return LinearOperatorDiag(
                self._diag * convert_to_tensor(right.diag),
                is_non_singular=ar.non_singular_hint((self, right)),
                is_self_adjoint=ar.all_hint((self, right), "is_self_adjoint"),
                is_positive_definite=ar.all_hint((self, right), "is_positive_definite"),
            )
        if isinstance(right, LinearOperatorLowerTriangular):
            return LinearOperatorLowerTriangular(
                self._column(False) * right.to_dense(),
                is_non_singular=ar.non_singular_hint((self, right)),
            )
        return super()._times(right)

    def _after(self, left: LinearOperator) -> LinearOperator | None:
        if isinstance(left, LinearOperatorLowerTriangular):
            return LinearOperatorLowerTriangular(
                left.to_dense() * ar.expand(convert_to_tensor(self._diag), -2),
                is_non_singular=ar.non_singular_hint((self, left)),
            )
        return None

    def _assert_non_singular(self) -> Any:
        return ar.require(
            ar.absolute(convert_to_tensor(self._diag)) > 0, f"{self.name} must not be singular."
        )

    def _assert_positive_definite(self) -> Any:
        positive = ar.real(convert_to_tensor(self._diag)) > 0
        return ar.require(positive, f"{self.name} must be positive definite.")

    def _assert_self_adjoint(self) -> Any:
        flat = raw_ops.Equal(ar.imaginary(convert_to_tensor(self._diag)), 0.0)
        return ar.require(flat, f"{self.name} must be its own adjoint.")
