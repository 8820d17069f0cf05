"""Rewriting control flow and calls into calls of the runtime, `ag__`; line numbers stay."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from runnel.autograph.convert.jumps import Flags, LoopJumps, located, one_return
from runnel.autograph.convert.mutations import Mutations
from runnel.autograph.convert.names import assigned_places, bound, dotted, is_generator, own_nodes
from runnel.autograph.undefined import RESULT


def _runtime(name: str) -> ast.expr:
    return ast.Attribute(ast.Name("ag__", ast.Load()), name, ast.Load())


def _call(name: str, *args: ast.expr, like: ast.AST) -> ast.expr:
    call = ast.copy_location(ast.Call(_runtime(name), list(args), []), like)
    # Python gives the call of an attribute the last line of the attribute: let it be the first.
    function = ast.copy_location(call.func, like)
    function.end_lineno, function.end_col_offset = function.lineno, function.col_offset
    return ast.fix_missing_locations(call)


def _lambda(body: ast.expr, *names: str) -> ast.Lambda:
    return ast.Lambda(_arguments(*names), body)


def _arguments(*names: str) -> ast.arguments:
    return ast.arguments([], [ast.arg(n) for n in names], None, [], [], None, [])


_CONTROL = ast.If | ast.For | ast.While


class _Scope:
    """The variables of one function."""

    def __init__(self, node: ast.FunctionDef) -> None:
        self.arguments = [a.arg for a in _all_arguments(node.args)]
        self.first = self.arguments[0] if self.arguments else None
        self.local = {*self.arguments, *bound(node.body)}
        self.outside: dict[str, str] = {}
        self.unsure: list[str] = []
        self.exposed: set[str] = set()  # what code that is not converted reads, unchecked

    def finish(self, node: ast.FunctionDef, outside: dict[str, str]) -> None:
        """Find, once jumps and mutations are rewritten, the variables that may have no value."""
        self.outside = outside
        self.local = {*self.arguments, *bound(node.body)} - set(outside)
        parts = [n for n in own_nodes(node) if isinstance(n, _CONTROL | ast.Match | ast.Try)]
        changed = dict.fromkeys(name for part in parts for name in bound([part]))
        deleted = {
            n.targets[0].id: None
            for n in own_nodes(node)
            if isinstance(n, ast.Assign)
            and _is_undefined(n.value)
            and isinstance(n.targets[0], ast.Name)
        }
        self.initial = [n for n in changed if n in self.local and n not in self.arguments]
        self.unsure = [*[n for n in changed if n in self.local], *deleted]
        alone = [n for n in own_nodes(node) if _is_left_alone(n)]
        self.exposed = {n.id for part in alone for n in ast.walk(part) if isinstance(n, ast.Name)}


def _is_undefined(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and dotted(node.func) == "ag__.Undefined"


class Converter(ast.NodeTransformer):
    """Converts one function."""

    def __init__(self, flags: Flags, own_class: str | None, *, recursive: bool = True) -> None:
        self._flags = flags
        self._call = "converted_call" if recursive else "plain_call"
        self._own_class = own_class
        self._scopes: list[_Scope] = []

    def convert(self, function: ast.FunctionDef) -> ast.FunctionDef:
        """The function with its control flow as calls."""
        function.decorator_list = []
        function.returns = None
        for argument in _all_arguments(function.args):
            argument.annotation = None
        function.args.defaults = [ast.Constant(None) for _ in function.args.defaults]
        function.args.kw_defaults = [d and ast.Constant(None) for d in function.args.kw_defaults]
        return self._function(function)

    def _function(self, node: ast.FunctionDef) -> ast.FunctionDef:
        LoopJumps(self._flags).rewrite(node)
        one_return(node, self._flags)
        scope = _Scope(node)
        declared = {
            name
            for n in own_nodes(node)
            if isinstance(n, ast.Global | ast.Nonlocal)
            for name in n.names
        }
        local = scope.local - declared
        mutations = Mutations(lambda name: name in local)
        node.body = [s for old in node.body for s in _listed(mutations.visit(old))]
        scope.finish(node, mutations.outside)
        docstring, body = _split_docstring(node.body)
        self._scopes.append(scope)
        new_body = self._block(body)
        self._scopes.pop()
        undefined = [self._define(n, node) for n in scope.initial]
        declarations = [located(s, node) for s in self._declared(scope, list(scope.outside))]
        node.body = [*docstring, *declarations, *undefined, *new_body] or [
            ast.copy_location(ast.Pass(), node)
        ]
        return node

    def _define(self, name: str, like: ast.AST) -> ast.stmt:
        is_flag = name.startswith("ag__") and name != RESULT
        fresh = _call("Undefined", ast.Constant(name), like=like)
        value = ast.Constant(False) if is_flag else fresh
        return located(ast.Assign([ast.Name(name, ast.Store())], value), like)

    def _block(self, body: Sequence[ast.stmt]) -> list[ast.stmt]:
        return [s for statement in body for s in _listed(self.visit(statement))]

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        decorators = [self.visit(d) for d in node.decorator_list]
        if _is_left_alone(node):
            return node
        node.args.defaults = [self.visit(d) for d in node.args.defaults]
        node.args.kw_defaults = [d and self.visit(d) for d in node.args.kw_defaults]
        converted = self._function(node)
        mark = ast.copy_location(_runtime("converted"), node)
        converted.decorator_list = [*decorators, ast.fix_missing_locations(mark)]
        return converted

    def visit_Lambda(self, node: ast.Lambda) -> ast.AST:
        node.args.defaults = [self.visit(d) for d in node.args.defaults]
        node.args.kw_defaults = [d and self.visit(d) for d in node.args.kw_defaults]
        node.body = self.visit(node.body)
        return _call("converted", node, like=node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        return node

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> ast.AST:
        return node

    def visit_Name(self, node: ast.Name) -> ast.AST:
        """A variable that may have no value is checked when it is read."""
        unsure = isinstance(node.ctx, ast.Load) and any(
            node.id in scope.unsure for scope in self._scopes
        )
        if not unsure or (node.id.startswith("ag__") and node.id != RESULT):
            return node
        return _call("ld", node, like=node)

    def visit_AugAssign(self, node: ast.AugAssign) -> ast.AST | list[ast.stmt]:
        node.value = self.visit(node.value)
        node.target = self.visit(node.target)
        if isinstance(node.target, ast.Name) and node.target.id in self._scopes[-1].unsure:
            read = _call("ld", ast.Name(node.target.id, ast.Load()), like=node)
            return [located(ast.Assign([ast.Name(node.target.id, ast.Store())], read), node), node]
        return node

    # Statements

    def _state(self, names: Sequence[str], like: ast.AST) -> tuple[list[ast.stmt], str, str]:
        """Functions that get and set the variables `names`; their definitions and names."""
        get, put = self._flags.new("get"), self._flags.new("set")
        values = ast.Tuple([_reading(n, like) for n in names], ast.Load())
        getter = ast.FunctionDef(get, _arguments(), [ast.Return(values)], [], None)
        body: list[ast.stmt] = [_putting(n, i, like) for i, n in enumerate(names)]
        body = [*self._nonlocal(names), *body] or [ast.Pass()]
        setter = ast.FunctionDef(put, _arguments("ag__values"), body, [], None)
        return [located(getter, like), located(setter, like)], get, put

    def _nonlocal(self, names: Sequence[str]) -> list[ast.stmt]:
        """Declarations for a function inside that assigns these variables of the one around it."""
        scope = self._scopes[-1]
        plain = [n for n in names if n.isidentifier() and n not in scope.outside]
        declared = self._declared(scope, [n for n in names if n in scope.outside])
        return [*([ast.Nonlocal(plain)] if plain else []), *declared]

    def _declared(self, scope: _Scope, names: Sequence[str]) -> list[ast.stmt]:
        kinds = {"global": ast.Global, "nonlocal": ast.Nonlocal}
        found: list[ast.stmt] = []
        for kind, make in kinds.items():
            chosen = [n for n in names if scope.outside[n] == kind]
            if chosen:
                found.append(make(chosen))
        return found

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

    def _modified(self, *bodies: Sequence[ast.AST]) -> list[str]:
        """The variables, attributes and elements that statements change, in order."""
        scope = self._scopes[-1]
        found: dict[str, None] = {}
        for body in bodies:
            found.update(dict.fromkeys(bound(body)))
        names = [n for n in found if n in scope.local or n in scope.outside]
        return [*names, *assigned_places([node for body in bodies for node in body])]

    def _names(self, names: Sequence[str], like: ast.AST) -> ast.expr:
        """What the runtime is told of the variables that a statement changes."""
        exposed = {n for scope in self._scopes for n in scope.exposed}
        found = [ast.Constant(n) for n in names]
        told = [_call("Exposed", n, like=like) if n.value in exposed else n for n in found]
        return ast.Tuple(told, ast.Load())

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
            self._names(names, node),
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
        walrus = self._modified([test])
        names = list(dict.fromkeys([*walrus, *names]))
        check, check_name = self._piece("test", [located(ast.Return(test), node)], walrus, node)
        body, body_name = self._piece("body", self._block(node.body), names, node)
        definitions, get, put = self._state(names, node)
        call = _call(
            "while_stmt",
            *[ast.Name(n, ast.Load()) for n in (check_name, body_name, get, put)],
            self._names(names, node),
            ast.Constant(bool(walrus)),
            like=node,
        )
        return [*definitions, check, body, located(ast.Expr(call), node)]

    def visit_For(self, node: ast.For) -> ast.AST | list[ast.stmt]:
        target = located(ast.Assign([node.target], ast.Name("ag__item", ast.Load())), node)
        names = self._modified([target], node.body)
        target = self.visit(target)
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
            self._names(names, node),
            ast.Constant(node.target.id if isinstance(node.target, ast.Name) else None),
            like=node,
        )
        return [*definitions, *pieces, body, located(ast.Expr(call), node)]

    def visit_Assert(self, node: ast.Assert) -> ast.AST:
        message = node.msg or ast.Constant(None)
        call = _call("assert_stmt", self.visit(node.test), _lambda(self.visit(message)), like=node)
        return located(ast.Expr(call), node)

    # Expressions

    def visit_BoolOp(self, node: ast.BoolOp) -> ast.AST:
        self.generic_visit(node)
        if _binds(node):
            return node  # a lambda would keep the name to itself
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
        if _binds(node):
            return node
        return _call("if_exp", node.test, _lambda(node.body), _lambda(node.orelse), like=node)

    def visit_Compare(self, node: ast.Compare) -> ast.AST:
        self.generic_visit(node)
        if len(node.ops) == 1 or _binds(node):
            return node
        rest = [
            ast.Tuple([ast.Constant(type(op).__name__), _lambda(operand)], ast.Load())
            for op, operand in zip(node.ops, node.comparators, strict=True)
        ]
        return _call("compare", node.left, *rest, like=node)

    def _comprehension(self, node: ast.ListComp | ast.GeneratorExp) -> ast.AST:
        """One `for` over what may be a tensor; others are left to Python.

        So is one whose elements are functions: these see the last value of the loop's variable.
        """
        left = len(node.generators) != 1 or _binds(node) or node.generators[0].is_async
        if left or any(
            isinstance(part, ast.Lambda | ast.GeneratorExp) for part in ast.walk(node.elt)
        ):
            self.generic_visit(node)
            return node
        self.generic_visit(node)
        loop = node.generators[0]
        tests = loop.ifs
        test = None if not tests else tests[0] if len(tests) == 1 else ast.BoolOp(ast.And(), tests)
        kind = "list" if isinstance(node, ast.ListComp) else "generator"
        return _call(
            "comprehension",
            ast.Constant(kind),
            loop.iter,
            ast.Constant(None) if test is None else _unpacking(loop.target, test),
            _unpacking(loop.target, node.elt),
            like=node,
        )

    visit_ListComp = visit_GeneratorExp = _comprehension

    def visit_Call(self, node: ast.Call) -> ast.AST:
        if isinstance(node.func, ast.Name) and node.func.id == "super" and not node.args:
            if self._own_class is not None and self._scopes[0].first is not None:
                node.args = [
                    ast.Name(self._own_class, ast.Load()),
                    ast.Name(self._scopes[0].first, ast.Load()),
                ]
            return ast.fix_missing_locations(node)
        self.generic_visit(node)
        if (dotted(node.func) or "").endswith("set_loop_options"):
            _limit_outside(node)
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
        node.func = _call(self._call, node.func, like=node.func)
        return node


def _limit_outside(call: ast.Call) -> None:
    """The most iterations are computed before the loop whose options they are."""
    for option in call.keywords:
        if option.arg == "maximum_iterations":
            option.value = _call("before_loop", _lambda(option.value), like=option.value)


def _listed(found: ast.AST | list[ast.stmt]) -> list[ast.stmt]:
    return found if isinstance(found, list) else [found]  # type: ignore[list-item]


def _binds(node: ast.AST) -> bool:
    """Whether an expression assigns a name with `:=`."""
    return any(isinstance(n, ast.NamedExpr) for n in ast.walk(node))


def _is_left_alone(node: ast.AST) -> bool:
    """Whether a definition inside a function is not converted with it."""
    if not isinstance(node, ast.FunctionDef):
        return isinstance(node, ast.AsyncFunctionDef | ast.ClassDef)
    marks = [dotted(decorator) or "" for decorator in node.decorator_list]
    return is_generator(node) or any(mark.endswith("do_not_convert") for mark in marks)


def _reading(name: str, like: ast.AST) -> ast.expr:
    """The value of a variable, or of an attribute or element if there is one."""
    if name.isidentifier():
        return ast.Name(name, ast.Load())
    return _call("ldu", _lambda(_place(name, ast.Load(), like)), ast.Constant(name), like=like)


def _putting(name: str, place: int, like: ast.AST) -> ast.stmt:
    """Give a variable its value back; an attribute or element that had none is deleted."""
    value = ast.Subscript(ast.Name("ag__values", ast.Load()), ast.Constant(place), ast.Load())
    if name.isidentifier():
        return ast.Assign([ast.Name(name, ast.Store())], value)
    assign = ast.Assign([_place(name, ast.Store(), like)], value)
    delete = ast.Delete([_place(name, ast.Del(), like)])
    absent = ast.ExceptHandler(_runtime("ABSENT"), None, [ast.Pass()])
    test = _call("has_value", value, like=like)
    return ast.If(test, [assign], [ast.Try([delete], [absent], [], [])])


def _place(text: str, context: ast.expr_context, like: ast.AST) -> ast.expr:
    place = ast.parse(text, mode="eval").body
    place.ctx = context  # type: ignore[attr-defined]
    for node in ast.walk(place):
        ast.copy_location(node, like)
    return place


def _unpacking(target: ast.expr, value: ast.expr) -> ast.expr:
    """A function of one item that computes `value` with the names of `target`."""
    if isinstance(target, ast.Name):
        return _lambda(value, target.id)
    loop = ast.comprehension(
        target, ast.List([ast.Name("ag__item", ast.Load())], ast.Load()), [], 0
    )
    return _lambda(
        ast.Subscript(ast.ListComp(value, [loop]), ast.Constant(0), ast.Load()), "ag__item"
    )


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
