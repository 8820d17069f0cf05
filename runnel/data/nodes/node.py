"""Datasets as descriptions (`Node`), and what runs them (`Stage`).

A node is immutable: what it does, and the nodes it gets its elements from. `node.make(run)` gives
a stage, an iterator over flat values with a state that can be saved. In a graph, nodes may hold
symbolic tensors; `bound` replaces them by values when the graph runs.
"""

from __future__ import annotations

import copy
import os
import weakref
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Self

import numpy as np

from runnel.core.settings.arguments import whole
from runnel.core.settings.user_code import user_line
from runnel.core.state.owned_state import OwnedStates
from runnel.core.state.resource import Resource
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values.errors import OpError, UnimplementedError
from runnel.data.dataset.options import Options
from runnel.data.run.functions import UserFunction
from runnel.data.run.structure import Structure

INFINITE = -1
UNKNOWN = -2

State = Any  # numbers, strings, arrays, None, and lists and dicts of them
Values = list[Any]


class Stage:
    """An iterator over elements, each a list of NumPy values.

    `blocks` says that it can also give several elements at once, stacked: `block(count)` returns
    arrays of 1 to `count` rows, or raises StopIteration.
    """

    blocks = False
    made = 0  # elements that it has given; a class counts them in this or in a property
    apart: str | None = None  # "inputs" or "all": what of it runs on other threads

    def __iter__(self) -> Iterator[Values]:
        return self

    def __next__(self) -> Values:
        raise NotImplementedError

    def block(self, count: int) -> Values:
        raise NotImplementedError

    def save(self) -> State:
        """What `restore` needs to go on from here in another process."""
        raise UnimplementedError(
            None, None, f"The state of a {type(self).__name__} cannot be saved."
        )

    def restore(self, state: State) -> None:
        """Go to where `save` was called; the stage is a new one."""
        raise UnimplementedError(
            None, None, f"The state of a {type(self).__name__} cannot be restored."
        )


class SourcedStage(Stage):
    """A stage that gets its elements from another, and whose own state is in a few attributes."""

    kept: tuple[str, ...] = ("_count",)
    _source: Any
    _count: int

    def save(self) -> State:
        return [*(getattr(self, name) for name in self.kept), self._source.save()]

    def restore(self, state: State) -> None:
        *own, source = state
        for name, value in zip(self.kept, own, strict=True):
            setattr(self, name, value)
        self._source.restore(source)


class CountingStage(SourcedStage):
    """One whose count is that of the elements that it has given."""

    @property
    def made(self) -> int:  # type: ignore[override]
        return self._count


class Run:
    """What the stages of one iterator have in common."""

    def __init__(self, options: Options, threads: bool = True) -> None:
        self.options = options
        self.threads = threads
        self._stages: dict[int, weakref.ref[Any] | None] = {}  # by the id of a node
        self._states: dict[Any, OwnedStates] = {}  # by functions and their uses

    def follow(self, node: Node) -> None:
        """Remember the stages of a node and of those before it."""
        self._stages[id(node)] = None
        for source in node.inputs:
            self.follow(source)

    def stage_of(self, node: Node) -> Any:
        """The stage of a node that is followed, the last one if there were several."""
        found = self._stages.get(id(node))
        return None if found is None else found()

    @property
    def deterministic(self) -> bool:
        return self.options.deterministic is not False

    def workers(self, calls: int) -> int:
        """How many threads to use where so many calls may run at a time; -1 is any number."""
        budget = self.options.autotune.cpu_budget or os.cpu_count() or 1
        wanted = calls if calls > 0 else max(4, budget)
        limit = self.options.threading.private_threadpool_size
        return min(wanted, limit) if limit else wanted

    def build(self, node: Node) -> Any:
        """The stage of a node; an observer may put itself around it."""
        stage = self._with_states(node).make(self)
        if id(node) in self._stages:
            self._stages[id(node)] = weakref.ref(stage)
        return stage

    def _with_states(self, node: Node) -> Node:
        """The node with functions whose random numbers begin anew in this run."""
        functions = [f for f in _functions(node) if f[1].keeps_states]
        if not functions:
            return node
        made = copy.copy(node)
        for name, function in functions:
            states = self._states.setdefault((function.graph, function.use), OwnedStates())
            setattr(made, name, function.with_states(states))
        return made


