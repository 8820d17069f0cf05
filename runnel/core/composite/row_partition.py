"""`tf.experimental.RowPartition`: how a sequence of values is cut into rows.

A partition always has its *row splits*: row `i` is `values[splits[i]:splits[i + 1]]`. What else was
given or has been computed (row lengths, the row of each value, a length common to all rows) is
kept beside them, so that nothing is computed twice.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.core.op.raw import raw_ops
from runnel.core.settings.scopes import control_dependencies
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.static import constant_value
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.type_spec import TensorSpec, TypeSpec, register
from runnel.core.values.types import DTypeLike, TensorLike

Check = tuple[Callable[[Any], Any], str]


class RowPartition:
    """The rows of a sequence of values, for ragged tensors.

    >>> rows = tf.experimental.RowPartition.from_row_lengths([2, 0, 1])
    >>> rows
    tf.RowPartition(row_splits=[0 2 2 3])
    >>> rows.value_rowids().numpy()
    array([0, 0, 2])
    """

    def __init__(
        self,
        row_splits: Any,
        row_lengths: Any = None,
        value_rowids: Any = None,
        nrows: Any = None,
        uniform_row_length: Any = None,
        nvals: Any = None,
        internal: bool = False,
    ) -> None:
        if internal is not True:
            raise ValueError(
                "RowPartition: use a factory such as RowPartition.from_row_lengths() to make one."
            )
        self._row_splits: Tensor = row_splits
        self._row_lengths: Tensor | None = row_lengths
        self._value_rowids: Tensor | None = value_rowids
        self._nrows: Tensor | None = nrows
        self._uniform_row_length: Tensor | None = uniform_row_length
        self._nvals: Tensor | None = nvals

    @classmethod
    def from_row_splits(
        cls,
        row_splits: TensorLike,
        validate: bool = True,
        dtype: DTypeLike = None,
        dtype_hint: DTypeLike = None,
    ) -> RowPartition:
        """Rows that begin and end at the given places: the first is 0, none is before another."""
        if isinstance(row_splits, list | tuple) and not row_splits:
            raise ValueError("RowPartition: `row_splits` must not be empty.")
        splits = _places("row_splits", row_splits, dtype, dtype_hint)
        if validate:
            splits = _checked("from_row_splits", splits, [_NOT_EMPTY, _STARTS_AT_ZERO, _ASCENDING])
        return cls(splits, internal=True)

    @classmethod
    def from_row_lengths(
        cls,
        row_lengths: TensorLike,
        validate: bool = True,
        dtype: DTypeLike = None,
        dtype_hint: DTypeLike = None,
    ) -> RowPartition:
        """Rows of the given lengths."""
        lengths = _places("row_lengths", row_lengths, dtype, dtype_hint)
        if validate:
            lengths = _checked("from_row_lengths", lengths, [_NOT_NEGATIVE])
        limits = raw_ops.Cumsum(lengths, 0)
        return cls(_prepend_zero(limits), row_lengths=lengths, internal=True)

    @classmethod
    def from_row_limits(
        cls,
        row_limits: TensorLike,
        validate: bool = True,
        dtype: DTypeLike = None,
        dtype_hint: DTypeLike = None,
    ) -> RowPartition:
        """Rows that end at the given places."""
        limits = _places("row_limits", row_limits, dtype, dtype_hint)
        if validate:
            limits = _checked("from_row_limits", limits, [_NOT_NEGATIVE, _ASCENDING])
        return cls(_prepend_zero(limits), internal=True)

    @classmethod
    def from_row_starts(
        cls,
        row_starts: TensorLike,
        nvals: TensorLike,
        validate: bool = True,
        dtype: DTypeLike = None,
        dtype_hint: DTypeLike = None,
    ) -> RowPartition:
        """Rows that begin at the given places, the last one ending after `nvals` values."""
        starts = _places("row_starts", row_starts, dtype, dtype_hint)
        count = _count("nvals", nvals, starts.dtype)
        if validate:
            bounded: Check = (lambda x: raw_ops.LessEqual(x, count), "go up to `nvals`")
            checks = [_STARTS_AT_ZERO, _ASCENDING, bounded]
            starts = _checked("from_row_starts", starts, checks)
        splits = raw_ops.ConcatV2([starts, raw_ops.ExpandDims(count, 0)], 0)
        return cls(splits, nvals=count, internal=True)

    @classmethod
    def from_value_rowids(
        cls,
        value_rowids: TensorLike,
        nrows: TensorLike = None,
        validate: bool = True,
        dtype: DTypeLike = None,
        dtype_hint: DTypeLike = None,
    ) -> RowPartition:
        """Values whose rows are given, in ascending order; `nrows` adds empty rows at the end."""
        rows = _places("value_rowids", value_rowids, dtype, dtype_hint)
        given = None if nrows is None else _count("nrows", nrows, rows.dtype)
        _check_row_count(given, rows)
        if validate:
            checks = [_NOT_NEGATIVE, _ASCENDING]
            if given is not None:
                checks.append((lambda x: raw_ops.Less(x, given), "be less than `nrows`"))
            rows = _checked("from_value_rowids", rows, checks)
        count = _rows_up_to(rows) if given is None else given
        none = convert_to_tensor(np.zeros(0, rows.dtype.np_dtype))
        size = raw_ops.Cast(count, DstT=rows.dtype)
        lengths = raw_ops.DenseBincount(rows, size, none)
        return cls(
            _prepend_zero(raw_ops.Cumsum(lengths, 0)),
            row_lengths=lengths,
            value_rowids=rows,
            nrows=count,
            internal=True,
        )

    @classmethod
    def from_uniform_row_length(
        cls,
        uniform_row_length: TensorLike,
        nvals: TensorLike = None,
        nrows: TensorLike = None,
        validate: bool = True,
        dtype: DTypeLike = None,
        dtype_hint: DTypeLike = None,
    ) -> RowPartition:
        """Rows of one length, `nrows` of them or as many as `nvals` values fill."""
        if nvals is None and nrows is None:
            raise ValueError("RowPartition: `nvals` or `nrows` must be given.")
        length, vals, rows = _common_dtype(uniform_row_length, nvals, nrows, dtype, dtype_hint)
        if rows is None:
            assert vals is not None
            one = convert_to_tensor(1, length.dtype)
            full = raw_ops.FloorDiv(vals, raw_ops.Maximum(length, one))
            rows = raw_ops.Mul(full, raw_ops.Minimum(length, one))
        if vals is None:
            vals = raw_ops.Mul(rows, length)
        rows = _checked_uniform(length, rows, vals, validate=validate)
        one = convert_to_tensor(1, length.dtype)
        zero = convert_to_tensor(0, length.dtype)
        splits = raw_ops.Mul(raw_ops.Range(zero, raw_ops.AddV2(rows, one), one), length)
        return cls(splits, uniform_row_length=length, nrows=rows, nvals=vals, internal=True)

    @property
    def dtype(self) -> DType:
        """The dtype of all counts and places: int32 or int64."""
        return self._row_splits.dtype

    def row_splits(self) -> Tensor:
        """Where the rows begin, and where the last one ends."""
        return self._row_splits

    def row_starts(self) -> Tensor:
        """Where each row begins."""
        return self._row_splits[:-1]

    def row_limits(self) -> Tensor:
        """Where each row ends."""
        return self._row_splits[1:]

    def row_lengths(self) -> Tensor:
        """How many values each row has."""
        if self._row_lengths is None:
            splits = self._row_splits
            return self._keep("_row_lengths", raw_ops.Sub(splits[1:], splits[:-1]))
        return self._row_lengths

    def nrows(self) -> Tensor:
        """The number of rows."""
        if self._nrows is None:
            count = raw_ops.Sub(raw_ops.Shape(self._row_splits, out_type=self.dtype)[0], 1)
            return self._keep("_nrows", count)
        return self._nrows

    def nvals(self) -> Tensor:
        """The number of values."""
        if self._nvals is None:
            return self._keep("_nvals", self._row_splits[-1])
        return self._nvals

    def value_rowids(self) -> Tensor:
        """The row of each value.

        It is the number of rows that end at or before the value: a running sum of how many do.
        """
        if self._value_rowids is None:
            none = convert_to_tensor(np.zeros(0, self.dtype.np_dtype))
            ends = raw_ops.DenseBincount(self._row_splits[1:], self.nvals(), none)
            return self._keep("_value_rowids", raw_ops.Cumsum(ends, 0))
        return self._value_rowids

    def offsets_in_rows(self) -> Tensor:
        """The place of each value in its row.

        >>> tf.experimental.RowPartition.from_row_lengths([2, 0, 3]).offsets_in_rows().numpy()
        array([0, 1, 0, 1, 2])
        """
        starts = raw_ops.GatherV2(self.row_starts(), self.value_rowids(), 0)
        zero, one = convert_to_tensor(0, self.dtype), convert_to_tensor(1, self.dtype)
        return raw_ops.Sub(raw_ops.Range(zero, self.nvals(), one), starts)  # type: ignore[no-any-return]

    def _keep(self, name: str, tensor: Tensor) -> Tensor:
        """Remember what was computed, unless it belongs to a graph that the partition outlives."""
        if getattr(tensor, "graph", None) is getattr(self._row_splits, "graph", None):
            setattr(self, name, tensor)
        return tensor

    def is_uniform(self) -> bool:
        """Whether it is known that all rows have the same length."""
        return self._uniform_row_length is not None

    def uniform_row_length(self) -> Tensor | None:
        """The length common to all rows, where the partition was made with one."""
        return self._uniform_row_length

    @property
    def static_nrows(self) -> int | None:
        """The number of rows where it is known before anything is computed."""
        count = self._row_splits.shape[0] if self._row_splits.shape.rank == 1 else None
        if count is not None:
            return max(count - 1, 0)  # a loop may start a variable with no splits at all
        return _known(self._nrows)

    @property
    def static_nvals(self) -> int | None:
        """The number of values where it is known before anything is computed."""
        if self._nvals is not None:
            return _known(self._nvals)
        if self._value_rowids is not None:
            return self._value_rowids.shape[0]
        return None

    @property
    def static_uniform_row_length(self) -> int | None:
        """The length common to all rows where it is known before anything is computed."""
        return _known(self._uniform_row_length)

    def with_dtype(self, dtype: DTypeLike) -> RowPartition:
        """The same partition with counts and places of another dtype, int32 or int64."""
        wanted = as_dtype(dtype)
        if wanted not in (dtypes.int32, dtypes.int64):
            raise ValueError(f"RowPartition: `dtype` must be int32 or int64, got {wanted.name}.")
        if wanted is self.dtype:
            return self
        names = ("_row_lengths", "_value_rowids", "_nrows", "_uniform_row_length", "_nvals")
        parts = {name[1:]: _cast(getattr(self, name), wanted) for name in names}
        return RowPartition(_cast(self._row_splits, wanted), **parts, internal=True)

    def __repr__(self) -> str:
        if self.is_uniform():
            nrows, length = _shown(self._nrows), _shown(self._uniform_row_length)
            return f"tf.RowPartition(nrows={nrows}, uniform_row_length={length})"
        return f"tf.RowPartition(row_splits={_shown(self._row_splits)})"

    @property
    def _type_spec(self) -> RowPartitionSpec:
        return RowPartitionSpec(
            self.static_nrows, self.static_nvals, self.static_uniform_row_length, self.dtype
        )


@register("tf.RowPartitionSpec")
class RowPartitionSpec(TypeSpec):
    """The type of a `RowPartition`."""

    def __init__(
        self,
        nrows: int | None = None,
        nvals: int | None = None,
        uniform_row_length: int | None = None,
        dtype: DTypeLike = dtypes.int64,
    ) -> None:
        if nrows is None and nvals is not None and uniform_row_length:
            nrows = nvals // uniform_row_length
        if nvals is None and nrows is not None and uniform_row_length is not None:
            nvals = nrows * uniform_row_length
        self._nrows, self._nvals, self._uniform_row_length = nrows, nvals, uniform_row_length
        self._dtype = as_dtype(dtype)

    @property
    def nrows(self) -> int | None:
        return self._nrows

    @property
    def nvals(self) -> int | None:
        return self._nvals

    @property
    def uniform_row_length(self) -> int | None:
        return self._uniform_row_length

    @property
    def dtype(self) -> DType:
        return self._dtype

    @property
    def value_type(self) -> type:
        return RowPartition

    def _serialize(self) -> tuple[Any, ...]:
        return self._nrows, self._nvals, self._uniform_row_length, self._dtype

    @property
    def _component_specs(self) -> Any:
        return TensorSpec([None if self._nrows is None else self._nrows + 1], self._dtype)

    def _to_components(self, value: Any) -> Any:
        return value.row_splits()

    def _from_components(self, components: Any) -> Any:
        if isinstance(components, TypeSpec):
            return self
        return with_known_length(components, self._uniform_row_length)

    @classmethod
    def from_value(cls, value: Any) -> RowPartitionSpec:
        """The spec of a partition."""
        if not isinstance(value, RowPartition):
            raise TypeError(f"RowPartitionSpec: expected a RowPartition, got {value!r}.")
        return value._type_spec

    def __repr__(self) -> str:
        return (
            f"RowPartitionSpec(nrows={self._nrows}, nvals={self._nvals}, "
            f"uniform_row_length={self._uniform_row_length}, dtype={self._dtype!r})"
        )


def with_known_length(row_splits: Any, length: int | None) -> RowPartition:
    """A partition by its row splits, whose rows are known to have one length."""
    if length is None or not isinstance(row_splits, Tensor):
        return RowPartition(row_splits, internal=True)
    uniform = convert_to_tensor(np.array(length, row_splits.dtype.np_dtype))
    partition = RowPartition(row_splits, uniform_row_length=uniform, internal=True)
    partition.nrows()
    return partition


def _places(name: str, value: TensorLike, dtype: DTypeLike, hint: DTypeLike) -> Tensor:
    """The tensor of places, lengths or row numbers that a factory was given."""
    tensor = _integers(value, dtype, hint)
    if tensor.dtype not in (dtypes.int32, dtypes.int64):
        raise ValueError(
            f"RowPartition: `{name}` must be of dtype int32 or int64, got {tensor.dtype.name}."
        )
    tensor.shape.assert_has_rank(1)
    return tensor


def _integers(value: TensorLike, dtype: DTypeLike, hint: DTypeLike) -> Tensor:
    """A tensor; Python's integers become int64 unless another dtype is asked for."""
    if dtype is not None:
        tensor = convert_to_tensor(value)
        return _cast(tensor, as_dtype(dtype)) if tensor.dtype.is_integer else tensor
    if isinstance(value, Tensor | np.ndarray | np.generic):
        return convert_to_tensor(value)
    return convert_to_tensor(value, dtype_hint=dtypes.int64 if hint is None else hint)


