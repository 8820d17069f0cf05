"""The type of a whole call: a trace type for each parameter; binding arguments to it.

On the reading path after `function/trace_type.py`, before `function/graph_function.py`.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from runnel.core.op.context import state
from runnel.core.settings.logging import warning
from runnel.core.state.variable import Variable
from runnel.core.values.dtypes import resource
from runnel.core.values.type_spec import TensorSpec, TypeSpec
from runnel.function.structure_type import Structure
from runnel.function.trace_type import Literal, collect_tensors, trace_type
from runnel.function.variable_type import VariableType
from runnel.graph.build.func_graph import FuncGraph
from runnel.graph.build.naming import VALID_NAME
from runnel.graph.run.alarms import unmark

ParameterKind = inspect._ParameterKind
POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


class Parameter(NamedTuple):
    """One parameter of a trace."""

    name: str
    kind: ParameterKind
    type: Any
    optional: bool = False

    @property
    def type_constraint(self) -> Any:
        """The type of the arguments that fit, None where any will do."""
        return self.type

    def __str__(self) -> str:
        star = _STARS.get(self.kind, "")
        kind, equals = ("", "=") if self.type is None else (f": {self.type!r}", " = ")
        default = f"{equals}<captured_default_value>" if self.optional else ""
        return f"{star}{self.name}{kind}{default}"


_STARS: dict[ParameterKind, str] = {
    inspect.Parameter.VAR_POSITIONAL: "*",
    inspect.Parameter.VAR_KEYWORD: "**",
}


class FunctionType:
    """The parameters of one trace; equal for calls that share it, whatever they return."""

    __slots__ = ("_family", "_hash", "captures", "each", "handles", "output", "seen")

    def __init__(
        self,
        parameters: Iterable[Parameter],
        output: Any = None,
        captures: Mapping[int, TensorSpec] | None = None,
        handles: Collection[int] = (),
    ) -> None:
        self.each = tuple(parameters)
        self.handles = handles  # ids of those of the variables that may be others in other calls
        self.output = output
        self.captures = {} if captures is None else captures
        self.seen = state.strategies[-1].view if state.strategies else None  # by which replica
        self._hash = hash(self.each)
        self._family: int | None = None

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters by name, in order."""
        return {p.name: p for p in self.each}

    @property
    def types(self) -> list[Any]:
        return [p.type for p in self.each]

    @property
    def flat_inputs(self) -> list[TensorSpec]:
        """The specs of all tensors among the arguments."""
        return [spec for kind in self.types for spec in kind.flatten()]

    @property
    def flat_captures(self) -> list[TensorSpec]:
        """The specs of all tensors that are captured."""
        return list(self.captures.values())

    @property
    def flat_outputs(self) -> list[TensorSpec]:
        """The specs of all tensors in the result."""
        return [] if self.output is None else self.output.flatten()

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, FunctionType) and self.each == other.each
        return same and self.seen == other.seen  # type: ignore[attr-defined]

    def pinned(self) -> FunctionType:
        """The type of a call with the very variables of this one."""
        return FunctionType(p._replace(type=_pinned(p.type)) for p in self.each)

    def _family_hash(self) -> int:
        if self._family is None:
            self._family = hash(tuple([(p.name, _family(p.type)) for p in self.each]))
        return self._family

    def _aligned(self, other: FunctionType) -> bool:
        return [p[:2] for p in self.each] == [p[:2] for p in other.each]

    def is_subtype_of(self, other: FunctionType) -> bool:
        """Whether a trace made for `other` serves calls of this type too."""
        if self._family_hash() != other._family_hash():
            return False  # the quick answer for functions with many traces
        return self._aligned(other) and all(
            a.is_subtype_of(b) for a, b in zip(self.types, other.types, strict=True)
        )

    def generalized(self, other: FunctionType) -> FunctionType | None:
        """The narrowest type that includes both, or None."""
        if not self._aligned(other):
            return None
        joined = [
            a.most_specific_common_supertype([b])
            for a, b in zip(self.types, other.types, strict=True)
        ]
        if any(t is None for t in joined):
            return None
        return FunctionType(p._replace(type=t) for p, t in zip(self.each, joined, strict=True))

    def placeholders(self, graph: FuncGraph) -> tuple[list[Any], dict[str, Any]]:
        """The arguments with inputs of `graph` for the tensors."""
        return self._packed(lambda p: p.type.placeholder_value(Placeholders(graph, p.name)))

    def structured(self, names: Iterable[str]) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with specs for the tensors, which take these names in order."""
        rest = iter(names)
        args, kwargs = self._packed(lambda p: p.type.placeholder_value(_Specs(rest)))
        return tuple(args), kwargs

    def _packed(self, make: Callable[[Parameter], Any]) -> tuple[list[Any], dict[str, Any]]:
        args: list[Any] = []
        kwargs: dict[str, Any] = {}
        for parameter in self.each:
            if parameter.kind in POSITIONAL:
                args.append(make(parameter))
            else:
                kwargs[parameter.name] = make(parameter)
        return args, kwargs

    def tensors(self, values: Sequence[Any]) -> list[Any]:
        """The tensors inside the values of the parameters."""
        found: list[Any] = []
        for kind, value in zip(self.types, values, strict=True):
            collect_tensors(kind, value, found)
        return found

    def bind(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
        """The values of the parameters in a call of this trace, each cast to its type."""
        signature = inspect.Signature([inspect.Parameter(p.name, p.kind) for p in self.each])
        bound = signature.bind(*args, **kwargs).arguments
        return [cast(p.type, bound[p.name], p.name) for p in self.each]

    def __str__(self) -> str:
        parts = [str(p) for p in self.each]
        kinds = [p.kind for p in self.each]
        only = kinds.count(inspect.Parameter.POSITIONAL_ONLY)
        keyword = inspect.Parameter.KEYWORD_ONLY
        if keyword in kinds and inspect.Parameter.VAR_POSITIONAL not in kinds:
            parts.insert(kinds.index(keyword), "*")
        if only:
            parts.insert(only, "/")
        output = "" if self.output is None else f" -> {self.output!r}"
        return f"({', '.join(parts)}){output}"

    def __repr__(self) -> str:
        """All of it, one below the other."""
        inputs = [f"  {p.name} ({p.kind.name}): {p.type!r}" for p in self.each]
        captures = [f"  {number}: {spec!r}" for number, spec in self.captures.items()]
        output = ["Output Type:", f"  {self.output!r}", "Captures:", *(captures or ["  None"])]
        return "\n".join(["Input Parameters:", *inputs, *output])


def _pinned(kind: Any) -> Any:
    if isinstance(kind, Structure):
        return kind.with_parts([_pinned(part) for part in kind.parts])
    return kind.pin() if isinstance(kind, VariableType) else kind


def _family(kind: Any) -> Any:
    """What a type shares with its subtypes."""
    if isinstance(kind, Structure):
        return (kind.kind, kind.keys, tuple([_family(part) for part in kind.parts]))
    return kind if isinstance(kind, Literal) else isinstance(kind, TypeSpec)


class Placeholders:
    """Makes the inputs of a graph, named after the argument; users know them by the path in it."""

    def __init__(self, graph: FuncGraph, name: str, path: str = "") -> None:
        self._graph = graph
        self._name = name
        self._path = path

    def inside(self, key: Any) -> Placeholders:
        return Placeholders(self._graph, self._name, f"{self._path}_{key}")

    def take(self, variable: Variable, spec: TensorSpec) -> None:
        """Let an input stand for the handle of a variable; the first, if it is passed twice."""
        graph = self._graph
        graph.aliases = {variable.handle._id: self.placeholder(spec), **graph.aliases}

    def placeholder(self, spec: TensorSpec) -> Any:
        name = spec.name or self._name
        valid = bool(VALID_NAME.match(name))
        if not valid:
            warning(
                f"The argument {name!r} is no name for an operation: its input is a `Placeholder`."
            )
        made = self._graph.add_input(spec.dtype, spec.shape._dims, name if valid else None)
        unmark([made])  # only what becomes of an argument is looked at
        if not valid or (self._path and not spec.name):
            self._graph.titles[made._id] = spec.name or _title(self._name + self._path)
        if spec.dtype is resource:
            made._handle_data = getattr(spec, "_handle_data", None)
        return made


def _title(name: str) -> str:
    """What users call an input that is no operation's namesake."""
    title = re.sub(r"[^\w.]", "_", name)
    return f"tensor_{title}" if title.startswith("_") else title


def parameter_name(name: str) -> str:
    """The name of an input of a signature as one that a Python function could have."""
    found = re.sub(r"\W", "_", name)
    return f"arg_{found}" if found[:1].isdigit() else found


class _Specs:
    """Gives back the specs themselves, with names."""

    gives_specs = True

    def __init__(self, names: Any) -> None:
        self._names = names

    def inside(self, key: Any) -> _Specs:
        return self

    def placeholder(self, spec: TensorSpec) -> TensorSpec:
        name = next(self._names)
        return TensorSpec(spec.shape, spec.dtype, spec.name or name)


class _Casting:
    allow_specs = True


def cast(kind: Any, value: Any, name: str) -> Any:
    """`value` as an argument of trace type `kind`."""
    if isinstance(value, Variable) and isinstance(kind, TensorSpec):
        value = value.value()
    try:
        return kind.cast(value, _Casting())
    except (TypeError, ValueError) as error:
        why = "" if isinstance(kind, TensorSpec) else f" {error}"
        raise TypeError(
            f"Argument {name!r} must be {kind!r}, got {trace_type_text(value)}.{why}"
        ) from None


def trace_type_text(value: Any) -> str:
    try:
        return repr(trace_type(value))
    except TypeError:
        return repr(value)
