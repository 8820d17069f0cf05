"""The classes of TensorFlow's protocol messages: `messages.GraphDef()`, `messages.TensorProto()` …

protobuf is imported, and the tables are read, when the first class is asked for.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Callable
from typing import Any

from runnel.core.protos import (
    checkpoints,
    configuration,
    debug_events,
    events,
    examples,
    graphs,
    profiles,
    runs,
    saved_models,
    schema,
    structures,
    tensors,
)

_TABLES = (
    tensors,
    graphs,
    structures,
    checkpoints,
    saved_models,
    examples,
    events,
    configuration,
    debug_events,
    runs,
    profiles,
)


_making = threading.RLock()  # two threads would make two pools, whose classes do not go together


def pool() -> Any:
    """The descriptors of all messages, in a pool that nobody else uses."""
    with _making:
        return _pool()


@functools.cache
def _pool() -> Any:
    from google.protobuf.descriptor_pool import DescriptorPool

    made = DescriptorPool()
    for file in schema.known_files():
        made.AddSerializedFile(file)
    text = "\n\n".join(table.SCHEMA.strip() for table in _TABLES)
    made.AddSerializedFile(schema.file_of("runnel.proto", text).SerializeToString())
    return made


def __getattr__(name: str) -> Any:
    """The class of a message, or an enum."""
    if not name[0].isupper():
        raise AttributeError(f"There is no message named {name!r}.")
    return _class(name)


@functools.cache
def _class(name: str) -> Any:
    with _making:
        return _found(name)


def _found(name: str) -> Any:
    from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper
    from google.protobuf.message_factory import GetMessageClass

    try:
        return GetMessageClass(pool().FindMessageTypeByName(f"tensorflow.{name}"))
    except KeyError:
        pass
    try:
        return EnumTypeWrapper(pool().FindEnumTypeByName(f"tensorflow.{name}"))
    except KeyError:
        raise AttributeError(f"There is no message named {name!r}.") from None


def in_package(package: str, text: str) -> Callable[[str], Any]:
    """From names to classes, for messages that are declared in a package of their own."""
    from google.protobuf.descriptor_pool import DescriptorPool
    from google.protobuf.message_factory import GetMessageClass

    made = DescriptorPool()
    for file in schema.known_files():
        made.AddSerializedFile(file)
    made.AddSerializedFile(schema.file_of("own.proto", text, package).SerializeToString())
    return lambda name: GetMessageClass(made.FindMessageTypeByName(f"{package}.{name}"))
