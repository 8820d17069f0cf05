"""How the data of a checkpoint is spread over files: `tf.train.experimental.ShardingCallback`.

A callback gets the tensors to be saved and gives the files in order: dicts from keys to parts. A
part is a dict from its place in the tensor to its values. The place is a *slice spec* as TensorFlow
writes it: the lengths of the whole, then start and length in each dimension, `"10 4 0,5:0,4"`. An
empty one is the whole tensor.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from types import FunctionType, MethodType
from typing import Any

import numpy as np

from runnel.core.settings.device_spec import DeviceSpec
from runnel.core.settings.logging import warning
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import EagerTensor
from runnel.core.values.dtypes import DType, string
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.shape import TensorShape
from runnel.train.files.bundle import Part
from runnel.train.files.slices import region
from runnel.train.objects.object_graph import GRAPH_KEY

Shard = MutableMapping[str, MutableMapping[str, Any]]
_DEVICE = "/job:localhost/replica:0/task:0/device:CPU:0"


@dataclass(frozen=True)
class ShardableTensor:
    """A tensor that is to be saved, with what a callback may want to know of it."""

    _tensor_save_spec: Any
    tensor: Any
    dtype: DType
    device: DeviceSpec
    name: str
    shape: TensorShape
    slice_spec: str
    checkpoint_key: str
    trackable: Any

    def __hash__(self) -> int:
        return hash((self.name, self.dtype, self.checkpoint_key))

    def __repr__(self) -> str:
        fields = [f"  {name}={value!r}" for name, value in vars(self).items()]
        return "\n".join(["", f"{type(self).__name__}:", *fields])


class ShardingCallback(ABC):
    """A base for classes that say which tensors of a checkpoint go to which file.

    >>> class OneByOne(tf.train.experimental.ShardingCallback):
    ...     @property
    ...     def description(self):
    ...         return "Each tensor has a file of its own."
    ...     def __call__(self, shardable_tensors):
    ...         return [{t.checkpoint_key: {t.slice_spec: t.tensor}} for t in shardable_tensors]
    >>> import os, tempfile
    >>> folder = tempfile.mkdtemp()
    >>> options = tf.train.CheckpointOptions(experimental_sharding_callback=OneByOne())
    >>> path = tf.train.Checkpoint(v=tf.Variable(1.0)).write(os.path.join(folder, "x"), options)
    >>> sorted(os.listdir(folder))
    ['x.data-00000-of-00002', 'x.data-00001-of-00002', 'x.index']
    """

    @property
    @abstractmethod
    def description(self) -> str:
        """What the callback does, in a sentence."""

    @abstractmethod
    def __call__(self, shardable_tensors: Sequence[ShardableTensor]) -> Sequence[Shard]:
        """The files, each a dict from keys to dicts from slice specs to tensors."""

    def __hash__(self) -> int:
        fields = [(n, v) for n, v in vars(self).items() if isinstance(v, Hashable)]
        plain = [item for item in fields if not isinstance(item[1], FunctionType | MethodType)]
        return hash((self.description, frozenset(plain)))


class ShardByTaskPolicy(ShardingCallback):
    """All tensors of one process go to one file."""

    @property
    def description(self) -> str:
        return "Split tensors into shards based on their device spec task."

    def __call__(self, shardable_tensors: Sequence[ShardableTensor]) -> Sequence[Shard]:
        shard: Shard = {}
        for item in shardable_tensors:
            shard.setdefault(item.checkpoint_key, {})[item.slice_spec] = item.tensor
        return [shard]


class MaxShardSizePolicy(ShardingCallback):
    """No file is larger than `max_shard_size` bytes, unless one element alone is.

    The graph of objects is not counted.

    >>> import os, tempfile
    >>> policy = tf.train.experimental.MaxShardSizePolicy(max_shard_size=100)
    >>> options = tf.train.CheckpointOptions(experimental_sharding_callback=policy)
    >>> checkpoint = tf.train.Checkpoint(v=tf.Variable(tf.zeros([10, 5])))
    >>> path = checkpoint.write(os.path.join(tempfile.mkdtemp(), "x"), options)
    >>> len(tf.io.gfile.glob(path + ".data-*"))
    2
    """

    class MaxShardSizePartitioner:
        """Cuts tensors and fills files with the pieces."""

        def get_shards(
            self, max_shard_size: int, shardable_tensors: Sequence[ShardableTensor]
        ) -> Sequence[Shard]:
            """The files, in the order of the tensors; pieces that are too large come last."""
            packing = _Packing(max_shard_size)
            for item in shardable_tensors:
                packing.add(item)
            return [shard for shard in [*packing.shards, *packing.large] if shard]

    def __init__(self, max_shard_size: int) -> None:
        self.max_shard_size = max_shard_size

    @property
    def description(self) -> str:
        return "Split tensors into shards with a max shard size."

    def __call__(self, shardable_tensors: Sequence[ShardableTensor]) -> Sequence[Shard]:
        return self.MaxShardSizePartitioner().get_shards(self.max_shard_size, shardable_tensors)


class _Packing:
    """Files that are filled one after another."""

    def __init__(self, limit: int) -> None:
        self._limit = self._left = max(limit, 0)
        self.shards: list[Shard] = [{}]
        self.large: list[Shard] = []

    def add(self, item: ShardableTensor) -> None:
        """Put a tensor into the files, in pieces along the first dimension that can be cut."""
        element = _element_size(item)
        dims = tuple(d or 0 for d in item.shape.as_list())
        pieces = [tuple((0, d) for d in dims)]
        while pieces:
            place = pieces.pop()
            size = element * math.prod(length for _, length in place)
            if size <= self._left:
                self._put(item, place, size)
            else:
                pieces += self._cut(item, place, size)

    def _cut(
        self, item: ShardableTensor, place: tuple[tuple[int, int], ...], size: int
    ) -> list[tuple[tuple[int, int], ...]]:
        """Pieces of one that does not fit, the first of them last; at least a file is begun."""
        axis = next((n for n, (_, length) in enumerate(place) if length > 1), None)
        if axis is None and size > self._limit:
            self._put_alone(item, place, size)
            return []
        start, length = (0, 1) if axis is None else place[axis]
        fitting = min(self._left // (size // length), length - 1)
        if axis is None or (not fitting and self._left < self._limit):
            self.shards.append({})
            self._left = self._limit
            return [place]
        first = max(fitting, 1)
        cuts = [(start + first, length - first), (start, first)]
        return [(*place[:axis], cut, *place[axis + 1 :]) for cut in cuts]

    def _put(self, item: ShardableTensor, place: tuple[tuple[int, int], ...], size: int) -> None:
        self.shards[-1].setdefault(item.checkpoint_key, {}).update([_cut_out(item, place)])
        self._left -= size

    def _put_alone(
        self, item: ShardableTensor, place: tuple[tuple[int, int], ...], size: int
    ) -> None:
        if not any(item.checkpoint_key in shard for shard in self.large[-1:]):
            warning(
                f"A value of {size} bytes in {item.checkpoint_key} is larger than max_shard_size="
                f"{self._limit}; it goes to a file of its own."
            )
        self.large.append({item.checkpoint_key: dict([_cut_out(item, place)])})


def _element_size(item: ShardableTensor) -> int:
    """How many bytes an element takes, the longest one where they differ."""
    if item.checkpoint_key == GRAPH_KEY:
        return 0
    if item.dtype is string:
        return max((len(value) for value in np.ravel(item.tensor.numpy()).tolist()), default=0)
    return item.dtype.size


def _cut_out(item: ShardableTensor, place: tuple[tuple[int, int], ...]) -> tuple[str, Any]:
    """A piece of a tensor with its slice spec."""
    dims = item.shape.as_list()
    if all(extent == (0, d) for extent, d in zip(place, dims)):
        return item.slice_spec, item.tensor
    spec = " ".join(map(str, dims)) + " " + ":".join(f"{s},{n}" for s, n in place)
    array = item.tensor._value[tuple(slice(s, s + n) for s, n in place)]
    return spec, EagerTensor(array, item.dtype)


def sharded(
    callback: ShardingCallback,
    tensors: Mapping[str, tuple[Any, DType]],
    owners: Mapping[str, Any] | None = None,
) -> list[list[Part]]:
    """The parts in each file as a callback wants them; they are all there, and nothing else is."""
    given = [
        ShardableTensor(
            None,
            EagerTensor(array, dtype),
            dtype,
            DeviceSpec.from_string(_DEVICE),
            key,
            TensorShape(array.shape),
            "",
            key,
            (owners or {}).get(key),
        )
        for key, (array, dtype) in sorted(tensors.items(), key=lambda item: item[0] == GRAPH_KEY)
    ]
    shards = [
        [
            _part(tensors, callback, key, spec.strip(), value)
            for key, slices in shard.items()
            for spec, value in slices.items()
        ]
        for shard in callback(given)
    ]
    if not any(shards):
        raise InvalidArgumentError(None, None, f"{_named(callback)} gave no tensors.")
    _check_whole(tensors, callback, shards)
    return shards


def _named(callback: ShardingCallback) -> str:
    return f"The sharding callback {type(callback).__name__} ({callback.description!r})"


def _part(
    tensors: Mapping[str, tuple[Any, DType]],
    callback: ShardingCallback,
    key: str,
    spec: str,
    value: Any,
) -> Part:
    """One part that a callback gave, which must be what its slice spec says."""
    if key not in tensors:
        raise RuntimeError(f"{_named(callback)} gave {key!r}, which is not to be saved.")
    whole, dtype = tensors[key]
    tensor = convert_to_tensor(value)
    extents = _extents(spec, whole.shape) if spec else None
    if spec and extents is None:
        raise RuntimeError(
            f"{_named(callback)} gave {spec!r} as a part of {key!r} of shape {whole.shape}."
        )
    shape = whole.shape if extents is None else tuple(length for _, length in extents)
    if tensor.shape != TensorShape(shape) or tensor.dtype is not dtype:
        raise RuntimeError(
            f"{_named(callback)} changed {key!r}: it must be {dtype.name} of shape {shape}, got "
            f"{tensor.dtype.name} of shape {tensor.shape}."
        )
    return Part(key, extents, np.asarray(tensor._value))  # type: ignore[attr-defined]


def _extents(spec: str, dims: Sequence[int]) -> tuple[tuple[int, int], ...] | None:
    """Starts and lengths that a slice spec says; None if they are not of this shape."""
    *lengths, places = spec.split(" ")
    try:
        extents = [
            (0, -1) if p == "-" else tuple(map(int, p.split(","))) for p in places.split(":")
        ]
        if [int(n) for n in lengths] != list(dims) or any(len(e) != 2 for e in extents):
            return None
        found = region(extents, dims)  # type: ignore[arg-type]
    except ValueError:
        return None
    return tuple((place.start, place.stop - place.start) for place in found)


def _check_whole(
    tensors: Mapping[str, tuple[Any, DType]], callback: ShardingCallback, shards: list[list[Part]]
) -> None:
    """Every element of every tensor must be in one part and no more."""
    covered: dict[str, list[Part]] = {key: [] for key in tensors}
    for part in (part for shard in shards for part in shard):
        if any(_overlap(part, other) for other in covered[part.key]):
            text = f"{_named(callback)} gave the same part of {part.key!r} twice."
            raise InvalidArgumentError(None, None, text)
        covered[part.key].append(part)
    for key, parts in covered.items():
        if not parts or sum(part.array.size for part in parts) != tensors[key][0].size:
            raise RuntimeError(f"{_named(callback)} left out {key!r}, or a part of it.")


def _overlap(one: Part, other: Part) -> bool:
    if one.extents is None or other.extents is None:
        return True
    return all(a < b + m and b < a + n for (a, n), (b, m) in zip(one.extents, other.extents))
