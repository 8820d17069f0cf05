"""`tf.linalg.LinearOperatorFullMatrix`."""

from __future__ import annotations

from typing import Any

from runnel.core.extend import Tensor, convert_to_tensor
from runnel.core.values.dtypes import COMPLEX, FLOATS
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import TensorLike
from runnel.ops.linalg.matmul import matmul
from runnel.ops.linalg.operators import arithmetic as ar
from runnel.ops.linalg.operators.operator import LinearOperator, arguments
from runnel.ops.shapes import shape_of


def matrix_parameter(name: str, value: TensorLike, rank: int) -> Any:
    """A floating-point or complex parameter of `rank` dimensions at least."""
    found = ar.parameter(value, name=name)
    if found.dtype not in FLOATS | COMPLEX:
        raise TypeError(f"`{name}` must be floating-point or complex, got {found.dtype.name}.")
    if found.shape.rank is not None and found.shape.rank < rank:
        raise ValueError(f"`{name}` must have rank {rank} at least, got shape {found.shape}.")
    return found


class LinearOperatorFullMatrix(LinearOperator):
    """The operator of matrices given in full.

    >>> operator = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> operator.matvec([1.0, 1.0]).numpy()
    array([3., 7.], dtype=float32)
    """

    _batched = {"matrix": 2}

    def __init__(
        self,
        matrix: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorFullMatrix",
    ) -> None:
        parameters = arguments(locals())
        self._matrix = matrix_parameter("matrix", matrix, 2)
        super().__init__(
            self._matrix.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=is_square,
            name=name,
            parameters=parameters,
        )

    @property
    def matrix(self) -> Any:
        return self._matrix

    def _shape(self) -> TensorShape:
        return self._matrix.shape

    def _shape_tensor(self) -> Any:
        return shape_of(self._matrix)

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return matmul(self._matrix, x, adjoint_a=adjoint, adjoint_b=adjoint_arg)

    def _to_dense(self) -> Tensor:
        return convert_to_tensor(self._matrix)
