"""The values of list tensors: one array after another, or all of them stacked in one array.

`TensorList` is what the host makes. Inside an XLA program a list is `Stacked`, and what leaves such
a program stays so until it is changed.
"""

from __future__ import annotations

import functools
import itertools
import threading
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.backend import jax as xla
from runnel.core.values.dtypes import FROM_NUMPY, DType, string, variant
from runnel.core.values.errors import invalid
from runnel.core.values.types import Array, Dims, Namespace
from runnel.kernels.arrays import element, with_element

_ELEMENTS_OF_SHORT = 8  # elements


class TensorList:
    """An immutable list of arrays; None stands for one not written yet, which reads as zeros."""

    shape = ()
    size = 1

    def __init__(self, items: tuple[Array | None, ...], dtype: DType, dims: Dims) -> None:
        self.items = items
        self.dtype = dtype
        self.dims = dims
        self.is_here = False  # all elements are known to be NumPy's, so that nobody looks again

    def __len__(self) -> int:
        return len(self.items)

    def with_items(self, items: tuple[Array | None, ...]) -> TensorList:
        return TensorList(items, self.dtype, self.dims)

    def _zeros(self, dims: Dims) -> np.ndarray[Any, Any]:
        known = self._known_dims(dims)
        if known is None or None in known:
            raise invalid(
                "Trying to read an element of a list that was not written, and whose shape is not "
                "known."
            )
        nothing = b"" if self.dtype is string else 0
        return np.full(tuple(d or 0 for d in known), nothing, self.dtype.np_dtype)

    def _known_dims(self, dims: Dims) -> Dims:
        """What is asked for, or the shape of another element: not all need have the same."""
        if dims is not None and None not in dims:
            return dims
        written = next((i for i in self.items if i is not None), None)
        return self.dims if written is None else tuple(np.shape(written))

    def _check(self, index: int) -> int:
        if not 0 <= index < len(self.items):
            raise invalid(
                f"Trying to access element {index} in a list with {len(self.items)} elements."
            )
        return index

    def get(self, xp: Namespace, index: Any, dtype: DType, dims: Dims) -> Array:
        if not isinstance(index, int | np.ndarray | np.generic):
            return self.stacked(dims).get(xp, index, dtype, dims)
        item = self.items[self._check(int(index))]
        return self._zeros(dims) if item is None else item

    def _check_shape(self, shape: Sequence[int]) -> None:
        if self.dims is None:
            return
        fits = len(self.dims) == len(shape) and all(
            want is None or want == got for want, got in zip(self.dims, shape, strict=True)
        )
        if not fits:
            raise invalid(
                f"Tried to write an element of shape {tuple(shape)} into a list of elements of "
                f"shape {self.dims}."
            )

    def set(self, xp: Namespace, index: Any, item: Array, *, grow: bool = False) -> Any:
        if not is_list(item):
            self._check_shape(np.shape(item))
        if xp is not np:
            return self.stacked(tuple(item.shape)).set(xp, index, item, grow=grow)
        place, items = int(index), self.items
        if grow and place >= len(items):
            items = (*items, *(None,) * (place - len(items)), item)
        else:
            self._check(place)
            items = (*items[:place], item, *items[place + 1 :])
        found = self.with_items(items)
        found.is_here = self.is_here and isinstance(item, np.ndarray | np.generic)
        return found

    def gather(self, xp: Namespace, indices: Any, dtype: DType, dims: Dims) -> Array:
        if xp is not np:
            return self.stacked(dims).gather(xp, indices, dtype, dims)
        found = [self.get(np, int(i), dtype, dims) for i in indices]
        return np.stack(found) if found else np.zeros((0, *self._zeros(dims).shape), dtype.np_dtype)

    def scatter(self, xp: Namespace, indices: Any, tensor: Array) -> Any:
        self._check_shape(tensor.shape[1:])
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
            raise invalid(f"Tried to stack list elements of different shapes {sorted(shapes)}.")
        return xp.stack([zeros if i is None else i for i in self.items])

    def zeros(self, xp: Namespace) -> TensorList:
        """A list of as many elements, none of them written; those that are no arrays are zeros."""
        items = tuple([i.zeros(xp) if i is not None and is_list(i) else None for i in self.items])
        return TensorList(items, self.dtype, self._known_dims(self.dims))

    def plus(self, xp: Namespace, other: Any) -> Any:
        """The list of the sums of the elements of two lists, of which one may be shorter.

        A gradient by a list before it grew is as long as the grown one, and zero at its end.
        """
        if isinstance(other, Stacked) and xp is not np:
            return other.plus(xp, self)
        pairs = itertools.zip_longest(self.items, other.items)
        sums = tuple(b if a is None else a if b is None else _sum(xp, a, b) for a, b in pairs)
        return TensorList(sums, self.dtype, self.dims)

    def compact(self) -> TensorList | Stacked:
        """A long list as one array if it can be: XLA is slow with programs of many inputs."""
        if len(self.items) <= _ELEMENTS_OF_SHORT:
            return self
        whole = pile([i for i in self.items if i is not None], self.dtype, self.dims)
        if isinstance(whole, TensorList):
            return self
        if len(whole) == len(self):
            return whole
        return Stacked(self.stack(np, self.dtype, whole.dims))  # the rest reads as zeros

    def stacked(self, dims: Dims) -> Stacked:
        """The list as one array, for an XLA program."""
        if all(item is None for item in self.items) and self.items:
            return Stacked(
                xla.jnp.zeros((len(self), *self._zeros(dims).shape), self.dtype.np_dtype)
            )
        return Stacked(self.stack(xla.jnp, self.dtype, dims))


