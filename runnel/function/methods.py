"""Traced methods: each object has traces of its own, which go with it."""

from __future__ import annotations

import copy
import functools
import inspect
import threading
import weakref
from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

from runnel.function.callable import PolymorphicFunction
from runnel.function.concrete import ConcreteFunction
from runnel.function.function_type import FunctionType

if TYPE_CHECKING:
    from runnel.function.function import Function


P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")


class Bindable(PolymorphicFunction, Generic[P, R]):
    """A function of which a class makes methods: it knows the object it is bound to, if any."""

    _lock: threading.RLock
    _python_function: Callable[..., Any]
    _count: int
    _name: str

    def _decorate(self, decorator: Callable[..., Any]) -> None:
        """Have what `decorator` makes of the Python function traced, before the first trace."""
        if self._count:
            raise ValueError(
                f"tf.function {self._name!r} has been called: a decorator comes before that."
            )
        self._python_function = decorator(self._python_function)

    @abstractmethod
    def _again(self, python_function: Callable[..., Any]) -> Function[..., Any]:
        """A function with the same options, and no traces yet."""

    def __init__(self) -> None:
        self._instance: Callable[[], Any] | None = None
        self._instances: weakref.WeakKeyDictionary[Any, Function[..., Any]] = (
            weakref.WeakKeyDictionary()
        )
        self._method: weakref.ref[Method[..., Any]] | None = None

    @overload
    def __get__(self, instance: None, owner: type | None = None) -> Self: ...

    @overload
    def __get__(
        self: Bindable[Concatenate[Any, Q], R], instance: object, owner: type | None = None
    ) -> Method[Q, R]: ...

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

    def _as_method_of(self, instance: Any) -> Method[..., Any]:
        """The method of an object: one and the same as long as somebody holds it."""
        method = self._method() if self._method is not None else None
        if method is None:
            method = Method(instance, self)  # type: ignore[arg-type]
            self._method = weakref.ref(method)
        return method

    def _bound_to(self, instance: Any) -> Function[..., Any]:
        made = self._again(self._python_function)
        made._instance = _reference(instance)
        made._signature = made.__signature__ = _without_self(made._signature)
        made._prepare()
        return made


class Method(PolymorphicFunction, Generic[P, R]):
    """A traced method of one object, which stays alive as long as this does."""

    def __init__(self, instance: Any, function: Function[P, R]) -> None:
        self._instance = instance
        self._function = function
        self.__signature__ = function._signature
        self.__doc__ = function.__doc__

    def __repr__(self) -> str:
        return f"<tf.function {self._function.name}{self.__signature__} of {self._instance!r}>"

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R:
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

    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        """The class of functions: programs ask `isinstance(model.call, type(tf.function(f)))`."""
        return type(self._function)

    def __eq__(self, other: object) -> bool:
        return type(other) is Method and self._function is other._function

    def __hash__(self) -> int:
        return hash(self._function)

    @property
    def __self__(self) -> Any:
        return self._instance

    def __copy__(self) -> Method[P, R]:
        return Method(self._instance, self._function)

    def __deepcopy__(self, memo: dict[int, Any]) -> Method[..., Any]:
        """The same method of a copy of the object."""
        instance = copy.deepcopy(self._instance, memo)
        return Method(instance, self._function._bound_to(instance))

    @property
    def python_function(self) -> Callable[..., Any]:
        """The Python method, bound to its object."""
        return functools.partial(self._function.python_function, self._instance)


def is_method(function: Any, signature: inspect.Signature) -> bool:
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
