"""Binding the arguments of a call to the parameters, and the types that a signature prescribes."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import Any

from runnel.core.op.context import state
from runnel.core.state.variable_spec import VariableSpec
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.values import nest
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TensorSpec, TypeSpec
from runnel.function.function_type import POSITIONAL, FunctionType, Parameter, ParameterKind, cast
from runnel.function.trace_type import TraceType, trace_type
from runnel.function.variable_type import TracingContext


class Binder:
    """Binds the arguments of calls to the parameters of a Python function."""

    def __init__(
        self,
        signature: inspect.Signature,
        input_signature: Sequence[Any] | None,
        *,
        hints: bool = False,
        pure: bool = False,
    ) -> None:
        self.signature = signature
        self._pure = pure  # whether all arguments become tensors
        parameters = list(signature.parameters.values())
        self.kinds = {p.name: p.kind for p in parameters}
        self._var_positional = any(p.kind is p.VAR_POSITIONAL for p in parameters)
        self._plain = all(p.kind is p.POSITIONAL_OR_KEYWORD for p in parameters)
        self.names = [p.name for p in parameters]
        self._defaults = {p.name: p.default for p in parameters if p.default is not p.empty}
        self._hinted = {p.name for p in parameters if hints and _is_tensor_hint(p.annotation)}
        self.fixed = None if input_signature is None else self._constraints(input_signature)

    @property
    def asked(self) -> FunctionType:
        """The type that a signature prescribes, as whoever calls now asks for it."""
        assert self.fixed is not None
        plain = self.fixed.seen is None and not state.strategies
        return self.fixed if plain else FunctionType(self.fixed.each)

    @property
    def described(self) -> Any:
        """The parameters, as errors show them."""
        return self.signature if self.fixed is None else self.fixed

    def bind(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> tuple[FunctionType, list[Any]]:
        """The type of a call, and the values of its parameters."""
        entries = self._entries(args, kwargs)
        if self._hinted:
            entries = [self._follow_hint(entry) for entry in entries]
        if self.fixed is not None:
            return self.asked, self._cast(entries)
        if self._pure:
            entries = [(name, kind, _tensor_or_spec(value)) for name, kind, value in entries]
        context = TracingContext()
        found = [Parameter(n, k, trace_type(v, context)) for n, k, v in entries]
        handles = {key for key, kind in context.variables.items() if not kind.pinned}
        return FunctionType(found, handles=handles), [value for _, _, value in entries]

    def _entries(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[tuple[str, Any, Any]]:
        if self._plain and not kwargs and len(args) == len(self.names):
            either = inspect.Parameter.POSITIONAL_OR_KEYWORD
            return [(name, either, value) for name, value in zip(self.names, args, strict=True)]
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        entries: list[tuple[str, Any, Any]] = []
        for name, value in bound.arguments.items():
            kind = self.kinds[name]
            if kind is inspect.Parameter.VAR_POSITIONAL:
                only = inspect.Parameter.POSITIONAL_ONLY
                entries += [(f"{name}_{i}", only, v) for i, v in enumerate(value)]
            elif kind is inspect.Parameter.VAR_KEYWORD:
                named = inspect.Parameter.KEYWORD_ONLY
                entries += [(key, named, v) for key, v in sorted(value.items())]
            else:
                entries.append((name, self._kind(kind), value))
        return entries

    def _kind(self, kind: ParameterKind) -> ParameterKind:
        positional = self._var_positional and kind in POSITIONAL
        return inspect.Parameter.POSITIONAL_ONLY if positional else kind

    def _follow_hint(self, entry: tuple[str, Any, Any]) -> tuple[str, Any, Any]:
        name, kind, value = entry
        wanted = name in self._hinted and isinstance(value, bool | int | float | complex | str)
        return (name, kind, convert_to_tensor(value)) if wanted else entry

    def _cast(self, entries: list[tuple[str, Any, Any]]) -> list[Any]:
        assert self.fixed is not None
        wanted = {p.name: p.type for p in self.fixed.each}
        if list(wanted) != [name for name, _, _ in entries]:
            raise TypeError(
                f"Arguments {[name for name, _, _ in entries]} do not fit the input_signature, "
                f"which describes {self.fixed}."
            )
        return [cast(wanted[name], value, name) for name, _, value in entries]

    def _constraints(self, input_signature: Sequence[Any]) -> FunctionType:
        """The one type that an `input_signature` leaves; later parameters keep their defaults."""
        rest = list(input_signature)
        found: list[Parameter] = []
        for parameter in self.signature.parameters.values():
            name, kind = parameter.name, parameter.kind
            if kind is parameter.VAR_POSITIONAL:
                only = parameter.POSITIONAL_ONLY
                found += [Parameter(f"{name}_{i}", only, trace_type(s)) for i, s in enumerate(rest)]
                rest = []
            elif kind is parameter.VAR_KEYWORD:
                continue
            elif kind in POSITIONAL and rest:
                found.append(Parameter(name, self._kind(kind), trace_type(rest.pop(0))))
            elif name in self._defaults:
                found.append(Parameter(name, self._kind(kind), trace_type(parameter.default)))
            elif kind is parameter.KEYWORD_ONLY:
                raise TypeError(
                    "Since input_signature is defined, keyword-only parameter "
                    f"`{name}` must have a default value."
                )
            else:
                raise TypeError(f"input_signature has no spec for parameter `{name}`.")
        if rest:
            raise TypeError(
                f"input_signature has {len(rest)} specs more than the function has parameters."
            )
        return FunctionType(found)


def _tensor_or_spec(value: Any) -> Any:
    return value if isinstance(value, TensorSpec) else convert_to_tensor(value)


def _is_tensor_hint(annotation: Any) -> bool:
    name = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", "")
    return name.rpartition(".")[2] == "Tensor"


def check_input_signature(input_signature: Any) -> None:
    """Complain unless `input_signature` is a list or tuple of nests of specs."""
    if not isinstance(input_signature, list | tuple):
        raise TypeError(
            f"input_signature must be a list or tuple, got {type(input_signature).__name__}."
        )
    wrong = [
        leaf
        for leaf in nest.flatten(list(input_signature))
        if not isinstance(leaf, TypeSpec | TraceType) or isinstance(leaf, TensorShape)
    ]
    if wrong:
        raise TypeError(
            f"input_signature must be a nest of tf.TensorSpec and other type specs, got {wrong!r}."
        )
    variables = [s for s in nest.flatten(list(input_signature)) if isinstance(s, VariableSpec)]
    if variables:
        raise TypeError(f"input_signature cannot have specs of variables, got {variables!r}.")
