"""Datasets of what is in files, as TensorFlow's ops."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import convert_to_tensor, emit
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values.dtypes import string
from runnel.core.values.type_spec import TensorSpec
from runnel.data.files.csv import Csv
from runnel.data.files.readers import Files
from runnel.data.files.sql import Sql
from runnel.data.nodes.node import Node
from runnel.data.nodes.sources import FromSlices
from runnel.data.run.structure import Structure
from runnel.graph.control.subgraphs import trace
from .declaring import METADATA, TYPES, Writer, dataset_op, text, written

_BUFFER = 1 << 22  # bytes
_FILES = "filenames: string, compression_type: string, buffer_size: int64"


def _names(filenames: Any) -> Node:
    """The names of files as a dataset."""
    paths = EagerTensor(np.asarray(filenames, object).reshape(-1), string)
    return FromSlices(Structure(TensorSpec(paths.shape, string)), [paths])


@dataset_op("TFRecordDataset", _FILES, METADATA, stateful=True, effects="reads files")
def _records(filenames: Any, compression: Any, size: Any, **attrs: Any) -> Node:
    return Files(_names(filenames), "TFRecordDataset", (text(compression), int(size)))


@dataset_op("TextLineDataset", _FILES, METADATA, stateful=True, effects="reads files")
def _lines(filenames: Any, compression: Any, size: Any, **attrs: Any) -> Node:
    return Files(_names(filenames), "TextLineDataset", (text(compression), int(size)))


@dataset_op(
    "FixedLengthRecordDatasetV2",
    "filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, "
    "buffer_size: int64, compression_type: string",
    METADATA,
    stateful=True,
    effects="reads files",
)
def _fixed_records(
    filenames: Any, header: Any, record: Any, footer: Any, size: Any, zipped: Any, **attrs: Any
) -> Node:
    settings = (int(record), int(header), int(footer), text(zipped))
    return Files(_names(filenames), "FixedLengthRecordDataset", settings)


@written(Files)
def _write_files(node: Files, to: Writer) -> Any:
    read = _fixed_reader if node.kind == "FixedLengthRecordDataset" else _reader
    return _of_files(node, to, read(node, to))


def _reader(node: Files, to: Writer) -> Callable[[Tensor], Any]:
    zipped, size = to.text(node.settings[0]), to.int64(node.settings[1])
    return lambda names: getattr(raw_ops, node.kind)(names, zipped, size)


def _fixed_reader(node: Files, to: Writer) -> Callable[[Tensor], Any]:
    record, header, footer = (to.int64(size) for size in node.settings[:3])
    zipped = to.text(node.settings[3])
    return lambda names: raw_ops.FixedLengthRecordDatasetV2(
        names, header, record, footer, to.int64(0), zipped
    )


def _of_files(node: Node, to: Writer, read: Callable[[Tensor], Any]) -> Any:
    """What `read` makes of the files' names, which may themselves come from a dataset."""
    if isinstance(node.input, FromSlices):
        return read(to.tensor(node.input.tensors[0]))
    graph = trace(read, "read_files", [TensorSpec([], string)])  # type: ignore[list-item]
    return raw_ops.FlatMapDataset(
        to.node(node.input), graph.external_captures, f=graph, **to.types(node)
    )


@dataset_op(
    "CSVDatasetV2",
    f"{_FILES}, header: bool, field_delim: string, use_quote_delim: bool, na_value: string, "
    "select_cols: int64, record_defaults: *output_types, exclude_cols: int64",
    "output_types: tuple[DType, ...] = (), output_shapes: tuple[TensorShape, ...]",
    stateful=True,
    effects="reads files",
)
def _csv(
    filenames: Any,
    compression: Any,
    size: Any,
    header: Any,
    delim: Any,
    quotes: Any,
    missing: Any,
    select: Any,
    defaults: list[Any],
    exclude: Any,
    *,
    output_types: Any,
    **attrs: Any,
) -> Node:
    columns = np.asarray(select).tolist()
    left_out = np.asarray(exclude).tolist()
    if left_out:
        columns = [i for i in range(len(defaults) + len(left_out)) if i not in left_out]
    settings = {
        "compression": text(compression),
        "header": bool(header),
        "delim": text(delim),
        "quotes": bool(quotes),
        "na": text(missing),
        "select": columns or None,
    }
    values = [np.asarray(d) for d in defaults]
    kept = [None if v.size == 0 else v.reshape(-1)[:1].reshape(()) for v in values]
    return Csv(_names(filenames), output_types, kept, settings)


@written(Csv)
def _write_csv(node: Csv, to: Writer) -> Any:
    settings = node.settings
    kinds = node.structure.dtypes
    defaults = [
        emit(np.empty(0, d.np_dtype) if v is None else np.reshape(v, 1), None, d)
        for v, d in zip(node.defaults, kinds, strict=True)
    ]
    columns = [emit(np.array(c, np.int64)) for c in (settings["select"] or [], [])]
    return _of_files(
        node,
        to,
        lambda names: raw_ops.CSVDatasetV2(
            names,
            to.text(settings["compression"]),
            to.int64(_BUFFER),
            to.boolean(settings["header"]),
            to.text(settings["delim"]),
            to.boolean(settings["quotes"]),
            to.text(settings["na"]),
            columns[0],
            defaults,
            columns[1],
            output_shapes=to.types(node)["output_shapes"],
        ),
    )


@dataset_op(
    "SqlDataset",
    "driver_name: string, data_source_name: string, query: string",
    TYPES,
    stateful=True,
    effects="reads files",
)
def _sql(driver: Any, source: Any, query: Any, *, output_types: Any, **attrs: Any) -> Node:
    return Sql(text(source), text(query), output_types, single=len(output_types) == 1)


@written(Sql)
def _write_sql(node: Sql, to: Writer) -> Any:
    words = [convert_to_tensor(w) for w in ("sqlite", node.source, node.query)]
    return raw_ops.SqlDataset(*words, **to.types(node))
