"""What checkers of types are told of `tf.function`: it keeps the signature of what it is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, cast, overload

if TYPE_CHECKING:
    from runnel.function.function import Function
    from runnel.function.methods import P, R


class FunctionDecorator(Protocol):
    """`tf.function` of a function, and with options only: a decorator."""

    @overload
    def __call__(
        self,
        func: Callable[P, R],
        input_signature: Sequence[Any] | None = None,
        autograph: bool = True,
        jit_compile: bool | None = None,
        reduce_retracing: bool = False,
        experimental_implements: str | None = None,
        experimental_autograph_options: Any = None,
        experimental_attributes: Mapping[str, Any] | None = None,
        experimental_relax_shapes: bool | None = None,
        experimental_compile: bool | None = None,
        experimental_follow_type_hints: bool | None = None,
    ) -> Function[P, R]: ...

    @overload
    def __call__(
        self,
        func: None = None,
        input_signature: Sequence[Any] | None = None,
        autograph: bool = True,
        jit_compile: bool | None = None,
        reduce_retracing: bool = False,
        experimental_implements: str | None = None,
        experimental_autograph_options: Any = None,
        experimental_attributes: Mapping[str, Any] | None = None,
        experimental_relax_shapes: bool | None = None,
        experimental_compile: bool | None = None,
        experimental_follow_type_hints: bool | None = None,
    ) -> Callable[[Callable[P, R]], Function[P, R]]: ...


def for_checkers(function: Callable[..., Any]) -> FunctionDecorator:
    """The same function, with these types."""
    return cast(FunctionDecorator, function)
