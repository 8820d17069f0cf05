"""TensorFlow's graphs made ours: `tf.graph_util.import_graph_def`.

A node becomes an operation of the same name. Functions of the library become the graphs inside `If`
and `While`; a call of a function becomes the operations of its body.
"""

from __future__ import annotations

import functools
import itertools
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from runnel.core.gradients.ones_and_zeros import zeros_like
from runnel.core.op import context
from runnel.core.op.attributes import ATTRIBUTE_NAMES
from runnel.core.op.list_arguments import list_size
from runnel.core.op.op import Op, execute
from runnel.core.op.raw import raw_ops
from runnel.core.protos import messages
from runnel.core.settings.scopes import name_scope
from runnel.core.state.resource import VariableResource
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.array_protos import array_of
from runnel.core.values.dtypes import as_dtype, resource
from runnel.core.values.errors import NotFoundError, OpError, UnimplementedError
from runnel.core.values.shape import TensorShape
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.graph import Graph, get_default_graph
from runnel.graph.build.operation import Operation
from runnel.graph.control.call_gradients import as_one_op, uneven
from runnel.graph.graphdef import old_control_flow, references
from runnel.graph.graphdef.checking import (
    as_graph_def,
    check_attributes,
    check_names,
    check_version,
    checked_elements,
    checked_map,
    full_name,
    in_order,
)

CALLS = frozenset({"PartitionedCall", "StatefulPartitionedCall", "BatchFunction"})
_SHAPES = "_output_shapes"
_GRADIENT = "_gradient_op_type"
_PYTHON = frozenset({"PyFunc", "PyFuncStateless", "EagerPyFunc"})
_loads = itertools.count(1)
_DEEPEST = 100  # calls of functions inside one another
_MOST_OPERATIONS = 1_000_000  # operations; a small file of calls could otherwise fill all memory


def import_graph_def(
    graph_def: Any,
    input_map: Mapping[str, Any] | None = None,
    return_elements: Sequence[str] | None = None,
    name: str | None = None,
    op_dict: Any = None,
    producer_op_list: Any = None,
) -> list[Any] | None:
    """Add the operations of a `GraphDef` to the graph being built, under the scope `name`.

    `input_map` gives tensors in place of those in the message; the result are the operations and
    tensors that `return_elements` names. With `producer_op_list`, the ops as the writer of the
    message knew them, an attribute that is not known here must have its default.

    >>> with tf.Graph().as_default() as graph:
    ...     y = tf.constant(2.0, name="x") * 3.0
    >>> with tf.Graph().as_default() as other:
    ...     tf.graph_util.import_graph_def(graph.as_graph_def(), return_elements=["x:0"])
    [<tf.Tensor 'import/x:0' shape=() dtype=float32>]
    """
    if op_dict is not None:
        raise NotImplementedError("tf.graph_util.import_graph_def: op_dict is not supported.")
    message = as_graph_def(graph_def)
    if producer_op_list is not None:
        check_attributes(message, producer_op_list)
    given = checked_map(input_map)
    wanted = checked_elements(return_elements)
    graph = get_default_graph()
    with name_scope("import" if name is None else name) as scope:
        if not all(isinstance(value, Tensor) for value in given.values()):
            if not scope:
                raise ValueError("import_graph_def: `input_map` must hold tensors if name is ''.")
            with graph.name_scope("_inputs"):
                given = {key: convert_to_tensor(value) for key, value in given.items()}
    check_version(message.versions)
    check_names(message.node)
    body = GraphBody(Functions(message.library), graph, scope, given)
    body.add(message.node)
    body.check_used()
    return None if wanted is None else [body.element(text) for text in wanted]


def create_operation(
    graph: Graph,
    op_type: str,
    inputs: Sequence[Tensor],
    attrs: Mapping[str, Any],
    name: str | None,
    op_def: Any = None,
    dtypes: Sequence[Any] | None = None,
    input_types: Sequence[Any] | None = None,
) -> Operation:
    """An operation of an op given by its name and its attributes as messages."""
    if not isinstance(op_type, str):
        raise TypeError(f"The type of an op must be a string, got {op_type!r}.")
    op: Op | None = vars(raw_ops).get(op_type)
    if op is None or (op_def is not None and op_def.name != op_type):
        raise RuntimeError(f"Op type not registered: {op_type!r} is not in dir(tf.raw_ops).")
    node = messages.NodeDef(op=op_type, name=name or op_type)
    for key, value in attrs.items():
        node.attr[key].CopyFrom(value)
    _check_kinds(op_type, "input_types", input_types, inputs)
    body = GraphBody(Functions(messages.FunctionDefLibrary()), graph, "", {})
    outputs = graph.add_op(op, inputs, body._attributes(op, node, inputs), name)
    _check_kinds(op_type, "dtypes", dtypes, outputs)
    return graph.newest


