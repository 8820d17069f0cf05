"""Graphs as TensorFlow's messages: `Graph.as_graph_def`, `ConcreteFunction.function_def`.

The graphs inside operations (branches, bodies of loops) become functions of a library. What runs in
program order here is held in order by control inputs there.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from runnel.core.op.attributes import ATTRIBUTE_NAMES
from runnel.core.op.list_arguments import list_size
from runnel.core.op.raw import raw_ops
from runnel.core.protos import messages
from runnel.core.settings.build import GRAPH_DEF_VERSION
from runnel.core.values.array_protos import array_proto
from runnel.core.values.dtypes import FROM_NUMPY, DType, resource
from runnel.core.values.shape import TensorShape
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.graph import Graph
from runnel.graph.build.operation import Operation
from runnel.graph.build.order import Order
from runnel.graph.build.reference_ops import GraphOp
from runnel.graph.build.tensor import SymbolicTensor
from runnel.graph.control.accumulators import Plain, plain_form
from runnel.graph.run.effects import graphs_in, has_effect
from runnel.graph.run.nested import written_inputs
from runnel.graph.run.program import needed
from .as_loop import mapped_form
from .own_gradients import SavedGradient, called_apart, gradient_kind, own_gradients
from .pieces import Pieces, pieces_are_wanted

_OWN = frozenset({"recorded", "saved", "structure"})  # attributes that TensorFlow does not know
_OWN_OF_LOOPS = frozenset({"Tout", "chunks", "limit", "room", "stacks"})
_FIRST_WITH_FUNCTIONS = 12  # the version of GraphDefs
_FUNCTIONAL = frozenset({"If", "StatelessIf", "Case", "StatelessCase", "While", "StatelessWhile"})


_FORMS: list[Callable[[FuncGraph], FuncGraph]] = []


def written_as(form: Callable[[FuncGraph], FuncGraph]) -> Callable[[FuncGraph], FuncGraph]:
    """Register what makes of a function's graph one with TensorFlow's ops, before it is written."""
    _FORMS.append(form)
    return form


def _portable(graph: FuncGraph) -> FuncGraph:
    for form in _FORMS:
        graph = form(graph)
    return graph


def graph_def(graph: Graph, from_version: int | None = None, add_shapes: bool = False) -> Any:
    """A graph as a `GraphDef`, with the functions that its operations refer to."""
    graph = _portable(graph) if isinstance(graph, FuncGraph) else graph
    proto = messages.GraphDef()
    proto.versions.producer = GRAPH_DEF_VERSION
    library = Library()
    operations = graph.get_operations()
    used = _used(operations, ())
    titles = _titles(graph) if isinstance(graph, FuncGraph) else {}
    last = getattr(graph, "last", None)
    awaited = {op for o in operations for op in o.after if o is not last}
    parts = _pieces(graph, proto, library)
    for operation in operations[from_version or 0 :]:
        plain = _plain_form(operation, used)
        for earlier in plain.before:
            made = proto.node.add()
            _write_node(made, earlier, _plain_form(earlier, set()), library)
            made.input.extend(_graph_ref(t) for t in earlier.inputs)
        if parts is not None and parts.take(operation, plain):
            continue
        node = proto.node.add()
        _write_node(node, operation, plain, library)
        ref = _graph_ref if parts is None else parts.ref
        node.input.extend(ref(t) for t in (*operation.inputs, *plain.inputs))
        names = [op.name if parts is None else parts.name(op) for op in operation.control_inputs]
        node.input.extend(f"^{name}" for name in names)
        if operation in titles:
            node.attr["_user_specified_name"].s = titles[operation].encode()
        if operation in awaited:
            node.attr["_has_manual_control_dependencies"].b = True
        if add_shapes and operation.outputs:
            _write_shapes(node.attr["_output_shapes"], _outputs(operation, used))
    for name, function in graph.functions.items():
        library.name_of(function, name)
    if library.functions:
        proto.library.function.extend(library.functions)
        proto.versions.min_consumer = _FIRST_WITH_FUNCTIONS
    return proto


def _pieces(graph: Graph, proto: Any, library: Library) -> Pieces | None:
    """What writes the loops and branches of a graph of TensorFlow 1; None if they are whole."""
    if isinstance(graph, FuncGraph) or not pieces_are_wanted():
        return None

    def write(node: Any, operation: Operation, plain: Plain) -> None:
        _write_node(node, operation, plain, library)

    return Pieces(graph, proto.node, write, _plain_form, _portable, _graph_ref)


def _titles(graph: FuncGraph) -> dict[Operation, str]:
    """What users call a function's inputs, by the placeholders."""
    arguments = {t.op: graph.titles.get(t._id, t.op.name) for t in graph.arguments}
    captures = {t.op: t.op.name.rpartition("/")[2] for t in graph.internal_captures}
    return {**arguments, **captures}


