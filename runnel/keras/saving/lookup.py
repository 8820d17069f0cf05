"""`get`, `serialize` and `deserialize` of the kinds of objects that have short names."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Mapping
from typing import Any

import runnel as tf
from .config_errors import checked_config, reads_config
from .object_registration import custom_object_scope, get_registered_name, get_registered_object
from .serialization import (
    SafeModeScope,
    deserialize_keras_object,
    function_tables,
    in_safe_mode,
    serialize_keras_object,
)

_trimmed = tf.__internal__.tracebacks.trimmed


class Lookup:
    """A table of names for one kind of objects ("optimizer", "loss function", …)."""

    def __init__(self, kind: str, names: Callable[[], Mapping[str, Any]]) -> None:
        self.kind = kind
        self._names = names
        function_tables.append(names)

    def own(self, name: str) -> Any:
        """The class or function of our own that has a name."""
        return self._names()[name]

    def find(self, name: str, custom_objects: Mapping[str, Any] | None = None) -> Any:
        """The class or function of a name; an error lists those that look alike."""
        found = get_registered_object(name, custom_objects, self._names())
        if found is None:
            raise ValueError(f"Unknown {self.kind}: {name!r}.{self._near(name)}")
        return found

    def _near(self, name: str) -> str:
        near = difflib.get_close_matches(name, list(self._names()), n=3)
        hint = f" Did you mean {' or '.join(map(repr, near))}?" if near else ""
        return (
            f"{hint} If it is your own, register it with "
            "`keras.saving.register_keras_serializable` or use it inside a "
            "`keras.utils.custom_object_scope`."
        )

    @reads_config
    def deserialize(
        self,
        config: Any,
        custom_objects: Mapping[str, Any] | None = None,
        use_legacy_format: bool = False,
    ) -> Any:
        """The object that a config or a name describes; the older format has no modules."""
        if isinstance(config, str):
            found = self.find(config, custom_objects)
            return found() if inspect.isclass(found) else found
        plain = isinstance(config, dict) and not _is_special(config)
        if plain and (use_legacy_format or "module" not in config):
            return self._legacy(config, custom_objects)
        return deserialize_keras_object(
            config,
            custom_objects=custom_objects,
            safe_mode=in_safe_mode(),
            module_objects=self._names(),
        )

    def _legacy(self, config: dict[str, Any], custom_objects: Mapping[str, Any] | None) -> Any:
        name = checked_config(config, class_name=str, config=object)["class_name"]
        if name.startswith("Custom>") and get_registered_object(name, custom_objects) is None:
            name = name.removeprefix("Custom>")
        kind: Any = self.find(name, custom_objects)
        if inspect.isfunction(kind):
            return kind
        takes = inspect.signature(kind.from_config).parameters
        given = {"custom_objects": custom_objects} if custom_objects else {}
        with SafeModeScope(in_safe_mode()), custom_object_scope(custom_objects or {}):
            return kind.from_config(
                config["config"], **{key: v for key, v in given.items() if key in takes}
            )

    def serialize(self, obj: Any, use_legacy_format: bool = False) -> Any:
        """The config of an object, or the name of a function."""
        if obj is None:
            return None
        if inspect.isfunction(obj) and obj.__name__ != "<lambda>":
            name = get_registered_name(obj)
            return name if use_legacy_format else function_config(name)
        if use_legacy_format:
            if not hasattr(obj, "get_config"):
                raise ValueError(f"Cannot serialize {obj!r}: it has no get_config().")
            return {"class_name": get_registered_name(type(obj)), "config": obj.get_config()}
        return serialize_keras_object(obj)

    @_trimmed
    def get(self, identifier: Any) -> Any:
        """An object from a name or a config; None, a class and what can be called stay."""
        if identifier is None:
            return None
        if isinstance(identifier, str | dict):
            return self.deserialize(identifier)
        if callable(identifier):
            return identifier
        raise ValueError(f"Could not interpret {self.kind} identifier: {identifier!r}.")


lookups: dict[str, Lookup] = {}
"""The names of layers, metrics and optimizers, for those that are loaded before them."""


def _is_special(config: dict[str, Any]) -> bool:
    """Whether a config is one of a lambda or a value, which have no class."""
    return str(config.get("class_name")).startswith("__")


def function_config(name: str) -> dict[str, Any]:
    """How Keras describes a function of its own."""
    return {
        "module": "builtins",
        "class_name": "function",
        "config": name,
        "registered_name": "function",
    }
