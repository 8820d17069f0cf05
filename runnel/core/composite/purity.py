"""Which functions compute tensors, and do nothing else: those that a file may name.

Nobody keeps a list. An op says in its declaration what it touches besides tensors (`effects`), and
a public function is judged by what it is made of: its code is walked, and that of everything it
refers to, down to the ops. It computes tensors if it comes to ops, none of which touches anything
else, and to nothing of Python's but the modules below. What cannot be told is not allowed.
"""

from __future__ import annotations

import builtins
import dis
import functools
import itertools
import sys
from collections.abc import Iterable
from types import BuiltinFunctionType, CodeType, FunctionType, MethodType, ModuleType
from typing import Any

from runnel.core.composite.dispatch import public_factories, real_body
from runnel.core.op.op import Op
from runnel.core.op.raw import raw_ops

# Modules of Python and others that functions on tensors use, and that touch nothing.
_HARMLESS = frozenset(
    "abc builtins collections contextlib contextvars copy copyreg dataclasses enum functools "
    "inspect itertools jax math ml_dtypes numbers numpy operator re string textwrap threading "
    "traceback types typing warnings weakref".split()
)
_HARMFUL = frozenset("__import__ breakpoint compile eval exec input open print".split())
_HOMES = (  # of public functions
    "runnel.ops.",
    "runnel.core.tensor.convert",
    "runnel.debugging.",
    "runnel.keras.backend.",
)
# What checks, converts and runs what a function calls, or makes layers of the calls.
_ENGINE = (
    "runnel.graph.",
    "runnel.core.op.op",
    "runnel.core.tensor.operators",
    "runnel.core.op.eager",
    "runnel.backend.jax",
    "runnel.core.settings.arguments",
    "runnel.core.values.tracebacks",
    "runnel.core.settings.device",
    "runnel.keras.engine.",
)
_IMPLICIT = frozenset("__init__ __new__ __post_init__ __enter__ __exit__ __call__".split())


def touches_nothing(op: Op) -> bool:
    """Whether an op only computes its outputs, from tensors and perhaps a random state."""
    return not op.leaves_program and (not op.stateful or op.state == "own")


def _op_behind(thing: Any) -> Op | None:
    """The op that a thing, or a function of `tf.raw_ops`, is."""
    op = getattr(thing, "op", None) if isinstance(thing, FunctionType) else thing
    return op if isinstance(op, Op) else None


@functools.cache
def computes_tensors(function: Any) -> bool:
    """Whether calling a function with anything does no more than to compute tensors."""
    op = _op_behind(function)
    if op is not None:
        return touches_nothing(op)
    if isinstance(function, MethodType):
        return any(function.__func__ is factory for factory in public_factories())
    if not isinstance(function, FunctionType) or not function.__module__.startswith(_HOMES):
        return False
    walk = Walk(function)
    return walk.comes_to_ops and not walk.harm


