"""From a function to its converted form: a new function over the same variables."""

from __future__ import annotations
import __future__

import ast
import functools
import inspect
import threading
import types
import weakref
from collections.abc import Callable
from typing import Any

from runnel.autograph import verbosity
from runnel.autograph.convert.jumps import Flags
from runnel.autograph.convert.names import is_generator
from runnel.autograph.convert.source import SourceError, definition
from runnel.autograph.convert.statements import Converter
from runnel.core.settings.logging import warning

runtime: Any = None  # the module runnel.autograph.runtime, which needs this one and sets it

_codes: weakref.WeakKeyDictionary[types.CodeType, Any] = weakref.WeakKeyDictionary()
_lock = threading.RLock()


def convert(function: Callable[..., Any], recursive: bool = True) -> Callable[..., Any]:
    """`function` with its control flow ready for tensors; itself where its source cannot be had.

    What it calls is converted too when it is called, unless `recursive` is false.
    """
    if not inspect.isfunction(function) or hasattr(function, "autograph_original"):
        return function
    code = function.__code__
    with _lock:
        known = _codes.setdefault(code, {})
        if recursive not in known:
            known[recursive] = _converted_code(function, recursive)
        made = known[recursive]
    return function if made is None else _rebind(function, made)


def converted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Marks a function that was converted together with the one around it."""
    function.autograph_original = function  # type: ignore[attr-defined]
    return function


def _converted_code(function: types.FunctionType, recursive: bool) -> types.CodeType | None:
    """The code object of the converted function, or None, with a warning that says why."""
    try:
        return _compiled(function, recursive)
    except SourceError as error:
        warning(
            f"AutoGraph could not transform {function!r} and will run it as-is.\nCause: {error}\n"
            "To silence this warning, decorate the function with "
            "@tf.autograph.experimental.do_not_convert"
        )
        return None


def converted_tree(
    function: types.FunctionType, recursive: bool
) -> tuple[ast.FunctionDef, str | None] | None:
    """The converted definition and the class around it; None for a function that is left alone."""
    found = definition(function)
    if is_generator(found.tree):
        return None
    own_class = "__class__" if "__class__" in function.__code__.co_freevars else None
    tree = Converter(Flags(), own_class, recursive=recursive).convert(found.tree)
    verbosity.log(3, lambda: f"Converted {function!r}:\n{ast.unparse(tree)}")
    return tree, found.class_name


def _compiled(function: types.FunctionType, recursive: bool) -> types.CodeType | None:
    verbosity.log(1, lambda: f"Converting {function!r}")
    found = converted_tree(function, recursive)
    if found is None:
        return None
    tree, class_name = found
    tree.name = "ag__converted"  # no name of the user's, which the body might mean
    free = [n for n in function.__code__.co_freevars if n != "ag__"]
    returns = ast.Return(ast.Name(tree.name, ast.Load()))
    outer: ast.stmt = ast.FunctionDef(
        "ag__maker", _arguments([*free, "ag__"]), [tree, returns], [], None
    )
    outer = ast.copy_location(outer, tree)
    if class_name is not None:  # inside a class, names like __private mean others
        outer = ast.copy_location(ast.ClassDef(class_name, [], [], [outer], []), tree)
    module = ast.fix_missing_locations(ast.Module([outer], []))
    file = function.__code__.co_filename
    compiled = compile(module, file, "exec", dont_inherit=True, flags=_future_flags(function))
    code = _find_code(compiled, tree.name)
    return code.replace(
        co_name=function.__code__.co_name, co_qualname=function.__code__.co_qualname
    )


def _find_code(code: types.CodeType, name: str) -> types.CodeType:
    inner = [c for c in code.co_consts if isinstance(c, types.CodeType)]
    for found in inner:
        if found.co_name == name:
            return found
    return _find_code(inner[0], name)


def _future_flags(function: types.FunctionType) -> int:
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