def _sum(xp: Namespace, a: Any, b: Any) -> Any:
    return a.plus(xp, b) if is_list(a) else xp.add(a, b)


def pile(items: Sequence[Array], dtype: DType, dims: Dims) -> TensorList | Stacked:
    """A list of arrays that have just been made, as one array if they have one shape."""
    arrays = all(issubclass(kind, np.ndarray | np.generic) for kind in set(map(type, items)))
    if items and arrays and len({item.shape for item in items}) == 1:
        return Stacked(np.stack(items))
    return TensorList(tuple(items), dtype, dims)


def _check_same(have: Sequence[int], got: Sequence[int]) -> None:
    """Elements of one array have one shape; if they differ, the host goes on with a list."""
    if tuple(have) != tuple(got):
        raise ValueError(f"an element of shape {tuple(got)} comes to ones of shape {tuple(have)}")


class Stacked:
    """A list as one array, one element after another along its first dimension."""

    shape = ()
    size = 1

    def __init__(self, held: Array) -> None:
        self.held = held

    def holding(self, held: Array) -> Stacked:
        """A list like this one whose array is another."""
        return Stacked(held)

    def __len__(self) -> int:
        return int(self.held.shape[0])

    @property
    def buffer(self) -> Array:
        """All elements, one after another."""
        return self.held

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

    def _unstacked(self) -> TensorList:
        """The list with one array after another, of which new ones may have other shapes."""
        return TensorList(self.items, self.dtype, None)

    def get(self, xp: Namespace, index: Any, dtype: DType, dims: Dims) -> Array:
        if xp is np:
            place = int(index)
            if not 0 <= place < len(self):
                return self.with_items(self.items).get(np, place, dtype, dims)  # which raises
            return np.asarray(self.buffer)[place, ...]  # a string stays an array
        return element(self.buffer, index)

    def set(self, xp: Namespace, index: Any, item: Array, *, grow: bool = False) -> Any:
        if xp is np:
            return self._unstacked().set(np, index, item, grow=grow)
        _check_same(self.buffer.shape[1:], np.shape(item))
        known = isinstance(index, np.ndarray | np.generic)
        if grow and not (known and 0 <= int(index) < len(self)):
            raise ValueError("the list may have to grow, to a size that only the run will tell")
        item = xla.jnp.asarray(item, self.buffer.dtype)
        return Stacked(with_element(self.buffer, index, item))

    def gather(self, xp: Namespace, indices: Any, dtype: DType, dims: Dims) -> Array:
        if xp is np:
            return self.with_items(self.items).gather(np, indices, dtype, dims)
        return self.buffer[indices]

    def scatter(self, xp: Namespace, indices: Any, tensor: Array) -> Any:
        if xp is np:
            return self._unstacked().scatter(np, indices, tensor)
        _check_same(self.buffer.shape[1:], tensor.shape[1:])
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


