"""`tf.linalg.LinearOperatorKronecker`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, raw_ops
from runnel.core.values.shape import TensorShape
from runnel.ops.linalg.operators import arithmetic as ar
from runnel.ops.linalg.operators.composition import check_operators
from runnel.ops.linalg.operators.operator import LinearOperator, arguments
from runnel.ops.shapes import shape_of


def _flat_outer(x: Tensor, y: Tensor) -> Tensor:
    """All products of the last axes of `x` and `y`, in one axis."""
    table = ar.expand(x, -1) * ar.expand(y, -2)
    shape = shape_of(table)
    size = shape[-2:-1] * shape[-1:]
    return raw_ops.Reshape(table, ar.concat_shapes(shape[:-2], size))


class LinearOperatorKronecker(LinearOperator):
    """The operator of the Kronecker products of the matrices of several operators.

    >>> left = tf.linalg.LinearOperatorDiag([1.0, 10.0])
    >>> right = tf.linalg.LinearOperatorFullMatrix([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.linalg.LinearOperatorKronecker([left, right]).matvec([1.0, 1.0, 1.0, 1.0]).numpy()
    array([ 3.,  7., 30., 70.], dtype=float32)
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
        self._operators = found = check_operators("LinearOperatorKronecker", operators)
        contradicts = "The hint {} contradicts those of the factors of the Kronecker product."
        hints = {
            "is_non_singular": is_non_singular,
            "is_self_adjoint": is_self_adjoint,
            "is_positive_definite": is_positive_definite,
            "is_square": is_square,
        }
        for hint, given in hints.items():
            hints[hint] = ar.merged_hint(given, ar.all_hint(found, hint), contradicts.format(hint))
        super().__init__(
            found[0].dtype,
            name=name or "_x_".join(operator.name for operator in found),
            parameters=parameters,
            **hints,
        )

    @property
    def operators(self) -> list[LinearOperator]:
        return self._operators

    def _shape(self) -> TensorShape:
        sizes: list[int | None] = []
        for what in ("range_dimension", "domain_dimension"):
            parts = [getattr(operator, what).value for operator in self._operators]
            sizes.append(None if None in parts else int(np.prod(parts)))
        batch = ar.static_batch(operator.batch_shape for operator in self._operators)
        return batch.concatenate(sizes)

    def _shape_tensor(self) -> Any:
        shapes = [operator._known_shape() for operator in self._operators]
        batch, size = shapes[0][:-2], shapes[0][-2:]
        for shape in shapes[1:]:
            batch, size = ar.broadcast_batch(batch, shape[:-2]), size * shape[-2:]
        return ar.concat_shapes(batch, size)

    def _each(self, what: str, x: Tensor, adjoint: bool) -> Tensor:
        """`matmul` or `solve` of each factor along its own axis of `x`, taken apart."""
        rows = shape_of(x)
        batch, columns = rows[:-2], rows[-1:]
        turned = adjoint != (what == "solve")
        left = list(self._operators)
        done: list[Any] = []
        for operator in reversed(self._operators):
            left.pop()
            shape = operator._known_shape()
            inner = shape[-2:-1] if turned else shape[-1:]
            outer = shape[-1:] if turned else shape[-2:-1]
            # The axes: factors still to come, this factor, and the columns with the factors done.
            before = _product([o._known_shape()[-2 if turned else -1 :][:1] for o in left])
            after = _product([*done, columns])
            table = raw_ops.Reshape(x, ar.concat_shapes(batch, before, inner, after))
            table = _swapped(table)
            flat = raw_ops.Reshape(table, ar.concat_shapes(batch, inner, _product([before, after])))
            flat = getattr(operator, what)(flat, adjoint=adjoint)
            batch = shape_of(flat)[:-2]
            x = _swapped(raw_ops.Reshape(flat, ar.concat_shapes(batch, outer, before, after)))
            done.insert(0, outer)
        return raw_ops.Reshape(x, ar.concat_shapes(batch, _product(done), columns))

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._each("matmul", ar.adjoint(x) if adjoint_arg else x, adjoint)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._each("solve", ar.adjoint(rhs) if adjoint_arg else rhs, adjoint)

    def _powers(self) -> list[Any]:
        """How often each factor's determinant counts: the size of the product of the others."""
        total = self.domain_dimension.value
        if total is not None:
            return [total // (o.domain_dimension.value or 1) for o in self._operators]
        whole = ar.cast(self._columns(), self.dtype)
        return [whole / ar.cast(o._columns(), self.dtype) for o in self._operators]

    def _determinant(self) -> Tensor:
        found: Any = 1.0
        for operator, power in zip(self._operators, self._powers()):
            found = raw_ops.Pow(operator.determinant(), ar.cast(power, self.dtype)) * found
        return found

    def _log_abs_determinant(self) -> Tensor:
        found: Any = 0.0
        for operator, power in zip(self._operators, self._powers()):
            found = operator.log_abs_determinant() * ar.cast(power, self.dtype) + found
        return found

    def _trace(self) -> Tensor:
        found = self._operators[0].trace()
        for operator in self._operators[1:]:
            found = found * operator.trace()
        return found

    def _diag_part(self) -> Tensor:
        found = self._operators[0].diag_part()
        for operator in self._operators[1:]:
            found = _flat_outer(found, operator.diag_part())
        return found

    def _to_dense(self) -> Tensor:
        found = self._operators[0].to_dense()
        for operator in self._operators[1:]:
            right = operator.to_dense()
            table = ar.expand(ar.expand(found, -1), -3) * ar.expand(ar.expand(right, -2), -4)
            mine, its = shape_of(found)[-2:], shape_of(right)[-2:]
            found = raw_ops.Reshape(table, ar.concat_shapes(shape_of(table)[:-4], mine * its))
        return found

    def _eigvals(self) -> Tensor:
        found = self._operators[0].eigvals()
        for operator in self._operators[1:]:
            found = _flat_outer(found, operator.eigvals())
        return found

    def _adjoint(self) -> LinearOperator:
        return LinearOperatorKronecker([o.adjoint() for o in self._operators], **self._hints())

    def _inverse(self) -> LinearOperator:
        return LinearOperatorKronecker([o.inverse() for o in self._operators], **self._hints())

    def _cholesky(self) -> LinearOperator:
        return LinearOperatorKronecker([o.cholesky() for o in self._operators])

    def _assert_non_singular(self) -> Any:
        for operator in self._operators:
            operator.assert_non_singular()

    def _assert_self_adjoint(self) -> Any:
        for operator in self._operators:
            operator.assert_self_adjoint()


def _swapped(x: Tensor) -> Tensor:
    """`x` with the first two of its last three axes exchanged."""
    rank = x.shape.rank
    if rank is not None:
        order = [*range(rank - 3), rank - 2, rank - 3, rank - 1]
        return raw_ops.Transpose(x, np.array(order, np.int32))
    known = raw_ops.Rank(x)
    last = raw_ops.Pack([known - 2, known - 3, known - 1])
    return raw_ops.Transpose(x, ar.concat_shapes(raw_ops.Range(0, known - 3, 1), last))


def _product(parts: list[Any]) -> Any:
    found: Any = np.ones(1, np.int32)
    for part in parts:
        found = found * part if not isinstance(part, Tensor) else part * found
    return found