def _count(name: str, value: TensorLike, dtype: DType) -> Tensor:
    tensor: Tensor = _cast(convert_to_tensor(value), dtype)
    tensor.shape.assert_has_rank(0)
    return tensor


def _cast(tensor: Any, dtype: DType) -> Any:
    return tensor if tensor is None or tensor.dtype is dtype else raw_ops.Cast(tensor, DstT=dtype)


def _common_dtype(
    length: TensorLike, nvals: TensorLike, nrows: TensorLike, dtype: DTypeLike, hint: DTypeLike
) -> tuple[Tensor, Tensor | None, Tensor | None]:
    """The three counts as scalars of one dtype: int64 if one of them is."""
    given = [None if v is None else _integers(v, dtype, hint) for v in (length, nvals, nrows)]
    wide = any(t is not None and t.dtype is dtypes.int64 for t in given)
    common = dtypes.int64 if wide else dtypes.int32
    first, second, third = (_cast(t, common) for t in given)
    for tensor in (first, second, third):
        if tensor is not None:
            tensor.shape.assert_has_rank(0)
    return first, second, third


def _known(tensor: Tensor | None) -> int | None:
    value = None if tensor is None else constant_value(tensor)
    return None if value is None else int(value)


def _shown(tensor: Any) -> Any:
    return tensor.numpy() if isinstance(tensor, EagerTensor) else tensor


