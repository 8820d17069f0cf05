"""Assertions about what tensors are, not what they hold: rank, dtype, shape."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.settings.scoped import scoped
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.static import constant_value
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.ops.control.asserting import Assert
from runnel.ops.control.grouping import no_op


@scoped("assert_rank")
def assert_rank(
    x: TensorLike, rank: TensorLike, message: str | None = None, name: str | None = None
) -> Any:
    """Raise ValueError unless `x` has the rank; InvalidArgumentError if that shows only later.

    >>> tf.debugging.assert_rank(tf.zeros([2, 3]), 2)
    """
    wanted = _rank_of(rank)
    return _check_rank(x, lambda r: r == wanted, f"rank {wanted}", message, name)


@scoped("assert_rank_at_least")
def assert_rank_at_least(
    x: TensorLike, rank: TensorLike, message: str | None = None, name: str | None = None
) -> Any:
    """Raise ValueError unless `x` has at least that rank."""
    wanted = _rank_of(rank)
    return _check_rank(x, lambda r: r >= wanted, f"rank at least {wanted}", message, name)


@scoped("assert_rank_in")
def assert_rank_in(
    x: TensorLike, ranks: Iterable[TensorLike], message: str | None = None, name: str | None = None
) -> Any:
    """Raise ValueError unless the rank of `x` is one of `ranks`."""
    wanted = tuple(_rank_of(rank) for rank in ranks)
    return _check_rank(x, lambda r: _one_of(r, wanted), f"a rank in {wanted}", message, name)


def _one_of(rank: Any, wanted: Sequence[Any]) -> Any:
    """Whether a rank is among those wanted, of which some may be symbolic."""
    if not any(isinstance(r, Tensor) for r in (rank, *wanted)):
        return rank in wanted
    given = rank if isinstance(rank, Tensor) else np.int32(rank)
    return raw_ops.Any(raw_ops.Equal(raw_ops.Pack(list(wanted)), given), np.int32(0))


def _rank_of(rank: TensorLike) -> Any:
    """A rank as a number, or as it is where only a run can tell."""
    tensor = convert_to_tensor(rank)
    if tensor.dtype is not dtypes.int32:
        raise TypeError(f"A rank is an int32, got {rank!r} of dtype {tensor.dtype.name}.")
    if tensor.shape.rank != 0:
        raise ValueError(f"A rank must be a scalar, got {rank!r}.")
    value = constant_value(tensor)
    return tensor if value is None else int(value)


def _check_rank(x: TensorLike, fits: Any, want: str, message: str | None, name: str | None) -> Any:
    x = x if hasattr(x, "shape") else convert_to_tensor(x)
    rank = x.shape.rank if hasattr(x.shape, "rank") else len(x.shape)
    data = [message or "", f"The tensor must have {want}. Its shape is"]
    if rank is None:
        return Assert(fits(raw_ops.Rank(x)), [*data, raw_ops.Shape(x)], name=name)
    found = fits(rank)
    if isinstance(found, Tensor):
        return Assert(found, [*data, raw_ops.Shape(x)], name=name)
    if not found:
        raise ValueError(
            f"{_prefix(message)}The tensor must have {want}, got rank {rank}, shape {x.shape}."
        )
    return no_op("static_checks_determined_all_ok")


def _prefix(message: str | None) -> str:
    return f"{message}. " if message else ""


@scoped("assert_scalar")
def assert_scalar(tensor: TensorLike, message: str | None = None, name: str | None = None) -> None:
    """Raise ValueError unless `tensor` is known to have rank 0."""
    shape = convert_to_tensor(tensor).shape
    if shape.rank != 0:
        raise ValueError(f"{_prefix(message)}Expected a scalar, got shape {shape}.")


@scoped("assert_type")
def assert_type(
    tensor: TensorLike, tf_type: DTypeLike, message: str | None = None, name: str | None = None
) -> None:
    """Raise TypeError unless `tensor` has the dtype."""
    found = _dtype_of(tensor)
    if found is not as_dtype(tf_type):
        want = as_dtype(tf_type)
        raise TypeError(f"{_prefix(message)}tensor must be of type {want!r}; got {found!r}.")
    _known("correct_type")


@scoped("assert_integer")
def assert_integer(x: TensorLike, message: str | None = None, name: str | None = None) -> None:
    """Raise TypeError unless `x` is of an integer dtype."""
    found = _dtype_of(x)
    if not found.is_integer:
        raise TypeError(f"{_prefix(message)}`x` must be of an integer dtype, got {found!r}.")
    _known("was_integer")


def _known(what: str) -> None:
    """In a graph, the operation that bears the name of an assertion that needs no run."""
    if state.graph is not None:
        raw_ops.NoOp(name=f"statically_determined_{what}")


def _dtype_of(value: TensorLike) -> DType:
    known = hasattr(value, "_type_spec") and hasattr(value, "dtype")
    return value.dtype if known else convert_to_tensor(value).dtype  # type: ignore[union-attr]


def assert_same_float_dtype(tensors: Sequence[Any] | None = None, dtype: DTypeLike = None) -> DType:
    """The common floating dtype of `tensors`, which is `dtype` if given; else ValueError.

    >>> tf.debugging.assert_same_float_dtype([tf.constant(1.0), tf.Variable(2.0)])
    tf.float32
    """
    found: DType | None = dtype
    if isinstance(tensors, Tensor):
        if tensors.shape.rank == 0 and hasattr(tensors, "_value"):
            raise TypeError("Cannot iterate over a scalar tensor.")
        raise ValueError(f"`tensors` must be a list of tensors, got {tensors!r}.")
    if tensors is not None and not isinstance(tensors, Iterable):
        raise TypeError(f"`tensors` must be a list of tensors, got {tensors!r}.")
    for tensor in [] if tensors is None else list(tensors):
        if tensor is None:
            continue
        if not hasattr(tensor, "dtype"):
            raise AttributeError(f"`tensors` must hold tensors of some dtype, got {tensor!r}.")
        own = dtypes.as_dtype(tensor.dtype).base_dtype
        if found is not None and own is not found:
            raise ValueError(f"Expected tensors of {found!r}, got {tensor!r} of {own!r}.")
        found = own
    found = found or dtypes.float32
    if not found.is_floating:
        raise ValueError(f"Expected a floating point type, got {found!r}.")
    return found


def is_numeric_tensor(tensor: Any) -> bool:
    """Whether it is a tensor of numbers.

    >>> tf.debugging.is_numeric_tensor(tf.constant(["a"]))
    False
    """
    return isinstance(tensor, Tensor) and (
        tensor.dtype.is_integer
        or tensor.dtype.is_floating
        or tensor.dtype.is_complex
        or tensor.dtype.is_quantized
    )


def assert_proper_iterable(values: Any) -> None:
    """Raise TypeError for what can be iterated over but is one value: tensors, arrays, strings."""
    single = isinstance(values, Tensor | np.ndarray | str | bytes) or hasattr(values, "_type_spec")
    if single or not hasattr(values, "__iter__"):
        raise TypeError(f"Expected a collection such as a list, got {type(values).__name__}.")


@scoped("assert_shapes")
def assert_shapes(
    shapes: Mapping[Any, Any] | Sequence[tuple[Any, Any]],
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> None:
    """Raise ValueError unless the shapes of tensors fit what is said of them, and one another.

    A size is a number, a symbol that stands for the same size everywhere, or None or "." for any.
    "*" in the first place stands for any number of dimensions.

    >>> x, y = tf.zeros([2, 3]), tf.zeros([3, 5])
    >>> tf.debugging.assert_shapes([(x, ("N", "D")), (y, ("D", 5))])
    """
    pairs = shapes.items() if isinstance(shapes, Mapping) else shapes
    checker = _Sizes(message, data, summarize)
    for value, sizes in pairs:
        if sizes is not None:
            checker.check(value if hasattr(value, "shape") else convert_to_tensor(value), sizes)


class _Sizes:
    """The sizes that symbols stand for, as far as they were met."""

    def __init__(
        self, message: str | None, data: Sequence[TensorLike] | None, summarize: int | None
    ) -> None:
        self._prefix = _prefix(message)
        self._data = data
        self._summarize = summarize
        self._known: dict[Any, Any] = {}

    def check(self, tensor: Any, sizes: Any) -> None:
        if not hasattr(sizes, "__iter__"):
            raise ValueError(f"{self._prefix}A shape is a sequence of sizes, got {sizes!r}.")
        wanted = list(sizes)
        open_ended = bool(wanted) and _is_rest(wanted[0])
        wanted = (wanted[1:] if open_ended else wanted) or [1]
        if any(_is_rest(size) for size in wanted):
            raise ValueError(f"{self._prefix}'*' stands only at the front of a shape: {sizes!r}.")
        dims = tensor.shape.as_list() if tensor.shape.rank is not None else [None] * len(wanted)
        self._check_rank(tensor, len(dims), len(wanted), open_ended)
        for i, size in enumerate(reversed(wanted), 1):
            if size not in (None, "", "."):
                self._check_size(tensor, size, _size(tensor, (dims or [1])[-i], -i))

    def _check_rank(self, tensor: Any, rank: int, count: int, open_ended: bool) -> None:
        """A scalar passes for a vector of one element."""
        fits = rank >= count if open_ended else rank == count
        if not fits and not (count == 1 and rank == 0):
            want = f"at least {count}" if open_ended else count
            raise ValueError(
                f"{self._prefix}The tensor must have rank {want}, got shape {tensor.shape}."
            )

    def _check_size(self, tensor: Any, size: Any, found: Any) -> None:
        try:
            want = int(size)
        except (TypeError, ValueError):
            want = self._known.setdefault(size, found)
        if want is found:
            return
        text = f"{self._prefix}Size {size!r} must be {want}, got {found} in a tensor of shape"
        text = f"{text} {tensor.shape} and dtype {tensor.dtype.name}."
        if isinstance(want, Tensor) or isinstance(found, Tensor):
            data = [text] if self._data is None else self._data
            Assert(raw_ops.Equal(found, want), data, summarize=self._summarize)
        elif want != found:
            raise ValueError(text)


def _size(tensor: Any, known: int | None, place: int) -> Any:
    """A known size, unless only a run should look at it; else a tensor."""
    looks = known is not None and not getattr(tensor, "_from_outside", False)
    return known if looks else raw_ops.Shape(tensor)[place]


def _is_rest(size: Any) -> bool:
    return size is Ellipsis or (isinstance(size, str) and size == "*")