class Walk:
    """What one function refers to, by itself and through others."""

    def __init__(self, function: Any) -> None:
        self._seen: set[FunctionType] = set()
        self._waiting: list[tuple[FunctionType, type | None]] = []  # with the class of methods
        self.harm: list[Any] = []
        self.comes_to_ops = False
        self.reach(function)
        while self._waiting:
            function, owner = self._waiting.pop()
            if function not in self._seen:
                self._seen.add(function)
                self._read(function, owner)

    def _judge(self, harmless: bool, thing: Any) -> None:
        if not harmless:
            self.harm.append(thing)

    def _read(self, function: FunctionType, owner: type | None) -> None:
        body = real_body(function)
        if body is not None:  # the one it has asks for handlers of other values than tensors
            self.reach(body)
            return
        called = _names(function.__code__)
        if owner is not None:
            self._reach_methods(owner, called)
        for cell in function.__closure__ or ():
            self._reach_cell(cell, called)
        for path in _references(function.__code__):
            self.reach(_resolved(path, function.__globals__), called, function.__module__)

    def _reach_cell(self, cell: Any, called: frozenset[str]) -> None:
        try:
            self.reach(cell.cell_contents, called)
        except ValueError:  # empty
            return

    def reach(self, thing: Any, called: frozenset[str] = frozenset(), module: str = "") -> None:
        """Take a thing that a function refers to, whose code has the names `called`."""
        op = _op_behind(thing)
        if op is not None:
            self._take_op(op)
        elif thing is raw_ops:  # an op by a name that is computed: one of those declared there
            for op in _declared_in(module):
                self._take_op(op)
        elif isinstance(thing, ModuleType):
            self._take_module(thing, called)
        elif isinstance(thing, FunctionType):
            self._take_function(thing)
        elif isinstance(thing, BuiltinFunctionType):
            fine = thing.__name__ not in _HARMFUL or thing.__module__ not in ("builtins", "io")
            self._judge(fine and _is_harmless(thing.__module__), thing)
        elif isinstance(thing, type):
            self._take_class(thing, called)
        elif isinstance(thing, functools.partial | MethodType):
            self.reach(thing.func if isinstance(thing, functools.partial) else thing.__func__)
        elif isinstance(thing, list | tuple | dict):
            for part in thing.values() if isinstance(thing, dict) else thing:
                if not isinstance(part, FunctionType | type) or _is_own(part):
                    self.reach(part, called)  # others have been registered by the user's program
        elif hasattr(thing, "__wrapped__"):
            self.reach(thing.__wrapped__, called)
        elif _is_own(type(thing)):
            self._reach_methods(type(thing), called)

    def _take_op(self, op: Op) -> None:
        self.comes_to_ops = True
        self._judge(not op.leaves_program, op)

    def _take_module(self, module: ModuleType, called: frozenset[str]) -> None:
        """Of a module of ours, that in it which some code may have named."""
        if not module.__name__.startswith("runnel."):
            self._judge(_is_harmless(module.__name__), module)
            return
        for name in called.intersection(vars(module)):
            self.reach(vars(module)[name])

    def _take_function(self, function: FunctionType) -> None:
        if not _is_own(function):
            self._judge(_is_harmless(function.__module__), function)
        elif not function.__module__.startswith(_ENGINE):
            self._waiting.append((function, None))

    def _take_class(self, kind: type, called: frozenset[str]) -> None:
        if not _is_own(kind):
            self._judge(_is_harmless(kind.__module__), kind)
        elif not issubclass(kind, BaseException):
            self._reach_methods(kind, called | _IMPLICIT)

    def _reach_methods(self, kind: type, names: Iterable[str]) -> None:
        """Take the methods of these names, which are perhaps called on an object of a class."""
        if kind.__module__.startswith(_ENGINE):
            return
        for name in names:
            found = vars(kind).get(name)
            method = getattr(found, "__func__", getattr(found, "fget", found))
            if isinstance(method, FunctionType) and _is_own(method):
                self._waiting.append((method, kind))


def _is_own(thing: Any) -> bool:
    return (thing.__module__ or "").startswith("runnel.")


def _is_harmless(module: str | None) -> bool:
    return (module or "builtins").lstrip("_").partition(".")[0] in _HARMLESS


@functools.cache
def _declared_in(module: str) -> list[Op]:
    return [op for op in vars(raw_ops).values() if op.kernel.__module__ == module]


@functools.cache
def _names(code: CodeType) -> frozenset[str]:
    """All names in some code, and in functions inside it."""
    inner = [_names(part) for part in code.co_consts if isinstance(part, CodeType)]
    return frozenset(code.co_names).union(*inner)


@functools.cache
def _references(code: CodeType) -> list[tuple[str, ...]]:
    """The global names in some code, each with the attributes that follow: `("math", "prod")`.

    Those that it imports begin with an empty name and that of the module.
    """
    found: list[tuple[str, ...]] = []
    module = ""
    path: tuple[str, ...] = ()
    for instruction in dis.get_instructions(code):
        kind, name = instruction.opname, str(instruction.argval)
        if path and kind in ("LOAD_ATTR", "LOAD_METHOD"):
            path = (*path, name)
            continue
        found += [path] if path else []
        path = (name,) if kind in ("LOAD_GLOBAL", "LOAD_NAME") else ()
        if kind == "IMPORT_NAME":
            module = name
            found.append(("", module))
        elif kind == "IMPORT_FROM":
            if found[-1] == ("", module):
                found.pop()  # what is taken from it, not the module
            found.append(("", module, name))
    inner = [_references(part) for part in code.co_consts if isinstance(part, CodeType)]
    return [*found, *itertools.chain.from_iterable(inner)]


def _resolved(path: tuple[str, ...], names: dict[str, Any]) -> Any:
    """What a path of names stands for, as far as modules lead."""
    if path[0] == "":
        found: Any = sys.modules.get(path[1])
        rest = path[2:]
    else:
        found, rest = names.get(path[0], getattr(builtins, path[0], None)), path[1:]
    for name in rest:
        if not isinstance(found, ModuleType) and found is not raw_ops:
            break
        found = getattr(found, name, None)
    return found
