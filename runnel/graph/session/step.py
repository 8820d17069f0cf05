"""One pair of fetches and feeds, ready to run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from runnel.core.op.context import state
from runnel.core.values.deadlines import limited
from runnel.graph.build.operation import Operation
from runnel.graph.build.tensor import SymbolicTensor
from runnel.graph.run.plan import Plan
from runnel.graph.run.program import on_host
from runnel.graph.session.feeding import fed_array
from runnel.graph.session.fetching import as_result
from runnel.graph.session.handles import TensorHandle, handles_among
from runnel.graph.session.pruning import Pruned
from runnel.graph.session.timing import run_timed, traces

if TYPE_CHECKING:
    from runnel.graph.session.session import BaseSession


class Step:
    """Runs the operations that `elements` need, where `fed` tensors have given values."""

    def __init__(
        self, session: BaseSession, elements: Sequence[Any], fed: Sequence[SymbolicTensor]
    ) -> None:
        pruned = Pruned(session.graph, elements, fed)
        pruned.check_fed({t._id for t in fed})
        pruned.check_devices(session.config)
        handles = [op.outputs[0] for op in pruned.makers if op.outputs[0] not in fed]
        wanted = [e for e in elements if isinstance(e, SymbolicTensor)]
        self._elements = elements  # kept, for steps are found by their ids
        self.fed = list(fed)
        self._held = [session.resources.of(t.op, session.values_of) for t in handles]
        self._owned = session.resources.owned
        self._late = late_reads(session, pruned, wanted)
        early = [t for place, t in enumerate(wanted) if place not in self._late]
        self._session = session
        self._handles = handles_among(wanted)
        self._plan = Plan(pruned, [*handles, *fed], early)  # type: ignore[arg-type]
        patience = 0 if session.config is None else session.config.operation_timeout_in_ms
        self._run = limited(self._plan.run, patience) if patience else self._plan.run
        self._places = _places(elements)
        self._single = len(elements) == 1 and self._places == [0]

    def raw(self, values: Sequence[Any]) -> list[Any]:
        """The values of the wanted tensors as the plan has them."""
        outer, outer_graph = state.owned, state.graph
        state.owned, state.graph = self._owned, None
        try:
            found = self._found([*self._held, *values])
            for place, variable in self._late.items():
                found.insert(place, variable.read())
            return found
        finally:
            state.owned, state.graph = outer, outer_graph

    def _found(self, values: list[Any]) -> list[Any]:
        """What the plan gives; where a trace is asked for, operation by operation."""
        taken = traces.taken
        if taken is None:
            return self._run(values)
        return run_timed(self._plan.program, values, taken)

    def __call__(self, given: Sequence[Any]) -> list[Any]:
        """The values of the elements, None for operations."""
        found = self.raw([fed_array(t, v) for t, v in zip(self.fed, given)])
        if self._handles:
            for place, dtype in self._handles.items():
                found[place] = TensorHandle(found[place], dtype, self._session)
            return [None if p is None else _shown(found[p]) for p in self._places]
        if self._single:
            return [as_result(on_host(found[0]))]
        return [None if p is None else as_result(on_host(found[p])) for p in self._places]


def _shown(value: Any) -> Any:
    return value if isinstance(value, TensorHandle) else as_result(on_host(value))


def late_reads(
    session: BaseSession, pruned: Pruned, wanted: Sequence[SymbolicTensor]
) -> dict[int, Any]:
    """The variables whose memory is fetched, by place: what they hold after the run is given."""
    memory = pruned.memory
    found = {} if memory is None else {p: t for p, t in enumerate(wanted) if memory.is_late(t)}
    return {
        place: session.resources.of(memory.of(tensor).op, session.values_of)  # type: ignore
        for place, tensor in found.items()
    }


def _places(elements: Sequence[Any]) -> list[int | None]:
    """Where the value of each element is among those of the tensors."""
    count, found = 0, list[int | None]()
    for element in elements:
        is_operation = isinstance(element, Operation)
        found.append(None if is_operation else count)
        count += not is_operation
    return found
