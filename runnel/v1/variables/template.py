"""`tf.compat.v1.make_template`: a function that shares its variables between calls."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from runnel.v1.variables.scopes import variable_scope


class Template:
    """A function whose variables are made at its first call and found again at the next."""

    def __init__(
        self,
        name: str,
        func: Callable[..., Any],
        create_scope_now: bool,
        unique_name: str | None,
        custom_getter: Any,
    ) -> None:
        self._name, self._func, self._unique, self._getter = name, func, unique_name, custom_getter
        self._scope: Any = None
        self._called = False
        self.__name__ = name
        if create_scope_now:
            self._scope = self._opened()

    def _opened(self) -> Any:
        with variable_scope(self._unique, self._name, custom_getter=self._getter) as scope:
            return scope

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        if self._scope is None:
            self._scope = self._opened()
        with variable_scope(self._scope, reuse=self._called):
            result = self._func(*args, **kwargs)
        self._called = True
        return result

    @property
    def name(self) -> str:
        return self._name

    @property
    def func(self) -> Callable[..., Any]:
        return self._func

    @property
    def variable_scope(self) -> Any:
        return self._scope

    @property
    def variable_scope_name(self) -> str | None:
        return None if self._scope is None else self._scope.name

    @property
    def variables(self) -> list[Any]:
        return [*self.global_variables, *self.local_variables]

    @property
    def trainable_variables(self) -> list[Any]:
        return [] if self._scope is None else self._scope.trainable_variables()

    @property
    def global_variables(self) -> list[Any]:
        return [] if self._scope is None else self._scope.global_variables()

    @property
    def local_variables(self) -> list[Any]:
        return [] if self._scope is None else self._scope.local_variables()


def make_template(
    name_: str,
    func_: Callable[..., Any],
    create_scope_now_: bool = False,
    unique_name_: str | None = None,
    custom_getter_: Any = None,
    **kwargs: Any,
) -> Template:
    """A function that makes its variables once, however often it is called.

    >>> with tf.Graph().as_default():
    ...     scale = tf.compat.v1.make_template(
    ...         "scale", lambda x: x * tf.compat.v1.get_variable("factor", [])
    ...     )
    ...     both = scale(tf.constant(1.0)), scale(tf.constant(2.0))
    ...     [v.name for v in tf.compat.v1.global_variables()]
    ['scale/factor:0']
    """
    func = functools.partial(func_, **kwargs) if kwargs else func_
    return Template(name_, func, create_scope_now_, unique_name_, custom_getter_)
