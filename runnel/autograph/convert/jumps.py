"""`break`, `continue` and `return` rewritten with flags: loops and branches have one exit each.

while test:            broke = False
    if a:              while not broke and test:
        break    →         if a: broke = True
    work()                 if not broke: work()
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable

_Statements = list[ast.stmt]


class Flags:
    """Names that the user's function does not use."""

    def __init__(self) -> None:
        self._numbers = itertools.count()

    def new(self, kind: str) -> str:
        return f"ag__{kind}_{next(self._numbers)}"


def _name(name: str) -> ast.Name:
    return ast.Name(name, ast.Load())


def set_flag(name: str, value: bool, like: ast.AST) -> ast.stmt:
    return located(ast.Assign([ast.Name(name, ast.Store())], ast.Constant(value)), like)


def located(node: ast.stmt, like: ast.AST) -> ast.stmt:
    ast.copy_location(node, like)
    return ast.fix_missing_locations(node)


def unless(flag: str, body: _Statements) -> _Statements:
    """`body`, run only while `flag` is false."""
    if not body:
        return []
    return [located(ast.If(ast.UnaryOp(ast.Not(), _name(flag)), body, []), body[0])]


def _contains(node: ast.AST, kinds: tuple[type[ast.AST], ...], *, through_loops: bool) -> bool:
    """Whether a jump of these kinds stands in `node` (and not in a function or loop inside it)."""
    if isinstance(node, kinds):
        return True
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
        return False
    if isinstance(node, ast.For | ast.While) and not through_loops:
        return any(_contains(n, kinds, through_loops=False) for n in node.orelse)
    return any(
        _contains(child, kinds, through_loops=through_loops) for child in ast.iter_child_nodes(node)
    )


def _guarded(
    body: _Statements,
    kinds: tuple[type[ast.AST], ...],
    flag: str,
    replace: Callable[[ast.stmt], _Statements],
) -> _Statements:
    """Replace jumps in `body`; what follows one runs only if it was not taken."""
    result: _Statements = []
    for index, node in enumerate(body):
        if isinstance(node, kinds):
            return result + replace(node)
        if not _contains(node, kinds, through_loops=ast.Return in kinds):
            result.append(node)
            continue
        for field in ("body", "orelse", "finalbody"):
            inner = getattr(node, field, None)
            if inner and not (
                isinstance(node, ast.For | ast.While)
                and field == "body"
                and ast.Return not in kinds
            ):
                setattr(node, field, _guarded(inner, kinds, flag, replace))
        for part in (*getattr(node, "handlers", []), *getattr(node, "cases", [])):
            part.body = _guarded(part.body, kinds, flag, replace)
        rest = _guarded(body[index + 1 :], kinds, flag, replace)
        return [*result, node, *unless(flag, rest)]
    return result


class LoopJumps(ast.NodeTransformer):
    """Rewrites `break` and `continue`. A loop that had a `break` notes its flag in `stops`."""

    def __init__(self, flags: Flags) -> None:
        self._flags = flags

    def rewrite(self, function: ast.FunctionDef) -> None:
        """Rewrite the jumps of a function, and none of the functions and classes inside it."""
        self.generic_visit(function)

    def _leave(self, node: ast.AST) -> ast.AST:
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = _leave

    def _visit_loop(self, node: ast.For | ast.While) -> ast.AST | list[ast.stmt]:
        self.generic_visit(node)
        before: _Statements = []
        if any(_contains(n, (ast.Continue,), through_loops=False) for n in node.body):
            flag = self._flags.new("continued")
            node.body = _guarded(
                node.body, (ast.Continue,), flag, lambda n: [set_flag(flag, True, n)]
            )
            node.body.insert(0, set_flag(flag, False, node))
        if any(_contains(n, (ast.Break,), through_loops=False) for n in node.body):
            stop = self._flags.new("broke")
            node.body = _guarded(node.body, (ast.Break,), stop, lambda n: [set_flag(stop, True, n)])
            before.append(set_flag(stop, False, node))
            node.stops = [*getattr(node, "stops", []), stop]  # type: ignore[union-attr]
            if node.orelse:
                after = unless(stop, node.orelse)
                node.orelse = []
                return [*before, node, *after]
        orelse, node.orelse = node.orelse, []
        return [*before, node, *orelse]

    visit_For = _visit_loop
    visit_While = _visit_loop


def _always_returns(body: _Statements) -> bool:
    if not body:
        return False
    last = body[-1]
    if isinstance(last, ast.Return | ast.Raise):
        return True
    if isinstance(last, ast.With):
        return _always_returns(last.body)
    if isinstance(last, ast.Try):
        ends = [last.body + last.orelse, *[handler.body for handler in last.handlers]]
        return all(map(_always_returns, ends)) or _always_returns(last.finalbody)
    return isinstance(last, ast.If) and _always_returns(last.body) and _always_returns(last.orelse)


def _has_return(node: ast.AST) -> bool:
    return _contains(node, (ast.Return,), through_loops=True)


def nest_returns(body: _Statements) -> _Statements:
    """Move what follows an `if` that returns into its other branch: every path ends in a return."""
    for index, node in enumerate(body):
        rest = body[index + 1 :]
        if isinstance(node, ast.With | ast.Try):
            node.body = nest_returns(node.body)
            for handler in getattr(node, "handlers", []):
                handler.body = nest_returns(handler.body)
        if isinstance(node, ast.If) and _has_return(node):
            node.body, node.orelse = nest_returns(node.body), nest_returns(node.orelse)
            if rest and _always_returns(node.body) and not _always_returns(node.orelse):
                node.orelse = nest_returns(node.orelse + rest)
                return body[: index + 1]
            if rest and _always_returns(node.orelse) and not _always_returns(node.body):
                node.body = nest_returns(node.body + rest)
                return body[: index + 1]
    return body


def one_return(function: ast.FunctionDef, flags: Flags) -> None:
    """Rewrite a function so that its only `return` is its last statement."""
    function.body = nest_returns(function.body)
    inner = [n for n in function.body if _has_return(n) and not isinstance(n, ast.Return)]
    if not inner:
        return
    done, value = flags.new("returned"), "ag__result"

    def replace(node: ast.stmt) -> _Statements:
        assert isinstance(node, ast.Return)
        result = node.value or ast.copy_location(ast.Constant(None), node)
        keep = located(ast.Assign([ast.Name(value, ast.Store())], result), node)
        return [keep, set_flag(done, True, node)]  # a value that cannot be had is not returned

    first = function.body[0]
    if not _always_returns(function.body):
        last = function.body[-1]
        function.body.append(
            ast.copy_location(ast.Return(ast.copy_location(ast.Constant(None), last)), last)
        )
        function.body = nest_returns(function.body)
    for node in ast.walk(function):
        if isinstance(node, ast.For | ast.While) and any(_has_return(n) for n in node.body):
            node.stops = [*getattr(node, "stops", []), done]  # type: ignore[union-attr]
    body = _guarded(function.body, (ast.Return,), done, replace)
    start = [set_flag(done, False, first)]
    end = located(ast.Return(_name(value)), function.body[-1])
    function.body = [*start, *body, end]
