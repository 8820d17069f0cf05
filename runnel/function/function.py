"""`tf.function`: a Python function that is traced into graphs, one for each kind of arguments."""

from __future__ import annotations

import copy
import functools
import inspect
import itertools
import threading
import time
import weakref
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from runnel.autograph.calls import converted_call
from runnel.autograph.features import chosen, using
from runnel.backend import configuration
from runnel.backend.cache import BoundedCache
from runnel.core.op import context
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.settings.logging import warning_first
from runnel.core.state.trackable import Trackable
from runnel.core.state.variable import Variable
from runnel.core.tensor.convert import constant, convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import nest
from runnel.core.values.tracebacks import shown
from runnel.core.values.type_spec import TensorSpec
from runnel.function.callable import PolymorphicFunction
from runnel.function.closure_variables import reaches
from runnel.function.concrete import ConcreteFunction
from runnel.function.function_type import Binder, FunctionType, check_input_signature
from runnel.function.insight.compiler_ir import check_target, compiler_ir
from runnel.function.insight.explain import Report, Trace
from runnel.function.insight.retracing import changes, detector_for
from runnel.function.insight.spec import FunctionSpec
from runnel.function.new_variables import NewVariables, initializer
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.control.subgraphs import NUMBERS, inside
from runnel.graph.run.program import uses_state

_TRACES = 512  # at most so many traces of one function are kept
_numbers = itertools.count()