def _check_kinds(
    op_type: str, key: str, wanted: Sequence[Any] | None, given: Sequence[Tensor]
) -> None:
    kinds = None if wanted is None else [as_dtype(kind) for kind in wanted]
    if kinds is not None and kinds != [t.dtype for t in given]:
        got = [t.dtype.name for t in given]
        raise TypeError(f"{op_type}: `{key}` must be {got}, got {[k.name for k in kinds]}.")


def _check_dtypes(op: Op, node: Any, attrs: Mapping[str, Any], inputs: Sequence[Tensor]) -> None:
    """ValueError if an input is not of the dtype that an attribute of the node says."""
    rest = iter(inputs)
    for arg in op.inputs:
        given = list(itertools.islice(rest, list_size(arg, attrs) if arg.is_list else 1))
        if arg.mixed or arg.type not in node.attr:
            continue
        wanted = as_dtype(node.attr[arg.type].type)
        for tensor in given:
            if tensor.dtype is not wanted:
                raise ValueError(
                    f"its input {arg.name!r} must have dtype {wanted.name}, got {tensor.dtype.name}"
                )


class CustomGradient(NamedTuple):
    """A function of a library that is the gradient of some operations.

    It takes the gradients of their outputs and what it captures: tensors of the function that they
    are in, by name, or functions that give others. `places` says which of the inputs its results
    are the gradients of.
    """

    function: str
    captured: Sequence[str | Callable[[], Tensor]]
    places: Sequence[bool]


class Functions:
    """The functions of a library. Each use gets operations, or a graph, of its own.

    `own_ops` are ops of ours beside those of `tf.raw_ops`, and `read_object` makes the objects that
    are their attributes of bytes.
    """

    def __init__(
        self,
        library: Any,
        *,
        loaded: bool = False,
        own_ops: Mapping[str, Op] | None = None,
        read_object: Callable[[bytes], Any] | None = None,
    ) -> None:
        self.loaded = loaded  # whether the library is from a file, which must not call Python code
        self.own_ops = own_ops or {}
        self.read_object = read_object
        # What makes a resource that has a name another one than that of the program which saved it.
        self.suffix = f"_load_{next(_loads)}" if loaded else ""
        self._by_name = {f.signature.name: f for f in library.function}
        self._open: list[str] = []  # functions being imported, the innermost last
        self.lock = threading.RLock()  # held by whoever imports some of them
        self.gradients: dict[str, CustomGradient] = {}  # by `_gradient_op_type`

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def add(self, function: Any) -> None:
        """One more function, which a rewritten part of a graph calls."""
        self._by_name[function.signature.name] = function

    def get(self, name: str) -> Any:
        """A function's message."""
        if name not in self._by_name:
            raise NotFoundError(None, None, f"{self.where}there is no function named {name!r}.")
        return self._by_name[name]

    @property
    def where(self) -> str:
        """The function that is being imported, for errors."""
        return f"In the function {self._open[-1]!r}: " if self._open else ""

    def call(self, name: str, graph: Graph, scope: str, given: Sequence[Tensor]) -> list[Tensor]:
        """Add the body of a function to `graph`; its results."""
        function = self.get(name)
        if name in self._open:
            raise NotImplementedError(
                f"The function {name!r} calls itself, which is not supported."
            )
        if len(self._open) >= _DEEPEST or len(graph._operations) > _MOST_OPERATIONS:
            raise ValueError(
                f"{self.where}calls are nested too deeply, or make too many operations."
            )
        args = [arg.name for arg in function.signature.input_arg]
        if len(args) != len(given):
            raise ValueError(f"{name!r} takes {len(args)} arguments, got {len(given)}.")
        self._open.append(name)
        try:
            body = GraphBody(self, graph, scope, dict(zip(args, given, strict=True)))
            body.add(function.node_def)
            return [body.tensor(function.ret[arg.name]) for arg in function.signature.output_arg]
        finally:
            self._open.pop()

    def graph(self, name: str, given: Sequence[Tensor] | None = None) -> FuncGraph:
        """The graph of a function; what is known of the tensors it will get is known inside."""
        function = self.get(name)
        graph = FuncGraph(name, outer=context.state.graph)
        with context.building(graph):
            for place, arg in enumerate(function.signature.input_arg):
                _add_argument(graph, function, place, arg, given[place] if given else None)
            outputs = self.call(name, graph, "", graph.arguments)
        graph.outputs = outputs  # type: ignore[assignment]
        graph.structured_outputs = list(outputs)
        return graph


