"""`fn.function_spec`: what is known of the parameters of a `tf.function` before any call."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from runnel.core.values import nest
from runnel.function.function_type import FunctionType, Parameter

_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
_SEVERAL = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class FunctionSpec:
    """The parameters of a function, their defaults, and the types they are bound to, if any.

    >>> fn = tf.function(lambda x, y=2: x + y)
    >>> fn.function_spec.arg_names, fn.function_spec.default_values
    (['x', 'y'], {'y': 2})
    """

    is_pure = False

    def __init__(
        self,
        signature: inspect.Signature,
        input_signature: Sequence[Any] | None,
        fixed: FunctionType | None,
        jit_compile: bool | None,
    ) -> None:
        given = list(signature.parameters.values())
        self.default_values = {p.name: p.default for p in given if p.default is not p.empty}
        self.input_signature = input_signature
        self.jit_compile = jit_compile
        free = [Parameter(p.name, p.kind, None) for p in given]
        self._parameters = [
            p._replace(optional=p.name in self.default_values)
            for p in (free if fixed is None else fixed.each)
        ]

    @property
    def arg_names(self) -> list[str]:
        return [p.name for p in self._parameters if p.kind in _POSITIONAL]

    @property
    def function_type(self) -> FunctionType:
        """The type of each parameter, None where any will do."""
        return FunctionType(self._parameters)

    @property
    def flat_input_signature(self) -> tuple[Any, ...]:
        return tuple(nest.flatten(self.input_signature))

    @property
    def fullargspec(self) -> inspect.FullArgSpec:
        several = {p.kind: p.name for p in self._parameters if p.kind in _SEVERAL}
        defaults = self.default_values
        named = [p.name for p in self._parameters if p.kind is inspect.Parameter.KEYWORD_ONLY]
        return inspect.FullArgSpec(
            args=self.arg_names,
            varargs=several.get(inspect.Parameter.VAR_POSITIONAL),
            varkw=several.get(inspect.Parameter.VAR_KEYWORD),
            defaults=tuple(defaults[n] for n in self.arg_names if n in defaults) or None,
            kwonlyargs=named,
            kwonlydefaults={n: defaults[n] for n in named if n in defaults} or None,
            annotations={},
        )

    def signature_summary(self, default_values: bool = False) -> str:
        """All of it as text."""
        lines = [repr(self.function_type)]
        if default_values:
            given = [f"  {name}: {value!r}" for name, value in self.default_values.items()]
            lines += ["Defaults:", *(given or ["  None"])]
        return "\n".join(lines)
