"""Batches as tuples of inputs, targets and weights."""

from __future__ import annotations

from typing import Any


def pack_x_y_sample_weight(x: Any, y: Any = None, sample_weight: Any = None) -> Any:
    """What a dataset yields for these: `x` alone where it can stand alone, else a tuple.

    >>> tf.keras.utils.pack_x_y_sample_weight(1, 2)
    (1, 2)
    """
    if y is None:
        # A tuple of inputs alone would be taken for `(x, y)`.
        return (x,) if isinstance(x, tuple) else x
    return (x, y) if sample_weight is None else (x, y, sample_weight)


def unpack_x_y_sample_weight(data: Any) -> tuple[Any, Any, Any]:
    """`(x, y, sample_weight)` of what a dataset yields, None for what is not there.

    >>> tf.keras.utils.unpack_x_y_sample_weight((1, 2))
    (1, 2, None)
    """
    if isinstance(data, list):
        data = tuple(data)
    if not isinstance(data, tuple):
        return (data, None, None)
    if len(data) > 3:
        raise ValueError(
            "A batch must be `x`, `(x,)`, `(x, y)` or `(x, y, sample_weight)`, "
            f"got a tuple of {len(data)}: {data}"
        )
    x, y, sample_weight = (*data, None, None)[:3]
    return (x, y, sample_weight)
