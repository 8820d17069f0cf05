"""`tf.linalg.LinearOperatorLowRankUpdate`."""

from __future__ import annotations

from typing import Any

from runnel.core.extend import Tensor, convert_to_tensor
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import TensorLike
from runnel.ops.array.diagonals import diag, diag_part
from runnel.ops.linalg.decompositions import cholesky, identity_like
from runnel.ops.linalg.matmul import matmul
from runnel.ops.linalg.operators import arithmetic as ar
from runnel.ops.linalg.operators.diag import LinearOperatorDiag
from runnel.ops.linalg.operators.full_matrix import matrix_parameter
from runnel.ops.linalg.operators.identity import LinearOperatorIdentity
from runnel.ops.linalg.operators.operator import LinearOperator, arguments
from runnel.ops.linalg.solvers import cholesky_solve, det, slogdet
from runnel.ops.shapes import shape_of


class LinearOperatorLowRankUpdate(LinearOperator):
    """The operator of `B + U D V^H`: matrices that are simple but for a change of low rank.

    `B` is an operator, `U` and `V` are narrow matrices (`V` is `U` if not given), `D` is diagonal
    (the identity if not given). Solving takes a system of the width of `U`.

    >>> base = tf.linalg.LinearOperatorDiag([1.0, 1.0])
    >>> tf.linalg.LinearOperatorLowRankUpdate(base, [[1.0], [2.0]]).to_dense().numpy()
    array([[2., 2.],
           [2., 5.]], dtype=float32)
    """

    _batched = {"base_operator": None, "u": 2, "diag_update": 1, "v": 2}

    def __init__(
        self,
        base_operator: LinearOperator,
        u: TensorLike,
        diag_update: TensorLike = None,
        v: TensorLike = None,
        is_diag_update_positive: bool | None = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorLowRankUpdate",
    ) -> None:
        parameters = arguments(locals())
        if diag_update is None:
            if is_diag_update_positive is False:
                raise ValueError("Without diag_update the update's diagonal is one, and positive.")
            is_diag_update_positive = True
        self._base = base_operator
        self._u = matrix_parameter("u", u, 2)
        self._v = self._u if v is None else matrix_parameter("v", v, 2)
        self._diag_update = (
            None if diag_update is None else matrix_parameter("diag_update", diag_update, 1)
        )
        self._is_diag_update_positive = is_diag_update_positive
        for what in (self._u, self._v, self._diag_update):
            if what is not None and what.dtype is not base_operator.dtype:
                raise TypeError(
                    f"The update must be of dtype {base_operator.dtype.name}, got "
                    f"{what.dtype.name}."
                )
        self._symmetric = v is None and (diag_update is None or not base_operator.dtype.is_complex)
        if is_self_adjoint is None and self._symmetric and base_operator.is_self_adjoint:
            is_self_adjoint = True
        positive = self._symmetric and is_diag_update_positive
        if is_positive_definite is None and positive and base_operator.is_positive_definite:
            is_positive_definite = True
        super().__init__(
            base_operator.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name,
            parameters=parameters,
        )

    @property
    def base_operator(self) -> LinearOperator:
        return self._base

    @property
    def u(self) -> Any:
        return self._u

    @property
    def v(self) -> Any:
        return self._v

    @property
    def diag_update(self) -> Any:
        return self._diag_update

    @property
    def is_diag_update_positive(self) -> bool | None:
        return self._is_diag_update_positive

    @property
    def diag_operator(self) -> LinearOperator:
        """`D` as an operator."""
        if self._diag_update is not None:
            return LinearOperatorDiag(
                self._diag_update, is_positive_definite=self._is_diag_update_positive
            )
        shape = shape_of(self._u)
        return LinearOperatorIdentity(shape[-1], batch_shape=shape[:-2], dtype=self.dtype)

    def _shape(self) -> TensorShape:
        shapes = [self._base.shape[:-2], self._u.shape[:-2], self._v.shape[:-2]]
        if self._diag_update is not None:
            shapes.append(self._diag_update.shape[:-1])
        rows = self._base.range_dimension.value or self._u.shape[-2]
        columns = self._base.domain_dimension.value or self._v.shape[-2]
        return ar.static_batch(shapes).concatenate([rows, columns])

    def _shape_tensor(self) -> Any:
        base = self._base._known_shape()
        batch = ar.broadcast_batch(base[:-2], shape_of(self._u)[:-2])
        batch = ar.broadcast_batch(batch, shape_of(self._v)[:-2])
        if self._diag_update is not None:
            batch = ar.broadcast_batch(batch, shape_of(self._diag_update)[:-1])
        return ar.concat_shapes(batch, base[-2:])

    def _sides(self, adjoint: bool) -> tuple[Tensor, Tensor]:
        """`U` and `V`, or `V` and `U` of the adjoint."""
        u, v = convert_to_tensor(self._u), convert_to_tensor(self._v)
        return (v, u) if adjoint else (u, v)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = ar.adjoint(x) if adjoint_arg else x
        u, v = self._sides(adjoint)
        inner = self.diag_operator.matmul(matmul(v, x, adjoint_a=True), adjoint=adjoint)
        return self._base.matmul(x, adjoint=adjoint) + matmul(u, inner)

    def _capacitance(self) -> Tensor:
        """`D^-1 + V^H B^-1 U`, the small matrix by which all is solved."""
        u, v = self._sides(False)
        inner = matmul(v, self._base.solve(u), adjoint_a=True)
        if self._diag_update is None:
            return inner + identity_like(inner)
        return inner + diag(1.0 / convert_to_tensor(self._diag_update))

    def _has_small_cholesky(self) -> bool:
        base = self._base.is_positive_definite and self._base.is_self_adjoint
        return bool(base and self._symmetric and self._is_diag_update_positive)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        rhs = ar.adjoint(rhs) if adjoint_arg else rhs
        u, v = self._sides(adjoint)
        plain = self._base.solve(rhs, adjoint=adjoint)
        inner = matmul(v, plain, adjoint_a=True)
        small = self._capacitance()
        if self._has_small_cholesky():
            inner = cholesky_solve(cholesky(small), inner)
        else:
            inner = ar.solve_dense(small, inner, adjoint=adjoint)
        return plain - self._base.solve(matmul(u, inner), adjoint=adjoint)

    def _determinant(self) -> Tensor:
        small = det(self._capacitance())
        return small * self._base.determinant() * self.diag_operator.determinant()

    def _log_abs_determinant(self) -> Tensor:
        outer = self._base.log_abs_determinant() + self.diag_operator.log_abs_determinant()
        small = self._capacitance()
        if self._has_small_cholesky():
            return outer + 2 * ar.log_abs_sum(diag_part(cholesky(small)))
        return outer + slogdet(small).log_abs_determinant

    def _diag_part(self) -> Tensor:
        u, v = self._sides(False)
        scaled = u if self._diag_update is None else u * ar.expand(self._diag_update, -2)
        return self._base.diag_part() + ar.sum_last(scaled * ar.conj(v))
