"""Which names a piece of code binds, and which attributes and elements it assigns."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator


class _Bound(ast.NodeVisitor):
    def __init__(self) -> None:
        self.names: dict[str, None] = {}

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

    def visit_MatchAs(self, node: ast.MatchAs) -> None:
        if node.name:
            self.names[node.name] = None
        self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> None:
        if node.name:
            self.names[node.name] = None

    # The name of an `except … as name` is gone after its block, so it is none of these.


def bound(body: Iterable[ast.AST]) -> list[str]:
    """The names that statements bind in the function they stand in, in order of appearance."""
    visitor = _Bound()
    for node in body:
        visitor.visit(node)
    return list(visitor.names)


class _Places(ast.NodeVisitor):
    """Attributes and elements that are assigned; not those in functions inside."""

    def __init__(self) -> None:
        self.found: dict[str, ast.expr] = {}

    def _visit_place(self, node: ast.Attribute | ast.Subscript) -> None:
        if isinstance(node.ctx, ast.Store) and _is_place(node):
            self.found[ast.unparse(node)] = node
        self.generic_visit(node)

    visit_Attribute = visit_Subscript = _visit_place

    def _skip(self, node: ast.AST) -> None:
        return

    visit_FunctionDef = visit_AsyncFunctionDef = visit_ClassDef = visit_Lambda = _skip


def _is_place(node: ast.expr) -> bool:
    """Whether an expression is made of names, attributes and elements whose keys are plain."""
    if isinstance(node, ast.Attribute):
        return _is_place(node.value)
    if isinstance(node, ast.Subscript):
        return isinstance(node.slice, ast.Name | ast.Constant) and _is_place(node.value)
    return isinstance(node, ast.Name)


def dotted(node: ast.expr) -> str | None:
    """`a.b.c` for such an expression, None for others."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        path = dotted(node.value)
        return None if path is None else f"{path}.{node.attr}"
    return None


def assigned_places(body: Iterable[ast.AST]) -> list[str]:
    """The attributes and elements that statements assign, such as `self.total`, `x['a'][0]`.

    What is in an object that the same statements make is no concern of the code around them.
    """
    body = list(body)
    visitor, own = _Places(), set(bound(body))
    for node in body:
        visitor.visit(node)
    names = {
        place: {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}
        for place, node in visitor.found.items()
    }
    return [place for place, inside in names.items() if not inside & own]


def own_nodes(function: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a function without those of functions and classes inside it."""
    pending = list(ast.iter_child_nodes(function))
    while pending:
        node = pending.pop(0)
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
            pending.extend(ast.iter_child_nodes(node))


def is_generator(function: ast.AST) -> bool:
    """Whether a function yields."""
    kinds = ast.Yield | ast.YieldFrom | ast.Await
    return any(isinstance(node, kinds) for node in own_nodes(function))
