"""The ops that write and read checkpoints of the first kind; what names and parts are, see there.

>>> tf.raw_ops.Save(filename="/tmp/v1", tensor_names=["x"], data=[[1.0, 2.0]])
>>> tf.raw_ops.RestoreSlice(
...     file_pattern="/tmp/v1", tensor_name="x", shape_and_slice="2 1,1", dt=tf.float32
... ).numpy()
array([2.], dtype=float32)
"""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.op.op import op
from runnel.core.values.dtypes import FROM_NUMPY, DType
from runnel.core.values.errors import InternalError, invalid_in
from runnel.core.values.types import Array, Namespace
from runnel.ops.shapes import nothing, unknown
from runnel.train.files.slice_tables import Slice, SliceReader, write_slices
from runnel.train.files.slices import region
from runnel.train.saving_ops import parsed_part

_WHOLE = (0, -1)


def _one_text(op_name: str, key: str, value: Array) -> str:
    if np.size(value) != 1:
        raise invalid_in(op_name, f"`{key}` must be one string, got shape {np.shape(value)}.")
    return np.asarray(value).reshape(-1)[0].decode()  # type: ignore[no-any-return]


def _slice_of(op_name: str, text: str, array: np.ndarray[Any, Any]) -> Slice:
    dtype = FROM_NUMPY[array.dtype]
    if not text:
        return Slice(array.shape, [_WHOLE] * array.ndim, array, dtype)
    dims, extents = parsed_part(text)
    try:
        place = region(extents, dims)
    except ValueError as error:
        raise invalid_in(op_name, f"{text!r}: {error}.") from None
    if tuple(s.stop - s.start for s in place) != array.shape:
        raise invalid_in(op_name, f"{text!r} does not fit a tensor of shape {array.shape}.")
    return Slice(dims, extents, array, dtype)


def _save(op_name: str, filename: Array, names: Array, texts: Any, data: list[Array]) -> None:
    path = _one_text(op_name, "filename", filename)
    if np.ndim(names) != 1 or len(names) != len(data) or len(texts) != len(data):
        counts = f"{np.size(names)} names, {len(texts)} parts and {len(data)} tensors."
        raise invalid_in(op_name, f"there are {counts}")
    found: dict[str, list[Slice]] = {}
    for name, text, tensor in zip(names, texts, data, strict=True):
        parts = found.setdefault(name.decode(), [])
        parts.append(_slice_of(op_name, text.decode(), np.asarray(tensor)))
    write_slices(path, found)


_WRITES: Any = {"effects": "writes files", "shape": nothing}


@op("Save", "filename: string, tensor_names: string, data: *T ->", **_WRITES)
def _save_wholes(xp: Namespace, filename: Array, tensor_names: Array, data: list[Array]) -> None:
    _save("Save", filename, tensor_names, [b""] * len(data), data)


@op(
    "SaveSlices",
    "filename: string, tensor_names: string, shapes_and_slices: string, data: *T ->",
    **_WRITES,
)
def _save_slices(
    xp: Namespace, filename: Array, tensor_names: Array, shapes_and_slices: Array, data: list[Array]
) -> None:
    _save("SaveSlices", filename, tensor_names, shapes_and_slices, data)


def _restored(op_name: str, pattern: Array, name: Array, text: str, dt: DType) -> Array:
    reader = SliceReader(_one_text(op_name, "file_pattern", pattern))
    tensor = _one_text(op_name, "tensor_name", name)
    known, dims = reader.dtype(tensor), reader.dims(tensor)
    if known is not dt:
        raise invalid_in(op_name, f"{tensor!r} is {known.name} in the checkpoint, not {dt.name}.")
    extents = [_WHOLE] * len(dims)
    if text:
        said, extents = parsed_part(text)
        if said != dims:
            raise invalid_in(op_name, f"{tensor!r} has the shape {dims}, not {said}.")
    try:
        return reader.read(tensor, extents)
    except ValueError as error:
        raise InternalError(None, None, f"{op_name}: {text!r}: {error}.") from None


_READS: Any = {"effects": "reads files", "shape": unknown}


@op("Restore", "file_pattern: string, tensor_name: string -> tensor: dt", **_READS)
def _restore(
    xp: Namespace, file_pattern: Array, tensor_name: Array, *, dt: DType, preferred_shard: int = -1
) -> Array:
    return _restored("Restore", file_pattern, tensor_name, "", dt)


@op(
    "RestoreSlice",
    "file_pattern: string, tensor_name: string, shape_and_slice: string -> tensor: dt",
    **_READS,
)
def _restore_slice(
    xp: Namespace,
    file_pattern: Array,
    tensor_name: Array,
    shape_and_slice: Array,
    *,
    dt: DType,
    preferred_shard: int = -1,
) -> Array:
    text = _one_text("RestoreSlice", "shape_and_slice", shape_and_slice)
    return _restored("RestoreSlice", file_pattern, tensor_name, text, dt)
