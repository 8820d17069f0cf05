"""A graph that is called on flat tensors: at once, inside another graph, or recorded by a tape.

On the reading path after `function/function_type.py`, before `function/function.py`.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.gradients.tape import differentiable, record_custom
from runnel.core.gradients.variable_reads import note_read
from runnel.core.op import observing, placing
from runnel.core.op.context import state, unwatched
from runnel.core.settings import meshes
from runnel.core.state.resource import Resource
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import EagerTensor, Tensor, device_tensor, raw_value
from runnel.core.tensor.tensor_list import Stacked, TensorList
from runnel.core.values.errors import out_of_scope
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.graph import Graph
from runnel.graph.build.inlining import inline, lift
from runnel.graph.build.tensor import SymbolicTensor
from runnel.graph.control.call_gradients import as_one_op, uneven
from runnel.graph.control.subgraphs import Gradient, inside
from runnel.graph.run.effects import is_stateful
from runnel.graph.run.plan import Plan

_TRACED_BEFORE = (
    "The function was traced before somebody looked. To see which op it was, call clear_cache() of "
    "the tf.function, and then the function again."
)


class GraphFunction:
    """A graph with inputs and outputs that is called on flat tensors.

    The inputs are those of the graph followed by its captures. `name` is for those who watch calls.
    """

    def __init__(
        self,
        graph: FuncGraph,
        outputs: Sequence[SymbolicTensor],
        name: str | None = None,
        *,
        at_once: bool | str = False,
    ) -> None:
        self.graph = graph
        self.name = name or f"__inference_{graph.name}"
        self._at_once = at_once
        self.outputs = list(outputs)
        self.captured = graph.external_captures
        self.inputs = graph.inputs
        self._plan: Plan | None = None
        self._forward: _Forward | None = None

    @property
    def plan(self) -> Plan:
        if self._plan is None:
            if observing.planned is not None:
                observing.planned(self)
            self._plan = Plan(self.graph, self.inputs, self.outputs, at_once=self._at_once)
        return self._plan

    def plans(self) -> dict[str, Plan]:
        """The plans that have been made so far: of the call, and of its gradient."""
        made = {} if self._plan is None else {"forward": self._plan}
        if self._forward is not None:
            made.update(self._forward.plans())
        return made

    def call(self, tensors: Sequence[Tensor]) -> list[Tensor]:
        """The outputs for the graph's inputs (captures are added here)."""
        given = [*tensors, *self.captured, *self.found_now()]
        if state.tapes or state.graph is not None:
            for variable in self.graph.variables:
                note_read(variable)
        if state.graph is not None:
            with state.graph.name_scope(self._call_name()):
                _take_all(given, state.graph)
                results = inline(self.graph, self.inputs, self.outputs, given, state.graph)
                return as_one_op(self._uneven, given, results)
        if any(t._id in tape.watched for tape in state.tapes for t in given):
            return self.shown(self._call_recorded(given))
        return self.shown(self.run(given))

    def shown(self, results: list[Tensor]) -> list[Tensor]:
        """The results of a call outside graphs, which somebody may want to see."""
        if state.watcher is not None:
            values = [raw_value(t) for t in results]  # type: ignore[arg-type]
            traced_since = any(op.watcher is not None for op in self.graph.get_operations())
            state.watcher.given(self.name, values, "" if traced_since else _TRACED_BEFORE)
        return results

    def found_now(self) -> list[Tensor]:
        """The captures whose values are found in each call."""
        if not self.graph.call_time:
            return []
        return [t for value in self.graph.call_time.values() for t in value.tensors()]

    def _call_name(self) -> str:
        """What a graph calls the operation that stands for a call of this."""
        return "StatefulPartitionedCall" if is_stateful(self.graph) else "PartitionedCall"

    @functools.cached_property
    def _uneven(self) -> dict[int, int]:
        return uneven(self.graph.get_operations(), self.inputs, self.outputs)

    def run(self, given: Sequence[Tensor]) -> list[Tensor]:
        """The outputs for all inputs, told to no tape."""
        try:
            values = [raw_value(t) for t in given]  # type: ignore[arg-type]
        except TypeError:
            raise self._symbolic_input(given) from None
        if state.watcher is None:
            results = self.plan.run(values)
        else:
            with unwatched():
                results = self.plan.run(values)
        found = [_wrap(v, t) for v, t in zip(results, self.outputs, strict=True)]
        if meshes.made.any:
            found = [placing.handed_out(t) for t in found]
        if observing.called is not None:
            observing.called(self, given, found)
        return found

    def _symbolic_input(self, given: Sequence[Tensor]) -> TypeError:
        symbolic = next(t for t in given if not isinstance(t, EagerTensor))
        return TypeError(out_of_scope(symbolic, f"by a call of {self.graph.name!r} in eager mode"))

    def _call_recorded(self, given: Sequence[Tensor]) -> list[Tensor]:
        if self._forward is None:
            self._forward = _Forward(self)
        return self._forward.call(given)


_ON_HOST = (Resource, np.ndarray, np.generic, TensorList, Stacked)


def _wrap(value: Any, tensor: SymbolicTensor) -> Tensor:
    if isinstance(value, _ON_HOST):
        return EagerTensor(value, tensor.dtype)
    return device_tensor(value, tensor.dtype)


