"""`tf.linalg.LinearOperatorBlockDiag`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runnel.core.tensor.tensor import Tensor
from runnel.core.values.shape import TensorShape
from runnel.ops.linalg.operators import arithmetic as ar
from runnel.ops.linalg.operators.blocks import BlockOperator, side_by_side
from runnel.ops.linalg.operators.composition import check_operators
from runnel.ops.linalg.operators.operator import LinearOperator, arguments


class LinearOperatorBlockDiag(BlockOperator):
    """The operator of matrices that have those of other operators along their diagonals.

    >>> blocks = [tf.linalg.LinearOperatorDiag([1.0]), tf.linalg.LinearOperatorDiag([2.0, 3.0])]
    >>> tf.linalg.LinearOperatorBlockDiag(blocks).to_dense().numpy()
    array([[1., 0., 0.],
           [0., 2., 0.],
           [0., 0., 3.]], dtype=float32)
    """

    _batched = {"operators": None}

    def __init__(
        self,
        operators: Sequence[LinearOperator],
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        parameters = arguments(locals())
        self._operators = found = check_operators("LinearOperatorBlockDiag", operators)
        contradicts = "The hint {} contradicts those of the blocks."
        hints = {
            "is_non_singular": is_non_singular,
            "is_self_adjoint": is_self_adjoint,
            "is_positive_definite": is_positive_definite,
        }
        for hint, given in hints.items():
            hints[hint] = ar.merged_hint(given, ar.all_hint(found, hint), contradicts.format(hint))
        if not all(operator.is_square for operator in found):
            is_square = None if is_square is True else is_square
        super().__init__(
            found[0].dtype,
            is_square=is_square,
            name=name or "_ds_".join(operator.name for operator in found),
            parameters=parameters,
            **hints,
        )

    @property
    def operators(self) -> list[LinearOperator]:
        return self._operators

    def _diagonal_blocks(self) -> list[LinearOperator]:
        return self._operators

    def _shape(self) -> TensorShape:
        sizes: list[int | None] = []
        for what in ("range_dimension", "domain_dimension"):
            parts = [getattr(operator, what).value for operator in self._operators]
            sizes.append(None if None in parts else sum(parts))
        batch = ar.static_batch(operator.batch_shape for operator in self._operators)
        return batch.concatenate(sizes)

    def _shape_tensor(self) -> Any:
        shapes = [operator._known_shape() for operator in self._operators]
        batch, size = shapes[0][:-2], shapes[0][-2:]
        for shape in shapes[1:]:
            batch, size = ar.broadcast_batch(batch, shape[:-2]), size + shape[-2:]
        return ar.concat_shapes(batch, size)

    def _multiply(self, blocks: list[Tensor], adjoint: bool) -> list[Tensor]:
        return [o.matmul(b, adjoint=adjoint) for o, b in zip(self._operators, blocks)]

    def _divide(self, blocks: list[Tensor], adjoint: bool) -> list[Tensor]:
        return [o.solve(b, adjoint=adjoint) for o, b in zip(self._operators, blocks)]

    def _trace(self) -> Tensor:
        if not all(operator.is_square for operator in self._operators):
            return super()._trace()
        found = self._operators[0].trace()
        for operator in self._operators[1:]:
            found = found + operator.trace()
        return found

    def _eigvals(self) -> Tensor:
        return side_by_side([operator.eigvals() for operator in self._operators])

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorBlockDiag([o.adjoint() for o in self._operators], **self._hints())

    def _inverse(self) -> LinearOperator:
        return LinearOperatorBlockDiag([o.inverse() for o in self._operators], **self._hints())

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorBlockDiag([o.cholesky() for o in self._operators])

    def _times(self, right: LinearOperator) -> LinearOperator:
        if isinstance(right, LinearOperatorBlockDiag) and len(right.operators) == len(
            self.operators
        ):
            pairs = list(zip(self._operators, right.operators))
            if all(a.domain_dimension == b.range_dimension for a, b in pairs):
                return LinearOperatorBlockDiag([a._times(b) for a, b in pairs])
        return super()._times(right)

    def _assert_positive_definite(self) -> Any:
        for operator in self._operators:
            operator.assert_positive_definite()

    def _assert_self_adjoint(self) -> Any:
        for operator in self._operators:
            operator.assert_self_adjoint()
