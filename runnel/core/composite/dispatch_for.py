"""`tf.experimental.dispatch_for_api` and its family: decorators for users' handlers."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from runnel.core.composite import dispatch
from runnel.core.composite.dispatch import Api, add_elementwise, add_target, install

Function = TypeVar("Function", bound=Callable[..., Any])


def dispatch_for_api(api: Any, *signatures: Mapping[Any, Any]) -> Callable[[Function], Function]:
    """A decorator for a function that stands in for a public one on values of other types.

    A signature maps names or places of parameters to types; without any, the annotations of the
    decorated function are one.

    >>> class Celsius(tf.experimental.ExtensionType):
    ...     degrees: tf.Tensor
    >>> @tf.experimental.dispatch_for_api(tf.math.add)
    ... def add_celsius(x: Celsius, y: Celsius):
    ...     return Celsius(x.degrees + y.degrees)
    >>> tf.math.add(Celsius(1.0), Celsius(2.0)).degrees.numpy()
    np.float32(3.0)
    """
    known = install(api)
    for signature in signatures:
        for key in signature:
            known.position(key)

    def decorate(handler: Function) -> Function:
        call = _fitting_call(known, handler)
        named = list(signatures) or _annotated(handler)
        if not named:
            raise ValueError(
                "dispatch_for_api: give a signature, or annotate the parameters of the function."
            )
        add_target(api, handler, named, call=call, is_users=True)
        return handler

    return decorate


def _fitting_call(api: Api, handler: Any) -> Callable[..., Any]:
    """The handler, which must have the parameters of the function, but may lack `name`."""
    mine = [p.name for p in inspect.signature(handler).parameters.values()]
    its = api.parameters.names
    if mine == its:
        return handler  # type: ignore[no-any-return]
    if mine == [name for name in its if name != "name"]:
        place = its.index("name")
        return lambda *args, **kwargs: handler(*args[:place], *args[place + 1 :], **kwargs)
    raise ValueError(
        f"dispatch_for_api: the function has the parameters {mine}, but "
        f"{api.function.__name__} has {its}."
    )


def _annotated(handler: Any) -> list[Mapping[Any, Any]]:
    hints = typing.get_type_hints(handler)
    hints.pop("return", None)
    return [hints] if hints else []


def unregister_dispatch_for(dispatch_target: Callable[..., Any]) -> None:
    """Forget all that a function decorated with a `dispatch_for_…` was registered for."""
    found = False
    for api in dispatch._apis.values():
        kept = [t for t in api.targets if t.handler is not dispatch_target or not t.is_users]
        if len(kept) < len(api.targets):
            found = True
            api.targets[:] = kept
            dispatch.give_body(api)
    for handlers in (_unary_handlers, _binary_handlers, _assert_handlers):
        for key in [key for key, handler in handlers.items() if handler is dispatch_target]:
            del handlers[key]
            found = True
    if not found:
        raise ValueError(f"{dispatch_target!r} was not registered with a `dispatch_for_…`.")


_unary_handlers: dict[Any, Any] = {}
_binary_handlers: dict[Any, Any] = {}
_assert_handlers: dict[Any, Any] = {}


def dispatch_for_unary_elementwise_apis(x_type: Any) -> Callable[[Function], Function]:
    """A decorator for `handler(api_func, x)`, which does all functions of one argument.

    >>> class Tagged(tf.experimental.ExtensionType):
    ...     value: tf.Tensor
    ...     tag: str
    >>> @tf.experimental.dispatch_for_unary_elementwise_apis(Tagged)
    ... def on_value(api_func, x):
    ...     return Tagged(api_func(x.value), x.tag)
    >>> tf.abs(Tagged(-2.0, "a")).value.numpy()
    np.float32(2.0)
    """

    def decorate(handler: Function) -> Function:
        _register_once(_unary_handlers, x_type, handler, "unary elementwise", ["api_func", "x"])
        for function in dispatch.unary_elementwise:
            add_elementwise(function, handler, [x_type], is_users=True)
        return handler

    return decorate


def dispatch_for_binary_elementwise_apis(
    x_type: Any, y_type: Any
) -> Callable[[Function], Function]:
    """A decorator for `handler(api_func, x, y)`, which does all functions of two arguments."""

    def decorate(handler: Function) -> Function:
        types = (x_type, y_type)
        parameters = ["api_func", "x", "y"]
        _register_once(_binary_handlers, types, handler, "binary elementwise", parameters)
        for function in dispatch.binary_elementwise:
            add_elementwise(function, handler, [x_type, y_type], is_users=True)
        return handler

    return decorate


def dispatch_for_binary_elementwise_assert_apis(
    x_type: Any, y_type: Any
) -> Callable[[Function], Function]:
    """A decorator for `handler(api_func, x, y)`, which does all assertions about two arguments."""

    def decorate(handler: Function) -> Function:
        types = (x_type, y_type)
        parameters = ["api_func", "x", "y"]
        _register_once(_assert_handlers, types, handler, "binary elementwise assert", parameters)
        for function in dispatch.elementwise_asserts:
            add_elementwise(function, handler, [x_type, y_type], is_users=True)
        return handler

    return decorate


def _register_once(
    handlers: dict[Any, Any], key: Any, handler: Any, what: str, parameters: list[str]
) -> None:
    if key in handlers:
        raise ValueError(
            f"A {what} dispatch handler ({handlers[key]!r}) has already been registered for {key}."
        )
    given = len(inspect.signature(handler).parameters)
    if given != len(parameters):
        names = ", ".join(parameters)
        raise ValueError(f"A {what} dispatch handler takes ({names}), got {handler!r}.")
    handlers[key] = handler
