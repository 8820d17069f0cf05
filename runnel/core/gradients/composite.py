"""Which tensors of a nest are differentiated, and the nest of their gradients.

Of a composite tensor (a ragged tensor, slices) only the components with values take part; its
gradient is such a composite again, with the same partition or indices.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from runnel.core.gradients.tape import DIFFERENTIABLE
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.operators import Operators
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values import nest

_WITHOUT_GRADIENT = frozenset(["SparseTensor"])  # TensorFlow refuses them as sources and targets


def flatten_sources(sources: Any) -> list[Tensor]:
    """The tensors to differentiate by; for a variable, its handle."""
    if type(sources) is EagerTensor:
        return [sources]
    flat = [sources] if isinstance(sources, Operators) else nest.flatten(sources)
    return [tensor for source in flat for tensor in _tensors(source, "source")]


def flatten_targets(target: Any) -> list[Tensor]:
    """The tensors to differentiate."""
    if target is None:
        raise TypeError("target must be a tensor, a variable, or a nest of them, got None.")
    flat = [target] if isinstance(target, Operators) else nest.flatten(target)
    return [tensor for t in flat for tensor in _tensors(t, "target")]


def _tensors(value: Any, role: str) -> list[Tensor]:
    if isinstance(value, Tensor):
        return [value]
    if is_composite(value):
        if type(value).__name__ in _WITHOUT_GRADIENT:
            raise ValueError(
                f"A {type(value).__name__} cannot be the {role} of a gradient. Use its values: "
                "they are a tensor."
            )
        return [t for t in nest.flatten(value, expand_composites=True) if t.dtype in DIFFERENTIABLE]
    if isinstance(value, Operators):
        return [value.handle]  # type: ignore[attr-defined]
    raise TypeError(
        f"The {role} of a gradient must be a tensor, a variable, or a nest of them, got "
        f"{type(value).__name__}: "
        f"{value!r}."
    )


def flatten_tensors(structure: Any) -> list[Any]:
    """All leaves of a nest, the components of composites among them; a variable is one leaf."""
    leaves: list[Any] = []
    for leaf in nest.flatten(structure):
        leaves.extend(nest.flatten(leaf, expand_composites=True) if is_composite(leaf) else [leaf])
    return leaves


def flatten_values(structure: Any) -> list[Any]:
    """The leaves of a nest that gradients concern; of composite tensors, those with values."""
    leaves: list[Any] = []
    for leaf in nest.flatten(structure):
        leaves.extend(_tensors(leaf, "value") if is_composite(leaf) else [leaf])
    return leaves


def is_composite(value: Any) -> bool:
    return not isinstance(value, Operators) and hasattr(value, "_type_spec")


def pack_values(structure: Any, values: list[Any]) -> Any:
    """`structure` with other values in place of those that `flatten_values` finds."""
    rest = iter(values)
    return nest.pack_sequence_as(structure, [_take(leaf, rest) for leaf in nest.flatten(structure)])


def pack_gradients(sources: Any, found: list[Any]) -> Any:
    """Gradients in the structure of `sources`."""
    if isinstance(sources, Operators):
        return found[0]
    return pack_values(sources, found)


def _take(source: Any, found: Iterator[Any]) -> Any:
    if not is_composite(source):
        return next(found)
    parts = nest.flatten(source, expand_composites=True)
    if not any(t._dtype in DIFFERENTIABLE for t in parts):
        return None
    new = [next(found) if t._dtype in DIFFERENTIABLE else t for t in parts]
    if any(part is None for part in new):
        return None
    return nest.pack_sequence_as(
        source, [convert_to_tensor(part) for part in new], expand_composites=True
    )
