"""Checkpoints of the first kind: one sorted string table, with the tensors inside it.

Under the empty key it says what it holds; under the key of each part lie the numbers of that part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from runnel.core.files import files
from runnel.core.protos import messages
from runnel.core.values.array_protos import array_of, numbers_proto
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.errors import DataLossError, InvalidArgumentError, NotFoundError
from runnel.core.values.shape import TensorShape
from runnel.train.files import table
from runnel.train.files.bundle import BundleReader, index_path, parsed
from runnel.train.files.slices import extents_of, region, slice_key

Extents = Sequence[tuple[int, int]]
_ABOUT = b""  # the key under which the table says what is in it
_VERSION = 1


class Slice(NamedTuple):
    """A part of a tensor that is to be written: its place in the whole, and its numbers."""

    dims: Sequence[int]
    extents: Extents
    array: np.ndarray[Any, Any]
    dtype: DType


def write_slices(path: str, slices: Mapping[str, Sequence[Slice]]) -> None:
    """Write a table of the parts of some tensors."""
    about = messages.SavedTensorSlices()
    about.meta.versions.producer = _VERSION
    items: dict[bytes, bytes] = {}
    for name, parts in sorted(slices.items()):
        entry = about.meta.tensor.add(name=name, type=parts[0].dtype.enum)
        entry.shape.CopyFrom(TensorShape(parts[0].dims).as_proto())
        for part in parts:
            _set_extents(entry.slice.add(), part.extents)
            saved = messages.SavedTensorSlices()
            saved.data.name = name
            _set_extents(saved.data.slice, part.extents)
            saved.data.data.CopyFrom(numbers_proto(part.array, part.dtype))
            items[slice_key(name, part.extents)] = saved.SerializeToString()
    items[_ABOUT] = about.SerializeToString()
    files.write_whole(path, table.encode(items))


def _set_extents(proto: Any, extents: Extents) -> None:
    for start, length in extents:
        extent = proto.extent.add()
        if length >= 0:
            extent.start, extent.length = start, length


class SliceReader:
    """Reads the tables whose names match a pattern, which hold parts of the same tensors."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        self._items: dict[bytes, bytes] = {}
        self._tensors: dict[str, list[Any]] = {}
        found = files.glob(pattern)
        if not found:
            message = f"No checkpoint file has a name like {pattern!r}."
            raise NotFoundError(None, None, message)
        for path in found:
            items = table.decode(files.read_whole(path), path)
            about = parsed(messages.SavedTensorSlices, items.pop(_ABOUT, None), path)
            for entry in about.meta.tensor:
                self._tensors.setdefault(entry.name, []).append(entry)
            self._items.update(items)

    @property
    def prefix(self) -> str:
        return self.pattern

    def __enter__(self) -> SliceReader:
        return self

    def __exit__(self, *error: object) -> None:
        """Nothing is left open."""

    def __contains__(self, name: str) -> bool:
        return name in self._tensors

    def names(self) -> list[str]:
        return sorted(self._tensors)

    def dtype(self, name: str) -> DType:
        return as_dtype(self._first(name).type)

    def shape(self, name: str) -> TensorShape:
        return TensorShape(self.dims(name))

    def dims(self, name: str) -> list[int]:
        return [d.size for d in self._first(name).shape.dim]

    def _first(self, name: str) -> Any:
        if name not in self._tensors:
            message = f"There is no tensor {name!r} in the checkpoint {self.pattern}."
            raise NotFoundError(None, None, message)
        return self._tensors[name][0]

    def read(self, name: str, extents: Extents | None = None) -> np.ndarray[Any, Any]:
        """A tensor or a part of it, put together from those that the tables hold."""
        dims, dtype = self.dims(name), self.dtype(name)
        if extents is None:
            extents = [(0, -1)] * len(dims)
        whole = np.zeros(dims, dtype.np_dtype)
        known = np.zeros(dims, bool)
        for entry in self._tensors[name]:
            for proto in entry.slice:
                held = extents_of(proto)
                place = region(held, dims)
                whole[place] = self._part(name, held, whole[place].shape, dtype)
                known[place] = True
        wanted = region(extents, dims)
        if not known[wanted].all():
            message = f"The checkpoint {self.pattern} does not hold all of {name!r} at {extents}."
            raise InvalidArgumentError(None, None, message)
        return whole[wanted]

    def _part(
        self, name: str, extents: Extents, dims: tuple[int, ...], dtype: DType
    ) -> np.ndarray[Any, Any]:
        data = self._items.get(slice_key(name, extents))
        proto = parsed(messages.SavedTensorSlices, data, self.pattern).data.data
        proto.dtype = dtype.enum  # which TensorFlow does not write a second time
        proto.tensor_shape.CopyFrom(TensorShape(dims).as_proto())
        try:
            return array_of(proto)
        except ValueError as error:
            message = f"{self.pattern} is damaged: {name!r}: {error}"
            raise DataLossError(None, None, message) from error


def open_checkpoint(prefix: str) -> BundleReader | SliceReader:
    """A reader of the checkpoint of this prefix, whichever of the two kinds it is."""
    if not files.exists(index_path(prefix)) and is_slice_table(prefix):
        return SliceReader(prefix)
    return BundleReader(prefix)


def is_slice_table(prefix: str) -> bool:
    """Whether there is a file of the first kind of this name, or files of a pattern."""
    return any(not files.isdir(path) for path in files.glob(prefix))
