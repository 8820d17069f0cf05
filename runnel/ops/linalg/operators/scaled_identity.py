"""`tf.linalg.LinearOperatorScaledIdentity`."""

from __future__ import annotations

from typing import Any

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import TensorLike
from runnel.ops.array.diagonals import diag, diag_part, set_diag
from runnel.ops.linalg.operators import arithmetic as ar
from runnel.ops.linalg.operators.diag import LinearOperatorDiag
from runnel.ops.linalg.operators.full_matrix import matrix_parameter
from runnel.ops.linalg.operators.identity import size_parameter, static_shape
from runnel.ops.linalg.operators.operator import LinearOperator, arguments
from runnel.ops.shapes import shape_of


class LinearOperatorScaledIdentity(LinearOperator):
    """The operator of multiples of the identity.

    >>> tf.linalg.LinearOperatorScaledIdentity(2, 3.0).to_dense().numpy()
    array([[3., 0.],
           [0., 3.]], dtype=float32)
    """

    _batched = {"multiplier": 0}

    def __init__(
        self,
        num_rows: TensorLike,
        multiplier: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorScaledIdentity",
    ) -> None:
        parameters = arguments(locals())
        self._multiplier = matrix_parameter("multiplier", multiplier, 0)
        if not self._multiplier.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A real multiple of the identity is always self-adjoint.")
            is_self_adjoint = True
        if not is_square:
            raise ValueError("A multiple of the identity is square.")
        self._num_rows = size_parameter("num_rows", num_rows)
        super().__init__(
            self._multiplier.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters=parameters,
        )

    @property
    def multiplier(self) -> Any:
        return self._multiplier

    def _shape(self) -> TensorShape:
        tail = static_shape(
            shape_of(convert_to_tensor(self._multiplier))[:0], *[self._num_rows] * 2
        )
        return self._multiplier.shape.concatenate(tail)

    def _shape_tensor(self) -> Any:
        size = raw_ops.Pack([self._num_rows, self._num_rows])
        return ar.concat_shapes(shape_of(self._multiplier), size)

    def _scale(self, adjoint: bool) -> Tensor:
        scale = ar.expand(ar.expand(convert_to_tensor(self._multiplier)))
        return ar.conj(scale) if adjoint else scale

    def _diagonal(self) -> Tensor:
        column = ar.expand(convert_to_tensor(self._multiplier))
        return raw_ops.BroadcastTo(column, self._known_shape()[:-1])

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._scale(adjoint) * (ar.adjoint(x) if adjoint_arg else x)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return (ar.adjoint(rhs) if adjoint_arg else rhs) / self._scale(adjoint)

    def _determinant(self) -> Tensor:
        return ar.prod_last(self._diagonal())

    def _log_abs_determinant(self) -> Tensor:
        return ar.log_abs_sum(self._diagonal())

    def _trace(self) -> Tensor:
        return convert_to_tensor(self._multiplier) * ar.cast(self._rows(), self.dtype)

    def _diag_part(self) -> Tensor:
        return self._diagonal()

    def _to_dense(self) -> Tensor:
        return diag(self._diagonal())

    def add_to_tensor(self, mat: TensorLike, name: str = "add_to_tensor") -> Tensor:  # type: ignore[override]
        """The sum of the matrices and `mat`."""
        return super().add_to_tensor(mat, name)

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        x = ar.with_batch(x, self._known_shape()[:-2])
        return set_diag(x, diag_part(x) + self._diagonal())

    def _eigvals(self) -> Tensor:
        return self._diagonal()

    def _cond(self) -> Tensor:
        return raw_ops.OnesLike(self._multiplier)

    def _like(self, multiplier: Tensor, **hints: Any) -> LinearOperatorScaledIdentity:
        return LinearOperatorScaledIdentity(self._num_rows, multiplier, **hints)

    def _adjoint(self) -> LinearOperator:
        return self._like(ar.conj(convert_to_tensor(self._multiplier)), **self._hints())

    def _inverse(self) -> LinearOperator:
        return self._like(1.0 / convert_to_tensor(self._multiplier), **self._hints())

    def _cholesky(self) -> LinearOperator:
        return self._like(raw_ops.Sqrt(self._multiplier), is_positive_definite=True)

    def _times(self, right: LinearOperator) -> LinearOperator:
        if isinstance(right, LinearOperatorScaledIdentity):
            return self._like(
                convert_to_tensor(self._multiplier) * convert_to_tensor(right.multiplier),
                is_non_singular=ar.non_singular_hint((self, right)),
            )
        if isinstance(right, LinearOperatorDiag):
            return LinearOperatorDiag(
                ar.expand(convert_to_tensor(self._multiplier)) * convert_to_tensor(right.diag),
                is_non_singular=ar.non_singular_hint((self, right)),
            )
        return super()._times(right)

    def _after(self, left: LinearOperator) -> LinearOperator | None:
        return self._times(left) if isinstance(left, LinearOperatorDiag) else None

    def _assert_non_singular(self) -> Any:
        size = ar.absolute(convert_to_tensor(self._multiplier))
        return ar.require(size > 0, f"{self.name} must not be singular.")

    def _assert_positive_definite(self) -> Any:
        positive = ar.real(convert_to_tensor(self._multiplier)) > 0
        return ar.require(positive, f"{self.name} must be positive definite.")

    def _assert_self_adjoint(self) -> Any:
        flat = raw_ops.Equal(ar.imaginary(convert_to_tensor(self._multiplier)), 0.0)
        return ar.require(flat, f"{self.name} must be its own adjoint.")
