"""Modules that stand for internal ones: they look their names up in what is public.

- `tensorflow.python.<module>`: by the table in `internal_names.py`; `ops.gen_*_ops`: `tf.raw_ops`;
- `tensorflow.compiler.tf2xla.python.xla`: raw ops as well;
- `tensorflow.core.<area>.<file>_pb2`: the protocol messages;
- `tensorflow.python.keras.…`, `keras.src.…`, `keras.engine.…`: in Keras's public namespaces.
"""

from __future__ import annotations

import importlib
import inspect
import re
import types
from collections.abc import Callable
from typing import Any

import runnel
from runnel.compat import internal_names
from runnel.compat.tools.refused import Refused
from runnel.core.protos import messages

# Where the names of Keras's internal modules are public, by the beginning of their paths.
KERAS = {
    "engine.input_layer": ["layers", ""],
    "engine.sequential": ["", "models"],
    "engine.training": ["", "models"],
    "engine.functional": ["", "models"],
    "engine": ["layers", "", "models", "engine.symbolic.keras_tensor"],
    "layers": ["layers", "layers.experimental", "layers.experimental.preprocessing"],
    "legacy_tf_layers": ["layers"],
    "losses": ["losses"],
    "metrics": ["metrics"],
    "models": ["models", ""],
    "optimizer_v1": ["optimizers.legacy"],
    "optimizer_v2.learning_rate_schedule": ["optimizers.schedules"],
    "optimizer_v2": ["optimizers.legacy"],
    "optimizers": ["optimizers", "optimizers.schedules"],
    "preprocessing": ["preprocessing", "preprocessing.image", "preprocessing.sequence"],
    "saving.saving_utils": ["saving.files.saved_functions"],
    "saving": ["saving", "models", "utils"],
    "utils": ["utils"],
    "callbacks": ["callbacks"],
    "export": ["export"],
    "applications": ["applications"],
    "datasets": ["datasets"],
    "initializers": ["initializers"],
    "backend": ["backend"],
    "backend_config": ["backend"],
    "activations": ["activations"],
    "constraints": ["constraints"],
    "regularizers": ["regularizers"],
    "mixed_precision": ["mixed_precision"],
}
# Further internal modules below `tensorflow`, and ours; packages of modules have none.
TOOLS = {
    "tools": "",
    "tools.docs": "",
    "tools.docs.doc_controls": "runnel.compat.libraries.documenting",
    "keras.saving.saved_model.load_context": "runnel.compat.libraries.registering",
}
# The ops of XLA, by names that are those of raw ops after `Xla`.
COMPILER = "compiler.tf2xla.python.xla"
_OF_XLA = "dynamic_slice dynamic_update_slice einsum key_value_sort pad sharding sort".split()
_KERAS = re.compile(r"(?:python\.keras|keras\.src|_api\.v2\.keras|keras\.api(?:\._v2)?)(?:\.|$)")


class Facade(types.ModuleType):
    """A module whose names are looked up when they are first asked for.

    It is a package without files, so that what is imported from it in vain is asked of the door,
    which says what is missing.
    """

    __path__: list[str] = []

    def __init__(self, name: str, source: Any, doc: str | None = None) -> None:
        super().__init__(name, doc)
        self.__dict__["_source"] = source if callable(source) else _attributes_of(source)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            value = self.__dict__["_source"](name)
        except (AttributeError, KeyError, StopIteration):
            raise AttributeError(f"Runnel has no {self.__name__}.{name}") from None
        setattr(self, name, value)
        return value


def _attributes_of(value: Any) -> Callable[[str], Any]:
    return lambda name: getattr(value, name)


def facade(path: str, name: str) -> Facade | types.ModuleType | None:
    """The module that stands for an internal path (without `tensorflow.`), if it is known."""
    if path == "_api" or path.startswith("_api.v2"):
        return _public(path, name)
    if (match := _KERAS.match(path)) or path.startswith("keras.engine"):
        return _keras(path[match.end() :] if match else path.removeprefix("keras."), name)
    if path.startswith("core.") or path == "core":
        return _core(path, name)
    if path == "python" or path.startswith("python."):
        return _python(path.removeprefix("python").removeprefix("."), name)
    if f"{COMPILER}.".startswith(f"{path}."):
        return Facade(name, _xla_op if path == COMPILER else {}.__getitem__)
    if path in TOOLS:
        return Facade(name, importlib.import_module(TOOLS[path]) if TOOLS[path] else None)
    return _keras_below(path, name)


