"""How operations and scopes of a graph are named: by TensorFlow's rules."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runnel.core.op.op import Op

VALID_NAME = re.compile(r"^[A-Za-z0-9.][A-Za-z0-9_.\\/>-]*$")
_VALID_SCOPE = re.compile(r"^[A-Za-z0-9_.\\/>-]*$")

_numbers = itertools.count()


def inference_name(title: str) -> str:
    """A name for the function of a new graph, which no other has."""
    return f"__inference_{title}_{next(_numbers)}"


class Naming:
    """The names that a graph has given away, and the scope in which it gives the next."""

    def __init__(self) -> None:
        self._names: dict[str, int] = {}
        self._scope = ""
        self.entered: set[str] = set()  # the scopes that there are

    def _op_name(self, name: str) -> str:
        if not isinstance(name, str):
            raise TypeError(f"The name of an operation is a string, got {name!r}.")
        if name.endswith("/"):  # a scope entered again: the name is taken as it is
            name = name[:-1]
            self._names[name.lower()] = max(self._names.get(name.lower(), 0), 1)
            return name
        self._check_name(name, "an operation")
        return self.unique_name(name)

    def _check_name(self, name: str, what: str) -> None:
        if not (VALID_NAME if not self._scope else _VALID_SCOPE).match(name):
            raise ValueError(f"{name!r} is not a valid name of {what}.")

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """`name` in the current scope, with `_1`, `_2` … where it is taken."""
        if self._scope:
            name = f"{self._scope}/{name}"
        key = name.lower()
        count = self._names.get(key, 0)
        if mark_as_used:
            self._names[key] = count + 1
        if count == 0:
            return name
        unique, taken = name, key
        while taken in self._names:
            unique = f"{name}_{count}"
            taken = unique.lower()
            count += 1
        if mark_as_used:
            self._names[taken] = 1
        return unique

    @contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """Names inside begin with the scope's name; gives that prefix with its slash."""
        outer = self._scope
        if name is not None and not isinstance(name, str):
            raise TypeError(f"The name of a scope is a string, got {name!r}.")
        if not name:
            self._scope = ""
        elif name.endswith("/"):
            self._scope = name[:-1]
        else:
            self._check_name(name, "a scope")
            self._scope = self.unique_name(name)
            self.entered.add(self._scope)
        try:
            yield f"{self._scope}/" if self._scope else ""
        finally:
            self._scope = outer

    @contextmanager
    def op_scope(self, op: Op, name: str | None) -> Iterator[str]:
        """Inside, names begin with that of an operation to be made; gives what to call it then."""
        outer, self._scope = self._scope, self._op_name(name or op.default_name)
        try:
            yield f"{self._scope}/"
        finally:
            self._scope = outer
