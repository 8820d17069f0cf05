"""The methods of `tf.data.Dataset` that call a function for every element, or look at each."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.type_spec import TensorSpec
from runnel.data.dataset.arguments import (
    AUTOTUNE,
    TransformFunction,
    check_state,
    dataset_function,
    integer,
    parallelism,
    predicate_function,
)
from runnel.data.dataset.base import Base, made
from runnel.data.dataset.compositions import rejection_resample
from runnel.data.dataset.reducing import reduce
from runnel.data.nodes.combining import Interleave
from runnel.data.nodes.errors import IgnoreErrors, Unique
from runnel.data.nodes.mapping import Enumerate, Filter, FlatMap, Map, Scan
from runnel.data.nodes.node import check_name
from runnel.data.nodes.taking import TakeWhile
from runnel.data.run.functions import UserFunction
from runnel.data.run.structure import Structure, components, normalized

if TYPE_CHECKING:
    from runnel.data.dataset.dataset import Dataset


class Transforming(Base):
    """Functions of elements."""

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

        Args:
            map_func: a function of the components of an element.
            num_parallel_calls: how many elements are computed at once; `tf.data.AUTOTUNE` lets the
                pipeline decide.
            deterministic: whether elements keep their order when they are computed in parallel.
            synchronous: whether elements are computed in the thread that asks for them.
            use_unbounded_threadpool: whether `tf.data.AUTOTUNE` means many calls at once (32).

        >>> list(tf.data.Dataset.range(3).map(lambda x: x + 10).as_numpy_iterator())
        [np.int64(10), np.int64(11), np.int64(12)]
        """
        if synchronous and num_parallel_calls is not None:
            raise ValueError("Dataset.map: `synchronous` does not go with num_parallel_calls.")
        function = UserFunction(map_func, self._node.structure, name="map")
        calls = parallelism("map", num_parallel_calls)
        if use_unbounded_threadpool and calls == AUTOTUNE:
            calls = 32
        return made(Map(self._node, function, calls, deterministic), name)

    def filter(self, predicate: TransformFunction, name: str | None = None) -> Dataset:
        """A dataset of the elements that `predicate` accepts.

        >>> list(tf.data.Dataset.range(5).filter(lambda x: x % 2 == 0).as_numpy_iterator())
        [np.int64(0), np.int64(2), np.int64(4)]
        """
        return made(
            Filter(self._node, predicate_function(predicate, self._node.structure, "filter")), name
        )

    def take_while(self, predicate: TransformFunction, name: str | None = None) -> Dataset:
        """A dataset of the elements before the first that `predicate` refuses.

        >>> list(tf.data.Dataset.range(9).take_while(lambda x: x < 2).as_numpy_iterator())
        [np.int64(0), np.int64(1)]
        """
        function = predicate_function(predicate, self._node.structure, "take_while")
        return made(TakeWhile(self._node, function), name)

    def flat_map(self, map_func: TransformFunction, name: str | None = None) -> Dataset:
        """A dataset of the elements of the datasets that `map_func` returns.

        >>> dataset = tf.data.Dataset.range(1, 4)
        >>> flat = dataset.flat_map(lambda x: tf.data.Dataset.from_tensors(x).repeat(x))
        >>> list(flat.as_numpy_iterator())
        [np.int64(1), np.int64(2), np.int64(2), np.int64(3), np.int64(3), np.int64(3)]
        """
        return made(FlatMap(self._node, dataset_function(map_func, self._node, "flat_map")), name)

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

        Args:
            map_func: a function of the components of an element.
            cycle_length: how many datasets are read in turn.
            block_length: how many elements of each, one after another.
            num_parallel_calls: how many elements are computed at once; `tf.data.AUTOTUNE` lets the
                pipeline decide.
            deterministic: whether elements keep their order when they are computed in parallel.

        >>> dataset = tf.data.Dataset.range(1, 3)
        >>> mixed = dataset.interleave(
        ...     lambda x: tf.data.Dataset.from_tensors(x).repeat(3), cycle_length=2, block_length=2
        ... )
        >>> [int(x) for x in mixed]
        [1, 1, 2, 2, 1, 2]
        """
        function = dataset_function(map_func, self._node, "interleave")
        calls = parallelism("interleave", num_parallel_calls)
        cycle = AUTOTUNE if cycle_length is None else integer(cycle_length, "interleave")
        block = 1 if block_length is None else integer(block_length, "interleave")
        if isinstance(calls, int) and isinstance(cycle, int) and calls > cycle > 0:
            raise InvalidArgumentError(
                None,
                None,
                f"Dataset.interleave: `num_parallel_calls` must not be more than `cycle_length`, "
                f"got {calls} and {cycle}.",
            )
        return made(Interleave(self._node, function, cycle, block, calls, deterministic), name)

    def scan(
        self, initial_state: Any, scan_func: TransformFunction, name: str | None = None
    ) -> Any:
        """A dataset of what `scan_func(state, element)` gives beside the next state.

        Args:
            initial_state: what the state begins with.
            scan_func: from the state and an element to the next state and the result.

        >>> sums = tf.data.Dataset.range(4).scan(np.int64(0), lambda s, x: (s + x, s + x))
        >>> [int(x) for x in sums]
        [0, 1, 3, 6]
        """
        initial = normalized(initial_state)
        before, tensors = components(initial)
        function = self._scanning(scan_func, before)
        result = function.output.spec
        if not isinstance(result, tuple) or len(result) != 2:
            raise TypeError(
                f"Dataset.scan: `scan_func` must return a state and an output, got {result}."
            )
        check_state("scan", before, Structure(result[0]))
        return made(Scan(self._node, tensors, function, Structure(result[1])), name)

    def _scanning(self, scan_func: TransformFunction, state: Structure) -> UserFunction:
        """The function of a state and an element, with states of all shapes that it may meet."""
        function = UserFunction(scan_func, state, self._node.structure, name="scan")
        result = function.output.spec
        if not isinstance(result, tuple) or len(result) != 2:
            return function
        after = Structure(result[0]).leaves
        if len(after) != len(state.leaves):
            return function
        rest = iter(after)
        loose = state.map_leaves(lambda spec: _loosened(spec, next(rest)))
        return function if loose.spec == state.spec else self._scanning(scan_func, loose)

    def reduce(
        self, initial_state: Any, reduce_func: TransformFunction, name: str | None = None
    ) -> Any:
        """The last state, each of which is `reduce_func(state, element)`.

        Args:
            initial_state: what the state begins with.
            reduce_func: from the state and an element to the next state.

        >>> tf.data.Dataset.range(5).reduce(np.int64(0), lambda s, x: s + x).numpy()
        np.int64(10)
        """
        check_name(name)
        return reduce(self, initial_state, reduce_func)

    def enumerate(self, start: Any = 0, name: str | None = None) -> Dataset:
        """A dataset of pairs of a number, which counts from `start`, and an element.

        >>> list(tf.data.Dataset.from_tensor_slices(["a", "b"]).enumerate(5).as_numpy_iterator())
        [(np.int64(5), b'a'), (np.int64(6), b'b')]
        """
        return made(Enumerate(self._node, integer(start, "enumerate")), name)

    def unique(self, name: str | None = None) -> Dataset:
        """A dataset of each value once.

        >>> list(tf.data.Dataset.from_tensor_slices([1, 37, 2, 37]).unique().as_numpy_iterator())
        [np.int32(1), np.int32(37), np.int32(2)]
        """
        return made(Unique(self._node), name)

    def ignore_errors(self, log_warning: bool = False, name: str | None = None) -> Dataset:
        """A dataset of the elements that can be made without an error.

        >>> dataset = tf.data.Dataset.from_tensor_slices([1, 0, 2]).map(lambda x: 6 // x)
        >>> list(dataset.ignore_errors().as_numpy_iterator())
        [np.int32(6), np.int32(3)]
        """
        return made(IgnoreErrors(self._node, log_warning), name)

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

        Args:
            class_func: from an element to its class.
            target_dist: how the classes shall be distributed.
            initial_dist: how they are; None finds out.
            seed: a number that decides, with the global seed, which random numbers are drawn.

        >>> dataset = tf.data.Dataset.range(8).rejection_resample(
        ...     lambda x: tf.cast(x % 2, tf.int32), target_dist=[0.0, 1.0], initial_dist=[0.5, 0.5]
        ... )
        >>> {int(label) for label, _ in dataset}
        {1}
        """
        pairs = rejection_resample(self, class_func, target_dist, initial_dist, seed)
        return made(pairs._node, name)  # type: ignore[no-any-return]

    def apply(self, transformation_func: Callable[[Dataset], Any]) -> Any:
        """What a function makes of the dataset.

        Args:
            transformation_func: a function of a dataset.

        >>> [int(x) for x in tf.data.Dataset.range(4).apply(lambda d: d.skip(2))]
        [2, 3]
        """
        found = transformation_func(self)  # type: ignore[arg-type]  # a part of `Dataset`
        if not isinstance(found, Base):
            raise TypeError(
                f"Dataset.apply: `transformation_func` must return a dataset, got {found!r}."
            )
        return found


def _loosened(spec: Any, other: Any) -> Any:
    """A spec of tensors that allows the shape of another as well."""
    if not isinstance(spec, TensorSpec) or not isinstance(other, TensorSpec):
        return spec
    return TensorSpec(spec.shape.most_specific_compatible_shape(other.shape), spec.dtype)