class Library:
    """The functions that a graph's operations refer to.

    TensorFlow knows functions by name in a whole process, and refuses two of one name that differ.
    So a name that nobody gave ends with a number made of the content. Of two branches that are the
    same, each has a name nevertheless: its gradients change a branch there. `gradients` collects
    those that programs gave to operations, if that is asked for.
    `write_object` gives the bytes for an attribute that is an object of ours; with it, the graphs
    are for ourselves, and may hold ops that TensorFlow does not have.
    """

    def __init__(
        self, *, with_gradients: bool = False, write_object: Callable[[Any], bytes] | None = None
    ) -> None:
        self.with_gradients = with_gradients
        self.write_object = write_object
        self.gradients: list[SavedGradient] = []
        self._functions: dict[str, Any] = {}
        self._names: dict[FuncGraph, str] = {}
        self._apart: set[FuncGraph] = set()
        self._taken: set[str] = set()  # names that nobody gave

    @property
    def names(self) -> Mapping[FuncGraph, str]:
        """The names of the functions by their graphs."""
        return self._names

    @property
    def functions(self) -> list[Any]:
        """The `FunctionDef`s, each after those it calls."""
        return list(self._functions.values())

    def name_of(self, graph: FuncGraph, name: str | None = None) -> str:
        """The name of a graph's function, which is written when first asked for."""
        if graph not in self._names:
            writer = _Function(graph, self, is_part=name is None and graph not in self._apart)
            proto = writer.write(name or graph.name)
            if name is None:
                own = f"{proto.signature.name}_{_number(proto)}"
                proto.signature.name = unique(own, self._taken)
            self.gradients += writer.saved_gradients(proto.signature.name)
            self._names[graph] = proto.signature.name
            self._functions[proto.signature.name] = proto
        return self._names[graph]

    def set_apart(self, plain: Plain) -> Plain:
        """Note that the function of a call was made to hold a gradient."""
        self._apart.add(plain.attrs["f"])
        return plain


def function_def(graph: FuncGraph, name: str, library: Library) -> Any:
    """A function's graph as a `FunctionDef`: what its outputs and side effects need."""
    return _Function(graph, library).write(name)


def _number(proto: Any) -> int:
    """A number made of a message's content."""
    digest = hashlib.sha256(proto.SerializeToString(deterministic=True)).hexdigest()
    return int(digest[:8], 16)


