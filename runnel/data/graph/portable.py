"""A dataset as bytes, for another process: its steps with their numbers, arrays and specs, and its
functions as graphs.

Nothing in it is Python: what is read can only be steps of kinds that are known here, and graphs of
known ops. So a function that calls Python, or a generator, cannot be sent.
"""

from __future__ import annotations

import enum
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.composite import structured_value
from runnel.core.protos import messages
from runnel.core.state.tables import StaticTable
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values.dtypes import DType, as_dtype, resource, variant
from runnel.core.values.errors import DataLossError, InvalidArgumentError, OpError
from runnel.core.values.shape import TensorShape
from runnel.data.dataset import options
from runnel.data.graph.ops import OWN_OPS
from runnel.data.nodes.node import DatasetValue, Node
from runnel.data.run.functions import UserFunction
from runnel.data.run.states import decode, encode
from runnel.data.run.structure import Structure
from runnel.graph.graphdef.export import Library
from runnel.graph.graphdef.importing import Functions
from runnel.graph.run.effects import runs_python

_PLAIN = (bool, int, float, str, bytes, np.ndarray, np.generic)
_GROUPS: dict[str, Any] = {
    kind.__name__: kind
    for kind in vars(options).values()
    if isinstance(kind, type) and issubclass(kind, options._Group | enum.Enum)
}


class Hole(Tensor):
    """A tensor of a graph that gets its value when the graph runs; only its number is known."""

    __slots__ = ("_shape",)

    def __init__(self, number: int, dtype: DType, shape: TensorShape) -> None:
        self._id, self._dtype, self._shape = number, dtype, shape

    @property
    def shape(self) -> TensorShape:
        return self._shape


def to_bytes(node: Node) -> bytes:
    """The dataset of a node; `InvalidArgumentError` if a part of it cannot be sent."""
    writer = _Writer()
    tree = writer.dataset(node)
    library = messages.FunctionDefLibrary(function=writer.library.functions)
    return encode({"dataset": tree, "functions": library.SerializeToString()})


def from_bytes(data: bytes) -> Node:
    """The node of a dataset; `DataLossError` for what `to_bytes` has not made."""
    try:
        found = decode(data)
        library = messages.FunctionDefLibrary.FromString(found["functions"])
        return _Reader(library).dataset(found["dataset"])
    except OpError:
        raise
    except Exception as error:  # nonsense may go wrong in any way
        message = f"This is no dataset: {type(error).__name__}: {error}"
        raise DataLossError(None, None, message) from error


class _Writer:
    def __init__(self) -> None:
        self.library = Library(write_object=self._object)
        self._numbers: dict[int, int] = {}  # of nodes, by id
        self._written: list[Any] = []

    def dataset(self, node: Node) -> Any:
        return {"root": self._node(node), "nodes": self._written}

    def _object(self, value: Any) -> bytes:
        """An attribute of an operation: a dataset that is made in a graph."""
        if not isinstance(value, Node):
            raise _refused(f"it holds {value!r}")
        inner = _Writer()
        inner.library = self.library
        return encode(inner.dataset(value))

    def _node(self, node: Node) -> int:
        if id(node) not in self._numbers:
            if not node.portable:
                raise _refused(f"the step {node.title}, made at {node.where}, runs Python code")
            parts = [
                [name, self.value(value, node)]
                for name, value in list(vars(node).items())
                if name not in node.derived
            ]
            self._numbers[id(node)] = len(self._written)
            self._written.append([type(node).__name__, parts])
        return self._numbers[id(node)]

    def value(self, value: Any, node: Node) -> Any:
        if value is None or (isinstance(value, _PLAIN) and not isinstance(value, enum.Enum)):
            return value
        if isinstance(value, list):
            return [self.value(item, node) for item in value]
        for kind, write in self._KINDS:
            if isinstance(value, kind):
                name, *rest = write(self, value, node)
                return {name: rest}
        raise _refused(f"the step {node.title}, made at {node.where}, holds {value!r}")

    def _many(self, value: Any, node: Node) -> list[Any]:
        return ["tuple", *[self.value(item, node) for item in value]]

    def _mapping(self, value: Any, node: Node) -> list[Any]:
        return ["dict", *[[key, self.value(item, node)] for key, item in value.items()]]

    def _tensor(self, value: EagerTensor, node: Node) -> list[Any]:
        held = value._value
        if isinstance(held, DatasetValue):
            return ["variant", self._node(held.node)]
        if isinstance(held, StaticTable):
            keys, values = held.export()
            return ["table", held.key_dtype.name, held.value_dtype.name, keys, values]
        if value.dtype in (resource, variant):
            raise _refused(
                f"the step {node.title}, made at {node.where}, uses a {type(held).__name__}, which "
                "belongs to this process"
            )
        return ["tensor", value.dtype.name, np.asarray(held)]

    def _function(self, value: UserFunction, node: Node) -> list[Any]:
        if any(map(runs_python, value.graph._operations)):
            raise _refused(
                f"the function {value.name} of {node.title}, made at {node.where}, calls Python "
                "(tf.py_function or tf.numpy_function)"
            )
        name = self.library.name_of(value.graph)
        inputs = [_spec(part) for part in value.inputs]
        captured = [self.value(tensor, node) for tensor in value.captured]
        return ["function", name, value.name, inputs, _spec(value.output), captured]

    _KINDS: tuple[tuple[Any, Any], ...] = (
        (tuple, _many),
        (dict, _mapping),
        (Node, lambda self, value, node: ["node", self._node(value)]),
        (UserFunction, _function),
        (Structure, lambda self, value, node: ["structure", _spec(value)]),
        (EagerTensor, _tensor),
        (Tensor, lambda self, value, node: ["hole", value._id, *_type(value)]),
        (DType, lambda self, value, node: ["dtype", value.name]),
        (TensorShape, lambda self, value, node: ["shape", _dims(value)]),
        (enum.Enum, lambda self, value, node: ["choice", type(value).__name__, value.value]),
        (
            options._Group,
            lambda self, value, node: (
                ["options", type(value).__name__]
                + [[key, self.value(part, node)] for key, part in value._values.items()]
            ),
        ),
    )