class Function(Trackable, PolymorphicFunction):
    """A function that runs as a graph.

    The first call with arguments of a new kind traces it; later calls run the graph.
    """

    def __init__(
        self,
        python_function: Callable[..., Any],
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
        self._instance: Callable[[], Any] | None = None
        self._instances: weakref.WeakKeyDictionary[Any, Function] = weakref.WeakKeyDictionary()
        self._method: weakref.ref[Method] | None = None
        self._fast: BoundedCache[ConcreteFunction] = BoundedCache(_TRACES)
        self._traces: BoundedCache[ConcreteFunction] = BoundedCache(_TRACES)
        self._log: deque[Trace] = deque(maxlen=_TRACES)
        self._count = 0
        self._discarded = 0  # traces that only made variables
        self._lock = threading.RLock()
        self._detector = detector_for(python_function)
        self._made_variables = False
        functools.update_wrapper(self, python_function, updated=())
        self._take_attributes(python_function)
        self.__signature__ = self._signature
        if not _is_method(python_function, self._signature):
            self._prepare()

    def _take_attributes(self, function: Callable[..., Any]) -> None:
        """Attributes that the user gave the function are this one's too."""
        given = vars(function) if inspect.isfunction(function) else {}
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
    def python_function(self) -> Callable[..., Any]:
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
    def _saved_function(self) -> Function:
        """What a SavedModel keeps of an attribute that holds this, or a method of it."""
        return self

    def _trackable_children(self, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        return {}

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        """A method: each object has traces of its own, which go with it."""
        if instance is None:
            return self
        try:
            bound = self._instances.get(instance)
        except TypeError:  # an object that cannot be a weak key has no traces kept for it
            return Method(instance, self._bound_to(instance))
        if bound is None:
            with self._lock:
                bound = self._instances.setdefault(instance, self._bound_to(instance))
        return bound._as_method_of(instance)

    def _as_method_of(self, instance: Any) -> Method:
        """The method of an object: one and the same as long as somebody holds it."""
        method = self._method() if self._method is not None else None
        if method is None:
            method = Method(instance, self)
            self._method = weakref.ref(method)
        return method

    def _again(self, python_function: Callable[..., Any]) -> Function:
        """A function with the same options, and no traces yet."""
        return Function(python_function, self._name, self._input_signature, **self._options)

    def __copy__(self) -> Function:
        return self._again(self._python_function)

    def __deepcopy__(self, memo: dict[int, Any]) -> Function:
        made = self._again(copy.deepcopy(self._python_function, memo))
        memo[id(self)] = made
        return made

    def __reduce__(self) -> Any:
        """Pickled without its traces, if the Python function can be."""
        return _unpickle, (self._python_function, self._name, self._input_signature, self._options)

    def _bound_to(self, instance: Any) -> Function:
        made = self._again(self._python_function)
        made._instance = _reference(instance)
        made._signature = made.__signature__ = _without_self(made._signature)
        made._prepare()
        return made

    def _callable(self, *, converted: bool) -> Callable[..., Any]:
        """The Python function, converted by AutoGraph or not, with its object if it is a method."""
        function = self._python_function
        if converted and self._options.get("autograph", True):
            function = converted_call(function)
        return function if self._instance is None else functools.partial(function, self._instance())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        try:
            if configuration.run_functions_eagerly:
                return self._callable(converted=False)(*args, **kwargs)
            if not kwargs and len(args) == self._plain:
                try:
                    found = self._fast.get(tuple([(a._dtype, a._value.shape) for a in args]))
                except AttributeError:
                    found = None  # not all are eager tensors
                if found is not None:
                    self._detector.called()
                    return found.call_flat(args)
            kind, values = self._bind(args, kwargs)
            tensors = kind.tensors(values)
            concrete = self._trace_for(kind, tensors)
            if not kwargs and len(args) == self._plain:
                self._remember(args, tensors, concrete)
            return concrete.call_flat(tensors)
        except BaseException as error:
            raise shown(error)  # noqa: B904 (the error itself, with fewer lines)

    def _bind(self, args: Any, kwargs: dict[str, Any]) -> tuple[FunctionType, list[Any]]:
        binder = self._binder or self._prepare()
        try:
            kind, values = binder.bind(args, kwargs)
        except TypeError as error:
            raise TypeError(f"{self._name}{_described(binder)}: {error}") from None
        return self._settled(kind) if kind.handles else kind, values

    def _settled(self, kind: FunctionType) -> FunctionType:
        """The type of a call with variables: just these, if the function may use them otherwise."""
        with self._lock:
            found = self._traces.get(kind)
            if found is None:
                pinned = kind.pinned()
                if self._traces.get(pinned) is not None:
                    return pinned
                found = self._wider(kind)
        if found is not None:
            return kind.pinned() if found.captures_any(kind.handles) else kind
        instance = None if self._instance is None else self._instance()
        return pinned if reaches(self._python_function, instance, kind.handles) else kind

    def _remember(
        self, args: Sequence[Any], tensors: Sequence[Any], concrete: ConcreteFunction
    ) -> None:
        """Let the next call with such eager tensors skip binding, if that did nothing to them."""
        eager = all(hasattr(a, "_value") and isinstance(a, Tensor) for a in args)
        same = len(args) == len(tensors) and all(a is t for a, t in zip(args, tensors))
        if eager and same and not _is_local(concrete):
            self._fast[tuple([(a._dtype, a._value.shape) for a in args])] = concrete

    def _trace_for(
        self, kind: FunctionType, tensors: Sequence[Tensor] | None = None
    ) -> ConcreteFunction:
        """The trace for such arguments; a call gives their tensors too."""
        counted = tensors is not None
        found = self._traces.get(kind)
        if found is None:
            with self._lock:
                found = self._traces.get(kind) or self._wider(kind) or self._local_trace(kind)
                if found is None:
                    return self._new_trace(kind, tensors)
        if counted:
            self._detector.called()
        return found

    def _local_trace(self, kind: FunctionType) -> ConcreteFunction | None:
        """A trace that uses tensors of the graph being built, or of one around it."""
        for graph in _around(state.graph):
            found = graph.traces.get(self, {}).get(kind)
            if found is not None:
                return found  # type: ignore[no-any-return]
        return None

    def _keep_local(self, kind: FunctionType, concrete: ConcreteFunction) -> None:
        """Keep a trace with the innermost graph of whose tensors it uses some."""
        captured: list[Any] = concrete.graph.external_captures
        owners = {id(t.graph) for t in captured if hasattr(t, "op")}
        owner = next(graph for graph in _around(state.graph) if id(graph) in owners)
        owner.traces.setdefault(self, {})[kind] = concrete

    def _wider(self, kind: FunctionType) -> ConcreteFunction | None:
        """The narrowest trace for more general arguments, used for these from now on."""
        traces: list[Any] = self._traces.items()
        fitting = [trace for trace in traces if kind.is_subtype_of(trace[0])]
        if not fitting:
            return None
        _, concrete = functools.reduce(_narrower, fitting)
        self._traces[kind] = concrete
        return concrete  # type: ignore[no-any-return]

    def _new_trace(self, kind: FunctionType, tensors: Sequence[Tensor] | None) -> ConcreteFunction:
        earlier: list[Any] = [k for k, _ in self._traces.items()]
        why = changes(kind, earlier)
        if self._options.get("reduce_retracing"):
            kind = _widened(kind, earlier)
        start = time.perf_counter()
        concrete = self._trace(kind, tensors)
        seconds = time.perf_counter() - start
        local = _is_local(concrete)  # it belongs to the graph whose tensors it captured
        if local:
            self._keep_local(kind, concrete)
        else:
            self._traces[kind] = concrete
        reference = weakref.ref(concrete) if local else functools.partial(_itself, concrete)
        self._log.append(Trace(f"{self._name}{kind}", why, seconds, reference))
        self._count += 1
        if tensors is not None and state.graph is None:
            self._detector.traced(repr(self._python_function), lambda: why)
        return concrete

    def _trace(self, kind: FunctionType, tensors: Sequence[Tensor] | None) -> ConcreteFunction:
        with _tracing(self, kind), _counting_variables() as made_some:
            made = NewVariables(self._name, allowed=not self._made_variables)
            graph = self._build(kind, made)
            first, self._made_variables = not self._made_variables, True
            made.finish(None if tensors is None else _by_id(graph.arguments, tensors))
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
        name = f"__inference_{graph.name}_{next(_numbers)}"
        at_once = bool(self._options.get("jit_compile"))
        return ConcreteFunction(graph, name, kind, at_once=at_once)

    def _build(self, kind: FunctionType, made: NewVariables) -> FuncGraph:
        graph = FuncGraph(self._name, outer=state.graph)
        graph.new_variables = made
        graph.attributes = self._attributes()
        features = chosen(self._options.get("experimental_autograph_options"))
        with context.building(graph), context.unrecorded(), _no_scopes(), using(features):
            args, kwargs = kind.placeholders(graph)
            before = nest.map_structure(_itself, [args, kwargs])
            result = self._callable(converted=True)(*args, **kwargs)
            self._check_unchanged(before, [args, kwargs])
            graph.structured_outputs, graph.outputs = _outputs(graph, result, self._name)
            if graph.outputs:
                graph.last = _after_effects(graph)
        graph.traces.clear()
        return graph

    def _attributes(self) -> dict[str, Any]:
        """What the messages of its graphs say of the function besides what it computes."""
        given = dict(self._options.get("experimental_attributes") or {})
        implemented = self._options.get("experimental_implements")
        if implemented is not None:
            given["_implements"] = implemented
        compiles = self._options.get("jit_compile")
        if compiles is not None:
            given["_XlaMustCompile"] = bool(compiles)
        if compiles:
            given["_noinline"] = True
        return given

    def _check_unchanged(self, before: Any, after: Any) -> None:
        """A change of an argument would be seen when the function is traced, and never again."""
        leaves = nest.flatten(after)
        try:
            nest.assert_same_structure(before, after)
            same = all(a is b for a, b in zip(nest.flatten(before), leaves, strict=True))
        except (TypeError, ValueError):
            same = False
        if not same:
            raise ValueError(
                f"tf.function {self._name!r} must not change its arguments: a list or dict that "
                "it was called with was modified. Change a copy and return it."
            )

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        """The trace for such arguments; `tf.TensorSpec`s may stand for tensors."""
        if not args and not kwargs and self._input_signature is not None:
            binder = self._binder or self._prepare()
            assert binder.fixed is not None
            return self._trace_for(binder.fixed)
        kind, _ = self._bind(args, kwargs)
        return self._trace_for(kind)

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
        with self._lock, _tracing(self, kind), _counting_variables():
            made = NewVariables(self._name, allowed=True, deferred=True)
            self._build(kind, made)
            self._made_variables = True
        return self._concrete(initializer(made.waiting, {}), FunctionType(()))

    def experimental_get_compiler_ir(self, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        """A function from a stage of the compiler to the program there, for such arguments.

        >>> fn = tf.function(lambda x: x + 1.0, jit_compile=True)
        >>> print(fn.experimental_get_compiler_ir(tf.ones([3]))(stage="hlo")[:9])
        HloModule
        """
        if not self._options.get("jit_compile"):
            raise ValueError("Compiler IR can be had of functions with jit_compile=True only.")
        kind, given = self._bind(args, kwargs)
        concrete = self._trace_for(kind)
        specs = [leaf for leaf in nest.flatten(given) if isinstance(leaf, TensorSpec)]
        inputs = specs or kind.tensors(given)

        def generate(
            stage: str = "hlo", device_name: str | None = None, platform_name: str | None = None
        ) -> str | bytes:
            check_target(stage, device_name, platform_name)
            return compiler_ir(concrete, inputs, stage)

        return generate

    def experimental_get_tracing_count(self) -> int:
        """How often the function has been traced; twice for a first call that makes variables."""
        return self._count + self._discarded

    def _list_all_concrete_functions(self) -> list[ConcreteFunction]:
        """All traces, each once."""
        return list({id(c): c for _, c in self._traces.items()}.values())

    def pretty_printed_concrete_signatures(self, verbose: bool = True) -> str:
        """The signatures of all traces, for people."""
        traces = self._list_all_concrete_functions()
        between = "\n\n" if verbose else "\n"
        return between.join(c.pretty_printed_signature(verbose) for c in traces)

    def explain(self) -> Report:
        """Print, and return, why each trace was made, how its graph is cut, and what it cost.

        >>> fn = tf.function(lambda x: x + 1)
        >>> _ = fn(1), fn(2)
        >>> [str(change.new) for change in fn.explain().traces[1].changes]  # doctest: +ELLIPSIS
        <lambda> was traced 2 times.
        ...
        ['Literal[2]']
        """
        log, first = list(self._log), self._count - len(self._log) + 1
        report = Report(self._name, self._count, [t.report(first + i) for i, t in enumerate(log)])
        print(report)
        return report

    def clear_cache(self) -> None:
        """Forget all traces and what was compiled for them."""
        with self._lock:
            self._fast.clear()
            self._traces.clear()
            self._log.clear()

    def __repr__(self) -> str:
        return f"<tf.function {self._name}{self._signature}>"


class Method(PolymorphicFunction):
    """A traced method of one object, which stays alive as long as this does."""

    def __init__(self, instance: Any, function: Function) -> None:
        self._instance = instance
        self._function = function
        self.__signature__ = function._signature
        self.__doc__ = function.__doc__

    def __repr__(self) -> str:
        return f"<tf.function {self._function.name}{self.__signature__} of {self._instance!r}>"

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self._function(*args, **kwargs)

    def get_concrete_function(self, *args: Any, **kwargs: Any) -> ConcreteFunction:
        return self._function.get_concrete_function(*args, **kwargs)

    @property
    def function_type(self) -> FunctionType:
        return self._function.function_type

    def _list_all_concrete_functions(self) -> list[ConcreteFunction]:
        return self._function._list_all_concrete_functions()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Method) and self._function is other._function

    def __hash__(self) -> int:
        return hash(self._function)

    @property
    def __self__(self) -> Any:
        return self._instance

    def __deepcopy__(self, memo: dict[int, Any]) -> Method:
        """The same method of a copy of the object."""
        instance = copy.deepcopy(self._instance, memo)
        return Method(instance, self._function._bound_to(instance))

    @property
    def python_function(self) -> Callable[..., Any]:
        """The Python method, bound to its object."""
        return functools.partial(self._function.python_function, self._instance)


def _name_of(function: Any) -> str:
    return getattr(function, "__name__", "function")


def _unpickle(
    function: Callable[..., Any], name: str, signature: Any, options: dict[str, Any]
) -> Function:
    return Function(function, name, signature, **options)


def _is_method(function: Any, signature: inspect.Signature) -> bool:
    """Whether a function is one of a class, and not yet bound to an object."""
    if next(iter(signature.parameters), None) in ("self", "cls"):
        return True
    outer = getattr(function, "__qualname__", "").rpartition(".")[0]
    return bool(outer) and not outer.endswith("<locals>") and not hasattr(function, "__self__")


def _without_self(signature: inspect.Signature) -> inspect.Signature:
    parameters = list(signature.parameters.values())
    if parameters and parameters[0].kind is inspect.Parameter.VAR_POSITIONAL:
        return signature
    return signature.replace(parameters=parameters[1:])


def _reference(instance: Any) -> Callable[[], Any]:
    try:
        return weakref.ref(instance)
    except TypeError:
        return functools.partial(_itself, instance)


def _itself(value: Any) -> Any:
    return value


def _described(binder: Binder) -> Any:
    return binder.signature if binder.fixed is None else binder.fixed


def _around(graph: Any) -> Iterator[Any]:
    """A graph that is being built, and those that it is inside of."""
    while graph is not None:
        yield graph
        graph = getattr(graph, "outer_graph", None)


def _is_local(concrete: ConcreteFunction) -> bool:
    return any(hasattr(t, "op") for t in concrete.graph.external_captures)


def _by_id(placeholders: Sequence[Tensor], tensors: Sequence[Tensor]) -> dict[int, Tensor]:
    return {p._id: t for p, t in zip(placeholders, tensors, strict=True)}


def _narrower(
    trace: tuple[FunctionType, ConcreteFunction], other: tuple[FunctionType, ConcreteFunction]
) -> tuple[FunctionType, ConcreteFunction]:
    return other if other[0].is_subtype_of(trace[0]) else trace


def _widened(kind: FunctionType, earlier: Sequence[FunctionType]) -> FunctionType:
    """The type that also includes the last earlier one that it can be joined with."""
    for other in reversed(earlier):
        joint = kind.generalized(other)
        if joint is not None:
            return joint
    return kind


_active = threading.local()


@contextmanager
def _tracing(function: Function, kind: FunctionType) -> Iterator[None]:
    """While a function is traced; one that calls itself with such arguments would never end."""
    outer: tuple[Any, ...] = getattr(_active, "traces", ())
    if any(f is function and k == kind for f, k in outer):
        raise RecursionError(
            f"tf.function {function.name!r} calls itself with arguments of the same kind ({kind}) "
            "while it is traced, which would never end: a graph cannot be recursive. Use a loop, "
            "or leave out tf.function."
        )
    _active.traces = (*outer, (function, kind))
    try:
        yield
    finally:
        _active.traces = outer


@contextmanager
def _counting_variables() -> Iterator[Callable[[], bool]]:
    """Whether variables were made inside; a function around this one is not told of them."""
    before = state.variables_made
    try:
        yield lambda: state.variables_made != before
    finally:
        state.variables_made = before


@contextmanager
def _no_scopes() -> Iterator[None]:
    outer, state.scopes = state.scopes, ()
    try:
        yield
    finally:
        state.scopes = outer


def _outputs(graph: FuncGraph, result: Any, name: str) -> tuple[Any, list[Any]]:
    """The result with every tensor as one of the graph, and those tensors flat."""
    flat: list[Any] = []

    def output(value: Any) -> Any:
        if type(value) in NUMBERS:
            value = _converted(constant, value, name)  # which may be weak
        leaves = nest.flatten(value, expand_composites=True)
        made = [_output(graph, leaf, name) for leaf in leaves]
        flat.extend(tensor for tensor in made if isinstance(tensor, Tensor))
        return nest.pack_sequence_as(value, made, expand_composites=True)

    return nest.map_structure(output, result), flat


def _after_effects(graph: FuncGraph) -> Any:
    """An operation that waits for all that use a state, if there are any.

    Runs keep the order without it; it is for other readers of the graph.
    """
    effects = [op for op in graph.get_operations() if uses_state(op)]
    if not effects:
        return None
    with graph.control_dependencies(None), graph.control_dependencies(effects):
        return raw_ops.NoOp()


def _output(graph: FuncGraph, leaf: Any, name: str) -> Any:
    if leaf is None:
        return None
    if isinstance(leaf, Variable):
        leaf = leaf.value()
    return raw_ops.Identity(inside(graph, _converted(convert_to_tensor, leaf, name)))


def _converted(convert: Callable[[Any], Any], leaf: Any, name: str) -> Any:
    try:
        return convert(leaf)
    except (TypeError, ValueError) as error:
        if isinstance(leaf, Tensor) or hasattr(type(leaf), "__tf_tensor__"):
            raise
        raise TypeError(
            f"tf.function {name!r} must return tensors, values that can be tensors, or None, got "
            f"{type(leaf).__name__}: {leaf!r}. {error}"
        ) from error


_ATTRIBUTES = frozenset(
    "_OutputsOnOpDevice _disable_acd _implements _noinline _tf_data_function api_implements "
    "api_preferred_device disable_summaries_at_runtime experimental_ints_on_device "
    "function_runs_at_most_once go_backwards runtime_constant_optimization time_major".split()
)


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

    `jit_compile=True` compiles at the first call; otherwise new shapes are interpreted where that
    is cheap. `reduce_retracing=True` traces shapes that differ from an earlier trace with unknown
    dimensions.

    >>> @tf.function
    ... def square(x):
    ...     return x * x
    >>> square(tf.constant(3.0)).numpy()
    np.float32(9.0)
    """
    if not isinstance(experimental_attributes, Mapping | None):
        given = f"{experimental_attributes!r}"
        raise TypeError(f"tf.function: `experimental_attributes` must be a dict, got {given}.")
    for attribute, value in (experimental_attributes or {}).items():
        if attribute not in _ATTRIBUTES:
            raise ValueError(f"tf.function: {attribute!r} is not supported as an attribute.")
        _check_attribute(attribute, value)
    chosen(experimental_autograph_options, "experimental_autograph_options")
    if jit_compile is not None and experimental_compile is not None:
        raise ValueError("tf.function: experimental_compile is jit_compile; give only the latter.")
    options = {
        "autograph": autograph,
        "jit_compile": _renamed(jit_compile, "jit_compile", experimental_compile, "compile"),
        "reduce_retracing": _renamed(
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


def _check_attribute(name: str, value: Any) -> None:
    values = value if isinstance(value, list | tuple) else [value]
    if not all(isinstance(v, bool | int | float | str | bytes) for v in values):
        raise ValueError(
            f"tf.function: the attribute {name!r} must be a bool, int, float or string, or a list "
            f"of these, got {value!r}."
        )


def _renamed(value: Any, name: str, old: Any, old_name: str) -> Any:
    """The value of an argument that may also be given under its former name."""
    if old is None:
        return value
    warning_first(1, f"tf.function: experimental_{old_name} is deprecated, use {name} instead.")
    return value or old
