"""`tf.Graph`: an ordered list of operations, named by TensorFlow's rules."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np

from runnel.core.op import context
from runnel.core.op.op import numbered_title
from runnel.core.tensor.convert import emit
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values.dtypes import variant
from runnel.graph.build.bookkeeping import Bookkeeping
from runnel.graph.build.inference import output_dims
from runnel.graph.build.operation import Operation
from runnel.graph.build.tensor import SymbolicTensor
from runnel.graph.run import alarms
from runnel.kernels.random.seeds import OpCount

if TYPE_CHECKING:
    from runnel.core.op.op import Op

VALID_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")
_VALID_SCOPE = re.compile(r"^[A-Za-z0-9_.\\/>-]*$")


@dataclass(frozen=True, eq=False)
class _Waiting:
    """One `control_dependencies`: what is awaited, and the operations that do so already."""

    awaited: tuple[Operation, ...]
    inside: set[Operation] = field(default_factory=set)


class Graph(Bookkeeping):
    """Operations in the order in which they were made.

    >>> graph = tf.Graph()
    >>> with graph.as_default():
    ...     total = tf.constant(1.0) + tf.constant(2.0, name="two")
    >>> [op.name for op in graph.get_operations()]
    ['Const', 'two', 'add']
    """

    variable_kind: Any = None  # the class of the variables of a graph that is no function's

    def __init__(self) -> None:
        super().__init__()
        self._operations: list[Operation] = []
        self._by_name: dict[str, Operation] = {}
        self._names: dict[str, int] = {}
        self._scope = ""
        self.entered: set[str] = set()  # the scopes that there are
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

    def as_default(self) -> AbstractContextManager[Graph]:
        """Ops called inside are added to this graph."""
        return context.building(self)  # type: ignore[return-value]

    def create_op(
        self,
        op_type: str,
        inputs: Sequence[Tensor],
        dtypes: Sequence[Any] | None = None,
        input_types: Sequence[Any] | None = None,
        name: str | None = None,
        attrs: Mapping[str, Any] | None = None,
        op_def: Any = None,
        compute_shapes: bool = True,
        compute_device: bool = True,
    ) -> Operation:
        """Append an operation of an op given by its name, with `AttrValue` messages as attributes.

        >>> graph = tf.Graph()
        >>> with graph.as_default():
        ...     x = tf.constant(1.0)
        >>> graph.create_op("Neg", [x]).outputs[0].shape
        TensorShape([])
        """
        from runnel.graph.graphdef.importing import create_operation  # which needs this module

        if not (compute_shapes and compute_device):
            raise NotImplementedError("create_op: shapes and devices are always computed.")
        kinds = {"dtypes": dtypes, "input_types": input_types}
        return create_operation(self, op_type, inputs, attrs or {}, name, op_def, **kinds)

    def new_operations(self) -> list[Operation]:
        """Operations that were made behind this object's back: there are none."""
        return []

    def Dismantle(self) -> None:
        """Let go of all operations; the graph is of no use any more."""
        self._operations.clear()
        self._by_name.clear()

    def add_op(
        self, op: Op, inputs: Sequence[Tensor], attrs: Mapping[str, Any], name: str | None = None
    ) -> list[SymbolicTensor]:
        """Append an operation; its outputs."""
        self._check_open()
        if self._container and attrs.get("container") == "":
            attrs = {**attrs, "container": self._container}
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
        if context.state.watcher is not None and not self.copying:
            alarms.mark(operation, context.state.watcher)
        if alarms.made is not None:
            alarms.made(operation)
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

    def _op_name(self, name: str) -> str:
        if not isinstance(name, str):
            raise TypeError(f"The name of an operation is a string, got {name!r}.")
        if name.endswith("/"):  # a scope entered again: the name is taken as it is
            name = name[:-1]
            self._names[name.lower()] = max(self._names.get(name.lower(), 0), 1)
            return name
        self._check_name(name, "an operation")
        return self.unique_name(name)

    def _check_name(self, name: str, what: str) -> None:
        if not (VALID_NAME if not self._scope else _VALID_SCOPE).match(name):
            raise ValueError(f"{name!r} is not a valid name of {what}.")

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """`name` in the current scope, with `_1`, `_2` … where it is taken."""
        if self._scope:
            name = f"{self._scope}/{name}"
        key = name.lower()
        count = self._names.get(key, 0)
        if mark_as_used:
            self._names[key] = count + 1
        if count == 0:
            return name
        unique, taken = name, key
        while taken in self._names:
            unique = f"{name}_{count}"
            taken = unique.lower()
            count += 1
        if mark_as_used:
            self._names[taken] = 1
        return unique

    @contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """Names inside begin with the scope's name; gives that prefix with its slash."""
        outer = self._scope
        if name is not None and not isinstance(name, str):
            raise TypeError(f"The name of a scope is a string, got {name!r}.")
        if not name:
            self._scope = ""
        elif name.endswith("/"):
            self._scope = name[:-1]
        else:
            self._check_name(name, "a scope")
            self._scope = self.unique_name(name)
            self.entered.add(self._scope)
        try:
            yield f"{self._scope}/" if self._scope else ""
        finally:
            self._scope = outer

    @contextmanager
    def op_scope(self, op: Op, name: str | None) -> Iterator[str]:
        """Inside, names begin with that of an operation to be made; gives what to call it then."""
        outer, self._scope = self._scope, self._op_name(name or op.default_name)
        try:
            yield f"{self._scope}/"
        finally:
            self._scope = outer

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

    def kind_of_variables(self) -> Any:
        """The class of a variable that is made now; None for one that lives in no graph."""
        return Graph.variable_kind

    def awaited_by(self, operation: Operation) -> Sequence[Operation]:
        """What an operation waits for although the program did not say so."""
        return ()

    def get_operations(self) -> list[Operation]:
        return list(self._operations)

    @property
    def newest(self) -> Operation:
        """The operation that was appended last."""
        return self._operations[-1]

    def get_operation_by_name(self, name: str) -> Operation:
        if not isinstance(name, str):
            raise TypeError(f"The name of an operation is a string, got {name!r}.")
        if ":" in name:
            raise ValueError(f"{name!r} looks like the name of a tensor, not of an operation.")
        if name not in self._by_name:
            raise KeyError(f"The name {name!r} refers to an Operation not in the graph.")
        return self._by_name[name]

    def get_tensor_by_name(self, name: str) -> SymbolicTensor:
        if not isinstance(name, str):
            raise TypeError(f"The name of a tensor is a string, got {name!r}.")
        op_name, colon, index = name.partition(":")
        if not colon or not index.isdigit():
            raise ValueError(
                f"{name!r} is not the name of a tensor, which looks like '<op>:<output>'."
            )
        op = self._by_name.get(op_name)
        if op is None or int(index) >= len(op.outputs):
            raise KeyError(f"The name {name!r} refers to a Tensor which does not exist.")
        return op.outputs[int(index)]

    def as_graph_element(
        self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True
    ) -> Any:
        """The tensor or operation of this graph that an object is, or names."""
        if not (allow_tensor or allow_operation):
            raise ValueError("as_graph_element: allow_tensor and allow_operation are both False.")
        if isinstance(obj, str):
            return self._named(obj, allow_tensor, allow_operation)
        obj = getattr(obj, "_as_graph_element", lambda: obj)()
        if (isinstance(obj, SymbolicTensor) and allow_tensor) or (
            isinstance(obj, Operation) and allow_operation
        ):
            if obj.graph is not self:
                raise ValueError(f"{obj!r} is not an element of this graph.")
            return obj
        raise TypeError(f"Cannot make a graph element of {obj!r}.")

    def _named(self, name: str, allow_tensor: bool, allow_operation: bool) -> Any:
        if ":" in name:
            if not allow_tensor:
                raise ValueError(f"{name!r} looks like the name of a tensor, not of an operation.")
            return self.get_tensor_by_name(name)
        if not allow_operation:
            raise ValueError(f"{name!r} looks like the name of an operation, not of a tensor.")
        return self.get_operation_by_name(name)

    def as_graph_def(
        self,
        from_version: int | None = None,
        add_shapes: bool = False,
        use_pybind11_proto: bool = False,
    ) -> Any:
        """The graph as a `GraphDef` message, which TensorFlow can import.

        >>> with tf.Graph().as_default() as graph:
        ...     y = -tf.constant(1.0, name="x")
        >>> [(node.op, list(node.input)) for node in graph.as_graph_def().node]
        [('Const', []), ('Neg', ['x'])]
        """
        if use_pybind11_proto:
            raise NotImplementedError("Graph.as_graph_def: use_pybind11_proto is not supported.")
        from runnel.graph.graphdef.export import graph_def  # which needs this module

        return graph_def(self, from_version, add_shapes)


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
