"""`tf.linalg.LinearOperatorTridiag`."""

from __future__ import annotations

from typing import Any

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops
from runnel.core.values.shape import TensorShape
from runnel.ops.array.diagonals import diag, diag_part
from runnel.ops.linalg.banded import tridiagonal_matmul, tridiagonal_solve
from runnel.ops.linalg.operators import arithmetic as ar
from runnel.ops.linalg.operators.full_matrix import matrix_parameter
from runnel.ops.linalg.operators.operator import LinearOperator, arguments
from runnel.ops.shapes import shape_of

_FORMATS = ("compact", "matrix", "sequence")


class LinearOperatorTridiag(LinearOperator):
    """The operator of matrices with three diagonals, given as for `tf.linalg.tridiagonal_solve`.

    >>> diagonals = [[1.0, 0.0], [2.0, 2.0], [0.0, 1.0]]
    >>> tf.linalg.LinearOperatorTridiag(diagonals).to_dense().numpy()
    array([[2., 1.],
           [1., 2.]], dtype=float32)
    """

    def __init__(
        self,
        diagonals: Any,
        diagonals_format: str = "compact",
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorTridiag",
    ) -> None:
        parameters = arguments(locals())
        if diagonals_format not in _FORMATS:
            raise ValueError(
                f"`diagonals_format` must be one of {_FORMATS}, got {diagonals_format!r}."
            )
        if is_square is False:
            raise ValueError("A tridiagonal operator is square.")
        self._format = diagonals_format
        if diagonals_format == "sequence":
            self._diagonals: Any = [matrix_parameter("diagonals", d, 1) for d in diagonals]
            dtype = self._diagonals[0].dtype
        else:
            self._diagonals = matrix_parameter("diagonals", diagonals, 2)
            dtype = self._diagonals.dtype
        super().__init__(
            dtype,
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters=parameters,
        )

    @property
    def diagonals(self) -> Any:
        return self._diagonals

    @property
    def diagonals_format(self) -> str:
        return self._format

    def _rows_of(self) -> Tensor:
        """The three diagonals as rows, element `i` in row `i` of the matrix."""
        if self._format == "compact":
            return convert_to_tensor(self._diagonals)
        if self._format == "matrix":
            return diag_part(self._diagonals, k=(-1, 1), align="LEFT_RIGHT")
        return raw_ops.Pack(self._diagonals, axis=len(self._diagonals[1].shape) - 1)

    def _shape(self) -> TensorShape:
        if self._format == "matrix":
            return self._diagonals.shape
        if self._format == "sequence":
            batch = ar.static_batch(d.shape[:-1] for d in self._diagonals)
            return batch.concatenate([self._diagonals[1].shape[-1]] * 2)
        shape = self._diagonals.shape
        return shape[:-2].concatenate([shape[-1], shape[-1]])

    def _shape_tensor(self) -> Any:
        shape = shape_of(self._rows_of())
        return ar.concat_shapes(shape[:-2], shape[-1:], shape[-1:])

    def _operands(self, x: Tensor, adjoint: bool, adjoint_arg: bool) -> tuple[Tensor, Tensor]:
        """Diagonals and argument, with batches broadcast."""
        rows = self._rows_of()
        if adjoint:
            above, main, below = (ar.conj(rows[..., i, :]) for i in range(3))
            turned = [_moved(below, -1), main, _moved(above, 1)]
            rows = raw_ops.Pack(turned, axis=len(main.shape) - 1)
        rows, x = ar.same_batch(rows, ar.adjoint(x) if adjoint_arg else x)
        return rows, x

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return tridiagonal_matmul(*self._operands(x, adjoint, adjoint_arg))

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return tridiagonal_solve(*self._operands(rhs, adjoint, adjoint_arg))

    def _diag_part(self) -> Tensor:
        return self._rows_of()[..., 1, :]

    def _to_dense(self) -> Tensor:
        if self._format == "matrix":
            return convert_to_tensor(self._diagonals)
        return diag(self._rows_of(), k=(-1, 1), align="LEFT_RIGHT")

    def __getitem__(self, slices: Any) -> LinearOperator:
        slices = slices if isinstance(slices, tuple) else (slices,)
        part = self._rows_of()[(*slices, slice(None), slice(None))]
        return LinearOperatorTridiag(part, name=self.name, **self._hints())


def _moved(x: Tensor, by: int) -> Tensor:
    """The last axis moved by one place, a zero coming in."""
    return ar.pad_last(x[..., :-1], 1, 0) if by > 0 else ar.pad_last(x[..., 1:], 0, 1)