class _Function:
    """Writes one function. Tensors of the body are `node:output:index`, arguments bare names.

    It may be a part of an operation: a branch, or the body of a loop.
    """

    def __init__(self, graph: FuncGraph, library: Library, *, is_part: bool = False) -> None:
        self.graph = graph = graph if library.write_object is not None else _portable(graph)
        self.library = library
        self.inputs = graph.inputs
        self.operations = needed(graph, self.inputs, graph.outputs)
        own = own_gradients(graph, self.operations) if library.with_gradients else {}
        self.apart = {
            operation: library.set_apart(called_apart(graph, operation, gradient))
            for operation, gradient in own.items()
            if is_part and gradient.captured
        }
        self.gradients = {op: gradient for op, gradient in own.items() if op not in self.apart}
        read = [t for gradient in own.values() for t in gradient.captured]
        outputs = [*graph.outputs, *read]
        self.operations = needed(graph, self.inputs, outputs)
        self.used = _used(self.operations, outputs)
        self.nodes = frozenset(op.name for op in self.operations)
        self.names = set(self.nodes)
        self.args = {t._id: unique(argument_name(t), self.names) for t in self.inputs}

    def write(self, name: str) -> Any:
        proto = messages.FunctionDef()
        proto.signature.name = name
        self._write_arguments(proto)
        proto.signature.is_stateful = any(op.op.stateful for op in self.operations)
        proto.attr["_construction_context"].s = b"kEagerRuntime"
        for key, value in self.graph.attributes.items():
            written = _implemented(value) if key == "_implements" else value
            write_value(proto.attr[key], type(value).__name__, written)
        order = Order(self.operations)
        for operation in self.operations:
            plain = self.apart.get(operation) or _plain_form(operation, self.used)
            for earlier in plain.before:
                made = proto.node_def.add()
                _write_node(made, earlier, _plain_form(earlier, set()), self.library)
                made.input.extend(self.ref(t) for t in earlier.inputs)
            node = proto.node_def.add()
            _write_node(node, operation, plain, self.library)
            node.input.extend(self.ref(t) for t in (*operation.inputs, *plain.inputs))
            waits = dict.fromkeys([*operation.after, *order.before(operation)])
            node.input.extend(f"^{op.name}" for op in waits if op.name in self.nodes)
            if has_effect(operation):
                proto.signature.control_output.append(operation.name)
                proto.control_ret[operation.name] = operation.name
        for tensor in self.graph.outputs:
            arg = proto.signature.output_arg.add(type=tensor.dtype.enum)
            arg.name = unique(argument_name(tensor), self.names)
            proto.ret[arg.name] = self.ref(tensor)
        return proto

    def saved_gradients(self, name: str) -> list[SavedGradient]:
        """The gradients that the program gave to operations of this function."""
        return [
            SavedGradient(
                gradient_kind(operation),
                graph,
                places,
                name,
                [self._graph_name(t) for t in graph.external_captures],
            )
            for operation, (graph, places) in self.gradients.items()
        ]

    def _graph_name(self, tensor: Any) -> Any:
        """How the tensor is named in a graph made of the function; one from outside as it is."""
        if not isinstance(tensor, SymbolicTensor):
            return tensor
        if tensor._id in self.args:
            return f"{self.args[tensor._id]}:0"
        return f"{tensor.op.name}:{tensor.value_index}"

    def _write_arguments(self, proto: Any) -> None:
        for place, tensor in enumerate(self.inputs):
            arg = proto.signature.input_arg.add(name=self.args[tensor._id])
            arg.type = tensor.dtype.enum
            attrs = proto.arg_attr[place].attr
            title = self.graph.titles.get(tensor._id, tensor.op.name)
            attrs["_user_specified_name"].s = title.encode()
            held = tensor._handle_data
            if tensor._dtype is not resource:
                _write_shapes(attrs["_output_shapes"], [tensor])
            elif hasattr(held, "static_shape"):
                shape = held.static_shape.as_proto()
                arg.handle_data.add(dtype=held.dtype.enum, shape=shape)

    def ref(self, tensor: Any) -> str:
        """How the tensor is named inside the function."""
        if tensor._id in self.args:
            return self.args[tensor._id]
        operation, place = tensor.op, tensor.value_index
        for arg in operation.op.outputs:
            size = list_size(arg, operation.attrs) if arg.is_list else 1
            if place < size:
                return f"{operation.name}:{arg.name}:{place}"
            place -= size
        raise AssertionError(f"{tensor!r} is not an output of its operation")


def _implemented(text: str) -> Any:
    """What a function stands for: a name, or the text of a message with a name and attributes."""
    from google.protobuf import text_format

    try:
        return text_format.Parse(text, messages.NameAttrList())
    except text_format.ParseError:
        return text


def _graph_ref(tensor: Any) -> str:
    """How the tensor is named in a `GraphDef`."""
    place = tensor.value_index
    return f"{tensor.op.name}:{place}" if place else str(tensor.op.name)


def _used(operations: Sequence[Operation], outputs: Iterable[Any]) -> set[int]:
    """The ids of the tensors that somebody reads."""
    return {t._id for op in operations for t in op.inputs} | {t._id for t in outputs}


