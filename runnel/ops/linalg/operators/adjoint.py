"""`tf.linalg.LinearOperatorAdjoint`."""

from __future__ import annotations

from typing import Any

from runnel.core.tensor.tensor import Tensor
from runnel.core.values.shape import TensorShape
from runnel.ops.linalg.operators import arithmetic as ar
from runnel.ops.linalg.operators.operator import LinearOperator, arguments

HINTS = ("is_non_singular", "is_self_adjoint", "is_positive_definite", "is_square")


def hints_of(operator: LinearOperator, given: dict[str, bool | None]) -> dict[str, bool | None]:
    """The hints of an operator for another that shares them; those given must not contradict."""
    found: dict[str, bool | None] = {}
    for hint in HINTS:
        implied = getattr(operator, hint)
        message = f"{hint}={given[hint]} contradicts {implied} of {operator.name}."
        found[hint] = ar.merged_hint(given[hint], implied, message)
    return found


class LinearOperatorAdjoint(LinearOperator):
    """The operator of the adjoints of the matrices of another operator.

    >>> operator = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.linalg.LinearOperatorAdjoint(operator).to_dense().numpy()
    array([[1., 3.],
           [2., 4.]], dtype=float32)
    """

    _batched = {"operator": None}

    def __init__(
        self,
        operator: LinearOperator,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        parameters = arguments(locals())
        self._operator = operator
        given = {hint: parameters[hint] for hint in HINTS}
        super().__init__(
            operator.dtype,
            name=name or f"{operator.name}_adjoint",
            parameters=parameters,
            **hints_of(operator, given),
        )

    @property
    def operator(self) -> LinearOperator:
        return self._operator

    def _adjoint(self) -> LinearOperator:
        return self._operator

    def _shape(self) -> TensorShape:
        shape = self._operator.shape
        if shape.rank is None:
            return shape
        return shape[:-2].concatenate([shape[-1], shape[-2]])

    def _shape_tensor(self) -> Any:
        shape = self._operator._known_shape()
        return ar.concat_shapes(shape[:-2], shape[-1:], shape[-2:-1])

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._operator.matmul(x, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return self._operator.matvec(x, adjoint=not adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._operator.solve(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _solvevec(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return self._operator.solvevec(rhs, adjoint=not adjoint)

    def _determinant(self) -> Tensor:
        return ar.conj(self._operator.determinant())

    def _log_abs_determinant(self) -> Tensor:
        return self._operator.log_abs_determinant()

    def _trace(self) -> Tensor:
        return ar.conj(self._operator.trace())

    def _diag_part(self) -> Tensor:
        return ar.conj(self._operator.diag_part())

    def _to_dense(self) -> Tensor:
        return ar.adjoint(self._operator.to_dense())

    def _eigvals(self) -> Tensor:
        return ar.conj(self._operator.eigvals())

    def _cond(self) -> Tensor:
        return self._operator.cond()

    def _assert_non_singular(self) -> Any:
        return self._operator.assert_non_singular()

    def _assert_positive_definite(self) -> Any:
        return self._operator.assert_positive_definite()

    def _assert_self_adjoint(self) -> Any:
        return self._operator.assert_self_adjoint()
