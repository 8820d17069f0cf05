"""Trace types of nests: a container of `tf.nest` with the types of its children."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, MappingView, Sequence
from typing import Any

from runnel.core.state.tracked_containers import TrackableDataStructure
from runnel.core.values import nest
from runnel.core.values.type_spec import TensorSpec


def _alike(kind: type, other: type) -> bool:
    """Whether two kinds of containers are the same; named tuples are if they are called the same.

    A class of a program and the one that a SavedModel knows are two objects.
    """
    named = hasattr(kind, "_fields") and hasattr(other, "_fields")
    return kind is other or (named and kind.__name__ == other.__name__)


class Structure:
    """A list, tuple, mapping or other container of `tf.nest`, with the types of its children.

    `metadata` is what a class with `__tf_flatten__` says of itself besides its children.
    """

    __slots__ = ("_hash", "_like", "keys", "kind", "metadata", "parts")

    def __init__(
        self, like: Any, keys: tuple[Any, ...], parts: tuple[Any, ...], metadata: Any = None
    ) -> None:
        self.kind = type(like)
        self.keys = keys
        self.parts = parts
        self.metadata = metadata
        self._like = like  # a container of this kind, empty of the caller's values
        self._hash = hash((self.kind, keys, parts))  # `metadata` need not be hashable

    def with_parts(self, parts: Sequence[Any]) -> Structure:
        return Structure(self._like, self.keys, tuple(parts), self.metadata)

    def rebuild(self, children: Sequence[Any]) -> Any:
        container = nest._PLAIN[self.kind]
        assert container is not None
        return container.rebuild(self._like, list(children))

    def children(self, value: Any) -> list[Any]:
        """The children of a value of this structure."""
        container = nest._PLAIN[type(value)]
        if container is None or not self._is_like(value):
            raise TypeError(f"Can not cast {value!r} to {self!r}")
        if tuple(container.keys(value)) != self.keys or metadata_of(value) != self.metadata:
            raise TypeError(f"Can not cast {value!r} to {self!r}")
        return list(container.children(value))

    def _is_like(self, value: Any) -> bool:
        """Whether a value is of this kind of container; all mappings are alike."""
        if isinstance(self._like, Mapping):
            return isinstance(value, Mapping)
        if isinstance(value, range | MappingView):
            return self.kind is list
        return _alike(type(value), self.kind) or isinstance(value, TrackableDataStructure)

    def _matches(self, other: Any) -> bool:
        same = isinstance(other, Structure) and _alike(self.kind, other.kind)
        return same and self.keys == other.keys and bool(self.metadata == other.metadata)

    def is_subtype_of(self, other: Any) -> bool:
        return self._matches(other) and all(
            a.is_subtype_of(b) for a, b in zip(self.parts, other.parts, strict=True)
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> Structure | None:
        if not all(self._matches(other) for other in others):
            return None
        columns = zip(self.parts, *[other.parts for other in others], strict=True)
        joined = [first.most_specific_common_supertype(rest) for first, *rest in columns]
        return None if any(part is None for part in joined) else self.with_parts(joined)

    def placeholder_value(self, placeholder_context: Any) -> Any:
        return self.rebuild(
            [
                part.placeholder_value(placeholder_context.inside(key))
                for key, part in zip(self.keys, self.parts, strict=True)
            ]
        )

    def flatten(self) -> list[TensorSpec]:
        return [spec for part in self.parts for spec in part.flatten()]

    def to_tensors(self, value: Any) -> list[Any]:
        pairs = zip(self.parts, self.children(value), strict=True)
        return [tensor for part, child in pairs for tensor in part.to_tensors(child)]

    def from_tensors(self, tensors: Iterator[Any]) -> Any:
        return self.rebuild([part.from_tensors(tensors) for part in self.parts])

    def cast(self, value: Any, cast_context: Any) -> Any:
        pairs = zip(self.parts, self.children(value), strict=True)
        return self.rebuild([part.cast(child, cast_context) for part, child in pairs])

    def __eq__(self, other: object) -> bool:
        return self._matches(other) and self.parts == other.parts  # type: ignore[attr-defined]

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        if isinstance(self._like, dict):
            order = dict(zip(self.keys, self.parts, strict=True))
            items = ", ".join(f"[{key!r}, {order[key]!r}]" for key in self._like)
            return f"Dict[{items}]"
        if self.kind in (list, tuple):
            return f"{self.kind.__name__.title()}[{', '.join(map(repr, self.parts))}]"
        if self.metadata is not None:
            return f"CustomNestTraceType [metadata={self.metadata!r}, components={self.parts!r}]"
        pairs = zip(self.keys, self.parts, strict=True)
        return f"{self.kind.__name__}[{', '.join(f'[{k!r}, {p!r}]' for k, p in pairs)}]"


def emptied(value: Any, container: Any) -> Any:
    if type(value) is dict:
        return dict.fromkeys(value)
    return container.rebuild(value, [None for _ in container.children(value)])


def metadata_of(value: Any) -> Any:
    flatten = getattr(value, "__tf_flatten__", None)
    return None if flatten is None else flatten()[0]
