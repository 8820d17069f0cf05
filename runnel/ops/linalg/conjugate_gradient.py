"""`tf.linalg.experimental.conjugate_gradient`."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops, scoped
from runnel.core.op.context import state
from runnel.core.values.types import TensorLike
from runnel.ops.linalg.operators import arithmetic as ar
from runnel.ops.linalg.operators.operator import LinearOperator
from runnel.ops.reduce.reductions import reduce_any


class CGState(NamedTuple):
    """Where the method stands: steps, solution, what is left of `rhs`, the next direction."""

    i: Any
    x: Tensor
    r: Tensor
    p: Tensor
    gamma: Tensor


def _dot(x: Tensor, y: Tensor) -> Tensor:
    return ar.sum_last(ar.conj(x) * y)


@scoped("conjugate_gradient")
def conjugate_gradient(
    operator: LinearOperator,
    rhs: TensorLike,
    preconditioner: LinearOperator | None = None,
    x: TensorLike = None,
    tol: TensorLike = 1e-05,
    max_iter: int = 20,
    name: str = "conjugate_gradient",
) -> CGState:
    """The solution of `operator x = rhs` by the method of conjugate gradients.

    `operator` must be self-adjoint and positive definite. The method ends when what is left of
    `rhs` is `tol` times its length, or after `max_iter` steps.

    >>> operator = tf.linalg.LinearOperatorDiag(
    ...     [1.0, 2.0], is_self_adjoint=True, is_positive_definite=True)
    >>> tf.linalg.experimental.conjugate_gradient(operator, [1.0, 1.0]).x.numpy().round(4)
    array([1. , 0.5], dtype=float32)
    """
    if not (operator.is_self_adjoint and operator.is_positive_definite):
        raise ValueError(
            "conjugate_gradient: the operator must be self-adjoint, positive definite."
        )
    if preconditioner is not None and not (
        preconditioner.is_self_adjoint and preconditioner.is_positive_definite
    ):
        raise ValueError(
            "conjugate_gradient: the preconditioner must be self-adjoint and positive definite."
        )
    b = convert_to_tensor(rhs, dtype=None if isinstance(rhs, Tensor) else operator.dtype)
    limit = raw_ops.Sqrt(ar.absolute(_dot(b, b))) * ar.cast(tol, b.dtype.real_dtype)
    start, left = _start(operator, b, x)
    p = left if preconditioner is None else preconditioner.matvec(left)
    now = CGState(convert_to_tensor(0), start, left, p, _dot(left, p))
    for _ in range(int(max_iter)):
        going = reduce_any(raw_ops.Sqrt(ar.absolute(_dot(now.r, now.r))) > limit)
        if state.graph is None:
            if not going:
                break
            now = _step(operator, preconditioner, now)
        else:
            after = _step(operator, preconditioner, now)
            now = CGState(*(raw_ops.SelectV2(going, new, old) for new, old in zip(after, now)))
    return now


def _start(operator: LinearOperator, b: Tensor, x: TensorLike) -> tuple[Tensor, Tensor]:
    if x is None:
        return raw_ops.Fill(ar.shape_of(b), np.zeros((), b.dtype.np_dtype)), b
    x = convert_to_tensor(x, dtype=b.dtype)
    return x, b - operator.matvec(x)


def _step(operator: LinearOperator, preconditioner: LinearOperator | None, now: CGState) -> CGState:
    z = operator.matvec(now.p)
    alpha = ar.expand(now.gamma / _dot(now.p, z))
    x, r = now.x + alpha * now.p, now.r - alpha * z
    q = r if preconditioner is None else preconditioner.matvec(r)
    gamma = _dot(r, q)
    p = q + ar.expand(gamma / now.gamma) * now.p
    return CGState(now.i + 1, x, r, p, gamma)
