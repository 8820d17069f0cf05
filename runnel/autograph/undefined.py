"""Variables that have no value, or none that code after an `if` or a loop may use."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn

from runnel.core.op import context
from runnel.core.op.raw import raw_ops
from runnel.core.settings.user_code import user_line
from runnel.core.tensor.tensor import Tensor

RESULT = "ag__result"  # holds what the converted function returns


class Undefined:
    """The value of a variable that cannot be read; reading it raises an error that says why."""

    __slots__ = ("_error", "_name", "_why")

    def __init__(self, name: str, why: str = "", error: type[Exception] = ValueError) -> None:
        self._name = name
        self._why = why
        self._error = error

    def fail(self) -> NoReturn:
        if not self._why:
            raise UnboundLocalError(f"{spoken(self._name)} is used before assignment.")
        raise self._error(f"{spoken(self._name)} {self._why}")

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> NoReturn:
        self.fail()

    def __repr__(self) -> str:
        return f"<undefined {self._name}>"


class Exposed(str):
    """The name of a variable that code which is not converted reads too, without `ld`."""

    __slots__ = ()


class Unsure:
    """A variable that only loops give a value; the first read asserts that one of them ran."""

    __slots__ = ("_checked", "_name", "counts", "value")

    def __init__(self, name: str, value: Any, counts: tuple[Tensor, ...]) -> None:
        self._name = name
        self._checked = False
        self.value = value
        self.counts = counts  # of iterations, in the graph in which the variable is read

    def checked(self) -> Any:
        """The value. What asserts stands behind the loop, so that branches and loops stay free."""
        if not self._checked:
            self._checked = True
            with context.building(self.counts[0].graph):  # type: ignore[attr-defined]
                ran = functools.reduce(raw_ops.Maximum, self.counts) > 0
                why = f"the loop must run at least once to give {self._name!r} a value {here()}"
                raw_ops.Assert(ran, [why])
        return self.value


def spoken(name: str) -> str:
    """A variable as messages name it."""
    return "the return value" if name == RESULT else repr(name)


def here() -> str:
    """The user's line that runs now, for messages."""
    return f"(at {user_line()})"


def ld(value: Any) -> Any:
    """The value of a variable that is read."""
    if type(value) is Undefined:
        value.fail()
    return value.checked() if type(value) is Unsure else value


def unchecked(value: Any) -> Any:
    """The value of a variable as it goes on to further branches and loops, read or not."""
    return value.value if type(value) is Unsure else value


ABSENT = (AttributeError, KeyError, IndexError, NameError, TypeError)  # what reading may raise


def ldu(read: Callable[[], Any], name: str) -> Any:
    """The value of an attribute or element, or Undefined if there is none."""
    try:
        return read()
    except ABSENT:
        return Undefined(name)


def has_value(value: Any) -> bool:
    return type(value) is not Undefined
