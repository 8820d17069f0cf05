"""Graphs of functions: placeholders for the arguments, captures of what lies outside."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

import numpy as np

from runnel.core import context, nest, seeds
from runnel.core.convert import emit
from runnel.core.dtypes import DType, resource, string, variant
from runnel.core.errors import out_of_scope
from runnel.core.op import Op, op
from runnel.core.raw import raw_ops
from runnel.core.scopes import name_scope
from runnel.core.shape import TensorShape
from runnel.core.tape import differentiable
from runnel.core.tensor import EagerTensor, Tensor
from runnel.core.types import Array, Dims, Namespace
from runnel.graph.call_time import CallTimeValue, parts_of
from runnel.graph.graph import Graph
from runnel.graph.tensor import SymbolicTensor

# A backward graph asks the forward graph for these, so that it need not keep the whole tensor.
_HOISTED = frozenset({"Shape", "ShapeN", "Size", "Rank", "TensorListLength"})
_CONSTANT_SIZE = 16  # elements; a captured tensor of no more becomes a constant of the graph


_UNKNOWN = TensorShape(None)


def _placeholder_shape(*, dtype: DType, shape: TensorShape) -> Dims:
    return shape._dims


@op("Placeholder", "-> output: dtype", host=True, shape=_placeholder_shape)
def _placeholder(xp: Namespace, *, dtype: DType, shape: TensorShape = _UNKNOWN) -> Array:
    raise ValueError("A placeholder has no value of its own; the caller of its graph feeds it.")


class NewVariables(Protocol):
    """What a function does about the variables that are made while it is traced."""

    def expect(self) -> None:
        """A variable is about to be made; ValueError if none may be made now."""

    def initialize(self, variable: Any, value: Tensor) -> bool:
        """Take care of a variable's first value, unless it can be had at once (False)."""


