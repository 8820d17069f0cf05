"""The methods of `tf.data.Dataset` that choose elements and their order."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from runnel.core.values.errors import invalid
from runnel.data.dataset.arguments import AUTOTUNE, integer
from runnel.data.dataset.base import Base, made
from runnel.data.nodes.combining import Concatenate
from runnel.data.nodes.node import UNKNOWN
from runnel.data.nodes.shuffling import Shuffle
from runnel.data.nodes.taking import Repeat, Shard, Skip, Take
from runnel.data.run.parallel import Prefetch

if TYPE_CHECKING:
    from runnel.data.dataset.dataset import Dataset


class Arranging(Base):
    """Which elements, and in which order."""

    def shuffle(
        self,
        buffer_size: Any,
        seed: Any = None,
        reshuffle_each_iteration: bool | None = True,
        name: str | None = None,
    ) -> Dataset:
        """A dataset of the elements in random order, each drawn from a buffer of `buffer_size`.

        Args:
            buffer_size: how many elements are kept; `tf.data.AUTOTUNE` lets the pipeline decide.
            seed: a number that decides, with the global seed, which random numbers are drawn.
            reshuffle_each_iteration: whether each iteration has an order of its own.

        >>> [int(x) for x in tf.data.Dataset.range(5).shuffle(5, seed=7)]
        [2, 4, 0, 3, 1]
        """
        size = integer(buffer_size, "shuffle")
        if isinstance(size, int) and size < 1 and size != UNKNOWN:
            raise invalid(f"Dataset.shuffle: `buffer_size` must be positive, got {size}.")
        return made(Shuffle(self._node, size, seed, reshuffle_each_iteration is not False), name)

    def repeat(self, count: Any = None, name: str | None = None) -> Dataset:
        """A dataset of the elements `count` times, or without end.

        >>> [int(x) for x in tf.data.Dataset.range(2).repeat(2)]
        [0, 1, 0, 1]
        """
        return made(Repeat(self._node, -1 if count is None else integer(count, "repeat")), name)

    def take(self, count: Any, name: str | None = None) -> Dataset:
        """A dataset of the first `count` elements, of all if that is negative.

        >>> [int(x) for x in tf.data.Dataset.range(10).take(3)]
        [0, 1, 2]
        """
        return made(Take(self._node, integer(count, "take")), name)

    def skip(self, count: Any, name: str | None = None) -> Dataset:
        """A dataset of all elements but the first `count`.

        >>> [int(x) for x in tf.data.Dataset.range(5).skip(3)]
        [3, 4]
        """
        return made(Skip(self._node, integer(count, "skip")), name)

    def shard(self, num_shards: Any, index: Any, name: str | None = None) -> Dataset:
        """A dataset of every `num_shards`-th element, beginning with number `index`.

        >>> [int(x) for x in tf.data.Dataset.range(6).shard(3, 1)]
        [1, 4]
        """
        return made(Shard(self._node, integer(num_shards, "shard"), integer(index, "shard")), name)

    def concatenate(self, dataset: Dataset, name: str | None = None) -> Dataset:
        """A dataset of these elements and then those of another.

        Args:
            dataset: the other one, with elements of the same kind.

        >>> [int(x) for x in tf.data.Dataset.range(2).concatenate(tf.data.Dataset.range(5, 7))]
        [0, 1, 5, 6]
        """
        return made(Concatenate(self._node, dataset._node), name)

    def prefetch(self, buffer_size: Any, name: str | None = None) -> Dataset:
        """A dataset whose elements a thread makes before they are asked for.

        Args:
            buffer_size: how many elements are kept; `tf.data.AUTOTUNE` lets the pipeline decide.

        >>> [int(x) for x in tf.data.Dataset.range(3).prefetch(tf.data.AUTOTUNE)]
        [0, 1, 2]
        """
        size = AUTOTUNE if buffer_size is None else integer(buffer_size, "prefetch")
        if isinstance(size, int) and size < AUTOTUNE:
            raise invalid(f"Dataset.prefetch: `buffer_size` must not be negative, got {size}.")
        return made(Prefetch(self._node, size), name)
