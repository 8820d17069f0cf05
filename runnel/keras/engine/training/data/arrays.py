"""Batches of arrays that are in memory: cut and handed on, without a detour."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

import runnel as tf
from runnel.keras.engine.settings import floatx
from runnel.keras.utils.packing import pack_x_y_sample_weight


def as_array(value: Any) -> Any:
    """A NumPy array of a tensor, a frame or a list; float arrays in the default dtype.

    Composite tensors stay what they are; a sparse matrix of SciPy's becomes a sparse tensor.
    """
    if value is None or is_composite(value):
        return value
    if is_sparse_matrix(value):
        return sparse_tensor(value)
    if hasattr(value, "to_numpy"):  # pandas
        value = value.to_numpy()
    array = value if isinstance(value, np.ndarray) else np.asarray(value)
    kind = array.dtype.kind
    if kind == "U":
        return array.astype(object)
    if kind == "f" and array.dtype != floatx() and not isinstance(value, tf.Tensor):
        return array.astype(tf.as_dtype(floatx()).as_numpy_dtype)
    return array


_COMPOSITE = (tf.RaggedTensor, tf.SparseTensor, tf.experimental.ExtensionType)
_ARRAYS = (np.ndarray, tf.Tensor, tf.Variable, float, int, str, bytes, np.generic)


def is_composite(value: Any) -> bool:
    """Whether something is a ragged tensor, a sparse one, or of an extension type."""
    return isinstance(value, _COMPOSITE)


def is_sparse_matrix(value: Any) -> bool:
    """Whether something is one of SciPy's sparse matrices, of whatever format."""
    return hasattr(value, "tocsr") and hasattr(value, "nnz")


def sparse_tensor(matrix: Any) -> tf.SparseTensor:
    """A sparse matrix as a tensor, row by row; floats in the default dtype."""
    rows = matrix.tocsr().sorted_indices().tocoo()
    values = rows.data.astype(floatx()) if rows.data.dtype.kind == "f" else rows.data
    indices = np.stack([rows.row, rows.col], axis=1).astype(np.int64)
    return tf.SparseTensor(indices, values, rows.shape)


def as_arrays(structure: Any) -> Any:
    """All leaves of a nest as arrays; a list of numbers is one array."""
    if structure is None or isinstance(structure, np.ndarray):
        return as_array(structure)
    if isinstance(structure, list | tuple) and _is_numbers(structure):
        return as_array(structure)
    return tf.nest.map_structure(as_array, without_lists(structure))


def without_lists(structure: Any) -> Any:
    """Tuples in place of lists, as `(x, y)` is told from two inputs by."""
    if isinstance(structure, list | tuple) and not hasattr(structure, "_fields"):
        return tuple(without_lists(part) for part in structure)
    if isinstance(structure, dict):
        return {key: without_lists(value) for key, value in structure.items()}
    return structure


def _is_numbers(values: Any) -> bool:
    while isinstance(values, list | tuple):
        if not values:
            return True
        values = values[0]
    return isinstance(values, float | int | str | bytes | np.generic)


