"""Ops on summary writers: what makes one, and what writes events with it."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.op.op import op
from runnel.core.protos import messages
from runnel.core.values.array_protos import array_proto
from runnel.core.values.dtypes import FROM_NUMPY, REAL
from runnel.core.values.errors import DataLossError, bad_shape
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import Array, Namespace
from runnel.ops.resources.lookup_tables import shared
from runnel.ops.shapes import nothing, scalar
from runnel.summary.event_file import EventFile


@op("SummaryWriter", "-> writer: resource", shape=scalar, effects="writes files")
def _summary_writer(xp: Namespace, *, shared_name: str = "", container: str = "") -> EventFile:
    made: EventFile = shared(container, shared_name, EventFile)
    return made


_WRITTEN: Any = {"effects": "writes files", "shape": nothing}


@op(
    "CreateSummaryFileWriter",
    "writer: resource, logdir: string, max_queue: int32, flush_millis: int32, "
    "filename_suffix: string ->",
    **_WRITTEN,
)
def _create_summary_file_writer(
    xp: Namespace,
    writer: EventFile,
    logdir: Array,
    max_queue: Array,
    flush_millis: Array,
    filename_suffix: Array,
) -> None:
    name = "CreateSummaryFileWriter"
    writer.open(
        _text(name, "logdir", logdir),
        int(_one(name, "max_queue", max_queue)),
        int(_one(name, "flush_millis", flush_millis)),
        _text(name, "filename_suffix", filename_suffix),
    )


@op("FlushSummaryWriter", "writer: resource ->", shape=nothing, effects="writes files")
def _flush_summary_writer(xp: Namespace, writer: EventFile) -> None:
    writer.flush()


@op("CloseSummaryWriter", "writer: resource ->", shape=nothing, effects="writes files")
def _close_summary_writer(xp: Namespace, writer: EventFile) -> None:
    writer.close()


@op(
    "WriteSummary",
    "writer: resource, step: int64, tensor: T, tag: string, summary_metadata: string ->",
    **_WRITTEN,
)
def _write_summary(
    xp: Namespace,
    writer: EventFile,
    step: Array,
    tensor: Array,
    tag: Array,
    summary_metadata: Array,
) -> None:
    summary = messages.Summary()
    value = summary.value.add(tag=_text("WriteSummary", "tag", tag))
    metadata = _one("WriteSummary", "summary_metadata", summary_metadata)
    if metadata:
        _parse("WriteSummary", value.metadata, metadata)
    value.tensor.CopyFrom(_tensor_proto(np.asarray(tensor)))
    writer.add(int(_one("WriteSummary", "step", step)), summary=summary)


def _tensor_proto(array: Array) -> Any:
    """A tensor as it is in events: all but strings as bytes, also a single number."""
    dtype = FROM_NUMPY[array.dtype]
    if array.dtype == object:
        return array_proto(array, dtype)
    dims = TensorShape(array.shape).as_proto()
    content = array.tobytes()
    return messages.TensorProto(dtype=dtype.enum, tensor_shape=dims, tensor_content=content)


@op("WriteRawProtoSummary", "writer: resource, step: int64, tensor: string ->", **_WRITTEN)
def _write_raw_proto_summary(xp: Namespace, writer: EventFile, step: Array, tensor: Array) -> None:
    at = int(_one("WriteRawProtoSummary", "step", step))
    for data in np.asarray(tensor, object).reshape(-1):
        summary = messages.Summary()
        _parse("WriteRawProtoSummary", summary, data)
        writer.add(at, summary=summary)


@op("WriteGraphSummary", "writer: resource, step: int64, tensor: string ->", **_WRITTEN)
def _write_graph_summary(xp: Namespace, writer: EventFile, step: Array, tensor: Array) -> None:
    name = "WriteGraphSummary"
    data = bytes(_one(name, "tensor", tensor))
    _parse(name, messages.GraphDef(), data)
    writer.add(int(_one(name, "step", step)), graph_def=data)


@op(
    "WriteScalarSummary",
    "writer: resource, step: int64, tag: string, value: T ->",
    T=REAL,
    **_WRITTEN,
)
def _write_scalar_summary(
    xp: Namespace, writer: EventFile, step: Array, tag: Array, value: Array
) -> None:
    name = "WriteScalarSummary"
    summary = messages.Summary()
    number = float(_one(name, "value", value))
    summary.value.add(tag=_text(name, "tag", tag), simple_value=number)
    writer.add(int(_one(name, "step", step)), summary=summary)


def _one(op_name: str, name: str, value: Array) -> Any:
    """The element of a scalar."""
    if np.ndim(value):
        raise bad_shape(op_name, want="be a scalar", **{name: value})
    return np.asarray(value).item()


def _text(op_name: str, name: str, value: Array) -> str:
    return bytes(_one(op_name, name, value)).decode("utf-8", "replace")


def _parse(op_name: str, message: Any, data: Any) -> None:
    from google.protobuf.message import DecodeError

    try:
        message.ParseFromString(bytes(data))
    except DecodeError as error:
        kind = type(message).__name__
        text = f"{op_name}: the bytes are no {kind} message: {error}"
        raise DataLossError(None, None, text) from error
