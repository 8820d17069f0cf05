"""What a user gives for `name` is the name of something: no public function leaves it unread."""

from __future__ import annotations

import dis
import inspect
import json
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import runnel as tf

PUBLIC = json.loads((Path(__file__).parents[2] / "golden" / "public_names.json").read_text())
_RAISES_ONLY = {
    "TensorArray.grad",
    "image.generate_bounding_box_proposals",
    "io.decode_jxl",
    "image.decode_jxl",
}


def _codes(function: Any) -> Iterator[types.CodeType]:
    """The code of a function, of those it wraps and of those inside it."""
    while isinstance(function, types.FunctionType):
        found = [function.__code__]
        while found:
            code = found.pop()
            yield code
            found += [const for const in code.co_consts if isinstance(const, types.CodeType)]
        function = getattr(function, "__wrapped__", None)


def _reads_name(function: Any) -> bool:
    """Whether it loads `name`, all its arguments, or is `@scoped`, which reads it for it."""
    for code in _codes(function):
        if "scope" in code.co_freevars:
            return True
        for step in dis.get_instructions(code):
            values = step.argval if isinstance(step.argval, tuple) else (step.argval,)
            if step.opname.startswith("LOAD") and {"name", "locals", "name_scope"} & {*values}:
                return True
    return False


def _takes_name(function: Any) -> bool:
    inner = inspect.unwrap(function)
    if not isinstance(inner, types.FunctionType):
        return False
    code = inner.__code__
    return "name" in code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]


def _functions() -> Iterator[tuple[str, Any]]:
    for path in (name for name in PUBLIC if not name.startswith("keras.")):
        value: Any = tf
        for part in path.split("."):
            value = getattr(value, part, None)
        members = dict(vars(value)) if inspect.isclass(value) else {}
        members["init"] = members.pop("__init__", None)
        for name, member in {"": value, **members}.items():
            member = getattr(member, "__func__", member)
            ours = (getattr(member, "__module__", None) or "").startswith("runnel")
            if isinstance(member, types.FunctionType) and ours and name[:2] != "__":
                yield f"{path}.{name}".rstrip("."), member


def test_no_public_function_leaves_name_unread():
    takers = {path: f for path, f in _functions() if _takes_name(f)}
    unread = {path for path, f in takers.items() if not _reads_name(f)} - _RAISES_ONLY
    assert not unread and len(takers) > 600, (len(takers), sorted(unread))
