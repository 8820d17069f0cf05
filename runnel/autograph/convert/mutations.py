"""Statements that change a variable's value in place, rewritten as assignments.

A tensor cannot be changed, and a list that grows in a loop of the graph is another one after each
iteration. So `x[i] = v`, `l.append(v)`, `l.extend(v)`, `l.pop()` and `del x` of a local variable
give it a new value.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from runnel.autograph.convert.jumps import located


class Mutations(ast.NodeTransformer):
    """Rewrites one function; `is_local` says which names are its own variables."""

    def __init__(self, is_local: Callable[[str], bool]) -> None:
        self._is_local = is_local
        self.outside: dict[str, str] = {}  # names that `global` and `nonlocal` declare

    def _leave(self, node: ast.AST) -> ast.AST:
        return node

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = _leave
    # These become functions of their own, in which no variable of this one can be assigned.
    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _leave
    visit_BoolOp = visit_IfExp = _leave

    def _name(self, node: ast.AST) -> str | None:
        local = isinstance(node, ast.Name) and self._is_local(node.id)
        return node.id if local else None  # type: ignore[attr-defined]

    def visit_Global(self, node: ast.Global) -> ast.AST:
        self.outside.update(dict.fromkeys(node.names, "global"))
        return located(ast.Pass(), node)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> ast.AST:
        self.outside.update(dict.fromkeys(node.names, "nonlocal"))
        return located(ast.Pass(), node)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        """Annotated names cannot be `nonlocal`, which pieces of the function need."""
        if not isinstance(node.target, ast.Name):
            return node
        if node.value is None:
            return located(ast.Pass(), node)
        return self.visit(located(ast.Assign([node.target], node.value), node))  # type: ignore[no-any-return]

    def visit_Delete(self, node: ast.Delete) -> ast.AST | list[ast.stmt]:
        made: list[ast.stmt] = []
        for target in node.targets:
            name = self._name(target)
            value = ast.Call(_runtime("Undefined"), [ast.Constant(name)], [])
            made.append(
                located(ast.Delete([target]), node) if name is None else _assign(name, value, node)
            )
        return made

    def visit_While(self, node: ast.While) -> ast.AST:
        """The condition, too, becomes a function of its own."""
        test, node.test = node.test, ast.Constant(None)
        self.generic_visit(node)
        node.test = test
        return node

    def visit_Assign(self, node: ast.Assign) -> ast.AST | list[ast.stmt]:
        node.value = self.visit(node.value)
        if len(node.targets) != 1:
            return node
        target = node.targets[0]
        if isinstance(target, ast.Subscript) and (name := self._name(target.value)):
            return _set_item(name, target.slice, node.value, node)
        return node

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST:
        node.value = self.visit(node.value)
        target = node.target
        if isinstance(target, ast.Subscript) and (name := self._name(target.value)):
            if not _is_simple(target.slice):
                return node  # computing the index twice might do something twice
            old = ast.Subscript(ast.Name(name, ast.Load()), target.slice, ast.Load())
            return _set_item(name, target.slice, ast.BinOp(old, node.op, node.value), node)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute):
            name = self._name(call.func.value)
            grows = call.func.attr in ("append", "extend")
            if name and grows and len(call.args) == 1 and not call.keywords:
                arguments = [ast.Name(name, ast.Load()), call.args[0]]
                arguments[1] = self.visit(arguments[1])
                return _assign(name, ast.Call(_runtime(call.func.attr), arguments, []), node)
        node.value = self.visit(call)
        return node

    def visit_Call(self, node: ast.Call) -> ast.AST:
        """`name.pop(…)` as `popped(name := without_last(name, …))`."""
        node = self.generic_visit(node)  # type: ignore[assignment]
        name = self._name(node.func.value) if isinstance(node.func, ast.Attribute) else None
        if not name or node.func.attr != "pop" or len(node.args) > 1 or node.keywords:  # type: ignore[attr-defined]
            return node
        rest = ast.Call(_runtime("without_last"), [ast.Name(name, ast.Load()), *node.args], [])
        kept = ast.NamedExpr(ast.Name(name, ast.Store()), rest)
        return ast.fix_missing_locations(
            ast.copy_location(ast.Call(_runtime("popped"), [kept], []), node)
        )


def _runtime(name: str) -> ast.expr:
    return ast.Attribute(ast.Name("ag__", ast.Load()), name, ast.Load())


def _assign(name: str, value: ast.expr, like: ast.AST) -> ast.stmt:
    return located(ast.Assign([ast.Name(name, ast.Store())], value), like)


def _set_item(name: str, index: ast.expr, value: ast.expr, like: ast.AST) -> ast.stmt:
    arguments = [ast.Name(name, ast.Load()), _as_value(index), value]
    return _assign(name, ast.Call(_runtime("set_item"), arguments, []), like)


def _as_value(index: ast.expr) -> ast.expr:
    """An index as an expression that can be passed on: `1:3` is `slice(1, 3, None)`."""
    if isinstance(index, ast.Tuple):
        return ast.Tuple([_as_value(part) for part in index.elts], ast.Load())
    if not isinstance(index, ast.Slice):
        return index
    parts = [part or ast.Constant(None) for part in (index.lower, index.upper, index.step)]
    return ast.Call(ast.Name("slice", ast.Load()), parts, [])


def _is_simple(node: ast.expr) -> bool:
    allowed = ast.Name | ast.Constant | ast.Slice | ast.Tuple | ast.UnaryOp | ast.BinOp
    return all(
        isinstance(n, allowed | ast.expr_context | ast.unaryop | ast.operator)
        for n in ast.walk(node)
    )
