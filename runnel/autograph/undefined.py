"""Variables that have no value, or none that code after an `if` or a loop may use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NoReturn

from runnel.core.user_code import user_line

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
    return value


def ldu(read: Callable[[], Any], name: str) -> Any:
    """The value of an attribute, or Undefined if there is none."""
    try:
        return read()
    except (AttributeError, KeyError, NameError):
        return Undefined(name)


def put_attribute(owner: Any, attribute: str, value: Any) -> None:
    """Set an attribute back to a value that `ldu` gave."""
    if type(value) is not Undefined:
        setattr(owner, attribute, value)
