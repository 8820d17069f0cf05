"""Concrete functions as messages: their bodies, signatures, and what they capture."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from runnel.core.composite import structured_value
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values import nest
from runnel.core.values.dtypes import resource
from runnel.core.values.type_spec import TensorSpec
from runnel.data.graph.rewriting import tensorflow_form
from runnel.function.concrete import ConcreteFunction
from runnel.function.function_type import parameter_name
from runnel.function.structure_type import Structure
from runnel.function.trace_type import Weakref
from runnel.function.variable_type import VariableType
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.graphdef.export import Library
from runnel.saved_model.writing.debug_info import Frame
from runnel.saved_model.writing.top_graph import TopGraph


class SavedFunctions:
    """The functions of one model. Objects go by number; `nodes` are their names in the graph."""

    def __init__(self, meta_graph: Any, top: TopGraph, *, with_gradients: bool) -> None:
        self._objects = meta_graph.object_graph_def
        self._graph_def = meta_graph.graph_def
        self._top = top
        self._library = Library(with_gradients=with_gradients)
        self._functions: list[ConcreteFunction] = []
        self._names: dict[int, str] = {}  # by the id of the function
        self._graphs: dict[int, FuncGraph] = {}  # likewise
        self._used: set[str] = set()
        self._constants: dict[int, int] = {}  # the numbers of captured tensors, by their id
        self.nodes: dict[int, str] = {}

    @property
    def messages(self) -> list[Any]:
        """The functions as `FunctionDef`s."""
        return self._library.functions

    def lines(self) -> Iterator[tuple[str, Frame]]:
        """The line of the program that each operation of each function comes from."""
        for graph, name in self._library.names.items():
            for operation in graph.get_operations():
                frame = operation.traceback[0]
                yield f"{operation.name}@{name}", (frame.filename, frame.lineno or 0, frame.name)

    def name_of(self, function: ConcreteFunction) -> str:
        """The name of a function in the library, in which it is written when first asked for."""
        if id(function) not in self._names:
            name, count = function.name.decode(), 0
            while name in self._used:
                count += 1
                name = f"{function.name.decode()}_{count}"
            self._used.add(name)
            self._names[id(function)] = name
            self._functions.append(function)
        return self._names[id(function)]

    def write(self, handles: Mapping[int, int], named: Iterable[ConcreteFunction]) -> None:
        """The functions' bodies, and what they capture: `handles` are the objects' tensors.

        The outputs of those in `named` have their keys for names.
        """
        keyed = {id(function) for function in named}
        for function in self._functions:
            name = self._names[id(function)]
            if not function.graph.saveable:
                why = " ".join(sorted(function.graph.saving_errors))
                raise ValueError(f"The function {function.graph.name!r} cannot be saved: {why}")
            graph = self._graph_of(function)
            self._library.name_of(graph, name)
            proto = self._objects.concrete_functions[name]
            for tensor in graph.external_captures:
                proto.bound_inputs.append(self._bound(handles, tensor, name))
            args, kwargs = function.structured_input_signature
            output = output_spec(function)
            if id(function) in keyed:
                kwargs = {parameter_name(key): _input(spec) for key, spec in kwargs.items()}
                output = {key: _called(spec, _tensor_name(key)) for key, spec in output.items()}
            signature = structured_value.encode((args, kwargs))
            proto.canonicalized_input_signature.CopyFrom(signature)
            proto.output_signature.CopyFrom(structured_value.encode(output))
        self._write_gradients(handles)

    def _graph_of(self, function: ConcreteFunction) -> FuncGraph:
        """The graph that is written for a function."""
        if id(function) not in self._graphs:
            self._graphs[id(function)] = tensorflow_form(function.graph)
        return self._graphs[id(function)]

    def _write_gradients(self, handles: Mapping[int, int]) -> None:
        """The gradients that programs gave to operations, as functions too."""
        objects = self._objects
        for place, gradient in enumerate(list(self._library.gradients)):
            name = f"__inference_internal_grad_fn_{place}_{gradient.function}"
            self._library.name_of(gradient.graph, name)
            proto = objects.concrete_functions[name]
            for captured in gradient.captured:
                if isinstance(captured, Tensor):
                    proto.bound_inputs.append(self._bound(handles, captured, name))
                    continue
                proto.bound_inputs.append(len(objects.nodes))
                node = objects.nodes.add().captured_tensor
                node.name, node.concrete_function = captured, gradient.function
            args = (None, *[TensorSpec(t.shape, t.dtype) for t in gradient.graph.arguments])
            results = iter(gradient.graph.outputs)
            output = [_spec_of(next(results)) if has else None for has in gradient.places]
            proto.canonicalized_input_signature.CopyFrom(structured_value.encode((args, {})))
            proto.output_signature.CopyFrom(structured_value.encode(output))
            self._graph_def.library.registered_gradients.add(
                gradient_func=name, registered_op_type=gradient.kind
            )

    def _bound(self, handles: Mapping[int, int], tensor: Tensor, function: str) -> int:
        """The number of the object that a captured tensor belongs to."""
        if tensor._id in handles:
            return handles[tensor._id]
        if tensor._id in self._constants:
            return self._constants[tensor._id]
        if not isinstance(tensor, EagerTensor) or tensor.dtype is resource:
            raise AssertionError(
                f"Tried to export a function which references an 'untracked' resource. TensorFlow "
                f"objects (e.g. tf.Variable) captured by functions must be 'tracked' by assigning "
                f"them to an attribute of a tracked object or assigned to an attribute of the main "
                f"object directly. The function is {function!r}, the captured tensor {tensor!r}"
                f"{_described(tensor)}."
            )
        nodes = self._objects.nodes
        number = self._constants[tensor._id] = len(nodes)
        self.nodes[number] = self._top.constant(tensor._value, tensor.dtype)
        nodes.add().constant.operation = self.nodes[number]
        return number

    def bound_inputs(self, name: str) -> list[int]:
        return list(self._objects.concrete_functions[name].bound_inputs)

    def call(self, function: ConcreteFunction) -> str:
        name = self.name_of(function)
        captured = zip(self.bound_inputs(name), self._graph_of(function).external_captures)
        given = [(self.nodes[number], tensor.dtype) for number, tensor in captured]
        return self._top.call(name, given, [t.dtype for t in function.graph.outputs])


def _described(tensor: Any) -> str:
    held: Any = getattr(tensor, "_value", None)
    return f" (the variable {held.name!r})" if hasattr(held, "static_shape") else ""


def is_encodable(function: ConcreteFunction) -> bool:
    """Whether a trace can be called again by its arguments, which may be none but simple values."""
    if any(_holds_objects(kind) for kind in function.kind.types):
        return False
    try:
        structured_value.encode(function.structured_input_signature)
    except (TypeError, ValueError):
        return False
    structured_value.encode(output_spec(function))  # what it returns must not get lost
    return not any(hasattr(t, "op") for t in function.captured_inputs)


def _holds_objects(kind: Any) -> bool:
    """Whether an argument was one object of the program, which may be gone, or one variable."""
    if isinstance(kind, Structure):
        return any(_holds_objects(part) for part in kind.parts)
    return isinstance(kind, Weakref) or (isinstance(kind, VariableType) and kind.pinned)


def output_spec(function: ConcreteFunction) -> Any:
    return nest.map_structure(_spec_of, function.structured_outputs)


def _spec_of(value: Any) -> Any:
    if isinstance(value, Tensor):
        return TensorSpec(value.shape, value.dtype)
    return getattr(value, "_type_spec", value)


def _called(spec: Any, name: str) -> Any:
    return TensorSpec(spec.shape, spec.dtype, name) if type(spec) is TensorSpec else spec


def _input(spec: Any) -> Any:
    """The spec of an input as TensorFlow writes it, plain names in small letters."""
    name = getattr(spec, "name", None)
    return _called(spec, name.lower()) if name and name.isidentifier() else spec


def _tensor_name(key: str) -> str:
    """What TensorFlow calls a signature's output, whose key may be any text."""
    found = re.sub(r"\W", "_", key.lower()) or "unknown"
    return found if found[0].isalpha() else f"tensor_{found}"


def write_bare(proto: Any, function: ConcreteFunction, name: str) -> None:
    """A function that is an object by itself: a signature, or a trace in an attribute."""
    proto.concrete_function_name = name
    args, kwargs = function.structured_input_signature
    proto.argument_keywords.extend(p.name for p in function.kind.each for _ in p.type.flatten())
    proto.allowed_positional_arguments = len(args) if args else int(len(kwargs) == 1)
