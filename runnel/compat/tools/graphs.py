"""Small things of `framework.ops` and its like: names of scopes, numbers, switches."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import runnel
from runnel.backend import configuration
from runnel.compat.tools.operations import in_xla_context

ENABLE_CONTROL_FLOW_V2 = True
"""`cond` and `while_loop` hold graphs."""

uid: Callable[[], int] = itertools.count().__next__
"""A number that no one else in this process has had."""


def enabled() -> bool:
    """Whether programs mean TensorFlow 2: they do, unless they said `disable_v2_behavior`."""
    return configuration.v2_behavior


def is_tfrt_enabled() -> bool:
    """Whether ops are run by TensorFlow's newer runtime, TFRT: there is only our own."""
    return False


def name_from_scope_name(name: str) -> str:
    """The name of a scope without the slash at its end."""
    return name.removesuffix("/")


class ApiDefMap:
    """The declarations of all ops, by their names."""

    def op_names(self) -> list[str]:
        return [name for name in dir(runnel.raw_ops) if not name.startswith("_")]

    def get_op_def(self, op_name: str) -> Any:
        """The declaration of an op as an `OpDef`."""
        if op_name not in self.op_names():
            raise ValueError(f"There is no op {op_name!r}; `op_names` lists them.")
        return runnel.Graph().op_def_for_type(op_name)


class KerasModeKeys:
    """What a model is run for, by the names in SavedModels."""

    TRAIN, TEST, PREDICT = "train", "test", "predict"


class NullContextmanager:
    """A `with` block that changes nothing."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: Any) -> None:
        pass


def prevent_gradient(input: Any, message: str = "", name: str | None = None) -> Any:
    """The tensor itself; asking for its gradient is an error."""
    return runnel.raw_ops.PreventGradient(input=input, message=message, name=name)


def get_enclosing_xla_context() -> Any:
    """The function with `jit_compile` that is being traced, None if there is none."""
    graph = runnel.__internal__.innermost_graph()
    return graph if in_xla_context(graph) else None


def is_resource_variable(var: Any) -> bool:
    """Whether this is a variable: all of them are resources."""
    return isinstance(var, runnel.Variable)
