"""`tf.function`: a Python function that is traced into graphs, one for each kind of arguments.

The reading path ends here, after `function/graph_function.py`.
"""

from __future__ import annotations

import copy
import functools
import inspect
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import Any, Self

from runnel.autograph.calls import converted_call
from runnel.autograph.features import ControlStatusCtx, Status, chosen, using
from runnel.backend import configuration
from runnel.backend.cache import BoundedCache
from runnel.core.op.context import state
from runnel.core.state.trackable import Trackable
from runnel.core.tensor.tensor import Tensor, signature
from runnel.core.values.tracebacks import trim
from runnel.function.binding import Binder, check_input_signature
from runnel.function.closure_variables import reaches
from runnel.function.concrete import ConcreteFunction
from runnel.function.function_type import FunctionType
from runnel.function.insight.explain import Trace
from runnel.function.insight.inspection import Inspection
from runnel.function.insight.overloads import for_checkers
from runnel.function.insight.retracing import changes, detector_for
from runnel.function.insight.spec import FunctionSpec
from runnel.function.methods import Bindable, P, R, is_method
from runnel.function.new_variables import NewVariables, initializer
from runnel.function.options import attributes, check_attributes, renamed
from runnel.function.traces import Traces, is_local, keep_local, local_trace, widened
from runnel.function.tracing import by_id, counting_variables, fill, tracing
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.naming import inference_name

_TRACES = 512  # at most so many traces of one function are kept


