"""Public functions on values that are not tensors: ragged ones, extension types, Keras's.

A function knows nothing of this. When somebody registers a handler for it, `install` gives the
function object a new body, so that every module that has imported it sees the change:

    def add(x, y, name=None):
        try:
            return __itself_add(x, y, name)          # the body it had
        except Exception:
            __found = __other_add((x, y, name), {})  # a handler for arguments of these types
            if __found is None:
                raise
        return __found(x, y, name)

So the way through tensors costs one more Python call (some 40 ns) and no check of types: whatever
is not a tensor fails to become one, and only then is a handler looked for. Handlers of users
(`tf.experimental.dispatch_for_api` and its family) come first, though, as in TensorFlow; a function
that has one asks for it before it tries.

There are two kinds of handlers. A *target* belongs to one function and says by a signature which
types of arguments it takes. A `GlobalOpDispatcher` is asked last, and for every public function.
"""

from __future__ import annotations

import ast
import inspect
import numbers
import sys
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from types import CodeType, FunctionType, ModuleType
from typing import Any, NamedTuple

import numpy as np

from runnel.core.tensor.indexing import getitem
from runnel.core.tensor.operators import Operators
from runnel.core.tensor.tensor import Tensor

Check = Callable[[Any], bool]


class _Target(NamedTuple):
    """A handler, and the types by position or name of the arguments it takes."""

    handler: Callable[..., Any]
    signatures: tuple[Mapping[int, Check], ...]
    call: Callable[..., Any]
    is_users: bool

    def takes(self, args: tuple[Any, ...]) -> bool:
        return any(
            all(i < len(args) and check(args[i]) for i, check in signature.items())
            and (not self.is_users or any(i < len(args) and _is_other(args[i]) for i in signature))
            for signature in self.signatures
        )


class Parameters(NamedTuple):
    """The parameters of a function, as the text of a new one needs them.

    Defaults are not among them: they stay with the function object.
    """

    positional: tuple[str, ...]
    more: str
    keywords: tuple[str, ...]
    others: str

    @staticmethod
    def of(function: FunctionType) -> Parameters:
        code = _written(function).__code__
        names = iter(code.co_varnames)
        positional = tuple(next(names) for _ in range(code.co_argcount))
        keywords = tuple(next(names) for _ in range(code.co_kwonlyargcount))
        more = next(names) if code.co_flags & inspect.CO_VARARGS else ""
        others = next(names) if code.co_flags & inspect.CO_VARKEYWORDS else ""
        return Parameters(positional, more, keywords, others)

    @property
    def names(self) -> list[str]:
        return [name for name in (*self.positional, self.more, *self.keywords, self.others) if name]

    def declared(self) -> str:
        """The parameters between the parentheses of a `def`."""
        star = [f"*{self.more}"] if self.more or self.keywords else []
        others = [f"**{self.others}"] if self.others else []
        return ", ".join([*self.positional, *star, *self.keywords, *others])

    def passed(self) -> str:
        """The parameters as the arguments of a call."""
        more = [f"*{self.more}"] if self.more else []
        others = [f"**{self.others}"] if self.others else []
        named = [f"{name}={name}" for name in self.keywords]
        return ", ".join([*self.positional, *more, *named, *others])

    def packed(self) -> str:
        """The same as a tuple and a dict."""
        more = [f"*{self.more}"] if self.more else []
        others = [f"**{self.others}"] if self.others else []
        args = "".join(f"{name}, " for name in [*self.positional, *more])
        named = [f"{name!r}: {name}" for name in self.keywords]
        return f"({args}), {{{', '.join([*named, *others])}}}"


