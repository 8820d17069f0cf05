"""`make_parse_example_spec`: how to read the features of columns from `tf.train.Example`s."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from runnel.v1.columns.base import FeatureColumn


def make_parse_example_spec(feature_columns: Iterable[Any]) -> dict[str, Any]:
    """What `tf.io.parse_example` takes as `features` to read what the columns need.

    >>> age = tf.feature_column.numeric_column("age")
    >>> tf.feature_column.make_parse_example_spec([age])
    {'age': FixedLenFeature(shape=(1,), dtype=tf.float32, default_value=None)}
    """
    return joined_specs(feature_columns, FeatureColumn)


def joined_specs(columns: Iterable[Any], kind: Any) -> dict[str, Any]:
    """The specs of all columns; one feature is read in one way."""
    found: dict[str, Any] = {}
    for column in columns:
        if not isinstance(column, kind):
            raise ValueError(f"make_parse_example_spec: this is no feature column: {column!r}")
        for key, spec in column.parse_example_spec.items():
            if found.setdefault(key, spec) != spec:
                raise ValueError(
                    f"make_parse_example_spec: {key} would be read as {found[key]} and as {spec}."
                )
    return found
