"""Steps one after another, each with what the one before left: a loop, or one loop of XLA's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.backend.jax import lax
from runnel.core.values.types import Array, Namespace

Step = Callable[[Any, Any], tuple[Any, Any]]


def steps(
    xp: Namespace, step: Step, carry: Any, rows: Sequence[Array], *, backward: bool = False
) -> tuple[Any, Any]:
    """The last `carry` and the stacked results of `step(carry, row)`, which gives both.

    >>> total = lambda carry, row: (carry + row[0], (carry,))
    >>> steps(np, total, 0, [np.array([1, 2, 3])])
    (np.int64(6), [array([0, 1, 3])])
    """
    if xp is not np:
        return lax.scan(step, carry, tuple(rows), reverse=backward)
    found = []
    order = range(len(rows[0]))
    for i in reversed(order) if backward else order:
        carry, result = step(carry, tuple(row[i] for row in rows))
        found.append(result)
    found = found[::-1] if backward else found
    return carry, [np.stack(part) for part in zip(*found)]
