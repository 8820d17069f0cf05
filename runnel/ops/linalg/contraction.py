"""In which order `tf.einsum` multiplies more than two tensors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from runnel.core.tensor.tensor import Tensor


def product_labels(a: str, b: str, others: Sequence[str], output: str) -> str:
    """The labels that the product of two operands must keep."""
    wanted = "".join(others) + output
    ellipsis = "..." if "..." in a + b else ""
    labels = dict.fromkeys((a + b).replace("...", ""))
    return ellipsis + "".join(label for label in labels if label in wanted)


_ORDERS = ("greedy", "optimal", "auto", "auto-hq", "branch-2", "branch-all", "branch-1")


def contraction_order(
    names: Sequence[str], output: str, tensors: Sequence[Tensor], optimize: Any
) -> list[tuple[int, int]]:
    """Which two operands are multiplied next; the product goes to the end of the list."""
    if isinstance(optimize, str) and optimize not in _ORDERS:
        raise KeyError(f"einsum: `optimize` must be one of {', '.join(_ORDERS)}, got {optimize!r}.")
    if not optimize:
        return [(0, 1)] + [(0, len(names) - 1 - i) for i in range(1, len(names) - 1)]
    sizes: dict[str, int] = {}
    for labels, tensor in zip(names, tensors):
        dims = tensor.shape._dims
        if dims is not None and "..." not in labels:
            sizes.update((label, n) for label, n in zip(labels, dims) if n is not None)
    if optimize == "optimal" and len(names) <= 6:
        return _cheapest(list(names), output, sizes)[1]
    return _greedy(list(names), output, sizes)


def _cost(a: str, b: str, sizes: dict[str, int]) -> int:
    return math.prod(sizes.get(label, 2) for label in set((a + b).replace("...", "")))


def _pairs(count: int) -> list[tuple[int, int]]:
    return [(i, j) for i in range(count) for j in range(i + 1, count)]


def _after(names: list[str], output: str, pair: tuple[int, int]) -> list[str]:
    rest = [n for i, n in enumerate(names) if i not in pair]
    return [*rest, product_labels(names[pair[0]], names[pair[1]], rest, output)]


def _greedy(names: list[str], output: str, sizes: dict[str, int]) -> list[tuple[int, int]]:
    path = []
    while len(names) > 1:
        costs = {pair: _cost(names[pair[0]], names[pair[1]], sizes) for pair in _pairs(len(names))}
        best = min(costs, key=costs.__getitem__)
        path.append(best)
        names = _after(names, output, best)
    return path


def _cheapest(
    names: list[str], output: str, sizes: dict[str, int]
) -> tuple[int, list[tuple[int, int]]]:
    if len(names) == 1:
        return 0, []
    options = []
    for pair in _pairs(len(names)):
        cost, path = _cheapest(_after(names, output, pair), output, sizes)
        options.append((_cost(names[pair[0]], names[pair[1]], sizes) + cost, [pair, *path]))
    return min(options)
