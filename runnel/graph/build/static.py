"""What is known of symbolic tensors while a graph is built: constant values, partly known shape
vectors.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.core.op.context import state
from runnel.core.values.tracebacks import let_through
from runnel.core.values.types import Spec

if TYPE_CHECKING:
    from runnel.core.tensor.tensor import Tensor
    from runnel.graph.build.operation import Operation
    from runnel.graph.build.tensor import SymbolicTensor

Partial = tuple[int | None, ...]

_FOLDABLE_SIZE = 1024  # elements; larger constants are not computed while tracing


class _Never:
    """The value of a tensor that only a run can tell."""


_NEVER = _Never()

_MOST_ENTRIES = 1 << 16  # of a vector that is looked at one by one


def value(tensor: SymbolicTensor) -> np.ndarray[Any, Any] | None:
    """The value of a tensor that constants and known shapes decide; otherwise None.

    The answer is kept with the tensor unless a shape that is unknown now may become known. The walk
    to the constants uses no recursion: graphs may be deep.
    """
    found: dict[int, Any] = {}
    pending: list[Any] = [tensor]
    while pending:
        current = pending[-1]
        answer = _known(current, found)
        if isinstance(answer, _Ask):
            pending.append(answer.tensor)
            continue
        pending.pop()
        found[current._id] = answer
        if answer is not None and not hasattr(current, "_value"):
            current._known = answer
    answer = found[tensor._id]
    return None if answer is _NEVER else answer


def partial_value(tensor: SymbolicTensor) -> np.ndarray[Any, Any] | None:
    """The value of a tensor; of a stack of which only some are known, with None for the others."""
    known = value(tensor)
    if known is not None or tensor.op.type != "Pack" or tensor.op.attrs["axis"] != 0:
        return known
    parts: list[Any] = [partial_value(part) for part in tensor.op.inputs]  # type: ignore[arg-type]
    return np.array(parts, object)


class _Ask:
    """The answer depends on another tensor, of which nothing has been asked yet."""

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor


def _known(tensor: Any, found: dict[int, Any]) -> Any:
    """The value, `_NEVER`, None if it is not known now, or which tensor to ask first."""
    if hasattr(tensor, "_value"):
        return _array(tensor._value)
    if tensor._known is not None:
        return tensor._known
    op = tensor.op
    if op.type == "Const":
        return np.asarray(op.attrs["value"])
    declared = op.op
    if declared.stateful or declared.host or declared.xla or declared.lower or not op.inputs:
        return _NEVER
    if declared.traits.fed:
        return _NEVER
    if declared.traits.reads in _SHAPES:
        return _SHAPES[declared.traits.reads](tensor)
    inputs = []
    for input_ in op.inputs:
        if input_._id not in found:
            return _Ask(input_)
        value = found[input_._id]
        if value is None:
            return _known_part(op)
        if value is _NEVER or value.size > _FOLDABLE_SIZE:
            return _NEVER
        inputs.append(value)
    size = tensor.shape.num_elements()
    if size is not None and size > _FOLDABLE_SIZE:
        return _NEVER
    try:
        result = state.run(declared.run, np, inputs, op.attrs)
    except Exception as error:  # the run will say what is wrong with the inputs
        let_through(error)
        return _NEVER
    return _array(result if declared.single else _flat(result)[tensor.value_index])


def _known_part(op: Operation) -> np.ndarray[Any, Any] | None:
    """The element that an operation takes of a shape that is partly known, if that one is.

    Several elements are not, even if each is: so it is in TensorFlow.
    """
    taken = op.type == "GatherV2" or bool(op.attrs.get("shrink_axis_mask"))
    if not taken or op.inputs[0].shape.rank != 1 or op.inputs[1].shape.num_elements() != 1:
        return None
    vector, place = partial(op.inputs[0]), _value_of(op.inputs[1])
    if vector is None or place is None or not -len(vector) <= place.item() < len(vector):
        return None
    element = vector[place.item()]
    return None if element is None else np.array(element, op.inputs[0]._dtype.np_dtype)


def _array(value: Any) -> Any:
    """A value as an array; there is none of a variable or a list."""
    return np.asarray(value) if isinstance(value, np.ndarray | np.generic) else _NEVER


def _flat(result: Any) -> list[Any]:
    return [leaf for part in result for leaf in (part if isinstance(part, list) else [part])]


def _value_of(tensor: Any) -> np.ndarray[Any, Any] | None:
    if hasattr(tensor, "_value"):
        return np.asarray(tensor._value)
    return value(tensor)


def _shape_value(tensor: Any) -> np.ndarray[Any, Any] | None:
    shape = tensor.op.inputs[tensor.value_index].shape
    return _in_dtype(shape.as_list(), tensor) if shape.is_fully_defined() else None


def _size_value(tensor: Any) -> np.ndarray[Any, Any] | None:
    count = tensor.op.inputs[0].shape.num_elements()
    return None if count is None else _in_dtype(count, tensor)


def _in_dtype(sizes: Any, tensor: Any) -> np.ndarray[Any, Any] | None:
    """Sizes in the dtype of a tensor; None if they have more bits: a run will say so."""
    try:
        return np.array(sizes, tensor._dtype.np_dtype)
    except OverflowError:
        return None


def _rank_value(tensor: Any) -> np.ndarray[Any, Any] | None:
    rank = tensor.op.inputs[0].shape.rank
    return None if rank is None else np.array(rank, np.int32)


_SHAPES: dict[Any, Callable[[Any], Any]] = {
    "shape": _shape_value,
    "size": _size_value,
    "rank": _rank_value,
}


def partial(tensor: Tensor) -> Partial | None:
    """The elements of an integer vector that are known, None for the others; None if not even their
    number is.
    """
    full = _value_of(tensor)
    if full is not None:
        return tuple(full.tolist()) if full.ndim == 1 else None
    if not tensor.op.inputs:
        captures = getattr(tensor.graph, "captures", ())
        outside = [outside for outside, inside in captures if inside is tensor]
        if outside:
            return partial(outside[0])
    if tensor.op.op.traits.reads == "shape":
        return tensor.op.inputs[tensor.value_index].shape._dims  # type: ignore[attr-defined,no-any-return]
    rule: Callable[[Any], Partial | None] | None = _PARTIAL.get(tensor.op.type)
    found = rule(tensor.op) if rule is not None else None
    if found is not None:
        return found
    dims = tensor.shape._dims
    if dims is None or len(dims) != 1 or dims[0] is None or dims[0] > _MOST_ENTRIES:
        return None
    return (None,) * dims[0]


def _element(tensor: Any) -> int | None:
    """An integer scalar, if it is known."""
    full = _value_of(tensor)
    if full is not None:
        return int(full) if full.ndim == 0 else None
    op = tensor.op
    if op.type == "Unpack":
        vector = partial(op.inputs[0])
        return None if vector is None else vector[tensor.value_index]
    return _element(op.inputs[0]) if op.type in ("Cast", "Identity") else None


def _partial_concat(op: Operation) -> Partial | None:
    parts = [partial(t) for t in op.inputs[:-1]]
    return (
        None
        if any(p is None for p in parts)
        else tuple(d for p in parts if p is not None for d in p)
    )


def _partial_slice(op: Operation) -> Partial | None:
    vector = partial(op.inputs[0])
    begin, end, strides = (_value_of(t) for t in op.inputs[1:4])
    masks = op.attrs
    if vector is None or begin is None or end is None or strides is None or begin.size != 1:
        return None
    if masks.get("shrink_axis_mask") or masks.get("new_axis_mask") or masks.get("ellipsis_mask"):
        return None
    start = None if masks.get("begin_mask") else int(begin[0])
    stop = None if masks.get("end_mask") else int(end[0])
    return vector[start : stop : int(strides[0])]


_PARTIAL: dict[str, Callable[[Any], Partial | None]] = {
    "Pack": lambda op: (
        tuple(_element(t) for t in op.inputs) if op.inputs[0].shape.rank == 0 else None
    ),
    "ConcatV2": _partial_concat,
    "StridedSlice": _partial_slice,
    "Cast": lambda op: partial(op.inputs[0]),
    "Identity": lambda op: partial(op.inputs[0]),
}


def spec(tensor: Any, *, wants_value: bool) -> Spec:
    """What a shape rule may know of an input; values only where the op's shape depends on them."""
    dims, handle = tensor.shape._dims, getattr(tensor, "_handle_data", None)
    if not wants_value or handle is not None:
        return Spec(dims, tensor._dtype, handle=handle)
    known = partial(tensor) if tensor._dtype.is_integer and tensor.shape.rank == 1 else None
    return Spec(dims, tensor._dtype, _value_of(tensor), known)
