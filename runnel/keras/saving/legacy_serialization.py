"""Objects as dicts in the older form, which says neither module nor registration."""

from __future__ import annotations

import inspect
from typing import Any

from runnel.keras.saving.config_errors import checked_config, reads_config
from runnel.keras.saving.object_registration import (
    custom_object_scope,
    get_custom_objects,
    get_registered_name,
    get_registered_object,
)
from runnel.keras.saving.serialization import SafeModeScope, in_safe_mode

_INSIDE = "__passive_serialization__"  # marks an object within a config


def serialize_keras_object(instance: Any) -> Any:
    """The class and the config of an object, or the name of a function.

    >>> tf.keras.utils.legacy.serialize_keras_object(tf.keras.regularizers.L1(0.5))
    {'class_name': 'L1', 'config': {'l1': 0.5}}
    """
    if instance is None:
        return None
    if hasattr(instance, "get_config") and not isinstance(instance, type):
        config = {key: _item(value) for key, value in instance.get_config().items()}
        return {"class_name": get_registered_name(type(instance)), "config": config}
    if hasattr(instance, "__name__"):
        return get_registered_name(instance)
    raise ValueError(f"Cannot serialize {instance} because it doesn't implement `get_config()`.")


def _item(value: Any) -> Any:
    if isinstance(value, str):
        return value
    try:
        made = serialize_keras_object(value)
    except ValueError:
        return value
    if isinstance(made, dict) and not isinstance(value, dict):
        made[_INSIDE] = True
    return made


@reads_config
def deserialize_keras_object(
    identifier: Any,
    module_objects: Any = None,
    custom_objects: Any = None,
    printable_module_name: str = "object",
) -> Any:
    """The object of such a dict or name; names are looked for among `module_objects` too.

    >>> config = {"class_name": "L1", "config": {"l1": 0.5}}
    >>> known = {"L1": tf.keras.regularizers.L1}
    >>> tf.keras.utils.legacy.deserialize_keras_object(config, known).get_config()
    {'l1': 0.5}
    """
    if identifier is None or inspect.isfunction(identifier):
        return identifier
    if isinstance(identifier, dict):
        return _instance(identifier, module_objects, custom_objects, printable_module_name)
    if isinstance(identifier, str):
        found = _named(identifier, module_objects, custom_objects, printable_module_name)
        return found() if isinstance(found, type) else found
    raise ValueError(f"Could not interpret serialized {printable_module_name}: {identifier}")


def _named(name: str, module_objects: Any, custom_objects: Any, what: str) -> Any:
    found = get_registered_object(name, custom_objects, module_objects)
    if found is None:
        raise ValueError(
            f"Unknown {what}: '{name}'. Please ensure you are using a "
            "`keras.utils.custom_object_scope` and that this object is included in the scope."
        )
    return found


def _instance(identifier: Any, module_objects: Any, custom_objects: Any, what: str) -> Any:
    if "class_name" not in identifier or "config" not in identifier:
        raise ValueError(
            f"Improper config format for {identifier}. Expecting python dict contains "
            "`class_name` and `config` as keys"
        )
    checked_config(identifier, class_name=str)
    kind = _named(identifier["class_name"], module_objects, custom_objects, what)
    config = identifier["config"]
    if isinstance(config, dict):
        config = {
            key: _loaded(key, value, module_objects, custom_objects)
            for key, value in config.items()
        }
    custom = custom_objects or {}
    make = getattr(kind, "from_config", None)
    with SafeModeScope(in_safe_mode()):
        if make is not None and "custom_objects" in inspect.signature(make).parameters:
            return make(config, custom_objects={**get_custom_objects(), **custom})
        with custom_object_scope(custom):
            return make(config) if make is not None else kind(**config)


def _loaded(key: str, value: Any, module_objects: Any, custom_objects: Any) -> Any:
    """What stands in a config for an object or a function, as that."""
    if key == "name":
        return value
    if isinstance(value, dict) and _INSIDE in value:
        return deserialize_keras_object(value, module_objects, custom_objects, "config_item")
    if isinstance(value, str):
        found = get_registered_object(value, custom_objects)
        return found if inspect.isfunction(found) else value
    return value
