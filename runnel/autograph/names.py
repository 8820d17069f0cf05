"""Which names a piece of code binds."""

from __future__ import annotations

import ast
from collections.abc import Iterable


class _Bound(ast.NodeVisitor):
    def __init__(self) -> None:
        self.names: dict[str, None] = {}
        self.outside: set[str] = set()

    def visit_Name(self, node: ast.Name) -> None:
        if isinstance(node.ctx, ast.Store | ast.Del):
            self.names[node.id] = None

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        self.names[node.name] = None  # what it binds inside is its own

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.names[node.name] = None

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        self.names[node.name] = None

    def visit_Lambda(self, node: ast.Lambda) -> None:
        return

    def _visit_comprehension(self, node: ast.AST) -> None:
        return

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self.names[(alias.asname or alias.name).split(".")[0]] = None

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        for alias in node.names:
            self.names[alias.asname or alias.name] = None

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> None:
        if node.name:
            self.names[node.name] = None
        self.generic_visit(node)

    def visit_Global(self, node: ast.Global) -> None:
        self.outside.update(node.names)

    def visit_Nonlocal(self, node: ast.Nonlocal) -> None:
        self.outside.update(node.names)


def bound(body: Iterable[ast.AST]) -> list[str]:
    """The names that statements bind in the function they stand in, in order of appearance."""
    visitor = _Bound()
    for node in body:
        visitor.visit(node)
    return [name for name in visitor.names if name not in visitor.outside]


def declared_outside(body: Iterable[ast.AST]) -> set[str]:
    """The names that `global` and `nonlocal` statements declare."""
    visitor = _Bound()
    for node in body:
        visitor.visit(node)
    return visitor.outside