class _Forward:
    """A function that also returns the intermediate values its gradient needs."""

    def __init__(self, function: GraphFunction) -> None:
        self.function = function
        self.count = len(function.outputs)
        wanted = [i for i, t in enumerate(function.outputs) if differentiable(t.dtype)]
        first = _Backward(function, [function.outputs[i] for i in wanted], available=[])
        self._connected = [function.inputs[i] for i in first.gradient.places]
        self.extended = GraphFunction(
            function.graph,
            [*function.outputs, *first.gradient.needed],
            function.name.replace("__inference_", "__forward_", 1),
            at_once=function._at_once,
        )
        self._backward: dict[Any, _Backward] = {(state.watcher, *wanted): first}
        self._kept: list[Tensor] = [*self.extended.outputs, *map(_behind, function.outputs)]

    def plans(self) -> dict[str, Plan]:
        """The plans of the forward run that keeps values for the gradient, and of the gradients."""
        made = _made(self.extended, "forward for gradients")
        for number, backward in enumerate(self._backward.values()):
            label = "backward" if number == 0 else f"backward {number + 1}"
            made.update(_made(backward.function, label))
        return made

    def call(self, given: Sequence[Tensor]) -> list[Tensor]:
        outputs = self.extended.run(given)
        backward = functools.partial(self._gradient, given, outputs)
        record_custom(given, outputs, backward, self.function.graph.name)
        return outputs[: self.count]

    def _gradient(
        self, given: Sequence[Tensor], outputs: Sequence[Tensor], *arriving: Any
    ) -> list[Any]:
        wanted = tuple(i for i, g in enumerate(arriving) if g is not None)
        key = (state.watcher, *wanted)  # which looks at what is in the graph that is made now
        backward = self._backward.get(key)
        if backward is None:
            targets = [self.extended.outputs[i] for i in wanted]
            backward = _Backward(self.function, targets, self._kept, self._connected)
            self._backward[key] = backward
        values = [*outputs, *outputs[: self.count]]
        available = {t._id: v for t, v in zip(self._kept, values, strict=True)}
        available.update((t._id, v) for t, v in zip(self.function.inputs, given, strict=True))
        return backward.call([arriving[i] for i in wanted], available)


def _behind(output: SymbolicTensor) -> Tensor:
    """The tensor that an output hands on: one with the same value."""
    return output.op.inputs[0] if output.op.type == "Identity" else output


def _made(function: GraphFunction, label: str) -> dict[str, Plan]:
    return {} if function._plan is None else {label: function._plan}


class _Backward:
    """The gradient of chosen outputs of a function by its inputs.

    What the backward graph needs and the forward run did not return is computed again from what it
    did, and from the inputs. The inputs in `filled` have a gradient in any case, if only zeros, as
    those of an op.
    """

    def __init__(
        self,
        function: GraphFunction,
        targets: Sequence[SymbolicTensor],
        available: Sequence[Tensor],
        filled: Sequence[SymbolicTensor] = (),
    ) -> None:
        inputs = function.inputs
        self.gradient = Gradient(function.graph, inputs, targets, dense=False, filled=filled)
        backward = self.gradient.graph
        name = function.name.replace("__inference_", "__inference___backward_", 1)
        at_once = function._at_once
        self.function = GraphFunction(backward, backward.outputs, name, at_once=at_once)
        self._count = len(inputs)
        self._known = [*inputs, *available]
        known = {t._id for t in self._known}
        self._missing = [t for t in self.gradient.needed if available and t._id not in known]
        self._again = _computing(self._missing, self._known) if self._missing else None

    def call(self, arriving: Sequence[Any], available: dict[int, Tensor]) -> list[Any]:
        if self._again is not None:
            found = self._again.run([available[t._id] for t in self._known])
            available.update((t._id, v) for t, v in zip(self._missing, found, strict=True))
        dense = [convert_to_tensor(g) for g in arriving]
        captured = [available.get(t._id, t) for t in self.gradient.captured]
        flat = _call_with(self.function, [*dense, *captured])
        return self.gradient.assemble(flat, self._count)


def _take_all(given: Sequence[Tensor], graph: Graph) -> None:
    """Let a graph take all inputs of a call: a loop around it then has zeros for the gradient of
    one that the function does not use.
    """
    if isinstance(graph, FuncGraph):
        for tensor in given:
            if differentiable(tensor.dtype):
                graph.capture(tensor)


def _computing(wanted: Sequence[SymbolicTensor], known: Sequence[Any]) -> GraphFunction:
    """What computes tensors of a graph from known ones, without the graph's side effects."""
    graph = FuncGraph(f"{wanted[0].graph.name}_again")  # type: ignore[attr-defined]
    given = {t._id: graph.add_input(t.dtype, t.shape._dims) for t in known}
    for tensor in known:
        given[tensor._id]._handle_data = tensor._handle_data
    outputs = [inside(graph, lift(t, given, graph)) for t in wanted]
    return GraphFunction(graph, outputs)


def _call_with(function: GraphFunction, given: Sequence[Tensor]) -> list[Tensor]:
    """Call a function whose captures are given by the caller."""
    if state.graph is not None:
        return inline(function.graph, function.inputs, function.outputs, given, state.graph)
    if any(t._id in tape.watched for tape in state.tapes for t in given):
        return function.shown(function._call_recorded(given))
    return function.shown(function.run(given))