def _add_argument(
    graph: FuncGraph, function: Any, place: int, arg: Any, outside: Tensor | None
) -> None:
    """A placeholder for an argument, with what the message and the caller know of it."""
    if arg.type_attr or arg.type_list_attr or arg.number_attr:
        raise NotImplementedError(
            f"The function {function.signature.name!r} leaves the dtype of its argument "
            f"{arg.name!r} to its callers, which is not supported."
        )
    shape = TensorShape(None)
    known = function.arg_attr[place].attr if place in function.arg_attr else {}
    if _SHAPES in known and len(known[_SHAPES].list.shape) == 1:
        shape = TensorShape.experimental_from_proto(known[_SHAPES].list.shape[0])
    if outside is not None and shape.is_compatible_with(outside.shape):
        shape = shape.merge_with(outside.shape)
    with context.unwatched():
        made = graph.add_input(as_dtype(arg.type), shape._dims, arg.name)
    if made.dtype is resource:
        made._handle_data = _handle_data(arg, outside)


def _handle_data(arg: Any, outside: Tensor | None) -> Any:
    """What a resource argument points to, as far as is known."""
    held = getattr(outside, "_handle_data", None) or getattr(outside, "_value", None)
    if held is None and len(arg.handle_data) == 1:
        shape = TensorShape.experimental_from_proto(arg.handle_data[0].shape)
        return VariableResource(as_dtype(arg.handle_data[0].dtype), shape, arg.name)
    return held