class ArraySource:
    """Arrays cut into batches."""

    divided = False

    def __init__(
        self,
        x: Any,
        y: Any = None,
        sample_weight: Any = None,
        batch_size: int | None = None,
        steps: int | None = None,
        shuffle: Any = False,
        **ignored: Any,
    ) -> None:
        data = pack_x_y_sample_weight(*map(as_arrays, (x, y, sample_weight)))
        self._structure = data
        flat = tf.nest.flatten(data)
        self._leaves = [leaf for leaf in flat if leaf is not None]
        self._holes = [leaf is None for leaf in flat]
        self.samples = sample_count(self._leaves)
        if self.samples == 0:
            raise ValueError("Expected input data to be non-empty.")
        if batch_size is None:
            batch_size = math.ceil(self.samples / steps) if steps else 32
        if batch_size < 1:
            raise ValueError(f"Expected batch_size to be positive. Received is {batch_size}.")
        self.batch_size = int(batch_size)
        self.shuffle = shuffle
        self.size = math.ceil(self.samples / self.batch_size)
        self.restarts = True
        self.varies, self.element_spec = self.samples % self.batch_size != 0, None
        self._orders: Iterator[Any] | None = None
        self._is_pair = _is_pair(data)

    def epoch(self) -> Iterator[Any]:
        """The batches of one epoch."""
        for chosen in self._places():
            flat = [tf.convert_to_tensor(leaf[chosen]) for leaf in self._leaves]
            yield self._packed(flat)

    def _places(self) -> Iterator[Any]:
        """Where the samples of each batch stand in the arrays."""
        starts = range(0, self.samples, self.batch_size)
        slices = [slice(start, min(start + self.batch_size, self.samples)) for start in starts]
        if not self.shuffle:
            return iter(slices)
        by_batch = str(self.shuffle).lower() == "batch"
        if self._orders is None:
            # As one op inside a dataset draws them, which tf_keras has: the same orders for a seed,
            # and nothing is taken from the random numbers of other ops.
            seeds = tf.__internal__.distribute.same_seeds()
            drawn = tf.__internal__.data.permutations
            if by_batch:
                self._orders = orders_of_batches(self.size, seeds)
            else:
                self._orders = drawn(self.samples, seeds)
        order = self._orders
        # tf_keras also stirs each batch, `x` apart from `y`, so that labels go to wrong samples.
        if by_batch:
            return (slices[int(next(order))] for _ in slices)
        permutation = next(order)
        return (permutation[place] for place in slices)

    def _packed(self, flat: list[Any]) -> Any:
        if self._is_pair:
            return tuple(flat)
        if self._structure is self._leaves[0]:
            return flat[0]
        rest = iter(flat)
        full = [None if hole else next(rest) for hole in self._holes]
        return tf.nest.pack_sequence_as(self._structure, full)

    def on_epoch_end(self) -> None:
        """Nothing to do between epochs."""

    def close(self) -> None:
        """Nothing to do at the end."""


def orders_of_batches(batches: int, seeds: Any = None) -> Iterator[Any]:
    """The numbers of so many batches, in a new order each time around, as in tf_keras."""

    def stirred(_: Any) -> Any:
        return tf.data.Dataset.range(batches).shuffle(1024, seeds and seeds[0]).repeat()

    return iter(tf.data.Dataset.range(1).flat_map(stirred))


def _is_pair(structure: Any) -> bool:
    return (
        type(structure) is tuple
        and len(structure) == 2
        and all(isinstance(part, np.ndarray) for part in structure)
    )


def sample_count(leaves: list[Any]) -> int:
    if not leaves or any(len(leaf.shape) == 0 for leaf in leaves):
        got = ", ".join(repr(leaf) for leaf in leaves) or "nothing"
        raise ValueError(f"Expected arrays whose first dimension is the samples, got {got}.")
    sizes = {int(leaf.shape[0]) for leaf in leaves}
    if len(sizes) != 1:
        shown = ", ".join(str(leaf.shape[0]) for leaf in leaves)
        raise ValueError(
            f"Data cardinality is ambiguous: the arrays have {shown} examples. Make sure all "
            "arrays contain the same number of samples."
        )
    return sizes.pop()


def is_arrays(x: Any) -> bool:
    """Whether something is arrays in memory, or a nest of them."""
    leaves = tf.nest.flatten(x)
    return bool(leaves) and all(_is_array(leaf) for leaf in leaves)


def _is_array(leaf: Any) -> bool:
    if leaf is None:
        return True
    return (
        isinstance(leaf, _ARRAYS)
        or hasattr(leaf, "to_numpy")
        or (hasattr(leaf, "__array__") and hasattr(leaf, "shape"))
    )


def split_arrays(arrays: Any, validation_split: float) -> tuple[Any, Any]:
    """The first part for training, the last for validation."""
    leaves = [leaf for leaf in tf.nest.flatten(arrays) if leaf is not None]
    if not is_arrays(arrays):
        raise ValueError(
            "`validation_split` is only supported for Tensors or NumPy arrays, found following "
            f"types in the input: {[type(leaf) for leaf in leaves]}"
        )
    count = sample_count([as_array(leaf) for leaf in leaves])
    cut = math.floor(count * (1.0 - validation_split))
    if cut == 0 or cut == count:
        raise ValueError(
            f"Training data contains {count} samples, which is not sufficient to split it into a "
            f"validation and training set as specified by `validation_split={validation_split}`. "
            "Either provide more data, or a different value for the `validation_split` argument."
        )

    def part(low: int | None, high: int | None) -> Any:
        take = slice(low, high)
        return tf.nest.map_structure(lambda a: None if a is None else as_array(a)[take], arrays)

    return part(None, cut), part(cut, None)
