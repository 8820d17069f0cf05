"""Static shapes: `tf.TensorShape`, and what is known of a shape after broadcasting.

Inside Runnel a static shape is mostly its tuple of dimensions, `Dims`: `(2, None)` is two rows of
unknown length, and None is a shape of unknown rank. `TensorShape` is what users see of it.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator, Sequence
from itertools import zip_longest
from types import FrameType
from typing import Any, SupportsIndex, TypeAlias, overload

from runnel.core.protos import messages
from runnel.core.values.dimension import Dimension, may_be_same, size_of

Dims: TypeAlias = tuple[int | None, ...] | None

_new = object.__new__


class _Shown:
    """Whether those who ask a shape for its sizes get `Dimension` objects: all, or nobody."""

    to: Callable[[FrameType], bool] | None = None


def show_dimensions(to: Callable[[FrameType], bool] | None) -> None:
    """From now on `shape[0]` and iterating give `Dimension` objects to those whose frame is so."""
    _Shown.to = to


class TensorShape:
    """What is known of a tensor's shape: all sizes, some, only the rank, or nothing.

    Args:
        dims: a list of sizes, None for those that are not known; None if even the rank is not.

    >>> shape = tf.TensorShape([2, None])
    >>> shape.rank, shape[0], list(shape)
    (2, 2, [2, None])
    >>> shape.is_compatible_with([2, 5])
    True
    >>> tf.TensorShape(None).rank is None
    True
    """

    __slots__ = ("_dims",)

    _dims: Dims

    def __init__(self, dims: Any) -> None:
        self._dims = _as_dims(dims)

    @classmethod
    def of(cls, dims: Dims) -> TensorShape:
        """The shape of a tuple that is known to hold only sizes and None; nothing is checked."""
        new = _new(cls)
        new._dims = dims
        return new

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or None if it is not known."""
        return None if self._dims is None else len(self._dims)

    @property
    def ndims(self) -> int | None:
        """The same as `rank`."""
        return None if self._dims is None else len(self._dims)

    @property
    def dims(self) -> list[Dimension] | None:
        """The sizes as `Dimension` objects, or None; `as_list` gives plain numbers."""
        return None if self._dims is None else [Dimension(dim) for dim in self._dims]

    def as_list(self) -> list[int | None]:
        """The sizes, None where one is not known."""
        return list(self._known("as_list"))

    def num_elements(self) -> int | None:
        """How many elements such a tensor has, or None if that is not known.

        >>> tf.TensorShape([2, 3]).num_elements()
        6
        """
        dims = self._dims
        return None if dims is None or None in dims else math.prod(dims)  # type: ignore[arg-type]

    def is_fully_defined(self) -> bool:
        """Whether every size is known."""
        return self._dims is not None and None not in self._dims

    def is_compatible_with(self, other: Any) -> bool:
        """Whether some tensor can have both shapes.

        >>> tf.TensorShape([2, None]).is_compatible_with([None, 3])
        True
        """
        its = _as_dims(other)
        return self._dims == its or _all_compatible(self._dims, its)

    def merge_with(self, other: Any) -> TensorShape:
        """The shape that knows what either knows; ValueError if they contradict each other.

        >>> tf.TensorShape([2, None]).merge_with([None, 3])
        TensorShape([2, 3])
        """
        mine, its = self._dims, _as_dims(other)
        if not _all_compatible(mine, its):
            raise ValueError(f"Shapes {self} and {TensorShape.of(its)} are not compatible")
        if mine is None or its is None:
            return TensorShape.of(its if mine is None else mine)
        return TensorShape.of(tuple(b if a is None else a for a, b in zip(mine, its, strict=True)))

    def concatenate(self, other: Any) -> TensorShape:
        """The sizes of this shape followed by those of `other`."""
        mine, its = self._dims, _as_dims(other)
        return TensorShape.of(None if mine is None or its is None else mine + its)

    def most_specific_compatible_shape(self, other: Any) -> TensorShape:
        """The shape that knows only what both know and agree on.

        >>> tf.TensorShape([2, 3]).most_specific_compatible_shape([2, 4])
        TensorShape([2, None])
        """
        return TensorShape.of(_common(self._dims, _as_dims(other)))

    def is_subtype_of(self, other: Any) -> bool:
        """Whether every tensor of this shape also has the shape `other`, a TensorShape."""
        if not isinstance(other, TensorShape):
            return False
        mine, its = self._dims, other._dims
        if mine is None or its is None:
            return its is None
        return len(mine) == len(its) and all(
            b is None or a == b for a, b in zip(mine, its, strict=True)
        )

    def most_specific_common_supertype(self, others: Sequence[Any]) -> TensorShape | None:
        """The narrowest shape that this one and all `others` are subtypes of."""
        dims = self._dims
        for other in others:
            if not isinstance(other, TensorShape):
                return None
            dims = _common(dims, other._dims)
        return TensorShape.of(dims)

    def with_rank(self, rank: int) -> TensorShape:
        """This shape, known to have `rank` dimensions; ValueError if it has not.

        >>> tf.TensorShape(None).with_rank(2)
        TensorShape([None, None])
        """
        self.assert_has_rank(rank)
        return unknown_shape(rank) if self._dims is None else self

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape; ValueError if it is known to have fewer dimensions."""
        if self._dims is not None and len(self._dims) < rank:
            raise ValueError(f"Shape {self} must have rank at least {rank}")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape; ValueError if it is known to have more dimensions."""
        if self._dims is not None and len(self._dims) > rank:
            raise ValueError(f"Shape {self} must have rank at most {rank}")
        return self

    def assert_has_rank(self, rank: int) -> None:
        """ValueError if the rank is known to differ from `rank`."""
        if self.rank not in (None, rank):
            raise ValueError(f"Shape {self} must have rank {rank}")

    def assert_same_rank(self, other: Any) -> None:
        """ValueError if the ranks are known to differ."""
        its = as_shape(other)
        if self._dims is not None and its.rank not in (None, len(self._dims)):
            raise ValueError(f"Shapes {self} and {its} must have the same rank")

    def assert_is_compatible_with(self, other: Any) -> None:
        """ValueError if no tensor can have both shapes."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {as_shape(other)} are incompatible")

    def assert_is_fully_defined(self) -> None:
        """ValueError if a size is not known."""
        if not self.is_fully_defined():
            raise ValueError(f"Shape {self} is not fully defined")

    def placeholder_value(self, placeholder_context: object) -> None:
        """Nothing: a shape as a traced value is constant."""

    def cast(self, value: object, cast_context: object) -> Any:
        """`value` itself if it is this shape, else an AssertionError."""
        if not isinstance(value, TensorShape) or value._dims != self._dims:
            raise AssertionError(f"TensorShape.cast: {value!r} is not {self!r}")
        return value

    def flatten(self) -> list[Any]:
        """The tensor specs inside: none."""
        return []

    def to_tensors(self, value: object) -> list[Any]:
        """The tensors inside: none."""
        return []

    def from_tensors(self, tensors: Iterator[Any]) -> None:
        """Nothing: a shape takes no tensors."""

    def as_proto(self) -> Any:
        """The shape as a `TensorShapeProto`.

        >>> tf.TensorShape([2, None]).as_proto().dim[1].size
        -1
        """
        proto = messages.TensorShapeProto(unknown_rank=self._dims is None)
        for size in self._dims or ():
            proto.dim.add(size=-1 if size is None else size)
        return proto

    def experimental_as_proto(self) -> Any:
        """The same as `as_proto`."""
        return self.as_proto()

    @classmethod
    def experimental_from_proto(cls, proto: Any) -> TensorShape:
        """The shape that a `TensorShapeProto` holds."""
        if proto.unknown_rank:
            return cls(None)
        return cls([None if dim.size == -1 else dim.size for dim in proto.dim])

    @classmethod
    def experimental_type_proto(cls) -> Any:
        """The class of the message that a shape becomes."""
        return messages.TensorShapeProto

    def _known(self, what: str) -> tuple[int | None, ...]:
        if self._dims is None:
            raise ValueError(f"TensorShape.{what}: a shape of unknown rank has no dimensions")
        return self._dims

    def __len__(self) -> int:
        return len(self._known("__len__"))

    def __iter__(self) -> Iterator[Any]:
        dims = self._known("__iter__")
        if _Shown.to is None or not _Shown.to(sys._getframe(1)):
            return iter(dims)
        return map(Dimension, dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    @overload
    def __getitem__(self, key: SupportsIndex) -> int | None: ...
    @overload
    def __getitem__(self, key: slice) -> TensorShape: ...
    def __getitem__(self, key: SupportsIndex | slice) -> int | None | TensorShape:
        dims = self._dims
        if isinstance(key, slice):
            return TensorShape.of(_unknown_slice(key) if dims is None else dims[key])
        size = None if dims is None else dims[key]
        if _Shown.to is None or not _Shown.to(sys._getframe(1)):
            return size
        return Dimension(size)  # type: ignore[return-value]

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return as_shape(other).concatenate(self)

    def __eq__(self, other: object) -> bool:
        if isinstance(other, TensorShape):
            return self._dims == other._dims
        try:
            return self._dims == _as_dims(other)
        except (TypeError, ValueError):
            return NotImplemented

    def __hash__(self) -> int:
        return hash(self._dims)

    def __repr__(self) -> str:
        shown = self.dims if _Shown.to is not None else self._dims
        return f"TensorShape({None if shown is None else list(shown)})"

    def __str__(self) -> str:
        return "<unknown>" if self._dims is None else str(self._dims)

    def __reduce__(self) -> tuple[Any, tuple[Dims]]:
        return TensorShape, (self._dims,)


def as_shape(shape: Any) -> TensorShape:
    """`shape` as a TensorShape; one that is one already is returned as it is."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def unknown_shape(rank: int | None = None) -> TensorShape:
    """A shape of `rank` unknown sizes, or of unknown rank."""
    return TensorShape.of(None if rank is None else (None,) * rank)


