"""A traced function as straight-line Python: one call of a kernel per line, and nothing else.

Interpreting a graph node by node costs more than small kernels do. For the functions of input
pipelines, which run once per element, the nodes are written out as Python source. An exception
tells by its line which node failed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from types import TracebackType
from typing import Any

import numpy as np

from runnel.core.op import eager
from runnel.core.op.context import state
from runnel.core.values.tracebacks import let_through
from runnel.graph.run.program import Node, Program, on_host

_FILE = "<runnel straight>"
_OFTEN = 16  # runs
_MOST_NODES = 400  # nodes; more are better left to the plan


class Straight:
    """Calls a program's kernels on NumPy values: a `Runner` for small functions.

    Where all values are known to be `small`, no operation is asked whether XLA should run it.
    """

    def __init__(self, program: Program, *, small: bool = False) -> None:
        self.program = program
        self._small = small
        self._whole = all(self._is_direct(node) and not node.op.host for node in program.nodes)
        self._scope: dict[str, Any] = {"np": np, "compute": eager.compute, "state": state}
        self._scope.update(flat_results=eager.flat_results, on_host=on_host)
        self._scope.update((f"v{s}", c) for s, c in program.constants.items())
        self._run = self._compiled()

    def _compiled(self) -> Callable[..., Any]:
        arguments = ", ".join(f"v{slot}" for slot in dict.fromkeys(self.program.inputs))
        lines = [self._line(i, node) + self._end(i) for i, node in enumerate(self.program.nodes)]
        outputs = ", ".join(f"v{slot}" for slot in self.program.outputs)
        body = "\n ".join([*lines, f"return [{outputs}]"])
        source = f"def function({arguments}):\n {body}\n"
        exec(compile(source, _FILE, "exec"), self._scope)
        return self._scope["function"]  # type: ignore[no-any-return]

    def _line(self, i: int, node: Node) -> str:
        """The source of one node: one line, so that the line's number is the node's."""
        op = node.op
        outs = ", ".join(f"v{slot}" for slot in node.outs)
        direct = self._is_direct(node)
        call = self._kernel_call(i, node) if direct else self._computation(i, node)
        if op.single:
            line = f"{outs} = {call}"
        elif not node.outs:
            line = call
        elif op.lower is not None:
            line = f"[{outs}] = [on_host(r) for r in flat_results({call})]"
        else:
            line = f"[{outs}] = flat_results({call})"
        if direct and op.check is not None:
            return f"{self._check_call(i, node)}; {line}"
        return line

    def _end(self, i: int) -> str:
        """What lets go of the values that nobody reads after a node, if there may be large ones."""
        dead = () if self._small else self.program.dead[i]
        return "".join(["; ", *[f"v{slot} = " for slot in dead], "None"]) if dead else ""

    def _is_direct(self, node: Node) -> bool:
        """Whether nothing comes before the kernel but a check and the reading of a variable."""
        op = node.op
        if op.state not in (None, "read") or op.lower is not None:
            return False
        return not op.heavy or (self._small and not op.xla)

    def _computation(self, i: int, node: Node) -> str:
        """An op that keeps a state, or that may be compiled: as the interpreter runs it."""
        self._scope.update({f"o{i}": node.op, f"a{i}": node.attrs, f"w{i}": node.operation})
        ins = ", ".join(f"v{slot}" for slot in node.ins)
        return f"compute(o{i}, [{ins}], a{i}, w{i}.owner)"

    def _arguments(self, i: int, node: Node, reads: bool = False) -> str:
        """The kernel's arguments: values, lists of values, attributes."""
        names = [f"v{slot}" for slot in node.ins]
        if reads:
            names[0] += ".read()"
        grouped, attrs = node.op.pack(names, node.attrs)
        values = [f"[{', '.join(g)}]" if isinstance(g, list) else g for g in grouped]
        self._scope.update((f"a{i}_{key}", value) for key, value in attrs.items())
        return ", ".join([*values, *[f"{key}=a{i}_{key}" for key in attrs]])

    def _kernel_call(self, i: int, node: Node) -> str:
        self._scope[f"k{i}"] = node.op.kernel
        given = self._arguments(i, node, reads=node.op.state == "read")
        arguments = ", ".join(part for part in ("np", given) if part)
        if self._whole or node.op.host:  # a host kernel may run other ops, or users' functions
            return f"k{i}({arguments})"
        return f"state.run(k{i}, {arguments})"

    def _check_call(self, i: int, node: Node) -> str:
        self._scope[f"c{i}"] = node.op.check
        return f"c{i}({self._arguments(i, node)})"

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        try:
            if self._whole:
                return state.run(self._run, *values)  # type: ignore[no-any-return]
            return self._run(*values)  # type: ignore[no-any-return]
        except Exception as error:
            let_through(error)
            raise self._explained(error) from error

    def _explained(self, error: Exception) -> Exception:
        trace: TracebackType | None = error.__traceback__
        while trace is not None and trace.tb_frame.f_code.co_filename != _FILE:
            trace = trace.tb_next
        if trace is None:
            return error
        node = self.program.nodes[trace.tb_lineno - 2]
        local = {**self._scope, **trace.tb_frame.f_locals}
        return node.explained(error, [local[f"v{slot}"] for slot in node.ins])


class Interpreter:
    """Runs the eager kernels of a program one by one; if often, without looking for each of them.

    A loop on the host takes 1.5 to 1.9 times as long without that ("straight" in
    `benchmarks/mechanisms.py`).
    """

    def __init__(self, program: Program) -> None:
        self._program = program
        self._straight: Straight | None = None
        self._runs = 0

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        if self._straight is not None:
            return self._straight([v if type(v) is np.ndarray else on_host(v) for v in values])
        self._runs += 1
        if self._runs == _OFTEN and suits(self._program):
            self._straight = Straight(self._program)
        return self._program.interpret(values)


def suits(program: Program) -> bool:
    """Whether to run it straight: no loops or branches, which are better compiled, and nobody who
    looks at values.
    """
    return len(program.nodes) <= _MOST_NODES and not any(
        node.op.lower is not None or node.op.xla or node.watcher is not None
        for node in program.nodes
    )