class Node:
    """One step of a pipeline."""

    kind = "Dataset"
    relabels = False  # gives the values of its input under other specs
    portable = True  # whether it can be sent to another process: it holds no Python code
    derived: frozenset[str] = frozenset()  # attributes that `rebound` makes of the others

    def __init__(self, inputs: Sequence[Node], structure: Structure) -> None:
        self.inputs = tuple(inputs)
        self.structure = structure
        self.where = user_line()
        self.label = ""
        self.given_name: str | None = None  # the user's, in the `metadata` of what it is in a graph

    @property
    def input(self) -> Node:
        return self.inputs[0]

    def make(self, run: Run) -> Stage:
        raise NotImplementedError

    def cardinality(self) -> int:
        """How many elements there are, INFINITE or UNKNOWN."""
        return UNKNOWN

    @property
    def title(self) -> str:
        """The name that errors and reports use."""
        return f"{self.kind}({self.label})" if self.label else self.kind

    def named(self, name: str | None) -> Self:
        """The node itself, with a name that the user gives it."""
        check_name(name)
        self.given_name = name or self.given_name
        return self

    def options(self) -> Options:
        """The options of this node and of all before it; later ones win."""
        merged = Options()
        for node in self.inputs:
            merged = merged.merge(node.options())
        return merged

    def symbolic(self) -> list[Tensor]:
        """The symbolic tensors that this node and all before it hold."""
        found: dict[int, Tensor] = {}
        for value in list(vars(self).values()):
            _collect(value, found)
        return list(found.values())

    def bound(self, known: Mapping[int, Tensor]) -> Node:
        """The node with values for its symbolic tensors."""
        return _bind(self, known, {})  # type: ignore[no-any-return]

    def rebound(self) -> None:
        """Called on a copy; the place to make anew what the original must not share."""

    def functions(self) -> Iterator[UserFunction]:
        """The users' functions of this node and of all before it."""
        for _, function in _functions(self):
            yield function
        for node in self.inputs:
            yield from node.functions()


def check_name(name: str | None) -> None:
    """ValueError for what cannot be the name of a dataset."""
    if name and not (isinstance(name, str) and name.isidentifier()):
        raise ValueError(f"The `name` of a dataset must be an identifier, got {name!r}.")


def _functions(node: Node) -> list[tuple[str, UserFunction]]:
    """The users' functions of one node, by the names of its attributes."""
    held = list(vars(node).items())  # another thread may note something on the node meanwhile
    return [(name, value) for name, value in held if isinstance(value, UserFunction)]


def with_separate_uses(node: Node, seen: Counter[int] | None = None) -> Node:
    """The dataset such that a random function in it that is used twice has a state for each use."""
    seen = Counter() if seen is None else seen
    inputs = tuple([with_separate_uses(each, seen) for each in node.inputs])
    again = {name: seen[id(f.graph)] for name, f in _functions(node) if f.keeps_states}
    seen.update([id(f.graph) for _, f in _functions(node)])
    if inputs == node.inputs and not any(again.values()):
        return node
    made = copy.copy(node)
    made.inputs = inputs
    for name, use in again.items():
        function = copy.copy(getattr(node, name))
        function.use = use
        setattr(made, name, function)
    return made


def _collect(value: Any, found: dict[int, Tensor]) -> None:
    if isinstance(value, Node):
        for tensor in value.symbolic():
            found[tensor._id] = tensor
    elif isinstance(value, UserFunction):
        _collect(value.captured, found)
    elif isinstance(value, tuple):
        for item in value:
            _collect(item, found)
    elif isinstance(value, Tensor) and not isinstance(value, EagerTensor):
        found[value._id] = value


def _bind(value: Any, known: Mapping[int, Tensor], done: dict[int, Any]) -> Any:
    if isinstance(value, Node):
        if id(value) not in done:
            made = copy.copy(value)
            for name, part in list(vars(value).items()):
                setattr(made, name, _bind(part, known, done))
            made.rebound()
            done[id(value)] = made
        return done[id(value)]
    if isinstance(value, UserFunction):
        return value.bound(known)
    if type(value) is tuple:
        return tuple(_bind(item, known, done) for item in value)
    if isinstance(value, Tensor):
        return known.get(value._id, value)
    return value


class DatasetValue(Resource):
    """What a variant tensor of a dataset holds."""

    def __init__(self, node: Node) -> None:
        self.node = node


def number(value: Any) -> int:
    """A parameter of a node as the integer that it is when the dataset runs."""
    return value if type(value) is int else whole("Dataset", "a number", _value(value))


def _value(value: Any) -> Any:
    return value._value if isinstance(value, EagerTensor) else value


def known_number(value: Any) -> int | None:
    """The same if it is known already, None for a symbolic tensor."""
    if isinstance(value, Tensor) and not isinstance(value, EagerTensor):
        return None
    return number(value)


def located(error: Exception, node: Node, count: int) -> Exception:
    """The error of one element, which names the stage, the element and the line that made it."""
    place = f"in element {count} of {node.title}, made at {node.where}"
    if not isinstance(error, OpError):
        error.add_note(place)
        return error
    message = f"{error.message}\n\t[{place}]"
    return type(error)(None, error.op, message)  # type: ignore[call-arg]


def nbytes(values: Sequence[Any]) -> int:
    """About how much memory the values take."""
    total = 0
    for value in values:
        if isinstance(value, np.ndarray) and value.dtype == object:
            total += sum(len(text) for text in value.ravel().tolist() if text is not None)
        else:
            total += getattr(value, "nbytes", 0)
    return total
