"""`tf.function`: a Python function that is traced into graphs, one for each kind of arguments."""

from __future__ import annotations

import functools
import inspect
import threading
import weakref
from collections.abc import Callable, Sequence
from typing import Any

from runnel.autograph.calls import converted_call
from runnel.core import configuration, context, nest
from runnel.core.cache import BoundedCache
from runnel.core.context import state
from runnel.core.convert import convert_to_tensor
from runnel.core.tensor import Tensor
from runnel.core.variable import Variable
from runnel.function.arguments import Arguments, bind
from runnel.function.concrete import ConcreteFunction
from runnel.graph.func_graph import FuncGraph
from runnel.graph.subgraphs import inside

_TRACES = 512  # at most so many traces of one function are kept


class Function:
    """A function that runs as a graph.

    The first call with arguments of a new kind traces it; later calls run the graph.
    """

    def __init__(self, python_function: Callable[..., Any], **options: Any) -> None:
        self._python_function = python_function
        self._name = options.pop("name", None) or getattr(python_function, "__name__", "function")
        self._input_signature: Sequence[Any] | None = options.pop("input_signature", None)
        self._options = options
        self._signature = inspect.signature(python_function)
        kinds = [p.kind for p in self._signature.parameters.values()]
        plain = all(kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for kind in kinds)
        self._plain = len(kinds) if plain else -1
        self._traces: BoundedCache[ConcreteFunction] = BoundedCache(_TRACES)
        self._all: list[ConcreteFunction] = []
        self._lock = threading.RLock()
        self._made_variables = False
        self._instance: Callable[[], Any] | None = None
        self._instances: weakref.WeakKeyDictionary[Any, Function] = weakref.WeakKeyDictionary()
        functools.update_wrapper(self, python_function, updated=())

    @property
    def python_function(self) -> Callable[..., Any]:
        return self._python_function

    @property
    def name(self) -> str:
        return self._name

    @property
    def input_signature(self) -> Sequence[Any] | None:
        return self._input_signature

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """A method: each object has traces of its own, which go with it."""
        if instance is None:
            return self
        try:
            bound = self._instances.get(instance)
        except TypeError:  # an object that cannot be a weak key has no traces kept for it
            return Method(instance, self._bound_to(instance))
        if bound is None:
            bound = self._instances[instance] = self._bound_to(instance)
        return Method(instance, bound)

    def _bound_to(self, instance: Any) -> Function:
        made = Function(
            self._python_function,
            name=self._name,
            input_signature=self._input_signature,
            **self._options,
        )
        made._bind(instance)
        return made

    def _bind(self, instance: Any) -> None:
        self._instance = weakref.ref(instance)
        self._signature = _without_self(self._signature)
        self._plain -= self._plain > 0

    def _callable(self, *, converted: bool) -> Callable[..., Any]:
        """The Python function, converted by AutoGraph or not, with its object if it is a method."""
        function = self._python_function
        if converted and self._options.get("autograph", True):
            function = converted_call(function)
        return function if self._instance is None else functools.partial(function, self._instance())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if configuration.run_functions_eagerly:
            return self._callable(converted=False)(*args, **kwargs)
        if not kwargs and self._input_signature is None:
            try:
                key = tuple([(a._dtype, a._value.shape) for a in args])
            except AttributeError:
                key = None  # not all are eager tensors
            found = self._traces.get(key) if len(args) == self._plain else None
            if found is not None:
                return found.call_flat(args)
        arguments = bind(self._signature, args, kwargs, self._input_signature)
        concrete = self._trace_for(arguments)
        return concrete.call_flat(arguments.tensors)

    def _trace_for(self, arguments: Arguments) -> ConcreteFunction:
        key = arguments.key
        found = self._traces.get(key)
        if found is not None:
            return found
        with self._lock:
            found = self._traces.get(key)
            if found is None:
                found = self._trace(arguments)
                if not any(hasattr(t, "op") for t in found.captured_inputs):
                    self._traces[key] = (
                        found  # else it belongs to the graph whose tensors it captured
                    )
                self._all.append(found)
        return found

    def _trace(self, arguments: Arguments) -> ConcreteFunction:
        made: list[bool] = []

        def on_new_variable() -> None:
            if self._made_variables:
                raise ValueError(
                    f"tf.function {self._name!r} made a tf.Variable on a call that was not its first. Make variables "
                    "outside, or only once (`if self.v is None: self.v = tf.Variable(...)`)."
                )
            made.append(True)

        graph = self._build(arguments, on_new_variable)
        if made:
            self._made_variables = True
            graph = self._build(arguments, on_new_variable)
        self._made_variables = True
        return ConcreteFunction(graph, self._name, arguments.signature(), arguments.shape_only())

    def _build(self, arguments: Arguments, on_new_variable: Callable[[], None]) -> FuncGraph:
        graph = FuncGraph(self._name, outer=state.graph)
        graph.on_new_variable = on_new_variable  # type: ignore[attr-defined]
        with context.building(graph):
            args, kwargs = arguments.symbolic(graph)
            outer, state.tapes = state.tapes, ()
            try:
                result = self._callable(converted=True)(*args, **kwargs)
            finally:
                state.tapes = outer
            graph.structured_outputs, graph.outputs = _outputs(graph, result)
        return graph

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for such arguments; `tf.TensorSpec`s may stand for tensors."""
        if not args and not kwargs and self._input_signature is not None:
            args = tuple(self._input_signature)
        return self._trace_for(bind(self._signature, args, kwargs, self._input_signature))

    def experimental_get_tracing_count(self) -> int:
        return len(self._all)

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        return "\n\n".join(c.pretty_printed_signature(verbose) for c in self._all)

    def clear_cache(self) -> None:
        """Forget all traces and what was compiled for them."""
        with self._lock:
            self._traces.clear()
            self._all.clear()


class Method:
    """A traced method of one object, which stays alive as long as this does."""

    __slots__ = ("_function", "_instance")

    def __init__(self, instance: Any, function: Function) -> None:
        self._instance = instance
        self._function = function

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)

    @property
    def __self__(self) -> Any:
        return self._instance


def _without_self(signature: inspect.Signature) -> inspect.Signature:
    return signature.replace(parameters=list(signature.parameters.values())[1:])


def _outputs(graph: FuncGraph, result: Any) -> tuple[Any, list[Any]]:
    """The result with every tensor as one of the graph, and those tensors flat."""
    leaves = nest.flatten(result, expand_composites=True)
    converted = [_output(graph, leaf) for leaf in leaves]
    structured = nest.pack_sequence_as(result, converted, expand_composites=True)
    return structured, [t for t in converted if isinstance(t, Tensor)]


def _output(graph: FuncGraph, leaf: Any) -> Any:
    if leaf is None:
        return None
    if isinstance(leaf, Variable):
        leaf = leaf.value()
    return inside(graph, convert_to_tensor(leaf))


def function(
    func: Callable[..., Any] | None = None,
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Any = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """Make a function that runs as a graph; also a decorator, with or without arguments.

    >>> @tf.function
    ... def square(x):
    ...     return x * x
    >>> square(tf.constant(3.0)).numpy()
    np.float32(9.0)
    """
    options = {
        "autograph": autograph,
        "jit_compile": jit_compile,
        "reduce_retracing": reduce_retracing,
    }

    def decorate(inner: Callable[..., Any]) -> Function:
        return Function(inner, input_signature=input_signature, **options)

    return decorate if func is None else decorate(func)
