"""`tf.linalg.LinearOperatorInversion`."""

from __future__ import annotations

from typing import Any

from runnel.core.tensor.tensor import Tensor
from runnel.core.values.shape import TensorShape
from runnel.ops.linalg.operators.adjoint import HINTS, hints_of
from runnel.ops.linalg.operators.operator import LinearOperator, arguments


class LinearOperatorInversion(LinearOperator):
    """The operator of the inverses of the matrices of another operator.

    >>> operator = tf.linalg.LinearOperatorFullMatrix([[2.0, 0.0], [0.0, 4.0]])
    >>> tf.linalg.LinearOperatorInversion(operator).to_dense().numpy()
    array([[0.5 , 0.  ],
           [0.  , 0.25]], dtype=float32)
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
        if operator.is_square is False or operator.is_non_singular is False:
            raise ValueError(f"{operator.name} is said to have no inverse.")
        self._operator = operator
        given = {hint: parameters[hint] for hint in HINTS}
        if given["is_non_singular"] is False:
            raise ValueError("An inverse is never singular.")
        given["is_non_singular"] = True
        super().__init__(
            operator.dtype,
            name=name or f"{operator.name}_inv",
            parameters=parameters,
            **hints_of(operator, given),
        )

    @property
    def operator(self) -> LinearOperator:
        return self._operator

    def _inverse(self) -> LinearOperator:
        return self._operator

    def _shape(self) -> TensorShape:
        return self._operator.shape

    def _shape_tensor(self) -> Any:
        return self._operator._known_shape()

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._operator.solve(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._operator.matmul(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Tensor:
        return 1.0 / self._operator.determinant()

    def _log_abs_determinant(self) -> Tensor:
        return -self._operator.log_abs_determinant()

    def _eigvals(self) -> Tensor:
        return 1.0 / self._operator.eigvals()

    def _cond(self) -> Tensor:
        return self._operator.cond()

    def _assert_non_singular(self) -> Any:
        return self._operator.assert_non_singular()

    def _assert_positive_definite(self) -> Any:
        return self._operator.assert_positive_definite()

    def _assert_self_adjoint(self) -> Any:
        return self._operator.assert_self_adjoint()
