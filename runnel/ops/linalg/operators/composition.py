"""`tf.linalg.LinearOperatorComposition`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runnel.core.tensor.tensor import Tensor
from runnel.core.values.shape import TensorShape
from runnel.ops.linalg.operators import arithmetic as ar
from runnel.ops.linalg.operators.operator import LinearOperator, arguments


def check_operators(class_name: str, operators: Sequence[LinearOperator]) -> list[LinearOperator]:
    """At least one operator, all of one dtype."""
    found = list(operators)
    for operator in found:
        if not isinstance(operator, LinearOperator):
            raise TypeError(f"{class_name} wants linear operators, got {operator!r}.")
    if not found:
        raise ValueError(f"{class_name} wants one operator at least, got none.")
    for operator in found[1:]:
        if operator.dtype is not found[0].dtype:
            names = ", ".join(f"{o.name}: {o.dtype.name}" for o in found)
            raise TypeError(f"{class_name} wants operators of one dtype, got {names}.")
    return found


class LinearOperatorComposition(LinearOperator):
    """The operator of the products of the matrices of several operators, from left to right.

    >>> twice = tf.linalg.LinearOperatorScaledIdentity(2, 2.0)
    >>> matrix = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.linalg.LinearOperatorComposition([twice, matrix]).to_dense().numpy()
    array([[2., 4.],
           [6., 8.]], dtype=float32)
    """

    _batched = {"operators": None}

    def __init__(
        self,
        operators: Sequence[LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
    ) -> None:
        parameters = arguments(locals())
        self._operators = check_operators("LinearOperatorComposition", operators)
        for left, right in zip(self._operators, self._operators[1:]):
            if not left.domain_dimension.is_compatible_with(right.range_dimension):
                raise ValueError(
                    f"{right.name} of shape {right.shape} cannot follow {left.name} of shape "
                    f"{left.shape} in a composition."
                )
        if is_non_singular is None:
            is_non_singular = ar.non_singular_hint(self._operators)
        super().__init__(
            self._operators[0].dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name or "_o_".join(operator.name for operator in self._operators),
            parameters=parameters,
        )

    @property
    def operators(self) -> list[LinearOperator]:
        return self._operators

    def _shape(self) -> TensorShape:
        batch = ar.static_batch(operator.batch_shape for operator in self._operators)
        first, last = self._operators[0].range_dimension, self._operators[-1].domain_dimension
        return batch.concatenate([first.value, last.value])

    def _shape_tensor(self) -> Any:
        shapes = [operator._known_shape() for operator in self._operators]
        batch = shapes[0][:-2]
        for shape in shapes[1:]:
            batch = ar.broadcast_batch(batch, shape[:-2])
        return ar.concat_shapes(batch, shapes[0][-2:-1], shapes[-1][-1:])

    def _adjoint(self) -> LinearOperator:
        turned = [operator.adjoint() for operator in reversed(self._operators)]
        return LinearOperatorComposition(turned, **self._hints())

    def _inverse(self) -> LinearOperator:
        turned = [operator.inverse() for operator in reversed(self._operators)]
        return LinearOperatorComposition(turned, **self._hints())

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        order = self._operators if adjoint else list(reversed(self._operators))
        for operator in order:
            x = operator.matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)
            adjoint_arg = False
        return x

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        order = list(reversed(self._operators)) if adjoint else self._operators
        for operator in order:
            rhs = operator.solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)
            adjoint_arg = False
        return rhs

    def _determinant(self) -> Tensor:
        found = self._operators[0].determinant()
        for operator in self._operators[1:]:
            found = found * operator.determinant()
        return found

    def _log_abs_determinant(self) -> Tensor:
        found = self._operators[0].log_abs_determinant()
        for operator in self._operators[1:]:
            found = found + operator.log_abs_determinant()
        return found

    def _assert_non_singular(self) -> Any:
        if all(operator.is_square for operator in self._operators):
            for operator in self._operators:
                operator.assert_non_singular()
            return None
        return super()._assert_non_singular()
