"""`tf.linalg.LinearOperatorHouseholder`."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import TensorLike
from runnel.ops.linalg.matmul import matmul
from runnel.ops.linalg.operators import arithmetic as ar
from runnel.ops.linalg.operators.full_matrix import matrix_parameter
from runnel.ops.linalg.operators.operator import LinearOperator, arguments
from runnel.ops.shapes import shape_of


class LinearOperatorHouseholder(LinearOperator):
    """The operator of reflections at the plane to which `reflection_axis` is perpendicular.

    >>> tf.linalg.LinearOperatorHouseholder([1.0, 0.0]).to_dense().numpy()
    array([[-1.,  0.],
           [ 0.,  1.]], dtype=float32)
    """

    _batched = {"reflection_axis": 1}

    def __init__(
        self,
        reflection_axis: TensorLike,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorHouseholder",
    ) -> None:
        parameters = arguments(locals())
        self._axis = matrix_parameter("reflection_axis", reflection_axis, 1)
        wrong = (
            is_self_adjoint is False and "self-adjoint",
            is_positive_definite is True and "not positive definite",
            is_non_singular is False and "not singular",
            is_square is False and "square",
        )
        for word in wrong:
            if word:
                raise ValueError(f"A reflection is {word}.")
        super().__init__(
            self._axis.dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=True,
            is_positive_definite=False,
            is_square=True,
            name=name,
            parameters=parameters,
        )

    @property
    def reflection_axis(self) -> Any:
        return self._axis

    def _unit(self) -> Tensor:
        axis = convert_to_tensor(self._axis)
        square = ar.sum_last(raw_ops.Square(ar.absolute(axis)))
        return axis / ar.expand(ar.cast(raw_ops.Sqrt(square), self.dtype))

    def _shape(self) -> TensorShape:
        return self._axis.shape.concatenate(self._axis.shape[-1:])

    def _shape_tensor(self) -> Any:
        shape = shape_of(self._axis)
        return ar.concat_shapes(shape, shape[-1:])

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = ar.adjoint(x) if adjoint_arg else x
        unit = ar.expand(self._unit())
        return x - 2 * matmul(unit, matmul(unit, x, adjoint_a=True))

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._matmul(rhs, adjoint_arg=adjoint_arg)

    def _constant(self, value: float) -> Tensor:
        return raw_ops.Fill(self._known_shape()[:-2], np.array(value, self.dtype.np_dtype))

    def _determinant(self) -> Tensor:
        return self._constant(-1.0)

    def _log_abs_determinant(self) -> Tensor:
        return self._constant(0.0)

    def _trace(self) -> Tensor:
        return ar.cast(self._columns(), self.dtype) + self._constant(-2.0)

    def _diag_part(self) -> Tensor:
        unit = self._unit()
        return 1.0 - 2 * unit * ar.conj(unit)

    def _eigvals(self) -> Tensor:
        ones = raw_ops.OnesLike(convert_to_tensor(self._axis))
        return raw_ops.ConcatV2([-ones[..., :1], ones[..., 1:]], np.int32(-1))

    def _cond(self) -> Tensor:
        return self._constant(1.0)

    def _inverse(self) -> LinearOperator:
        return self

    def _assert_non_singular(self) -> Any:
        return None

    def _assert_self_adjoint(self) -> Any:
        return None

    def _assert_positive_definite(self) -> Any:
        raise InvalidArgumentError(None, None, "A reflection is never positive definite.")
