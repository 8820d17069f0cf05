"""`tf.data.Dataset`: the public face of the nodes, and its spec.

The methods check and convert their arguments; what they do is in the files named for their
subjects.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.core import dtypes, nest
from runnel.core.context import state
from runnel.core.convert import convert_to_tensor
from runnel.core.dtypes import as_dtype, variant
from runnel.core.errors import OutOfRangeError
from runnel.core.ragged_tensor import RaggedTensorSpec
from runnel.core.raw import raw_ops
from runnel.core.tensor import EagerTensor, Tensor
from runnel.core.type_spec import TensorSpec, TypeSpec, register
from runnel.core.types import DTypeLike
from runnel.data import ops
from runnel.data.batching import Batch, BatchesOf, Unbatch
from runnel.data.caching import Cache
from runnel.data.combining import Choose, Concatenate, Interleave, Zip
from runnel.data.compositions import (
    bucket_by_sequence_length,
    rebatch,
    rejection_resample,
    sample_from_datasets,
)
from runnel.data.errors import IgnoreErrors, Unique
from runnel.data.files import is_finished
from runnel.data.fingerprints import fingerprint
from runnel.data.functions import UserFunction
from runnel.data.generators import Generator
from runnel.data.iterator import NumpyIterator, OwnedIterator
from runnel.data.mapping import Enumerate, Filter, FlatMap, Map, Scan
from runnel.data.node import INFINITE, UNKNOWN, DatasetValue, Node, Run, Stage
from runnel.data.options import Options
from runnel.data.padding import PaddedBatch, SparseBatch
from runnel.data.parallel import Prefetch
from runnel.data.profiling import Profile, profile
from runnel.data.random_numbers import RandomNumbers
from runnel.data.reducing import reduce
from runnel.data.saving import Kept, compression_of, load_node, save, snapshot_node
from runnel.data.shuffling import Shuffle
from runnel.data.sources import Counter, FromSlices, FromTensors, FromValues, Range
from runnel.data.structure import Structure, components, legacy_spec, normalized
from runnel.data.taking import Relabelled, Repeat, Shard, Skip, Take, TakeWhile
from runnel.data.windows import GroupByWindow, Window

AUTOTUNE = -1
INFINITE_CARDINALITY = INFINITE
UNKNOWN_CARDINALITY = UNKNOWN

_NAMED = frozenset(("CacheDataset",))  # whose class TensorFlow does not hide

TransformFunction = Callable[..., Any]


class Dataset:
    """A sequence of elements, and how they are made.

    An element is a tensor, a composite tensor, or a nest of them. Nothing is computed before a
    dataset is iterated over.

    >>> dataset = tf.data.Dataset.range(5).map(lambda x: x * x).batch(2)
    >>> [batch.tolist() for batch in dataset.as_numpy_iterator()]
    [[0, 1], [4, 9], [16]]
    """

    _batch_size: Any

    def __init__(self, variant_tensor: Any) -> None:
        self._node: Node = (
            variant_tensor if isinstance(variant_tensor, Node) else _node_of(variant_tensor)
        )

    def __iter__(self) -> Any:
        return OwnedIterator.over(self._node, lambda: self._variant_tensor)

    def __bool__(self) -> bool:
        return True

    __nonzero__ = __bool__

    def __len__(self) -> int:
        """The number of elements; TypeError if it is infinite or not known."""
        size = self._node.cardinality()
        if size == INFINITE:
            raise TypeError("The dataset is infinite.")
        if size == UNKNOWN:
            raise TypeError("The dataset length is unknown.")
        return size

    def __repr__(self) -> str:
        kind = self._node.kind
        mark = "" if kind in _NAMED else "_"
        return f"<{mark}{kind} element_spec={self.element_spec}>"

    __str__ = __repr__

    @property
    def element_spec(self) -> Any:
        """The type of the elements.

        >>> tf.data.Dataset.range(3).element_spec
        TensorSpec(shape=(), dtype=tf.int64, name=None)
        """
        return self._node.structure.spec

    @property
    def _variant_tensor(self) -> Tensor:
        return ops.dataset_tensor(self._node)

    @property
    def _type_spec(self) -> DatasetSpec:
        return DatasetSpec(self.element_spec)

    def _autograph_for(self, *loop: Any) -> None:
        iter(self)._autograph_for(*loop)

    def as_numpy_iterator(self) -> NumpyIterator:
        """An iterator over the elements as NumPy arrays.

        >>> list(tf.data.Dataset.range(3).as_numpy_iterator())
        [np.int64(0), np.int64(1), np.int64(2)]
        """
        if state.graph is not None:
            raise RuntimeError("as_numpy_iterator: it is for eager programs, not for graphs.")
        for leaf in self._node.structure.leaves:
            if isinstance(leaf, DatasetSpec):
                raise TypeError(f"as_numpy_iterator: {leaf} has no form in NumPy.")
        return NumpyIterator(self)

    def cardinality(self) -> Tensor:
        """The number of elements, `INFINITE_CARDINALITY` or `UNKNOWN_CARDINALITY`.

        >>> tf.data.Dataset.range(42).repeat().cardinality().numpy() == tf.data.INFINITE_CARDINALITY
        np.True_
        """
        return convert_to_tensor(np.int64(self._node.cardinality()))

    def options(self) -> Options:
        """The options of the dataset and of those it is made of."""
        return self._node.options()

    def with_options(self, options: Options, name: str | None = None) -> Dataset:
        """The dataset with options, which win over those it has.

        >>> options = tf.data.Options()
        >>> options.deterministic = False
        >>> dataset = tf.data.Dataset.range(3).with_options(options)
        >>> dataset.options().deterministic
        False
        """
        return Dataset(_WithOptions(self._node, options))

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Dataset:
        """A dataset of one element.

        >>> list(tf.data.Dataset.from_tensors([1, 2]).as_numpy_iterator())
        [array([1, 2], dtype=int32)]
        """
        return Dataset(FromTensors(*components(tensors)))

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset:
        """A dataset of the rows of tensors.

        >>> pairs = tf.data.Dataset.from_tensor_slices(([1, 2], ["a", "b"]))
        >>> list(pairs.as_numpy_iterator())
        [(np.int32(1), b'a'), (np.int32(2), b'b')]
        """
        structure, flat = components(tensors)
        if not flat:
            raise ValueError("from_tensor_slices: there must be at least one tensor, got none.")
        _check_slices(structure)
        return Dataset(FromSlices(structure, flat))

    @staticmethod
    def from_generator(
        generator: Callable[..., Any],
        output_types: Any = None,
        output_shapes: Any = None,
        args: Sequence[Any] | None = None,
        output_signature: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """A dataset of what the iterable that `generator(*args)` returns yields.

        >>> def count(stop):
        ...     yield from range(stop)
        >>> signature = tf.TensorSpec([], tf.int32)
        >>> dataset = tf.data.Dataset.from_generator(count, args=[3], output_signature=signature)
        >>> list(dataset.as_numpy_iterator())
        [np.int32(0), np.int32(1), np.int32(2)]
        """
        if not callable(generator):
            raise TypeError(f"from_generator: `generator` must be callable, got {generator!r}.")
        spec = _signature(output_types, output_shapes, output_signature)
        given = [convert_to_tensor(arg) for arg in args or ()]
        return Dataset(Generator(generator, Structure(spec), given))

    @staticmethod
    def range(*args: Any, **kwargs: Any) -> Dataset:
        """A dataset of numbers, with arguments as those of Python's `range`.

        >>> list(tf.data.Dataset.range(5, 0, -2).as_numpy_iterator())
        [np.int64(5), np.int64(3), np.int64(1)]
        """
        dtype = as_dtype(kwargs.pop("output_type", dtypes.int64))
        kwargs.pop("name", None)
        if kwargs:
            raise TypeError(f"Dataset.range: unknown arguments {sorted(kwargs)}.")
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Dataset.range: takes 1 to 3 numbers, got {len(args)}.")
        numbers = [_integer(arg, "Dataset.range") for arg in args]
        start, stop, step = (numbers if len(args) > 1 else [0, *numbers]) + [1] * (len(args) < 3)
        if step == 0:
            raise ops.InvalidArgumentError(None, None, "Dataset.range: step cannot be zero.")
        return Dataset(Range(start, stop, step, dtype))

    @staticmethod
    def counter(
        start: Any = 0, step: Any = 1, dtype: DTypeLike = dtypes.int64, name: str | None = None
    ) -> Dataset:
        """A dataset that counts without end.

        >>> list(tf.data.Dataset.counter(start=5, step=2).take(3).as_numpy_iterator())
        [np.int64(5), np.int64(7), np.int64(9)]
        """
        return Dataset(Counter(start, step, as_dtype(dtype)))

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        """A dataset of the elements of several side by side, to the end of the shortest.

        >>> a, b = tf.data.Dataset.range(1, 4), tf.data.Dataset.range(4, 7)
        >>> list(tf.data.Dataset.zip(a, b).as_numpy_iterator())[0]
        (np.int64(1), np.int64(4))
        """
        if not args and datasets is None:
            raise TypeError("Dataset.zip: give datasets, or a nest of them.")
        if args and datasets is not None:
            raise TypeError("Dataset.zip: give datasets as arguments or as `datasets`, not both.")
        nested = datasets if datasets is not None else args[0] if len(args) == 1 else args
        if isinstance(nested, list):
            raise TypeError("Dataset.zip: datasets in a list; give them as a tuple instead.")
        flat = nest.flatten(nested)
        for dataset in flat:
            if not isinstance(dataset, Dataset):
                raise TypeError(f"Dataset.zip: takes datasets, got {dataset!r}.")
        return Dataset(Zip([dataset._node for dataset in flat], nested))

    def map(
        self,
        map_func: TransformFunction,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        synchronous: bool | None = None,
        use_unbounded_threadpool: bool = False,
        name: str | None = None,
    ) -> Dataset:
        """A dataset of what `map_func` returns for each element.

        >>> list(tf.data.Dataset.range(3).map(lambda x: x + 10).as_numpy_iterator())
        [np.int64(10), np.int64(11), np.int64(12)]
        """
        if synchronous and num_parallel_calls is not None:
            raise ValueError("Dataset.map: `synchronous` does not go with num_parallel_calls.")
        function = UserFunction(map_func, self._node.structure, name="map")
        calls = _parallelism("map", num_parallel_calls)
        if use_unbounded_threadpool and calls == AUTOTUNE:
            calls = 32
        return Dataset(Map(self._node, function, calls, deterministic))

    def filter(self, predicate: TransformFunction, name: str | None = None) -> Dataset:
        """A dataset of the elements that `predicate` accepts.

        >>> list(tf.data.Dataset.range(5).filter(lambda x: x % 2 == 0).as_numpy_iterator())
        [np.int64(0), np.int64(2), np.int64(4)]
        """
        return Dataset(Filter(self._node, _predicate(predicate, self._node.structure, "filter")))

    def take_while(self, predicate: TransformFunction, name: str | None = None) -> Dataset:
        """A dataset of the elements before the first that `predicate` refuses.

        >>> list(tf.data.Dataset.range(9).take_while(lambda x: x < 2).as_numpy_iterator())
        [np.int64(0), np.int64(1)]
        """
        function = _predicate(predicate, self._node.structure, "take_while")
        return Dataset(TakeWhile(self._node, function))

    def flat_map(self, map_func: TransformFunction, name: str | None = None) -> Dataset:
        """A dataset of the elements of the datasets that `map_func` returns.

        >>> dataset = tf.data.Dataset.range(1, 4)
        >>> flat = dataset.flat_map(lambda x: tf.data.Dataset.from_tensors(x).repeat(x))
        >>> list(flat.as_numpy_iterator())
        [np.int64(1), np.int64(2), np.int64(2), np.int64(3), np.int64(3), np.int64(3)]
        """
        return Dataset(FlatMap(self._node, _dataset_function(map_func, self._node, "flat_map")))

    def interleave(
        self,
        map_func: TransformFunction,
        cycle_length: Any = None,
        block_length: Any = None,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """A dataset of elements of `cycle_length` of `map_func`'s datasets in turn.

        >>> dataset = tf.data.Dataset.range(1, 3)
        >>> mixed = dataset.interleave(
        ...     lambda x: tf.data.Dataset.from_tensors(x).repeat(3), cycle_length=2, block_length=2
        ... )
        >>> [int(x) for x in mixed]
        [1, 1, 2, 2, 1, 2]
        """
        function = _dataset_function(map_func, self._node, "interleave")
        calls = _parallelism("interleave", num_parallel_calls)
        cycle = AUTOTUNE if cycle_length is None else _integer(cycle_length, "interleave")
        block = 1 if block_length is None else _integer(block_length, "interleave")
        return Dataset(Interleave(self._node, function, cycle, block, calls, deterministic))

    def scan(
        self, initial_state: Any, scan_func: TransformFunction, name: str | None = None
    ) -> Any:
        """A dataset of what `scan_func(state, element)` gives beside the next state.

        >>> sums = tf.data.Dataset.range(4).scan(np.int64(0), lambda s, x: (s + x, s + x))
        >>> [int(x) for x in sums]
        [0, 1, 3, 6]
        """
        initial = normalized(initial_state)
        before, tensors = components(initial)
        function = UserFunction(scan_func, before, self._node.structure, name="scan")
        result = function.output.spec
        if not isinstance(result, tuple) or len(result) != 2:
            raise TypeError(
                f"Dataset.scan: `scan_func` must return a state and an output, got {result}."
            )
        _check_state("scan", before, Structure(result[0]))
        return Dataset(Scan(self._node, tensors, function, Structure(result[1])))

    def reduce(
        self, initial_state: Any, reduce_func: TransformFunction, name: str | None = None
    ) -> Any:
        """The last state, each of which is `reduce_func(state, element)`.

        >>> tf.data.Dataset.range(5).reduce(np.int64(0), lambda s, x: s + x).numpy()
        np.int64(10)
        """
        return reduce(self, initial_state, reduce_func)

    def enumerate(self, start: Any = 0, name: str | None = None) -> Dataset:
        """A dataset of pairs of a number, which counts from `start`, and an element.

        >>> list(tf.data.Dataset.from_tensor_slices(["a", "b"]).enumerate(5).as_numpy_iterator())
        [(np.int64(5), b'a'), (np.int64(6), b'b')]
        """
        return Dataset(Enumerate(self._node, _integer(start, "enumerate")))

    def batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        num_parallel_calls: Any = None,
        deterministic: bool | None = None,
        name: str | None = None,
    ) -> Dataset:
        """A dataset of `batch_size` elements stacked into one.

        `drop_remainder=True` leaves out a last batch that is smaller. Stacking is quick here: it
        runs on the caller's thread whatever `num_parallel_calls`, and keeps the order.

        >>> [b.tolist() for b in tf.data.Dataset.range(5).batch(2).as_numpy_iterator()]
        [[0, 1], [2, 3], [4]]
        """
        _parallelism("batch", num_parallel_calls)
        size = _integer(batch_size, "batch")
        made = Dataset(Batch(self._node, size, _truth(drop_remainder)))
        made._batch_size = size  # `keras.utils.split_dataset` makes batches of this size again
        return made

    def unbatch(self, name: str | None = None) -> Dataset:
        """A dataset of the rows of the elements.

        >>> list(tf.data.Dataset.from_tensors([1, 2]).unbatch().as_numpy_iterator())
        [np.int32(1), np.int32(2)]
        """
        return Dataset(Unbatch(self._node))

    def shuffle(
        self,
        buffer_size: Any,
        seed: Any = None,
        reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Dataset:
        """A dataset of the elements in random order, each drawn from a buffer of `buffer_size`.

        >>> [int(x) for x in tf.data.Dataset.range(5).shuffle(5, seed=7)]
        [2, 4, 0, 3, 1]
        """
        size = _integer(buffer_size, "shuffle")
        if isinstance(size, int) and size < 1 and size != UNKNOWN:
            raise ops.InvalidArgumentError(
                None, None, f"Dataset.shuffle: `buffer_size` must be positive, got {size}."
            )
        return Dataset(Shuffle(self._node, size, seed, reshuffle_each_iteration is not False))

    def repeat(self, count: Any = None, name: str | None = None) -> Dataset:
        """A dataset of the elements `count` times, or without end.

        >>> [int(x) for x in tf.data.Dataset.range(2).repeat(2)]
        [0, 1, 0, 1]
        """
        return Dataset(Repeat(self._node, -1 if count is None else _integer(count, "repeat")))

    def take(self, count: Any, name: str | None = None) -> Dataset:
        """A dataset of the first `count` elements, of all if that is negative.

        >>> [int(x) for x in tf.data.Dataset.range(10).take(3)]
        [0, 1, 2]
        """
        return Dataset(Take(self._node, _integer(count, "take")))

    def skip(self, count: Any, name: str | None = None) -> Dataset:
        """A dataset of all elements but the first `count`.

        >>> [int(x) for x in tf.data.Dataset.range(5).skip(3)]
        [3, 4]
        """
        return Dataset(Skip(self._node, _integer(count, "skip")))

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Dataset:
        """A dataset of every `num_shards`-th element, beginning with number `index`.

        >>> [int(x) for x in tf.data.Dataset.range(6).shard(3, 1)]
        [1, 4]
        """
        return Dataset(Shard(self._node, _integer(num_shards, "shard"), _integer(index, "shard")))

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset:
        """A dataset of these elements and then those of another.

        >>> [int(x) for x in tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(5, 7))]
        [0, 1, 5, 6]
        """
        return Dataset(Concatenate(self._node, dataset._node))

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Dataset:
        """A dataset whose elements a thread makes before they are asked for.

        >>> [int(x) for x in tf.data.Dataset.range(3).prefetch(tf.data.AUTOTUNE)]
        [0, 1, 2]
        """
        size = AUTOTUNE if buffer_size is None else _integer(buffer_size, "prefetch")
        if isinstance(size, int) and size < AUTOTUNE:
            raise ops.InvalidArgumentError(
                None, None, f"Dataset.prefetch: `buffer_size` must not be negative, got {size}."
            )
        return Dataset(Prefetch(self._node, size))

    def cache(self, filename: Any = "", name: str | None = None) -> Dataset:
        """A dataset that keeps its elements, in memory or in a file, for the next time.

        >>> dataset = tf.data.Dataset.range(3).cache()
        >>> [int(x) for x in dataset] == [int(x) for x in dataset]
        True
        """
        path = _path_of(filename)
        if path:
            return Dataset(Kept(self._node, path, "CacheDataset"))
        return Dataset(Cache(self._node))

    def save(
        self,
        path: Any,
        compression: Any = None,
        shard_func: TransformFunction | None = None,
        checkpoint_args: Any = None,
    ) -> None:
        """Write all elements into a folder, which is whole or not there.

        >>> import tempfile
        >>> path = tempfile.mkdtemp() + "/saved"
        >>> tf.data.Dataset.range(3).save(path)
        >>> [int(x) for x in tf.data.Dataset.load(path)]
        [0, 1, 2]
        """
        if checkpoint_args is not None:
            raise NotImplementedError("Dataset.save: `checkpoint_args` is not supported.")
        save(self, _path_of(path), compression, shard_func)

    @staticmethod
    def load(
        path: Any,
        element_spec: Any = None,
        compression: Any = None,
        reader_func: TransformFunction | None = None,
        wait: bool = False,
    ) -> Dataset:
        """A dataset of what `save` has written; `wait` waits until that is finished.

        >>> import tempfile
        >>> path = tempfile.mkdtemp() + "/saved"
        >>> tf.data.Dataset.range(3).save(path)
        >>> len(tf.data.Dataset.load(path))
        3
        """
        compression_of(compression)
        place = _path_of(path)
        while wait and not is_finished(place):
            time.sleep(0.1)
        return load_node(place, element_spec, reader_func, Dataset)  # type: ignore[no-any-return]

    @staticmethod
    def _of_datasets(datasets: Sequence[Dataset]) -> Dataset:
        """A dataset whose elements are datasets."""
        spec = Structure(DatasetSpec(datasets[0].element_spec))
        return Dataset(FromValues(spec, [[DatasetValue(d._node)] for d in datasets]))

    def snapshot(
        self,
        path: Any,
        compression: Any = "AUTO",
        reader_func: TransformFunction | None = None,
        shard_func: TransformFunction | None = None,
        name: str | None = None,
    ) -> Dataset:
        """A dataset that the first complete iteration keeps in a folder, for later runs too.

        >>> import tempfile
        >>> dataset = tf.data.Dataset.range(3).snapshot(tempfile.mkdtemp())
        >>> [int(x) for x in dataset] == [int(x) for x in dataset]
        True
        """
        if reader_func is not None:
            raise NotImplementedError("Dataset.snapshot: `reader_func` is not supported.")
        return Dataset(snapshot_node(self._node, _path_of(path), compression, shard_func))

    @staticmethod
    def list_files(
        file_pattern: Any, shuffle: bool | None = None, seed: Any = None, name: str | None = None
    ) -> Dataset:
        """A dataset of the names of files that match a pattern, in random order unless told.

        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> tf.io.write_file(folder + "/a.txt", "")
        >>> len(tf.data.Dataset.list_files(folder + "/*.txt"))
        1
        """
        names = raw_ops.MatchingFiles(convert_to_tensor(_texts(file_pattern)))
        if isinstance(names, EagerTensor) and not len(names):
            raise ops.InvalidArgumentError(
                None, None, f"Dataset.list_files: no files matched pattern: {file_pattern!r}."
            )
        dataset = Dataset.from_tensor_slices(names)
        if shuffle is False:
            return dataset
        size = len(names) if isinstance(names, EagerTensor) else raw_ops.Size(names)
        return dataset.shuffle(size, seed=seed)

    def padded_batch(
        self,
        batch_size: Any,
        padded_shapes: Any = None,
        padding_values: Any = None,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> Dataset:
        """A dataset of `batch_size` elements filled up to one shape, and stacked.

        >>> dataset = tf.data.Dataset.range(1, 4).map(lambda x: tf.fill([x], x))
        >>> next(dataset.padded_batch(3).as_numpy_iterator())
        array([[1, 0, 0],
               [2, 2, 0],
               [3, 3, 3]])
        """
        size, drop = _integer(batch_size, "padded_batch"), _truth(drop_remainder)
        return Dataset(PaddedBatch(self._node, size, padded_shapes, padding_values, drop))

    def ragged_batch(
        self,
        batch_size: Any,
        drop_remainder: Any = False,
        row_splits_dtype: DTypeLike = dtypes.int64,
        name: str | None = None,
    ) -> Dataset:
        """A dataset of `batch_size` elements, which may differ in size, as ragged tensors.

        >>> next(iter(tf.data.Dataset.range(3).map(tf.range).ragged_batch(3)))
        <tf.RaggedTensor [[], [0], [0, 1]]>
        """
        splits = as_dtype(row_splits_dtype)
        structure = self._node.structure.map_leaves(lambda spec: _as_ragged(spec, splits))
        ragged = Relabelled(self._node, structure)
        return Dataset(ragged).batch(batch_size, drop_remainder)

    def sparse_batch(self, batch_size: Any, row_shape: Any, name: str | None = None) -> Dataset:
        """A dataset of `batch_size` elements, of at most `row_shape`, as sparse tensors.

        >>> dataset = tf.data.Dataset.range(1, 3).map(lambda x: tf.fill([x], x))
        >>> tf.sparse.to_dense(next(iter(dataset.sparse_batch(2, row_shape=[3])))).numpy()
        array([[1, 0, 0],
               [2, 2, 0]])
        """
        return Dataset(SparseBatch(self._node, _integer(batch_size, "sparse_batch"), row_shape))

    def rebatch(
        self, batch_size: Any, drop_remainder: bool = False, name: str | None = None
    ) -> Dataset:
        """A dataset of batches of another size; several sizes take turns.

        >>> [b.tolist() for b in tf.data.Dataset.range(5).batch(2).rebatch(3).as_numpy_iterator()]
        [[0, 1, 2], [3, 4]]
        """
        return rebatch(self, batch_size, drop_remainder)  # type: ignore[no-any-return]

    def _batches_of(self, sizes: list[int], drop_remainder: bool) -> Dataset:
        return Dataset(BatchesOf(self._node, sizes, drop_remainder))

    def window(
        self,
        size: Any,
        shift: Any = None,
        stride: Any = 1,
        drop_remainder: Any = False,
        name: str | None = None,
    ) -> Dataset:
        """A dataset of datasets of `size` elements that follow each other.

        >>> [[int(x) for x in w] for w in tf.data.Dataset.range(5).window(3, shift=2)]
        [[0, 1, 2], [2, 3, 4], [4]]
        """
        numbers = [_integer(n, "window") for n in (size, size if shift is None else shift, stride)]
        for number in numbers:
            if isinstance(number, int) and number < 1:
                raise ops.InvalidArgumentError(
                    None, None, f"Dataset.window: sizes must be greater than zero, got {number}."
                )
        size, shift, stride = numbers
        drop = _truth(drop_remainder)
        return Dataset(Window(self._node, DatasetSpec, size, shift, stride, drop))

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
        key = UserFunction(key_func, self._node.structure, name="group_by_window")
        _check_number(key, "key_func")
        size = UserFunction(size_func, key_type, name="group_by_window")
        group = Structure(DatasetSpec(self.element_spec))
        reduced = UserFunction(reduce_func, key_type, group, name="group_by_window")
        if not isinstance(reduced.output.spec, DatasetSpec):
            raise TypeError(
                f"group_by_window: `reduce_func` must return a dataset, got {reduced.output.spec}."
            )
        return Dataset(GroupByWindow(self._node, key, reduced, size))

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
        return bucket_by_sequence_length(  # type: ignore[no-any-return]
            self, element_length_func, bucket_boundaries, bucket_batch_sizes, options
        )

    @staticmethod
    def random(
        seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
    ) -> Dataset:
        """A dataset of random numbers from 0 to 2**32 - 1, without end.

        >>> list(tf.data.Dataset.random(seed=4).take(2).as_numpy_iterator())
        [np.int64(3128586565), np.int64(2023892699)]
        """
        return Dataset(RandomNumbers(seed, bool(rerandomize_each_iteration)))

    @staticmethod
    def sample_from_datasets(
        datasets: Sequence[Dataset],
        weights: Any = None,
        seed: Any = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Dataset:
        """A dataset of elements of several datasets, chosen at random with the given weights.

        >>> a, b = tf.data.Dataset.range(3), tf.data.Dataset.range(10, 13)
        >>> sorted(int(x) for x in tf.data.Dataset.sample_from_datasets([a, b], seed=1))
        [0, 1, 2, 10, 11, 12]
        """
        return sample_from_datasets(  # type: ignore[no-any-return]
            datasets, weights, seed, stop_on_empty_dataset, rerandomize_each_iteration
        )

    @staticmethod
    def _choose(choice: Dataset, datasets: Sequence[Dataset], stop_on_empty: bool) -> Dataset:
        nodes = [dataset._node for dataset in datasets]
        return Dataset(Choose(choice._node, nodes, stop_on_empty=bool(stop_on_empty)))

    def rejection_resample(
        self,
        class_func: TransformFunction,
        target_dist: Any,
        initial_dist: Any = None,
        seed: Any = None,
        name: str | None = None,
    ) -> Dataset:
        """A dataset of pairs of a class and an element, in which classes are distributed as wanted.

        Elements are left out at random; `initial_dist` is estimated if it is not given.

        >>> dataset = tf.data.Dataset.range(8).rejection_resample(
        ...     lambda x: tf.cast(x % 2, tf.int32), target_dist=[0.0, 1.0], initial_dist=[0.5, 0.5]
        ... )
        >>> {int(label) for label, _ in dataset}
        {1}
        """
        return rejection_resample(self, class_func, target_dist, initial_dist, seed)  # type: ignore[no-any-return]

    def unique(self, name: str | None = None) -> Dataset:
        """A dataset of each value once.

        >>> list(tf.data.Dataset.from_tensor_slices([1, 37, 2, 37]).unique().as_numpy_iterator())
        [np.int32(1), np.int32(37), np.int32(2)]
        """
        return Dataset(Unique(self._node))

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Dataset:
        """A dataset of the elements that can be made without an error.

        >>> dataset = tf.data.Dataset.from_tensor_slices([1, 0, 2]).map(lambda x: 6 // x)
        >>> list(dataset.ignore_errors().as_numpy_iterator())
        [np.int32(6), np.int32(3)]
        """
        return Dataset(IgnoreErrors(self._node, log_warning))

    def fingerprint(self) -> Tensor:
        """A number that is the same for datasets that are made in the same way.

        >>> a, b = tf.data.Dataset.range(10), tf.data.Dataset.range(10)
        >>> bool(a.fingerprint() == b.fingerprint())
        True
        """
        return convert_to_tensor(np.uint64(fingerprint(self._node)))

    def profile(
        self, seconds: float = 2.0, elements: int | None = None, path: str | None = None
    ) -> Profile:
        """Run the pipeline for a while; print, and return, which stage takes how much time.

        With `path`, a picture is written there as an SVG file.

        >>> dataset = tf.data.Dataset.range(1000).map(lambda x: x * x).batch(10)
        >>> report = dataset.profile(elements=50)  # doctest: +ELLIPSIS
        50 elements in ...
        >>> [(stage.name, stage.elements) for stage in report.stages]
        [('BatchDataset', 50), ('MapDataset(lambda)', 500), ('RangeDataset', 500)]
        """
        report = profile(self._node, seconds, elements)
        print(report)
        if path is not None:
            report.save(path)
        return report

    def apply(self, transformation_func: Callable[[Dataset], Any]) -> Any:
        """What a function makes of the dataset.

        >>> [int(x) for x in tf.data.Dataset.range(4).apply(lambda d: d.skip(2))]
        [2, 3]
        """
        made = transformation_func(self)
        if not isinstance(made, Dataset):
            raise TypeError(
                f"Dataset.apply: `transformation_func` must return a dataset, got {made!r}."
            )
        return made

    @staticmethod
    def choose_from_datasets(
        datasets: Sequence[Dataset], choice_dataset: Dataset, stop_on_empty_dataset: bool = True
    ) -> Dataset:
        """A dataset of the next elements of the datasets that `choice_dataset` names by number.

        >>> a, b = tf.data.Dataset.range(5), tf.data.Dataset.range(10, 15)
        >>> choice = tf.data.Dataset.from_tensor_slices(np.array([1, 0, 1]))
        >>> [int(x) for x in tf.data.Dataset.choose_from_datasets([a, b], choice)]
        [10, 0, 11]
        """
        if not datasets:
            raise ValueError("choose_from_datasets: `datasets` must not be empty.")
        expected = TensorSpec([], dtypes.int64)
        if choice_dataset.element_spec != expected:
            raise TypeError(
                "choose_from_datasets: `choice_dataset` must be of int64 scalars, got "
                f"{choice_dataset.element_spec}."
            )
        nodes = [dataset._node for dataset in datasets]
        return Dataset(
            Choose(choice_dataset._node, nodes, stop_on_empty=bool(stop_on_empty_dataset))
        )

    def get_single_element(self, name: str | None = None) -> Any:
        """The only element; `tf.errors.InvalidArgumentError` if there are none or more.

        >>> tf.data.Dataset.from_tensors(42).get_single_element().numpy()
        np.int32(42)
        """
        iterator = iter(self)
        try:
            element = iterator.get_next()
        except OutOfRangeError:
            raise ops.InvalidArgumentError(None, None, "Dataset was empty.") from None
        if state.graph is None and next(iterator, None) is not None:
            raise ops.InvalidArgumentError(None, None, "Dataset had more than one element.")
        return element


Dataset._plain_class = Dataset  # type: ignore[attr-defined]  # what transformations make


class _WithOptions(Node):
    kind = "OptionsDataset"

    def __init__(self, source: Node, options: Options) -> None:
        super().__init__([source], source.structure)
        self._options = options.merge(Options())

    def options(self) -> Options:
        return self.input.options().merge(self._options)

    def make(self, run: Run) -> Stage:
        return run.build(self.input)  # type: ignore[no-any-return]

    def cardinality(self) -> int:
        return self.input.cardinality()


class _FromVariant(Node):
    """The dataset that a symbolic variant tensor will hold."""

    kind = "VariantDataset"

    def __init__(self, tensor: Tensor, structure: Structure) -> None:
        super().__init__((), structure)
        self.tensor = tensor

    def make(self, run: Run) -> Stage:
        return run.build(_node_of(self.tensor))  # type: ignore[no-any-return]

    def cardinality(self) -> int:
        return _node_of(self.tensor).cardinality() if hasattr(self.tensor, "_value") else UNKNOWN


def _node_of(tensor: Any) -> Node:
    held = getattr(tensor, "_value", None)
    if not isinstance(held, DatasetValue):
        raise TypeError(f"A variant tensor of a dataset is wanted, got {tensor!r}.")
    return held.node


def from_variant(variant: Tensor, structure: Any) -> Dataset:
    """The dataset in a variant tensor, whose elements have the type `structure`.

    >>> dataset = tf.data.Dataset.range(2)
    >>> variant = tf.data.experimental.to_variant(dataset)
    >>> [int(x) for x in tf.data.experimental.from_variant(variant, dataset.element_spec)]
    [0, 1]
    """
    if isinstance(variant, EagerTensor):
        return Dataset(_node_of(variant))
    return Dataset(_FromVariant(variant, Structure(structure)))


def to_variant(dataset: Dataset) -> Tensor:
    """The variant tensor that stands for a dataset in graphs."""
    return dataset._variant_tensor


@register("tf.DatasetSpec")
class DatasetSpec(TypeSpec):
    """The type of a dataset, for elements that are datasets and arguments of functions.

    >>> tf.data.DatasetSpec.from_value(tf.data.Dataset.range(3))
    DatasetSpec(TensorSpec(shape=(), dtype=tf.int64, name=None), TensorShape([]))
    """

    def __init__(self, element_spec: Any, dataset_shape: Any = ()) -> None:
        self._element_spec = element_spec
        self._dataset_shape = TensorSpec(dataset_shape, variant).shape

    @property
    def element_spec(self) -> Any:
        """The type of the dataset's elements."""
        return self._element_spec

    @property
    def _structure(self) -> Structure:
        return Structure(self._element_spec)

    @property
    def value_type(self) -> Any:
        return Dataset

    @classmethod
    def from_value(cls, value: Any) -> DatasetSpec:
        """The spec of a dataset."""
        return cls(value.element_spec)

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_spec, self._dataset_shape

    @property
    def _component_specs(self) -> Any:
        return TensorSpec(self._dataset_shape, variant)

    def _to_components(self, value: Any) -> Any:
        return value._variant_tensor

    def _from_components(self, components: Any) -> Any:
        return from_variant(components, self._element_spec)

    def _batch(self, batch_size: int | None) -> DatasetSpec:
        shape = TensorSpec([batch_size], variant).shape.concatenate(self._dataset_shape)
        return DatasetSpec(self._element_spec, shape)

    def _unbatch(self) -> DatasetSpec:
        return DatasetSpec(self._element_spec, self._dataset_shape[1:])


def _integer(value: Any, what: str) -> Any:
    """A number as a Python integer, or the symbolic tensor that it is."""
    if type(value) is int:
        return value
    if isinstance(value, Tensor) and not isinstance(value, EagerTensor):
        return value
    array = np.asarray(getattr(value, "_value", value) if isinstance(value, EagerTensor) else value)
    if array.ndim or array.dtype.kind not in "iub":
        raise TypeError(
            f"Dataset.{what.removeprefix('Dataset.')}: wants an integer, got {value!r}."
        )
    return int(array)


def _path_of(path: Any) -> str:
    value = path.numpy() if isinstance(path, EagerTensor) else path
    return os.fsdecode(value)


def _texts(patterns: Any) -> Any:
    if isinstance(patterns, list | tuple):
        return [_texts(pattern) for pattern in patterns]
    return os.fspath(patterns) if hasattr(patterns, "__fspath__") else patterns


def _truth(value: Any) -> Any:
    """True or False as 1 or 0, or the symbolic tensor that it is."""
    if isinstance(value, Tensor) and not isinstance(value, EagerTensor):
        return value
    return int(bool(value))


def _parallelism(what: str, calls: Any) -> Any:
    if calls is None:
        return None
    number = _integer(calls, what)
    if isinstance(number, int) and number < 1 and number != AUTOTUNE:
        raise ops.InvalidArgumentError(
            None, None, f"Dataset.{what}: `num_parallel_calls` must be positive, got {number}."
        )
    return number


def _predicate(predicate: TransformFunction, structure: Structure, what: str) -> UserFunction:
    function = UserFunction(predicate, structure, name=what)
    spec = function.output.spec
    scalar = isinstance(spec, TensorSpec) and spec.shape.is_compatible_with([])
    if not scalar or spec.dtype is not dtypes.bool:
        raise ValueError(f"Dataset.{what}: `predicate` must return a boolean scalar, got {spec}.")
    return function


def _dataset_function(map_func: TransformFunction, node: Node, what: str) -> UserFunction:
    function = UserFunction(map_func, node.structure, name=what)
    if not isinstance(function.output.spec, DatasetSpec):
        raise TypeError(
            f"Dataset.{what}: `map_func` must return a dataset, got {function.output.spec}."
        )
    return function


def _as_ragged(spec: TypeSpec, splits: Any) -> TypeSpec:
    """A tensor as a ragged one without ragged dimensions, if its size is not known."""
    if not isinstance(spec, TensorSpec) or spec.shape.is_fully_defined():
        return spec
    return RaggedTensorSpec(spec.shape, spec.dtype, ragged_rank=0, row_splits_dtype=splits)


def _check_number(function: UserFunction, name: str) -> None:
    spec = function.output.spec
    scalar = isinstance(spec, TensorSpec) and spec.shape.is_compatible_with([])
    if not scalar or spec.dtype is not dtypes.int64:
        raise ValueError(f"group_by_window: `{name}` must return an int64 scalar, got {spec}.")


def _check_state(what: str, before: Structure, after: Structure) -> None:
    try:
        nest.assert_same_structure(before.spec, after.spec)
    except (TypeError, ValueError) as error:
        raise TypeError(
            f"Dataset.{what}: the state must keep its structure {before.spec}, got {after.spec}: "
            f"{error}"
        ) from None
    if before.dtypes != after.dtypes:
        raise TypeError(
            f"Dataset.{what}: the state must keep its dtypes {before.dtypes}, got {after.dtypes}."
        )


def _check_slices(structure: Structure) -> None:
    sizes = set()
    for leaf in structure.leaves:
        shape = getattr(leaf, "shape", None)
        if shape is None or shape.rank is None:
            continue
        if shape.rank == 0:
            raise ValueError("from_tensor_slices: a scalar has no rows, got a tensor of shape ().")
        if shape[0] is not None:
            sizes.add(shape[0])
    if len(sizes) > 1:
        raise ValueError(
            f"from_tensor_slices: all tensors must have as many rows, got {sorted(sizes)}."
        )


def _signature(output_types: Any, output_shapes: Any, output_signature: Any) -> Any:
    if output_signature is None:
        if output_types is None:
            raise TypeError("from_generator: give `output_signature` or `output_types`.")
        return legacy_spec(output_types, output_shapes)
    if output_types is not None or output_shapes is not None:
        raise TypeError(
            "from_generator: `output_signature` does not go with output_types and output_shapes."
        )
    for spec in nest.flatten(output_signature):
        if not isinstance(spec, TypeSpec):
            raise TypeError(
                f"from_generator: `output_signature` must hold tf.TypeSpecs, got {spec!r}."
            )
    return output_signature
