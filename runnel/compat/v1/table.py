"""The symbols of `tf.compat.v1` that are symbols of TensorFlow 2, found when they are asked for.

`same.txt` is a table of facts about TensorFlow 2.21: a namespace, then its names that are the same
object as a TensorFlow 2 symbol, or have the same parameters and do the same. A name with `=` has
another path there.

`own.txt` names what TensorFlow 1 has of its own: a namespace, the file of `runnel` that has it, and
the names; a name with `=` is another one there.
"""

from __future__ import annotations

import functools
import importlib
import sys
import types
from collections.abc import Callable
from importlib import resources
from importlib.machinery import PathFinder
from typing import Any

from runnel.core.settings.absent import explanation

_HOME = "runnel.compat.v1"


@functools.cache
def table() -> dict[str, dict[str, str]]:
    """By namespace, the paths from `runnel` on of the names in it."""
    found: dict[str, dict[str, str]] = {}
    for line in (resources.files(_HOME) / "same.txt").read_text().splitlines():
        space, *names = line.split()
        space = "" if space == "." else space
        found[space] = dict(_entry(space, name) for name in names)
    return found


@functools.cache
def own() -> dict[str, dict[str, tuple[str, str]]]:
    """By namespace, the module and the name in it of each name."""
    found: dict[str, dict[str, tuple[str, str]]] = {}
    for line in (resources.files(_HOME) / "own.txt").read_text().splitlines():
        space, home, *names = line.split()
        pairs = [name.partition("=") for name in names]
        space = "" if space == "." else space
        found.setdefault(space, {}).update(
            {name: (f"runnel.{home}", inner or name) for name, _, inner in pairs}
        )
    return found


def _entry(space: str, text: str) -> tuple[str, str]:
    name, _, path = text.partition("=")
    return name, path or f"{space}.{name}".removeprefix(".")


def _spaces_below(space: str) -> set[str]:
    start = f"{space}." if space else ""
    spaces = {*table(), *own()}
    return {s[len(start) :].split(".")[0] for s in spaces if s != space and s.startswith(start)}


def finder(space: str) -> Callable[[str], Any]:
    """`__getattr__` of a namespace."""

    def find(name: str) -> Any:
        mine = own().get(space, {}).get(name)
        if mine is not None:
            return getattr(importlib.import_module(mine[0]), mine[1])
        path = table().get(space, {}).get(name)
        if path is not None:
            return _resolved(path)
        full = f"{space}.{name}".removeprefix(".")
        if not name.startswith("__"):
            if f"{_HOME}.{full}" in sys.modules:
                return sys.modules[f"{_HOME}.{full}"]
            if _is_file(space, name):
                return importlib.import_module(f"{_HOME}.{full}")
            if name in _spaces_below(space):
                return _Namespace.at(full)
        raise AttributeError(explanation(f"compat.v1.{full}", listing(space)), name=name, obj=None)

    return find


def _is_file(space: str, name: str) -> bool:
    """Whether a namespace is a folder and has a file of this name."""
    folder = ".".join(filter(None, (_HOME, space)))
    path = getattr(sys.modules[folder], "__path__", None)
    return path is not None and PathFinder.find_spec(f"{folder}.{name}", path) is not None


def listing(space: str) -> list[str]:
    """The names of a namespace that are in the table."""
    return sorted({*table().get(space, {}), *own().get(space, {}), *_spaces_below(space)})


def _resolved(path: str) -> Any:
    found: Any = importlib.import_module("runnel")
    for part in path.split("."):
        found = getattr(found, part)
    return found


class _Namespace(types.ModuleType):
    """A namespace that is nothing but the table."""

    __path__: list[str] = []

    @classmethod
    def at(cls, space: str) -> _Namespace:
        name = f"{_HOME}.{space}"
        if name not in sys.modules:
            made = cls(name)
            made._space = space
            sys.modules[name] = made
        return sys.modules[name]  # type: ignore[return-value]

    _space: str

    def __getattr__(self, name: str) -> Any:
        return finder(self._space)(name)

    def __dir__(self) -> list[str]:
        return listing(self._space)
