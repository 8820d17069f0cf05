"""What a graph knows beside what tracing needs: collections, places, messages, elements by name."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from runnel.core.op import context
from runnel.core.op.context import state
from runnel.core.op.registry import gradients
from runnel.core.protos import messages as protos
from runnel.core.settings.build import GRAPH_DEF_VERSION
from runnel.core.settings.device_spec import DeviceSpec
from runnel.core.tensor.tensor import Tensor
from runnel.graph.build import messages
from runnel.graph.build.operation import Operation
from runnel.graph.build.tensor import SymbolicTensor

if TYPE_CHECKING:
    from runnel.graph.build.operation import Operation


# Collections of variables, and of who finds them by name.
_OF_VARIABLES: Any = (
    "variables",
    "local_variables",
    "trainable_variables",
    ("__variable_store",),
    ("__varscope",),
)


class Bookkeeping:
    """The part of `tf.Graph` that old programs use; `tf.function` needs none of it."""

    _operations: list[Operation]
    _by_name: dict[str, Operation]
    _scope: str
    _finalized: bool
    capture: Callable[[Tensor], Any]
    is_pruned = False  # whether it has nothing that is not needed
    variable_kind: Any = None  # the class of the variables of a graph that is no function's

    def __init__(self) -> None:
        self._collections: dict[str, list[Any]] = {}
        self._container = ""
        self._device = ""
        self._placers: tuple[
            Callable[[Operation], str | None] | str, ...
        ] = ()  # the innermost last
        self._beside: tuple[Operation, ...] = ()
        self._groups: dict[str, list[bytes]] = {}  # by operation, whom it stands beside
        self._overrides: dict[str, str] = {}
        self._unfeedable: set[int] = set()
        self._unfetchable: set[int] = set()
        self._seed: int | None = None
        # What reads a reference variable, by the name of the operation that makes it.
        self.references: dict[str, Any] = {}
        self._kind: Any = None  # of the variables that are made now, if it is not the usual one
        self._users: dict[int, list[Operation]] = {}  # by tensor; of the first so many operations
        self._counted = 0

    @property
    def seed(self) -> int | None:
        """The seed of this graph's random ops that have none of their own."""
        return self._seed

    @seed.setter
    def seed(self, seed: int | None) -> None:
        self._seed = seed

    @property
    def operations(self) -> list[Operation]:
        return list(self._operations)

    def get(self) -> Any:
        """The graph itself."""
        return self

    @contextmanager
    def as_default(self) -> Iterator[Any]:
        """Ops called inside are added to this graph."""
        with context.building(self):  # type: ignore[arg-type]
            yield self
            if state.graph is not self:
                raise AssertionError(
                    f"{self!r} is left while another graph is the default one: blocks of "
                    "`as_default` must be left in the reverse order in which they were entered."
                )

    def check_session(self, session: Any, name: str) -> None:
        """Raise where a session of another graph is to run what has that name here."""
        if session.graph is not self:
            raise ValueError(
                f"The session cannot run {name!r}, which is not in the session's graph."
            )

    def kind_of_variables(self) -> Any:
        """The class of a variable that is made now; None for one that lives in no graph."""
        return self._kind or self.variable_kind

    @contextmanager
    def variables_of(self, kind: Any) -> Iterator[None]:
        """Variables made inside are of that class."""
        outer, self._kind = self._kind, kind
        try:
            yield
        finally:
            self._kind = outer

    def users_of(self, tensor: Tensor) -> list[Operation]:
        """The operations that take a tensor, each as often as it does."""
        for operation in self._operations[self._counted :]:
            for taken in operation.inputs:
                self._users.setdefault(taken._id, []).append(operation)
        self._counted = len(self._operations)
        return list(self._users.get(tensor._id, ()))

    def num_operations(self) -> int:
        return len(self._operations)

    def get_name_scope(self) -> str:
        """The scope in which operations are named now.

        >>> with tf.Graph().as_default() as graph, tf.name_scope("a"), tf.name_scope("b"):
        ...     graph.get_name_scope()
        'a/b'
        """
        return self._scope

    @property
    def graph_def_versions(self) -> Any:
        """The version of the ops, as a `VersionDef`."""
        return protos.VersionDef(producer=GRAPH_DEF_VERSION)

    def op_def_for_type(self, type: str) -> Any:
        """The declaration of an op as an `OpDef`.

        >>> [arg.name for arg in tf.Graph().op_def_for_type("AddV2").input_arg]
        ['x', 'y']
        """
        return messages.op_def(type)

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
        if not (compute_shapes and compute_device):
            raise NotImplementedError("create_op: shapes and devices are always computed.")
        kinds = {"dtypes": dtypes, "input_types": input_types}
        return messages.create_operation(self, op_type, inputs, attrs or {}, name, op_def, **kinds)

    def new_operations(self) -> list[Operation]:
        """Operations that were made behind this object's back: there are none."""
        return []

    def Dismantle(self) -> None:
        """Let go of all operations; the graph is of no use any more."""
        self._operations.clear()
        self._users.clear()
        self._counted = 0
        self._by_name.clear()

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
        return messages.graph_def(self, from_version, add_shapes)

    @property
    def _functions(self) -> dict[str, Any]:
        """The functions that its message has, by name: converters read their `definition`."""
        library = self.as_graph_def().library
        return {f.signature.name: SimpleNamespace(definition=f) for f in library.function}

    def _check_open(self) -> None:
        if self._finalized:
            raise RuntimeError("Graph is finalized and cannot be modified.")

    def add_to_collection(self, name: str, value: Any) -> None:
        self._check_open()
        self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: str | Iterable[str], value: Any) -> None:
        """Add a value to several collections, or to one."""
        for name in {names} if isinstance(names, str) else dict.fromkeys(names):
            self.add_to_collection(name, value)

    def get_collection(self, name: str, scope: str | None = None) -> list[Any]:
        """What a collection holds; with a `scope`, what has a name that matches this expression.

        >>> graph = tf.Graph()
        >>> graph.add_to_collection("layers", tf.TensorSpec([], name="first/weights"))
        >>> len(graph.get_collection("layers", "fi.*/w")), graph.get_collection("layers", "w")
        (1, [])
        """
        items = self._collections.get(name, [])
        if scope is None:
            return list(items)
        return [i for i in items if hasattr(i, "name") and re.match(scope, i.name)]

    def get_collection_ref(self, name: str) -> list[Any]:
        """The list that holds a collection: what is added to it, the collection has."""
        return self._collections.setdefault(name, [])

    def _share_collections(self, outer: Bookkeeping | None) -> None:
        """Begin with what the graph around this one has collected, and collect variables for it."""
        if isinstance(outer, Bookkeeping):  # and not what stands for a graph of batches
            self._collections = {name: list(held) for name, held in outer._collections.items()}
            self._collections |= {name: outer.get_collection_ref(name) for name in _OF_VARIABLES}

    def get_all_collection_keys(self) -> list[str]:
        """The names of the collections, without the keys that are no strings."""
        return [name for name in self._collections if isinstance(name, str)]

    @property
    def collections(self) -> list[str]:
        """The names of the collections."""
        return list(self._collections)

    def clear_collection(self, name: str) -> None:
        self._check_open()
        self._collections.pop(name, None)

    @contextmanager
    def container(self, container_name: str) -> Iterator[str]:
        """Resources made inside (queues, tables, variables) belong to a container."""
        outer, self._container = self._container, container_name
        try:
            yield container_name
        finally:
            self._container = outer

    @contextmanager
    def device(self, device_name_or_function: Any) -> Iterator[None]:
        """Operations made inside stand on that device, or where a function of them says.

        A name adds to those inside it; a function takes their place, and may look at them.

        >>> graph = tf.Graph()
        >>> with graph.as_default(), graph.device(lambda op: "/cpu:1"):
        ...     x = tf.constant(1.0)
        >>> x.op.device
        '/cpu:1'
        """
        outer = self._device, self._placers
        if device_name_or_function is None:
            self._device, self._placers = "", ()
        elif callable(device_name_or_function):
            outside = (*self._placers, self._device) if self._device else self._placers
            self._placers, self._device = (*outside, device_name_or_function), ""
        else:
            self._device = _merged(self._device, device_name_or_function)
        try:
            yield
        finally:
            self._device, self._placers = outer

    @contextmanager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Iterator[None]:
        """Operations made inside stand on the device of another one; None lifts that."""
        if op is None and not ignore_existing:
            raise ValueError("colocate_with: `op` may be None with ignore_existing=True only.")
        outer = self._device, self._placers, self._beside
        added = () if op is None else (_operation(op),)
        self._device, self._placers = "", ()
        self._beside = added if ignore_existing else (*self._beside, *added)
        try:
            yield
        finally:
            self._device, self._placers, self._beside = outer

    @contextmanager
    def gradient_override_map(self, op_type_map: Mapping[str, str]) -> Iterator[None]:
        """Operations made inside get the gradient that is registered under another name."""
        if not isinstance(op_type_map, dict) or not all(
            isinstance(name, str) for pair in op_type_map.items() for name in pair
        ):
            raise TypeError(f"op_type_map must map names of ops to names, got {op_type_map!r}.")
        outer, self._overrides = self._overrides, {**self._overrides, **op_type_map}
        try:
            yield
        finally:
            self._overrides = outer

    def note(self, operation: Operation) -> None:
        """Do to a new operation what the contexts it is made in ask for."""
        self._place(operation)
        if self._beside:
            groups = {group for op in self._beside for group in self.colocation_groups(op)}
            self._groups[operation.name] = sorted(groups)
            devices = [op.device for op in reversed(self._beside) if op.device]
            operation.device = devices[0] if devices else operation.device
        name = self._overrides.get(operation.type)
        if name is not None:
            operation.backward = partial(_overridden, name, operation)

    def _place(self, operation: Any) -> None:
        for placer in reversed(self._placers):
            inner = operation.device
            found = placer(operation) if callable(placer) else _merged(placer, inner)
            operation.device = inner if found is None else found

    def _apply_device_functions(self, op: Any) -> None:
        """Say on which device an operation would be if it were made now.

        Libraries ask with an object of their own that stands for an operation.
        """
        op.device = self._device
        self._place(op)

    def last_use(self, handle: Tensor) -> Operation:
        """What was done last in this graph to a variable from outside, such as an assignment."""
        inside = self.capture(handle)
        found = (op for op in reversed(self._operations) if any(t is inside for t in op.inputs))
        return next(found, inside.op)

    def _get_control_flow_context(self) -> None:
        """The loop or branch of TensorFlow 1 that is being built: none, they are graphs here."""
        return None

    def colocation_groups(self, operation: Operation) -> list[bytes]:
        return self._groups.get(operation.name) or [_group(operation)]

    def prevent_feeding(self, tensor: Any) -> None:
        """Let no session feed a tensor."""
        self._unfeedable.add(id(tensor))

    def is_feedable(self, tensor: Any) -> bool:
        return id(tensor) not in self._unfeedable

    def prevent_fetching(self, op: Any) -> None:
        """Let no session fetch an operation, nor its outputs."""
        self._unfetchable.add(id(op))

    def is_fetchable(self, tensor_or_op: Any) -> bool:
        return id(_operation(tensor_or_op)) not in self._unfetchable

    def switch_to_thread_local(self) -> None:
        """Nothing: what is true of the running thread is kept by thread always."""


def _operation(tensor_or_op: Any) -> Any:
    return tensor_or_op.op if isinstance(tensor_or_op, Tensor) else tensor_or_op


def _merged(outer: Any, inner: Any) -> str:
    """The device that `inner` names, completed by `outer`."""
    return _spec(outer).make_merged_spec(_spec(inner)).to_string()


def _spec(device: Any) -> DeviceSpec:
    return device if isinstance(device, DeviceSpec) else DeviceSpec.from_string(device)


def _group(operation: Operation) -> bytes:
    return f"loc:@{operation.name}".encode()


def _overridden(name: str, operation: Operation, *arriving: Any) -> Sequence[Any]:
    function = gradients.get(name)
    if function is None:
        raise LookupError(
            f"No gradient is registered under {name!r}, which {operation!r} is to use."
        )
    found = function(operation, *arriving)
    return found if isinstance(found, list | tuple) else [found]