def _refused(why: str) -> InvalidArgumentError:
    message = f"The dataset cannot be sent to another process: {why}."
    return InvalidArgumentError(None, None, message)


def _spec(structure: Structure) -> bytes:
    try:
        return structured_value.encode(structure.spec).SerializeToString()  # type: ignore[no-any-return]
    except (TypeError, ValueError) as error:
        raise _refused(f"its elements are {structure.spec}: {error}") from error


def _type(tensor: Any) -> list[Any]:
    return [tensor.dtype.name, _dims(tensor.shape)]


def _dims(shape: TensorShape) -> Any:
    return None if shape._dims is None else list(shape._dims)


class _Reader:
    def __init__(self, library: Any) -> None:
        self._functions = Functions(
            library,
            loaded=True,
            own_ops=OWN_OPS,
            read_object=lambda data: self.dataset(decode(data)),
        )

    def dataset(self, tree: Any) -> Node:
        nodes: list[Node] = []
        for name, parts in tree["nodes"]:
            made: Any = object.__new__(_kinds()[name])
            for key, value in parts:
                vars(made)[str(key)] = self._value(value, nodes)
            made.rebound()
            nodes.append(made)
        return nodes[tree["root"]]

    def _value(self, value: Any, nodes: Sequence[Node]) -> Any:
        if isinstance(value, list):
            return [self._value(item, nodes) for item in value]
        if not isinstance(value, dict):
            return value
        [(kind, parts)] = value.items()
        return getattr(self, f"_read_{kind}")(nodes, *parts)

    def _read_tuple(self, nodes: Any, *items: Any) -> Any:
        return tuple(self._value(item, nodes) for item in items)

    def _read_dict(self, nodes: Any, *items: Any) -> Any:
        return {key: self._value(item, nodes) for key, item in items}

    def _read_node(self, nodes: Any, number: int) -> Any:
        return nodes[number]

    def _read_variant(self, nodes: Any, number: int) -> Any:
        return EagerTensor(DatasetValue(nodes[number]), variant)  # type: ignore[arg-type]

    def _read_table(self, nodes: Any, keys: str, values: str, *entries: Any) -> Any:
        table = StaticTable(as_dtype(keys), as_dtype(values))
        table.fill(*entries)
        return EagerTensor(table, resource)  # type: ignore[arg-type]

    def _read_tensor(self, nodes: Any, dtype: str, array: Any) -> Any:
        return EagerTensor(array, as_dtype(dtype))

    def _read_hole(self, nodes: Any, number: int, dtype: str, dims: Any) -> Any:
        return Hole(number, as_dtype(dtype), TensorShape(dims))

    def _read_dtype(self, nodes: Any, name: str) -> Any:
        return as_dtype(name)

    def _read_shape(self, nodes: Any, dims: Any) -> Any:
        return TensorShape(dims)

    def _read_structure(self, nodes: Any, spec: bytes) -> Structure:
        return Structure(structured_value.decode(messages.StructuredValue.FromString(spec)))

    def _read_choice(self, nodes: Any, kind: str, value: Any) -> Any:
        return _GROUPS[kind](value)

    def _read_options(self, nodes: Any, kind: str, *settings: Any) -> Any:
        made = _GROUPS[kind]()
        for key, value in settings:
            made._values[str(key)] = self._value(value, nodes)
        return made

    def _read_function(
        self, nodes: Any, function: str, name: str, inputs: Any, output: bytes, captured: Any
    ) -> UserFunction:
        graph = self._functions.graph(function)
        return UserFunction.of_graph(
            graph,
            [self._read_structure(nodes, spec) for spec in inputs],
            self._read_structure(nodes, output),
            [self._value(tensor, nodes) for tensor in captured],
            name,
        )


def _kinds() -> dict[str, type[Node]]:
    """The kinds of steps by their names; those that may be sent."""
    found: dict[str, type[Node]] = {}
    waiting: list[type[Node]] = [Node]
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if kind.portable:
            found[kind.__name__] = kind
    return found