class GraphBody:
    """Adds nodes to a graph: those of a `GraphDef`, or of a function with `given` arguments."""

    def __init__(
        self, functions: Functions, graph: Graph, scope: str, given: Mapping[str, Tensor]
    ) -> None:
        self._functions = functions
        self._graph = graph
        self._scope = scope
        self._given = given
        self._unused = set(given)
        self._results: dict[str, list[Any]] = {}
        self._operations: dict[str, Operation | None] = {}
        self._declared: dict[str, tuple[Op | None, Mapping[str, Any]]] = {}

    def add(self, nodes: Sequence[Any]) -> None:
        """Add all nodes, each after those it depends on."""
        if any(node.op in references.OPS for node in nodes):
            nodes = references.resolved(nodes, self._given)
        if any(node.op in old_control_flow.OPS for node in nodes):
            nodes = old_control_flow.whole(nodes, self._functions.add)
        for node in in_order(nodes):
            try:
                with context.unwatched():
                    self._add(node)
            except (OpError, NotImplementedError):
                raise
            except Exception as error:  # shape rules do not expect the nonsense of damaged files
                where = f"{self._functions.where}the node {node.name!r} ({node.op})"
                raise ValueError(f"{where} cannot be imported: {error}") from error

    def _add(self, node: Any) -> None:
        inputs = [self.tensor(ref) for ref in node.input if not ref.startswith("^")]
        control = [self._operations.get(ref[1:]) for ref in node.input if ref.startswith("^")]
        if node.op in CALLS or node.op in self._functions:
            name = node.attr["f"].func.name if node.op in CALLS else node.op
            scope = f"{self._scope}{node.name}/"
            self._results[node.name] = self._call(name, scope, inputs)
            self._operations[node.name] = None
            self._declared[node.name] = (None, {})
            return
        op = self._op_of(node)
        attrs = self._attributes(op, node, inputs)
        with (
            context.building(self._graph),
            self._graph.control_dependencies([c for c in control if c is not None]),
            self._graph.device(node.device),
        ):
            execute(op, inputs, attrs, self._name(node.name))
        operation = self._graph.newest
        self._operations[node.name] = operation
        self._results[node.name] = _results(operation)
        self._declared[node.name] = (op if op.name == node.op else None, attrs)
        if node.op == "VarHandleOp":
            variable = VariableResource(attrs["dtype"], attrs["shape"], operation.name)
            operation.outputs[0]._handle_data = variable
        _merge_shapes(operation, node)
        if _GRADIENT in node.attr:
            kind = node.attr[_GRADIENT].s.decode("utf-8", "replace")
            operation.backward = functools.partial(self._backward, kind, operation)

    def _call(self, name: str, scope: str, inputs: Sequence[Tensor]) -> list[Tensor]:
        """The results of a function, with gradients as if the call were one operation."""
        first = len(self._graph._operations)
        results = self._functions.call(name, self._graph, scope, inputs)
        bits = uneven(self._graph._operations[first:], inputs, results)
        with context.building(self._graph):
            return as_one_op(bits, inputs, results)

    def _op_of(self, node: Any) -> Op:
        """The op of a node."""
        if node.op in _PYTHON and self._functions.loaded:
            raise UnimplementedError(
                None,
                None,
                f"{self._functions.where}the node {node.name!r} ({node.op}) calls a Python "
                "function, which a file cannot hold. Save the model without tf.py_function and "
                "tf.numpy_function.",
            )
        if node.op == "Const" and node.attr["dtype"].type == resource.enum:
            # A handle of the process that wrote the message, with nothing behind it any more.
            return raw_ops.DummySeedGenerator
        op: Op | None = vars(raw_ops).get(node.op) or self._functions.own_ops.get(node.op)
        if op is None:
            raise NotFoundError(
                None,
                None,
                f"{self._functions.where}the node {node.name!r} is of the op {node.op!r}, which "
                "Runnel does not have. dir(tf.raw_ops) lists those there are.",
            )
        return op

    def _backward(self, kind: str, operation: Operation, *arriving: Any) -> list[Any]:
        """The gradient that the message has for an operation."""
        if kind not in self._functions.gradients:
            raise LookupError(
                f"The operation {operation.name!r} has a gradient of its own ({kind}), which was "
                "not saved with it."
            )
        gradient = self._functions.gradients[kind]
        graph = context.state.graph
        assert graph is not None
        upstream = [
            zeros_like(o) if g is None else g
            for g, o in zip(arriving, operation.outputs, strict=True)
        ]
        captured = [self.tensor(c) if isinstance(c, str) else c() for c in gradient.captured]
        scope = f"gradients/{operation.name}/"
        results = iter(
            self._functions.call(gradient.function, graph, scope, [*upstream, *captured])
        )
        return [next(results) if place else None for place in gradient.places]

    def _name(self, name: str) -> str:
        """The name in the graph, in the form that is taken as it is."""
        outer, self._graph._scope = self._graph._scope, ""
        try:
            return f"{self._graph.unique_name(self._scope + name)}/"
        finally:
            self._graph._scope = outer

    def _attributes(self, op: Op, node: Any, inputs: Sequence[Tensor]) -> dict[str, Any]:
        """The attributes that the op's kernel takes, and the sizes and dtypes of its lists."""
        names = ATTRIBUTE_NAMES.get(op.name, {})
        attrs = dict(op.defaults)
        for key, kind in op.kinds.items():
            name = names.get(key, key)
            if name in node.attr:
                attrs[key] = self._value(node.attr[name], kind, inputs, op)
                if name == "shared_name" and attrs[key]:
                    attrs[key] += self._functions.suffix
            elif key in op.required:
                raise ValueError(f"it lacks the attribute {name!r}")
        for arg in (*op.inputs, *op.outputs):
            size = arg.type if arg.mixed else arg.number or ""
            if arg.is_list and size not in attrs:
                if size not in node.attr:
                    raise ValueError(f"it lacks the attribute {size!r}")
                attrs[size] = self._value(node.attr[size], "tuple" if arg.mixed else "int", (), op)
        count = sum(list_size(arg, attrs) if arg.is_list else 1 for arg in op.inputs)
        if count != len(inputs):
            raise ValueError(f"it takes {count} inputs, got {len(inputs)}")
        _check_dtypes(op, node, attrs, inputs)
        return attrs

    def _value(self, proto: Any, kind: str, inputs: Sequence[Tensor], op: Op) -> Any:
        """The value of an attribute."""
        field = proto.WhichOneof("value")
        if kind == OBJECT and field == "s" and self._functions.read_object is not None:
            return self._functions.read_object(proto.s)
        if field not in ("placeholder", _KINDS[kind.partition("[")[0]]):
            raise ValueError(f"an attribute must be of kind {kind}, got {str(proto)[:60]!r}")
        if field == "func":
            return self._graph_of(proto.func, inputs, op)
        if field == "list":
            return self._list(proto.list, inputs, op)
        if field == "placeholder":
            raise NotImplementedError(
                f"{self._functions.where}an attribute is left to the callers of the function "
                f"({proto.placeholder}), which is not supported."
            )
        return _READERS[field](getattr(proto, field))

    def _list(self, proto: Any, inputs: Sequence[Tensor], op: Op) -> tuple[Any, ...]:
        for descriptor, values in proto.ListFields():
            if descriptor.name == "func":
                return tuple(self._graph_of(value, inputs, op) for value in values)
            return tuple(_READERS[descriptor.name](value) for value in values)
        return ()

    def _graph_of(self, proto: Any, inputs: Sequence[Tensor], op: Op) -> FuncGraph:
        """The graph of a branch or of a part of a loop.

        A branch gets the inputs after the one that chooses it. The shapes in a loop may change, so
        that only what its handles point to is known from outside. Nothing is known of what the
        function of a dataset gets.
        """
        with context.building(self._graph):
            if op.lower is None:
                return self._functions.graph(proto.name)
            if "While" not in op.name:
                return self._functions.graph(proto.name, inputs[1:])
            return self._functions.graph(proto.name, [_only_handle(t) for t in inputs])

    def tensor(self, ref: str) -> Tensor:
        """The tensor that an input names: `node`, `node:1` or, in functions, `node:output:1`."""
        key = full_name(ref)
        for name in (ref, key):
            if name in self._given:
                self._unused.discard(name)
                return self._given[name]
        node, *place = ref.split(":")
        if node in self._given and place == ["0"]:  # as a graph, and not a function, names it
            return self._given[node]
        if node not in self._results:
            raise ValueError(f"{self._functions.where}unknown input node {node!r}")
        index = self._index(node, place)
        results = self._results[node]
        if not 0 <= index < len(results):
            raise ValueError(f"{node!r} has {len(results)} outputs, and none of number {index}")
        return results[index]  # type: ignore[no-any-return]

    def _index(self, node: str, place: Sequence[str]) -> int:
        """The number of an output among all of its node."""
        if len(place) < 2:
            return int(place[0]) if place else 0
        op, attrs = self._declared[node]
        first = 0
        for arg in op.outputs if op is not None else ():
            if arg.name == place[0]:
                break
            first += list_size(arg, attrs) if arg.is_list else 1
        return first + int(place[1])

    def check_used(self) -> None:
        """Complain of tensors that were given for none of the message's."""
        missing = [key for key in self._unused if not self._is_there(key)]
        if missing:
            raise ValueError(
                f"Attempted to map inputs that were not found in graph_def: {sorted(missing)}"
            )

    def _is_there(self, key: str) -> bool:
        """Whether the message has a tensor of this name."""
        node, _, index = key.removeprefix("^").partition(":")
        outputs = self._results.get(node)
        return outputs is not None and (not index.isdigit() or int(index) < len(outputs))

    def element(self, name: str) -> Any:
        """The tensor `name:index`, or the operation `name`."""
        node, colon, index = name.partition(":")
        if node not in self._results:
            raise ValueError(f"Requested return element {name!r} not found in graph_def.")
        if not colon:
            return self._operations[node]
        results = self._results[node]
        if not index.isdigit() or int(index) >= len(results):
            raise ValueError(f"{node!r} has {len(results)} outputs, there is no {name!r}.")
        return results[int(index)]