def broadcast_shapes(a_dims: Dims, b_dims: Dims) -> Dims:
    """What is known of the shape after broadcasting; ValueError if the two do not fit together.

    >>> broadcast_shapes((4, 1), (None,))
    (4, None)
    """
    if a_dims is None or b_dims is None:
        return None
    if a_dims == b_dims:
        return a_dims
    result = []
    for a, b in zip_longest(reversed(a_dims), reversed(b_dims), fillvalue=1):
        if a == b or b == 1:
            result.append(a)
        elif a == 1:
            result.append(b)
        elif a is None or b is None:  # The unknown size must be 1 or the known one.
            result.append((b or None) if a is None else (a or None))
        else:
            raise ValueError(
                f"Shapes {a_dims} and {b_dims} do not broadcast: counted from the last, "
                f"two dimensions must be equal or one of them 1, got {a} and {b}"
            )
    return tuple(reversed(result))


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """The static shape of two tensors of these shapes after broadcasting.

    >>> tf.broadcast_static_shape(tf.TensorShape([1, 2, 3]), tf.TensorShape([5, 1, 3]))
    TensorShape([5, 2, 3])
    """
    return TensorShape.of(broadcast_shapes(_as_dims(shape_x), _as_dims(shape_y)))


def _as_dims(dims: Any) -> Dims:
    if dims is None:
        return None
    if isinstance(dims, TensorShape):
        return dims._dims
    try:
        sizes = iter(dims)
    except TypeError:  # A single size, which may well be an array of rank 0, or a message.
        if hasattr(dims, "unknown_rank"):
            return TensorShape.experimental_from_proto(dims)._dims
        return (size_of(dims),)
    return tuple([d if type(d) is int and d >= 0 else size_of(d) for d in sizes])


def _all_compatible(a: Dims, b: Dims) -> bool:
    if a is None or b is None:
        return True
    return len(a) == len(b) and all(map(may_be_same, a, b))


def _common(a: Dims, b: Dims) -> Dims:
    if a is None or b is None or len(a) != len(b):
        return None
    return tuple(x if x == y else None for x, y in zip(a, b, strict=True))


def _unknown_slice(key: slice) -> Dims:
    """A slice of a shape of unknown rank: of known length only if it does not reach the end."""
    start, stop, step = key.start or 0, key.stop, key.step or 1
    if stop is None or stop < 0 or start < 0:
        return None
    return (None,) * len(range(start, stop, step))
