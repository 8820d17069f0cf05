"""`tf.summary.write`, through which every kind of summary goes, and `tf.summary.graph`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.protos import messages
from runnel.core.settings.scopes import control_dependencies, get_current_name_scope, name_scope
from runnel.core.tensor.convert import constant, convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import int64
from runnel.core.values.types import TensorLike
from runnel.graph.build.graph import Graph
from runnel.graph.functions.control_flow import cond
from runnel.summary.recording import is_known, recording, should_record_summaries

_NOT_IN_SCOPES = re.compile(r"[^-_/.A-Za-z0-9]")


@contextmanager
def summary_scope(
    name: str | None, default_name: str = "summary", values: Any = None
) -> Iterator[tuple[str, str]]:
    """A name scope for the ops of a summary, and the tag that it has.

    The tag is the name with the scopes around it, whatever characters it has.

    >>> with tf.name_scope("net"), tf.summary.experimental.summary_scope("my loss") as (tag, scope):
    ...     tag, scope
    ('net/my loss', 'net/myloss/')
    """
    del values  # of a graph that is chosen by its tensors, which TensorFlow 2 has no more
    name = name or default_name
    outer = get_current_name_scope()
    tag = f"{outer}/{name}" if outer else name
    with name_scope(_NOT_IN_SCOPES.sub("", name) or default_name) as scope:
        yield tag, scope


def write(
    tag: TensorLike, tensor: Any, step: Any = None, metadata: Any = None, name: str | None = None
) -> Tensor:
    """Write a tensor, or what a function of no arguments returns, as a summary named `tag`.

    `metadata` is a `SummaryMetadata` message, or its bytes, and says which plugin of TensorBoard
    shows it. The result says whether something was written.

    >>> tf.summary.write("a", [1, 2], step=0).numpy()  # there is no default writer
    np.False_
    """
    if recording.writer is None:
        return constant(False)
    if step is None:
        step = recording.step
    if metadata is None:
        metadata = b""
    elif hasattr(metadata, "SerializeToString"):
        metadata = metadata.SerializeToString()

    def record() -> Any:
        at = _known_step(step)
        value = tensor() if callable(tensor) else raw_ops.Identity(tensor)
        return raw_ops.WriteSummary(recording.writer._resource, at, value, tag, metadata)

    with name_scope(name or "write_summary"):
        return _where_recorded(record)


def write_raw_pb(tensor: TensorLike, step: Any = None, name: str | None = None) -> Tensor:
    """Write serialized `Summary` messages, as other programs made them.

    >>> tf.summary.experimental.write_raw_pb(b"", step=0).numpy()  # there is no default writer
    np.False_
    """
    if recording.writer is None:
        return constant(False)
    at = _known_step(recording.step if step is None else step)

    def record() -> Any:
        return raw_ops.WriteRawProtoSummary(recording.writer._resource, at, tensor)

    with name_scope(name or "write_raw_pb"):
        return _where_recorded(record)


def graph(graph_data: Any) -> Tensor:
    """Write a graph, or a `GraphDef`, for TensorBoard's page of graphs.

    >>> @tf.function
    ... def f(x):
    ...     return x + 1
    >>> tf.summary.graph(f.get_concrete_function(1.0).graph).numpy()  # there is no default writer
    np.False_
    """
    if state.graph is not None:
        raise ValueError("tf.summary.graph: cannot be called while a graph is built.")
    if recording.writer is None or not is_known(should_record_summaries()):
        return constant(False)
    if isinstance(graph_data, Graph):
        graph_data = graph_data.as_graph_def(add_shapes=True)
    if not isinstance(graph_data, messages.GraphDef):
        got = f"{graph_data!r} of type {type(graph_data).__name__}"
        raise ValueError(f"tf.summary.graph: graph_data must be a Graph or a GraphDef, got {got}.")
    data = graph_data.SerializeToString()
    raw_ops.WriteGraphSummary(recording.writer._resource, 0, data)
    return constant(True)


def _known_step(step: Any) -> Tensor:
    if step is None:
        raise ValueError(
            "No step set: pass step=, or call tf.summary.experimental.set_step() before."
        )
    return convert_to_tensor(step, int64)


def _where_recorded(record: Callable[[], Any]) -> Tensor:
    """Call `record` where `record_if` allows it, now or when the graph runs."""

    def recorded() -> Tensor:
        with control_dependencies([record()]):
            return constant(True)

    condition = should_record_summaries()
    known = is_known(condition)
    if known is None:
        return cond(condition, recorded, lambda: constant(False))  # type: ignore[no-any-return]
    return recorded() if known else constant(False)
