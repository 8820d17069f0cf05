"""`tf.Graph`: an ordered list of operations, named by TensorFlow's rules.

On the reading path after `graph/build/operation.py`, before `graph/build/func_graph.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from runnel.core.op import context, observing
from runnel.core.op.list_arguments import numbered_title
from runnel.core.tensor.convert import emit
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values.dtypes import variant
from runnel.graph.build.bookkeeping import Bookkeeping
from runnel.graph.build.inference import output_dims
from runnel.graph.build.naming import Naming
from runnel.graph.build.operation import Operation
from runnel.graph.build.reference_ops import reference_form
from runnel.graph.build.tensor import SymbolicTensor
from runnel.kernels.random.seeds import OpCount

if TYPE_CHECKING:
    from runnel.core.op.op import Op


@dataclass(frozen=True, eq=False)
class _Waiting:
    """One `control_dependencies`: what is awaited, and the operations that do so already."""

    awaited: tuple[Operation, ...]
    inside: set[Operation] = field(default_factory=set)


class Graph(Naming, Bookkeeping):
    """Operations in the order in which they were made.

    >>> graph = tf.Graph()
    >>> with graph.as_default():
    ...     total = tf.constant(1.0) + tf.constant(2.0, name="two")
    >>> [op.name for op in graph.get_operations()]
    ['Const', 'two', 'add']
    """

    choose: Callable[..., Any]  # `tf.cond`, for gradients of ops, which cannot import it

    def __init__(self) -> None:
        Naming.__init__(self)
        Bookkeeping.__init__(self)
        self._operations: list[Operation] = []
        self._by_name: dict[str, Operation] = {}
        self._control: tuple[_Waiting, ...] = ()
        self._finalized = False
        self.origin: tuple[str, int, str] | None = None  # the line that new operations belong to
        self.copying = False  # whether new operations are copies of some other graph's
        self.op_seeds = OpCount()
        self.callbacks: list[Any] = []  # Python's functions that its operations call
        self.functions: dict[str, Any] = {}  # graphs by name, for messages that refer to them
        # By function, its traces that use tensors of this graph; of use only while it is built.
        self.traces: WeakKeyDictionary[Any, dict[Any, Any]] = WeakKeyDictionary()

    def keep(self, callbacks: Sequence[Any]) -> None:
        """Let functions of Python live as long as the graph."""
        self.callbacks += callbacks

    @property
    def building_function(self) -> bool:
        return False

    @property
    def finalized(self) -> bool:
        return self._finalized

    @property
    def version(self) -> int:
        return len(self._operations)

    def finalize(self) -> None:
        """Allow no more operations."""
        self._finalized = True

    def add_op(
        self, op: Op, inputs: Sequence[Tensor], attrs: Mapping[str, Any], name: str | None = None
    ) -> list[SymbolicTensor]:
        """Append an operation; its outputs."""
        self._check_open()
        if self._container and attrs.get("container") == "":
            attrs = {**attrs, "container": self._container}
        if self.references and op.takes_handle:
            op, attrs = reference_form(op, inputs, attrs)
        title = self._op_name(name or op.default_name)
        here = tuple(
            [
                t
                if isinstance(t, SymbolicTensor) and t.graph is self
                else self._captured_for(op, attrs, title, place, t)
                for place, t in enumerate(inputs)
            ]
        )
        found = op.output_dtypes(here, attrs)
        dims = output_dims(op, here, attrs, found)
        waits = self._waits_for(here) if self._control else ()
        operation = Operation(self, op, title, here, attrs, waits, self._device)
        operation.outputs = [
            SymbolicTensor(operation, i, d, s)
            for i, (d, s) in enumerate(zip(found, dims, strict=True))
        ]
        if any(t._from_outside for t in here):
            for output in operation.outputs:
                output._from_outside = output._dtype is not variant or _shaped_outside(here)
        self._operations.append(operation)
        self._by_name[operation.name] = operation
        for waiting in self._control:
            waiting.inside.add(operation)
        if self._beside or self._overrides or self._placers:
            self.note(operation)
        if observing.made is not None:
            observing.made(operation)
        return operation.outputs

    def _captured_for(
        self, op: Op, attrs: Mapping[str, Any], title: str, place: int, tensor: Tensor
    ) -> Tensor:
        """A tensor from elsewhere for the operation `title`, named after the input it is for."""
        outer, self._scope = self._scope, title
        try:
            return self.capture(tensor, numbered_title(op.flat_args(attrs), place))
        finally:
            self._scope = outer

    def capture(self, tensor: Tensor, name: str | None = None) -> Tensor:
        """A tensor from elsewhere, as one of this graph."""
        if isinstance(tensor, EagerTensor) and isinstance(tensor._value, np.ndarray | np.generic):
            with context.building(self):
                return emit(np.asarray(tensor._value), name, tensor._dtype)
        if isinstance(tensor, EagerTensor):
            raise RuntimeError(
                f"{name}: Attempting to capture an EagerTensor without building a function. A "
                f"tf.Graph cannot use {tensor!r}, which was made outside of it."
            )
        raise ValueError(f"{tensor!r} is from another graph than the one being built.")

    @contextmanager
    def on_behalf_of(
        self, operation: Any, scope: Callable[[Any, Any], str | None] | None = None
    ) -> Iterator[None]:
        """Operations made inside belong to the user's line that made `operation`.

        `scope` tells, of the graph and the operation, in which scope they are named.
        """
        outer = self.origin, self._scope
        inner = None if scope is None else scope(self, operation)
        self.origin = getattr(operation, "_where", None)
        self._scope = self._scope if inner is None else inner
        try:
            yield
        finally:
            self.origin, self._scope = outer

    @contextmanager
    def receiving(self) -> Iterator[None]:
        """Operations made inside are copies of those of another graph."""
        outer, self.copying = self.copying, True
        try:
            yield
        finally:
            self.copying = outer

    @contextmanager
    def control_dependencies(self, control_inputs: Sequence[Any] | None) -> Iterator[None]:
        """Operations made inside run after `control_inputs`; None lifts the dependencies."""
        outer = self._control
        if control_inputs is None:
            self._control = ()
        else:
            known = {op for waiting in outer for op in waiting.awaited}
            added = dict.fromkeys(self._awaited(item) for item in control_inputs)
            self._control = (*outer, _Waiting(tuple(op for op in added if op not in known)))
        try:
            yield
        finally:
            self._control = outer

    def _awaited(self, item: Any) -> Operation:
        has_op = isinstance(item, (IndexedSlices, Graph.variable_kind))
        element = self.as_graph_element(item.op if has_op else item)
        return element if isinstance(element, Operation) else element.op

    def _waits_for(self, inputs: Sequence[Any]) -> tuple[Operation, ...]:
        """What a new operation waits for, without what it waits for through its inputs."""
        makers = {t.op for t in inputs}
        found: dict[Operation, None] = {}
        for waiting in self._control:
            if makers.isdisjoint(waiting.inside):
                found.update((op, None) for op in waiting.awaited if op not in makers)
        return tuple(found)

    def awaited_by(self, operation: Operation) -> Sequence[Operation]:
        """What an operation waits for although the program did not say so."""
        return ()

    def get_operations(self) -> list[Operation]:
        return list(self._operations)

    @property
    def newest(self) -> Operation:
        """The operation that was appended last."""
        return self._operations[-1]


def _shaped_outside(inputs: Iterable[Tensor]) -> bool:
    """Whether an outer value may have decided the shapes of elements that make a list, and not
    just the place of one.
    """
    return any(t._from_outside and (t._dtype is variant or t.shape.rank != 0) for t in inputs)


def get_default_graph() -> Graph:
    """The graph being built."""
    graph = context.state.graph
    if graph is None:
        raise RuntimeError(
            "No graph is being built: use `with tf.Graph().as_default():` or tf.function."
        )
    return graph
