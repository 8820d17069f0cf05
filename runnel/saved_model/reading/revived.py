"""Kinds of objects that libraries have registered: how those of a SavedModel are made again."""

from __future__ import annotations

from typing import Any

KINDS: dict[str, tuple[Any, list[Any]]] = {}
"""By name, what tells such objects, and their versions, the newest first."""


def kind_of(proto: Any) -> Any:
    """The version of a registered kind that can read an object of a file, None without one."""
    _, versions = KINDS.get(proto.identifier, (None, []))
    return next((each for each in versions if each.should_load(proto)), None)


def message_of(item: Any) -> Any:
    """What a file says of an object of a registered kind, None if it is of none."""
    for predicate, versions in KINDS.values():
        if predicate(item):
            return versions[0].to_proto()
    return None