def _results(operation: Operation) -> list[Any]:
    """The outputs, of which a loop's handles are what entered it: no iteration changes them."""
    outputs = list(operation.outputs)
    if operation.type not in ("While", "StatelessWhile"):
        return outputs
    pairs = zip(operation.inputs, outputs, strict=True)
    return [given if made.dtype is resource else made for given, made in pairs]


class _Handle:
    """What is known of a resource that enters a loop."""

    def __init__(self, tensor: Any) -> None:
        self.shape = TensorShape(None)
        self._handle_data = getattr(tensor, "_handle_data", None) or getattr(tensor, "_value", None)


def _only_handle(tensor: Tensor) -> Any:
    return _Handle(tensor if tensor.dtype is resource else None)


# The field of an `AttrValue` for each kind of attribute in an op's declaration.
OBJECT = "Node"  # of attributes that are datasets, which only our own ops have
_KINDS = {
    "bool": "b",
    "int": "i",
    "float": "f",
    "str": "s",
    "DType": "type",
    "TensorShape": "shape",
    "tuple": "list",
    "FuncGraph": "func",
    "Any": "tensor",
}
_READERS: dict[str, Callable[[Any], Any]] = {
    "s": lambda value: value.decode("utf-8", "surrogateescape"),
    "i": int,
    "f": float,
    "b": bool,
    "type": as_dtype,
    "shape": TensorShape.experimental_from_proto,
    "tensor": array_of,
}


def _merge_shapes(operation: Operation, node: Any) -> None:
    """What the message knows of the outputs' shapes, unless it contradicts what is known here."""
    if _SHAPES not in node.attr:
        return
    for tensor, proto in zip(operation.outputs, node.attr[_SHAPES].list.shape, strict=False):
        shape = TensorShape.experimental_from_proto(proto)
        if tensor.shape.is_compatible_with(shape):
            tensor.set_shape(shape)
