"""What the graph of a function takes from outside: captured tensors, and values of each call.

On the reading path after `graph/build/func_graph.py`, before `graph/build/inference.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from runnel.core.gradients.tape import differentiable
from runnel.core.op import context
from runnel.core.op.op import op
from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import emit
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values import nest
from runnel.core.values.dtypes import DType, resource, string, variant
from runnel.core.values.errors import out_of_scope
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import Array, Dims, Namespace
from runnel.graph.build.deferred_captures import CallTimeValue, parts_of
from runnel.graph.build.graph import Graph
from runnel.graph.build.tensor import SymbolicTensor

_CONSTANT_SIZE = 16  # elements; a captured tensor of no more becomes a constant of the graph
_UNKNOWN = TensorShape(None)


def _placeholder_shape(*, dtype: DType, shape: TensorShape) -> Dims:
    return shape._dims


@op("Placeholder", "-> output: dtype", host=True, shape=_placeholder_shape)
def _placeholder(xp: Namespace, *, dtype: DType, shape: TensorShape = _UNKNOWN) -> Array:
    raise ValueError("A placeholder has no value of its own; the caller of its graph feeds it.")


class Capturing(Graph):
    """A graph inside another one, or inside the program: each capture is an outer tensor with the
    placeholder that stands for it.
    """

    def __init__(self, name: str, outer: Graph | None) -> None:
        super().__init__()
        self.name = name
        self.outer_graph = outer
        self._captures: dict[int, tuple[Tensor, SymbolicTensor]] = {}
        self.call_time: dict[Any, CallTimeValue] = {}  # by key
        self.saving_errors: set[str] = set()  # why it cannot be part of a SavedModel
        self.aliases: Mapping[int, Tensor] = {}

    @property
    def captures(self) -> list[tuple[Tensor, SymbolicTensor]]:
        return list(self._captures.values())

    @property
    def external_captures(self) -> list[Tensor]:
        return [outside for outside, _ in self._captures.values()]

    @property
    def internal_captures(self) -> list[SymbolicTensor]:
        return [inside for _, inside in self._captures.values()]

    @property
    def deferred_external_captures(self) -> list[Callable[[], Any]]:
        """What gives the values that are found anew in each call."""
        return [value.closure for value in self.call_time.values()]

    @property
    def deferred_internal_captures(self) -> list[Any]:
        """What stands for these values in the graph."""
        return [value.packed() for value in self.call_time.values()]

    @property
    def saveable(self) -> bool:
        return not self.saving_errors

    def mark_as_unsaveable(self, error_message: str) -> None:
        """Refuse to be part of a SavedModel, with this reason."""
        self.saving_errors.add(error_message)

    def placeholder(self, dtype: DType, dims: Dims, name: str | None = None) -> SymbolicTensor:
        """A new input."""
        with context.building(self), self.control_dependencies(None):
            made: SymbolicTensor = raw_ops.Placeholder(
                dtype=dtype, shape=TensorShape(dims), name=name or "Placeholder"
            )
        return made

    def capture(self, tensor: Tensor, name: str | None = None) -> Tensor:
        """The placeholder that stands for an outer tensor; a small value becomes a constant."""
        while tensor._id in self.aliases:
            tensor = self.aliases[tensor._id]
        if isinstance(tensor, SymbolicTensor) and tensor.graph is self:
            return tensor
        if tensor._id in self._captures:
            return self._captures[tensor._id][1]
        if isinstance(tensor, EagerTensor):
            if _is_small_value(tensor):
                with context.building(self):
                    return emit(np.asarray(tensor._value), name, tensor._dtype)
        elif not self._is_outside(tensor):
            raise self._leaked(tensor)
        else:
            known = tensor.constant_value() if tensor.dtype.is_integer else None  # type: ignore[attr-defined]
            if known is not None and known.size <= _CONSTANT_SIZE:
                return self._outer_constant(known, name, tensor._dtype)
        return self._new_capture(tensor, name)

    def replace_capture(self, tensor: Tensor, placeholder: SymbolicTensor) -> None:
        """Let a placeholder stand for an outer tensor."""
        self._captures[tensor._id] = (tensor, placeholder)

    add_capture = replace_capture

    def capture_call_time_value(
        self,
        closure: Callable[[], Any],
        spec: Any,
        key: Any = None,
        default_value: Any = None,
        placeholder: SymbolicTensor | None = None,
    ) -> Any:
        """What stands for the value that `closure` gives in each call, of the type `spec`.

        >>> rate = [0.5]
        >>> @tf.function
        ... def scaled(x):
        ...     return x * x.graph.capture_call_time_value(lambda: rate[0], tf.TensorSpec([]))
        >>> first = scaled(tf.constant(4.0))
        >>> rate[0] = 2.0
        >>> first.numpy(), scaled(tf.constant(4.0)).numpy()
        (np.float32(2.0), np.float32(8.0))
        """
        if default_value is not None:
            raise NotImplementedError("capture_call_time_value: default_value is not supported.")
        key = object() if key is None else key
        if isinstance(self.outer_graph, Capturing):  # a branch, a loop or a function inside
            outside = self.outer_graph.capture_call_time_value(closure, spec, key)
            return nest.map_structure(self.capture, outside, expand_composites=True)
        if key not in self.call_time:
            given = None if placeholder is None else [placeholder]
            made = given or [self.placeholder(s.dtype, s.shape._dims) for s in parts_of(spec)]
            self.call_time[key] = CallTimeValue(closure, spec, key, made)
            self.mark_as_unsaveable("It uses a value that is found anew in each call.")
        return self.call_time[key].packed()

    def replace_capture_with_deferred_capture(
        self,
        tensor: Tensor,
        closure: Callable[[], Any],
        spec: Any,
        placeholder: SymbolicTensor,
        default_value: Any = None,
    ) -> Any:
        """From now on use what `closure` gives in each call, and no longer the outer tensor."""
        self._captures.pop(tensor._id, None)
        return self.capture_call_time_value(closure, spec, tensor._id, default_value, placeholder)

    def _outer_constant(self, known: Any, name: str | None, dtype: DType) -> Tensor:
        """A value of an outer graph as a constant. TensorFlow would not look at it in here, so that
        shapes which it decides may change in a loop.
        """
        with context.building(self), self.control_dependencies(None):
            made = emit(known, name, dtype)
        made._from_outside = True
        return made

    def _new_capture(self, tensor: Tensor, name: str | None = None) -> SymbolicTensor:
        dims = () if tensor._dtype is resource else tensor.shape._dims
        inside = self.placeholder(tensor._dtype, dims, name or "captured")
        if tensor._dtype is resource:
            inside._handle_data = getattr(tensor, "_value", None) or getattr(
                tensor, "_handle_data", None
            )
        inside._from_outside = tensor._from_outside
        self._captures[tensor._id] = (tensor, inside)
        return inside

    def _is_outside(self, tensor: Any) -> bool:
        graph = self.outer_graph
        while graph is not None:
            if tensor.graph is graph:
                return True
            graph = getattr(graph, "outer_graph", None)
        return False

    def _leaked(self, tensor: Any) -> Exception:
        kind = InaccessibleTensorError if _is_within(tensor.graph, self) else TypeError
        return kind(out_of_scope(tensor, f"while tracing {self.name!r}"))


class InaccessibleTensorError(ValueError):
    """A symbolic tensor was used around its function; elsewhere that is a TypeError."""


def _is_within(graph: Any, outer: Graph) -> bool:
    while graph is not None and graph is not outer:
        graph = getattr(graph, "outer_graph", None)
    return graph is outer


def _is_small_value(tensor: EagerTensor) -> bool:
    """Whether a constant can stand for it: shapes may depend on it, but no gradient."""
    kind = tensor._dtype
    return (
        kind not in (resource, variant, string)
        and not differentiable(kind)
        and tensor._value.size <= _CONSTANT_SIZE
    )
