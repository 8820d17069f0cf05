"""Batches of elements of different shapes: padded, ragged, or sparse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.composite.ragged_spec import RaggedTensorSpec
from runnel.core.composite.sparse_tensor import SparseTensorSpec
from runnel.core.op.context import state
from runnel.core.settings.arguments import check_room
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.static import constant_value
from runnel.core.tensor.tensor import EagerTensor, Tensor
from runnel.core.values import nest
from runnel.core.values.dtypes import DType, string
from runnel.core.values.errors import DataLossError, InvalidArgumentError
from runnel.core.values.shape import TensorShape
from runnel.core.values.type_spec import TensorSpec, TypeSpec
from runnel.data.run.structure import NoneTensorSpec, Structure, boxed, raw
from .batching import batches, checked_size
from .node import CountingStage, Node, Run, Stage, Values, known_number, located, number


class PaddedBatch(Node):
    """Elements filled up to one shape, and stacked."""

    kind = "PaddedBatchDataset"

    def __init__(self, source: Node, size: Any, shapes: Any, values: Any, drop: Any) -> None:
        leaves = source.structure.leaves
        for leaf in leaves:
            if not isinstance(leaf, TensorSpec | NoneTensorSpec):
                raise TypeError(f"Dataset.padded_batch: {leaf} cannot be padded.")
        self.size, self.drop_remainder = size, drop
        self.shapes = _padded_shapes(source.structure, shapes)
        self.fillers = _fillers(source.structure, values)
        known, dropped = known_number(size), known_number(drop)
        static = known if known is not None and dropped else None
        rest = iter(self.shapes)
        spec = nest.map_structure(
            lambda s: (
                s
                if isinstance(s, NoneTensorSpec)
                else TensorSpec(TensorShape([static]).concatenate(_static(next(rest))), s.dtype)
            ),
            source.structure.spec,
        )
        super().__init__([source], Structure(spec))

    def make(self, run: Run) -> Stage:
        size = checked_size(number(self.size))
        shapes = [_dims(shape) for shape in self.shapes]
        fillers = [raw(f) if isinstance(f, EagerTensor) else f for f in self.fillers]
        drop = bool(number(self.drop_remainder))
        return _PaddedBatch(self, run.build(self.input), size, drop, shapes, fillers)

    def cardinality(self) -> int:
        return batches(self.input.cardinality(), self.size, self.drop_remainder)


def _static(shape: Any) -> TensorShape:
    """What is known of a padded shape, in which -1 and None mean the largest of a batch."""
    if isinstance(shape, TensorShape):
        return shape
    value = constant_value(shape)
    if value is None:
        return (
            TensorShape([None] * (shape.shape[0] or 0)) if shape.shape.rank else TensorShape(None)
        )
    return TensorShape([None if d < 0 else int(d) for d in np.ravel(value)])


def _dims(shape: Any) -> list[int | None]:
    if isinstance(shape, TensorShape):
        return shape.as_list()
    return [None if d < 0 else d for d in raw(shape).tolist()]


def _padded_shapes(structure: Structure, shapes: Any) -> tuple[Any, ...]:
    leaves = [leaf for leaf in structure.leaves if isinstance(leaf, TensorSpec)]
    if shapes is None:
        for leaf in leaves:
            if leaf.shape.rank is None:
                raise ValueError(
                    "Dataset.padded_batch: give `padded_shapes`, since an element's rank is not "
                    f"known: {structure.spec}."
                )
        return tuple(leaf.shape for leaf in leaves)
    given = [
        shape
        for shape, leaf in zip(_flat_up_to(structure.spec, shapes), structure.leaves)
        if isinstance(leaf, TensorSpec)
    ]
    return tuple(_padded_shape(s, leaf) for s, leaf in zip(given, leaves, strict=True))


def _flat_up_to(spec: Any, given: Any) -> list[Any]:
    """The parts of a nest at the leaves of `spec`; a list there is a leaf of its own."""
    if isinstance(spec, TypeSpec):
        return [given]
    try:
        if isinstance(spec, dict):
            return [p for key in sorted(spec) for p in _flat_up_to(spec[key], given[key])]
        return [p for s, g in zip(spec, given, strict=True) for p in _flat_up_to(s, g)]
    except (TypeError, KeyError, ValueError) as error:
        raise ValueError(f"padded_batch: {given!r} does not have the structure {spec}.") from error


def _padded_shape(shape: Any, leaf: TensorSpec) -> Any:
    if isinstance(shape, Tensor) and not isinstance(shape, EagerTensor):
        return shape
    if isinstance(shape, Tensor | np.ndarray):
        array = raw(convert_to_tensor(shape))
        if array.dtype.kind not in "iu" or array.ndim > 1:
            raise TypeError(f"padded_batch: a padded shape is a vector of integers, got {shape!r}.")
        found = TensorShape([None if d < 0 else d for d in array.reshape(-1).tolist()])
    elif isinstance(shape, TensorShape):
        found = shape
    else:
        listed = shape if isinstance(shape, list | tuple) else [shape]
        if any(isinstance(size, list | tuple) for size in listed):
            message = f"padded_batch: a padded shape is a vector of integers, got {shape!r}."
            raise ValueError(message)
        found = TensorShape([None if d is not None and d < 0 else d for d in listed])
    if leaf.shape.rank is not None and found.rank != leaf.shape.rank:
        raise ValueError(
            f"padded_batch: the padded shape {found} must be of the rank of the element's shape "
            f"{leaf.shape}."
        )
    for padded, size in zip(found, leaf.shape if leaf.shape.rank is not None else ()):
        if padded is not None and size is not None and padded < size:
            raise ValueError(
                f"padded_batch: the padded shape {found} is smaller than that of the element, "
                f"{leaf.shape}."
            )
    return found


def _fillers(structure: Structure, values: Any) -> tuple[Any, ...]:
    leaves = [leaf for leaf in structure.leaves if isinstance(leaf, TensorSpec)]
    if values is None:
        return tuple(_zero(leaf.dtype) for leaf in leaves)
    if not nest.is_nested(values):
        given = [values] * len(structure.leaves)
    else:
        given = _flat_up_to(structure.spec, values)
    pairs = [(v, s) for v, s in zip(given, structure.leaves) if isinstance(s, TensorSpec)]
    return tuple(_filler(value, leaf.dtype) for value, leaf in pairs)


def _zero(dtype: DType) -> Any:
    return boxed(b"") if dtype is string else np.zeros((), dtype.np_dtype)


def _filler(value: Any, dtype: DType) -> Any:
    if value is None:
        return _zero(dtype)
    tensor = convert_to_tensor(value)
    if tensor.shape.rank:
        raise ValueError(f"padded_batch: a padding value is a scalar, got shape {tensor.shape}.")
    if tensor.dtype is not dtype and not isinstance(value, Tensor | np.ndarray | np.generic):
        if (
            dtype is string
            or tensor.dtype is string
            or (tensor.dtype.is_floating and not dtype.is_floating)
        ):
            raise _wrong_filler(tensor, dtype)
        tensor = convert_to_tensor(value, dtype=dtype)
    if tensor.dtype is not dtype:
        raise _wrong_filler(tensor, dtype)
    return (
        tensor if state.graph is not None and not isinstance(tensor, EagerTensor) else raw(tensor)
    )


def _wrong_filler(tensor: Tensor, dtype: DType) -> TypeError:
    return TypeError(
        f"padded_batch: a padding value of dtype {tensor.dtype.name} is given for components of "
        f"dtype {dtype.name}."
    )


class _PaddedBatch(CountingStage):
    def __init__(
        self,
        node: PaddedBatch,
        source: Any,
        size: int,
        drop: bool,
        shapes: list[list[int | None]],
        fillers: list[Any],
    ) -> None:
        self._node, self._source = node, source
        self._size, self._drop = size, drop
        self._shapes, self._fillers = shapes, fillers
        self._count = 0

    def __next__(self) -> Values:
        rows: list[Values] = []
        for values in self._source:
            rows.append(values)
            if len(rows) == self._size:
                break
        if not rows or (self._drop and len(rows) < self._size):
            raise StopIteration
        try:
            made = [
                padded(column, shape, filler)
                for column, shape, filler in zip(zip(*rows), self._shapes, self._fillers)
            ]
        except Exception as error:
            raise located(error, self._node, self._count) from error
        finally:
            self._count += 1
        return made


def padded(values: Sequence[Any], shape: Sequence[int | None], filler: Any) -> Any:
    """Arrays under each other, filled up to `shape`, in which None is the largest size there is."""
    ranks = {v.ndim for v in values}
    if ranks != {len(shape)}:
        raise InvalidArgumentError(
            None,
            None,
            f"All elements in a batch must have the rank of the padded shape {list(shape)}, got "
            f"ranks {sorted(ranks)}.",
        )
    largest = [max(sizes) for sizes in zip(*[v.shape for v in values])]
    for want, size in zip(shape, largest):
        if want is not None and size > want:
            raise DataLossError(
                None,
                None,
                f"Attempted to pad to a smaller size than the input element: {list(shape)} and "
                f"{largest}.",
            )
    full = [size if want is None else want for want, size in zip(shape, largest)]
    check_room("padded_batch", (len(values), *full), values[0].dtype.itemsize)
    out = np.empty((len(values), *full), values[0].dtype)
    out[...] = filler[()] if isinstance(filler, np.ndarray) else filler
    for i, value in enumerate(values):
        place: tuple[Any, ...] = (i, *[slice(n) for n in value.shape])
        out[place] = value[()]
    return out


class SparseBatch(Node):
    """Elements of different sizes as one sparse tensor."""

    kind = "DenseToSparseBatchDataset"

    def __init__(self, source: Node, size: Any, row_shape: Any) -> None:
        leaf = source.structure.spec
        if not isinstance(leaf, TensorSpec | RaggedTensorSpec | SparseTensorSpec):
            raise TypeError(f"Dataset.sparse_batch: elements must be tensors, got {leaf}.")
        self.row = TensorShape(row_shape)
        shape = TensorShape([None]).concatenate(self.row)
        super().__init__([source], Structure(SparseTensorSpec(shape, leaf.dtype)))
        self.size = size

    def make(self, run: Run) -> Stage:
        return _SparseBatch(self, run.build(self.input), checked_size(number(self.size)))

    def cardinality(self) -> int:
        return batches(self.input.cardinality(), self.size, 0)


class _SparseBatch(CountingStage):
    def __init__(self, node: SparseBatch, source: Any, size: int) -> None:
        self._node, self._source, self._size = node, source, size
        self._count = 0
        leaf = node.input.structure.spec  # one that is not dense counts as TensorFlow's variants
        shapes: dict[Any, tuple[int, ...]] = {SparseTensorSpec: (3,), RaggedTensorSpec: ()}
        self._shape = shapes.get(type(leaf))

    def __next__(self) -> Values:
        rows: list[Any] = []
        for values in self._source:
            self._check(values[0].shape if self._shape is None else self._shape)
            rows.append(values[0])
            if len(rows) == self._size:
                break
        if not rows:
            raise StopIteration
        self._count += 1
        if self._shape is not None:
            message = f"The elements must be dense, got {self._node.input.structure.spec}."
            raise located(InvalidArgumentError(None, None, message), self._node, self._count - 1)
        return self._sparse(rows)

    def _check(self, shape: tuple[int, ...]) -> None:
        wanted = self._node.row.as_list()
        message = f"An element of shape {shape} does not fit into row_shape {wanted}."
        if len(shape) != len(wanted):
            raise located(InvalidArgumentError(None, None, message), self._node, self._count)
        if any(want is not None and size > want for size, want in zip(shape, wanted)):
            raise located(DataLossError(None, None, message), self._node, self._count)

    def _sparse(self, rows: list[Any]) -> Values:
        wanted = self._node.row.as_list()
        shape = [max([r.shape[i] for r in rows]) if w is None else w for i, w in enumerate(wanted)]
        indices = [
            np.concatenate([np.full((r.size, 1), i), np.argwhere(np.ones(r.shape, bool))], 1)
            for i, r in enumerate(rows)
        ]
        flat = [r.ravel() for r in rows]
        return [
            np.concatenate(indices).astype(np.int64),
            np.concatenate(flat),
            np.array([len(rows), *shape], np.int64),
        ]
