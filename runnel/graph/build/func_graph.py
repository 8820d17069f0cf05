"""Graphs of functions: arguments and results, and what is told of those who make variables.

On the reading path after `graph/build/graph.py`, before `graph/build/capturing.py`.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Protocol

from runnel.core.op import context
from runnel.core.op.op import Op
from runnel.core.settings.scopes import name_scope
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import DType
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import Dims
from runnel.graph.build.capturing import Capturing
from runnel.graph.build.graph import Graph
from runnel.graph.build.order import Order
from runnel.graph.build.tensor import SymbolicTensor
from runnel.graph.run.effects import uses_state
from runnel.kernels.random import seeds


class NewVariables(Protocol):
    """What a function does about the variables that are made while it is traced."""

    def expect(self) -> None:
        """A variable is about to be made; ValueError if none may be made now."""

    def initialize(self, variable: Any, value: Tensor) -> bool:
        """Take care of a variable's first value, unless it can be had at once (False)."""


class FuncGraph(Capturing):
    """The graph of a function.

    `arguments` are placeholders, and each capture is an outer tensor with its placeholder: together
    they are the `inputs`. The names in the graph of a branch or a loop begin with that of the
    operation `within` the outer graph which it will belong to.
    """

    def __init__(self, name: str, outer: Graph | None = None, within: str | None = None) -> None:
        super().__init__(name, outer)
        if within is not None and outer is not None:
            whole = within.endswith("/")  # a scope that is taken already
            self._scope = within[:-1] if whole else outer.unique_name(within, mark_as_used=False)
        self.arguments: list[SymbolicTensor] = []
        self.titles: dict[int, str] = {}  # what users call inputs, where that is not their name
        self.attributes: dict[str, Any] = {}  # what a FunctionDef says of the function
        self._outputs: list[SymbolicTensor] | None = None  # nobody has set them
        self._order: Order | None = None
        self.last: Any = None  # an operation that comes after all side effects
        self.structured_outputs: Any = None
        self.describe_inputs: Callable[[], Any] | None = None
        self._variables: dict[int, Any] = {}
        self.programs: dict[Any, Any] = {}
        self.new_variables: NewVariables | None = None  # who is told of variables made meanwhile
        self.hoists = False  # whether the shape of an outer tensor is taken outside
        self.dense = False  # whether gradients computed in it are made tensors in the end
        self._hoisted: dict[tuple[Any, ...], list[SymbolicTensor]] = {}
        self.seed = outer.seed if outer is not None else seeds.global_seed.value
        self._share_collections(outer)

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
        return [op for op in self._operations if uses_state(op)]

    def awaited_by(self, operation: Any) -> list[Any]:
        """In a finished graph, all side effects for a result, and those before any other."""
        if self._outputs is None:
            return []
        if self.last is not None and any(t.op is operation for t in self._outputs):
            return [self.last]
        if self._order is None or self._order.size != len(self._operations):
            self._order = Order(self._operations)
        return self._order.before(operation)

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
        if self.hoists and op.traits.reads and all(map(self._is_foreign, inputs)):
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

    def add_input(self, dtype: DType, dims: Dims, name: str | None = None) -> SymbolicTensor:
        made = self.placeholder(dtype, dims, name)
        self.arguments.append(made)
        return made

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


def outermost(graph: Graph | None) -> Graph | None:
    while isinstance(graph, FuncGraph) and graph.outer_graph is not None:
        graph = graph.outer_graph
    return graph
