"""Iterators over batches that know whether their batches may differ in size."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import runnel as tf


class Batches(Iterator[Any]):
    """Batches one by one; `varies` says whether one may be larger than another."""

    def __init__(self, batches: Iterable[Any], varies: bool) -> None:
        self._batches = iter(batches)
        self.varies = varies

    def __iter__(self) -> Batches:
        return self

    def __next__(self) -> Any:
        return next(self._batches)


def size_varies(iterator: Any) -> bool:
    """Whether the batches of an iterator may differ in size."""
    if isinstance(iterator, Batches):
        return iterator.varies
    spec = getattr(iterator, "element_spec", None)
    return spec is not None and spec_varies(spec)


def spec_varies(element_spec: Any) -> bool:
    """Whether elements of a dataset may differ in their first dimension."""
    shapes = [getattr(leaf, "shape", None) for leaf in tf.nest.flatten(element_spec)]
    return any(s is None or s.rank is None or (s.rank and s[0] is None) for s in shapes)
