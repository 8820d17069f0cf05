"""Where datasets come from: the static methods of `tf.data.Dataset` that make one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from runnel.core.op.raw import raw_ops
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import EagerTensor
from runnel.core.values import dtypes, nest
from runnel.core.values.dtypes import as_dtype
from runnel.core.values.errors import invalid
from runnel.core.values.type_spec import TensorSpec
from runnel.core.values.types import DTypeLike
from runnel.data.dataset.arguments import check_slices, integer, signature, texts
from runnel.data.dataset.base import Base, checked, made
from runnel.data.dataset.compositions import sample_from_datasets
from runnel.data.nodes.combining import Choose, Zip
from runnel.data.nodes.generators import Generator
from runnel.data.nodes.node import known_number
from runnel.data.nodes.random_numbers import RandomNumbers
from runnel.data.nodes.sources import Counter, FromSlices, FromTensors, Range
from runnel.data.run.structure import Structure, components

if TYPE_CHECKING:
    from runnel.data.dataset.dataset import Dataset


class Creating(Base):
    """The constructors of datasets."""

    @staticmethod
    def from_tensors(tensors: Any, name: str | None = None) -> Dataset:
        """A dataset of one element.

        Args:
            tensors: a structure of tensors.

        >>> list(tf.data.Dataset.from_tensors([1, 2]).as_numpy_iterator())
        [array([1, 2], dtype=int32)]
        """
        return made(FromTensors(*components(tensors)), name)

    @staticmethod
    def from_tensor_slices(tensors: Any, name: str | None = None) -> Dataset:
        """A dataset of the rows of tensors.

        Args:
            tensors: a structure of tensors that have the same first size.

        >>> pairs = tf.data.Dataset.from_tensor_slices(([1, 2], ["a", "b"]))
        >>> list(pairs.as_numpy_iterator())
        [(np.int32(1), b'a'), (np.int32(2), b'b')]
        """
        structure, flat = components(tensors)
        if not flat:
            raise ValueError("from_tensor_slices: there must be at least one tensor, got none.")
        check_slices(structure)
        return made(FromSlices(structure, flat), name)

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

        Args:
            generator: a function that gives an iterator.
            output_types, output_shapes: of older versions: dtypes and shapes of the elements.
            args: tensors that the function gets, as arrays.
            output_signature: a structure of `tf.TypeSpec`s: what the elements are.

        Raises:
            TypeError: there is neither `output_signature` nor `output_types`.

        >>> def count(stop):
        ...     yield from range(stop)
        >>> signature = tf.TensorSpec([], tf.int32)
        >>> dataset = tf.data.Dataset.from_generator(count, args=[3], output_signature=signature)
        >>> list(dataset.as_numpy_iterator())
        [np.int32(0), np.int32(1), np.int32(2)]
        """
        if not callable(generator):
            raise TypeError(f"from_generator: `generator` must be callable, got {generator!r}.")
        spec = signature(output_types, output_shapes, output_signature)
        given = [convert_to_tensor(arg) for arg in args or ()]
        lenient = output_signature is not None  # TensorFlow checks numbers only without one
        return made(Generator(generator, Structure(spec), given, lenient=lenient), name)

    @staticmethod
    def range(*args: Any, **kwargs: Any) -> Dataset:
        """A dataset of numbers, with arguments as those of Python's `range`.

        >>> list(tf.data.Dataset.range(5, 0, -2).as_numpy_iterator())
        [np.int64(5), np.int64(3), np.int64(1)]
        """
        dtype = as_dtype(kwargs.pop("output_type", dtypes.int64))
        name = kwargs.pop("name", None)
        if not (dtype.is_integer or dtype.is_floating):
            message = f"Dataset.range: `output_type` must be a number's, got {dtype.name}."
            raise invalid(message)
        if kwargs:
            raise TypeError(f"Dataset.range: unknown arguments {sorted(kwargs)}.")
        if not 1 <= len(args) <= 3:
            raise ValueError(f"Dataset.range: takes 1 to 3 numbers, got {len(args)}.")
        numbers = [integer(arg, "Dataset.range") for arg in args]
        start, stop, step = (numbers if len(args) > 1 else [0, *numbers]) + [1] * (len(args) < 3)
        if known_number(step) == 0:
            raise invalid("Dataset.range: step cannot be zero.")
        return made(Range(start, stop, step, dtype), name)

    @staticmethod
    def counter(
        start: Any = 0, step: Any = 1, dtype: DTypeLike = dtypes.int64, name: str | None = None
    ) -> Dataset:
        """A dataset that counts without end.

        >>> list(tf.data.Dataset.counter(start=5, step=2).take(3).as_numpy_iterator())
        [np.int64(5), np.int64(7), np.int64(9)]
        """
        kind = as_dtype(dtype)
        if not kind.is_integer and not kind.is_floating:
            raise TypeError(f"Dataset.counter: `dtype` must be a number's, got {kind.name}.")
        first, distance = convert_to_tensor(start, kind), convert_to_tensor(step, kind)
        if distance.shape.rank != 0 and distance.shape != first.shape:
            raise ValueError(f"Dataset.counter: `step` must be a number, got {step!r}.")
        return made(Counter(first, distance), name)

    @staticmethod
    def random(
        seed: Any = None, rerandomize_each_iteration: bool | None = None, name: str | None = None
    ) -> Dataset:
        """A dataset of random numbers from 0 to 2**32 - 1, without end.

        Args:
            seed: a number that decides, with the global seed, which random numbers are drawn.
            rerandomize_each_iteration: whether each iteration draws anew.

        >>> list(tf.data.Dataset.random(seed=4).take(2).as_numpy_iterator())
        [np.int64(3128586565), np.int64(2023892699)]
        """
        return made(RandomNumbers(seed, bool(rerandomize_each_iteration)), name)

    @staticmethod
    def list_files(
        file_pattern: Any, shuffle: bool | None = None, seed: Any = None, name: str | None = None
    ) -> Dataset:
        """A dataset of the names of files that match a pattern, in random order unless told.

        Args:
            file_pattern: a pattern such as `data/*.txt`, or several.
            shuffle: whether their order is random.
            seed: a number that decides, with the global seed, which random numbers are drawn.

        Raises:
            InvalidArgumentError: no file fits.

        >>> import tempfile
        >>> folder = tempfile.mkdtemp()
        >>> tf.io.write_file(folder + "/a.txt", "")
        >>> len(tf.data.Dataset.list_files(folder + "/*.txt"))
        1
        """
        names = raw_ops.MatchingFiles(convert_to_tensor(texts(file_pattern)))
        if isinstance(names, EagerTensor) and not len(names):
            raise invalid(f"Dataset.list_files: no files matched pattern: {file_pattern!r}.")
        dataset = Creating.from_tensor_slices(names, name)
        if shuffle is False:
            return dataset
        size = len(names) if isinstance(names, EagerTensor) else raw_ops.Size(names)
        return dataset.shuffle(size, seed=seed, name=name)

    @staticmethod
    def zip(*args: Any, datasets: Any = None, name: str | None = None) -> Dataset:
        """A dataset of the elements of several side by side, to the end of the shortest.

        Args:
            datasets: a structure of datasets.

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
            if not isinstance(dataset, Base):
                raise TypeError(f"Dataset.zip: takes datasets, got {dataset!r}.")
        return made(Zip([dataset._node for dataset in flat], nested), name)

    @staticmethod
    def choose_from_datasets(
        datasets: Sequence[Dataset], choice_dataset: Dataset, stop_on_empty_dataset: bool = True
    ) -> Dataset:
        """A dataset of the next elements of the datasets that `choice_dataset` names by number.

        Args:
            datasets: a list of datasets.
            choice_dataset: a dataset of numbers of datasets.
            stop_on_empty_dataset: whether it ends with the first one that does.

        >>> a, b = tf.data.Dataset.range(5), tf.data.Dataset.range(10, 15)
        >>> choice = tf.data.Dataset.from_tensor_slices(np.array([1, 0, 1]))
        >>> [int(x) for x in tf.data.Dataset.choose_from_datasets([a, b], choice)]
        [10, 0, 11]
        """
        if isinstance(datasets, list | tuple) and not datasets:
            raise ValueError("choose_from_datasets: `datasets` must not be empty.")
        if isinstance(datasets, Base):
            raise TypeError("choose_from_datasets: `datasets` must be a list, got one dataset.")
        for dataset in (choice_dataset, *datasets):
            checked(dataset, "choose_from_datasets")
        expected = TensorSpec([], dtypes.int64)
        if choice_dataset.element_spec != expected:
            raise TypeError(
                "choose_from_datasets: `choice_dataset` must be of int64 scalars, got "
                f"{choice_dataset.element_spec}."
            )
        nodes = [dataset._node for dataset in datasets]
        return made(Choose(choice_dataset._node, nodes, stop_on_empty=bool(stop_on_empty_dataset)))

    @staticmethod
    def sample_from_datasets(
        datasets: Sequence[Dataset],
        weights: Any = None,
        seed: Any = None,
        stop_on_empty_dataset: bool = False,
        rerandomize_each_iteration: bool | None = None,
    ) -> Dataset:
        """A dataset of elements of several datasets, chosen at random with the given weights.

        Args:
            datasets: a list of datasets.
            weights: how likely each is; None for all the same.
            seed: a number that decides, with the global seed, which random numbers are drawn.
            stop_on_empty_dataset: whether it ends with the first one that does.
            rerandomize_each_iteration: whether each iteration draws anew.

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
        return made(Choose(choice._node, nodes, stop_on_empty=bool(stop_on_empty)))
