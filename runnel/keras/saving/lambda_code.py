"""Lambdas as text: their code, marshalled, as Keras writes it. To read one is to run it."""

from __future__ import annotations

import base64
import marshal
import types
from typing import Any


def dump(function: Any) -> tuple[str, Any, Any]:
    """The code, the defaults and the values of the closure."""
    code = base64.encodebytes(marshal.dumps(function.__code__)).decode("ascii")
    cells = function.__closure__
    closure = tuple(cell.cell_contents for cell in cells) if cells else None
    return code, function.__defaults__, closure


def load(dumped: Any, scope: dict[str, Any]) -> Any:
    """The function that `dump` was given, with `scope` as its globals."""
    text, defaults, closure = dumped if isinstance(dumped, list | tuple) else (dumped, None, None)
    code = marshal.loads(base64.decodebytes(text.encode("ascii")))
    cells = None if closure is None else tuple(types.CellType(value) for value in closure)
    fixed = tuple(defaults) if isinstance(defaults, list) else defaults
    return types.FunctionType(code, scope, code.co_name, fixed, cells)