def _prepend_zero(limits: Tensor) -> Tensor:
    zero = convert_to_tensor(np.zeros(1, limits.dtype.np_dtype))
    return raw_ops.ConcatV2([zero, limits], 0)  # type: ignore[no-any-return]


def _rows_up_to(rows: Tensor) -> Tensor:
    """One more than the last row that has a value."""
    last = raw_ops.Max(raw_ops.ConcatV2([convert_to_tensor([-1], rows.dtype), rows[-1:]], 0), 0)
    return raw_ops.AddV2(last, 1)  # type: ignore[no-any-return]


def _check_row_count(nrows: Tensor | None, rows: Tensor) -> None:
    count = _known(nrows)
    if count is None:
        return
    if count < 0:
        raise ValueError(f"RowPartition: `nrows` must not be negative, got {count}.")
    known = constant_value(rows)
    if known is not None and len(known) and count < known[-1] + 1:
        raise ValueError(
            f"RowPartition: `nrows` must be more than the last row {known[-1]}, got {count}."
        )


def _checked_uniform(length: Tensor, nrows: Tensor, nvals: Tensor, *, validate: bool) -> Tensor:
    size, rows, vals = _known(length), _known(nrows), _known(nvals)
    if size is not None and size < 0:
        raise ValueError(f"RowPartition: `uniform_row_length` must be >= 0, got {size}.")
    if size is None or rows is None or vals is None:
        if not validate:
            return nrows
        full: Check = (
            lambda x: raw_ops.Equal(raw_ops.Mul(x, length), nvals),
            "be `nvals` divided by `uniform_row_length`",
        )
        return _checked("from_uniform_row_length", nrows, [full])
    if size * rows != vals:
        raise ValueError(
            f"RowPartition: {rows} rows of `uniform_row_length` {size} are not {vals} values."
        )
    return nrows


