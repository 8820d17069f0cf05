"""The arguments of one call of a `tf.function`: bound to parameters, flat, with the key of their trace."""

from __future__ import annotations

import inspect
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from runnel.core import nest
from runnel.core.convert import convert_to_tensor
from runnel.core.tensor import Tensor
from runnel.core.type_spec import TensorSpec
from runnel.function.trace_type import describe_leaf, flatten, leaf_key, structure_key
from runnel.graph.func_graph import FuncGraph


class Arguments:
    """Positional and keyword arguments with their leaves.

    `specs` are those of an `input_signature`, which then decide the trace in place of the leaves.
    """

    def __init__(
        self,
        args: tuple[Any, ...],
        kwargs: dict[str, Any],
        names: Sequence[str],
        specs: Sequence[TensorSpec] = (),
    ) -> None:
        self.args = args
        self.kwargs = kwargs
        self.names = names
        self.leaves = flatten((args, kwargs))
        self.kinds = [*specs, *self.leaves[len(specs) :]]
        self.tensors = [leaf for leaf in self.leaves if isinstance(leaf, Tensor)]

    @property
    def key(self) -> Hashable:
        leaves = tuple([leaf_key(kind) for kind in self.kinds])
        if (
            not self.kwargs
            and len(leaves) == len(self.args)
            and all(isinstance(a, Tensor) for a in self.args)
        ):
            return leaves
        return (leaves, structure_key(self.args), structure_key(self.kwargs))

    def symbolic(self, graph: FuncGraph) -> tuple[tuple[Any, ...], dict[str, Any]]:
        """The arguments with placeholders of `graph` for the tensors."""
        names = iter(_leaf_names(self))
        filled = []
        for kind in self.kinds:
            name = next(names)
            if isinstance(kind, Tensor | TensorSpec):
                filled.append(graph.add_input(kind.dtype, kind.shape._dims, name))
            else:
                filled.append(kind)
        packed: tuple[tuple[Any, ...], dict[str, Any]] = nest.pack_sequence_as(
            (self.args, self.kwargs), filled, expand_composites=True
        )
        return packed

    def signature(self) -> Any:
        """The arguments with a spec for each tensor."""
        specs = [describe_leaf(kind) for kind in self.kinds]
        return nest.pack_sequence_as((self.args, self.kwargs), specs, expand_composites=True)

    def shape_only(self) -> BoundSignature:
        return BoundSignature(self.signature(), list(self.names))


class BoundSignature:
    """What a trace remembers of the arguments it was made for."""

    def __init__(self, signature: Any, names: list[str]) -> None:
        self._args, self._kwargs = signature
        self._names = names

    def tensors_of(self, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Tensor]:
        """The tensors among the arguments of a call, checked against the signature."""
        wanted = [s for s in nest.flatten((self._args, self._kwargs), expand_composites=True)]
        bound = [*args, *[kwargs[n] for n in self._names[len(args) :] if n in kwargs]]
        given = flatten((tuple(bound), {k: v for k, v in kwargs.items() if k not in self._names}))
        specs = [s for s in wanted if isinstance(s, TensorSpec)]
        if len(given) == len(wanted):
            given = [g for g, s in zip(given, wanted, strict=True) if isinstance(s, TensorSpec)]
        if len(given) != len(specs):
            raise TypeError(f"The function takes {len(specs)} tensors, got {len(given)}.")
        return [_fitting(g, s, i) for i, (g, s) in enumerate(zip(given, specs, strict=True))]

    def describe(self, name: str) -> str:
        parts = [_describe(n, a) for n, a in zip(self._names, self._args, strict=False)]
        parts += [_describe(n, a) for n, a in self._kwargs.items()]
        return f"{name}({', '.join(parts)})"


def _describe(name: str, value: Any) -> str:
    return f"{name}: {value!r}" if isinstance(value, TensorSpec) else f"{name}={value!r}"


def _fitting(value: Any, spec: TensorSpec, index: int) -> Any:
    if isinstance(value, TensorSpec):
        return value
    tensor = convert_to_tensor(value, dtype=spec.dtype) if not isinstance(value, Tensor) else value
    if tensor.dtype is not spec.dtype or not spec.shape.is_compatible_with(tensor.shape):
        raise TypeError(
            f"Tensor argument {index} must be {spec}, got {tensor.dtype.name}{tensor.shape}."
        )
    return tensor


def _leaf_names(arguments: Arguments) -> list[str]:
    names = []
    for name, value in [
        *zip(arguments.names, arguments.args, strict=False),
        *arguments.kwargs.items(),
    ]:
        leaves = nest.flatten(value, expand_composites=True)
        names += [
            name if len(leaves) == 1 else f"{name}_{i}" if i else name for i in range(len(leaves))
        ]
    extra = len(arguments.leaves) - len(names)
    return [n.lstrip("_") or "arg" for n in names] + ["args"] * extra


def bind(
    signature: inspect.Signature,
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    input_signature: Sequence[Any] | None,
) -> Arguments:
    """Arguments in a canonical form: positional where they can be, defaults filled in."""
    parameters = signature.parameters
    if (
        kwargs
        or len(args) != len(parameters)
        or any(p.kind is not p.POSITIONAL_OR_KEYWORD for p in parameters.values())
    ):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        args, kwargs = bound.args, bound.kwargs
    if input_signature is None:
        return Arguments(args, kwargs, list(parameters))
    args = _convert_to_signature(args, input_signature)
    specs = nest.flatten(tuple(input_signature), expand_composites=True)
    return Arguments(args, kwargs, list(parameters), specs)


def _convert_to_signature(args: tuple[Any, ...], input_signature: Sequence[Any]) -> tuple[Any, ...]:
    specs = nest.flatten(tuple(input_signature), expand_composites=True)
    given = nest.flatten(args[: len(input_signature)], expand_composites=True)
    if len(specs) != len(given):
        raise TypeError(f"input_signature names {len(specs)} tensors, got {len(given)}.")
    converted = [_fitting(g, s, i) for i, (g, s) in enumerate(zip(given, specs, strict=True))]
    packed: tuple[Any, ...] = nest.pack_sequence_as(
        tuple(input_signature), converted, expand_composites=True
    )
    return (*packed, *args[len(input_signature) :])
