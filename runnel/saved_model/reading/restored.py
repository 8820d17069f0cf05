"""Functions of a loaded model. The graph of one is made of its message when it is first needed."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from runnel.core.op import context
from runnel.core.tensor.tensor import Tensor, next_id
from runnel.core.values import nest
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.type_spec import TensorSpec, TypeSpec
from runnel.function.binding import Binder
from runnel.function.concrete import ConcreteFunction
from runnel.function.function import Function
from runnel.function.function_type import FunctionType, cast, parameter_name, trace_type_text
from runnel.function.graph_function import GraphFunction
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.graphdef.importing import Functions


class RestoredConcreteFunction(ConcreteFunction):
    """One function of a SavedModel.

    `captured` are functions that give the tensors it captures: that of a table, for instance,
    exists only when the table has been made.
    """

    def __init__(
        self,
        name: str,
        functions: Functions,
        function_type: FunctionType,
        signature: tuple[tuple[Any, ...], dict[str, Any]],
        output_spec: Any,
        captured: Sequence[Callable[[], tuple[Tensor, Any]]],
    ) -> None:
        self._name = name
        self._functions = functions
        self.kind = function_type
        self._signature = signature
        self._output_spec = output_spec
        self._single = isinstance(output_spec, TensorSpec)
        self._captured = captured
        self._lock = functions.lock
        self.most_positional: int | None = None  # arguments that a call may give without names

    def _flat_arguments(
        self, args: Sequence[Any], kwargs: Mapping[str, Any], why: TypeError
    ) -> list[Tensor]:
        if self.most_positional is not None and len(args) > self.most_positional:
            raise TypeError(
                f"{self._label()} takes {self.most_positional} positional arguments, got "
                f"{len(args)}; give the others by name."
            )
        named = {parameter_name(key): value for key, value in kwargs.items()}
        return super()._flat_arguments(args, named, why)

    @cached_property
    def graph(self) -> FuncGraph:  # type: ignore[override]
        try:
            return self._made_graph()
        except (TypeError, ValueError, LookupError) as error:  # what the file says makes no sense
            text = f"The function {self._name!r} of the SavedModel cannot be used: {error}"
            raise InvalidArgumentError(None, None, text) from error

    def _made_graph(self) -> FuncGraph:
        with self._lock, context.building(None), context.unrecorded():
            found = [make() for make in self._captured]
            specs = [spec for kind in self.kind.types for spec in kind.flatten()]
            given = [*specs, *[tensor for tensor, _ in found]]
            graph = self._functions.graph(self._name, given)
            inside = graph.arguments[len(specs) :]
            graph.arguments = graph.arguments[: len(specs)]
            for placeholder, (tensor, variable) in zip(inside, found, strict=True):
                graph._captures[next_id()] = (tensor, placeholder)
                if variable is not None:
                    graph.note_variable(variable)
            graph.structured_input_signature = self._signature
            graph.structured_outputs = self._output_spec
            return graph

    @cached_property
    def _function(self) -> GraphFunction:  # type: ignore[override]
        with self._lock:
            return GraphFunction(self.graph, self.graph.outputs, self._name)

    @property
    def _output_places(self) -> Any:  # type: ignore[override]
        return self._output_spec

    @property
    def structured_input_signature(self) -> tuple[tuple[Any, ...], dict[str, Any]]:
        return self._signature

    @property
    def captured_inputs(self) -> list[Tensor]:
        return [make()[0] for make in self._captured]

    def pack(self, flat: Sequence[Tensor]) -> Any:
        leaves = nest.flatten(self._output_spec, expand_composites=True)
        rest = iter(flat)
        filled = [next(rest) if isinstance(leaf, TensorSpec) else leaf for leaf in leaves]
        return nest.pack_sequence_as(self._output_spec, filled, expand_composites=True)


class RestoredFunction(Function):
    """A `tf.function` of a SavedModel: its traces, without the Python code that made them."""

    def __init__(
        self,
        name: str,
        signature: inspect.Signature,
        concrete: Sequence[ConcreteFunction],
        input_signature: Sequence[Any] | None = None,
    ) -> None:
        itself = weakref.ref(self)

        def run(*args: Any, **kwargs: Any) -> Any:
            return itself()._run_trace(*args, **kwargs)  # type: ignore[union-attr]

        run.__name__ = name
        run.__signature__ = signature  # type: ignore[attr-defined]
        super().__init__(run, name=name, autograph=False)
        self._prepare()
        self.concrete_functions = list(concrete)
        self._saved_signature = None if input_signature is None else tuple(input_signature)
        for each in concrete:
            self._traces[each.kind] = each

    @property
    def input_signature(self) -> tuple[Any, ...] | None:
        """The signature that the function was saved with."""
        return self._saved_signature

    def _bind(self, args: Any, kwargs: dict[str, Any]) -> tuple[FunctionType, list[Any]]:
        """The first trace that such arguments fit; then the first that they can be converted to."""
        assert self._binder is not None
        try:
            kind, values = self._binder.bind(args, kwargs)
        except TypeError as error:
            raise TypeError(f"{self._name}{self._binder.signature}: {error}") from None
        for concrete in self.concrete_functions:
            if kind.is_subtype_of(concrete.kind):
                return concrete.kind, values
        for concrete in self.concrete_functions:
            converted = _converted(kind, values, concrete.kind)
            if converted is not None:
                return concrete.kind, converted
        raise self._unmatched(args, kwargs)

    def _run_trace(self, *args: Any, **kwargs: Any) -> Any:
        """What stands for the Python function: the saved trace."""
        kind, values = self._bind(args, kwargs)
        tensors = kind.tensors(values)
        return self._trace_for(kind, tensors).call_flat(tensors)

    def _unmatched(self, args: Any, kwargs: Mapping[str, Any]) -> Exception:
        """TypeError if the function has an input signature, as for one that was not saved."""
        given = [trace_type_text(a) for a in args]
        given += [f"{key}={trace_type_text(value)}" for key, value in kwargs.items()]
        count = len(self.concrete_functions)
        options = "\n".join(f"  {c.kind}" for c in self.concrete_functions)
        kind = ValueError if self._saved_signature is None else TypeError
        return kind(
            f"Could not find matching concrete function to call loaded from the SavedModel. Got "
            f"{self._name}({', '.join(given)}). Expected arguments of one of the following {count} "
            f"option(s):\n{options}\nA loaded function has the traces that it was saved with; call "
            "it with more kinds of arguments before saving, or save it with an input_signature of "
            "unknown dimensions."
        )

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The saved trace for such arguments; without arguments, the only one."""
        if not args and not kwargs and len(self.concrete_functions) == 1:
            return self.concrete_functions[0]
        return super().get_concrete_function(*args, **kwargs)

    def _trace(self, kind: FunctionType, tensors: Sequence[Any] | None) -> ConcreteFunction:
        raise self._unmatched(kind.types, {})

    def clear_cache(self) -> None:
        """Nothing is forgotten: the traces cannot be made again."""


