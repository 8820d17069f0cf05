"""Custom classes and functions by name, for loading what was saved with them."""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

Thing = TypeVar("Thing")

_GLOBAL_CUSTOM_OBJECTS: dict[str, Any] = {}
_GLOBAL_CUSTOM_NAMES: dict[Any, str] = {}


class _Scopes(threading.local):
    def __init__(self) -> None:
        self.names: dict[str, Any] = {}


_scopes = _Scopes()


class custom_object_scope:
    """A scope in which names stand for the given classes and functions.

    >>> class Twice(tf.keras.layers.Layer):
    ...     def call(self, x):
    ...         return 2 * x
    >>> with tf.keras.utils.custom_object_scope({"Twice": Twice}):
    ...     layer = tf.keras.layers.deserialize({"class_name": "Twice", "config": {}})
    >>> float(layer(tf.constant(3.0)))
    6.0
    """

    def __init__(self, *args: Mapping[str, Any]) -> None:
        self._given = args
        self._outer: dict[str, Any] = {}

    def __enter__(self) -> custom_object_scope:
        self._outer = _scopes.names
        _scopes.names = dict(self._outer)
        for names in self._given:
            _scopes.names.update(names)
        return self

    def __exit__(self, *error: Any) -> None:
        _scopes.names = self._outer


def get_custom_objects() -> dict[str, Any]:
    """The names that stand for custom objects everywhere; change it to add some."""
    return _GLOBAL_CUSTOM_OBJECTS


def known_objects(custom_objects: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """All names that stand for custom objects here, with those given."""
    return {**(custom_objects or {}), **_GLOBAL_CUSTOM_OBJECTS, **_scopes.names}


def register_keras_serializable(
    package: str = "Custom", name: str | None = None
) -> Callable[[Thing], Thing]:
    """Decorator that makes a class or function known to loading, as `package>name`.

    >>> @tf.keras.utils.register_keras_serializable("mine")
    ... class Loss(tf.keras.losses.Loss):
    ...     pass
    >>> tf.keras.utils.get_registered_name(Loss)
    'mine>Loss'
    """

    def register(thing: Any) -> Any:
        registered = f"{package}>{thing.__name__ if name is None else name}"
        if inspect.isclass(thing) and not hasattr(thing, "get_config"):
            raise ValueError(
                "Cannot register a class that does not have a get_config() method: "
                f"{thing.__name__} needs one."
            )
        _GLOBAL_CUSTOM_OBJECTS[registered] = thing
        _GLOBAL_CUSTOM_NAMES[thing] = registered
        return thing

    return register


def get_registered_name(obj: Any) -> str:
    """The name an object was registered under, else its own."""
    try:
        found = _GLOBAL_CUSTOM_NAMES.get(obj)
    except TypeError:  # not hashable
        found = None
    if found is None and not hasattr(obj, "__name__"):
        raise ValueError(
            f"Cannot serialize {obj!r}: it has neither a name nor `get_config()`. Use a function "
            "with a name, or a class with that method."
        )
    return found if found is not None else obj.__name__


def is_registered(obj: Any) -> bool:
    """Whether the object was registered."""
    return obj in _GLOBAL_CUSTOM_NAMES


def get_registered_object(
    name: str, custom_objects: Mapping[str, Any] | None = None, module_objects: Any = None
) -> Any:
    """What a name stands for: in scopes, then among the registered, then in the given tables."""
    tables = (_scopes.names, _GLOBAL_CUSTOM_OBJECTS, custom_objects or {}, module_objects or {})
    for table in tables:
        if name in table:
            return table[name]
    return None
