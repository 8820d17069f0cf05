"""Functions of `tf.data.experimental` that make transformations for `Dataset.apply`, and others."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.core.op import context
from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import dtypes, nest
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.types import DTypeLike
from runnel.data.dataset.arguments import dataset_function, integer
from runnel.data.dataset.base import checked
from runnel.data.dataset.dataset import Dataset
from runnel.data.dataset.optional import Optional
from runnel.data.dataset.random_access import element
from runnel.data.nodes.combining import Interleave
from runnel.data.nodes.errors import AssertCardinality
from runnel.data.nodes.random_numbers import RandomNumbers
from runnel.data.nodes.reducers import GroupByReducer, Reducer
from runnel.data.nodes.sources import FromList
from runnel.data.nodes.taking import OnDevice
from runnel.data.run.iterator import OwnedIterator
from runnel.data.run.structure import Structure, components

Transformation = Callable[[Dataset], Dataset]


def assert_cardinality(expected_cardinality: Any) -> Transformation:
    """Say how many elements a dataset has; iterating over another number of them fails.

    >>> dataset = tf.data.Dataset.range(6).filter(lambda x: x % 2 == 0)
    >>> len(dataset.apply(tf.data.experimental.assert_cardinality(3)))
    3
    """
    return lambda dataset: Dataset(AssertCardinality(dataset._node, expected_cardinality))


def at(dataset: Dataset, index: Any) -> Any:
    """The element number `index`.

    >>> tf.data.experimental.at(tf.data.Dataset.range(5), 3).numpy()
    np.int64(3)
    """
    if isinstance(index, Tensor) and index.dtype is not dtypes.int64:
        message = f"at: `index` must be a number or an int64 tensor, got {index!r}."
        raise InvalidArgumentError(None, None, message)
    node = dataset._node
    with context.building(None), context.unrecorded():
        return node.structure.pack(element(node, integer(index, "at")))


def bucket_by_sequence_length(
    element_length_func: Callable[..., Any],
    bucket_boundaries: Sequence[int],
    bucket_batch_sizes: Sequence[int],
    padded_shapes: Any = None,
    padding_values: Any = None,
    pad_to_bucket_boundary: bool = False,
    no_padding: bool = False,
    drop_remainder: bool = False,
) -> Transformation:
    """`Dataset.bucket_by_sequence_length` for `Dataset.apply`."""
    return lambda dataset: dataset.bucket_by_sequence_length(
        element_length_func,
        bucket_boundaries,
        bucket_batch_sizes,
        padded_shapes,
        padding_values,
        pad_to_bucket_boundary,
        no_padding,
        drop_remainder,
    )


def cardinality(dataset: Dataset) -> Tensor:
    """`Dataset.cardinality` as a function."""
    return dataset.cardinality()


def choose_from_datasets(
    datasets: Sequence[Dataset], choice_dataset: Dataset, stop_on_empty_dataset: bool = False
) -> Dataset:
    """`Dataset.choose_from_datasets`, which by default goes on when a dataset is empty."""
    return Dataset.choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset)


def copy_to_device(target_device: str, source_device: str = "/cpu:0") -> Transformation:
    """A transformation that leaves elements where they are: the host serves all devices."""
    return lambda dataset: Dataset(OnDevice(dataset._node))


def Counter(start: Any = 0, step: Any = 1, dtype: DTypeLike = dtypes.int64) -> Dataset:
    """`Dataset.counter` under its former name."""
    return Dataset.counter(start, step, dtype)


def dense_to_ragged_batch(
    batch_size: Any, drop_remainder: bool = False, row_splits_dtype: DTypeLike = dtypes.int64
) -> Transformation:
    """`Dataset.ragged_batch` for `Dataset.apply`."""
    return lambda dataset: dataset.ragged_batch(batch_size, drop_remainder, row_splits_dtype)


def dense_to_sparse_batch(batch_size: Any, row_shape: Any) -> Transformation:
    """`Dataset.sparse_batch` for `Dataset.apply`."""
    return lambda dataset: dataset.sparse_batch(batch_size, row_shape)


def enumerate_dataset(start: Any = 0) -> Transformation:
    """`Dataset.enumerate` for `Dataset.apply`."""
    return lambda dataset: dataset.enumerate(start)


def from_list(elements: Sequence[Any], name: str | None = None) -> Dataset:
    """A dataset of the elements of a list, whose structure is that of the first.

    >>> list(tf.data.experimental.from_list([(1, "a"), (2, "b")]).as_numpy_iterator())
    [(np.int32(1), b'a'), (np.int32(2), b'b')]
    """
    if not elements:
        raise ValueError("from_list: `elements` must not be empty.")
    if not isinstance(elements, list):
        raise ValueError(f"from_list: `elements` must be a list, got {type(elements).__name__}.")
    parts = [components(element) for element in elements]
    first = parts[0][0].spec
    for structure, _ in parts[1:]:
        first = _joint(first, structure.spec)
    return Dataset(FromList(Structure(first), [tensors for _, tensors in parts]).named(name))


def _joint(a: Any, b: Any) -> Any:
    def join(x: Any, y: Any) -> Any:
        found = x.most_specific_common_supertype([y])
        if found is None:
            raise TypeError(f"from_list: elements of {x} and of {y} have no type in common.")
        return found

    nest.assert_same_structure(a, b)
    return nest.map_structure(join, a, b)


def get_next_as_optional(iterator: OwnedIterator) -> Optional:
    """`Iterator.get_next_as_optional` as a function."""
    if not isinstance(iterator, OwnedIterator):
        raise TypeError(f"get_next_as_optional: an iterator is wanted, got {iterator!r}.")
    return iterator.get_next_as_optional()


def get_single_element(dataset: Dataset) -> Any:
    """`Dataset.get_single_element` as a function."""
    return checked(dataset, "get_single_element").get_single_element()


def get_structure(dataset_or_iterator: Any) -> Any:
    """The `element_spec` of a dataset or an iterator."""
    if not hasattr(dataset_or_iterator, "element_spec"):
        raise TypeError(
            f"get_structure: takes a dataset or an iterator, got {dataset_or_iterator!r}."
        )
    return dataset_or_iterator.element_spec


def group_by_reducer(key_func: Callable[..., Any], reducer: Reducer) -> Transformation:
    """A transformation to one element per key, which a `Reducer` makes of all those with that key.

    >>> reducer = tf.data.experimental.Reducer(
    ...     init_func=lambda key: np.int64(0),
    ...     reduce_func=lambda state, x: state + x,
    ...     finalize_func=lambda state: state,
    ... )
    >>> dataset = tf.data.Dataset.range(5)
    >>> by_parity = tf.data.experimental.group_by_reducer(lambda x: x % 2, reducer)
    >>> [int(x) for x in dataset.apply(by_parity)]
    [6, 4]
    """
    return lambda dataset: Dataset(GroupByReducer.by(dataset._node, key_func, reducer))


def group_by_window(
    key_func: Callable[..., Any],
    reduce_func: Callable[..., Any],
    window_size: Any = None,
    window_size_func: Callable[..., Any] | None = None,
) -> Transformation:
    """`Dataset.group_by_window` for `Dataset.apply`."""
    return lambda dataset: dataset.group_by_window(
        key_func, reduce_func, window_size, window_size_func
    )


def ignore_errors(log_warning: bool = False) -> Transformation:
    """`Dataset.ignore_errors` for `Dataset.apply`."""
    return lambda dataset: dataset.ignore_errors(log_warning)


def map_and_batch(
    map_func: Callable[..., Any],
    batch_size: Any,
    num_parallel_batches: Any = None,
    drop_remainder: bool = False,
    num_parallel_calls: Any = None,
) -> Transformation:
    """`Dataset.map` and `Dataset.batch` for `Dataset.apply`."""
    if num_parallel_batches is not None and num_parallel_calls is not None:
        raise ValueError(
            "map_and_batch: give `num_parallel_batches` or `num_parallel_calls`, not both."
        )
    calls = num_parallel_calls
    if num_parallel_batches is not None:
        calls = num_parallel_batches * batch_size

    def apply(dataset: Dataset) -> Dataset:
        made = dataset.map(map_func, calls).batch(batch_size, drop_remainder)
        made._node.kind = "MapAndBatchDataset"
        return made

    return apply


def pad_to_cardinality(cardinality: Any, mask_key: str = "valid") -> Transformation:
    """A transformation that fills a dataset of dicts up with elements of zeros.

    Each element gets an entry `mask_key`, which is True for those that were there.

    >>> dataset = tf.data.Dataset.from_tensor_slices({"a": [1, 2]})
    >>> padded = dataset.apply(tf.data.experimental.pad_to_cardinality(3))
    >>> list(padded.as_numpy_iterator())[-1]
    {'a': np.int32(0), 'valid': np.False_}
    """

    def pad(dataset: Dataset) -> Dataset:
        size = dataset._node.cardinality()
        if size < 0:
            raise ValueError("pad_to_cardinality: the dataset's cardinality must be known.")
        if size > int(cardinality):
            raise ValueError(
                f"pad_to_cardinality: `cardinality` must be at least that of the dataset, {size}, "
                f"got {int(cardinality)}."
            )
        if not isinstance(dataset.element_spec, dict):
            raise ValueError("pad_to_cardinality: the dataset's elements must be dicts.")
        filler = nest.map_structure(raw_ops.ZerosLike, next(iter(dataset)))
        missing = Dataset.from_tensors(filler).repeat(int(cardinality) - size)
        return _masked(dataset, mask_key, True).concatenate(_masked(missing, mask_key, False))

    return pad


def _masked(dataset: Dataset, key: str, value: bool) -> Dataset:
    return dataset.map(lambda element: {**element, key: convert_to_tensor(np.bool_(value))})


def parallel_interleave(
    map_func: Callable[..., Any],
    cycle_length: Any,
    block_length: Any = 1,
    sloppy: bool | None = False,
    buffer_output_elements: Any = None,
    prefetch_input_elements: Any = None,
) -> Transformation:
    """`Dataset.interleave` with a thread for each open dataset, for `Dataset.apply`."""

    def interleave(dataset: Dataset) -> Dataset:
        function = dataset_function(map_func, dataset._node, "interleave")
        return Dataset(
            Interleave(
                dataset._node, function, cycle_length, block_length, cycle_length, not sloppy
            )
        )

    for name, value in (
        ("buffer_output_elements", buffer_output_elements),
        ("prefetch_input_elements", prefetch_input_elements),
    ):
        if value is not None and (not isinstance(value, int | np.integer) or value < 1):
            raise ValueError(f"parallel_interleave: `{name}` must be positive, got {value}.")
    return interleave


def prefetch_to_device(device: str, buffer_size: Any = None) -> Transformation:
    """A transformation that makes elements ahead of their use on a device."""
    return lambda dataset: Dataset(OnDevice(dataset._node)).prefetch(buffer_size)


class RandomDataset(Dataset):
    """`Dataset.random` under its former name."""

    _shown = "RandomDatasetV2"

    def __init__(
        self,
        seed: Any = None,
        rerandomize_each_iteration: bool | None = None,
        name: str | None = None,
    ) -> None:
        super().__init__(RandomNumbers(seed, bool(rerandomize_each_iteration)).named(name))


def rejection_resample(
    class_func: Callable[..., Any], target_dist: Any, initial_dist: Any = None, seed: Any = None
) -> Transformation:
    """`Dataset.rejection_resample` for `Dataset.apply`."""
    return lambda dataset: dataset.rejection_resample(class_func, target_dist, initial_dist, seed)


def sample_from_datasets(
    datasets: Sequence[Dataset],
    weights: Any = None,
    seed: Any = None,
    stop_on_empty_dataset: bool = False,
) -> Dataset:
    """`Dataset.sample_from_datasets` as a function."""
    return Dataset.sample_from_datasets(datasets, weights, seed, stop_on_empty_dataset)


def scan(initial_state: Any, scan_func: Callable[..., Any]) -> Transformation:
    """`Dataset.scan` for `Dataset.apply`."""
    return lambda dataset: dataset.scan(initial_state, scan_func)


def shuffle_and_repeat(buffer_size: Any, count: Any = None, seed: Any = None) -> Transformation:
    """`Dataset.shuffle` and `Dataset.repeat` for `Dataset.apply`."""

    def apply(dataset: Dataset) -> Dataset:
        made = dataset.shuffle(buffer_size, seed).repeat(count)
        made._node.kind = "ShuffleAndRepeatDataset"
        return made

    return apply


def take_while(predicate: Callable[..., Any]) -> Transformation:
    """`Dataset.take_while` for `Dataset.apply`."""
    return lambda dataset: dataset.take_while(predicate)


def unbatch() -> Transformation:
    """`Dataset.unbatch` for `Dataset.apply`."""
    return lambda dataset: dataset.unbatch()


def unique() -> Transformation:
    """`Dataset.unique` for `Dataset.apply`."""
    return lambda dataset: dataset.unique()


def make_saveable_from_iterator(iterator: OwnedIterator, external_state_policy: Any = None) -> Any:
    """The iterator itself, which `tf.train.Checkpoint` can save."""
    return iterator


def load(
    path: Any,
    element_spec: Any = None,
    compression: Any = None,
    reader_func: Callable[..., Any] | None = None,
) -> Dataset:
    """`Dataset.load` as a function."""
    return Dataset.load(path, element_spec, compression, reader_func)


def save(
    dataset: Dataset,
    path: Any,
    compression: Any = None,
    shard_func: Callable[..., Any] | None = None,
    checkpoint_args: Any = None,
) -> None:
    """`Dataset.save` as a function."""
    dataset.save(path, compression, shard_func, checkpoint_args)


def snapshot(
    path: Any,
    compression: Any = "AUTO",
    reader_func: Callable[..., Any] | None = None,
    shard_func: Callable[..., Any] | None = None,
) -> Transformation:
    """`Dataset.snapshot` for `Dataset.apply`."""
    return lambda dataset: dataset.snapshot(path, compression, reader_func, shard_func)
