"""`tf.linalg.LinearOperatorPermutation`."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.dtypes import as_dtype
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.ops.linalg.decompositions import permutation_matrix
from runnel.ops.linalg.matmul import matmul
from runnel.ops.linalg.operators import arithmetic as ar
from runnel.ops.linalg.operators.operator import LinearOperator, arguments
from runnel.ops.shapes import shape_of


class LinearOperatorPermutation(LinearOperator):
    """The operator of matrices that put the elements of a vector into the order `perm`.

    >>> tf.linalg.LinearOperatorPermutation([2, 0, 1]).matvec([1.0, 2.0, 3.0]).numpy()
    array([3., 1., 2.], dtype=float32)
    """

    _batched = {"perm": 1}

    def __init__(
        self,
        perm: TensorLike,
        dtype: DTypeLike = dtypes.float32,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorPermutation",
    ) -> None:
        parameters = arguments(locals())
        self._perm = ar.parameter(perm, name="perm")
        if not self._perm.dtype.is_integer:
            raise TypeError(f"`perm` must hold integers, got dtype {self._perm.dtype.name}.")
        if self._perm.shape.rank == 0:
            raise ValueError("`perm` must have rank 1 at least, got a scalar.")
        if is_non_singular is False or is_square is False:
            raise ValueError("A permutation is square and not singular.")
        super().__init__(
            as_dtype(dtype),
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters=parameters,
        )

    @property
    def perm(self) -> Any:
        return self._perm

    def _shape(self) -> TensorShape:
        return self._perm.shape.concatenate(self._perm.shape[-1:])

    def _shape_tensor(self) -> Any:
        shape = shape_of(self._perm)
        return ar.concat_shapes(shape, shape[-1:])

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = ar.adjoint(x) if adjoint_arg else x
        if self._perm.shape.rank != 1:
            return matmul(self.to_dense(), x, adjoint_a=adjoint)
        order = raw_ops.InvertPermutation(self._perm) if adjoint else self._perm
        return raw_ops.GatherV2(x, order, np.int32(-2))

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._matmul(rhs, adjoint=not adjoint, adjoint_arg=adjoint_arg)

    def _to_dense(self) -> Tensor:
        return permutation_matrix(convert_to_tensor(self._perm), self.dtype)

    def _log_abs_determinant(self) -> Tensor:
        return raw_ops.Fill(self._known_shape()[:-2], np.zeros((), self.dtype.np_dtype))

    def _cond(self) -> Tensor:
        return raw_ops.Fill(self._known_shape()[:-2], np.ones((), self.dtype.np_dtype))

    def _assert_non_singular(self) -> Any:
        return None
