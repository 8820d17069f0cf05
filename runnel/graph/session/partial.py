"""Steps that are run in several parts, each operation once: `partial_run`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from runnel.core.op.context import state
from runnel.core.values.errors import InvalidArgumentError
from runnel.graph.build.operation import Operation
from runnel.graph.build.tensor import SymbolicTensor
from runnel.graph.run.program import Node, Program, on_host
from runnel.graph.session.feeding import fed_array
from runnel.graph.session.fetching import as_result
from runnel.graph.session.pruning import Pruned
from runnel.graph.session.step import late_reads

if TYPE_CHECKING:
    from runnel.graph.session.session import BaseSession


class PartialStep:
    """The values that the parts of a step have computed so far."""

    def __init__(
        self, session: BaseSession, elements: Sequence[Any], fed: Sequence[SymbolicTensor]
    ) -> None:
        pruned = Pruned(session.graph, elements, fed)
        pruned.check_fed({t._id for t in fed})
        pruned.check_devices(session.config)
        handles = [op.outputs[0] for op in pruned.makers if op.outputs[0] not in fed]
        wanted = [e for e in elements if isinstance(e, SymbolicTensor)]
        self._late = {
            wanted[place]._id: held for place, held in late_reads(session, pruned, wanted).items()
        }
        wanted = [tensor for tensor in wanted if tensor._id not in self._late]
        self._program = Program(pruned, [*handles, *fed], wanted)  # type: ignore[arg-type]
        held = [session.resources.of(t.op, session.values_of) for t in handles]
        self._env = self._program.environment([*held, *[None] * len(fed)])
        self._owned = session.resources.owned
        self._fed = {t._id: slot for t, slot in zip(fed, self._program.inputs[len(handles) :])}
        outputs = zip([t._id for t in wanted], self._program.outputs)
        self._slots = dict(outputs)
        self._maker = {slot: node for node in self._program.nodes for slot in node.outs}
        self._by_operation = {node.operation.name: node for node in self._program.nodes}
        self._done: set[int] = set()
        self._waiting = set(self._fed)
        self._wanted = {id(e) for e in elements}

    def run(self, elements: Sequence[Any], feeds: Mapping[SymbolicTensor, Any]) -> list[Any]:
        """The values of some elements, with what is fed now and what was before."""
        for tensor, value in feeds.items():
            if tensor._id not in self._waiting:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"{tensor.name!r} was fed already, or not named in partial_run_setup.",
                )
            self._waiting.discard(tensor._id)
            self._env[self._fed[tensor._id]] = fed_array(tensor, value)
        for element in elements:
            if id(element) not in self._wanted:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"{element.name!r} was fetched already, or not named in partial_run_setup.",
                )
            self._wanted.discard(id(element))
        outer, state.owned = state.owned, self._owned
        try:
            return [self._value(element) for element in elements]
        finally:
            state.owned = outer

    def _value(self, element: Any) -> Any:
        if isinstance(element, Operation):
            self._run_for(self._nodes_of(element))
            return None
        if element._id in self._late:
            self._run_for(self._nodes_of(element.op))
            return as_result(on_host(self._late[element._id].read()))
        slot = self._slots[element._id]
        self._run_for(self._nodes_at([slot]))
        return as_result(on_host(self._env[slot]))

    def _run_for(self, pending: list[Node]) -> None:
        """Run what these nodes need and has not run, in program order."""
        needed: set[int] = set()
        while pending:
            node = pending.pop()
            if id(node) not in self._done and id(node) not in needed:
                needed.add(id(node))
                pending += self._nodes_at(node.ins)
                for operation in node.operation.after:
                    pending += self._nodes_of(operation)
        for node in self._program.nodes:
            if id(node) in needed:
                node.run(self._env)
        self._done |= needed

    def _nodes_at(self, slots: Sequence[int]) -> list[Node]:
        for slot in slots:
            if slot not in self._maker and self._env[slot] is None:
                raise InvalidArgumentError(
                    None, None, "partial_run: what is fetched needs a tensor that is not fed yet."
                )
        return [self._maker[slot] for slot in slots if slot in self._maker]

    def _nodes_of(self, operation: Operation) -> list[Node]:
        """The node of an operation; of one that does nothing, those it waits for."""
        if operation.name in self._by_operation:
            return [self._by_operation[operation.name]]
        return [node for awaited in operation.after for node in self._nodes_of(awaited)]