_NOT_EMPTY: Check = (lambda x: raw_ops.Greater(raw_ops.Size(x), np.int32(0)), "not be empty")
_STARTS_AT_ZERO: Check = (lambda x: raw_ops.Equal(x[:1], raw_ops.ZerosLike(x[:1])), "begin with 0")
_ASCENDING: Check = (lambda x: raw_ops.GreaterEqual(x[1:], x[:-1]), "be in ascending order")
_NOT_NEGATIVE: Check = (
    lambda x: raw_ops.GreaterEqual(x, raw_ops.ZerosLike(x)),
    "not be negative",
)


def _checked(factory: str, tensor: Tensor, checks: Sequence[Check]) -> Tensor:
    """`tensor`, once all checks hold: now where its value is known, else when the graph runs."""
    waiting = []
    for predicate, want in checks:
        message = f"{factory}: the argument must {want}"
        waiting += require(predicate(tensor), message, tensor)
    return after(waiting, tensor)


def require(holds: Tensor, message: str, shown: Tensor) -> list[Any]:
    """Raise InvalidArgumentError unless all of `holds`; else the operation that will check it."""
    known = constant_value(holds)
    if known is not None:
        if not known.all():
            value = constant_value(shown)
            raise InvalidArgumentError(None, None, f"{message}, got {value}.")
        return []
    every = raw_ops.All(holds, all_axes(holds))
    return [raw_ops.Assert(every, [message, shown])]


def all_axes(tensor: Tensor) -> Any:
    """The axes of a tensor, for a reduction over all of them."""
    rank = tensor.shape.rank
    if rank is None:
        return raw_ops.Range(np.int32(0), raw_ops.Rank(tensor), np.int32(1))
    return np.arange(rank, dtype=np.int32)


def after(operations: Sequence[Any], tensor: Tensor) -> Tensor:
    """`tensor`, not before the operations have run."""
    if not operations:
        return tensor
    with control_dependencies(operations):
        return raw_ops.Identity(tensor)  # type: ignore[no-any-return]
