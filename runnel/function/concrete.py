"""`ConcreteFunction`: one trace of a function, called with arguments that fit its signature."""

from __future__ import annotations

import itertools
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from runnel.core.op.context import state
from runnel.core.state.trackable import Trackable
from runnel.core.state.variable import Variable
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import nest
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.shape import TensorShape
from runnel.core.values.tracebacks import trim
from runnel.core.values.type_spec import TensorSpec
from runnel.function.callable import Callable
from runnel.function.function_type import FunctionType, cast
from runnel.function.graph_function import GraphFunction
from runnel.function.insight.atomic import AtomicFunction
from runnel.function.trace_type import trace_type
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.graph import Graph
from runnel.graph.build.tensor import SymbolicTensor
from runnel.graph.graphdef.export import Library, function_def
from runnel.graph.run.plan import Plan


class ConcreteFunction(Trackable, Callable):
    """One trace of a function: callable with arguments that fit its signature."""

    def __init__(
        self, graph: FuncGraph, name: str, function_type: FunctionType, *, at_once: Any = False
    ) -> None:
        self.graph = graph
        self._name = name
        self.kind = function_type
        self._function = GraphFunction(graph, graph.outputs, name, at_once=at_once)
        self._output_places: Any = graph.structured_outputs
        self._single = isinstance(graph.structured_outputs, Tensor)
        self._names = _names_of_tensors(graph.structured_outputs)
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
        return self.kind.structured(input_name(t) for t in self.graph.arguments)

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

    add_gradient_functions_to_graph = add_to_graph  # gradients belong to the graph that asks

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
    def inference_fn(self) -> AtomicFunction:
        """The graph as a function of all its tensors, those that it captured too."""
        return AtomicFunction(self)

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
        if self._names is not None:
            found = dict(zip(self._names[0], flat, strict=True))
            return {name: found[name] for name in self._names[1]}
        leaves = nest.flatten(self._output_places, expand_composites=True)
        rest = iter(flat)
        filled = [next(rest) if isinstance(leaf, Tensor) else leaf for leaf in leaves]
        return nest.pack_sequence_as(self._output_places, filled, expand_composites=True)

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            try:
                values = self.kind.bind(args, kwargs)
            except TypeError as error:
                return self.call_flat(self._flat_arguments(args, kwargs, error))
            return self.call_flat(self.kind.tensors(values))
        except Exception as error:
            trim(error)
            raise

    def _flat_arguments(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], why: TypeError
    ) -> list[Tensor]:
        """Only the tensors of the signature, in order or by the names of their specs."""
        names = [input_name(t) for t in self.graph.arguments]
        given = {**dict(zip(names, args, strict=False)), **kwargs}
        numbered = dict(zip(numbered_names(self.kind), names, strict=True))
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


def input_name(tensor: SymbolicTensor) -> str:
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
            f"Argument {input_name(wanted)!r} must be a {wanted.dtype.name} tensor, got "
            f"{value.dtype.name}.",
        )
    if state.graph is None and isinstance(value, Tensor):
        return value
    return cast(TensorSpec(wanted.shape, wanted.dtype), value, input_name(wanted))


def numbered_names(function_type: FunctionType) -> list[str]:
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


def _names_of_tensors(outputs: Any) -> tuple[list[str], list[str]] | None:
    """The keys of a plain dict of tensors, as `tf.nest` orders them and as the dict does.

    Such results, which a training step of Keras has, are packed without a walk through the nest.
    """
    if type(outputs) is not dict or not all(isinstance(v, Tensor) for v in outputs.values()):
        return None
    names = list(outputs)
    return (sorted(names), names) if all(type(name) is str for name in names) else None
