"""Objects as plain dicts, and back: the text form of a model."""

from __future__ import annotations

import importlib
import inspect
import threading
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras.saving import lambda_code
from runnel.keras.saving.call_specs import spec_config, spec_from
from runnel.keras.saving.config_errors import checked_config, reads_config
from runnel.keras.saving.object_registration import (
    custom_object_scope,
    get_registered_name,
    get_registered_object,
    is_registered,
)

_PLAIN = (str, int, float, bool, bytes)
_PUBLIC = "runnel.keras"
_PACKAGES = ("keras", "tf_keras", "tensorflow", "runnel", "builtins")


class _SafeMode(threading.local):
    def __init__(self) -> None:
        self.on: bool | None = None


_safe_mode = _SafeMode()


class SafeModeScope:
    """Within it, code from a file is run only if `safe_mode` is False."""

    def __init__(self, safe_mode: bool = True) -> None:
        self._wanted = safe_mode

    def __enter__(self) -> None:
        self._outer = _safe_mode.on
        _safe_mode.on = self._wanted

    def __exit__(self, *error: Any) -> None:
        _safe_mode.on = self._outer


def enable_unsafe_deserialization() -> None:
    """Allow code from files to run, in this thread, wherever nothing else is said."""
    _safe_mode.on = False


def in_safe_mode() -> bool:
    """Whether code from files may not run; so it is unless somebody allowed it."""
    return _safe_mode.on is not False


def reading_safely() -> bool:
    """Whether something is being read that may be a file, and whose code may not run.

    A config that somebody holds in hand, and gives to a class, is not: its code is their own.
    """
    return _safe_mode.on is True


NO_CONFIG = {"layer was saved without config": True}  # what SavedModels say instead of a config


class _Folder(threading.local):
    def __init__(self) -> None:
        self.open = False


_folder = _Folder()


@contextmanager
def into_folder() -> Iterator[None]:
    """While configs are for a SavedModel: `NO_CONFIG` stands for a `get_config` that is missing."""
    outer, _folder.open = _folder.open, True
    try:
        yield
    finally:
        _folder.open = outer


def writing_folder() -> bool:
    """Whether configs are for a SavedModel, which has the functions of layers beside them."""
    return _folder.open


def serialize_keras_object(obj: Any) -> Any:
    """A dict of plain values from which `deserialize_keras_object` makes such an object again.

    >>> tf.keras.saving.serialize_keras_object(tf.keras.regularizers.L2(0.5))["config"]
    {'l2': 0.5}
    """
    if obj is None or isinstance(obj, bool | int | float | str):
        return obj
    if isinstance(obj, list | tuple):
        return (
            type(obj)(map(serialize_keras_object, obj))
            if type(obj) in (list, tuple)
            else [serialize_keras_object(x) for x in obj]
        )
    if isinstance(obj, Mapping):
        return {key: serialize_keras_object(value) for key, value in obj.items()}
    for kind, convert in _CONVERTERS.items():
        if isinstance(obj, kind):
            return convert(obj)
    if isinstance(obj, types.FunctionType) and obj.__name__ == "<lambda>":
        return _lambda_config(obj)
    return _object_config(obj)


_CONVERTERS: dict[type, Any] = {
    bytes: lambda b: {"class_name": "__bytes__", "config": {"value": b.decode("utf-8")}},
    tf.TensorShape: lambda s: s.as_list() if s.rank is not None else None,
    tf.DType: lambda d: d.name,
    tf.Tensor: lambda t: {
        "class_name": "__tensor__",
        "config": {"value": t.numpy().tolist(), "dtype": t.dtype.name},
    },
    np.ndarray: lambda a: {
        "class_name": "__numpy__",
        "config": {"value": a.tolist(), "dtype": a.dtype.name},
    },
    np.generic: lambda n: n.item(),
    tf.TypeSpec: lambda spec: spec if writing_folder() else spec_config(spec),
}


def _lambda_config(function: Any) -> dict[str, Any]:
    warnings.warn(
        "The object being serialized includes a lambda. This is unsafe: to load it again, "
        "`safe_mode=False` must be passed. Use a named function instead.",
        stacklevel=2,
    )
    return {"class_name": "__lambda__", "config": {"value": lambda_code.dump(function)}}


