"""Rows and columns of a saved matrix for a vocabulary in another order."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.files import files
from runnel.core.op.op import op
from runnel.core.op.registry import no_gradient
from runnel.core.values.errors import (
    FailedPreconditionError,
    InternalError,
    UnimplementedError,
    bad_shape,
    invalid_in,
)
from runnel.core.values.types import Array, Dims, Namespace, Spec
from runnel.train.files.bundle import BundleReader


def _remapping_shape(new_vocab_file: Spec, old_vocab_file: Spec, **attrs: Any) -> list[Dims]:
    return [(attrs["num_new_vocab"],), ()]


def _lines(op_name: str, path: Array) -> list[bytes]:
    if np.ndim(path):
        raise bad_shape(op_name, want="be a scalar", vocab_file=path)
    return files.read_whole(np.asarray(path).item().decode()).splitlines()


@op(
    "GenerateVocabRemapping",
    "new_vocab_file: string, old_vocab_file: string -> remapping: int64, num_present: int32",
    shape=_remapping_shape,
    effects="reads files",
    stateful=False,
)
def _generate_vocab_remapping(
    xp: Namespace,
    new_vocab_file: Array,
    old_vocab_file: Array,
    *,
    new_vocab_offset: int,
    num_new_vocab: int,
    old_vocab_size: int = -1,
) -> tuple[Array, Array]:
    """For each of some new words, the number of its line in the old file, or -1."""
    name = "GenerateVocabRemapping"
    old = _lines(name, old_vocab_file)
    old = old if old_vocab_size < 0 else old[:old_vocab_size]
    places = {word: place for place, word in enumerate(old)}
    if len(places) < len(old):
        message = f"{name}: a word stands twice in the old vocabulary. [Op:{name}]"
        raise FailedPreconditionError(None, None, message)
    new = _lines(name, new_vocab_file)[new_vocab_offset:][:num_new_vocab]
    if len(new) < num_new_vocab:
        raise invalid_in(
            name, f"there are {len(new)} new words from {new_vocab_offset} on, not {num_new_vocab}."
        )
    found = np.array([places.get(word, -1) for word in new], np.int64)
    return found, np.asarray(np.count_nonzero(found >= 0), np.int32)


no_gradient("GenerateVocabRemapping")


def _matrix_shape(*inputs: Spec, num_rows: int, num_cols: int, max_rows_in_memory: int) -> Dims:
    return (None if num_rows < 0 else num_rows, num_cols)


def _check_remapping(name: str, remapping: Array, size: int) -> None:
    used = remapping[remapping >= 0]
    if (remapping < -1).any() or (used >= size).any():
        message = f"{name}: a remapping must be -1 or below {size}, got {remapping}. [Op:{name}]"
        raise InternalError(None, None, message)
    if len(np.unique(used)) < len(used):
        message = f"{name}: a row or a column of the old matrix is wanted twice. [Op:{name}]"
        raise UnimplementedError(None, None, message)


@op(
    "LoadAndRemapMatrix",
    "ckpt_path: string, old_tensor_name: string, row_remapping: int64, col_remapping: int64, "
    "initializing_values: float32 -> output_matrix: float32",
    shape=_matrix_shape,
    effects="reads files",
)
def _load_and_remap_matrix(
    xp: Namespace,
    ckpt_path: Array,
    old_tensor_name: Array,
    row_remapping: Array,
    col_remapping: Array,
    initializing_values: Array,
    *,
    num_rows: int,
    num_cols: int,
    max_rows_in_memory: int = -1,
) -> Array:
    """Rows and columns of a saved matrix; where there is none, the next of the initial values."""
    name = "LoadAndRemapMatrix"
    if len(row_remapping) != num_rows:
        raise invalid_in(name, f"`row_remapping` must have {num_rows} numbers.")
    if len(col_remapping) not in (0, num_cols):
        raise invalid_in(name, f"`col_remapping` must have {num_cols} numbers or none.")
    with BundleReader(np.asarray(ckpt_path).item().decode()) as reader:
        old = reader.read(np.asarray(old_tensor_name).item().decode())
    if old.ndim != 2:
        raise invalid_in(name, f"the tensor must be a matrix, got shape {old.shape}.")
    columns = col_remapping if len(col_remapping) else np.arange(num_cols)
    if not len(col_remapping) and old.shape[1] != num_cols:
        raise invalid_in(name, f"the old matrix has {old.shape[1]} columns, not {num_cols}.")
    _check_remapping(name, row_remapping, old.shape[0])
    _check_remapping(name, columns, old.shape[1])
    there = (row_remapping >= 0)[:, None] & (columns >= 0)[None, :]
    if np.count_nonzero(~there) != len(initializing_values):
        message = f"there must be {np.count_nonzero(~there)} initial values, got "
        raise invalid_in(name, f"{message}{len(initializing_values)}.")
    result = np.empty(there.shape, np.float32)
    result[there] = old[row_remapping[row_remapping >= 0]][:, columns[columns >= 0]].ravel()
    result[~there] = initializing_values
    return result


no_gradient("LoadAndRemapMatrix")
