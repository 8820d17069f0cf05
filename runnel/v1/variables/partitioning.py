"""Variables in pieces: how they are cut, and the pieces taken for one."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import runnel as tf

Partitioner = Callable[..., Sequence[int]]


class PartitionInfo(NamedTuple):
    """Where a piece lies in its variable, for initializers."""

    full_shape: list[int]
    var_offset: list[int]


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Partitioner:
    """Cut along an axis into a number of pieces."""

    def cut(shape: Any, **options: Any) -> list[int]:
        parts = [1] * len(shape)
        parts[axis] = min(num_shards, int(shape[axis]))
        return parts

    return cut


def variable_axis_size_partitioner(
    max_shard_bytes: int,
    axis: int = 0,
    bytes_per_string_element: int = 16,
    max_shards: int | None = None,
) -> Partitioner:
    """Cut along an axis so that no piece has more than so many bytes."""
    if max_shard_bytes < 1:
        raise ValueError(f"variable_axis_size_partitioner: {max_shard_bytes} bytes are too few.")
    if max_shards and max_shards < 1:
        raise ValueError("variable_axis_size_partitioner: `max_shards` must be positive.")

    def cut(shape: Any, dtype: Any) -> list[int]:
        size = bytes_per_string_element if dtype.name == "string" else dtype.size
        parts = [1] * len(shape)
        slice_bytes = math.prod(int(n) for n in shape) // int(shape[axis]) * size
        per_shard = max(1, max_shard_bytes // slice_bytes)
        count = math.ceil(int(shape[axis]) / per_shard)
        parts[axis] = min(count, max_shards) if max_shards else count
        return parts

    return cut


def min_max_variable_partitioner(
    max_partitions: int = 1,
    axis: int = 0,
    min_slice_size: int = 256 << 10,
    bytes_per_string_element: int = 16,
) -> Partitioner:
    """Cut along an axis into as many pieces as have a least size, up to a number."""

    def cut(shape: Any, dtype: Any) -> list[int]:
        size = bytes_per_string_element if dtype.name == "string" else dtype.size
        total = math.prod(int(n) for n in shape) * size
        parts = [1] * len(shape)
        wanted = max(1, math.ceil(total / min_slice_size))
        parts[axis] = max(1, min(int(shape[axis]), max_partitions, wanted))
        return parts

    return cut


def slices_of(shape: Sequence[int], parts: Sequence[int]) -> list[tuple[list[int], list[int]]]:
    """The offset and the shape of every piece; the first ones are longer by one at most."""
    cut = [axis for axis, count in enumerate(parts) if count > 1]
    if len(cut) > 1:
        raise ValueError(
            f"A variable can be cut along one axis only, got the pieces {list(parts)}."
        )
    if not cut:
        return [([0] * len(shape), list(shape))]
    axis, count = cut[0], parts[cut[0]]
    length, longer = divmod(shape[axis], count)
    found, start = [], 0
    for number in range(count):
        size = length + (number < longer)
        offset = [start if a == axis else 0 for a in range(len(shape))]
        found.append((offset, [size if a == axis else n for a, n in enumerate(shape)]))
        start += size
    return found


class PartitionedVariable:
    """Variables that are the pieces of one, which it stands for where a tensor is wanted."""

    def __init__(
        self,
        name: str,
        shape: Sequence[int],
        dtype: Any,
        variable_list: Sequence[Any],
        partitions: Sequence[int],
    ) -> None:
        self._name, self._shape, self._dtype = name, tf.TensorShape(shape), dtype
        self._variables, self._partitions = list(variable_list), list(partitions)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._variables)

    def __len__(self) -> int:
        return len(self._variables)

    @property
    def name(self) -> str:
        return self._name

    @property
    def dtype(self) -> Any:
        return self._dtype

    @property
    def shape(self) -> tf.TensorShape:
        return self._shape

    def get_shape(self) -> tf.TensorShape:
        return self._shape

    def as_tensor(self) -> tf.Tensor:
        """The pieces joined."""
        axes = [axis for axis, count in enumerate(self._partitions) if count > 1]
        values = [v.value() for v in self._variables]
        joined = tf.concat(values, axes[0]) if axes else tf.identity(values[0])
        joined.set_shape(self._shape)
        return joined

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> tf.Tensor:
        return self.as_tensor()

    def _as_graph_element(self) -> tf.Tensor:
        return self.as_tensor()

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None) -> list[Any]:
        """Give every piece its part of a value."""
        found, start = [], 0
        axis = next((a for a, n in enumerate(self._partitions) if n > 1), 0)
        for variable in self._variables:
            size = int(variable.shape[axis])
            part = tuple([slice(None)] * axis + [slice(start, start + size)])
            found.append(variable.assign(value[part]))
            start += size
        return found
