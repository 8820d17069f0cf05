"""From a function to its converted form: source, syntax tree, and a new function over the same variables."""

from __future__ import annotations

import ast
import functools
import inspect
import textwrap
import types
import weakref
from collections.abc import Callable
from typing import Any

from runnel.autograph import runtime
from runnel.autograph.jumps import Flags
from runnel.autograph.statements import Converter
from runnel.core.logging import warning

_converted: weakref.WeakKeyDictionary[types.CodeType, Any] = weakref.WeakKeyDictionary()


def convert(function: Callable[..., Any]) -> Callable[..., Any]:
    """`function` with its control flow ready for tensors; itself where its source cannot be had."""
    if not inspect.isfunction(function) or hasattr(function, "autograph_original"):
        return function
    code = function.__code__
    if code not in _converted:
        _converted[code] = _convert_code(function)
    made = _converted[code]
    return function if made is None else _rebind(function, made)


def _convert_code(function: types.FunctionType) -> types.CodeType | None:
    """The code object of the converted function, or None."""
    tree = parse(function)
    if tree is None or _is_generator(tree):
        return None
    own_class = "__class__" if "__class__" in function.__code__.co_freevars else None
    converted = Converter(Flags(), own_class).convert(tree)
    free = [n for n in function.__code__.co_freevars if n != "ag__"]
    names = [*free, "ag__"]
    maker = ast.FunctionDef(
        "ag__maker",
        _arguments(names),
        [converted, ast.Return(ast.Name(converted.name, ast.Load()))],
        [],
        None,
    )
    module = ast.fix_missing_locations(ast.Module([ast.copy_location(maker, converted)], []))
    compiled = compile(
        module,
        function.__code__.co_filename,
        "exec",
        dont_inherit=True,
        flags=_future_flags(function),
    )
    outer = next(c for c in compiled.co_consts if isinstance(c, types.CodeType))
    return next(
        c for c in outer.co_consts if isinstance(c, types.CodeType) and c.co_name == converted.name
    )


def _future_flags(function: types.FunctionType) -> int:
    import __future__

    flags = 0
    for name in __future__.all_feature_names:
        flags |= function.__code__.co_flags & getattr(__future__, name).compiler_flag
    return flags


def _arguments(names: list[str]) -> ast.arguments:
    return ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])


def _rebind(function: types.FunctionType, code: types.CodeType) -> Callable[..., Any]:
    """The converted code as a function that shares the original's globals, defaults and closure."""
    cells = dict(zip(function.__code__.co_freevars, function.__closure__ or (), strict=True))
    cells["ag__"] = types.CellType(runtime)
    closure = tuple(cells[name] for name in code.co_freevars)
    made = types.FunctionType(
        code, function.__globals__, function.__name__, function.__defaults__, closure
    )
    made.__kwdefaults__ = function.__kwdefaults__
    functools.update_wrapper(made, function)
    made.autograph_original = function  # type: ignore[attr-defined]
    return made


def parse(function: Callable[..., Any]) -> ast.FunctionDef | None:
    """The syntax tree of a function with the line numbers of its file, or None."""
    try:
        lines, first = inspect.getsourcelines(function)
    except (OSError, TypeError):
        warning(f"AutoGraph: the source of {function!r} is not available; it runs as it is.")
        return None
    source = textwrap.dedent("".join(lines))
    try:
        module = ast.parse(source)
    except SyntaxError:
        module = _parse_fragment(source)
    found = _find(module, function) if module is not None else None
    if found is not None:
        ast.increment_lineno(found, first - 1)
    return found


def _parse_fragment(source: str) -> ast.Module | None:
    """The syntax tree of a line that holds a lambda but is no statement by itself."""
    start = source.find("lambda")
    for end in range(len(source), start, -1):
        try:
            return ast.parse(
                "\n" * source[:start].count("\n") + "(" + source[start:end].strip() + ")"
            )
        except SyntaxError:
            continue
    return None


def _find(module: ast.Module, function: Any) -> ast.FunctionDef | None:
    if function.__name__ == "<lambda>":
        return _find_lambda(module, function)
    for node in ast.walk(module):
        if isinstance(node, ast.FunctionDef) and node.name == function.__name__:
            return node
    return None


def _find_lambda(module: ast.Module, function: Any) -> ast.FunctionDef | None:
    """The lambda with this function's arguments and names; None if there are several alike."""
    code = function.__code__
    wanted = code.co_varnames[: code.co_argcount]
    found = [
        node
        for node in ast.walk(module)
        if isinstance(node, ast.Lambda)
        and tuple(a.arg for a in [*node.args.posonlyargs, *node.args.args]) == wanted
    ]
    if len(found) != 1:
        return None
    node = found[0]
    body = ast.copy_location(ast.Return(node.body), node)
    made = ast.FunctionDef("ag__lambda", node.args, [body], [], None)
    return ast.copy_location(made, node)


def _is_generator(tree: ast.AST) -> bool:
    return any(isinstance(n, ast.Yield | ast.YieldFrom | ast.Await) for n in ast.walk(tree))
