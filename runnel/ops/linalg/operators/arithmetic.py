"""What operators share: reductions over the last axis, batches that broadcast, combined hints."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops
from runnel.core.state.variable import Variable
from runnel.core.values.dtypes import int32
from runnel.core.values.shape import TensorShape, broadcast_shapes
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.ops.control.asserting import Assert
from runnel.ops.linalg.matmul import conj as conj
from runnel.ops.linalg.matrices import adjoint as adjoint
from runnel.ops.reduce.reductions import reduce_all, reduce_max, reduce_min, reduce_prod, reduce_sum
from runnel.ops.shapes import shape_of

if TYPE_CHECKING:
    from runnel.ops.linalg.operators.operator import LinearOperator


def parameter(value: TensorLike, dtype: DTypeLike = None, name: str = "value") -> Any:
    """A tensor, or the variable itself, whose value then is read at every use."""
    if value is None:
        raise ValueError(f"`{name}` must be given, got None.")
    return value if isinstance(value, Variable) else convert_to_tensor(value, dtype=dtype)


def expand(x: Tensor, axis: int = -1) -> Tensor:
    return raw_ops.ExpandDims(x, np.int32(axis))


def squeeze(x: Tensor) -> Tensor:
    return raw_ops.Squeeze(x, axis=[-1])


def sum_last(x: Tensor) -> Tensor:
    return reduce_sum(x, axis=-1)


def prod_last(x: Tensor) -> Tensor:
    return reduce_prod(x, axis=-1)


def absolute(x: Tensor) -> Tensor:
    return raw_ops.ComplexAbs(x, Tout=x.dtype.real_dtype) if x.dtype.is_complex else raw_ops.Abs(x)


def real(x: Tensor) -> Tensor:
    return raw_ops.Real(x, Tout=x.dtype.real_dtype) if x.dtype.is_complex else x


def imaginary(x: Tensor) -> Tensor:
    if x.dtype.is_complex:
        return raw_ops.Imag(x, Tout=x.dtype.real_dtype)
    return raw_ops.ZerosLike(x)


def cast(x: TensorLike, dtype: Any) -> Tensor:
    x = convert_to_tensor(x)
    return x if x.dtype is dtype else raw_ops.Cast(x, DstT=dtype)


def log_abs_sum(x: Tensor) -> Tensor:
    """The sum of the logarithms of absolute values in the last axis, in the dtype of `x`."""
    return cast(sum_last(raw_ops.Log(absolute(x))), x.dtype)


def spread_of(values: Tensor) -> Tensor:
    """The largest absolute value by the smallest, in the last axis."""
    size = absolute(values)
    return reduce_max(size, axis=-1) / reduce_min(size, axis=-1)


def require(condition: Tensor, message: str) -> Any:
    """Raise InvalidArgumentError unless all elements of `condition` hold."""
    return Assert(reduce_all(condition), [message])


def concat_shapes(*parts: Any) -> Any:
    """Shapes one after another: an array where all are known, else a tensor."""
    if all(isinstance(part, np.ndarray | list) for part in parts):
        return np.concatenate([np.asarray(part, np.int32) for part in parts])
    return raw_ops.ConcatV2([convert_to_tensor(part, dtype=int32) for part in parts], np.int32(0))


def pad_last(x: Tensor, before: Any, after: Any) -> Tensor:
    """`x` with zeros before and after its last axis."""
    rank = x.shape.rank
    others: Any = None if rank is None else np.zeros((rank - 1, 2), np.int32)
    if others is None:
        others = raw_ops.Fill(raw_ops.Pack([raw_ops.Rank(x) - 1, 2]), 0)
    return raw_ops.Pad(x, concat_shapes(others, [[before, after]]))


def broadcast_batch(first: Any, second: Any) -> Any:
    """The batch shape that two batch shapes broadcast to."""
    if isinstance(first, np.ndarray) and isinstance(second, np.ndarray):
        return np.array(np.broadcast_shapes(tuple(first), tuple(second)), np.int32)
    return raw_ops.BroadcastArgs(first, second)


def static_batch(shapes: Iterable[TensorShape]) -> TensorShape:
    """The same of static shapes, of which less may be known."""
    dims = TensorShape([])._dims
    for shape in shapes:
        dims = broadcast_shapes(dims, shape._dims)
    return TensorShape(dims)


def with_batch(x: Tensor, batch: Any, event: int = 2) -> Tensor:
    """`x` with its batch dimensions, those before the last `event`, broadcast to `batch`."""
    shape = shape_of(x)
    split = (raw_ops.Rank(x) if x.shape.rank is None else x.shape.rank) - event
    mine, rest = shape[:split], shape[split:]
    if isinstance(mine, np.ndarray) and isinstance(batch, np.ndarray):
        full = np.broadcast_shapes(tuple(mine), tuple(batch))
        if full == tuple(mine):
            return x
        return raw_ops.BroadcastTo(x, np.array([*full, *rest], np.int32))
    wanted = concat_shapes(broadcast_batch(mine, batch), rest)
    return raw_ops.BroadcastTo(x, wanted)


def same_batch(*tensors: Tensor) -> list[Tensor]:
    """Matrices with their batches broadcast to one."""
    batch: Any = np.zeros(0, np.int32)
    for tensor in tensors:
        batch = broadcast_batch(batch, shape_of(tensor)[:-2])
    return [with_batch(tensor, batch) for tensor in tensors]


def solve_dense(matrix: Tensor, rhs: Tensor, *, adjoint: bool = False) -> Tensor:
    """`tf.linalg.solve` for batches that broadcast."""
    matrix, rhs = same_batch(matrix, rhs)
    return raw_ops.MatrixSolve(matrix, rhs, adjoint=adjoint)


def all_hint(operators: Iterable[LinearOperator], hint: str) -> bool | None:
    """True when all operators have the hint; else nothing is known."""
    return True if all(getattr(operator, hint) for operator in operators) else None


def non_singular_hint(operators: Iterable[LinearOperator]) -> bool | None:
    """Of a product: singular if one factor is, not singular if none is."""
    hints = [operator.is_non_singular for operator in operators]
    return False if False in hints else (True if all(hints) else None)


def merged_hint(given: bool | None, implied: bool | None, message: str) -> bool | None:
    """What is known when the user says `given` and the operators imply `implied`."""
    if implied is None:
        return given
    if given is not None and given != implied:
        raise ValueError(message)
    return implied
