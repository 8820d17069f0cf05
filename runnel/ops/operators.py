"""`tf.__operators__`, and which public function each of Python's operators is."""

from __future__ import annotations

from runnel.core.composite.dispatch import operators
from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.types import TensorLike
from runnel.ops.linalg.matmul import matmul
from runnel.ops.math.arithmetic import abs, multiply, negative, subtract
from runnel.ops.math.comparison import greater, greater_equal, less, less_equal
from runnel.ops.math.division import floordiv, floormod, truediv
from runnel.ops.math.logical import logical_and, logical_not, logical_or, logical_xor
from runnel.ops.math.powers import pow


def add(x: TensorLike, y: TensorLike, name: str | None = None) -> Tensor:
    """`x + y`.

    >>> tf.__operators__.add(tf.constant(1), 2).numpy()
    np.int32(3)
    """
    first = convert_to_tensor(x, dtype_hint=getattr(y, "dtype", None))
    second = convert_to_tensor(y, dtype_hint=first.dtype)
    return raw_ops.AddV2(first, second, name=name or "add")  # type: ignore[no-any-return]


def eq(self: TensorLike, other: TensorLike) -> Tensor:
    """`self == other`, False where their shapes cannot be compared."""
    return convert_to_tensor(self).__eq__(other)


def ne(self: TensorLike, other: TensorLike) -> Tensor:
    """`self != other`, True where their shapes cannot be compared."""
    return convert_to_tensor(self).__ne__(other)


operators.update(
    {
        "__add__": add,
        "__sub__": subtract,
        "__mul__": multiply,
        "__truediv__": truediv,
        "__floordiv__": floordiv,
        "__mod__": floormod,
        "__pow__": pow,
        "__matmul__": matmul,
        "__and__": logical_and,
        "__or__": logical_or,
        "__xor__": logical_xor,
        "__lt__": less,
        "__le__": less_equal,
        "__gt__": greater,
        "__ge__": greater_equal,
        "__eq__": eq,
        "__ne__": ne,
        "__neg__": negative,
        "__abs__": abs,
        "__invert__": logical_not,
    }
)
