"""Iterators over batches that know in what their batches may differ."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import runnel as tf


class Batches(Iterator[Any]):
    """Batches one by one; `varies` says whether one may be larger than another.

    `element_spec` is that of the dataset they come from, if they do. `divided`: they are the parts
    of batches that the replicas of this process get.
    """

    def __init__(
        self, batches: Iterable[Any], varies: bool, element_spec: Any = None, divided: bool = False
    ) -> None:
        self._batches = iter(batches)
        self.divided = divided
        self.varies, self.element_spec = varies, element_spec
        self.open_shapes = spec_open_shapes(element_spec)

    def __iter__(self) -> Batches:
        return self

    def __next__(self) -> Any:
        return next(self._batches)


def known_of(iterator: Any) -> tuple[bool, list[Any] | None, bool]:
    """Whether the batches of an iterator may differ in size, `open_shapes`, `is_divided`."""
    if isinstance(iterator, Batches):
        return iterator.varies, iterator.open_shapes, iterator.divided
    return size_varies(iterator), open_shapes(iterator), is_divided(iterator)


def size_varies(iterator: Any) -> bool:
    """Whether the batches of an iterator may differ in size."""
    spec = getattr(iterator, "element_spec", None)
    return spec is not None and spec_varies(spec)


def is_divided(iterator: Any) -> bool:
    """Whether the batches of an iterator are divided among replicas already."""
    return isinstance(iterator, tf.distribute.DistributedIterator)


def spec_varies(element_spec: Any) -> bool:
    """Whether elements of a dataset may differ in their first dimension."""
    shapes = [getattr(leaf, "shape", None) for leaf in tf.nest.flatten(element_spec)]
    return any(s is None or s.rank is None or (s.rank and s[0] is None) for s in shapes)


def open_shapes(iterator: Any) -> list[Any] | None:
    """The shapes that batches have beside their size, if these may differ too."""
    return spec_open_shapes(getattr(iterator, "element_spec", None))


def spec_open_shapes(element_spec: Any) -> list[Any] | None:
    """Of each tensor in a dataset's elements, all dimensions but the first, if one is not known.

    A tensor whose rank is not known has None.
    """
    if element_spec is None:
        return None
    specs = [s for s in tf.nest.flatten(element_spec) if isinstance(s, tf.TensorSpec)]
    shapes = [tuple(s.shape[1:]) if s.shape.rank else None for s in specs]
    return shapes if any(None in shape for shape in shapes if shape) else None