class Copies(Stacked):
    """A list of copies of one element, which is held once."""

    def __init__(self, held: Array, length: int) -> None:
        self.held = held
        self.length = length

    def holding(self, held: Array) -> Stacked:
        return Copies(held, self.length)

    def __len__(self) -> int:
        return self.length

    @property
    def buffer(self) -> Array:
        xp = np if isinstance(self.held, np.ndarray) else xla.jnp
        return xp.broadcast_to(self.held, (self.length, *self.held.shape))

    def get(self, xp: Namespace, index: Any, dtype: DType, dims: Dims) -> Array:
        return super().get(np, index, dtype, dims) if xp is np else self.held


class Nested(Stacked):
    """A list of lists that are as long as each other, as one array."""

    dtype = variant
    dims = ()

    def __init__(self, held: Array, depth: int) -> None:
        self.held = held
        self.depth = depth  # how many levels of lists there are below this one

    def holding(self, held: Array) -> Stacked:
        return Nested(held, self.depth)

    @property
    def items(self) -> tuple[Any, ...]:
        return tuple([as_list(row, self.depth) for row in np.asarray(self.held)])

    def get(self, xp: Namespace, index: Any, dtype: DType, dims: Dims) -> Any:
        return as_list(super().get(xp, index, dtype, dims), self.depth)

    def set(self, xp: Namespace, index: Any, item: Any, *, grow: bool = False) -> Any:
        found = super().set(xp, index, item if xp is np else item.buffer, grow=grow)
        return found if xp is np else self.holding(found.held)

    def zeros(self, xp: Namespace) -> Stacked:
        return self.holding(super().zeros(xp).held)

    def plus(self, xp: Namespace, other: Any) -> Any:
        found = super().plus(xp, other)
        return self.holding(found.held) if isinstance(found, Stacked) else found


def as_list(held: Array, depth: int) -> Any:
    """An array as a list of `depth` levels."""
    return held if not depth else Stacked(held) if depth == 1 else Nested(held, depth - 1)


def depth_of(value: Any) -> int:
    """How many levels of lists an array holds, if a value is one."""
    return value.depth + 1 if isinstance(value, Nested) else int(isinstance(value, Stacked))


def is_list(value: Any) -> bool:
    """Whether a value knows itself how to be zeros and how to be added: no array, but of arrays."""
    return isinstance(value, TensorList | Stacked) or hasattr(value, "plus")


_registering = threading.Lock()


LISTS = frozenset({TensorList, Stacked, Copies, Nested})


def register_lists() -> None:
    """Tell JAX how lists are taken apart, so that they can enter and leave its programs."""
    with _registering:  # a second registration is an error
        _register_lists()


@functools.cache
def _register_lists() -> None:
    register = xla.jax.tree_util.register_pytree_node
    register(Stacked, lambda s: ((s.held,), None), lambda _, held: Stacked(*held))
    register(Copies, lambda r: ((r.held,), r.length), lambda length, held: Copies(held[0], length))
    register(Nested, lambda n: ((n.held,), n.depth), lambda depth, held: Nested(held[0], depth))
    register(
        TensorList,
        lambda t: (t.items, (t.dtype, t.dims)),
        lambda aux, items: TensorList(tuple(items), *aux),
    )
