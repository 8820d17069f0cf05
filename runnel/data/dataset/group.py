"""The methods of `tf.data.Dataset` that put several elements into one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from runnel.core.composite.ragged_spec import RaggedTensorSpec
from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import dtypes, nest
from runnel.core.values.dtypes import as_dtype
from runnel.core.values.errors import invalid
from runnel.core.values.type_spec import TensorSpec
from runnel.core.values.types import DTypeLike
from runnel.data.nodes.batching import Batch, BatchesOf, Rebatch, Unbatch
from runnel.data.nodes.mapping import Map
from runnel.data.nodes.node import Node
from runnel.data.nodes.padding import PaddedBatch, SparseBatch
from runnel.data.nodes.taking import Relabelled
from runnel.data.nodes.windows import GroupByWindow, Window
from runnel.data.run.functions import UserFunction
from runnel.data.run.structure import Structure
from .arguments import TransformFunction, as_ragged, integer, number_function, parallelism, truth
from .base import Base, made
from .compositions import bucket_by_sequence_length, rebatch
from .spec import DatasetSpec

if TYPE_CHECKING:
    from .dataset import Dataset


class Grouping(Base):
    """Several elements as one."""

    def batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """A dataset of `batch_size` elements stacked into one.

        `drop_remainder=True` leaves out a last batch that is smaller. With `num_parallel_calls` a
        thread makes so many batches ahead; they keep their order, whether or not they must.

        Args:
            batch_size: how many elements are in a batch.
            drop_remainder: whether a last element that is not full is left out.
            num_parallel_calls: how many elements are computed at once; `tf.data.AUTOTUNE` lets the
                pipeline decide.
            deterministic: whether elements keep their order when they are computed in parallel.

        >>> [b.tolist() for b in tf.data.Dataset.range(5).batch(2).as_numpy_iterator()]
        [[0, 1], [2, 3], [4]]
        """
        calls = parallelism("batch", num_parallel_calls)
        size = integer(batch_size, "batch")
        batches = made(Batch(self._node, size, truth(drop_remainder), calls), name)
        batches._batch_size = size  # `keras.utils.split_dataset` makes batches of this size again
        return batches  # type: ignore[no-any-return]

    def unbatch(self, name: str | None = None) -> Dataset:
        """A dataset of the rows of the elements.

        >>> list(tf.data.Dataset.from_tensors([1, 2]).unbatch().as_numpy_iterator())
        [np.int32(1), np.int32(2)]
        """
        return made(Unbatch(self._node), name)

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> Dataset:
        """A dataset of `batch_size` elements filled up to one shape, and stacked.

        Args:
            batch_size: how many elements are in a batch.
            padded_shapes: the shapes to fill up to; None for the largest of the batch.
            padding_values: what to fill up with; None for 0 or "".
            drop_remainder: whether a last element that is not full is left out.

        >>> dataset = tf.data.Dataset.range(1, 4).map(lambda x: tf.fill([x], x))
        >>> next(dataset.padded_batch(3).as_numpy_iterator())
        array([[1, 0, 0],
               [2, 2, 0],
               [3, 3, 3]])
        """
        size, drop = integer(batch_size, "padded_batch"), truth(drop_remainder)
        return made(PaddedBatch(self._node, size, padded_shapes, padding_values, drop), name)

    def ragged_batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        row_splits_dtype: DTypeLike = dtypes.int64,
        name: str | None = None,
    ) -> Dataset:
        """A dataset of `batch_size` elements, which may differ in size, as ragged tensors.

        Args:
            batch_size: how many elements are in a batch.
            drop_remainder: whether a last element that is not full is left out.
            row_splits_dtype: int32 or int64: the dtype of the places where rows begin.

        >>> next(iter(tf.data.Dataset.range(3).map(tf.range).ragged_batch(3)))
        <tf.RaggedTensor [[], [0], [0, 1]]>
        """
        splits = as_dtype(row_splits_dtype)
        structure = self._node.structure.map_leaves(lambda spec: as_ragged(spec, splits))
        return made(_ragged(self._node, structure)).batch(batch_size, drop_remainder, name=name)

    def sparse_batch(self, batch_size: Any, row_shape: Any, name: str | None = None) -> Dataset:
        """A dataset of `batch_size` elements, of at most `row_shape`, as sparse tensors.

        >>> dataset = tf.data.Dataset.range(1, 3).map(lambda x: tf.fill([x], x))
        >>> tf.sparse.to_dense(next(iter(dataset.sparse_batch(2, row_shape=[3])))).numpy()
        array([[1, 0, 0],
               [2, 2, 0]])
        """
        return made(SparseBatch(self._node, integer(batch_size, "sparse_batch"), row_shape), name)

    def rebatch(
        self, batch_size: Any, drop_remainder: bool = False, name: str | None = None
    ) -> Dataset:
        """A dataset of batches of another size; several sizes take turns.

        >>> [b.tolist() for b in tf.data.Dataset.range(5).batch(2).rebatch(3).as_numpy_iterator()]
        [[0, 1, 2], [3, 4]]
        """
        return made(rebatch(self, batch_size, drop_remainder)._node, name)  # type: ignore[no-any-return]

    def _rebatched(self, size: Any, drop_remainder: bool) -> Dataset:
        rows = self._node
        assert isinstance(rows, Unbatch)
        return made(Rebatch(rows, integer(size, "rebatch"), truth(drop_remainder)))

    def _batches_of(self, sizes: list[int], drop_remainder: bool) -> Dataset:
        return made(BatchesOf(self._node, sizes, drop_remainder))

    def window(
        self,
        size: Any,
        shift: Any = None,
        stride: Any = 1,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> Dataset:
        """A dataset of datasets of `size` elements that follow each other.

        Args:
            size: how many elements a window has.
            shift: how far the next one begins; None is `size`.
            stride: the distance of its elements.
            drop_remainder: whether a last element that is not full is left out.

        >>> [[int(x) for x in w] for w in tf.data.Dataset.range(5).window(3, shift=2)]
        [[0, 1, 2], [2, 3, 4], [4]]
        """
        numbers = [integer(n, "window") for n in (size, size if shift is None else shift, stride)]
        for number in numbers:
            if isinstance(number, int) and number < 1:
                raise invalid(f"Dataset.window: sizes must be greater than zero, got {number}.")
        size, shift, stride = numbers
        drop = truth(drop_remainder)
        return made(Window(self._node, DatasetSpec, size, shift, stride, drop), name)

    def group_by_window(
        self,
        key_func: TransformFunction,
        reduce_func: TransformFunction,
        window_size: Any = None,
        window_size_func: TransformFunction | None = None,
        name: str | None = None,
    ) -> Dataset:
        """A dataset of what `reduce_func(key, group)` makes of elements with one key.

        A group is full when it has `window_size` elements, or `window_size_func(key)`.

        Args:
            key_func: from an element to its key.
            reduce_func: from a key and a dataset of elements to a dataset.
            window_size, window_size_func: how many elements a group has, or a function of the key.

        >>> groups = tf.data.Dataset.range(6).group_by_window(
        ...     lambda x: x % 2, lambda key, group: group.batch(3), window_size=3
        ... )
        >>> [group.tolist() for group in groups.as_numpy_iterator()]
        [[0, 2, 4], [1, 3, 5]]
        """
        if (window_size is None) == (window_size_func is None):
            raise ValueError(
                "group_by_window: give `window_size` or `window_size_func`, one of them."
            )
        key_type = Structure(TensorSpec([], dtypes.int64))
        size_func = window_size_func or (lambda key: convert_to_tensor(window_size, dtypes.int64))
        key = number_function(key_func, self._node.structure, "key_func")
        size = number_function(size_func, key_type, "window_size_func")
        group = Structure(DatasetSpec(self.element_spec))
        reduced = UserFunction(reduce_func, key_type, group, name="group_by_window")
        if not isinstance(reduced.output.spec, DatasetSpec):
            raise TypeError(
                f"group_by_window: `reduce_func` must return a dataset, got {reduced.output.spec}."
            )
        return made(GroupByWindow(self._node, key, reduced, size), name)

    def bucket_by_sequence_length(
        self,
        element_length_func: TransformFunction,
        bucket_boundaries: Sequence[int],
        bucket_batch_sizes: Sequence[int],
        padded_shapes: Any = None,
        padding_values: Any = None,
        pad_to_bucket_boundary: bool = False,
        no_padding: bool = False,
        drop_remainder: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """A dataset of padded batches of elements of like length.

        Args:
            element_length_func: from an element to its length.
            bucket_boundaries: the lengths at which buckets end.
            bucket_batch_sizes: the size of a batch of each, one more than boundaries.
            padded_shapes, padding_values: as for `padded_batch`.
            pad_to_bucket_boundary: whether batches are filled up to their bucket's length, less
                one.
            no_padding: whether elements are stacked as they are.
            drop_remainder: whether a last element that is not full is left out.

        >>> lists = tf.data.Dataset.range(1, 5).map(lambda x: tf.fill([x], x))
        >>> batches = lists.bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3], [2, 2])
        >>> [batch.tolist() for batch in batches.as_numpy_iterator()]
        [[[1, 0], [2, 2]], [[3, 3, 3, 0], [4, 4, 4, 4]]]
        """
        options = {
            "padded_shapes": padded_shapes,
            "padding_values": padding_values,
            "pad_to_bucket_boundary": pad_to_bucket_boundary,
            "no_padding": no_padding,
            "drop_remainder": drop_remainder,
        }
        batches = bucket_by_sequence_length(
            self, element_length_func, bucket_boundaries, bucket_batch_sizes, options
        )
        return made(batches._node, name)  # type: ignore[no-any-return]


def _ragged_rank(spec: Any) -> int:
    return spec.ragged_rank if isinstance(spec, RaggedTensorSpec) else 0


def _ragged(node: Node, structure: Structure) -> Node:
    """The elements with the tensors as ragged ones that are ragged in `structure`."""
    pairs = zip(structure.leaves, node.structure.leaves)
    if all(_ragged_rank(leaf) == _ragged_rank(old) for leaf, old in pairs):
        return Relabelled(node, structure)

    def convert(value: Any, spec: Any) -> Any:
        if isinstance(value, Tensor) and _ragged_rank(spec):
            splits = spec.row_splits_dtype
            return RaggedTensor.from_tensor(value, None, None, spec.ragged_rank, None, splits)
        return value

    def ragged(*element: Any) -> Any:
        whole = element if type(structure.spec) is tuple else element[0]
        parts = nest.flatten_up_to(structure.spec, whole, check_types=False)
        return nest.pack_sequence_as(
            structure.spec, [convert(part, leaf) for part, leaf in zip(parts, structure.leaves)]
        )

    mapped = Map(node, UserFunction(ragged, node.structure, name="ragged_batch"))
    mapped.relabels = True
    return Relabelled(mapped, structure)
