"""`tf.compat.v1.variable_scope` and `get_variable`: variables that are found again by name."""

from __future__ import annotations

import enum
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from types import TracebackType
from typing import Any

import runnel as tf
from runnel.core.op.context import state
from runnel.core.values.types import DTypeLike
from runnel.graph.session.default import get_default_graph
from runnel.v1.variables.store import Request, VariableStore


class Reuse(enum.Enum):
    """Whether variables are made, found, or either."""

    AUTO = 1


AUTO_REUSE = Reuse.AUTO

_STORE, _SCOPES = ("__variable_store",), ("__varscope",)


class _Current:
    """The scope that is open in a graph, and how often each was opened."""

    def __init__(self) -> None:
        self.scope = VariableScope(False)
        self.counts: dict[str, int] = {}
        self._inside: dict[str, set[str]] = {}  # by scope, those in it that were opened

    def open(self, name: str) -> None:
        self.counts[name] = self.counts.get(name, 0) + 1
        while name:
            inner, name = name, name.rpartition("/")[0]
            beside = self._inside.setdefault(name, set())
            if inner in beside:
                return
            beside.add(inner)

    def close_below(self, name: str) -> dict[str, int]:
        """Forget how often scopes below one were opened; what is forgotten."""
        found, pending = {}, [name]
        while pending:
            for inner in self._inside.pop(pending.pop(), ()):
                found[inner] = self.counts.pop(inner, 0)
                pending.append(inner)
        return found

    def put_back(self, name: str, counts: Mapping[str, int]) -> None:
        """Let scopes below one have been opened as often as `close_below` said."""
        self.close_below(name)
        for inner, count in counts.items():
            self.open(inner)
            self.counts[inner] = count

    def unique(self, prefix: str) -> str:
        """A name for a scope that has none of its own: with a number, if it was opened before."""
        base = f"{self.scope.name}/{prefix}" if self.scope.name else prefix
        if not self.counts.get(base):
            return prefix
        number = 1
        while self.counts.get(f"{base}_{number}"):
            number += 1
        return f"{prefix}_{number}"


def _only(key: Any, make: Callable[[], Any]) -> Any:
    """The one thing that a collection of the default graph holds, made when first asked for."""
    held = get_default_graph().get_collection_ref(key)
    if not held:
        held.append(make())
    return held[0]


def _current() -> _Current:
    return _only(_SCOPES, _Current)  # type: ignore[no-any-return]


@contextmanager
def with_variable_store(store: Any) -> Iterator[None]:
    """While variables by name are those of another store."""
    key: Any = _STORE
    found = get_default_graph().get_collection_ref(key)
    outer, found[:] = list(found), [store]
    try:
        yield
    finally:
        found[:] = outer


def default_store() -> VariableStore:
    """The variables of the default graph by name."""
    return _only(_STORE, VariableStore)  # type: ignore[no-any-return]


def get_variable_scope() -> VariableScope:
    """The scope that is open, or the one around all others."""
    return _current().scope


