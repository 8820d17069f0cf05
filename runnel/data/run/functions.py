"""Users' functions: traced once, and run once per element on flat values."""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from runnel.autograph.calls import converted_call
from runnel.backend import forks, memory
from runnel.core.op import context
from runnel.core.op.context import state
from runnel.core.settings.scopes import eager_scope
from runnel.core.settings.user_code import telling_line
from runnel.core.state.owned_state import OwnedStates
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor, raw_value
from runnel.core.values import nest
from runnel.data.insight.debugging import debugging
from runnel.data.run.structure import Structure, components, raw
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.operation import Operation
from runnel.graph.control.subgraphs import inside
from runnel.graph.cutting.straight import Straight, suits
from runnel.graph.run.effects import is_stateful, runs_python
from runnel.graph.run.nested import owners
from runnel.graph.run.plan import Plan
from runnel.graph.run.program import on_host
from runnel.graph.run.runner import Runner

Form = TypeVar("Form")


class UserFunction:
    """A function of one element (a tuple becomes several arguments), or of several.

    `output` is the structure of what it returns. Calling it takes and gives flat values. `many`
    does the same for many elements, a row each, where the library knows how.
    """

    many: Callable[[Any], Any] | None = None
    use = 0  # which one of the uses of this function in a dataset

    def __init__(self, fn: Callable[..., Any], *inputs: Structure, name: str = "function") -> None:
        if not callable(fn):
            raise ValueError(f"Dataset.{name}: the function must be callable, got {fn!r}.")
        self.fn = fn
        self.inputs = inputs
        self.name = _name_of(fn)
        self.graph = FuncGraph(f"Dataset_{name}_{self.name}", outer=state.graph)
        self.output = self._trace()
        self.captured: tuple[Tensor, ...] = tuple(self.graph.external_captures)
        self.debug = debugging()
        self._forms: dict[Callable[[UserFunction], Any], Any] = {}

    @classmethod
    def of_graph(
        cls,
        graph: FuncGraph,
        inputs: Sequence[Structure],
        output: Structure,
        captured: Sequence[Tensor],
        name: str,
    ) -> UserFunction:
        """The function of a graph whose last inputs stand for what it captured."""
        made = cls.__new__(cls)
        made.fn = made.__call__
        made.inputs, made.output, made.name = tuple(inputs), output, name
        count = len(graph.arguments) - len(captured)
        given, inside = graph.arguments[:count], graph.arguments[count:]
        graph.arguments = given
        graph._captures = {t._id: (t, place) for t, place in zip(captured, inside)}
        made.graph, made.captured, made.debug = graph, tuple(captured), False
        made._forms = {}
        return made

    def _trace(self) -> Structure:
        graph = self.graph
        with context.building(graph), context.unrecorded(), eager_scope(""):
            args: list[Any] = []
            for structure in self.inputs:
                tensors = [
                    graph.add_input(s.dtype, s.shape._dims, f"args_{len(args)}")
                    for s in structure.flat
                ]
                args.extend(self._arguments(structure, structure.pack_tensors(tensors)))
            with telling_line():
                result = _result(converted_call(self.fn)(*args))
            self._check(result)
            output, flat = self._components(result)
            graph.outputs = [inside(graph, tensor) for tensor in flat]
        return output

    def _components(self, result: Any) -> tuple[Structure, list[Tensor]]:
        try:
            return components(result)
        except ValueError as error:
            raise TypeError(
                f"A function of a dataset must return tensors, got {result!r} from {self.name}: "
                f"{error}"
            ) from error

    def _check(self, result: Any) -> None:
        for leaf in nest.flatten(result):
            if isinstance(leaf, Operation):
                raise TypeError(
                    f"A function of a dataset must return tensors, got the operation "
                    f"{leaf.name!r} from {self.name}."
                )

    def _arguments(self, structure: Structure, element: Any) -> tuple[Any, ...]:
        """Only a function of a single element gets the parts of a tuple one by one."""
        return structure.arguments(element) if len(self.inputs) == 1 else (element,)

    @property
    def stateful(self) -> bool:
        """Whether it does more than compute its result, or keeps a state."""
        return is_stateful(self.graph)

    @property
    def calls_python(self) -> bool:
        return any(map(runs_python, self.graph._operations))

    def bound(self, known: Mapping[int, Tensor]) -> UserFunction:
        """The same function with values for symbolic tensors that it captured."""
        if not any(t._id in known for t in self.captured):
            return self
        made = copy.copy(self)
        made.captured = tuple(known.get(t._id, t) for t in self.captured)
        made._forms = {}
        made.__dict__.pop("_runner", None)
        return made

    def form(self, make: Callable[[UserFunction], Form]) -> Form:
        """What `make` makes of this function, made once for all iterators."""
        if make not in self._forms:
            self._forms[make] = make(self)
        return self._forms[make]  # type: ignore[no-any-return]

    @functools.cached_property
    def keeps_states(self) -> bool:
        """Whether ops in it go on where they were in the call before, as random ones do."""
        return bool(owners(self.graph._operations))

    def with_states(self, states: OwnedStates) -> UserFunction:
        """The same function with its ops' states kept there."""
        made, run = copy.copy(self), self._runner

        def keeping(values: Sequence[Any]) -> list[Any]:
            outer, state.owned = state.owned, states
            try:
                return run(values)
            finally:
                state.owned = outer

        made.__dict__["_runner"] = keeping
        return made

    def __call__(self, values: Sequence[Any]) -> list[Any]:
        if self.debug:
            return self._in_python(values)
        return self._runner(values)

    @functools.cached_property
    def _runner(self) -> Runner:
        captured = [raw_value(t) for t in self.captured]  # type: ignore[arg-type]
        plan = self._plan
        large = plan.heavy
        if not suits(plan.program):
            return lambda values: [on_host(v) for v in self._planned([*values, *captured])]
        straight = self._straight
        host = [on_host(v) for v in captured]
        if not large:
            return (lambda values: straight([*values, *host])) if host else straight

        def run(values: Sequence[Any]) -> list[Any]:
            if memory.is_large(values):
                return [on_host(v) for v in self._planned([*values, *captured])]
            return straight([*values, *host])

        return run

    def _planned(self, values: Sequence[Any]) -> list[Any]:
        """What the plan makes of values; a forked process reads data without XLA."""
        return self._plan.program.interpret(values) if forks.forked else self._plan.run(values)

    @functools.cached_property
    def _plan(self) -> Plan:
        return Plan(self.graph, self.graph.inputs, self.graph.outputs)

    @functools.cached_property
    def _straight(self) -> Straight:
        return Straight(self._plan.program)

    def _in_python(self, values: Sequence[Any]) -> list[Any]:
        """Run the user's own Python, so that a breakpoint in it stops."""
        with context.building(None), context.unrecorded():
            args: list[Any] = []
            rest = list(values)
            for structure in self.inputs:
                part, rest = rest[: len(structure.flat)], rest[len(structure.flat) :]
                args.extend(self._arguments(structure, structure.pack(part)))
            _, tensors = components(_result(self.fn(*args)))
            return [raw(convert_to_tensor(t)) for t in tensors]


def _result(value: Any) -> Any:
    """What a function returned; several values in a list are taken as they were in a tuple."""
    return tuple(value) if type(value) is list else value


def _name_of(fn: Any) -> str:
    while isinstance(fn, functools.partial):
        fn = fn.func
    name = getattr(fn, "__name__", type(fn).__name__)
    return "lambda" if name == "<lambda>" else name


def truth(values: Sequence[Any]) -> bool:
    return bool(np.all(values[0])) if np.ndim(values[0]) else bool(values[0])
