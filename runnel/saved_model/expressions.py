"""Arrays written as expressions on a command line, without running code: `np.ones((2, 3)) * 2`."""

from __future__ import annotations

import ast
import operator
from typing import Any

import numpy as np

_FUNCTIONS = "arange array asarray eye full identity linspace ones zeros".split()
_METHODS = "astype reshape transpose tolist".split()
_OPERATORS: dict[type[ast.AST], Any] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
}


def evaluate(text: str) -> Any:
    """The value of an expression of literals, arithmetic and a few functions of NumPy.

    >>> evaluate("np.ones((1, 2)) * 3")
    array([[3., 3.]])
    """
    try:
        return _value(ast.parse(text, mode="eval").body)
    except (SyntaxError, RecursionError) as error:
        raise ValueError(f"{text!r} is not an expression: {error}") from None


def _value(node: ast.AST) -> Any:
    if isinstance(node, ast.Constant):
        return node.value
    if isinstance(node, ast.List | ast.Tuple):
        items = [_value(item) for item in node.elts]
        return items if isinstance(node, ast.List) else tuple(items)
    if isinstance(node, ast.Dict):
        pairs = zip(node.keys, node.values)
        return {_value(k): _value(v) for k, v in pairs if k is not None}
    if isinstance(node, ast.UnaryOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.operand))
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return _OPERATORS[type(node.op)](_value(node.left), _value(node.right))
    if isinstance(node, ast.Attribute) and _is_numpy(node.value):
        return _named(node.attr)
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        return _called(node, node.func)
    raise ValueError(f"{ast.unparse(node)!r} is not allowed in an expression of an input.")


def _is_numpy(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and node.id in ("np", "numpy")


def _named(name: str) -> Any:
    """A dtype or a constant of NumPy."""
    value = getattr(np, name, None)
    if isinstance(value, float) or (isinstance(value, type) and issubclass(value, np.generic)):
        return value
    raise ValueError(f"np.{name} is not allowed in an expression of an input.")


def _called(node: ast.Call, function: ast.Attribute) -> Any:
    args = [_value(arg) for arg in node.args]
    kwargs = {k.arg: _value(k.value) for k in node.keywords if k.arg is not None}
    if _is_numpy(function.value):
        if function.attr in _FUNCTIONS:
            return getattr(np, function.attr)(*args, **kwargs)
        return _named(function.attr)(*args, **kwargs)
    if function.attr in _METHODS:
        return getattr(np.asarray(_value(function.value)), function.attr)(*args, **kwargs)
    raise ValueError(f"{function.attr!r} is not allowed in an expression of an input.")
