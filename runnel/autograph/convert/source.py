"""The syntax tree of a function, found in the text of its file."""

from __future__ import annotations

import ast
import copy
import inspect
import linecache
import threading
import types
from collections.abc import Iterator
from typing import NamedTuple

from runnel.backend.cache import BoundedCache


class SourceError(Exception):
    """The source of a function cannot be had, or does not hold it."""


class Found(NamedTuple):
    """A function's definition, and the class it stands in, for names like `__private`."""

    tree: ast.FunctionDef
    class_name: str | None


_trees: BoundedCache[tuple[str, ast.Module]] = BoundedCache(32)  # by file
_lock = threading.Lock()


def definition(function: types.FunctionType) -> Found:
    """A copy of the syntax tree of `function`, with the line numbers of its file."""
    code = function.__code__
    candidates = list(_definitions(_tree(function), None))
    if code.co_name == "<lambda>":
        return _lambda(code, candidates)
    for node, owner in candidates:
        if not isinstance(node, ast.FunctionDef) or node.name != code.co_name:
            continue
        first = min([node.lineno, *[d.lineno for d in node.decorator_list]])
        if first == code.co_firstlineno:
            return Found(copy.deepcopy(node), owner)
    raise SourceError(f"it is not at line {code.co_firstlineno} of {code.co_filename}")


def _tree(function: types.FunctionType) -> ast.Module:
    file = function.__code__.co_filename
    lines = linecache.getlines(file, function.__globals__) or _inspected(function)
    text = "".join(lines)
    with _lock:
        found = _trees.get(file)
        if found is None or found[0] != text:
            try:
                found = (text, ast.parse(text))
            except SyntaxError as error:
                raise SourceError(f"{file} cannot be parsed: {error}") from None
            _trees[file] = found
    return found[1]


def _inspected(function: types.FunctionType) -> list[str]:
    try:
        return inspect.findsource(function.__code__)[0]
    except (OSError, TypeError, IndexError) as error:
        raise SourceError(f"its source is not available: {error}") from None


_Definition = ast.FunctionDef | ast.Lambda


def _definitions(node: ast.AST, owner: str | None) -> Iterator[tuple[_Definition, str | None]]:
    """All functions and lambdas, each with the class around it."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, _Definition):
            yield child, owner
        yield from _definitions(child, child.name if isinstance(child, ast.ClassDef) else owner)


def _lambda(code: types.CodeType, candidates: list[tuple[_Definition, str | None]]) -> Found:
    """The innermost lambda whose body holds everything that the code object computes."""
    places = [(line, col) for line, _, col, _ in code.co_positions() if line and col is not None]
    places = [p for p in places if p != (code.co_firstlineno, 0)]
    names = code.co_varnames[: code.co_argcount]
    fitting = [
        (node, owner)
        for node, owner in candidates
        if isinstance(node, ast.Lambda)
        and tuple(a.arg for a in [*node.args.posonlyargs, *node.args.args]) == names
        and all(_start(node.body) <= place < _end(node) for place in places)
        and (places or _gives_the_same(node, code))
    ]
    if not fitting:
        raise SourceError(f"there is no such lambda at line {code.co_firstlineno}")
    node, owner = max(fitting, key=lambda pair: _start(pair[0]))
    node = copy.deepcopy(node)
    assert isinstance(node, ast.Lambda)
    body = ast.copy_location(ast.Return(node.body), node.body)
    made = ast.FunctionDef("ag__lambda", node.args, [body], [], None)
    return Found(ast.copy_location(made, node), owner)


def _gives_the_same(node: ast.Lambda, code: types.CodeType) -> bool:
    """Whether a lambda is that of the code, which gives a constant: Python 3.12 tells no place."""
    (made, *_) = compile(ast.Expression(node), "", "eval").co_consts
    same = made.co_code == code.co_code and made.co_consts == code.co_consts
    return same and node.lineno == code.co_firstlineno


def _start(node: ast.AST) -> tuple[int, int]:
    return node.lineno, node.col_offset  # type: ignore[attr-defined]


def _end(node: ast.AST) -> tuple[int, int]:
    return node.end_lineno, node.end_col_offset  # type: ignore[attr-defined]