def _converted(kind: FunctionType, values: Sequence[Any], wanted: FunctionType) -> Any:
    """The values as arguments of type `wanted`, None if they cannot be that."""
    if [p.name for p in kind.each] != [p.name for p in wanted.each]:
        return None
    try:
        return [_cast(p.type, value, p.name) for p, value in zip(wanted.each, values)]
    except (TypeError, ValueError):
        return None


def _cast(kind: Any, value: Any, name: str) -> Any:
    if isinstance(value, TypeSpec) and isinstance(kind, TypeSpec):
        if not kind.is_compatible_with(value):
            raise TypeError(f"{value!r} is not {kind!r}")
        return value
    return cast(kind, value, name)


def plain_signature(args: Any, kwargs: Any) -> inspect.Signature:
    """A signature for a function that came without one: names of specs, keywords as keywords."""
    names = [getattr(a, "name", None) or f"arg_{i}" for i, a in enumerate(args)]
    either, only = inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY
    parameters = [inspect.Parameter(name, either) for name in names]
    parameters += [inspect.Parameter(name, only) for name in sorted(kwargs)]
    return inspect.Signature(parameters)


def function_type_of(
    signature: inspect.Signature, args: Sequence[Any], kwargs: Mapping[str, Any]
) -> FunctionType:
    """The type of a call with these specs and Python values, which may have names."""
    plain = nest.map_structure(_nameless, (tuple(args), dict(kwargs)))
    kind, _ = Binder(signature, None).bind(plain[0], plain[1])
    return kind


def _nameless(value: Any) -> Any:
    return TensorSpec(value.shape, value.dtype) if type(value) is TensorSpec else value
