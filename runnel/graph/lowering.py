"""A run of operations as one XLA program.

Lowering walks the nodes once. Every value is a NumPy array, known while compiling, or a JAX tracer.
A node whose inputs are all known is run with NumPy, so shape arithmetic folds itself away.
Variables are threaded: the program takes the values of those it reads and returns those of the ones
it writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.core import eager, xla
from runnel.core.context import state
from runnel.core.errors import OpError
from runnel.core.tensor_list import TensorList
from runnel.core.types import Array

if TYPE_CHECKING:
    from runnel.graph.program import Node


class NotStatic(Exception):
    """A node needs the value of an input while compiling, and it is known only at run time."""

    def __init__(self, node: Node) -> None:
        super().__init__(node.operation.name)
        self.node = node


# What lowering a graph inside an operation may raise. A branch that is not taken, or a body that
# does not run, may get inputs that do not fit it (zeros where nothing was computed); it is then
# driven from the host, where only what is really run can fail.
FAILURES = (NotStatic, TypeError, ValueError, IndexError, OpError)


class States:
    """The values of variables and of ops' own states while a segment is lowered."""

    def __init__(self, values: dict[Any, Array]) -> None:
        self.values = values
        self.written: set[Any] = set()

    def write(self, key: Any, value: Array) -> None:
        self.values[key] = value
        self.written.add(key)


def lower(nodes: Sequence[Node], env: dict[int, Any], states: States) -> None:
    """Compute the nodes on the values in `env`, adding their outputs to it."""
    for node in nodes:
        values = [env.get(i) for i in node.ins]  # a variable's handle has no value here
        result = lower_node(node, values, states)
        if node.op.single:
            env[node.outs[0]] = result
        else:
            env.update(zip(node.outs, eager.flat_results(result), strict=True))


def lower_node(node: Node, values: list[Any], states: States) -> Any:
    op = node.op
    if op.lower is not None:
        return op.lower(node, values, states)
    if any(not is_known(values[i]) for i in node.static):
        raise NotStatic(node)
    if op.state == "own":
        result, new = op.run(xla.jnp, [states.values[node.operation], *values], node.attrs)
        states.write(node.operation, new)
        return result
    if op.state is not None:
        key = node.ins[0]
        result = op.run(xla.jnp, [states.values[key], *values[1:]], node.attrs)
        if op.state == "read":
            return result
        result, new = result if op.state == "exchange" else (None, result)
        states.write(key, new)
        return result
    if not op.xla and all(is_known(v) for v in values):
        return state.run(op.run, np, values, node.attrs)
    return op.run(xla.jnp, values, node.attrs)


def is_known(value: Any) -> bool:
    if isinstance(value, TensorList):
        return all(item is None or is_known(item) for item in value.items)
    return isinstance(value, np.ndarray | np.generic)
