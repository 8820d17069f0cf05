"""What a user is told of an exception in a kernel: the op, its inputs, what is wrong there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.backend import forks
from runnel.core.settings.arguments import check_room
from runnel.core.settings.user_code import name_of
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import DType
from runnel.core.values.errors import (
    InvalidArgumentError,
    OpError,
    ResourceExhaustedError,
    bad_dtype,
    bad_value,
    out_of_scope,
    tracing,
)
from runnel.core.values.types import Spec

if TYPE_CHECKING:
    from runnel.core.op.op import Op


def spec_of(tensor: Tensor) -> Spec:
    """All that is known of an eager tensor."""
    value = tensor._value  # type: ignore[attr-defined]
    if not isinstance(value, np.ndarray | np.generic):
        return Spec((), tensor._dtype, handle=value)
    return Spec(value.shape, tensor._dtype, np.asarray(value))


def explain(
    op: Op, inputs: Sequence[Tensor], attrs: Mapping[str, Any], error: Exception
) -> Exception:
    """The error a user should see for one that a kernel raised."""
    if isinstance(error, NotImplementedError | forks.ForkError):
        return error
    if op.shape is not None:
        try:
            _check_sizes(op, op.infer([spec_of(t) for t in inputs], attrs), inputs)
        except OpError as better:
            return better
        except (
            Exception
        ) as worse:  # the rule stumbled over the same input: the kernel's words stand
            error = worse
    described = ", ".join(f"{t.dtype.name}{t.shape}" for t in inputs)
    if isinstance(error, MemoryError):
        want = f"{op.name} lacks the memory for its result from inputs of {described}"
        return ResourceExhaustedError(None, op, f"{want}: {error} [Op:{op.name}]")
    message = f"{op.name} cannot take inputs of {described}: {error} [Op:{op.name}]"
    unforeseen = InvalidArgumentError(None, op, message)
    unforeseen.about = "", True  # kernels foresee wrong values
    return unforeseen


def fails_always(operation: Any, error: OpError, values: Sequence[Any]) -> bool:
    """Whether what is wrong, with an attribute or with shapes, was known while tracing.

    Not where a shape is another one than in the trace, or values decide about shapes. `Assert`, and
    what else has no outputs, says it in the run there too.
    """
    if error.about is None or type(error) is not InvalidArgumentError or not operation.outputs:
        return False
    argument, is_type = error.about
    if argument in operation.attrs:
        return True
    only_run = any(
        a.name == argument and a.ranks and not a.ranks.traced for a in operation.op.inputs
    )
    if not is_type or only_run or _is_by_value(operation, argument):
        return False
    shapes = [t.shape for t in operation.inputs]
    return all(s.is_fully_defined() and s == v.shape for s, v in zip(shapes, values, strict=True))


def _is_by_value(operation: Any, argument: str) -> bool:
    """Whether values that were not known while tracing decide which shapes an argument may have."""
    op = operation.op
    if argument in [op.inputs[i].name for i in op.static]:
        return False
    places = op.static_places(operation.attrs)
    return any(operation.inputs[i].constant_value() is None for i in places)


def _check_sizes(op: Op, dims: Any, inputs: Sequence[Tensor]) -> None:
    """An error for outputs that no memory holds: NumPy has many words for that."""
    size = max([1, *[t._dtype.size for t in inputs]])
    for shape in dims if op.outputs and isinstance(dims, list) else [dims]:
        if shape is not None and all(isinstance(d, int) for d in shape):
            check_room(op.name, shape, size)


def symbolic_input(op: Op, inputs: Sequence[Tensor]) -> TypeError:
    symbolic = next(t for t in inputs if not hasattr(t, "_value"))
    return TypeError(out_of_scope(symbolic, f"by {op.name} in eager mode"))


def not_allowed(op: Op, attribute: str, given: Any, name: str | None = None) -> Exception:
    """The error for a value, or an input of the name, that an attribute does not allow."""
    argument: dict[str, Any] = {name or attribute: given}
    allowed = op.allowed[attribute]
    if not isinstance(given, DType | Tensor):
        want = f"one of {sorted(allowed)}" if isinstance(allowed, frozenset) else str(allowed)
        return bad_value(op.name, want=f"be {want}", **argument)
    names = ", ".join(sorted(d.name for d in allowed))
    return bad_dtype(op.name, want=f"be one of {names}", **argument)


def unfit(op: Op, name: str, value: Any, wanted: DType | None, error: ValueError) -> Exception:
    """The error for what has no value of a dtype: in a graph TypeError, if it has one of others."""
    if not tracing() or wanted is None:
        return error
    try:
        convert_to_tensor(value)
    except (TypeError, ValueError):
        return error
    return TypeError(f"{op.name}: `{name}` must be of dtype {wanted.name}: {error}")


def another_dtype(
    op: Op, want: DType, name: str, tensor: Tensor, operands: Sequence[Tensor]
) -> Exception:
    """The error for an input that has not the dtype of another one."""
    argument: dict[str, Any] = {name: tensor}
    hint = _origins(operands)
    return bad_dtype(op.name, want=f"be of dtype {want.name}", hint=hint, **argument)


def _origins(operands: Sequence[Tensor]) -> str:
    """A sentence: which operand has which dtype, what it is called or which op made it."""
    known = [(t, _origin(t)) for t in operands]
    told = [f"{t.dtype.name} is {where}" for t, where in known if where]
    return f"{'; '.join(told)}. Use tf.cast." if told else "Use tf.cast." if operands else ""


def _origin(tensor: Tensor) -> str:
    maker = getattr(tensor, "_op", None) or getattr(tensor, "op", None) if _traced(tensor) else None
    place = getattr(maker, "_where", None)
    if maker is not None and place is not None:
        return f"'{maker.name}', made at {place[0]}:{place[1]}"
    return name_of(tensor) or ""


def _traced(tensor: Tensor) -> bool:
    return not hasattr(tensor, "_value")
