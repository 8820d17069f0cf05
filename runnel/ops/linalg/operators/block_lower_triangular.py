"""`tf.linalg.LinearOperatorBlockLowerTriangular`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runnel.core.extend import Tensor, raw_ops
from runnel.core.values.shape import TensorShape
from runnel.ops.linalg.operators import arithmetic as ar
from runnel.ops.linalg.operators.blocks import BlockOperator, side_by_side
from runnel.ops.linalg.operators.composition import check_operators
from runnel.ops.linalg.operators.full_matrix import LinearOperatorFullMatrix
from runnel.ops.linalg.operators.operator import LinearOperator, arguments


class LinearOperatorBlockLowerTriangular(BlockOperator):
    """The operator of matrices made of blocks, with zeros above the diagonal of blocks.

    >>> one, two = tf.linalg.LinearOperatorDiag([1.0]), tf.linalg.LinearOperatorDiag([2.0])
    >>> tf.linalg.LinearOperatorBlockLowerTriangular([[one], [two, one]]).to_dense().numpy()
    array([[1., 0.],
           [2., 1.]], dtype=float32)
    """

    _batched = {"operators": None}

    def __init__(
        self,
        operators: Sequence[Sequence[LinearOperator]],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str = "LinearOperatorBlockLowerTriangular",
    ) -> None:
        parameters = arguments(locals())
        self._operators = [list(row) for row in operators]
        flat = [operator for row in self._operators for operator in row]
        check_operators("LinearOperatorBlockLowerTriangular", flat)
        _check_layout(self._operators)
        if is_square is False:
            raise ValueError("A block lower triangular operator is square.")
        diagonal = self._diagonal_blocks()
        non_singular = ar.merged_hint(
            is_non_singular,
            ar.non_singular_hint(diagonal),
            "is_non_singular contradicts the hints of the blocks on the diagonal.",
        )
        super().__init__(
            flat[0].dtype,
            is_non_singular=non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters=parameters,
        )

    @property
    def operators(self) -> list[list[LinearOperator]]:
        return self._operators

    def _diagonal_blocks(self) -> list[LinearOperator]:
        return [row[-1] for row in self._operators]

    def _shape(self) -> TensorShape:
        parts = [block.domain_dimension.value for block in self._diagonal_blocks()]
        size = None if None in parts else sum(p or 0 for p in parts)
        flat = [operator for row in self._operators for operator in row]
        return ar.static_batch(o.batch_shape for o in flat).concatenate([size, size])

    def _shape_tensor(self) -> Any:
        flat = [operator._known_shape() for row in self._operators for operator in row]
        batch = flat[0][:-2]
        for shape in flat[1:]:
            batch = ar.broadcast_batch(batch, shape[:-2])
        size = 0
        for block in self._diagonal_blocks():
            size = block._known_shape()[-2:] + size
        return ar.concat_shapes(batch, size)

    def _multiply(self, blocks: list[Tensor], adjoint: bool) -> list[Tensor]:
        found: list[Any] = [None] * len(self._operators)
        for i, row in enumerate(self._operators):
            for j, operator in enumerate(row):
                place, source = (j, i) if adjoint else (i, j)
                part = operator.matmul(blocks[source], adjoint=adjoint)
                found[place] = part if found[place] is None else found[place] + part
        return found

    def _divide(self, blocks: list[Tensor], adjoint: bool) -> list[Tensor]:
        """Substitution: forwards, or backwards for the adjoint."""
        count = len(self._operators)
        found: list[Any] = [None] * count
        for i in reversed(range(count)) if adjoint else range(count):
            rest = blocks[i]
            known = range(i + 1, count) if adjoint else range(i)
            for j in known:
                operator = self._operators[j][i] if adjoint else self._operators[i][j]
                rest = rest - operator.matmul(found[j], adjoint=adjoint)
            found[i] = self._operators[i][i].solve(rest, adjoint=adjoint)
        return found

    def _inverse(self) -> LinearOperator:
        """Column by column: what is below a block on the diagonal makes up for it."""
        found: list[list[LinearOperator]] = []
        for i, row in enumerate(self._operators):
            corner = row[-1].inverse()
            below = []
            for j in range(i):
                parts = [row[k].matmul(found[k][j].to_dense()) for k in range(j, i)]
                below.append(LinearOperatorFullMatrix(-corner.matmul(raw_ops.AddN(parts))))
            found.append([*below, corner])
        return LinearOperatorBlockLowerTriangular(found, **self._hints())

    def _eigvals(self) -> Tensor:
        return side_by_side([block.eigvals() for block in self._diagonal_blocks()])


def _check_layout(operators: list[list[LinearOperator]]) -> None:
    for i, row in enumerate(operators):
        if len(row) != i + 1:
            raise ValueError(f"Row {i} of the blocks must have {i + 1} operators, got {len(row)}.")
        if row[-1].is_square is False:
            raise ValueError(f"The blocks on the diagonal must be square, got {row[-1]!r}.")
        for j, operator in enumerate(row):
            fits = operator.range_dimension.is_compatible_with(
                row[-1].range_dimension
            ) and operator.domain_dimension.is_compatible_with(operators[j][-1].domain_dimension)
            if not fits:
                raise ValueError(f"Block ({i}, {j}) of shape {operator.shape} does not fit.")
