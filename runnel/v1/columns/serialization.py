"""Columns as plain data, and back."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

import runnel as tf
from runnel.v1.columns.base import FeatureColumn

_Class = TypeVar("_Class", bound=type)
_CLASSES: dict[str, Any] = {}
_PASSIVE = "__passive_serialization__"


def register_feature_column(cls: _Class) -> _Class:
    """Make a class of columns known by its name."""
    _CLASSES[cls.__name__] = cls
    return cls


def serialize_feature_column(fc: Any) -> Any:
    """A column as plain data; the name of a feature is that already."""
    if isinstance(fc, str):
        return fc
    if not isinstance(fc, FeatureColumn):
        raise ValueError(f"serialize_feature_column: this is no feature column: {fc!r}")
    return {"class_name": type(fc).__name__, "config": fc.get_config()}


def deserialize_feature_column(
    config: Any, custom_objects: Any = None, columns_by_name: Any = None
) -> Any:
    """The column that `serialize_feature_column` wrote down."""
    if isinstance(config, str):
        return config
    known: dict[str, Any] = {} if columns_by_name is None else columns_by_name
    cls, settings = _class_and_config(config, _CLASSES, custom_objects, "feature column")
    if not issubclass(cls, FeatureColumn):
        raise ValueError(f"deserialize_feature_column: {cls} is no class of feature columns.")
    made = cls.from_config(settings, custom_objects=custom_objects, columns_by_name=known)
    return known.setdefault(f"{type(made).__name__}:{made.name}", made)


class Written(FeatureColumn):
    """A column whose settings are written down by the table of their kinds."""

    # Settings that are functions or objects, with where names of them are looked up.
    _objects: Mapping[str, Callable[[], Mapping[str, Any]]] = {}

    def _get_config(self) -> dict[str, Any]:
        config = dict(zip(self._fields, self))  # type: ignore[call-overload]
        for key in self._columns:
            value = config[key]
            many = isinstance(value, tuple) and not isinstance(value, FeatureColumn)
            write = serialize_feature_column
            config[key] = tuple(map(write, value)) if many else write(value)
        for key in self._dtypes:
            config[key] = config[key].name
        for key in self._objects:
            config[key] = serialize_object(config[key])
        return config

    @classmethod
    def _from_config(
        cls, config: dict[str, Any], custom_objects: Any = None, columns_by_name: Any = None
    ) -> Any:
        if set(config) != set(cls._fields):
            raise ValueError(
                f"{cls.__name__}: the config has the keys {sorted(config)}, not {cls._fields}."
            )
        settings = {k: tuple(v) if isinstance(v, list) else v for k, v in config.items()}
        for key in cls._columns:
            value = settings[key]
            many = isinstance(value, tuple)
            read = [
                deserialize_feature_column(part, custom_objects, columns_by_name)
                for part in (value if many else [value])
            ]
            settings[key] = tuple(read) if many else read[0]
        for key in cls._dtypes:
            settings[key] = tf.as_dtype(settings[key])
        for key, names in cls._objects.items():
            settings[key] = deserialize_object(settings[key], names(), custom_objects)
        return cls(**settings)


def serialize_object(instance: Any) -> Any:
    """A function by its name, an object with `get_config` by its class and config."""
    if instance is None:
        return None
    if hasattr(instance, "get_config"):
        config = {key: _serialized_setting(v) for key, v in instance.get_config().items()}
        return {"class_name": type(instance).__name__, "config": config}
    if hasattr(instance, "__name__"):
        return instance.__name__
    raise ValueError("Cannot serialize", instance)


def _serialized_setting(value: Any) -> Any:
    if isinstance(value, str):
        return value
    try:
        written = serialize_object(value)
    except ValueError:
        return value
    if isinstance(written, dict) and not isinstance(value, dict):
        written[_PASSIVE] = True
    return written


def deserialize_object(identifier: Any, names: Mapping[str, Any], custom_objects: Any) -> Any:
    """What `serialize_object` wrote down."""
    if identifier is None or inspect.isfunction(identifier):
        return identifier
    if isinstance(identifier, dict):
        cls, config = _class_and_config(identifier, names, custom_objects, "object")
        return cls.from_config(config) if hasattr(cls, "from_config") else cls(**config)
    if not isinstance(identifier, str):
        raise ValueError(f"This is no written form of an object: {identifier!r}")
    found = _named(identifier, names, custom_objects)
    if found is None:
        raise ValueError(f"Unknown object: {identifier}. Pass it by name in `custom_objects`.")
    return found() if inspect.isclass(found) else found


def _named(name: str, names: Mapping[str, Any], custom_objects: Any) -> Any:
    return {**names, **(custom_objects or {})}.get(name)


def _class_and_config(
    config: Any, names: Mapping[str, Any], custom_objects: Any, what: str
) -> tuple[Any, dict[str, Any]]:
    if not isinstance(config, dict) or not {"class_name", "config"} <= set(config):
        raise ValueError(f"This is no written form of a {what}: {config!r}")
    cls = _named(config["class_name"], names, custom_objects)
    if cls is None:
        raise ValueError(
            f"Unknown {what}: {config['class_name']}. Pass its class by name in `custom_objects`."
        )
    settings = dict(config["config"])
    for key, value in settings.items():
        if isinstance(value, dict) and _PASSIVE in value:
            settings[key] = deserialize_object(value, names, custom_objects)
        elif isinstance(value, str) and inspect.isfunction(_named(value, {}, custom_objects)):
            settings[key] = custom_objects[value]
    return cls, settings