def _public(path: str, name: str) -> Facade | types.ModuleType | None:
    """`_api.v2.math` is `tf.math`."""
    inner = path.removeprefix("_api").removeprefix(".v2").removeprefix(".")
    if not inner:
        return Facade(name, runnel)
    return importlib.import_module(f"runnel.{inner}") if is_public(inner) else None


def is_public(path: str) -> bool:
    """Whether this is a public module of TensorFlow, and not one of our own behind it."""
    inside = path.removeprefix("compat.v1.")  # which has namespaces of its own beside these
    known = path in internal_names.public_modules() or path in ("compat", "compat.v1", "compat.v2")
    return known or inside != path or path == "python"


def _python(module: str, name: str) -> Facade | None:
    if re.fullmatch(r"ops\.gen_\w+_ops", module):
        return Facade(name, _raw_op)
    names = internal_names.table().get(module)
    if names is None and module and module not in internal_names.packages():
        return None
    return Facade(name, lambda wanted: resolve((names or {})[wanted]))


def resolve(path: str) -> Any:
    """An object by its path from `runnel` on, or by `module:name` for what is not public.

    `raw name` is a raw op, `refused name` what nobody can use.
    """
    kind, _, rest = path.partition(" ")
    if kind == "refused":
        return Refused(rest)
    if kind == "raw":
        return _raw_op(rest)
    if ":" in path:
        module, _, name = path.partition(":")
        return getattr(importlib.import_module(module), name)
    found: Any = runnel
    for part in path.split("."):
        found = getattr(found, part)
    return found


def _raw_op(name: str) -> Callable[..., Any]:
    """`sparse_reorder` is `tf.raw_ops.SparseReorder`, with arguments by position too."""
    wanted = name.replace("_", "").lower()
    found = next((n for n in dir(runnel.raw_ops) if n.lower() == wanted), None)
    if found is None:
        raise AttributeError(name)
    op = getattr(runnel.raw_ops, found)
    parameters = list(inspect.signature(op).parameters)

    def call(*args: Any, **kwargs: Any) -> Any:
        return op(**dict(zip(parameters, args, strict=False)), **kwargs)

    call.__name__, call.__doc__ = name, op.__doc__
    return call


def _xla_op(name: str) -> Callable[..., Any]:
    if name not in _OF_XLA:
        raise AttributeError(name)
    return _raw_op(f"xla_{name}")


def _message_or_number(name: str) -> Any:
    """A message, an enum, or the number of one of its values, such as `DT_FLOAT`."""
    if not name.isupper():
        return getattr(messages, name)
    enums = messages.pool().FindFileByName("runnel.proto").enum_types_by_name.values()
    return next(e.values_by_name[name].number for e in enums if name in e.values_by_name)


def _core(path: str, name: str) -> Facade | None:
    """`core.framework.graph_pb2` and its like: all messages are in each."""
    if path.endswith("_pb2"):
        return Facade(name, _message_or_number)
    known = ("core", "core.framework", "core.protobuf", "core.util", "core.example")
    return Facade(name, {}.__getitem__) if path in known else None


def _keras(path: str, name: str) -> Facade | None:
    """An internal module of Keras, with the names of its public namesake, or a look into the public
    namespaces. It is not the namesake itself, below which there are no internal modules.
    """
    public = _public_keras(path) if path else None
    return _searching(path, name) if public is None else Facade(name, public)


def _public_keras(path: str) -> types.ModuleType | None:
    if not is_public(f"keras.{path}"):
        return None
    try:
        return importlib.import_module(f"runnel.keras.{path}")
    except ModuleNotFoundError:
        return None


def _keras_below(path: str, name: str) -> Facade | None:
    """A file of older Keras below a public namespace: `keras.layers.core`."""
    inner = path.removeprefix("keras.")
    if inner == path or "." not in inner or _public_keras(inner):
        return None
    return _searching(inner, name) if inner.split(".")[0] in KERAS else None


def _searching(path: str, name: str) -> Facade | None:
    keys = [key for key in KERAS if path == key or path.startswith(key + ".")]
    if path and not keys:
        return None
    places = KERAS[max(keys, key=len)] if keys else [""]
    return Facade(name, lambda wanted: _in_keras(wanted, places))


def _in_keras(wanted: str, places: list[str]) -> Any:
    for place in places:
        module = importlib.import_module(f"runnel.keras.{place}".rstrip("."))
        if hasattr(module, wanted):
            return getattr(module, wanted)
    raise AttributeError(wanted)
