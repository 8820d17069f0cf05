"""What operators made of blocks share: vectors and matrices given in blocks, or cut into them."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import Tensor, raw_ops
from runnel.core.state.variable import Variable
from runnel.ops.linalg.operators import arithmetic as ar
from runnel.ops.linalg.operators.operator import LinearOperator
from runnel.ops.shapes import shape_of


class BlockOperator(LinearOperator):
    """An operator whose arguments may be lists of tensors, one for each block, as its answers."""

    def _diagonal_blocks(self) -> list[LinearOperator]:
        raise NotImplementedError

    def _multiply(self, blocks: list[Tensor], adjoint: bool) -> list[Tensor]:
        """The product, block by block."""
        raise NotImplementedError

    def _divide(self, blocks: list[Tensor], adjoint: bool) -> list[Tensor]:
        """The solution, block by block."""
        raise NotImplementedError

    def _are_blocks(self, x: Any) -> bool:
        return (
            isinstance(x, list | tuple)
            and len(x) == len(self._diagonal_blocks())
            and all(isinstance(part, Tensor | Variable | np.ndarray) for part in x)
        )

    def _checked_blocks(self, x: Any, *, columns: bool, axis: int) -> list[Tensor]:
        blocks = self._diagonal_blocks()
        sizes = [b.domain_dimension if columns else b.range_dimension for b in blocks]
        return [self._argument("x", part, size, axis) for part, size in zip(x, sizes)]

    def _cut(self, x: Tensor, *, columns: bool) -> list[Tensor]:
        """The rows of `x` that belong to each block."""
        blocks = self._diagonal_blocks()
        start: Any = 0
        parts = []
        for block in blocks:
            end = start + (block._columns() if columns else block._rows())
            parts.append(x[..., start:end, :])
            start = end
        return parts

    def matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Any:
        """The product with matrices, with a list of their blocks, or with another operator."""
        if not self._are_blocks(x):
            return super().matmul(x, adjoint, adjoint_arg, name)
        axis = -1 if adjoint_arg else -2
        blocks = self._checked_blocks(x, columns=not adjoint, axis=axis)
        return self._multiply([ar.adjoint(b) for b in blocks] if adjoint_arg else blocks, adjoint)

    def matvec(self, x: Any, adjoint: bool = False, name: str = "matvec") -> Any:
        """The product with vectors, or with a list of their blocks."""
        if not self._are_blocks(x):
            return super().matvec(x, adjoint, name)
        blocks = self._checked_blocks(x, columns=not adjoint, axis=-1)
        return [ar.squeeze(y) for y in self._multiply([ar.expand(b) for b in blocks], adjoint)]

    def solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Any:
        """`x` whose product with the operator is `rhs`: matrices, a list of blocks, an operator."""
        if not self._are_blocks(rhs):
            return super().solve(rhs, adjoint, adjoint_arg, name)
        self._check_solvable("solve", NotImplementedError)
        axis = -1 if adjoint_arg else -2
        blocks = self._checked_blocks(rhs, columns=adjoint, axis=axis)
        return self._divide([ar.adjoint(b) for b in blocks] if adjoint_arg else blocks, adjoint)

    def solvevec(self, rhs: Any, adjoint: bool = False, name: str = "solve") -> Any:
        """`x` whose product with the operator is `rhs`: vectors, or a list of their blocks."""
        if not self._are_blocks(rhs):
            return super().solvevec(rhs, adjoint, name)
        self._check_solvable("solvevec", NotImplementedError)
        blocks = self._checked_blocks(rhs, columns=adjoint, axis=-1)
        return [ar.squeeze(y) for y in self._divide([ar.expand(b) for b in blocks], adjoint)]

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        x = ar.adjoint(x) if adjoint_arg else x
        return stacked(self._multiply(self._cut(x, columns=not adjoint), adjoint))

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        rhs = ar.adjoint(rhs) if adjoint_arg else rhs
        return stacked(self._divide(self._cut(rhs, columns=adjoint), adjoint))

    def _determinant(self) -> Tensor:
        first, *rest = self._diagonal_blocks()
        found = first.determinant()
        for block in rest:
            found = found * block.determinant()
        return ar.with_batch(found, self._known_shape()[:-2], 0)

    def _log_abs_determinant(self) -> Tensor:
        first, *rest = self._diagonal_blocks()
        found = first.log_abs_determinant()
        for block in rest:
            found = found + block.log_abs_determinant()
        return ar.with_batch(found, self._known_shape()[:-2], 0)

    def _diag_part(self) -> Tensor:
        if not all(block.is_square for block in self._diagonal_blocks()):
            return super()._diag_part()
        found = side_by_side([block.diag_part() for block in self._diagonal_blocks()])
        return ar.with_batch(found, self._known_shape()[:-2], 1)

    def _assert_non_singular(self) -> Any:
        for block in self._diagonal_blocks():
            block.assert_non_singular()


def stacked(parts: list[Tensor]) -> Tensor:
    """Matrices one below the other, their batches broadcast."""
    return raw_ops.ConcatV2(ar.same_batch(*parts), np.int32(-2))


def side_by_side(parts: list[Tensor]) -> Tensor:
    """Vectors one after the other, their batches broadcast."""
    batch: Any = np.zeros(0, np.int32)
    for part in parts:
        batch = ar.broadcast_batch(batch, shape_of(part)[:-1])
    return raw_ops.ConcatV2([ar.with_batch(part, batch, 1) for part in parts], np.int32(-1))