class VariableScope:
    """A prefix for names, and what variables below it get unless they say otherwise."""

    def __init__(
        self,
        reuse: Any,
        name: str = "",
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        name_scope: str = "",
        dtype: DTypeLike = tf.float32,
        use_resource: bool | None = None,
        constraint: Any = None,
    ) -> None:
        self._name, self._initializer, self._regularizer = name, initializer, regularizer
        self._reuse, self._caching_device, self._partitioner = reuse, caching_device, partitioner
        self._custom_getter, self._name_scope = custom_getter, name_scope
        self._dtype, self._use_resource, self._constraint = (
            tf.as_dtype(dtype),
            use_resource,
            constraint,
        )

    name = property(lambda self: self._name)
    original_name_scope = property(lambda self: self._name_scope)
    reuse = property(lambda self: self._reuse)
    initializer = property(lambda self: self._initializer)
    regularizer = property(lambda self: self._regularizer)
    dtype = property(lambda self: self._dtype)
    use_resource = property(lambda self: self._use_resource)
    caching_device = property(lambda self: self._caching_device)
    partitioner = property(lambda self: self._partitioner)
    custom_getter = property(lambda self: self._custom_getter)
    constraint = property(lambda self: self._constraint)

    def reuse_variables(self) -> None:
        """From now on variables of this scope are found, and none is made."""
        self._reuse = True

    def set_initializer(self, initializer: Any) -> None:
        self._initializer = initializer

    def set_dtype(self, dtype: DTypeLike) -> None:
        self._dtype = tf.as_dtype(dtype)

    def set_use_resource(self, use_resource: bool) -> None:
        self._use_resource = use_resource

    def set_regularizer(self, regularizer: Any) -> None:
        self._regularizer = regularizer

    def set_caching_device(self, caching_device: Any) -> None:
        self._caching_device = caching_device

    def set_partitioner(self, partitioner: Any) -> None:
        self._partitioner = partitioner

    def set_custom_getter(self, custom_getter: Any) -> None:
        self._custom_getter = custom_getter

    def get_collection(self, name: str) -> list[Any]:
        """What a collection holds of this scope."""
        scope = f"{self._name}/" if self._name else self._name
        return get_default_graph().get_collection(name, scope)

    def trainable_variables(self) -> list[Any]:
        return self.get_collection("trainable_variables")

    def global_variables(self) -> list[Any]:
        return self.get_collection("variables")

    def local_variables(self) -> list[Any]:
        return self.get_collection("local_variables")

    def get_variable(
        self, var_store: VariableStore, name: str, reuse: Any = None, **options: Any
    ) -> Any:
        """The variable of that name below this scope, found or made."""
        given = {key: value for key, value in options.items() if value is not None}
        full = f"{self._name}/{name}" if self._name else name
        defaults = {
            "initializer": self._initializer,
            "regularizer": self._regularizer,
            "caching_device": self._caching_device,
            "partitioner": self._partitioner,
            "constraint": self._constraint,
            "dtype": self._dtype,
            "use_resource": self._use_resource,
            "custom_getter": self._custom_getter,
        }
        options = {**defaults, **given}
        options["reuse"] = self._reuse if reuse is None else reuse
        with tf.name_scope(""), tf.control_dependencies(None):
            return var_store.get_variable(Request(full, **options))

    def inside(self, name: str, original: str, **changes: Any) -> VariableScope:
        """The scope of that name, with what this one says unless it is changed."""
        made = VariableScope(False)
        vars(made).update(vars(self))
        made._name, made._name_scope = name, original
        for key, value in changes.items():
            if value is not None:
                setattr(made, f"_{key}", tf.as_dtype(value) if key == "dtype" else value)
        getter = changes.get("custom_getter")
        if getter is not None and self._custom_getter is not None:
            made._custom_getter = _nested(getter, self._custom_getter)
        return made


def _nested(inner: Callable[..., Any], outer: Callable[..., Any]) -> Callable[..., Any]:
    """One getter of two: the inner one's `getter` is the outer one's."""

    def get(getter: Any, *args: Any, **options: Any) -> Any:
        return inner(lambda *a, **o: outer(getter, *a, **o), *args, **options)

    return get


def get_variable(
    name: str,
    shape: Any = None,
    dtype: DTypeLike = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool | None = None,
    collections: Sequence[str] | None = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = None,
    aggregation: Any = None,
) -> Any:
    """The variable of that name in the open scope: a new one, or the one there is if `reuse`.

    >>> with tf.Graph().as_default():
    ...     with tf.compat.v1.variable_scope("layer"):
    ...         v = tf.compat.v1.get_variable("w", [2, 3])
    ...     with tf.compat.v1.variable_scope("layer", reuse=True):
    ...         tf.compat.v1.get_variable("w", [2, 3]) is v
    True
    """
    options = {k: v for k, v in locals().items() if k != "name"}
    return get_variable_scope().get_variable(default_store(), name, **options)


def get_local_variable(
    name: str,
    shape: Any = None,
    dtype: DTypeLike = None,
    initializer: Any = None,
    regularizer: Any = None,
    trainable: bool = False,
    collections: Sequence[str] | None = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Any = None,
    synchronization: Any = None,
    aggregation: Any = None,
) -> Any:
    """As `get_variable`, for a variable that is not saved and not trained."""
    options = {k: v for k, v in locals().items() if k != "name"}
    options["collections"] = [*(collections or []), "local_variables"]
    options["trainable"] = False
    return get_variable_scope().get_variable(default_store(), name, **options)