def _outputs(operation: Operation, used: set[int]) -> Sequence[SymbolicTensor]:
    """An operation's outputs, without those its gradient added if they are not used here."""
    if operation.type not in _FUNCTIONAL:
        return operation.outputs
    if "While" in operation.type:
        count = len(operation.inputs)
    else:
        branch = operation.attrs["branches"][0] if "Case" in operation.type else None
        count = len((branch or operation.attrs["then_branch"]).outputs)
    if any(t._id in used for t in operation.outputs[count:]):
        return operation.outputs
    return operation.outputs[:count]


def _plain_form(operation: Operation, used: set[int]) -> Plain:
    """How the operation stands in a message; one that keeps values for its gradient changes."""
    if operation.type == "VectorizedMap":
        return mapped_form(operation)
    if operation.type not in _FUNCTIONAL:
        return Plain(operation.op.type_attrs(operation.inputs, operation.attrs))
    outputs = _outputs(operation, used)
    counts = operation.attrs.get("stacks") is not None  # a loop may keep its length alone
    if (counts or operation.attrs.get("saved")) and outputs is operation.outputs:
        return plain_form(operation)
    attrs = operation.op.type_attrs(operation.inputs, operation.attrs)
    kinds = None if "While" in operation.type else tuple(t.dtype for t in outputs)
    return Plain({**attrs, "output_shapes": tuple(t.shape for t in outputs), "Tout": kinds})


def node_def(operation: Operation) -> Any:
    """One operation as a `NodeDef`."""
    node = messages.NodeDef()
    plain = _plain_form(operation, _used([operation], ()))
    _write_node(node, operation, plain, Library())
    node.input.extend(_graph_ref(t) for t in (*operation.inputs, *plain.inputs))
    node.input.extend(f"^{op.name}" for op in operation.control_inputs)
    return node


def _write_node(node: Any, operation: Operation, plain: Plain, library: Library) -> None:
    """Everything of a node but its inputs."""
    kind = plain.type or operation.type
    known = hasattr(raw_ops, kind) or isinstance(operation.op, GraphOp)
    if library.write_object is None and plain.type is None and not known:
        raise NotImplementedError(
            f"The operation {operation.name!r} is of type {operation.type}, which TensorFlow does "
            "not have: it is the gradient of an op without a gradient function. It was made at "
            f"{operation.where}. A graph with it cannot be written as a GraphDef."
        )
    node.name, node.op = operation.name, kind
    node.device = operation.device if isinstance(operation.device, str) else ""
    names = ATTRIBUTE_NAMES.get(operation.type, {})
    own = own_attributes(operation.type)
    for key, value in plain.attrs.items():
        if key not in own and value is not None:
            _write_attribute(node.attr[names.get(key, key)], operation, key, value, library)
    if operation.type in _FUNCTIONAL:
        _write_notes(node, operation)
    if operation.full_type is not None:
        node.experimental_type.MergeFromString(operation.full_type.SerializeToString())
    groups = operation.graph._groups.get(operation.name)
    if groups:
        node.attr["_class"].list.s.extend(groups)
    if (
        operation.backward is not None and plain.type is None
    ):  # which must not be mistaken for the op's own gradient
        node.attr["_gradient_op_type"].s = gradient_kind(operation).encode()


def own_attributes(op_name: str) -> frozenset[str]:
    """The attributes of an op that TensorFlow does not know."""
    return _OWN_OF_LOOPS if op_name in ("While", "StatelessWhile") else _OWN


def _write_notes(node: Any, operation: Operation) -> None:
    """What TensorFlow notes on an operation that has graphs inside."""
    node.attr["_lower_using_switch_merge"].b = True
    changed = {*written_inputs(operation), *_moved_inputs(operation)}
    handles = [i for i, t in enumerate(operation.inputs) if t._dtype is resource]
    node.attr["_read_only_resource_inputs"].list.i.extend(i for i in handles if i not in changed)
    node.attr["_read_only_resource_inputs"].list.SetInParent()
    if "While" in operation.type:  # to outputs after these, no gradient would come back
        node.attr["_num_original_outputs"].i = len(node.attr["T"].list.type)


def _moved_inputs(operation: Operation) -> set[int]:
    """The places of iterators and the like, on which the graphs of an operation have effects."""
    places: set[int] = set()
    for graph in graphs_in(operation):
        moved = {t._id for inner in graph.get_operations() for t in _moved(inner)}
        first = len(operation.inputs) - len(graph.inputs)
        places |= {first + i for i, t in enumerate(graph.inputs) if t._id in moved}
    return places


