"""Changing rows of tables by a rule that reads what they hold."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.backend.jax import jnp, lax
from runnel.core.values.types import Array, Namespace

Step = Callable[[list[Array], Array], tuple[Array, ...]]


def update_rows(
    xp: Namespace, tables: list[Array], indices: Array, parts: Array, step: Step
) -> list[Array]:
    """The tables after `step(rows, part)` has given new rows for each index, one after another.

    Indices that stand there once are done together; the next ones of the same row in later turns.
    """
    turns = _turns(xp, indices)
    if xp is np:
        return _by_turns(tables, indices, parts, step, turns)
    return _by_compiled_turns(tables, indices, parts, step, turns)


def _turns(xp: Namespace, indices: Array) -> Array:
    """How many times each index has stood before, `[0, 0, 1]` for `[5, 2, 5]`."""
    order = xp.argsort(indices, stable=True)
    ordered = indices[order]
    since = xp.arange(indices.size) - xp.searchsorted(ordered, ordered)
    return since[xp.argsort(order)]


def _by_turns(
    tables: list[Array], indices: Array, parts: Array, step: Step, turns: Array
) -> list[Array]:
    tables = [table.copy() for table in tables]
    for turn in range(int(turns.max(initial=-1)) + 1):
        now = turns == turn
        rows = indices[now]
        new = step([table[rows] for table in tables], parts[now])
        for table, value in zip(tables, new, strict=True):
            table[rows] = value
    return tables


def _by_compiled_turns(
    tables: list[Array], indices: Array, parts: Array, step: Step, turns: Array
) -> list[Array]:
    def body(carried: Any) -> Any:
        turn, held = carried
        rows = jnp.where(turns == turn, indices, held[0].shape[0])  # the rest falls off the end
        new = step([table.at[rows].get(mode="clip") for table in held], parts)
        return turn + 1, [
            table.at[rows].set(value, mode="drop") for table, value in zip(held, new, strict=True)
        ]

    last = jnp.max(turns, initial=-1)
    start = (jnp.zeros((), last.dtype), [jnp.asarray(table) for table in tables])
    return list(lax.while_loop(lambda carried: carried[0] <= last, body, start)[1])
