"""The ops that save and restore: what a function that writes checkpoints is made of.

A tensor goes by a name and, if it is a part of a larger one, by a text such as `4 3 0,2:-`: the
shape of the whole, then the start and the length of the part in each dimension.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.files import files
from runnel.core.op.op import op
from runnel.core.values.dtypes import FROM_NUMPY, DType
from runnel.core.values.errors import InternalError, bad_shape, invalid
from runnel.core.values.types import Array, Dims, Namespace, Spec
from runnel.ops.choices import at_least
from runnel.ops.shapes import nothing
from runnel.train.files.bundle import BundleReader, Part, write_bundle
from runnel.train.files.merging import merge_bundles
from runnel.train.files.slice_tables import SliceReader, open_checkpoint
from runnel.train.files.slices import region


def _name_of(prefix: Array) -> str:
    return np.asarray(prefix).reshape(-1)[0].decode()  # type: ignore[no-any-return]


def _named_parts(op_name: str, names: Array, parts: Array, count: int) -> list[tuple[str, str]]:
    """Names with what is said about parts, as many as there are tensors."""
    for array in (names, parts):
        if np.ndim(array) != 1:
            text = f"{op_name}: tensor_names and shape_and_slices must be vectors"
            raise invalid(f"{text}, got shape {np.shape(array)}.")
    if not count or not len(names) == len(parts) == count:
        raise invalid(
            f"{op_name}: there are {len(names)} names, {len(parts)} parts and {count} tensors."
        )
    return [(name.decode(), part.decode()) for name, part in zip(names, parts)]


def parsed_part(text: str) -> tuple[list[int], list[tuple[int, int]]]:
    """The shape of the whole, and starts and lengths of a part."""
    *dims, places = text.split(" ")
    try:
        if not dims:
            raise ValueError
        pairs = [
            (0, -1) if place == "-" else tuple(map(int, place.split(",")))
            for place in places.split(":")
        ]
        if any(len(pair) != 2 for pair in pairs) or len(pairs) != len(dims):
            raise ValueError
        return [int(d) for d in dims], pairs  # type: ignore[return-value]
    except ValueError:
        raise invalid(f"{text!r} does not say a shape and a part of it.") from None


def _part(name: str, text: str, array: Any) -> tuple[Any, Part]:
    """A tensor of the whole's shape, and the part of it that an array is."""
    if not text:
        return array, Part(name, None, array)
    dims, pairs = parsed_part(text)
    try:
        place = region(pairs, dims)
    except ValueError as error:
        raise InternalError(None, None, f"{name!r}: {error}.") from None
    extents = tuple((s.start, s.stop - s.start) for s in place)
    if tuple(length for _, length in extents) != array.shape:
        raise invalid(f"{text!r} does not fit {name!r}, which has the shape {array.shape}.")
    return np.broadcast_to(np.zeros((), array.dtype), dims), Part(name, extents, array)


@op(
    "SaveV2",
    "prefix: string[0], tensor_names: string[1], shape_and_slices: string[1], tensors: *dtypes ->",
    shape=nothing,
    effects="writes files",
)
def _save(
    xp: Namespace, prefix: Array, tensor_names: Array, shape_and_slices: Array, tensors: list[Array]
) -> None:
    tensors = [np.asarray(tensor) for tensor in tensors]
    named = _named_parts("SaveV2", tensor_names, shape_and_slices, len(tensors))
    path = _name_of(prefix)
    folder = os.path.dirname(path)
    if folder and not files.exists(folder):
        files.mkdir(folder)
    wholes: dict[str, tuple[Any, DType]] = {}
    parts: list[Part] = []
    for (name, text), array in zip(named, tensors):
        if name in wholes and not text:
            raise invalid(f"SaveV2: two tensors have the name {name!r}.")
        whole, part = _part(name, text, array)
        wholes[name] = (whole, FROM_NUMPY[array.dtype])
        parts.append(part)
    write_bundle(path, wholes, [parts])


