"""Elements in random order, drawn from a buffer: TensorFlow's order for the same seeds."""

from __future__ import annotations

import functools
import secrets
from typing import Any

import numpy as np

from runnel.core.tensor.tensor import Tensor
from runnel.core.values import dtypes
from runnel.core.values.errors import InvalidArgumentError
from runnel.data.nodes.node import Node, Run, Stage, State, Values, number
from runnel.kernels.random import philox, seeds
from runnel.ops.random.seeds import get_seed


def seed_of(seed: Any) -> tuple[int, int]:
    """The pair of seeds for an argument `seed`, by the rules of `tf.random.set_seed`."""
    if seed is not None:
        if isinstance(seed, Tensor) and seed.dtype is not dtypes.int64:
            raise ValueError(f"`seed` must be a number or an int64 tensor, got {seed!r}.")
        found = np.asarray(getattr(seed, "_value", seed))
        if found.dtype.kind not in "iub" or found.ndim:
            raise TypeError(f"`seed` must be an integer, got {seed!r}.")
        seed = int(found)
    first, second = get_seed(seed)
    return first or 0, second or 0


class Words:
    """The stream of random 32-bit numbers of a pair of seeds."""

    def __init__(self, seed: int, seed2: int) -> None:
        self.seed, self.seed2 = seed, seed2
        self._key, self._counter = seeds.stream(*seeds.start(seed, seed2))
        self._made = 0  # blocks of four
        self._words: list[int] = []  # in reverse
        self.used = 0
        self._chunk = 4

    def __call__(self) -> int:
        if not self._words:
            self._refill()
        self.used += 1
        return self._words.pop()

    def several(self, count: int) -> list[int]:
        """The next `count` numbers."""
        found: list[int] = []
        while len(found) < count:
            if not self._words:
                self._refill()
            taken = min(count - len(found), len(self._words))
            found += self._words[: -taken - 1 : -1]
            del self._words[-taken:]
        self.used += count
        return found

    def _refill(self) -> None:
        start, self._made = self._made, self._made + self._chunk
        bits = philox.successive(np, self._key, self._counter, start, self._made)
        self._words = philox.words(np, bits).ravel()[::-1].tolist()
        self._chunk = min(self._chunk * 4, 512)

    def goto(self, used: int) -> None:
        """Go to where `used` numbers have been taken."""
        self._made, self._words, self.used = used // 4, [], used - used % 4
        for _ in range(used % 4):
            self()


class Seeds:
    """The seeds of the iterations over one dataset: new ones each time, or always the same."""

    def __init__(self, seed: int, seed2: int, *, anew: bool) -> None:
        if seed == 0 and seed2 == 0:
            seed, seed2 = secrets.randbits(63), secrets.randbits(63)
        self._fixed = seed, seed2
        self._words = Words(seed, seed2) if anew else None

    def next(self) -> tuple[int, int]:
        if self._words is None:
            return self._fixed
        first = self._words()
        return first, self._words()

    @property
    def of_all(self) -> tuple[int, int]:
        """Those for all iterations; TensorFlow takes the first twice where none gets new ones."""
        first, second = self._fixed
        return first, first if self._words is None else second

    @property
    def place(self) -> list[int]:
        return [*self._fixed, 0 if self._words is None else self._words.used]

    def goto(self, place: list[int]) -> None:
        first, second, used = place
        self._fixed = first, second
        if self._words is not None:
            self._words = Words(first, second)
            self._words.goto(used)


