"""The notation in which messages are declared, and its translation into protobuf's descriptors.

    enum DataType
      DT_INVALID=0 DT_FLOAT=1

    message NodeDef
      name: string = 1                 a field and its number
      input: [string] = 3              a repeated field
      attr: {string: AttrValue} = 5    a map
      oneof value                      at most one of the fields below it
        s: bytes = 2

A dotted name is a message inside another. All is `proto3`, in the package `tensorflow` unless
another is given.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

PACKAGE = "tensorflow"

_FIELD = re.compile(r"(\w+): (\S+|\{\w+: \S+\}) = (\d+)")
_SCALARS = frozenset(
    "double float int64 uint64 int32 fixed32 fixed64 bool string bytes uint32 sint64".split()
)


def _known() -> tuple[Any, ...]:
    """Messages of protobuf itself that fields refer to."""
    from google.protobuf import any_pb2, wrappers_pb2

    return any_pb2, wrappers_pb2


def known_files() -> Iterator[bytes]:
    """The serialized files of protobuf's own that the tables refer to."""
    for module in _known():
        yield module.DESCRIPTOR.serialized_pb


def file_of(name: str, text: str, package: str = PACKAGE) -> Any:
    """The tables in `text` as one file descriptor."""
    from google.protobuf import descriptor_pb2

    blocks = list(_blocks(text))
    enums = frozenset(title for kind, title, _ in blocks if kind == "enum")
    file = descriptor_pb2.FileDescriptorProto(name=name, package=package, syntax="proto3")
    file.dependency.extend(module.DESCRIPTOR.name for module in _known())
    made: dict[str, Any] = {}
    for kind, title, lines in blocks:
        outer, _, short = title.rpartition(".")
        if kind == "enum":
            enum = (made[outer].enum_type if outer else file.enum_type).add(name=short)
            _add_values(enum, lines)
        else:
            message = (made[outer].nested_type if outer else file.message_type).add(name=short)
            made[title] = message
            _add_fields(message, title, lines, enums)
    if package != PACKAGE:
        for message in made.values():
            _move_types(message, package)
    return file


def _move_types(message: Any, package: str) -> None:
    """Let the fields of a message, and of the entries of its maps, refer to another package."""
    entries = [inner for inner in message.nested_type if inner.options.map_entry]
    for part in (message, *entries):
        for field in part.field:
            if field.type_name.startswith(f".{PACKAGE}."):
                name = field.type_name.removeprefix(f".{PACKAGE}.")
                field.type_name = f".{package}.{name}"


def _blocks(text: str) -> Iterator[tuple[str, str, list[str]]]:
    """Kind, name and indented lines of each declaration."""
    for block in text.strip().split("\n\n"):
        head, *lines = block.splitlines()
        kind, _, title = head.partition(" ")
        yield kind, title, lines


def _add_values(enum: Any, lines: Iterable[str]) -> None:
    for pair in " ".join(lines).split():
        name, _, number = pair.partition("=")
        enum.value.add(name=name, number=int(number))


def _add_fields(message: Any, title: str, lines: Iterable[str], enums: frozenset[str]) -> None:
    for line in lines:
        words = line.strip()
        if words.startswith("oneof "):
            message.oneof_decl.add(name=words.removeprefix("oneof "))
            continue
        match = _FIELD.fullmatch(words)
        assert match is not None, f"{title}: {line!r} declares no field"
        name, kind, number = match.groups()
        field = message.field.add(name=name, number=int(number))
        field.label = field.LABEL_OPTIONAL
        if line.startswith("    "):
            field.oneof_index = len(message.oneof_decl) - 1
        if kind.startswith("{"):
            kind = f"[{title}.{_add_entry(message, name, kind, enums)}]"
        if kind.startswith("["):
            field.label = field.LABEL_REPEATED
        _set_type(field, kind.strip("[]"), enums)


def _add_entry(message: Any, name: str, kind: str, enums: frozenset[str]) -> str:
    """Declare the message that is one entry of a map; its name."""
    entry = message.nested_type.add(name=f"{name.title().replace('_', '')}Entry")
    entry.options.map_entry = True
    for number, part in enumerate(kind.strip("{}").split(": "), 1):
        field = entry.field.add(name=("key", "value")[number - 1], number=number)
        field.label = field.LABEL_OPTIONAL
        _set_type(field, part, enums)
    return str(entry.name)


def _set_type(field: Any, kind: str, enums: frozenset[str]) -> None:
    if kind in _SCALARS:
        field.type = getattr(field, f"TYPE_{kind.upper()}")
        return
    field.type = field.TYPE_ENUM if kind in enums else field.TYPE_MESSAGE
    field.type_name = f".{kind}" if kind.startswith("google.") else f".{PACKAGE}.{kind}"
