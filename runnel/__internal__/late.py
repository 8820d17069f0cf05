"""Names of `tf.__internal__` that few programs use, found when they are first asked for."""

from __future__ import annotations

import importlib
import types
from typing import Any

from runnel.core.settings.absent import explanation

_TOOLS = "runnel.compat.tools."
# namespace below `tf.__internal__` -> name -> module and name there
NAMES: dict[str, dict[str, str]] = {
    "": {
        "CompositeTensor": "runnel.core.composite.composite_tensor:CompositeTensor",
        "EagerTensor": "runnel.core.tensor.tensor:EagerTensor",
        "SymbolicTensor": "runnel.graph.build.tensor:SymbolicTensor",
        "get_enclosing_xla_context": f"{_TOOLS}graphs:get_enclosing_xla_context",
        "get_name_scope": "runnel.core.settings.scopes:get_current_name_scope",
    },
    "decorator": {
        "make_decorator": f"{_TOOLS}decorators:make_decorator",
        "unwrap": f"{_TOOLS}decorators:unwrap",
    },
    "dispatch": {
        "OpDispatcher": f"{_TOOLS}dispatching:OpDispatcher",
        "add_dispatch_support": f"{_TOOLS}dispatching:add_dispatch_support",
    },
    "eager_context": {
        "eager_mode": f"{_TOOLS}contexts:eager_mode",
        "get_config": f"{_TOOLS}contexts:get_config",
        "get_device_name": f"{_TOOLS}contexts:get_device_name",
        "get_executor": f"{_TOOLS}contexts:get_executor",
        "set_soft_device_placement": "runnel.core.settings.switches:set_soft_device_placement",
    },
    "function": {"Function": "runnel.function.function:Function"},
    "monitoring": {"BoolGauge": f"{_TOOLS}gauges:BoolGauge"},
    "nest": {
        "get_traverse_shallow_structure": f"{_TOOLS}structures:get_traverse_shallow_structure",
        "is_attrs": f"{_TOOLS}structures:is_attrs",
        "is_mapping": f"{_TOOLS}structures:is_mapping",
        "list_to_tuple": f"{_TOOLS}structures:list_to_tuple",
        "sequence_like": f"{_TOOLS}structures:sequence_like",
    },
    "ops": {
        "broadcast_weights": f"{_TOOLS}operations:broadcast_weights",
        "is_resource_variable": f"{_TOOLS}graphs:is_resource_variable",
    },
    "saved_model": {
        "decode_proto": "runnel.core.composite.structured_value:decode",
        "encode_structure": "runnel.core.composite.structured_value:encode",
    },
    "smart_cond": {"smart_cond": f"{_TOOLS}conditions:smart_cond"},
    "tf2": {"enabled": f"{_TOOLS}graphs:enabled"},
    "train": {"assign_moving_average": f"{_TOOLS}operations:assign_moving_average"},
    "types": {"Tensor": "runnel.core.tensor.tensor:Tensor"},
    "types.data": {"Dataset": "runnel.data.dataset.dataset:Dataset"},
}


_FILES = ("feature_column",)


class Namespace(types.ModuleType):
    """A namespace that is nothing but the table."""

    __path__: list[str] = []
    _space = ""

    def __getattr__(self, name: str) -> Any:
        value = find(self._space, name)
        setattr(self, name, value)
        return value

    def __dir__(self) -> list[str]:
        return sorted({*NAMES[self._space], *_below(self._space)})


def _below(space: str) -> set[str]:
    start = f"{space}." if space else ""
    return {s[len(start) :].split(".")[0] for s in NAMES if s != space and s.startswith(start)}


def find(space: str, name: str) -> Any:
    """A name of a namespace, or a namespace in it."""
    path = NAMES.get(space, {}).get(name)
    if path is not None:
        module, _, found = path.partition(":")
        return getattr(importlib.import_module(module), found)
    full = f"{space}.{name}".removeprefix(".")
    if full in _FILES:
        return importlib.import_module(f"runnel.__internal__.{full}")
    if name in _below(space):
        made = Namespace(f"runnel.__internal__.{full}")
        made._space = full
        return made
    if name.startswith("__"):
        raise AttributeError(name)
    known = NAMES.get(space, {})
    raise AttributeError(explanation(f"__internal__.{full}", known), name=name)
