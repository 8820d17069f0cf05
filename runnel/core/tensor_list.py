"""The values of list tensors: one array after another, or all of them stacked in one array.

`TensorList` is what the host makes. Inside an XLA program a list is `Stacked`, and what leaves such
a program stays so until it is changed.
"""

from __future__ import annotations

import functools
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core import xla
from runnel.core.dtypes import FROM_NUMPY, DType, string
from runnel.core.errors import InvalidArgumentError
from runnel.core.types import Array, Dims, Namespace


class TensorList:
    """An immutable list of arrays; None stands for one not written yet, which reads as zeros."""

    shape = ()
    size = 1

    def __init__(self, items: tuple[Array | None, ...], dtype: DType, dims: Dims) -> None:
        self.items = items
        self.dtype = dtype
        self.dims = dims

    def __len__(self) -> int:
        return len(self.items)

    def with_items(self, items: tuple[Array | None, ...]) -> TensorList:
        return TensorList(items, self.dtype, self.dims)

    def _zeros(self, dims: Dims) -> np.ndarray[Any, Any]:
        known = self._known_dims(dims)
        if known is None or None in known:
            raise InvalidArgumentError(
                None,
                None,
                "Trying to read an element of a list that was not written, and whose shape is not "
                "known.",
            )
        nothing = b"" if self.dtype is string else 0
        return np.full(tuple(d or 0 for d in known), nothing, self.dtype.np_dtype)

    def _known_dims(self, dims: Dims) -> Dims:
        written = next((i for i in self.items if i is not None), None)
        if written is not None:
            return tuple(np.shape(written))
        return dims if dims is not None and None not in dims else self.dims

    def _check(self, index: int) -> int:
        if not 0 <= index < len(self.items):
            raise InvalidArgumentError(
                None,
                None,
                f"Trying to access element {index} in a list with {len(self.items)} elements.",
            )
        return index

    def get(self, xp: Namespace, index: Any, dtype: DType, dims: Dims) -> Array:
        if not isinstance(index, int | np.ndarray | np.generic):
            return self.stacked(dims).get(xp, index, dtype, dims)
        item = self.items[self._check(int(index))]
        return self._zeros(dims) if item is None else item

    def set(self, xp: Namespace, index: Any, item: Array, *, grow: bool = False) -> Any:
        if xp is not np:
            return self.stacked(tuple(item.shape)).set(xp, index, item, grow=grow)
        place, items = int(index), self.items
        if grow and place >= len(items):
            items = (*items, *(None,) * (place + 1 - len(items)))
        elif not 0 <= place < len(items):
            self._check(place)
        return self.with_items((*items[:place], item, *items[place + 1 :]))

    def gather(self, xp: Namespace, indices: Any, dtype: DType, dims: Dims) -> Array:
        if xp is not np:
            return self.stacked(dims).gather(xp, indices, dtype, dims)
        found = [self.get(np, int(i), dtype, dims) for i in indices]
        return np.stack(found) if found else np.zeros((0, *self._zeros(dims).shape), dtype.np_dtype)

    def scatter(self, xp: Namespace, indices: Any, tensor: Array) -> Any:
        if xp is not np:
            return self.stacked(tuple(tensor.shape[1:])).scatter(xp, indices, tensor)
        items = list(self.items)
        rows = [tensor[row, ...] for row in range(len(tensor))]  # a string stays an array
        for i, value in zip(np.ravel(indices).tolist(), rows, strict=True):
            if i >= len(items):
                items.extend([None] * (i + 1 - len(items)))
            items[i] = value
        return self.with_items(tuple(items))

    def stack(self, xp: Namespace, dtype: DType, dims: Dims) -> Array:
        if not self.items:
            inner = self.dims if self.dims is not None else dims
            return np.zeros((0, *[d or 0 for d in inner or ()]), dtype.np_dtype)
        zeros = None
        if any(i is None for i in self.items):
            zeros = self._zeros(dims)
        shapes = {np.shape(i) for i in self.items if i is not None}
        if len(shapes) > 1:
            raise InvalidArgumentError(
                None, None, f"Tried to stack list elements of different shapes {sorted(shapes)}."
            )
        return xp.stack([zeros if i is None else i for i in self.items])

    def zeros(self, xp: Namespace) -> TensorList:
        """A list of as many elements, none of them written; those that are no arrays are zeros."""
        items = tuple([i.zeros(xp) if i is not None and is_list(i) else None for i in self.items])
        return TensorList(items, self.dtype, self._known_dims(self.dims))

    def plus(self, xp: Namespace, other: Any) -> Any:
        """The list of the sums of the elements of two lists."""
        if isinstance(other, Stacked) and xp is not np:
            return other.plus(xp, self)
        pairs = zip(self.items, other.items, strict=True)
        sums = tuple(b if a is None else a if b is None else _sum(xp, a, b) for a, b in pairs)
        return TensorList(sums, self.dtype, self.dims)

    def stacked(self, dims: Dims) -> Stacked:
        """The list as one array, for an XLA program."""
        return Stacked(self.stack(xla.jnp, self.dtype, dims))


