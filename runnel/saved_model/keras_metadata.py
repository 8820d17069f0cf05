"""`keras_metadata.pb`: what Keras keeps beside a SavedModel about its objects."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from typing import Any, NamedTuple

from runnel.core.files import files
from runnel.core.files.files import PathLike
from runnel.core.protos import messages, schema
from runnel.core.values.errors import DataLossError

FILENAME = "keras_metadata.pb"
_SCHEMA = """
message VersionDef
  producer: int32 = 1
  min_consumer: int32 = 2
  bad_consumers: [int32] = 3

message SavedMetadata
  nodes: [KerasObject] = 1

message KerasObject
  node_id: int32 = 2
  node_path: string = 3
  identifier: string = 4
  metadata: string = 5
  version: VersionDef = 6
"""


class KerasNode(NamedTuple):
    """An object of a SavedModel: its number and path there, its kind, and JSON about it."""

    number: int
    path: str
    identifier: str
    metadata: str


@functools.cache
def _message() -> Any:
    return messages.in_package(schema.PACKAGE, _SCHEMA)("SavedMetadata")


def write_keras_metadata(folder: PathLike, nodes: Iterable[KerasNode]) -> None:
    """Write what is to be known about some objects."""
    proto = _message()()
    for node in nodes:
        number, path, identifier, metadata = node
        made = proto.nodes.add(node_id=number, node_path=path, identifier=identifier)
        made.metadata = metadata
        made.version.producer, made.version.min_consumer = 2, 1
    content = proto.SerializeToString(deterministic=True)
    files.write_whole(files.join(files.as_path(folder), FILENAME), content)


def read_keras_metadata(folder: PathLike) -> list[KerasNode] | None:
    """What is known about the objects; None if the folder has no such file."""
    from google.protobuf.message import DecodeError

    path = files.join(files.as_path(folder), FILENAME)
    if not files.exists(path):
        return None
    try:
        proto = _message().FromString(files.read_whole(path))
    except DecodeError as error:
        raise DataLossError(None, None, f"Cannot parse {path}: {error}") from error
    return [KerasNode(n.node_id, n.node_path, n.identifier, n.metadata) for n in proto.nodes]
