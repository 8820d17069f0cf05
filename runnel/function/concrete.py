"""`ConcreteFunction`: one graph of a function, callable, and differentiable as if it were an op."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from runnel.core.gradients.tape import differentiable, note_read, record_custom
from runnel.core.op.context import state, unwatched
from runnel.core.state.resource import Resource
from runnel.core.state.trackable import Trackable
from runnel.core.state.variable import Variable
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import EagerTensor, Tensor, device_tensor, raw_value
from runnel.core.tensor.tensor_list import Stacked, TensorList
from runnel.core.values import nest
from runnel.core.values.errors import InvalidArgumentError, out_of_scope
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TensorSpec
from runnel.function.callable import Callable
from runnel.function.function_type import FunctionType, cast
from runnel.function.trace_type import trace_type
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.graph import Graph
from runnel.graph.build.inlining import inline, lift
from runnel.graph.build.tensor import SymbolicTensor
from runnel.graph.control.call_gradients import as_one_op, uneven
from runnel.graph.control.subgraphs import Gradient, inside
from runnel.graph.graphdef.export import Library, function_def
from runnel.graph.run import alarms
from runnel.graph.run.plan import Plan
from runnel.graph.run.program import is_stateful

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
        at_once: bool = False,
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
            if alarms.planned is not None:
                alarms.planned(self)
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
        if alarms.called is not None:
            alarms.called(self, given, found)
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


class ConcreteFunction(Trackable, Callable):
    """One trace of a function: callable with arguments that fit its signature."""

    def __init__(
        self, graph: FuncGraph, name: str, function_type: FunctionType, *, at_once: bool = False
    ) -> None:
        self.graph = graph
        self._name = name
        self.kind = function_type
        self._function = GraphFunction(graph, graph.outputs, name, at_once=at_once)
        self._output_places: Any = graph.structured_outputs
        self._single = isinstance(graph.structured_outputs, Tensor)
        graph.describe_inputs = lambda: self.structured_input_signature

    @property
    def name(self) -> bytes:
        """The name of the graph's function, which no other has."""
        return self._name.encode()

    @property
    def _saved_function(self) -> ConcreteFunction:
        return self

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """Positional and keyword arguments, with a named `tf.TensorSpec` for each tensor."""
        return self.kind.structured(_name_of(t) for t in self.graph.arguments)

    @property
    def inputs(self) -> list[SymbolicTensor]:
        return self._function.inputs

    @property
    def outputs(self) -> list[SymbolicTensor]:
        return self._function.outputs

    @property
    def captured_inputs(self) -> list[Tensor]:
        return [*self._function.captured, *self._function.found_now()]

    def set_external_captures(self, captures: Sequence[Tensor]) -> None:
        """Use other tensors from now on for what was captured, in the order of the old ones."""
        count, got = len(self.graph.external_captures), len(captures)
        if got != count:
            raise ValueError(f"{self._label()} captures {count} tensors, got {got}.")
        self._function.captured = list(captures)

    def replace_capture_with_deferred_capture(
        self,
        tensor: Tensor,
        closure: Any,
        spec: Any,
        placeholder: SymbolicTensor | None = None,
        default_value: Any = None,
    ) -> None:
        """From now on use what `closure` gives in each call, and no longer a captured tensor."""
        inner = {outside._id: place for outside, place in self.graph.captures}
        place = inner[tensor._id] if placeholder is None else placeholder
        replace = self.graph.replace_capture_with_deferred_capture
        replace(tensor, closure, spec, place, default_value)
        old = self._function
        self._function = GraphFunction(self.graph, old.outputs, old.name, at_once=old._at_once)

    def add_to_graph(self, g: Graph | None = None, overwrite: bool = False) -> None:
        """Let the messages of a graph, or of the one being built, have the function by its name."""
        into = state.graph if g is None else g
        if into is not None and (overwrite or self._name not in into.functions):
            into.functions[self._name] = self.graph

    def set_variables(self, variables: Sequence[Variable]) -> None:
        self.graph.variables = tuple(variables)

    def captures_any(self, handles: Collection[int]) -> bool:
        """Whether it uses variables with such handles other than those that it is called with."""
        return any(t._id in handles for t in self.graph.external_captures)

    @property
    def variables(self) -> tuple[Variable, ...]:
        return self.graph.variables

    @property
    def trainable_variables(self) -> tuple[Variable, ...]:
        return self.graph.trainable_variables

    @property
    def function_type(self) -> FunctionType:
        """The types of the arguments, of the result and of what is captured."""
        captures = {id(t): TensorSpec(t.shape, t.dtype) for t in self.captured_inputs}
        return FunctionType(self.kind.each, self._output_type(), captures)

    @property
    def structured_outputs(self) -> Any:
        return self._output_places

    @property
    def output_shapes(self) -> Any:
        """The shapes of the results; for a composite tensor, those of its components."""
        shape = lambda t: getattr(t, "shape", TensorShape(None))  # noqa: E731
        return nest.map_structure(shape, self._output_components())

    @property
    def output_dtypes(self) -> Any:
        """The dtypes of the results; for a composite tensor, those of its components."""
        return nest.map_structure(lambda t: getattr(t, "dtype", None), self._output_components())

    def _output_components(self) -> Any:
        return nest.map_structure(_components, self._output_places)

    @property
    def function_def(self) -> Any:
        """The graph as a `FunctionDef` message; functions that it calls are not part of it."""
        return function_def(self.graph, self.name.decode(), Library())

    @property
    def plan(self) -> Plan:
        """How the graph is run."""
        return self._function.plan

    def plans(self) -> dict[str, Plan]:
        """The plans that have run so far, by what they compute."""
        return self._function.plans()

    def __copy__(self) -> ConcreteFunction:
        return self

    def __reduce__(self) -> Any:
        raise TypeError(f"{self!r} cannot be pickled: its graph belongs to this process.")

    def call_flat(self, tensors: Sequence[Tensor]) -> Any:
        """Call on the tensors among the arguments, in order."""
        if self._single:
            return self._function.call(tensors)[0]
        return self.pack(self._function.call(tensors))

    def pack(self, flat: Sequence[Tensor]) -> Any:
        """Flat results in the structure that the Python function returned."""
        leaves = nest.flatten(self._output_places, expand_composites=True)
        rest = iter(flat)
        filled = [next(rest) if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        return nest.pack_sequence_as(self._output_places, filled, expand_composites=True)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            values = self.kind.bind(args, kwargs)
        except TypeError as error:
            return self.call_flat(self._flat_arguments(args, kwargs, error))
        return self.call_flat(self.kind.tensors(values))

    def _flat_arguments(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], why: TypeError
    ) -> list[Tensor]:
        """Only the tensors of the signature, in order or by the names of their specs."""
        names = [_name_of(t) for t in self.graph.arguments]
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        numbered = dict(zip(_numbered(self.kind), names, strict=True))
        given = {numbered.get(k, k) if k not in names else k: v for k, v in given.items()}
        tensors = all(isinstance(v, Tensor | Variable) for v in given.values())
        if set(given) != set(names) or len(args) + len(kwargs) != len(names) or not tensors:
            raise TypeError(
                f"The arguments do not fit {self._label()}: {why} They may also be just its "
                f"tensors ({', '.join(names) or 'none'}); got {len(args)} positional arguments "
                f"and {sorted(kwargs)}."
            )
        pairs = [(t, given[n]) for t, n in zip(self.graph.arguments, names, strict=True)]
        return [_fitting(t, v) for t, v in pairs]

    def _label(self) -> str:
        return f"{self.graph.name}{self.kind}"

    def _output_type(self) -> Any:
        return trace_type(self._output_places)

    def __repr__(self) -> str:
        return f"<ConcreteFunction {self.function_type} at 0x{id(self):X}>"

    def __str__(self) -> str:
        return f"ConcreteFunction {self.pretty_printed_signature()}"

    def pretty_printed_signature(self, verbose: bool = True) -> str:
        """The types of the arguments and of the result, for people."""
        return repr(self.function_type) if verbose else str(self.function_type)


