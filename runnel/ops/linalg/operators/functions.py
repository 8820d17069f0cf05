"""`tf.linalg`'s functions on operators: `tf.linalg.det(operator)` is `operator.determinant()`."""

from __future__ import annotations

from typing import Any

from runnel.core.composite.dispatch import add_target
from runnel.ops.array.diagonals import diag_part
from runnel.ops.linalg.decompositions import cholesky
from runnel.ops.linalg.matmul import matmul, matvec
from runnel.ops.linalg.matrices import adjoint, trace
from runnel.ops.linalg.operators.operator import LinearOperator
from runnel.ops.linalg.solvers import det, inv, logdet, solve

_METHODS = {
    adjoint: LinearOperator.adjoint,
    cholesky: LinearOperator.cholesky,
    det: LinearOperator.determinant,
    diag_part: LinearOperator.diag_part,
    trace: LinearOperator.trace,
}


def _inv(input: LinearOperator, adjoint: bool, name: str | None) -> LinearOperator:
    found = input.inverse()
    return found.adjoint() if adjoint else found


def _logdet(matrix: LinearOperator, name: str | None) -> Any:
    if not (matrix.is_positive_definite and matrix.is_self_adjoint):
        raise ValueError(
            f"tf.linalg.logdet: {matrix.name} is not said to be self-adjoint and positive "
            "definite. Use its log_abs_determinant."
        )
    return matrix.log_abs_determinant()


def _matmul(
    a: Any,
    b: Any,
    transpose_a: bool,
    transpose_b: bool,
    adjoint_a: bool,
    adjoint_b: bool,
    a_is_sparse: bool,
    b_is_sparse: bool,
    output_type: Any,
    *others: Any,
) -> Any:
    if transpose_a or transpose_b:
        raise ValueError("tf.linalg.matmul: operators have adjoints, no transposes.")
    if a_is_sparse or b_is_sparse or output_type is not None:
        raise ValueError("tf.linalg.matmul: with operators, no more than adjoints can be said.")
    if isinstance(a, LinearOperator):
        return a.matmul(b, adjoint=adjoint_a, adjoint_arg=adjoint_b)
    return adjoint(b.matmul(a, adjoint=not adjoint_b, adjoint_arg=not adjoint_a))


def _matvec(a: LinearOperator, b: Any, transpose_a: bool, adjoint_a: bool, *others: Any) -> Any:
    if transpose_a:
        raise ValueError("tf.linalg.matvec: operators have adjoints, no transposes.")
    return a.matvec(b, adjoint=adjoint_a)


def _solve(matrix: Any, rhs: Any, adjoint: bool, name: str | None) -> Any:
    if not isinstance(matrix, LinearOperator):
        raise ValueError("tf.linalg.solve: an operator can be solved for, but `matrix` is none.")
    return matrix.solve(rhs, adjoint=adjoint)


def _register() -> None:
    for function, method in _METHODS.items():
        call = lambda operator, *others, method=method: method(operator)  # noqa: E731
        add_target(function, method, [{0: LinearOperator}], call=call)
    add_target(inv, _inv, [{0: LinearOperator}])
    add_target(logdet, _logdet, [{0: LinearOperator}])
    add_target(matvec, _matvec, [{0: LinearOperator}])
    for pair, handler in ((matmul, _matmul), (solve, _solve)):
        add_target(pair, handler, [{0: LinearOperator}, {1: LinearOperator}])


_register()