class Api:
    """What is known of a public function that has handlers."""

    def __init__(self, function: FunctionType) -> None:
        self.function = function
        self.parameters = Parameters.of(function)
        self.itself = FunctionType(
            function.__code__,
            function.__globals__,
            function.__name__,
            function.__defaults__,
            function.__closure__,
        )
        self.itself.__kwdefaults__ = function.__kwdefaults__
        self.itself.__doc__ = None  # the examples in it are the function's, to be run once
        self.targets: list[_Target] = []
        self.handlers: list[Callable[[Any, Any], Any]] = []  # which may answer NOT_SUPPORTED

    def other(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[..., Any] | None:
        """A handler for arguments that the function itself has refused."""
        target = self.target(args, kwargs)
        if target is not None:
            return target
        for handle in self.handlers:
            answer = handle(args, kwargs)
            if answer is not GlobalOpDispatcher.NOT_SUPPORTED:
                return lambda *args, **kwargs: answer
        return global_answer(self.function, args, kwargs)

    def target(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Callable[..., Any] | None:
        """The one target whose signature fits; users' come before our own."""
        given = (*args, *kwargs.values())
        fitting = [target for target in self.targets if target.takes(given)]
        users = [target for target in fitting if target.is_users]
        if len(users) > 1:
            names = " and ".join(repr(target.handler) for target in users)
            raise ValueError(
                f"Multiple dispatch targets ({names}) match the arguments of "
                f"{self.function.__name__}."
            )
        chosen = users or fitting
        return chosen[0].call if chosen else None

    def users_target(
        self, args: tuple[Any, ...], kwargs: dict[str, Any]
    ) -> Callable[..., Any] | None:
        """A handler of a user, asked before the function itself."""
        given = (*args, *kwargs.values())
        fits = any(target.is_users and target.takes(given) for target in self.targets)
        return self.target(args, kwargs) if fits else None

    def position(self, key: str | int) -> int:
        """The place of a parameter given by name or place; ValueError if there is none."""
        names = self.parameters.names
        if isinstance(key, int) and -len(names) <= key < len(names):
            return key % len(names)
        if key in names:
            return names.index(str(key))
        raise ValueError(
            f"{self.function.__name__} has no parameter {key!r}, for which the signature names a "
            "type."
        )


_apis: dict[FunctionType, Api] = {}


def install(function: Any) -> Api:
    """Let a public function ask for handlers; ValueError for anything but such a function."""
    api = _apis.get(function) if isinstance(function, FunctionType) else None
    if api is not None:
        return api
    if not supports_dispatch(function):
        raise ValueError(f"{function!r} does not support dispatch.")
    return _installed(function)


def _installed(function: FunctionType) -> Api:
    api = Api(function)
    _apis[function] = api
    function.__globals__[f"__itself_{function.__name__}"] = api.itself
    function.__globals__[f"__other_{function.__name__}"] = api.other
    function.__globals__[f"__users_{function.__name__}"] = api.users_target
    give_body(api)
    return api


def surround(
    function: FunctionType, wrapper: Callable[[Callable[..., Any], Parameters], Callable[..., Any]]
) -> None:
    """Put `wrapper(itself, parameters)` in the place of what a public function does by itself.

    It is called with all parameters that go by position, and is inside of what handlers do.
    """
    api = _apis.get(function) or _installed(function)
    inner = wrapper(api.itself, api.parameters)
    function.__globals__[f"__itself_{function.__name__}"] = inner


def unwrap(function: FunctionType) -> None:
    """Undo `surround`."""
    function.__globals__[f"__itself_{function.__name__}"] = _apis[function].itself


def supports_dispatch(function: Any) -> bool:
    """Whether it is a plain function of ours, whose body can be exchanged."""
    return (
        isinstance(function, FunctionType)
        and function.__module__.startswith("runnel.")
        and _written(function).__closure__ is None
    )


def _written(function: FunctionType) -> FunctionType:
    """The function as it stands in its file, without the scope around it."""
    return getattr(function, "__wrapped__", function)


def give_body(api: Api) -> None:
    """Exchange the body of a function; it asks users' handlers first only if there are any."""
    function = api.function
    written = _written(function).__code__
    code = _body(api.parameters, any(target.is_users for target in api.targets))
    renamed = {name: f"{name}{function.__name__}" for name in ("__itself_", "__other_", "__users_")}
    function.__code__ = code.replace(
        co_name=function.__name__,
        co_qualname=function.__qualname__,
        co_filename=written.co_filename,
        co_firstlineno=written.co_firstlineno,
        co_names=tuple(renamed.get(name, name) for name in code.co_names),
        co_freevars=function.__code__.co_freevars,
    )


def _body(parameters: Parameters, asks_first: bool) -> CodeType:
    """The code of a body for functions with these parameters.

    Functions with as many positional parameters share it but for the names.
    """
    if parameters.keywords or parameters.others:
        return _compiled(parameters, asks_first)
    numbered = tuple(f"_{i}" for i in range(len(parameters.positional)))
    code = _compiled(parameters._replace(positional=numbered), asks_first)
    return code.replace(co_varnames=(*parameters.positional, *code.co_varnames[len(numbered) :]))


@cache
def _compiled(parameters: Parameters, asks_first: bool) -> CodeType:
    """All of it is on one line, so that a traceback shows the line of the function's `def`."""
    call, both = parameters.passed(), parameters.packed()
    first = [
        f" __found = __users_({both})",
        f" if __found is not None: return __found({call})",
    ]
    lines = [
        f"def body({parameters.declared()}):",
        *(first if asks_first else []),
        " try:",
        f"  return __itself_({call})",
        " except Exception:",
        f"  __found = __other_({both})",
        "  if __found is None: raise",
        f" return __found({call})",
    ]
    tree = ast.parse("\n".join(lines))
    for node in ast.walk(tree):
        if hasattr(node, "lineno"):
            node.lineno = node.end_lineno = 1  # type: ignore[attr-defined]
    module = compile(tree, "<body>", "exec")
    return next(part for part in module.co_consts if isinstance(part, CodeType))


class GlobalOpDispatcher:
    """A handler for all public functions: Keras's, for its symbolic tensors.

    `handle(op, args, kwargs)` is called with the function and all its arguments after the function
    has refused them, and returns NOT_SUPPORTED where they are not its business.
    """

    NOT_SUPPORTED = object()

    def handle(self, op: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """The result of `op` on these arguments, or NOT_SUPPORTED."""
        raise NotImplementedError

    def register(self) -> None:
        """From now on, ask this object for every public function there is."""
        _global_dispatchers.append(self)
        for function in _public_functions(sys.modules["runnel"], set()):
            if supports_dispatch(function) and function.__module__.startswith(_OPEN):
                install(function)
        for function in public_factories():
            install(function)
        install(getitem)
        install(sys.modules["runnel"].RaggedTensor.__getitem__)
        if not type(self).__module__.startswith("runnel."):
            _share_operators()


operators: dict[str, Callable[..., Any]] = {}
"""The public functions by the operators' methods; `runnel/ops/operators.py` fills this in."""


def _share_operators() -> None:
    """Let the operators of tensors be those of other classes too, of a library's symbols.

    Handlers see the public function that an operator stands for, with its operands in order.
    """
    if "__add__" in vars(Operators) and vars(Operators)["__add__"] in _apis:
        return
    for method, public in operators.items():
        add_handler(vars(Operators)[method], partial(_answer_for, public, False))
        reflected = vars(Operators).get(method.replace("__", "__r", 1))
        if reflected is not None:
            add_handler(reflected, partial(_answer_for, public, True))


def _answer_for(public: Any, swapped: bool, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    if isinstance(args[0], Operators):  # a tensor's operator failed, as it should
        return GlobalOpDispatcher.NOT_SUPPORTED
    answer = install(public).other(args[::-1] if swapped else args, kwargs)
    return GlobalOpDispatcher.NOT_SUPPORTED if answer is None else answer(*args, **kwargs)


_global_dispatchers: list[GlobalOpDispatcher] = []


def global_answer(
    function: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Callable[..., Any] | None:
    for dispatcher in _global_dispatchers:
        answer = dispatcher.handle(function, args, kwargs)
        if answer is not dispatcher.NOT_SUPPORTED:
            return lambda *args, **kwargs: answer
    return None


def _public_functions(module: ModuleType, seen: set[str]) -> Iterator[FunctionType]:
    """The functions of a public namespace and of those inside it."""
    seen.add(module.__name__)
    for name, value in list(vars(module).items()):
        if name.startswith("_") or name in ("keras", "nest"):
            continue
        if isinstance(value, ModuleType) and value.__name__.startswith("runnel."):
            if value.__name__ not in seen and value.__name__.split(".")[1] not in _INSIDE:
                yield from _public_functions(value, seen)
        elif isinstance(value, FunctionType) and value.__module__.startswith("runnel."):
            yield value


def public_factories() -> Iterator[FunctionType]:
    """The public class methods by which programs make a ragged tensor of tensors."""
    for name, value in vars(sys.modules["runnel"].RaggedTensor).items():
        if isinstance(value, classmethod) and not name.startswith(("_", "from_nested_")):
            yield value.__func__  # type: ignore[misc]


def real_body(function: FunctionType) -> FunctionType | None:
    """What a function that asks for handlers does by itself; None for other functions."""
    api = _apis.get(function)
    return None if api is None else api.itself


_INSIDE = frozenset(
    {"backend", "kernels", "core", "ops", "graph", "function", "autograph", "keras"}
)

# Where functions on tensors are defined. Conversions, in the core, are not among them: others call
# them, and would be answered in the midst of their work.
_OPEN = (
    "runnel.ops.",
    "runnel.debugging.",
    "runnel.graph.functions.control_flow",
    "runnel.graph.functions.functional",
)


def add_target(
    function: Callable[..., Any],
    handler: Callable[..., Any],
    signatures: Sequence[Mapping[Any, Any]],
    *,
    call: Callable[..., Any] | None = None,
    is_users: bool = False,
) -> None:
    """Let `handler` answer for `function` where arguments have the types of one of `signatures`."""
    api = install(function)
    checks = tuple({api.position(k): _checker(t) for k, t in s.items()} for s in signatures)
    api.targets.append(_Target(handler, checks, call or handler, is_users))
    if is_users:
        give_body(api)


def add_handler(function: Callable[..., Any], handle: Callable[[Any, Any], Any]) -> None:
    """Let `handle(args, kwargs)` answer for `function`, or NOT_SUPPORTED, after its targets."""
    install(function).handlers.append(handle)


unary_elementwise: list[Callable[..., Any]] = []
binary_elementwise: list[Callable[..., Any]] = []
elementwise_asserts: list[Callable[..., Any]] = []
"""The public functions that work element by element; `runnel/ops/elementwise.py` fills these in."""


def add_elementwise(
    function: Callable[..., Any], handler: Any, kinds: list[Any], *, is_users: bool = False
) -> None:
    """Let `handler(function, *operands)` answer where the first arguments have these types."""
    api = install(function)
    defaults = _defaults(api)[len(kinds) :]
    call = partial(_call_elementwise, function, handler, len(kinds), defaults)
    add_target(function, handler, [dict(enumerate(kinds))], call=call, is_users=is_users)


def _defaults(api: Api) -> tuple[Any, ...]:
    """The default of each positional parameter, an object like no other where there is none."""
    given = api.function.__defaults__ or ()
    missing = len(api.parameters.positional) - len(given)
    return (*[object() for _ in range(missing)], *given)


def _call_elementwise(
    function: Callable[..., Any],
    handler: Callable[..., Any],
    count: int,
    defaults: tuple[Any, ...],
    *args: Any,
    **kwargs: Any,
) -> Any:
    """The handler gets the function, with its further arguments where some are not the defaults."""
    operands, rest = args[:count], args[count:]
    if kwargs or any(value is not default for value, default in zip(rest, defaults, strict=False)):
        return handler(lambda *new: function(*new, *rest, **kwargs), *operands)
    return handler(function, *operands)


def _checker(annotation: Any) -> Check:
    """Whether a value has the type that a signature names; our own ones also have predicates."""
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if origin in (typing.Union, types.UnionType):
        checks = [_checker(argument) for argument in arguments]
        return lambda value: any(check(value) for check in checks)
    if origin in (list, tuple) or annotation in (list, tuple):
        inner = [_checker(argument) for argument in arguments if argument is not Ellipsis]
        return lambda value: _is_list_of(value, inner)
    if annotation is None or annotation is type(None):
        return lambda value: value is None
    if isinstance(annotation, FunctionType):
        return annotation
    if not isinstance(annotation, type):
        raise TypeError(f"A signature for dispatch names types, got {annotation!r}.")
    return lambda value: isinstance(value, annotation)


def _is_list_of(value: Any, inner: list[Check]) -> bool:
    if not isinstance(value, list | tuple) or not value:
        return False
    return not inner or all(inner[0](item) for item in value)


def _is_other(value: Any) -> bool:
    """Whether a value, or one in a list, is nothing that public functions take by themselves.

    A handler of a user's is for these: one for a union with tensors may call the function again.
    """
    if isinstance(value, list | tuple):
        return any(map(_is_other, value))
    return value is not None and not tensor_like(value)


def tensor_like(value: Any) -> bool:
    """Whether a value can become a tensor: the partner of a ragged tensor in an operation."""
    return isinstance(value, _TENSOR_LIKE) or hasattr(value, "_dtype")


_TENSOR_LIKE = (Tensor, np.ndarray, np.generic, numbers.Number, str, bytes, list, tuple)