def _sum(xp: Namespace, a: Any, b: Any) -> Any:
    return a.plus(xp, b) if is_list(a) else xp.add(a, b)


def pile(items: Sequence[Array], dtype: DType, dims: Dims) -> TensorList | Stacked:
    """A list of arrays that have just been made, as one array if they have one shape."""
    arrays = all(isinstance(item, np.ndarray | np.generic) for item in items)
    if items and arrays and len({item.shape for item in items}) == 1:
        return Stacked(np.stack(items))
    return TensorList(tuple(items), dtype, dims)


class Stacked:
    """A list as one array, one element after another along its first dimension."""

    shape = ()
    size = 1

    def __init__(self, buffer: Array) -> None:
        self.buffer = buffer

    def __len__(self) -> int:
        return int(self.buffer.shape[0])

    @property
    def elements(self) -> int:
        return int(self.buffer.size)

    @property
    def dims(self) -> Dims:
        return tuple(self.buffer.shape[1:])

    @property
    def dtype(self) -> DType:
        return FROM_NUMPY[np.dtype(self.buffer.dtype)]

    @property
    def items(self) -> tuple[Array, ...]:
        held = np.asarray(self.buffer)
        return tuple([held[place, ...] for place in range(len(held))])

    def with_items(self, items: tuple[Array | None, ...]) -> TensorList:
        return TensorList(items, self.dtype, self.dims)

    def get(self, xp: Namespace, index: Any, dtype: DType, dims: Dims) -> Array:
        if xp is np:
            place = int(index)
            if not 0 <= place < len(self):
                return self.with_items(self.items).get(np, place, dtype, dims)  # which raises
            return np.asarray(self.buffer)[place, ...]  # a string stays an array
        return xla.lax.dynamic_index_in_dim(self.buffer, index, 0, keepdims=False)

    def set(self, xp: Namespace, index: Any, item: Array, *, grow: bool = False) -> Any:
        if xp is np:
            return self.with_items(self.items).set(np, index, item, grow=grow)
        known = isinstance(index, np.ndarray | np.generic)
        if grow and not (known and 0 <= int(index) < len(self)):
            raise ValueError("the list may have to grow, to a size that only the run will tell")
        item = xla.jnp.asarray(item, self.buffer.dtype)
        return Stacked(xla.lax.dynamic_update_index_in_dim(self.buffer, item, index, 0))

    def gather(self, xp: Namespace, indices: Any, dtype: DType, dims: Dims) -> Array:
        if xp is np:
            return self.with_items(self.items).gather(np, indices, dtype, dims)
        return self.buffer[indices]

    def scatter(self, xp: Namespace, indices: Any, tensor: Array) -> Any:
        if xp is np:
            return self.with_items(self.items).scatter(np, indices, tensor)
        return Stacked(self.buffer.at[indices].set(tensor))

    def stack(self, xp: Namespace, dtype: DType, dims: Dims) -> Array:
        return np.asarray(self.buffer) if xp is np else self.buffer

    def zeros(self, xp: Namespace) -> Stacked:
        return Stacked(xp.zeros(self.buffer.shape, self.buffer.dtype))

    def plus(self, xp: Namespace, other: Any) -> Stacked:
        if isinstance(other, TensorList):
            if all(item is None for item in other.items):
                return self
            if xp is np:
                return self.with_items(self.items).plus(np, other)  # type: ignore[no-any-return]
            other = other.stacked(self.dims)
        return Stacked(xp.add(self.buffer, other.buffer))


def is_list(value: Any) -> bool:
    """Whether a value knows itself how to be zeros and how to be added: no array, but of arrays."""
    return isinstance(value, TensorList | Stacked) or hasattr(value, "plus")


_registering = threading.Lock()


def register_lists() -> None:
    """Tell JAX how lists are taken apart, so that they can enter and leave its programs."""
    with _registering:  # a second registration is an error
        _register_lists()


@functools.cache
def _register_lists() -> None:
    register = xla.jax.tree_util.register_pytree_node
    register(Stacked, lambda s: ((s.buffer,), None), lambda _, children: Stacked(children[0]))
    register(
        TensorList,
        lambda t: (t.items, (t.dtype, t.dims)),
        lambda aux, items: TensorList(tuple(items), *aux),
    )