class Function(Inspection, Bindable[P, R], Trackable):
    """A function that runs as a graph.

    The first call with arguments of a new kind traces it; later calls run the graph.
    """

    def __init__(
        self,
        python_function: Callable[P, R],
        name: str | None = None,
        input_signature: Sequence[Any] | None = None,
        **options: Any,
    ) -> None:
        if not callable(python_function):
            raise TypeError(f"tf.function needs a callable, got {python_function!r}.")
        self._python_function = python_function
        self._name = name or _name_of(python_function)
        if input_signature is not None:
            check_input_signature(input_signature)
        self._input_signature = input_signature
        self._options = options
        self._signature = inspect.signature(python_function)
        self._binder: Binder | None = None
        Bindable.__init__(self)
        self._fast: BoundedCache[ConcreteFunction] = BoundedCache(_TRACES)
        self._traces = Traces(_TRACES)
        self._log: deque[Trace] = deque(maxlen=_TRACES)
        self._count = 0
        self._discarded = 0  # traces that only made variables
        self._lock = threading.RLock()
        self._detector = detector_for(python_function)
        self._made_variables = False
        functools.update_wrapper(self, python_function, updated=())
        self._take_attributes(python_function)
        self.__signature__ = self._signature
        if not is_method(python_function, self._signature):
            self._prepare()

    def _take_attributes(self, function: Callable[..., Any]) -> None:
        """Attributes that the user gave the function are this one's too."""
        given = getattr(function, "__dict__", {})
        vars(self).update({k: v for k, v in given.items() if not hasattr(self, k)})

    def _prepare(self) -> Binder:
        """Checks the signature; for a method, that waits until it is bound to its object."""
        hints = bool(self._options.get("experimental_follow_type_hints"))
        pure = self._options.get("experimental_implements") is not None
        self._binder = Binder(self._signature, self._input_signature, hints=hints, pure=pure)
        kinds = [p.kind for p in self._signature.parameters.values()]
        if all(kind is inspect.Parameter.POSITIONAL_OR_KEYWORD for kind in kinds):
            self._plain = len(kinds)
        elif kinds == [inspect.Parameter.VAR_POSITIONAL] and self._input_signature is not None:
            self._plain = len(self._input_signature)
        return self._binder

    _plain = -1  # the number of parameters, if tensors may be passed on without binding them

    @property
    def python_function(self) -> Callable[P, R]:
        """The Python function that is traced."""
        return self._python_function

    @property
    def name(self) -> str:
        return self._name

    @property
    def input_signature(self) -> tuple[Any, ...] | None:
        return None if self._input_signature is None else tuple(self._input_signature)

    @property
    def function_spec(self) -> FunctionSpec:
        """The parameters, their defaults, and the types that an `input_signature` prescribes."""
        fixed = (self._binder or self._prepare()).fixed
        compiled = self._options.get("jit_compile")
        return FunctionSpec(self._signature, self.input_signature, fixed, compiled)

    @property
    def function_type(self) -> FunctionType:
        """The types of the arguments that an `input_signature` prescribes, None for others."""
        return self.function_spec.function_type

    @property
    def _saved_function(self) -> Self:
        """What a SavedModel keeps of an attribute that holds this, or a method of it."""
        return self

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        return {}

    def _again(self, python_function: Callable[..., Any]) -> Function[..., Any]:
        return Function(python_function, self._name, self._input_signature, **self._options)

    def __copy__(self) -> Function[..., Any]:
        return self._again(self._python_function)

    def __deepcopy__(self, memo: dict[int, Any]) -> Function[..., Any]:
        made = self._again(copy.deepcopy(self._python_function, memo))
        memo[id(self)] = made
        return made

    def __reduce__(self) -> Any:
        """Pickled without its traces, if the Python function can be."""
        return _unpickle, (self._python_function, self._name, self._input_signature, self._options)

    def _callable(self, *, converted: bool) -> Callable[..., Any]:
        """The Python function, converted by AutoGraph or not, with its object if it is a method."""
        function = self._python_function
        if converted and self._options.get("autograph", True):
            function = converted_call(function)
        return function if self._instance is None else functools.partial(function, self._instance())

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
        try:
            if configuration.run_functions_eagerly:
                return self._callable(converted=False)(*args, **kwargs)  # type: ignore[no-any-return]
            if not kwargs and len(args) == self._plain and not state.strategies:
                found = self._fast.get(signature(args))
                if found is not None:
                    self._detector.called()
                    return found.call_flat(args)  # type: ignore[no-any-return,arg-type]
            kind, values = self._bind(args, kwargs)
            tensors = kind.tensors(values)
            concrete = self._trace_for(kind, tensors)
            if not kwargs and len(args) == self._plain and not state.strategies:
                self._remember(args, tensors, concrete)
            return concrete.call_flat(tensors)  # type: ignore[no-any-return]
        except BaseException as error:
            trim(error)
            raise

    def _bind(self, args: Any, kwargs: dict[str, Any]) -> tuple[FunctionType, list[Any]]:
        binder = self._binder or self._prepare()
        try:
            kind, values = binder.bind(args, kwargs)
        except TypeError as error:
            raise TypeError(f"{self._name}{binder.described}: {error}") from None
        return self._settled(kind) if kind.handles else kind, values

    def _settled(self, kind: FunctionType) -> FunctionType:
        """The type of a call with variables: just these, if the function may use them otherwise."""
        with self._lock:
            found = self._traces.get(kind)
            if found is None:
                pinned = kind.pinned()
                if self._traces.get(pinned) is not None:
                    return pinned
                found = self._traces.wider(kind)
        if found is not None:
            return kind.pinned() if found.captures_any(kind.handles) else kind
        instance = None if self._instance is None else self._instance()
        return pinned if reaches(self._python_function, instance, kind.handles) else kind

    def _remember(
        self, args: Sequence[Any], tensors: Sequence[Any], concrete: ConcreteFunction
    ) -> None:
        """Let the next call with such eager tensors skip binding, if that did nothing to them."""
        key = signature(args)
        same = len(args) == len(tensors) and all(a is t for a, t in zip(args, tensors))
        if key is not None and same and not is_local(concrete):
            self._fast[key] = concrete

    def _trace_for(
        self, kind: FunctionType, tensors: Sequence[Tensor] | None = None
    ) -> ConcreteFunction:
        """The trace for such arguments; a call gives their tensors too."""
        counted = tensors is not None
        found = self._traces.get(kind)
        if found is None:
            with self._lock:
                found = (
                    self._traces.get(kind) or self._traces.wider(kind) or local_trace(self, kind)
                )
                if found is None:
                    return self._new_trace(kind, tensors)
        if counted:
            self._detector.called()
        return found

    def _new_trace(self, kind: FunctionType, tensors: Sequence[Tensor] | None) -> ConcreteFunction:
        earlier = self._traces.types()
        why = changes(kind, earlier)
        if self._options.get("reduce_retracing"):
            kind = widened(kind, earlier)
        start = time.perf_counter()
        concrete = self._trace(kind, tensors)
        seconds = time.perf_counter() - start
        local = is_local(concrete)  # it belongs to the graph whose tensors it captured
        if local:
            keep_local(self, kind, concrete)
        else:
            self._traces[kind] = concrete
        reference = weakref.ref(concrete) if local else lambda: concrete
        self._log.append(Trace(f"{self._name}{kind}", why, seconds, reference))
        self._count += 1
        if tensors is not None and state.graph is None:
            self._detector.traced(repr(self._python_function), lambda: why)
        return concrete

    def _trace(self, kind: FunctionType, tensors: Sequence[Tensor] | None) -> ConcreteFunction:
        with tracing(self, kind), counting_variables() as made_some:
            made = NewVariables(self._name, allowed=not self._made_variables)
            graph = self._build(kind, made)
            first, self._made_variables = not self._made_variables, True
            made.finish(None if tensors is None else by_id(graph.arguments, tensors))
            if first and made_some():  # also those under `tf.init_scope`
                self._discarded += 1
                graph = self._build(kind, NewVariables(self._name, allowed=False))
        return self._concrete(graph, kind)

    def _concrete(self, graph: FuncGraph, kind: FunctionType) -> ConcreteFunction:
        implemented = self._options.get("experimental_implements")
        if implemented is not None and graph.captures:
            raise AssertionError(
                f"tf.function {self._name!r} implements {implemented!r}, which takes all it uses "
                f"as arguments, but captures {graph.external_captures!r}."
            )
        name = inference_name(graph.name)
        at_once = self._options.get("jit_compile") or False  # Keras says "at once": see `Plan`
        return ConcreteFunction(graph, name, kind, at_once=at_once)

    def _build(self, kind: FunctionType, made: NewVariables) -> FuncGraph:
        graph = FuncGraph(self._name, outer=state.graph)
        graph.new_variables = made
        graph.attributes = attributes(self._options)
        features = chosen(self._options.get("experimental_autograph_options"))
        converts = self._options.get("autograph", True)
        status = ControlStatusCtx(Status.ENABLED) if converts else nullcontext()
        with using(features), status:
            fill(graph, kind, self._callable(converted=True))
        return graph

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for such arguments; `tf.TensorSpec`s may stand for tensors."""
        try:
            if not args and not kwargs and self._input_signature is not None:
                binder = self._binder or self._prepare()
                return self._trace_for(binder.asked)
            kind, _ = self._bind(args, kwargs)
            return self._trace_for(kind)
        except Exception as error:
            trim(error)
            raise

    def get_initialization_function(self, *args: Any, **kwargs: Any) -> Any:
        """A function that gives the variables their first values which such a call would make.

        >>> class Scale(tf.Module):
        ...     v = None
        ...     @tf.function
        ...     def __call__(self, x):
        ...         if self.v is None:
        ...             self.v = tf.Variable(tf.fill([], 2.0))
        ...         return self.v * x
        >>> scale = Scale()
        >>> initialize = scale.__call__.get_initialization_function(tf.constant(1.0))
        >>> initialize()
        >>> scale(tf.constant(3.0)).numpy()
        np.float32(6.0)
        """
        if self._made_variables:
            raise RuntimeError(
                f"tf.function {self._name!r}: get_initialization_function must come before the "
                "first call, which makes and initializes the variables."
            )
        kind, _ = self._bind(args, kwargs)
        with self._lock, tracing(self, kind), counting_variables():
            made = NewVariables(self._name, allowed=True, deferred=True)
            self._build(kind, made)
            self._made_variables = True
        return self._concrete(initializer(made.waiting, {}), FunctionType(()))

    def clear_cache(self) -> None:
        """Forget all traces and what was compiled for them."""
        with self._lock:
            self._fast.clear()
            self._traces.clear()
            self._log.clear()

    def __repr__(self) -> str:
        return f"<tf.function {self._name}{self._signature}>"


def _name_of(function: Any) -> str:
    return getattr(function, "__name__", "function")


def _unpickle(function: Any, name: str, signature: Any, options: dict[str, Any]) -> Any:
    return Function(function, name, signature, **options)


@for_checkers
def function(
    func: Callable[..., Any] | None = None,
    input_signature: Sequence[Any] | None = None,
    autograph: bool = True,
    jit_compile: bool | None = None,
    reduce_retracing: bool = False,
    experimental_implements: str | None = None,
    experimental_autograph_options: Any = None,
    experimental_attributes: Mapping[str, Any] | None = None,
    experimental_relax_shapes: bool | None = None,
    experimental_compile: bool | None = None,
    experimental_follow_type_hints: bool | None = None,
) -> Any:
    """Make a function that runs as a graph; also a decorator, with or without arguments.

    `jit_compile` compiles `func` at its first call; otherwise new shapes are interpreted where that
    is cheap. `input_signature`, a list of specs, allows for one trace alone; `reduce_retracing`
    traces shapes that differ from an earlier trace with unknown dimensions. With `autograph`, `if`,
    `for` and `while` on tensors are part of the graph; `experimental_autograph_options` adds to it.
    `experimental_implements` and `experimental_attributes` are written to SavedModels,
    `experimental_relax_shapes` and `experimental_compile` are older names, and
    `experimental_follow_type_hints` has arguments annotated as tensors become such.

    >>> @tf.function
    ... def square(x):
    ...     return x * x
    >>> square(tf.constant(3.0)).numpy()
    np.float32(9.0)
    """
    check_attributes(experimental_attributes)
    chosen(experimental_autograph_options, "experimental_autograph_options")
    if jit_compile is not None and experimental_compile is not None:
        raise ValueError("tf.function: experimental_compile is jit_compile; give only the latter.")
    options = {
        "autograph": autograph,
        "jit_compile": renamed(jit_compile, "jit_compile", experimental_compile, "compile"),
        "reduce_retracing": renamed(
            reduce_retracing, "reduce_retracing", experimental_relax_shapes, "relax_shapes"
        ),
        "experimental_implements": experimental_implements,
        "experimental_autograph_options": experimental_autograph_options,
        "experimental_attributes": experimental_attributes,
        "experimental_follow_type_hints": experimental_follow_type_hints,
    }

    def decorate(inner: Any) -> Any:
        if isinstance(inner, staticmethod | classmethod):
            return type(inner)(decorate(inner.__func__))
        return Function(inner, input_signature=input_signature, **options)

    return decorate if func is None else decorate(func)
