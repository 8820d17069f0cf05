"""Functions that say what they wrap, and the public names of objects."""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable, Sequence
from typing import Any

import runnel
from runnel.compat import internal_names

_ATTRIBUTE = "_tf_decorator"


class TFDecorator:
    """What is known of a decorated function: its name, the function inside, its arguments."""

    def __init__(
        self,
        decorator_name: str,
        target: Callable[..., Any],
        decorator_doc: str = "",
        decorator_argspec: inspect.FullArgSpec | None = None,
    ) -> None:
        self.decorator_name = decorator_name
        self.decorated_target = target
        self.decorator_doc = decorator_doc
        self.decorator_argspec = decorator_argspec


def make_decorator(
    target: Callable[..., Any],
    decorator_func: Callable[..., Any],
    decorator_name: str | None = None,
    decorator_doc: str = "",
    decorator_argspec: inspect.FullArgSpec | None = None,
) -> Callable[..., Any]:
    """`decorator_func` with the name, the documentation and the signature of `target`."""
    name = decorator_name or sys._getframe(1).f_code.co_name
    functools.update_wrapper(decorator_func, target)
    if decorator_doc:
        decorator_func.__doc__ = decorator_doc
    made = TFDecorator(name, target, decorator_doc, decorator_argspec)
    setattr(decorator_func, _ATTRIBUTE, made)
    decorator_func.__original_wrapped__ = target  # type: ignore[attr-defined]
    return decorator_func


def unwrap(maybe_tf_decorator: Any) -> tuple[list[TFDecorator], Any]:
    """The decorators around a function, outermost first, and the function inside."""
    found = []
    current = maybe_tf_decorator
    while isinstance(made := getattr(current, _ATTRIBUTE, None), TFDecorator):
        found.append(made)
        current = made.decorated_target
    return found, current


_exported: dict[str, Any] = {}
"""What libraries have exported, by its names."""


class tf_export:
    """Note the public names of an object; packages that are built on TensorFlow mark theirs."""

    api_name = "tensorflow"

    def __init__(
        self,
        *args: str,
        api_name: str | None = None,
        v1: Sequence[str] | None = None,
        allow_multiple_exports: bool = True,
    ) -> None:
        self.names = args
        self.v1 = args if v1 is None else tuple(v1)
        self.key = api_name or self.api_name
        self.allow_multiple_exports = allow_multiple_exports

    def __call__(self, func: Any) -> Any:
        _exported.update(dict.fromkeys(self.names, func))
        attribute = f"_{self.key}_api_names"
        if not self.allow_multiple_exports and attribute in vars(func):
            raise ValueError(f"{func} has been exported already as {getattr(func, attribute)}.")
        setattr(func, attribute, self.names)
        setattr(func, f"{attribute}_v1", self.v1)
        return func

    def export_constant(self, module_name: str, name: str) -> None:
        """Note the public names of a constant of a module, which takes no attributes itself."""
        module = sys.modules[module_name]
        for attribute, names in (("constants", self.names), ("constants_v1", self.v1)):
            key = f"_{self.key}_api_{attribute}"
            module.__dict__.setdefault(key, []).append((names, name))


class keras_export(tf_export):
    """The same for names below `keras`."""

    api_name = "keras"


def get_canonical_name_for_symbol(
    symbol: Any, api_name: str = "tensorflow", add_prefix_to_v1_names: bool = False
) -> str | None:
    """The first name that an object was exported under, or its path in `tf`; None without one."""
    own = getattr(unwrap(symbol)[1], "__dict__", {})  # and not what its base classes are called
    names = own.get(f"_{api_name}_api_names")
    if names:
        return str(names[0])
    v1 = own.get(f"_{api_name}_api_names_v1")
    if v1:
        return f"compat.v1.{v1[0]}" if add_prefix_to_v1_names else str(v1[0])
    return _public_path(symbol, api_name)


def _public_path(symbol: Any, api_name: str) -> str | None:
    return _public_paths(api_name).get(id(symbol))


@functools.cache
def _public_paths(api_name: str) -> dict[int, str]:
    """The first public name of each function and class, by identity: they live as long as this."""
    own: dict[int, str] = {}
    others: dict[int, str] = {}
    for namespace in _namespaces(api_name):
        owner: Any = runnel
        for part in filter(None, namespace.split(".")):
            owner = getattr(owner, part, None)
        for name in dir(owner):
            value = None if name.startswith("_") else getattr(owner, name, None)
            if not (isinstance(value, type) or inspect.isfunction(value)):
                continue
            if str(value.__module__).startswith("runnel.keras.") == (api_name == "keras"):
                names = own if value.__name__ == name else others
                names.setdefault(id(value), f"{namespace}.{name}".lstrip("."))
    return others | own


def _namespaces(api_name: str) -> list[str]:
    """The public namespaces, those first whose names for things are TensorFlow's first ones."""
    first = _FIRST_OF_KERAS if api_name == "keras" else _FIRST
    known = {
        module
        for module in internal_names.public_modules()
        if (module.split(".")[0] == "keras") == (api_name == "keras") and module != "raw_ops"
    }
    late = ("experimental", "applications", "__internal__")
    others = known - set(first)
    return [*first, *sorted(others, key=lambda m: (any(word in m for word in late), -len(m), m))]


# Where a function that has several public names has its first one, by TensorFlow's habit.
_FIRST = (
    *("__operators__", "nn", "math", "linalg", "io", "image", "signal", "strings", "random"),
    *("sparse", "debugging", "", "bitwise", "ragged", "audio", "quantization", "sets", "train"),
)
_FIRST_OF_KERAS = ("keras", "keras.saving", "keras.utils", "keras.backend", "keras.metrics")


def get_symbol_from_name(name: str) -> Any:
    """What a library has exported under a name, or the public object there (without `tf.`).

    None if there is none. A library that exports names of Keras has all of Keras.
    """
    if name in _exported:
        return _exported[name]
    top = name.partition(".")[0] + "."
    if top == "keras." and any(other.startswith(top) for other in _exported):
        return None
    found: Any = runnel
    for part in name.split("."):
        found = getattr(found, part, None)
    return found