class Shuffle(Node):
    """Elements drawn from a buffer that the next ones fill."""

    kind = "ShuffleDataset"
    derived = frozenset(["seeds", "order"])

    def __init__(self, source: Node, size: Any, seed: Any, reshuffle: bool) -> None:
        super().__init__([source], source.structure)
        self.size = size
        self.anew = reshuffle
        self.pair = seed if isinstance(seed, tuple) else seed_of(seed)
        self.rebound()

    def rebound(self) -> None:
        self.seeds = Seeds(*self.pair, anew=self.anew)
        vars(self).pop("order", None)

    @functools.cached_property
    def order(self) -> list[int]:
        """The numbers of all elements in an order for those who ask for single ones."""
        random, order = Words(*self.seeds.of_all), list(range(self.cardinality()))
        for place in range(len(order)):
            other = place + random() % (len(order) - place)
            order[place], order[other] = order[other], order[place]
        return order

    def make(self, run: Run) -> Stage:
        size, source = number(self.size), run.build(self.input)
        if size == -2:  # tf.data.UNKNOWN_CARDINALITY: all of them
            size = 1 << 62
        if size < 1:
            message = f"buffer_size must be greater than zero or UNKNOWN_CARDINALITY, got {size}."
            raise InvalidArgumentError(None, None, message)
        if hasattr(source, "positions"):
            return _ShufflePositions(self, source, size)
        return _Shuffle(self, source, size)

    def cardinality(self) -> int:
        return self.input.cardinality()


class _Shuffle(Stage):
    """A buffer in which what is drawn changes places with the first, and leaves from there."""

    def __init__(self, node: Shuffle, source: Any, size: int) -> None:
        self._source = source
        self._size = size
        self._seeds = node.seeds
        self._random = Words(*node.seeds.next())
        self._buffer: list[Any] = []
        self._start = 0  # the buffer's elements before it have left
        self._over = False

    @property
    def buffer(self) -> list[Any]:
        """The elements, or their places, that wait to be drawn."""
        return self._buffer[self._start :]

    def _fill(self) -> None:
        buffer, source = self._buffer, self._source
        try:
            for _ in range(self._size - (len(buffer) - self._start)):
                buffer.append(next(source))
        except StopIteration:
            self._over = True

    def _draw(self) -> Any:
        buffer, start = self._buffer, self._start
        if not self._over and len(buffer) - start < self._size:
            self._fill()
        there = min(len(buffer) - start, self._size)
        if not there:
            self._buffer, self._start = [], 0
            raise StopIteration
        place = start + self._random() % there
        drawn = buffer[place]
        buffer[place] = buffer[start]
        buffer[start] = None
        self._start = start + 1
        self._tidy()
        return drawn

    def _tidy(self) -> None:
        """Give the places of elements that have left back, now and then."""
        if self._start > 1024 and self._start * 2 > len(self._buffer):
            del self._buffer[: self._start]
            self._start = 0

    @property
    def made(self) -> int:  # type: ignore[override]
        return self._random.used

    def __next__(self) -> Values:
        return self._draw()  # type: ignore[no-any-return]

    def save(self) -> State:
        random = [self._random.seed, self._random.seed2, self._random.used]
        held = self._buffer[self._start :]
        return [random, self._seeds.place, held, self._over, self._source.save()]

    def restore(self, state: State) -> None:
        (seed, seed2, used), place, held, self._over, source = state
        self._random = Words(seed, seed2)
        self._random.goto(used)
        self._seeds.goto(place)
        self._buffer, self._start = list(held), 0
        self._source.restore(source)


class _ShufflePositions(_Shuffle):
    """The same over rows in memory: the buffer holds their places only, and a batch is gathered."""

    blocks = True

    def _fill(self, ahead: int = 0) -> None:
        wanted = self._size + ahead - (len(self._buffer) - self._start)
        found = self._source.positions(wanted)
        self._buffer.extend(found)
        self._over = len(found) < wanted

    def __next__(self) -> Values:
        return self._source.at(self._draw())  # type: ignore[no-any-return]

    def block(self, count: int) -> Values:
        """Several draws in one loop; the elements that would come in between stand ready."""
        if not self._over and len(self._buffer) - self._start < self._size + count - 1:
            self._fill(ahead=count - 1)
        buffer, start, size = self._buffer, self._start, self._size
        end = len(buffer)
        count = min(count, end - start)
        if not count:
            raise StopIteration
        drawn: list[int] = []
        for word in self._random.several(count):
            there = end - start
            place = start + word % (size if there > size else there)
            drawn.append(buffer[place])
            buffer[place] = buffer[start]
            start += 1
        self._start = start
        self._tidy()
        return self._source.gather(drawn)  # type: ignore[no-any-return]