class variable_scope:
    """Opens a scope: variables made or found inside have its name before theirs.

    >>> with tf.Graph().as_default():
    ...     with tf.compat.v1.variable_scope("a"), tf.compat.v1.variable_scope("b") as scope:
    ...         v = tf.compat.v1.get_variable("v", [])
    >>> scope.name, v.name
    ('a/b', 'a/b/v:0')
    """

    def __init__(
        self,
        name_or_scope: str | VariableScope | None,
        default_name: str | None = None,
        values: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        reuse: Any = None,
        dtype: DTypeLike = None,
        use_resource: bool | None = None,
        constraint: Any = None,
        auxiliary_name_scope: bool = True,
    ) -> None:
        if default_name is None and name_or_scope is None:
            raise TypeError("variable_scope: `name_or_scope` and `default_name` are both None.")
        if name_or_scope is None and reuse:
            raise ValueError(
                "variable_scope: `reuse` needs `name_or_scope`: a scope with a default name is new."
            )
        if not isinstance(name_or_scope, (str, VariableScope, type(None))):
            raise TypeError(
                f"variable_scope: a scope or its name is wanted, got {name_or_scope!r}."
            )
        if reuse not in (None, True, False, AUTO_REUSE):
            raise ValueError(
                f"variable_scope: `reuse` must be True, False or AUTO_REUSE, got {reuse!r}."
            )
        if not isinstance(auxiliary_name_scope, bool):
            raise TypeError(
                f"variable_scope: `auxiliary_name_scope` is a bool, got {auxiliary_name_scope!r}."
            )
        self._given, self._default = name_or_scope, default_name
        self._reuse, self._names = (
            False if default_name and name_or_scope is None else reuse,
            auxiliary_name_scope,
        )
        self._changes = {
            "initializer": initializer,
            "regularizer": regularizer,
            "caching_device": caching_device,
            "partitioner": partitioner,
            "custom_getter": custom_getter,
            "dtype": dtype,
            "use_resource": use_resource,
            "constraint": constraint,
        }
        self._values = values
        self._entered: list[ExitStack] = []

    def __enter__(self) -> VariableScope:
        stack = ExitStack()
        with ExitStack() as undo:
            undo.callback(stack.close)
            graph = _graph_of(self._values)
            if graph is not None and graph is not state.graph:
                stack.enter_context(graph.as_default())
            scope = stack.enter_context(self._opened())
            undo.pop_all()
        self._entered.append(stack)
        return scope

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self._entered.pop().close()

    @contextmanager
    def _opened(self) -> Iterator[VariableScope]:
        current = _current()
        outer = current.scope
        given = self._given
        title = current.unique(self._default) if given is None else given  # type: ignore[arg-type]
        with ExitStack() as stack:
            last = title.name.split("/")[-1] if isinstance(title, VariableScope) else title
            original = f"{last}/" if last else ""
            if self._names and last:
                original = stack.enter_context(tf.name_scope(last))
            elif isinstance(title, VariableScope):
                original = title.original_name_scope
            scope = self._scope(title, outer, original)
            counts: dict[str, int] = {}
            if isinstance(title, VariableScope):
                counts = current.close_below(scope.name)
                current.put_back(scope.name, counts)
            else:
                current.open(scope.name)
            current.scope = scope
            try:
                yield scope
            finally:
                if isinstance(title, VariableScope):
                    current.put_back(scope.name, counts)
                else:
                    current.close_below(scope.name)
                current.scope = outer

    def _scope(
        self, title: str | VariableScope, outer: VariableScope, original: str
    ) -> VariableScope:
        if isinstance(title, VariableScope):
            scope = title.inside(title.name, title.original_name_scope, **self._changes)
            scope._reuse = title.reuse if self._reuse is None else self._reuse
            return scope
        full = f"{outer.name}/{title}" if outer.name and title else title or outer.name
        scope = outer.inside(full, original, **self._changes)
        scope._reuse = self._reuse or outer.reuse
        return scope


def _graph_of(values: Any) -> Any:
    """The graph of the first tensor among values that are to be in it."""
    for value in values or ():
        graph = getattr(value, "graph", None) if not hasattr(value, "handle") else None
        if graph is not None and state.graph is None:
            return graph
    return None


@contextmanager
def variable_op_scope(
    values: Any,
    name_or_scope: Any,
    default_name: str | None = None,
    initializer: Any = None,
    regularizer: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    custom_getter: Any = None,
    reuse: Any = None,
    dtype: DTypeLike = None,
    use_resource: bool | None = None,
    constraint: Any = None,
) -> Iterator[VariableScope]:
    """An older order of the arguments of `variable_scope`."""
    with variable_scope(
        name_or_scope,
        default_name,
        values,
        initializer,
        regularizer,
        caching_device,
        partitioner,
        custom_getter,
        reuse,
        dtype,
        use_resource,
        constraint,
    ) as scope:
        yield scope


def no_regularizer(_: Any) -> None:
    """What says that a variable has no regularizer, whatever its scope says."""
