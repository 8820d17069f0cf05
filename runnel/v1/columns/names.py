"""Columns that go into one layer: in the order of their names, no two of one name."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any


def checked_columns(columns: Any, kind: Any) -> list[Any]:
    """Columns of a kind, or one of them, in the order of their names."""
    if isinstance(columns, kind):
        columns = [columns]
    if isinstance(columns, Iterator):
        columns = list(columns)
    if isinstance(columns, dict):
        raise ValueError("`feature_columns` must be a list of columns, got a dict.")
    found: dict[str, Any] = {}
    for column in columns:
        if not isinstance(column, kind):
            raise ValueError(
                f"`feature_columns` must be feature columns, got {column!r} of type {type(column)}."
            )
        if column.name in found:
            raise ValueError(
                f"Two of the `feature_columns` have the name {column.name}: {column!r} and "
                f"{found[column.name]!r}. Leave one out, or give its feature a second name."
            )
        found[column.name] = column
    if not found:
        raise ValueError("`feature_columns` must not be empty.")
    return [found[name] for name in sorted(found)]


def refuse_different_batches(tensors: list[Any], columns: list[Any]) -> None:
    """Refuse tensors whose batches are known not to be of one size."""
    sizes = {c.name: t.shape[0] for c, t in zip(columns, tensors) if t.shape[0] is not None}
    if len(set(sizes.values())) > 1:
        raise ValueError(f"All features must have one batch size, got {sizes} by column.")