def _restored_shapes(*inputs: Spec, dtypes: Sequence[DType]) -> list[list[Dims]]:
    return [[None] * len(dtypes)]


@op(
    "RestoreV2",
    "prefix: string[0], tensor_names: string[1], shape_and_slices: string[1] -> tensors: *dtypes",
    shape=_restored_shapes,
    effects="reads files",
    dtypes=at_least(1),
)
def _restore(
    xp: Namespace,
    prefix: Array,
    tensor_names: Array,
    shape_and_slices: Array,
    *,
    dtypes: tuple[DType, ...],
) -> tuple[Array, ...]:
    named = _named_parts("RestoreV2", tensor_names, shape_and_slices, len(dtypes))
    with open_checkpoint(_name_of(prefix)) as reader:
        return tuple(_read(reader, name, text, dtype) for (name, text), dtype in zip(named, dtypes))


def _read(reader: BundleReader | SliceReader, name: str, text: str, dtype: DType) -> Array:
    known = reader.dtype(name)
    if known is not dtype:
        raise invalid(f"{name!r} is {known.name} in {reader.prefix}, not {dtype.name}.")
    if not text:
        return reader.read(name)
    dims, pairs = parsed_part(text)
    shape = reader.shape(name).as_list()
    if dims != shape:
        raise invalid(f"{name!r} has the shape {shape} in {reader.prefix}, not {dims}.")
    try:
        return reader.read(name)[region(pairs, dims)]
    except ValueError as error:
        raise InternalError(None, None, f"{name!r}: {error}.") from None


@op(
    "MergeV2Checkpoints",
    "checkpoint_prefixes: string[1], destination_prefix: string[0] ->",
    shape=nothing,
    effects="writes files",
)
def _merge(
    xp: Namespace,
    checkpoint_prefixes: Array,
    destination_prefix: Array,
    *,
    delete_old_dirs: bool = True,
    allow_missing_files: bool = False,
) -> None:
    if np.ndim(checkpoint_prefixes) != 1 or np.ndim(destination_prefix):
        raise invalid("MergeV2Checkpoints takes a vector of prefixes and one destination.")
    prefixes = [prefix.decode() for prefix in checkpoint_prefixes]
    if allow_missing_files:
        prefixes = [prefix for prefix in prefixes if files.exists(f"{prefix}.index")]
    if not prefixes:
        raise invalid("MergeV2Checkpoints: there is nothing to be merged.")
    merge_bundles(prefixes, _name_of(destination_prefix))
    if delete_old_dirs:
        for folder in {os.path.dirname(prefix) for prefix in prefixes}:
            if folder and files.exists(folder) and not files.listdir(folder):
                files.rmtree(folder)


def _file_name(basename: Spec, *numbers: Spec, op_name: str) -> Dims:
    for name, spec in zip(("basename", "shard", "num_shards"), (basename, *numbers)):
        if spec.dims not in (None, ()):
            raise bad_shape(op_name, want="be a scalar", **{name: spec})
    return ()


def _one(value: Array) -> Any:
    if np.ndim(value):
        raise ValueError("a name and a number are scalars")
    return np.asarray(value).item()


@op(
    "ShardedFilename",
    "basename: string, shard: int32, num_shards: int32 -> filename: string",
    shape=_file_name,
)
def _sharded_filename(xp: Namespace, basename: Array, shard: Array, num_shards: Array) -> Array:
    numbers = _one(shard), _one(num_shards)
    return np.array(b"%s-%05d-of-%05d" % (_one(basename), *numbers), object)


@op("ShardedFilespec", "basename: string, num_shards: int32 -> filename: string", shape=_file_name)
def _sharded_filespec(xp: Namespace, basename: Array, num_shards: Array) -> Array:
    return np.array(b"%s-?????-of-%05d" % (_one(basename), _one(num_shards)), object)
