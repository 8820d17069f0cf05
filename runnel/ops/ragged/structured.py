"""`tf.experimental.StructuredTensor`: tensors whose elements are records with named fields."""

from __future__ import annotations

import typing
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from runnel.core.composite.extension_type import BatchableExtensionType
from runnel.core.composite.ragged_conversion import merge_dims, positive_axis
from runnel.core.composite.ragged_shape import DynamicRaggedShape
from runnel.core.composite.ragged_spec import RaggedTensorSpec
from runnel.core.composite.ragged_tensor import RaggedTensor, count_of
from runnel.core.composite.row_partition import RowPartition
from runnel.core.extend import Tensor, convert_to_tensor, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.dtypes import as_dtype
from runnel.core.values.shape import TensorShape, as_shape
from runnel.core.values.type_spec import TensorSpec
from runnel.core.values.types import DTypeLike, ShapeLike, TensorLike
from runnel.ops.ragged.constants import constant
from runnel.ops.ragged.joining import with_ragged_rank

Path = str | Sequence[str]


class StructuredTensor(BatchableExtensionType):
    """Records of one kind, in any shape: each field is a tensor with that shape in front.

    >>> people = tf.experimental.StructuredTensor.from_pyval(
    ...     [{"name": "Ann", "ages": [1, 5]}, {"name": "Bo", "ages": [7]}])
    >>> people.field_value("ages")
    <tf.RaggedTensor [[1, 5], [7]]>
    >>> people[1].to_pyval()
    {'name': b'Bo', 'ages': [7]}
    """

    _fields: Mapping[str, Tensor | RaggedTensor | StructuredTensor]
    _ragged_shape: DynamicRaggedShape

    FieldName = typing.Union[str, typing.Sequence[str]]  # noqa: UP007 (shown so)

    def __init__(self, fields: Mapping[str, Any], ragged_shape: DynamicRaggedShape) -> None:
        self._fields = fields
        self._ragged_shape = ragged_shape

    @classmethod
    def from_fields(
        cls,
        fields: Mapping[str, Any],
        shape: ShapeLike = (),
        nrows: TensorLike = None,
        row_partitions: Sequence[RowPartition] | None = None,
        validate: bool = False,
    ) -> StructuredTensor:
        """Records of a shape from their fields."""
        wanted = as_shape(shape)
        if wanted.rank is None:
            raise ValueError("StructuredTensor: `shape` must have a known rank.")
        parts = _converted(fields, wanted.rank)
        for name, part in parts.items():
            if not part.shape[: wanted.rank].is_compatible_with(wanted):
                raise ValueError(
                    f"Shapes {wanted} and {part.shape[: wanted.rank]} are not compatible: field "
                    f"{name!r} of a StructuredTensor."
                )
        common = _shape_of(parts, wanted, nrows, row_partitions)
        if validate:
            _check_alike(parts, wanted.rank)
        return cls(parts, common)

    @classmethod
    def from_fields_and_rank(
        cls, fields: Mapping[str, Any], rank: int, validate: bool = False, dtype: DTypeLike = None
    ) -> StructuredTensor:
        """Records whose shape is that of the first `rank` dimensions of each field."""
        if not fields:
            raise ValueError("Must provide at least one field")
        if not isinstance(rank, int) or rank < 0:
            raise ValueError(f"StructuredTensor: `rank` must be 0 or more, got {rank!r}.")
        parts = _converted(fields, 0)
        shapes = [part.shape for part in parts.values()]
        if any(each.rank is not None and each.rank < rank for each in shapes):
            raise ValueError(f"StructuredTensor: all fields must have rank {rank} or more.")
        made = cls.from_fields(fields, TensorShape([None] * rank), validate=validate)
        return made if dtype is None else made.with_shape_dtype(dtype)

    @classmethod
    def from_shape(cls, ragged_shape: DynamicRaggedShape) -> StructuredTensor:
        """Records without fields."""
        return cls({}, ragged_shape)

    @classmethod
    def from_pyval(cls, pyval: Any, typespec: Any = None) -> Any:
        """Records from nested lists and dicts; what has no dict in it becomes a tensor.

        A `typespec` says which fields there are, and of which dtypes, where the values do not.
        """
        if typespec is not None:
            return _of_spec(pyval, typespec, ())
        if isinstance(pyval, dict):
            return cls.from_fields({key: cls.from_pyval(item) for key, item in pyval.items()})
        depth = _depth_of_dicts(pyval)
        if depth is None:
            return constant(pyval) if isinstance(pyval, list | tuple) else convert_to_tensor(pyval)
        first = pyval
        for _ in range(depth):
            first = next(item for item in first if item != [])
        names = list(first)
        fields = {name: cls.from_pyval(_picked(pyval, depth, name, names)) for name in names}
        return cls.from_fields(fields, TensorShape([len(pyval)] + [None] * (depth - 1)))

    @property
    def rank(self) -> int:
        found = self._ragged_shape.rank
        assert found is not None
        return found

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape."""
        return self._ragged_shape._to_tensor_shape()

    @property
    def row_partitions(self) -> tuple[RowPartition, ...]:
        """How the records are cut into rows, the outermost partition first."""
        return self._ragged_shape.row_partitions

    def nrows(self) -> Tensor | None:
        """The number of rows; None for one record."""
        return None if self.rank == 0 else self._ragged_shape[0]

    def field_names(self) -> tuple[str, ...]:
        """The names of the fields."""
        return tuple(self._fields)

    def field_value(self, field_name: Path) -> Any:
        """A field, or one of a field inside, given by a tuple of names."""
        names = [field_name] if isinstance(field_name, str) else list(field_name)
        value: Any = self
        for name in names:
            if not isinstance(value, StructuredTensor) or name not in value._fields:
                raise KeyError(field_name)
            value = value._fields[name]
        return value

    def with_updates(self, updates: Mapping[Path, Any], validate: bool = False) -> StructuredTensor:
        """The same records with fields added, changed by a function, or left out (None)."""
        result = self
        for path, update in updates.items():
            names = [path] if isinstance(path, str) else list(path)
            if not names:
                raise ValueError("StructuredTensor: a path must have a name in it.")
            result = result._updated(names, update)
        if validate:
            _check_alike(result._fields, result.rank)
        return result

    def _updated(self, names: Sequence[str], update: Any) -> StructuredTensor:
        first, *rest = names
        fields = dict(self._fields)
        if rest:
            inner = self.field_value(first)
            if not isinstance(inner, StructuredTensor):
                raise ValueError(f"StructuredTensor: {first!r} has no fields.")
            fields[first] = inner._updated(rest, update)
        elif update is None:
            if first not in fields:
                raise ValueError(f"StructuredTensor: there is no field {first!r} to leave out.")
            del fields[first]
        else:
            fields[first] = update(self.field_value(first)) if callable(update) else update
        parts = _converted(fields, self.rank)
        for name, part in parts.items():
            if not part.shape[: self.rank].is_compatible_with(self.shape):
                raise ValueError(f"StructuredTensor: field {name!r} has another shape.")
        return StructuredTensor(parts, self._ragged_shape)

    def promote(self, source_path: Path, new_name: str) -> StructuredTensor:
        """A field of a field, copied to the level above it."""
        names = [source_path] if isinstance(source_path, str) else list(source_path)
        if len(names) < 2:
            raise ValueError(
                "StructuredTensor.promote: `source_path` must name a field of a field."
            )
        parent = self.field_value(names[:-1])
        above = self.field_value(names[:-2]) if names[:-2] else self
        value = parent.field_value(names[-1])
        inner = parent.rank if value.shape.rank > parent.rank else parent.rank - 1
        if inner > above.rank:
            value = _merged(value, above.rank, inner)
        return self.with_updates({(*names[:-2], new_name): value})

    def partition_outer_dimension(self, row_partition: RowPartition) -> StructuredTensor:
        """The records cut into rows."""
        if not isinstance(row_partition, RowPartition):
            raise TypeError("StructuredTensor: `row_partition` must be a RowPartition.")
        if self.rank == 0:
            raise ValueError("Shape () must have rank at least 1")
        fields = {name: _partitioned(part, row_partition) for name, part in self._fields.items()}
        shape = DynamicRaggedShape(
            [row_partition, *self.row_partitions], self._ragged_shape.inner_shape
        )
        return StructuredTensor(fields, shape)

    def merge_dims(self, outer_axis: int, inner_axis: int) -> StructuredTensor:
        """The dimensions from `outer_axis` to `inner_axis` as one."""
        outer = positive_axis(outer_axis, self.rank, "outer_axis")
        inner = positive_axis(inner_axis, self.rank, "inner_axis")
        if outer > inner:
            raise ValueError("StructuredTensor: `outer_axis` must not be after `inner_axis`.")
        fields = {name: _merged(part, outer, inner) for name, part in self._fields.items()}
        merged = DynamicRaggedShape.from_tensor(_merged(_marks(self._ragged_shape), outer, inner))
        return StructuredTensor(fields, merged)

    def with_shape_dtype(self, dtype: DTypeLike) -> StructuredTensor:
        """The same records with sizes of another dtype, int32 or int64."""
        wanted = as_dtype(dtype)
        fields = {name: _with_dtype(part, wanted) for name, part in self._fields.items()}
        return StructuredTensor(fields, self._ragged_shape.with_dtype(wanted))

    def __getitem__(self, key: Any) -> Any:
        """Some of the records, or a field of them: first the places, then the name."""
        keys = tuple(key) if isinstance(key, list | tuple) else (key,)
        outer, rest = keys[: self.rank], keys[self.rank :]
        if any(isinstance(each, str) for each in outer):
            kind = TypeError if isinstance(outer[0], str) else ValueError
            raise kind(f"StructuredTensor: places come before the names of fields, got {key!r}.")
        if rest:
            value = self.field_value(rest[0]) if isinstance(rest[0], str) else None
            if value is None:
                raise ValueError(
                    f"StructuredTensor: expected the name of a field, got {rest[0]!r}."
                )
            return value[(*outer, *rest[1:])] if outer or rest[1:] else value
        fields = {name: part[outer] for name, part in self._fields.items()}
        kept = sum(isinstance(each, slice) for each in outer) + self.rank - len(outer)
        if fields:
            return StructuredTensor.from_fields(fields, TensorShape([None] * kept))
        return StructuredTensor.from_shape(
            DynamicRaggedShape.from_tensor(_marks(self._ragged_shape)[outer])
        )

    def to_pyval(self) -> Any:
        """The records as nested lists and dicts of Python values."""
        fields = {name: _python(part) for name, part in self._fields.items()}
        if self.rank == 0:
            return fields
        return _zipped(_python(_marks(self._ragged_shape)), fields, self.rank)

    def __repr__(self) -> str:
        gap = "\n" + " " * 12
        shown = [
            f'{" " * 8}"{name}": ' + str(part).replace("\n", gap)
            for name, part in sorted(self._fields.items())
        ]
        fields = ",\n".join(shown) if shown else " " * 8
        return f"<StructuredTensor(\n    fields={{\n{fields}}},\n    shape={self.shape})>"


def _converted(fields: Mapping[str, Any], rank: int) -> dict[str, Any]:
    """The fields as tensors; dimensions of the records are partitions beyond the first."""
    found = {}
    for name, value in fields.items():
        if not isinstance(name, str):
            raise TypeError(f"Unexpected type for key in `fields`: {name!r}")
        if not isinstance(value, StructuredTensor | RaggedTensor):
            value = convert_to_tensor(value)
        if isinstance(value, Tensor) and rank > 1 and (value.shape.rank or 0) >= rank:
            value = with_ragged_rank(value, rank - 1)
        found[name] = value
    return found


def _shape_of(
    fields: Mapping[str, Any],
    shape: TensorShape,
    nrows: TensorLike,
    row_partitions: Sequence[RowPartition] | None,
) -> DynamicRaggedShape:
    """The shape of the records, from the first field where there is one."""
    rank = shape.rank or 0
    if rank == 0:
        return DynamicRaggedShape([], np.zeros(0, np.int64))
    if row_partitions:
        return DynamicRaggedShape.from_row_partitions(list(row_partitions))
    for part in fields.values():
        return _outer_shape(part, rank)
    count = nrows if nrows is not None else shape[0]
    if count is None or rank > 1:
        raise ValueError(
            "StructuredTensor: without fields, `nrows` or `row_partitions` are needed."
        )
    size = raw_ops.Cast(convert_to_tensor(count), DstT=dtypes.int64)
    return DynamicRaggedShape([], raw_ops.ExpandDims(size, 0))


def _outer_shape(part: Any, rank: int) -> DynamicRaggedShape:
    if isinstance(part, StructuredTensor):
        partitions = part.row_partitions[: rank - 1]
        count = part.nrows()
    else:
        partitions = part._nested_row_partitions[: rank - 1] if rank > 1 else ()
        count = count_of(part)
    if partitions:
        return DynamicRaggedShape.from_row_partitions(partitions)
    return DynamicRaggedShape([], raw_ops.ExpandDims(count, 0))


def _check_alike(fields: Mapping[str, Any], rank: int) -> None:
    shapes = [part.shape[:rank] for part in fields.values()]
    for each in shapes[1:]:
        shapes[0].assert_is_compatible_with(each)


def _depth_of_dicts(value: Any) -> int | None:
    """In how many lists the dicts are, or None without any."""
    if isinstance(value, dict):
        return 0
    if not isinstance(value, list | tuple):
        return None
    depths = [_depth_of_dicts(item) for item in value]
    known = [depth for depth in depths if depth is not None]
    return 1 + known[0] if known else None


def _picked(value: Any, depth: int, name: str, names: list[str]) -> Any:
    """One field of all dicts, in the lists they are in."""
    if depth:
        return [_picked(item, depth - 1, name, names) for item in value]
    for other in value:
        if other not in names:
            raise KeyError(other)
    return value[name]


def _of_spec(value: Any, spec: Any, path: tuple[str, ...]) -> Any:
    """What a spec says, of Python values; `path` leads to these."""
    if isinstance(spec, StructuredTensor.Spec):
        return _records_of_spec(value, spec, path)
    if isinstance(spec, RaggedTensorSpec):
        inner = None if spec.ragged_rank is None else spec.shape[spec.ragged_rank + 1 :]
        known = inner if inner is not None and inner.is_fully_defined() else None
        found = constant(
            value, spec.dtype, spec.ragged_rank, known, row_splits_dtype=spec.row_splits_dtype
        )
    elif isinstance(spec, TensorSpec):
        found = convert_to_tensor(value, spec.dtype)
    else:
        raise _mismatch(value, spec, path)
    if not found.shape.is_compatible_with(spec.shape):
        raise _mismatch(value, spec, path)
    return found


def _records_of_spec(value: Any, spec: Any, path: tuple[str, ...]) -> StructuredTensor:
    rank = spec._ragged_shape.rank
    depth, names = _depth_of_dicts(value), list(spec._fields)
    if (depth is None and not isinstance(value, list)) or (depth is not None and depth != rank):
        raise _mismatch(value, spec, path)
    try:
        parts = {name: _picked(value, rank, name, names) for name in names}
    except (KeyError, TypeError):
        raise _mismatch(value, spec, path) from None
    fields = {n: _of_spec(part, spec._fields[n], (*path, n)) for n, part in parts.items()}
    if rank == 0:
        return StructuredTensor.from_fields(fields)
    shape = TensorShape([len(value)] + [None] * (rank - 1))
    return StructuredTensor.from_fields(fields, shape, nrows=None if fields else len(value))


def _mismatch(value: Any, spec: Any, path: tuple[str, ...]) -> ValueError:
    return ValueError(f"Value at {path} does not match typespec: {value!r} vs {spec!r}")


def _partitioned(part: Any, rows: RowPartition) -> Any:
    if isinstance(part, StructuredTensor):
        return part.partition_outer_dimension(rows)
    return RaggedTensor._from_row_partition(part, rows)


def _merged(part: Any, outer: int, inner: int) -> Any:
    if isinstance(part, StructuredTensor):
        return part.merge_dims(outer, inner)
    return merge_dims(part, outer, inner)


def _with_dtype(part: Any, dtype: dtypes.DType) -> Any:
    if isinstance(part, StructuredTensor):
        return part.with_shape_dtype(dtype)
    return part.with_row_splits_dtype(dtype) if isinstance(part, RaggedTensor) else part


def _marks(shape: DynamicRaggedShape) -> Any:
    """A tensor of the shape: what it holds does not matter."""
    flat = raw_ops.Fill(shape.inner_shape, np.int32(0))
    return RaggedTensor._from_nested_row_partitions(flat, shape.row_partitions, validate=False)


def _python(part: Any) -> Any:
    if isinstance(part, StructuredTensor):
        return part.to_pyval()
    if isinstance(part, RaggedTensor):
        return part.to_list()
    value = part.numpy()
    return value.tolist() if np.ndim(value) else value


def _zipped(marks: Any, fields: Mapping[str, Any], rank: int) -> Any:
    """A dict in place of each mark, of what stands at the same place in all fields."""
    if rank == 0:
        return dict(fields)
    return [
        _zipped(mark, {name: value[i] for name, value in fields.items()}, rank - 1)
        for i, mark in enumerate(marks)
    ]