def _object_config(obj: Any) -> dict[str, Any]:
    if isinstance(obj, types.FunctionType | type | types.BuiltinFunctionType):
        return _function_config(obj)
    if not hasattr(obj, "get_config"):
        if isinstance(obj, types.ModuleType):  # in the closure of a Lambda's function
            return {**_function_config(obj), "class_name": "module", "registered_name": "module"}
        if callable(obj) and hasattr(obj, "__name__"):  # a method, say the loss of a layer
            return _function_config(obj)
        raise TypeError(f"Cannot serialize {obj!r}: it has no get_config().")
    module, registered = _home(type(obj))
    config = {
        "module": module,
        "class_name": type(obj).__name__,
        "config": inner_config(obj),
        "registered_name": registered,
    }
    return config | _build_and_compile(obj)


def _function_config(function: Any) -> dict[str, Any]:
    public = public_module(function)
    name = get_registered_name(function)
    if public is not None:
        return {
            "module": public,
            "class_name": "function",
            "config": name,
            "registered_name": name,
        }
    return {
        "module": "builtins",
        "class_name": "function",
        "config": name,
        "registered_name": name if is_registered(function) else "function",
    }


def inner_config(obj: Any) -> Any:
    """What `get_config` says, as plain values."""
    try:
        config = obj.get_config()
    except NotImplementedError:
        if not writing_folder():
            raise
        config = NO_CONFIG
    if config is None:
        raise TypeError(
            f"The `get_config()` method of {obj!r} returned None; return a dict that "
            "`from_config()` takes."
        )
    return {key: serialize_keras_object(value) for key, value in config.items()}


def _build_and_compile(obj: Any) -> dict[str, Any]:
    found = {}
    for key in ("build_config", "compile_config"):
        config = getattr(obj, f"get_{key}", lambda: None)()
        if config is not None:
            found[key] = serialize_keras_object(config)
    return found


def _home(kind: type) -> tuple[str, str | None]:
    """The module a class is said to live in, and the name it is registered under."""
    public = public_module(kind)
    if public is not None:
        return public, None
    module = kind.__module__ if not kind.__module__.startswith(_PUBLIC) else ""
    return getattr(kind, "_saved_module", module) or module, get_registered_name(kind)


def public_module(thing: Any) -> str | None:
    """`keras.layers` for a layer of our own, None for what is the user's.

    >>> from runnel.keras.saving.serialization import public_module
    >>> public_module(tf.keras.layers.Dense)
    'keras.layers'
    """
    own = getattr(thing, "__module__", None) or ""
    if not own.startswith(_PUBLIC + "."):
        return None
    name = thing.__name__
    parts = own.removeprefix(_PUBLIC + ".").split(".")
    inside = [".".join(parts[:n]) for n in range(len(parts), 0, -1)]
    candidates = [place for place in inside if not place.startswith("engine")]
    for candidate in (*candidates, *_NAMESPACES):
        path = f"{_PUBLIC}.{candidate}".rstrip(".")
        module = importlib.import_module(path)
        public = candidate in _NAMESPACES or _is_namespace(module)
        if public and getattr(module, name, None) is thing:
            return _KERAS_PLACES.get(name) or f"keras.{candidate}".rstrip(".")
    return None


_NAMESPACES = (
    "layers",
    "layers.experimental",
    "layers.experimental.preprocessing",
    "models",
    "experimental",
    "mixed_precision",
    "",
)
_KERAS_PLACES = {"Sequential": "keras", "Model": "keras"}


def _is_namespace(module: Any) -> bool:
    """A folder, or a file that is a subject of its own such as `regularizers`."""
    return hasattr(module, "__path__") or module.__name__.count(".") == 2


@reads_config
def deserialize_keras_object(
    config: Any,
    custom_objects: Mapping[str, Any] | None = None,
    safe_mode: bool = True,
    **kwargs: Any,
) -> Any:
    """The object that `serialize_keras_object` described.

    >>> config = tf.keras.saving.serialize_keras_object(tf.keras.layers.Dense(3))
    >>> tf.keras.saving.deserialize_keras_object(config).units
    3
    """
    tables = kwargs.get("module_objects")
    if config is None or isinstance(config, bool | int | float):
        return config
    if isinstance(config, str):
        found = get_registered_object(config, custom_objects, tables)
        return config if found is None else found
    if isinstance(config, list | tuple):
        return type(config)(deserialize_keras_object(x, custom_objects, safe_mode) for x in config)
    if not isinstance(config, dict):
        raise TypeError(f"Could not parse config: {config!r}")
    if "class_name" not in config or "config" not in config:
        return {
            key: deserialize_keras_object(value, custom_objects, safe_mode)
            for key, value in config.items()
        }
    if config["class_name"] == "__typespec__":
        return spec_from(config)
    special = _SPECIAL.get(checked_config(config, class_name=str)["class_name"])
    if special is not None:
        return special(config["config"], safe_mode)
    return _instance(config, custom_objects or {}, safe_mode, tables)