def _moved(operation: Operation) -> list[Any]:
    if operation.op.traits.effects:
        return [t for t in operation.inputs if t._dtype is resource]
    return [operation.inputs[i] for i in _moved_inputs(operation)]


def _write_attribute(
    proto: Any, operation: Operation, key: str, value: Any, library: Library
) -> None:
    if key == "value" and operation.type == "Const":
        proto.tensor.CopyFrom(array_proto(value, operation.attrs["dtype"]))
        return
    real = isinstance(value, tuple | list) and _holds_floats(operation, key, value)
    write_value(proto, operation.op.kinds.get(key, ""), value, library, real=real)


def write_value(
    proto: Any, kind: str, value: Any, library: Library | None = None, *, real: bool = False
) -> None:
    """Write a value of an attribute's kind into an `AttrValue`; `real` makes floats of a list."""
    library = library or Library()
    if isinstance(value, tuple | list):
        proto.list.SetInParent()
        for item in value:
            field, plain = _plain(float(item) if real else item, "", library)
            getattr(proto.list, field).append(plain)
        return
    field, plain = _plain(value, kind, library)
    if field in ("shape", "func", "tensor"):
        getattr(proto, field).CopyFrom(plain)
    else:
        setattr(proto, field, plain)


def _holds_floats(operation: Operation, key: str, value: Sequence[Any]) -> bool:
    """Whether a list is one of floats, which may have been given as integers."""
    default = operation.op.defaults.get(key) or ()
    return any(isinstance(v, float) for v in (*value, *default))


def _plain(value: Any, kind: str, library: Library) -> tuple[str, Any]:
    """The field of an `AttrValue` for a value, and what stands there."""
    if isinstance(value, DType):
        return "type", value.enum
    if isinstance(value, bool):
        return "b", value
    if isinstance(value, float) or kind == "float":
        return "f", float(value)
    if isinstance(value, int):
        return "i", value
    if isinstance(value, str | bytes):
        return "s", value.encode("utf-8", "surrogateescape") if isinstance(value, str) else value
    if isinstance(value, messages.NameAttrList):
        return "func", value
    if isinstance(value, FuncGraph):
        return "func", messages.NameAttrList(name=library.name_of(value))
    if isinstance(value, TensorShape):
        return "shape", value.as_proto()
    if isinstance(value, np.ndarray):
        return "tensor", array_proto(value, FROM_NUMPY[value.dtype])
    if library.write_object is not None:
        return "s", library.write_object(value)
    raise NotImplementedError(f"An attribute of {type(value)} cannot be written as a GraphDef.")


def _write_shapes(proto: Any, tensors: Iterable[Any]) -> None:
    proto.list.SetInParent()
    proto.list.shape.extend(t.shape.as_proto() for t in tensors)


def argument_name(tensor: Any) -> str:
    """A name as arguments of functions have it: small letters, digits and underscores."""
    name = re.sub(r"[^a-z0-9_]", "_", tensor.op.name.lower())
    return name if name[:1].isalpha() else f"arg_{name}"


def unique(name: str, taken: set[str]) -> str:
    """`name`, with a number if it is taken; taken from now on."""
    found, count = name, 0
    while found in taken:
        count += 1
        found = f"{name}_{count}"
    taken.add(found)
    return found


def write_graph(graph_or_graph_def: Any, logdir: Any, name: str, as_text: bool = True) -> str:
    """Write a graph to a file as a `GraphDef`, as text or as bytes; the file's path.

    >>> import tempfile
    >>> with tf.Graph().as_default() as graph:
    ...     x = tf.constant(1.0, name="x")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = tf.io.write_graph(graph, folder, "graph.pbtxt")
    ...     with open(path) as file:
    ...         'name: "x"' in file.read()
    True
    """
    proto = graph_or_graph_def
    if isinstance(proto, Graph):
        proto = graph_def(proto)
    folder = Path(logdir)
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    if as_text:
        from google.protobuf import text_format

        data = text_format.MessageToString(proto).encode()
    else:
        data = proto.SerializeToString()
    partial = path.with_name(f".{path.name}.partial")
    partial.write_bytes(data)
    partial.replace(path)
    return str(path)
