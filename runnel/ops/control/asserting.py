"""The op Assert and `tf.Assert`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, no_gradient, op, raw_ops
from runnel.core.op.context import state
from runnel.core.tensor.static import constant_value
from runnel.core.values import dtypes
from runnel.core.values.errors import InvalidArgumentError, bad_shape
from runnel.core.values.types import Array, Namespace, Spec, TensorLike
from runnel.ops.choices import at_least
from runnel.ops.control.grouping import no_op
from runnel.ops.strings.formatting import elements_shown


def _assert_shape(condition: Spec, data: list[Spec], *, summarize: int) -> list[Any]:
    if condition.rank not in (None, 0):
        raise bad_shape("Assert", want="be a scalar", condition=condition)
    return []


@op(
    "Assert",
    "condition: bool, data: *T ->",
    T=at_least(1),
    shape=_assert_shape,
    host=True,
    stateful=True,
    diagnostic=True,
)
def _assert(xp: Namespace, condition: Array, data: list[Array], *, summarize: int = 3) -> None:
    if np.ndim(condition):
        raise bad_shape("Assert", want="be a scalar", condition=condition)
    if not condition:
        raise InvalidArgumentError(None, None, f"assertion failed: {_shown(data, summarize)}")


no_gradient("Assert")


def _shown(data: Sequence[Array], summarize: int) -> str:
    return " ".join(f"[{elements_shown(np.asarray(value), summarize)}]" for value in data)


def Assert(
    condition: TensorLike,
    data: Sequence[TensorLike],
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """Raise InvalidArgumentError with `data` in its message unless `condition` is true.

    >>> tf.Assert(tf.constant(1) > 0, ["must be positive"])
    """
    if state.graph is None:
        return _assert_now(condition, data, 3 if summarize is None else summarize)
    items = [convert_to_tensor(item) for item in _items(data)]
    if not isinstance(condition, Tensor):
        condition = convert_to_tensor(condition, dtypes.bool)
    if not items:
        raise ValueError("tf.Assert: `data` must hold at least one tensor, got [].")
    known = constant_value(condition)
    if known is not None and known.ndim == 0 and known.dtype == bool and known:
        return no_op()
    count = 3 if summarize is None else summarize
    return raw_ops.Assert(condition, items, summarize=count, name=name)


def _assert_now(condition: Any, data: Any, summarize: int) -> None:
    if bool(condition):
        return
    items = _items(data) if not isinstance(data, str) else [*data]
    values = [convert_to_tensor(item)._value for item in items]  # type: ignore[attr-defined]
    message = f"Expected {str(condition)!r} to be true. Data: {_shown(values, summarize)}"
    raise InvalidArgumentError(None, None, message)


def _items(data: Any) -> Sequence[TensorLike]:
    if not isinstance(data, list | tuple):
        raise TypeError(f"tf.Assert: `data` must be a list of tensors, got {data!r}.")
    return data