def _name_of(tensor: SymbolicTensor) -> str:
    """What users call an input: its name, or that of the argument with the path inside it."""
    return tensor.graph.titles.get(tensor._id, tensor.op.name)  # type: ignore[attr-defined,no-any-return]


def _fitting(wanted: SymbolicTensor, value: Any) -> Any:
    """A tensor for an input of the graph, which must have its dtype.

    That its shape fits is asked only while another graph is built: a run goes by the shapes it
    gets, and fails where an operation does.
    """
    if value.dtype is not wanted.dtype:
        raise InvalidArgumentError(
            None,
            None,
            f"Argument {_name_of(wanted)!r} must be a {wanted.dtype.name} tensor, got "
            f"{value.dtype.name}.",
        )
    if state.graph is None and isinstance(value, Tensor):
        return value
    return cast(TensorSpec(wanted.shape, wanted.dtype), value, _name_of(wanted))


def _numbered(function_type: FunctionType) -> list[str]:
    """Names of the flat tensors: of their specs, or by parameter (`d`, `d_1`, `d_2` …)."""
    names = []
    for parameter in function_type.each:
        numbers = itertools.count()
        for spec in parameter.type.flatten():
            number = 0 if spec.name else next(numbers)
            base = spec.name or parameter.name
            names.append(f"{base}_{number}" if number else base)
    return names


def _components(value: Any) -> Any:
    spec = getattr(value, "_type_spec", None)
    return value if spec is None else spec._to_components(value)
