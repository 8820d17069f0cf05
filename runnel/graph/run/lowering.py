"""A run of operations as one XLA program.

On the reading path after `graph/run/passes.py`, before `graph/run/segment.py`.

Lowering walks the nodes once. Every value is a NumPy array, known while compiling, or a JAX tracer.
A node whose inputs are all known is run with NumPy, so shape arithmetic folds itself away.
Variables are threaded: the program takes the values of those it reads and returns those of the ones
it writes.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from runnel.backend import jax as xla
from runnel.backend.stored import stored
from runnel.core.op import eager
from runnel.core.op.context import state
from runnel.core.tensor.tensor_list import Stacked, TensorList
from runnel.core.values.errors import OpError
from runnel.core.values.types import Array
from runnel.graph.run.alarms import ALARM, Alarm
from runnel.graph.run.nested import check_shape, owners, run_with_state

if TYPE_CHECKING:
    from runnel.graph.build.operation import Operation
    from runnel.graph.run.program import Node


class NotStatic(Exception):
    """A node cannot be compiled, and must run on the host.

    Mostly it needs the value of an input while compiling, which is known only at run time.
    """

    def __init__(self, node: Node, why: str | None = None) -> None:
        super().__init__(node.operation.name)
        self.node = node
        self.why = why or _needs_value(node)

    @classmethod
    def inside(cls, node: Node, error: Exception) -> NotStatic:
        """A node with graphs cannot be compiled because of `error` in one of them."""
        if not isinstance(error, NotStatic):
            return cls(node, f"it cannot be compiled, {_first_line(error)}")
        operation = error.node.operation
        if error.node is node:
            return error
        return cls(
            node, f"{operation.type} {operation.name!r} inside it runs on the host: {error.why}"
        )


def _needs_value(node: Node) -> str:
    names = [node.operation.inputs[i].name for i in node.static]
    return f"its shape depends on the value of {', '.join(names)}"


def _first_line(error: Exception) -> str:
    text = str(error).strip().split("\n")[0]
    return f"{type(error).__name__}: {text[:200]}"


# What lowering may raise. A branch that is not taken, or a body that does not run, may get inputs
# that do not fit it (zeros where nothing was computed); it is then driven from the host, where only
# what is really run can fail. An op of which XLA knows nothing is run on the host as well.
FAILURES = (NotStatic, TypeError, ValueError, IndexError, NotImplementedError, OpError)


class States:
    """The values of variables and of ops' own states while a segment is lowered."""

    def __init__(
        self, values: dict[Any, Array], alarm: Alarm | None = None, replica: Any = None
    ) -> None:
        self.values, self.alarm = values, alarm
        self.replica = replica  # the number of the one that a `ReplicatedCall` is traced for
        self.written: set[Any] = set()
        self.ranges: dict[int, tuple[int, int]] = {}  # of whole numbers, by their slots

    def inside(self, values: dict[Any, Array]) -> States:
        """The states in a graph inside an operation."""
        return States(values, self.alarm, self.replica)

    def threaded(self, operation: Operation) -> list[Any]:
        """The states other than variables that go through the graphs inside an operation."""
        kept: list[Any] = list(owners([operation]))
        return kept if self.alarm is None else [*kept, ALARM]

    def write(self, key: Any, value: Array) -> None:
        self.values[key] = value
        self.written.add(key)


def lower(
    nodes: Sequence[Node],
    env: dict[int, Any],
    states: States,
    once: Collection[int] = (),
) -> None:
    """Compute the nodes on the values in `env`, adding their outputs to it.

    XLA shall compute the slots in `once` once only (see `chains.py`).
    """
    for node in nodes:
        values = [env.get(i) for i in node.ins]  # a variable's handle has no value here
        try:
            if states.alarm is not None:
                states.alarm.before(node, values, states)
            result = lower_node(node, values, states)
        except NotStatic:
            raise
        except FAILURES as error:
            why = f"XLA cannot compile it, {_first_line(error)}"
            raise NotStatic(node, why) from error
        found = [result] if node.op.single else eager.flat_results(result)
        if states.alarm is not None:
            states.alarm.after(node, found, states)
        if node.outs and node.outs[0] in once and not is_known(found[0]):
            found = [stored(found[0])]
        env.update(zip(node.outs, found, strict=True))


def lower_node(node: Node, values: list[Any], states: States) -> Any:
    op = node.op
    if op.lower is not None:
        return op.lower(node, values, states)
    if any(not is_known(values[i]) for i in node.static):
        raise NotStatic(node)
    if op.host_when is not None and op.host_when(values):
        raise NotStatic(node, "NumPy is much faster at this than XLA")
    if op.state == "own":
        result, new = run_with_state(node, states.values[node.operation], values, states.replica)
        states.write(node.operation, new)
        return result
    if op.state is not None:
        keys = node.ins[: op.held]
        held = [states.values[key] for key in keys]
        result = op.run(xla.jnp, [*held, *values[op.held :]], node.attrs)
        if op.state == "read":
            return result
        result, new = result if op.state == "exchange" else (None, result)
        for place, (key, value) in enumerate(zip(keys, new if op.held > 1 else [new], strict=True)):
            check_shape(node, place, value)
            states.write(key, value)
        return result
    if not op.xla and all(is_known(v) for v in values):
        return state.run(op.run, np, values, node.attrs)
    return op.run(xla.jnp, values, node.attrs)


def is_known(value: Any) -> bool:
    if isinstance(value, Stacked):
        return isinstance(value.held, np.ndarray)
    if isinstance(value, TensorList):
        return all(item is None or is_known(item) for item in value.items)
    return isinstance(value, np.ndarray | np.generic)