class FuncGraph(Graph):
    """The graph of a function.

    `arguments` are placeholders, and each capture is an outer tensor with its placeholder: together
    they are the `inputs`. The names in the graph of a branch or a loop begin with that of the
    operation `within` the outer graph which it will belong to.
    """

    def __init__(self, name: str, outer: Graph | None = None, within: str | None = None) -> None:
        super().__init__()
        if within is not None and outer is not None:
            whole = within.endswith("/")  # a scope that is taken already
            self._scope = within[:-1] if whole else outer.unique_name(within, mark_as_used=False)
        self.name = name
        self.outer_graph = outer
        self.arguments: list[SymbolicTensor] = []
        self.titles: dict[int, str] = {}  # what users call inputs, where that is not their name
        self.attributes: dict[str, Any] = {}  # what a FunctionDef says of the function
        self._outputs: list[SymbolicTensor] | None = None  # nobody has set them
        self._order: Any = None
        self.last: Any = None  # an operation that comes after all side effects
        self.structured_outputs: Any = None
        self.describe_inputs: Callable[[], Any] | None = None
        self._captures: dict[int, tuple[Tensor, SymbolicTensor]] = {}
        self.call_time: dict[Any, CallTimeValue] = {}  # by key
        self.saving_errors: set[str] = set()  # why it cannot be part of a SavedModel
        self._variables: dict[int, Any] = {}
        self.aliases: Mapping[int, Tensor] = {}
        self.programs: dict[Any, Any] = {}
        self.new_variables: NewVariables | None = None  # who is told of variables made meanwhile
        self.hoists = False  # whether the shape of an outer tensor is taken outside
        self.dense = False  # whether gradients computed in it are made tensors in the end
        self._hoisted: dict[tuple[Any, ...], list[SymbolicTensor]] = {}
        self.seed = outer.seed if outer is not None else seeds.global_seed.value

    @property
    def building_function(self) -> bool:
        return True

    @property
    def structured_input_signature(self) -> Any:
        """Positional and keyword arguments; asked for when needed, so that none is kept alive."""
        return None if self.describe_inputs is None else self.describe_inputs()

    @structured_input_signature.setter
    def structured_input_signature(self, signature: Any) -> None:
        self.describe_inputs = lambda: signature

    @property
    def inputs(self) -> list[SymbolicTensor]:
        """The placeholders: those of the arguments, then one per capture."""
        late = [place for value in self.call_time.values() for place in value.places]
        return [*self.arguments, *self.internal_captures, *late]

    @property
    def outputs(self) -> list[SymbolicTensor]:
        """The results, of which setting them finishes the graph."""
        return [] if self._outputs is None else self._outputs

    @outputs.setter
    def outputs(self, outputs: list[SymbolicTensor]) -> None:
        self._outputs = outputs

    @property
    def control_outputs(self) -> list[Any]:
        """The operations that use a state, which run whether or not a result needs them."""
        from runnel.graph.program import uses_state  # which needs this module

        return [op for op in self._operations if uses_state(op)]

    def awaited_by(self, operation: Any) -> list[Any]:
        """In a finished graph, all side effects for a result, and those before any other."""
        from runnel.graph.order import Order  # which needs this module

        if self._outputs is None:
            return []
        if self.last is not None and any(t.op is operation for t in self._outputs):
            return [self.last]
        if self._order is None or self._order.size != len(self._operations):
            self._order = Order(self._operations)
        return self._order.before(operation)  # type: ignore[no-any-return]

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
    def variables(self) -> tuple[Any, ...]:
        return tuple(v() for v in self._variables.values() if v() is not None)

    @variables.setter
    def variables(self, variables: Sequence[Any]) -> None:
        self._variables = {v.handle._id: weakref.ref(v) for v in variables}

    @property
    def trainable_variables(self) -> tuple[Any, ...]:
        return tuple(v for v in self.variables if v.trainable)

    @property
    def output_types(self) -> list[DType]:
        return [t.dtype for t in self.outputs]

    @property
    def output_shapes(self) -> list[TensorShape]:
        return [t.shape for t in self.outputs]

    @property
    def saveable(self) -> bool:
        return not self.saving_errors

    def mark_as_unsaveable(self, error_message: str) -> None:
        """Refuse to be part of a SavedModel, with this reason."""
        self.saving_errors.add(error_message)

    def watch_variable(self, variable: Any) -> None:
        """Count a variable as one that the function uses."""
        self.note_variable(variable)

    def note_variable(self, variable: Any) -> None:
        """Remember that the function uses a variable, without keeping it alive.

        One that is an argument is the caller's business.
        """
        if variable.handle._id in self.aliases:
            return
        self._variables.setdefault(variable.handle._id, weakref.ref(variable))

    def add_op(
        self, op: Op, inputs: Sequence[Tensor], attrs: Mapping[str, Any], name: str | None = None
    ) -> list[SymbolicTensor]:
        if self.hoists and op.name in _HOISTED and all(map(self._is_foreign, inputs)):
            assert isinstance(self.outer_graph, FuncGraph)
            outside = self.outer_graph._asked_for(op, inputs, attrs, name)
            return [self.capture(t) for t in outside]  # type: ignore[misc]
        return super().add_op(op, inputs, attrs, name)

    def _asked_for(
        self, op: Op, inputs: Sequence[Tensor], attrs: Mapping[str, Any], name: str | None
    ) -> list[SymbolicTensor]:
        """What a backward graph asks for, the same for each: forward runs keep it for the first."""
        key = (op.name, *[t._id for t in inputs], *sorted(attrs.items()))
        if key not in self._hoisted:
            self._hoisted[key] = self.add_op(op, inputs, attrs, name)
        return self._hoisted[key]

    def _is_foreign(self, tensor: Any) -> bool:
        return isinstance(tensor, SymbolicTensor) and tensor.graph is self.outer_graph

    def placeholder(self, dtype: DType, dims: Dims, name: str | None = None) -> SymbolicTensor:
        """A new input."""
        with context.building(self), self.control_dependencies(None):
            made: SymbolicTensor = raw_ops.Placeholder(
                dtype=dtype, shape=TensorShape(dims), name=name or "Placeholder"
            )
        return made

    def add_input(self, dtype: DType, dims: Dims, name: str | None = None) -> SymbolicTensor:
        made = self.placeholder(dtype, dims, name)
        self.arguments.append(made)
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
        if isinstance(self.outer_graph, FuncGraph):  # a branch, a loop or a function inside
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
        inside = self.placeholder(tensor._dtype, tensor.shape._dims, name or "captured")
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

    @contextmanager
    def variable_scope(self) -> Iterator[NewVariables | None]:
        """A variable made while tracing lives outside; its value is computed there."""
        told = self.expect_variable()
        scope = f"{self._scope}/" if self._scope else ""
        with context.building(None), context.unrecorded(), name_scope(scope):
            yield told

    def kind_of_variables(self) -> Any:
        graph = outermost(self)
        return None if isinstance(graph, FuncGraph | None) else graph.kind_of_variables()

    def expect_variable(self) -> NewVariables | None:
        """Who is told of a variable that is about to be made; an error if none may be made."""
        graph: Any = self
        while graph.new_variables is None and isinstance(graph.outer_graph, FuncGraph):
            graph = graph.outer_graph
        if graph.new_variables is not None:
            graph.new_variables.expect()
        return graph.new_variables  # type: ignore[no-any-return]


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


def outermost(graph: Graph | None) -> Graph | None:
    while isinstance(graph, FuncGraph) and graph.outer_graph is not None:
        graph = graph.outer_graph
    return graph
