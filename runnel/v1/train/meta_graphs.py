"""`export_meta_graph` and `import_meta_graph`: graphs with their collections, as files."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import runnel as tf
from runnel.core.files import files
from runnel.core.protos import messages
from runnel.core.settings.logging import warning
from runnel.graph.functions.graph_variable import GraphVariable
from runnel.graph.functions.reference_variable import ReferenceVariable
from runnel.graph.graphdef.references import handle_name
from runnel.graph.session.default import get_default_graph
from runnel.v1.variables.collections import GraphKeys

_VERSION = "2.21.0"
# Parts of loops and branches, which are whole here, and what has no form outside of TensorFlow.
_LEFT_OUT = frozenset({GraphKeys.COND_CONTEXT, GraphKeys.WHILE_CONTEXT, GraphKeys.SAVERS})


def export_meta_graph(
    filename: str | None = None,
    meta_info_def: Any = None,
    graph_def: Any = None,
    saver_def: Any = None,
    collection_list: Sequence[str] | None = None,
    as_text: bool = False,
    graph: Any = None,
    export_scope: str | None = None,
    clear_devices: bool = False,
    clear_extraneous_savers: bool = False,
    strip_default_attrs: bool = False,
    save_debug_info: bool = False,
    **kwargs: Any,
) -> Any:
    """A graph and its collections as a `MetaGraphDef`, written to a file if one is named.

    >>> with tf.Graph().as_default():
    ...     v = tf.compat.v1.get_variable("v", [2])
    ...     meta = tf.compat.v1.train.export_meta_graph()
    >>> [node.name for node in meta.graph_def.node][-1], sorted(meta.collection_def)
    ('v/Read/ReadVariableOp', ['trainable_variables', 'variables'])
    """
    for title, value in {
        "export_scope": export_scope,
        "clear_extraneous_savers": clear_extraneous_savers,
        "strip_default_attrs": strip_default_attrs,
        "save_debug_info": save_debug_info,
        **kwargs,
    }.items():
        if value:
            raise NotImplementedError(f"export_meta_graph: `{title}` is not supported.")
    graph = graph or get_default_graph()
    meta = messages.MetaGraphDef()
    if meta_info_def is not None:
        meta.meta_info_def.CopyFrom(meta_info_def)
    meta.meta_info_def.tensorflow_version = _VERSION
    meta.graph_def.CopyFrom(graph_def or graph.as_graph_def(add_shapes=True))
    if clear_devices:
        for node in meta.graph_def.node:
            node.device = ""
    if saver_def is not None:
        meta.saver_def.CopyFrom(saver_def)
    keys = graph.get_all_collection_keys() if collection_list is None else collection_list
    for key in keys:
        _write_collection(meta.collection_def, key, graph.get_collection(key))
    if filename is not None:
        _write(filename, meta, as_text)
    return meta


def _write(filename: str, meta: Any, as_text: bool) -> None:
    from google.protobuf import text_format

    text = text_format.MessageToString(meta).encode() if as_text else meta.SerializeToString()
    files.write_whole(filename, text)


def _write_collection(target: Any, key: str, values: list[Any]) -> None:
    """Write what a collection holds, if it can be written."""
    if key in _LEFT_OUT or not values:
        return
    made = messages.CollectionDef()
    if all(isinstance(v, GraphVariable) for v in values):
        made.bytes_list.value.extend(variable_def(v).SerializeToString() for v in values)
    elif all(isinstance(v, (tf.Tensor, tf.Operation)) for v in values):
        made.node_list.value.extend(v.name for v in values)
    elif all(isinstance(v, int) for v in values):
        made.int64_list.value.extend(values)
    elif all(isinstance(v, float) for v in values):
        made.float_list.value.extend(values)
    elif all(isinstance(v, (str, bytes)) for v in values):
        texts = [v.encode() if isinstance(v, str) else v for v in values]
        made.bytes_list.value.extend(texts)
    else:
        warning(f"The collection {key!r} is left out of the meta graph: it holds {values[0]!r}.")
        return
    target[key].CopyFrom(made)


def variable_def(variable: GraphVariable) -> Any:
    """The message for a variable of a graph."""
    return messages.VariableDef(
        variable_name=variable.name,
        initial_value_name=variable.initial_value.name,
        initializer_name=variable.initializer.name,
        snapshot_name=variable.snapshot.name,
        is_resource=not isinstance(variable, ReferenceVariable),
        trainable=variable.trainable,
        synchronization=variable.synchronization.value,
        aggregation=variable.aggregation.value,
    )


def variable_of(graph: Any, proto: Any, scope: str | None, trainable: bool) -> GraphVariable:
    """The variable that a message says a graph has."""

    def tensor(name: str) -> Any:
        return graph.as_graph_element(_inside(name, scope))

    name = _inside(proto.variable_name, scope).removesuffix(":0")
    handle = tensor(proto.variable_name)
    if not proto.is_resource:
        handle = graph.get_tensor_by_name(f"{handle_name(name)}:0")
    initializer = graph.as_graph_element(_inside(proto.initializer_name, scope))
    first = tensor(proto.initial_value_name) if proto.initial_value_name else _assigned(initializer)
    read = tensor(proto.snapshot_name) if proto.snapshot_name else tensor(proto.variable_name)
    held = handle._handle_data
    made = GraphVariable.__new__(GraphVariable)
    vars(made).update(
        _trainable=trainable,
        _synchronization=tf.VariableSynchronization(proto.synchronization),
        _aggregation=tf.VariableAggregation(proto.aggregation),
        _constraint=None,
        _handle=handle,
        _static_shape=held.static_shape,
        _dtype=held.dtype,
        _name=name,
        _first=first,
        _read=read,
        _initializer=initializer,
    )
    return made


def _assigned(operation: Any) -> Any:
    """What an operation assigns; that of a reference reads it behind the step."""
    if len(operation.inputs) < 2:
        operation = operation.control_inputs[0]
    return operation.inputs[1]


def _inside(name: str, scope: str | None) -> str:
    """A name below the scope that a graph was imported into."""
    if not scope:
        return name
    return re.sub(r"^(\^?)(loc:@)?", rf"\1\2{scope}/", name, count=1)


def scoped_def(saver_def: Any, scope: str | None) -> Any:
    """The message of a saver for operations below a scope."""
    made = messages.SaverDef.FromString(saver_def.SerializeToString())
    for field in ("filename_tensor_name", "save_tensor_name", "restore_op_name"):
        setattr(made, field, _inside(getattr(saver_def, field), scope))
    return made


def read_meta_graph(meta_graph_or_file: Any) -> Any:
    """The message, or the one that a file holds, as bytes or as text."""
    from google.protobuf import text_format
    from google.protobuf.message import DecodeError

    if not isinstance(meta_graph_or_file, str) and hasattr(meta_graph_or_file, "graph_def"):
        return messages.MetaGraphDef.FromString(meta_graph_or_file.SerializeToString())
    path = files.as_path(meta_graph_or_file)
    if not files.exists(path):
        raise OSError(f"File {path} does not exist.")
    data = files.read_whole(path)
    try:
        return messages.MetaGraphDef.FromString(data)
    except DecodeError:
        pass
    try:
        return text_format.Parse(data.decode("utf-8"), messages.MetaGraphDef())
    except (text_format.ParseError, UnicodeDecodeError) as error:
        raise OSError(f"Cannot parse file {path} as a meta graph: {error}") from None


def import_collections(meta: Any, clear_devices: bool, scope: str | None) -> list[GraphVariable]:
    """Add a meta graph to the default graph, with its collections; its variables."""
    graph = get_default_graph()
    if clear_devices:
        for node in meta.graph_def.node:
            node.device = ""
    graph_def = messages.GraphDef()
    graph_def.CopyFrom(meta.graph_def)
    tf.import_graph_def(graph_def, name=scope or "")
    variables: dict[bytes, GraphVariable] = {}
    trainable = set(meta.collection_def[GraphKeys.TRAINABLE_VARIABLES].bytes_list.value)
    for key, held in sorted(meta.collection_def.items()):
        kind = held.WhichOneof("kind")
        if kind is None or key in _LEFT_OUT:
            continue
        for value in getattr(held, kind).value:
            found = _element(graph, key, kind, value, scope, variables, trainable)
            if found is not None:
                graph.add_to_collection(key, found)
    return list(variables.values())


_VARIABLES = frozenset(
    {
        GraphKeys.GLOBAL_VARIABLES,
        GraphKeys.LOCAL_VARIABLES,
        GraphKeys.METRIC_VARIABLES,
        GraphKeys.MODEL_VARIABLES,
        GraphKeys.TRAINABLE_VARIABLES,
        GraphKeys.MOVING_AVERAGE_VARIABLES,
        GraphKeys.CONCATENATED_VARIABLES,
        GraphKeys.TRAINABLE_RESOURCE_VARIABLES,
        GraphKeys.GLOBAL_STEP,
    }
)


def _element(
    graph: Any,
    key: str,
    kind: str,
    value: Any,
    scope: str | None,
    variables: dict[bytes, GraphVariable],
    trainable: set[bytes],
) -> Any:
    """One thing of a collection."""
    if kind == "bytes_list" and key in _VARIABLES:
        if value not in variables:
            proto = messages.VariableDef.FromString(value)
            variables[value] = variable_of(graph, proto, scope, value in trainable)
        return variables[value]
    if kind == "node_list":
        return graph.as_graph_element(_inside(value, scope))
    if kind == "any_list" or key == GraphKeys.QUEUE_RUNNERS:
        warning(f"The collection {key!r} of the meta graph is left out.")
        return None
    return value


@contextmanager
def if_writable(what: str) -> Iterator[None]:
    """A graph that cannot be written, for it has datasets, is left out; the log tells."""
    try:
        yield
    except NotImplementedError as error:
        warning(f"{what} is not written. {error}")


def write_graph_text(graph: Any, folder: Any) -> None:
    """Write a graph to a folder, to be looked at."""
    with if_writable("graph.pbtxt"):
        tf.io.write_graph(graph.as_graph_def(add_shapes=True), folder, "graph.pbtxt")
