"""`tf.linalg.LinearOperatorIdentity`, and the parameters it shares with its multiples and zeros."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops
from runnel.core.tensor.static import constant_value
from runnel.core.values.dtypes import as_dtype, float32, int32
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.ops.array.diagonals import diag_part, set_diag
from runnel.ops.linalg.matrices import eye
from runnel.ops.linalg.operators import arithmetic as ar
from runnel.ops.linalg.operators.operator import LinearOperator, arguments
from runnel.ops.shapes import shape_of


def size_parameter(name: str, value: TensorLike) -> Any:
    """A number of rows or columns: a Python number where it is known, else a tensor."""
    tensor = convert_to_tensor(value)
    if not tensor.dtype.is_integer:
        raise TypeError(f"`{name}` must be an integer, got dtype {tensor.dtype.name}.")
    if tensor.ndim not in (None, 0):
        raise ValueError(f"`{name}` must be a scalar, got shape {tensor.shape}.")
    known = constant_value(tensor)
    if known is None:
        return raw_ops.Cast(tensor, DstT=int32)
    if int(known) < 0:
        raise ValueError(f"`{name}` must not be negative, got {int(known)}.")
    return int(known)


def batch_parameter(value: TensorLike) -> Any:
    """A batch shape: an array where it is known, else a tensor."""
    if value is None:
        return np.zeros(0, np.int32)
    tensor = convert_to_tensor(value, dtype_hint=int32)
    if not tensor.dtype.is_integer:
        raise TypeError(f"`batch_shape` must hold integers, got dtype {tensor.dtype.name}.")
    if tensor.ndim not in (None, 1):
        raise ValueError(f"`batch_shape` must be a vector, got shape {tensor.shape}.")
    known = constant_value(tensor)
    if known is None:
        return raw_ops.Cast(tensor, DstT=int32)
    if np.any(known < 0):
        raise ValueError(f"`batch_shape` must not be negative, got {known.tolist()}.")
    return known.astype(np.int32)


def static_shape(batch: Any, *sizes: Any) -> TensorShape:
    """What is known of the shape of a batch of matrices."""
    if isinstance(batch, np.ndarray):
        front = TensorShape(batch.tolist())
    else:
        front = TensorShape([None] * batch.shape[0] if batch.shape[0] is not None else None)
    return front.concatenate([size if isinstance(size, int) else None for size in sizes])


class LinearOperatorIdentity(LinearOperator):
    """The operator of identity matrices.

    >>> tf.linalg.LinearOperatorIdentity(2).matvec([1.0, 2.0]).numpy()
    array([1., 2.], dtype=float32)
    """

    def __init__(
        self,
        num_rows: TensorLike,
        batch_shape: TensorLike = None,
        dtype: DTypeLike = None,
        is_non_singular: bool | None = True,
        is_self_adjoint: bool | None = True,
        is_positive_definite: bool | None = True,
        is_square: bool | None = True,
        assert_proper_shapes: bool = False,
        name: str = "LinearOperatorIdentity",
    ) -> None:
        parameters = arguments(locals())
        if not (is_self_adjoint and is_non_singular and is_positive_definite):
            raise ValueError("The identity is self-adjoint, positive definite and not singular.")
        if not is_square:
            raise ValueError("The identity is square.")
        self._num_rows = size_parameter("num_rows", num_rows)
        self._batch_shape = batch_parameter(batch_shape)
        super().__init__(
            float32 if dtype is None else as_dtype(dtype),
            is_non_singular=True,
            is_self_adjoint=True,
            is_positive_definite=True,
            is_square=True,
            name=name,
            parameters=parameters,
        )

    def _shape(self) -> TensorShape:
        return static_shape(self._batch_shape, self._num_rows, self._num_rows)

    def _shape_tensor(self) -> Any:
        size = raw_ops.Pack([self._num_rows, self._num_rows])
        return ar.concat_shapes(self._batch_shape, size)

    def _ones(self) -> Tensor:
        shape = self._known_shape()[:-1]
        return raw_ops.Fill(shape, np.ones((), self.dtype.np_dtype))

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return ar.with_batch(ar.adjoint(x) if adjoint_arg else x, self._known_shape()[:-2])

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._matmul(rhs, adjoint_arg=adjoint_arg)

    def _determinant(self) -> Tensor:
        return raw_ops.Fill(self._known_shape()[:-2], np.ones((), self.dtype.np_dtype))

    def _log_abs_determinant(self) -> Tensor:
        return raw_ops.Fill(self._known_shape()[:-2], np.zeros((), self.dtype.np_dtype))

    def _trace(self) -> Tensor:
        return ar.sum_last(self._ones())

    def _diag_part(self) -> Tensor:
        return self._ones()

    def _to_dense(self) -> Tensor:
        return eye(self._rows(), batch_shape=self._known_shape()[:-2], dtype=self.dtype)

    def add_to_tensor(self, mat: TensorLike, name: str = "add_to_tensor") -> Tensor:  # type: ignore[override]
        """The sum of the matrices and `mat`."""
        return super().add_to_tensor(mat, name)

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        x = ar.with_batch(x, self._known_shape()[:-2])
        return set_diag(x, diag_part(x) + self._ones())

    def _eigvals(self) -> Tensor:
        return self._ones()

    def _cond(self) -> Tensor:
        return self._determinant()

    def _inverse(self) -> LinearOperator:
        return self

    def _cholesky(self) -> LinearOperator:
        return self

    def _times(self, right: LinearOperator) -> LinearOperator:
        return right

    def _after(self, left: LinearOperator) -> LinearOperator | None:
        return left

    def _assert_non_singular(self) -> Any:
        return None

    def _assert_positive_definite(self) -> Any:
        return None

    def _assert_self_adjoint(self) -> Any:
        return None

    def __getitem__(self, slices: Any) -> LinearOperator:
        part = raw_ops.Fill(self._known_shape()[:-2], np.float32(0))[slices]
        return LinearOperatorIdentity(
            self._num_rows, batch_shape=shape_of(part), dtype=self.dtype, name=self.name
        )
