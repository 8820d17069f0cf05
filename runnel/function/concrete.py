"""`ConcreteFunction`: one graph of a function, callable, and differentiable as if it were an op."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core import nest
from runnel.core.context import state
from runnel.core.convert import convert_to_tensor
from runnel.core.resource import Resource
from runnel.core.tape import differentiable, note_read, record_custom
from runnel.core.tensor import EagerTensor, Tensor, device_tensor, raw_value
from runnel.core.tensor_list import TensorList
from runnel.core.variable import Variable
from runnel.graph.export import Library, function_def
from runnel.graph.func_graph import FuncGraph
from runnel.graph.inlining import inline
from runnel.graph.plan import Plan
from runnel.graph.subgraphs import Gradient
from runnel.graph.tensor import SymbolicTensor


class GraphFunction:
    """A graph with inputs and outputs that is called on flat tensors.

    The inputs are those of the graph followed by its captures.
    """

    def __init__(self, graph: FuncGraph, outputs: Sequence[SymbolicTensor]) -> None:
        self.graph = graph
        self.outputs = list(outputs)
        self.captured = graph.external_captures
        self.inputs = [*graph.inputs, *graph.internal_captures]
        self._plan: Plan | None = None
        self._forward: _Forward | None = None

    @property
    def plan(self) -> Plan:
        if self._plan is None:
            self._plan = Plan(self.graph, self.inputs, self.outputs)
        return self._plan

    def call(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """The outputs for the graph's inputs (captures are added here)."""
        given = [*tensors, *self.captured]
        if state.tapes or state.graph is not None:
            for variable in self.graph.variables:
                note_read(variable)
        if state.graph is not None:
            return inline(self.graph, self.inputs, self.outputs, given, state.graph)
        if any(t._id in tape.watched for tape in state.tapes for t in given):
            return self._call_recorded(given)
        return self.run(given)

    def run(self, given: Sequence[Tensor]) -> list[Tensor]:
        """The outputs for all inputs, told to no tape."""
        values = self.plan.run([raw_value(t) for t in given])  # type: ignore[arg-type]
        return [_wrap(v, t) for v, t in zip(values, self.outputs, strict=True)]

    def _call_recorded(self, given: Sequence[Tensor]) -> list[Tensor]:
        if self._forward is None:
            self._forward = _Forward(self)
        return self._forward.call(given)


def _wrap(value: Any, tensor: SymbolicTensor) -> Tensor:
    if isinstance(value, Resource | np.ndarray | np.generic | TensorList):
        return EagerTensor(value, tensor.dtype)
    return device_tensor(value, tensor.dtype)


class _Forward:
    """A function that also returns the intermediate values its gradient needs."""

    def __init__(self, function: GraphFunction) -> None:
        self.function = function
        self.count = len(function.outputs)
        wanted = [i for i, t in enumerate(function.outputs) if differentiable(t.dtype)]
        first = _Backward(function, [function.outputs[i] for i in wanted], available=[])
        self.extended = GraphFunction(function.graph, [*function.outputs, *first.gradient.needed])
        self._backward: dict[tuple[int, ...], _Backward] = {tuple(wanted): first}

    def call(self, given: Sequence[Tensor]) -> list[Tensor]:
        outputs = self.extended.run(given)
        record_custom(given, outputs, functools.partial(self._gradient, given, outputs))
        return outputs[: self.count]

    def _gradient(
        self, given: Sequence[Tensor], outputs: Sequence[Tensor], *arriving: Any
    ) -> list[Any]:
        wanted = tuple(i for i, g in enumerate(arriving) if g is not None)
        backward = self._backward.get(wanted)
        if backward is None:
            outputs_ = self.extended.outputs
            backward = _Backward(self.function, [outputs_[i] for i in wanted], outputs_)
            self._backward[wanted] = backward
        available = {t._id: v for t, v in zip(self.extended.outputs, outputs, strict=True)}
        available.update((t._id, v) for t, v in zip(self.function.inputs, given, strict=True))
        return backward.call([arriving[i] for i in wanted], available)


class _Backward:
    """The gradient of chosen outputs of a function by its inputs.

    What the backward graph needs and the forward run did not return is computed again from the inputs.
    """

    def __init__(
        self,
        function: GraphFunction,
        targets: Sequence[SymbolicTensor],
        available: Sequence[SymbolicTensor],
    ) -> None:
        self.gradient = Gradient(function.graph, function.inputs, targets, dense=False)
        self._function = GraphFunction(self.gradient.graph, self.gradient.graph.outputs)
        self._inputs = function.inputs
        known = {t._id for t in available}
        missing = [t for t in self.gradient.needed if t._id not in known]
        self._again = GraphFunction(function.graph, missing) if available and missing else None

    def call(self, arriving: Sequence[Any], available: dict[int, Tensor]) -> list[Any]:
        if self._again is not None:
            found = self._again.run([available[t._id] for t in self._inputs])
            available.update((t._id, v) for t, v in zip(self._again.outputs, found, strict=True))
        dense = [convert_to_tensor(g) for g in arriving]
        captured = [available[t._id] for t in self.gradient.captured]
        flat = _call_with(self._function, [*dense, *captured])
        return self.gradient.assemble(flat, len(self._inputs))


def _call_with(function: GraphFunction, given: Sequence[Tensor]) -> list[Tensor]:
    """Call a function whose captures are given by the caller."""
    if state.graph is not None:
        return inline(function.graph, function.inputs, function.outputs, given, state.graph)
    if any(t._id in tape.watched for tape in state.tapes for t in given):
        return function._call_recorded(given)
    return function.run(given)


class ConcreteFunction:
    """One trace of a function: callable with arguments that fit its signature."""

    def __init__(self, graph: FuncGraph, name: str, signature: Any, structure: Any) -> None:
        self.graph = graph
        self.name = name
        self._function = GraphFunction(graph, graph.outputs)
        self.structured_input_signature = signature
        self._arguments = structure
        self._output_places: Any = graph.structured_outputs

    @property
    def inputs(self) -> list[SymbolicTensor]:
        return self._function.inputs

    @property
    def outputs(self) -> list[SymbolicTensor]:
        return self._function.outputs

    @property
    def captured_inputs(self) -> list[Tensor]:
        return self._function.captured

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self.graph.variables

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        return self.graph.trainable_variables

    @property
    def structured_outputs(self) -> Any:
        return self._output_places

    @property
    def function_def(self) -> Any:
        """The graph as a `FunctionDef` message; functions that it calls are not part of it."""
        return function_def(self.graph, f"__inference_{self.name}", Library())

    def call_flat(self, tensors: Sequence[Tensor]) -> Any:
        """Call on the tensors among the arguments, in order."""
        return self.pack(self._function.call(tensors))

    def pack(self, flat: Sequence[Tensor]) -> Any:
        """Flat results in the structure that the Python function returned."""
        if isinstance(self._output_places, Tensor):
            return flat[0]
        leaves = nest.flatten(self._output_places, expand_composites=True)
        rest = iter(flat)
        filled = [next(rest) if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        return nest.pack_sequence_as(self._output_places, filled, expand_composites=True)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.call_flat(self._arguments.tensors_of(args, kwargs))

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.pretty_printed_signature(verbose=False)}>"

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """The name with its arguments, for people."""
        text: str = self._arguments.describe(self.name)
        if not verbose:
            return text
        results = nest.map_structure(
            lambda t: (
                f"{t.dtype.name} Tensor, shape={t.shape}" if isinstance(t, Tensor) else repr(t)
            ),
            self._output_places,
        )
        return f"{text}\n  Returns:\n    {results}"
