"""Rewriting control flow and calls into calls of the runtime (`ag__`), keeping the user's line numbers."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from runnel.autograph.jumps import Flags, LoopJumps, located, one_return
from runnel.autograph.names import bound, declared_outside


def _runtime(name: str) -> ast.expr:
    return ast.Attribute(ast.Name("ag__", ast.Load()), name, ast.Load())


def _call(name: str, *args: ast.expr, like: ast.AST) -> ast.expr:
    call = ast.copy_location(ast.Call(_runtime(name), list(args), []), like)
    return ast.fix_missing_locations(call)


def _lambda(body: ast.expr) -> ast.Lambda:
    return ast.Lambda(_arguments(), body)


def _arguments(*names: str) -> ast.arguments:
    return ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])


def _strings(names: Sequence[str]) -> ast.expr:
    return ast.Tuple([ast.Constant(n) for n in names], ast.Load())


class Converter(ast.NodeTransformer):
    """Converts one function, whose jumps are already rewritten."""

    def __init__(self, flags: Flags, own_class: str | None) -> None:
        self._flags = flags
        self._own_class = own_class
        self._scopes: list[set[str]] = []
        self._first: list[str | None] = []

    def convert(self, function: ast.FunctionDef) -> ast.FunctionDef:
        """The function with its control flow as calls."""
        function.decorator_list = []
        return self._function(function)

    def _function(self, node: ast.FunctionDef) -> ast.FunctionDef:
        LoopJumps(self._flags).visit(node)
        one_return(node, self._flags)
        arguments = [a.arg for a in _all_arguments(node.args)]
        outside = declared_outside(node.body)
        local = [n for n in bound(node.body) if n not in arguments]
        docstring, body = _split_docstring(node.body)
        self._scopes.append((set(local) | set(arguments)) - outside)
        self._first.append(arguments[0] if arguments else None)
        new_body = self._block(body)
        self._first.pop()
        self._scopes.pop()
        undefined = [self._define(n, node) for n in local if n not in outside]
        node.body = [*docstring, *undefined, *new_body] or [ast.copy_location(ast.Pass(), node)]
        node.args.defaults = [self.visit(d) for d in node.args.defaults]
        node.args.kw_defaults = [
            None if d is None else self.visit(d) for d in node.args.kw_defaults
        ]
        return node

    def _define(self, name: str, like: ast.AST) -> ast.stmt:
        is_flag = name.startswith("ag__") and name != "ag__result"
        value = (
            ast.Constant(False) if is_flag else _call("Undefined", ast.Constant(name), like=like)
        )
        return located(ast.Assign([ast.Name(name, ast.Store())], value), like)

    def _block(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        result: list[ast.stmt] = []
        for statement in body:
            new = self.visit(statement)
            result.extend(new) if isinstance(new, list) else result.append(new)
        return result

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        decorators = [self.visit(d) for d in node.decorator_list]
        converted = self._function(node)
        converted.decorator_list = decorators
        return converted

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return node

    # Statements

    def _state(self, names: Sequence[str], like: ast.AST) -> tuple[list[ast.stmt], str, str]:
        """Functions that get and set the variables `names`; their definitions and names."""
        get, put = self._flags.new("get"), self._flags.new("set")
        values = ast.Tuple([ast.Name(n, ast.Load()) for n in names], ast.Load())
        getter = ast.FunctionDef(get, _arguments(), [ast.Return(values)], [], None)
        target = ast.Tuple([ast.Name(n, ast.Store()) for n in names], ast.Store())
        assign: list[ast.stmt] = [ast.Assign([target], ast.Name("ag__values", ast.Load()))]
        body = [*self._nonlocal(names), *assign] if names else [ast.Pass()]
        setter = ast.FunctionDef(put, _arguments("ag__values"), body, [], None)
        return [located(getter, like), located(setter, like)], get, put

    def _nonlocal(self, names: Sequence[str]) -> list[ast.stmt]:
        return [ast.Nonlocal(list(names))] if names else []

    def _piece(
        self,
        kind: str,
        body: Sequence[ast.stmt],
        names: Sequence[str],
        like: ast.AST,
        *arguments: str,
    ) -> tuple[ast.stmt, str]:
        """A part of the function as a function of its own, which shares its variables."""
        name = self._flags.new(kind)
        inner = [*self._nonlocal(names), *body] or [ast.Pass()]
        made = ast.FunctionDef(name, _arguments(*arguments), inner, [], None)
        return located(made, like), name

    def _modified(self, *bodies: Sequence[ast.stmt]) -> list[str]:
        found: dict[str, None] = {}
        for body in bodies:
            found.update(dict.fromkeys(bound(body)))
        return [n for n in found if n in self._scopes[-1] or n.startswith("ag__")]

    def visit_If(self, node: ast.If) -> ast.AST | list[ast.stmt]:
        names = self._modified(node.body, node.orelse)
        test = self.visit(node.test)
        then, then_name = self._piece("then", self._block(node.body), names, node)
        other, other_name = self._piece("else", self._block(node.orelse), names, node)
        definitions, get, put = self._state(names, node)
        call = _call(
            "if_stmt",
            test,
            *[ast.Name(n, ast.Load()) for n in (then_name, other_name, get, put)],
            _strings(names),
            like=node,
        )
        return [*definitions, then, other, located(ast.Expr(call), node)]

    def _going_on(self, node: ast.For | ast.While) -> ast.expr | None:
        """The condition that no flag of the loop is set."""
        stops: list[str] = getattr(node, "stops", [])
        if not stops:
            return None
        flags: list[ast.expr] = [ast.UnaryOp(ast.Not(), ast.Name(s, ast.Load())) for s in stops]
        return flags[0] if len(flags) == 1 else ast.BoolOp(ast.And(), flags)

    def visit_While(self, node: ast.While) -> ast.AST | list[ast.stmt]:
        names = self._modified(node.body)
        going = self._going_on(node)
        test = node.test if going is None else ast.BoolOp(ast.And(), [going, node.test])
        test = self.visit(ast.fix_missing_locations(ast.copy_location(test, node)))
        check, check_name = self._piece("test", [located(ast.Return(test), node)], [], node)
        body, body_name = self._piece("body", self._block(node.body), names, node)
        definitions, get, put = self._state(names, node)
        call = _call(
            "while_stmt",
            *[ast.Name(n, ast.Load()) for n in (check_name, body_name, get, put)],
            _strings(names),
            like=node,
        )
        return [*definitions, check, body, located(ast.Expr(call), node)]

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        target = located(ast.Assign([node.target], ast.Name("ag__item", ast.Load())), node)
        names = self._modified([target], node.body)
        going = self._going_on(node)
        pieces: list[ast.stmt] = []
        check: ast.expr = ast.Constant(None)
        if going is not None:
            test = self.visit(ast.fix_missing_locations(ast.copy_location(going, node)))
            made, check_name = self._piece("test", [located(ast.Return(test), node)], [], node)
            pieces.append(made)
            check = ast.Name(check_name, ast.Load())
        body, body_name = self._piece(
            "body", [target, *self._block(node.body)], names, node, "ag__item"
        )
        definitions, get, put = self._state(names, node)
        call = _call(
            "for_stmt",
            self.visit(node.iter),
            check,
            *[ast.Name(n, ast.Load()) for n in (body_name, get, put)],
            _strings(names),
            like=node,
        )
        return [*definitions, *pieces, body, located(ast.Expr(call), node)]

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        message = node.msg or ast.Constant(None)
        call = _call("assert_stmt", self.visit(node.test), _lambda(self.visit(message)), like=node)
        return located(ast.Expr(call), node)

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        """`x[i] = v` may be on a tensor, which cannot be changed: it is given a new value."""
        self.generic_visit(node)
        if len(node.targets) == 1 and isinstance(target := node.targets[0], ast.Subscript):
            if isinstance(target.value, ast.Name) and target.value.id in self._scopes[-1]:
                name = target.value.id
                index = target.slice
                index = (
                    ast.Call(ast.Name("slice", ast.Load()), _slice_parts(index), [])
                    if isinstance(index, ast.Slice)
                    else index
                )
                if not any(isinstance(n, ast.Slice) for n in ast.walk(index)):
                    value = _call(
                        "set_item", ast.Name(name, ast.Load()), index, node.value, like=node
                    )
                    return located(ast.Assign([ast.Name(name, ast.Store())], value), node)
        return node

    def visit_Expr(self, node: ast.Expr) -> ast.AST:
        """`l.append(x)` becomes `l = ag__.append(l, x)`, so that a list can grow inside a loop of the graph."""
        call = node.value
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "append"
            and isinstance(call.func.value, ast.Name)
            and call.func.value.id in self._scopes[-1]
            and len(call.args) == 1
            and not call.keywords
        ):
            name = call.func.value.id
            value = _call("append", ast.Name(name, ast.Load()), self.visit(call.args[0]), like=node)
            return located(ast.Assign([ast.Name(name, ast.Store())], value), node)
        self.generic_visit(node)
        return node

    # Expressions

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        name = "and_" if isinstance(node.op, ast.And) else "or_"
        result = node.values[-1]
        for value in reversed(node.values[:-1]):
            result = _call(name, _lambda(value), _lambda(result), like=node)
        return result

    def visit_UnaryOp(self, node: ast.UnaryOp) -> ast.AST:
        self.generic_visit(node)
        return _call("not_", node.operand, like=node) if isinstance(node.op, ast.Not) else node

    def visit_IfExp(self, node: ast.IfExp) -> ast.AST:
        self.generic_visit(node)
        return _call("if_exp", node.test, _lambda(node.body), _lambda(node.orelse), like=node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1:
            return node
        operands = [node.left, *node.comparators]
        pairs: list[ast.expr] = [
            ast.Compare(operands[i], [op], [operands[i + 1]]) for i, op in enumerate(node.ops)
        ]
        result = pairs[-1]
        for pair in reversed(pairs[:-1]):
            result = _call("and_", _lambda(pair), _lambda(result), like=node)
        return ast.fix_missing_locations(ast.copy_location(result, node))

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            if self._own_class is not None and self._first[-1] is not None:
                node.args = [
                    ast.Name(self._own_class, ast.Load()),
                    ast.Name(self._first[-1], ast.Load()),
                ]
            return ast.fix_missing_locations(node)
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in (
            "locals",
            "globals",
            "super",
            "breakpoint",
        ):
            return node
        if (
            isinstance(node.func, ast.Attribute)
            and isinstance(node.func.value, ast.Name)
            and node.func.value.id == "ag__"
        ):
            return node
        node.func = _call("converted_call", node.func, like=node.func)
        return node


def _slice_parts(index: ast.Slice) -> list[ast.expr]:
    return [part or ast.Constant(None) for part in (index.lower, index.upper, index.step)]


def _all_arguments(args: ast.arguments) -> list[ast.arg]:
    extra = [a for a in (args.vararg, args.kwarg) if a is not None]
    return [*args.posonlyargs, *args.args, *args.kwonlyargs, *extra]


def _split_docstring(body: list[ast.stmt]) -> tuple[list[ast.stmt], list[ast.stmt]]:
    first = body[0]
    if (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        return [first], body[1:]
    return [], body
