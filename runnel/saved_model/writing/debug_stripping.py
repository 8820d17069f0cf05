"""Leaving out of a model what was there for its maker: assertions, checks and prints."""

from __future__ import annotations

from typing import Any

_SILENT = frozenset({"Assert", "PrintV2"})  # without outputs: what they waited for is kept
_PASSING = frozenset({"CheckNumerics", "CheckNumericsV2", "Print"})  # their first input goes on


def strip_debugging(functions: Any) -> None:
    """Turn the nodes of functions that only check or print into such as do nothing."""
    for function in functions:
        for node in function.node_def:
            if node.op in _SILENT:
                _replace(node, "NoOp", 0)
            elif node.op in _PASSING:
                _replace(node, "Identity", 1)


def _replace(node: Any, kind: str, kept: int) -> None:
    """Make a node of another kind, which takes `kept` inputs and waits for the others."""
    waited = [_control(name) for name in node.input[kept:]]
    inputs = [*node.input[:kept], *dict.fromkeys(name for name in waited if name)]
    node.op = kind
    del node.input[:]
    node.input.extend(inputs)
    for name in [name for name in node.attr if not (kept and name == "T")]:
        del node.attr[name]


def _control(name: str) -> str:
    """The name of an input to be waited for; empty for an argument, which is always there."""
    if name.startswith("^"):
        return name
    return f"^{name.split(':')[0]}" if ":" in name else ""
