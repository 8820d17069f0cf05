"""What a loop of the graph runs over: tensors, and `enumerate`, `zip`, `reversed` … of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from runnel.core.composite.extension_type import ExtensionType
from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.ops.array import constants


def plain(value: Any) -> Any:
    """The tensor in a value that stands for one, as a weak tensor does; else the value."""
    if isinstance(value, ExtensionType) and getattr(value, "is_tensor_like", False):
        return convert_to_tensor(value)
    return value


def is_symbolic(value: Any) -> bool:
    """Whether a value is known only when the graph runs."""
    value = plain(value)
    return isinstance(value, Tensor) and not isinstance(value, EagerTensor)


class Items:
    """A sequence whose length may be known at run time only: `item(i)` for `i` below `count`.

    The variable of a loop is `first` if there is no item, if that is not None.
    """

    def __init__(self, count: Any, item: Callable[[Any], Any], first: Any = None) -> None:
        self.count = count
        self.item = item
        self.first = first

    def mapped(self, fn: Callable[[Any], Any]) -> Items:
        return Items(self.count, lambda i: fn(self.item(i)))

    def known_count(self) -> int | None:
        """The number of items, if it is known while tracing."""
        if not isinstance(self.count, Tensor):
            return int(self.count)
        value = self.count.constant_value() if is_symbolic(self.count) else self.count._value  # type: ignore[attr-defined]
        return None if value is None else int(value)

    def __iter__(self) -> Iterator[Any]:
        count = self.known_count()
        if count is None:
            raise TypeError(
                "The number of items is not known while tracing: use a `for` statement, which "
                "becomes a loop of the graph."
            )
        return (self.item(np.int32(i)) for i in range(count))


def items_of(value: Any) -> Items | None:
    """The items of a symbolic tensor, or of what is made of one; None for Python's iterables."""
    if isinstance(value, Items):
        return value
    staged = getattr(type(value), "autograph_items", None)
    if staged is not None:
        return staged(value)  # type: ignore[no-any-return]
    if isinstance(value, RaggedTensor) and not value._is_eager():
        rows = value._row_partition.static_nrows
        return Items(value.nrows(np.int32) if rows is None else np.int32(rows), value.__getitem__)
    value = plain(value)
    if not is_symbolic(value):
        return None
    if value.shape.rank == 0:
        raise ValueError(f"Cannot iterate over a scalar tensor: {value}.")
    if value.op.type == "Range":
        start, _, delta = value.op.inputs
        count = _range_length(value)
        return Items(count, lambda i: start + raw_ops.Cast(i, DstT=value.dtype) * delta, start)
    return Items(_length(value), lambda i: raw_ops.GatherV2(value, i, np.int32(0)))


def _range_length(value: Any) -> Any:
    """The length of a range from its limits, so that the range itself is not computed.

    A range that runs away from its limit is an error of the op, and a loop without iterations.
    """
    start, limit, delta = value.op.inputs
    step = delta.constant_value()
    unsigned = value.dtype.is_integer and value.dtype.is_unsigned
    if value.shape.is_fully_defined() or unsigned or (step is not None and not step):
        return _length(value)
    count = _steps(limit - start, delta, None if step is None else step.item())
    return raw_ops.Cast(raw_ops.Maximum(count, np.zeros((), value.dtype.np_dtype)), DstT=np.int32)


def _steps(distance: Tensor, delta: Tensor, step: int | float | None) -> Any:
    """How many steps of `delta`, which is `step` if that is known, cover a distance."""
    if not distance.dtype.is_integer:
        return raw_ops.Ceil(distance / delta)
    if step is None:
        return (distance + delta - raw_ops.Sign(delta)) // delta
    size, ahead = abs(int(step)), distance if step > 0 else -distance
    return ahead if size == 1 else (ahead + (size - 1)) // size


def _length(value: Any) -> Any:
    size = value.shape[0] if value.shape.rank else None
    if size is not None:
        return np.int32(size)
    return raw_ops.GatherV2(raw_ops.Shape(value), np.int32(0), np.int32(0))


def range_(*args: Any) -> Any:
    """`range` of tensors; without a step it may end before it starts, and is empty then."""
    if not any(is_symbolic(a) for a in args):
        return range(*[int(a) if isinstance(a, EagerTensor) else a for a in args])
    if len(args) == 3:
        return constants.range(*args)
    start, stop = (0, *args)[-2:]
    return constants.range(start, raw_ops.Maximum(start, stop))


def is_dataset(value: Any) -> bool:
    """Whether it is a dataset, which has `enumerate`, `zip`, `map` and `filter` of its own."""
    return hasattr(value, "_autograph_for") and hasattr(value, "enumerate")


def enumerate_(iterable: Any, start: Any = 0) -> Any:
    if is_dataset(iterable):
        return iterable.enumerate(start)
    items = items_of(iterable)
    if items is None:
        return enumerate(iterable, start)
    return Items(items.count, lambda i: (i + start, items.item(i)))


def zip_(*iterables: Any, strict: bool = False) -> Any:
    if iterables and all(map(is_dataset, iterables)):
        return type(iterables[0]).zip(iterables)
    parts = [items_of(iterable) for iterable in iterables]
    if not any(part is not None for part in parts):
        return zip(*iterables, strict=strict)
    known = [p.known_count() if p is not None else None for p in parts]
    if any(
        p is None for p in parts
    ):  # with Python data among them: unrolled, as long as that lasts
        pairs = zip(iterables, parts, strict=True)
        return zip(*[iterable if p is None else p for iterable, p in pairs], strict=strict)
    count: Any = parts[0].count  # type: ignore[union-attr]
    if len(set(known)) != 1 or None in known:
        for part in parts[1:]:
            count = raw_ops.Minimum(count, part.count)  # type: ignore[union-attr]
    return Items(count, lambda i: tuple(part.item(i) for part in parts))  # type: ignore[union-attr]


def reversed_(sequence: Any) -> Any:
    items = items_of(sequence)
    if items is None:
        return reversed(sequence)
    return Items(items.count, lambda i: items.item(items.count - 1 - i))


def map_(fn: Callable[..., Any], *iterables: Any) -> Any:
    if iterables and all(map(is_dataset, iterables)):
        return zip_(*iterables).map(fn) if len(iterables) > 1 else iterables[0].map(fn)
    if not any(items_of(iterable) is not None for iterable in iterables):
        return map(fn, *iterables)
    zipped = zip_(*iterables)
    if isinstance(zipped, Items):
        return zipped.mapped(lambda t: fn(*t))
    return (fn(*t) for t in zipped)