def _load_lambda(config: Any, safe_mode: bool) -> Any:
    if safe_mode and in_safe_mode():
        raise ValueError(
            "Requested the deserialization of a lambda. That runs code from the file, so it is "
            "refused; if you trust the source of the file, pass `safe_mode=False` to the loading "
            "function."
        )
    return lambda_code.load(config["value"], {"tf": tf, "np": np, "__builtins__": __builtins__})


_SPECIAL: dict[str, Any] = {
    "__bytes__": lambda c, safe: c["value"].encode("utf-8"),
    "__tensor__": lambda c, safe: tf.constant(c["value"], dtype=c["dtype"]),
    "__numpy__": lambda c, safe: np.array(c["value"], dtype=c["dtype"]),
    "__lambda__": _load_lambda,
}


def _instance(
    config: dict[str, Any], custom_objects: Mapping[str, Any], safe_mode: bool, tables: Any
) -> Any:
    name, inner = config["class_name"], config["config"]
    if name == "function":
        return _retrieve(inner, config, custom_objects, tables, safe_mode)
    kind = _retrieve(name, config, custom_objects, tables, safe_mode)
    if isinstance(kind, types.FunctionType):
        return kind
    if not hasattr(kind, "from_config"):
        raise TypeError(f"Unable to reconstruct an instance of {kind}: it has no from_config().")
    with custom_object_scope(custom_objects), SafeModeScope(safe_mode and in_safe_mode()):
        instance = kind.from_config(inner if isinstance(inner, dict) else {"config": inner})
        if config.get("build_config"):
            instance.build_from_config(config["build_config"])
        if config.get("compile_config"):
            instance.compile_from_config(config["compile_config"])
    return instance


function_tables: list[Callable[[], Mapping[str, Any]]] = []
"""The tables of names of each kind of objects: activations, losses, initializers …"""


def _check_function(function: Any, name: str) -> None:
    """Refuse a function of our own that a config names, unless it computes tensors."""
    known = any(function is item for table in function_tables for item in table().values())
    if known or tf.__internal__.dispatch.computes_tensors(function):
        return
    raise ValueError(
        f"The config names the function {name!r}, which may do more than to compute tensors from "
        "tensors. That is refused; if you trust the source of the file, pass `safe_mode=False` to "
        "the loading function."
    )


def _retrieve(
    name: str,
    config: dict[str, Any],
    custom_objects: Mapping[str, Any],
    tables: Any,
    safe_mode: bool,
) -> Any:
    """The class or function that a config names."""
    registered = config.get("registered_name") or name
    for candidate in (registered, name):
        found = get_registered_object(candidate, custom_objects, tables)
        if found is not None:
            return found
    found = builtin_object(name, config.get("module"))
    if found is None:
        what = "function" if config["class_name"] == "function" else "class"
        raise TypeError(
            f"Could not locate {what} {name!r}. Make sure custom classes are decorated with "
            "`@keras.saving.register_keras_serializable()` or passed as `custom_objects`. "
            f"Full object config: {config}"
        )
    if inspect.isfunction(found) and safe_mode and in_safe_mode():
        _check_function(found, name)
    return found


def builtin_object(name: str, module: str | None) -> Any:
    """A class or function of our own by the module that the file names."""
    parts = (module or "").split(".")
    if parts[0] not in _PACKAGES:
        return None
    places = [".".join(parts[1:])] if parts[0] == "keras" else []
    for place in (
        *places,
        "layers",
        "",
        "losses",
        "metrics",
        "optimizers",
        "activations",
        "initializers",
        "regularizers",
        "constraints",
        "engine.models.model",
        "optimizers.schedules",
        "mixed_precision",
        "optimizers.loss_scale",
        "engine.symbolic.op_layer",
        "engine.symbolic.tensor_parts",
        "engine.symbolic.added_tensors",
    ):
        try:
            home = importlib.import_module(f"{_PUBLIC}.{place}".rstrip("."))
        except ImportError:
            continue
        found = getattr(home, name, None)
        own = str(getattr(found, "__module__", None)).startswith(_PUBLIC)
        if own and (inspect.isclass(found) or inspect.isfunction(found)):
            return found
    return None
