"""What the handle of a queue points to: elements that some threads put in and others take out.

An element is a tuple of arrays. `put` waits for room, `take` for elements; those who wait are
served one after another, each wholly before the next.
"""

from __future__ import annotations

import heapq
import itertools
import threading
from collections import deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.state.resource import Resource
from runnel.core.values.deadlines import holding, wait_for
from runnel.core.values.dtypes import DType
from runnel.core.values.errors import CancelledError, DeadlineExceededError, OutOfRangeError
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import Array
from runnel.kernels.random import philox, seeds

Element = tuple[Array, ...]


class Queue(Resource):
    """Elements in the order in which they came. A negative `capacity` is no limit."""

    def __init__(
        self, capacity: int, dtypes: Sequence[DType], shapes: Sequence[TensorShape]
    ) -> None:
        super().__init__()
        self.capacity = capacity
        self.dtypes = tuple(dtypes)
        self.shapes = tuple(shapes)  # empty if nothing is known of them
        self.is_closed = False
        self._cancelled = False
        self._changed = threading.Condition(self.lock)
        self._putting = threading.Lock()
        self._taking = threading.Lock()
        self._elements: Any = deque()

    def __len__(self) -> int:
        return len(self._elements)

    def __bool__(self) -> bool:
        return True  # an empty one is something, too

    _gives_fewer = True  # whether a closed one gives what is left to those who ask for more

    def put(self, elements: Sequence[Element]) -> None:
        """Add elements, each as soon as there is room; CancelledError if the queue is closed."""
        if not elements:
            return
        with self.lock:
            self._check_open()
        with holding(self._putting):
            for element in elements:
                self._put_one(element)

    def _check_open(self) -> None:
        if self.is_closed:
            raise CancelledError(None, None, f"The {type(self).__name__} is closed.")

    def _put_one(self, element: Element) -> None:
        with self._changed:
            wait_for(self._changed, lambda: self._cancelled or self._has_room())
            if self._cancelled:
                raise CancelledError(None, None, "Enqueue operation was cancelled.")
            self._check_open()
            self._push(element)
            self._changed.notify_all()

    def _has_room(self) -> bool:
        return self.is_closed or self.capacity < 0 or len(self) < self.capacity

    def take(self, count: int, *, at_most: bool = False) -> list[Element]:
        """`count` elements, or with `at_most` fewer, once no more can come.

        OutOfRangeError, and no element is lost, if the queue is closed and has too few.
        """
        found: list[Element] = []
        with holding(self._taking), self._changed:
            while len(found) < count:
                try:
                    wait_for(self._changed, lambda: self._is_ready() or self.is_closed)
                except DeadlineExceededError:
                    self._push_back(found)
                    raise
                if self._is_ready():
                    found.append(self._pop())
                    self._changed.notify_all()
                elif at_most and found and self._gives_fewer:
                    break
                else:
                    raise self._too_few(count, found)
        return found

    def _too_few(self, count: int, found: list[Element]) -> OutOfRangeError:
        self._push_back(found)
        return OutOfRangeError(
            None,
            None,
            f"The {type(self).__name__} is closed and has insufficient elements (requested "
            f"{count}, current size {len(self)}).",
        )

    def close(self, *, cancel: bool) -> None:
        """Take no more elements. Those who wait for room go on first, unless they are cancelled."""
        with self.lock:
            if self.is_closed and not (cancel and not self._cancelled):
                raise CancelledError(None, None, f"The {type(self).__name__} is already closed.")
        if cancel:
            self._shut(cancelled=True)
        else:
            with self._putting:
                self._shut(cancelled=False)

    def _shut(self, *, cancelled: bool) -> None:
        with self._changed:
            self.is_closed = True
            self._cancelled = self._cancelled or cancelled
            self._changed.notify_all()

    def _is_ready(self) -> bool:
        return len(self) > 0

    def _push(self, element: Element) -> None:
        self._elements.append(element)

    def _pop(self) -> Element:
        element: Element = self._elements.popleft()
        return element

    def _push_back(self, elements: list[Element]) -> None:
        """Put elements back that were taken last."""
        self._elements.extendleft(reversed(elements))

    def stacked(self, elements: Sequence[Element], place: int) -> Array:
        """The components at one place of several elements, along a new first axis."""
        kind = self.dtypes[place].np_dtype
        result = np.empty((len(elements), *self._dims(elements, place)), kind)
        for i, element in enumerate(elements):
            result[i, ...] = element[place]
        return result

    def _dims(self, elements: Sequence[Element], place: int) -> tuple[int, ...]:
        dims: Any = self.shapes[place].as_list()
        return tuple(dims)


class FIFOQueue(Queue):
    """The first to come is the first to go."""


class PaddingFIFOQueue(Queue):
    """A queue whose elements may differ in some dimensions: several are padded to the largest."""

    def stacked(self, elements: Sequence[Element], place: int) -> Array:
        kind = self.dtypes[place]
        shape = (len(elements), *self._dims(elements, place))
        result = np.full(shape, b"" if kind.name == "string" else 0, kind.np_dtype)
        for i, element in enumerate(elements):
            inner: Any = (i, *[slice(size) for size in element[place].shape])
            result[inner] = element[place]
        return result

    def _dims(self, elements: Sequence[Element], place: int) -> tuple[int, ...]:
        known: list[Any] = self.shapes[place].as_list()
        largest = [max(sizes) for sizes in zip(*[e[place].shape for e in elements], strict=True)]
        return tuple(largest or [size or 0 for size in known]) if known else ()


class PriorityQueue(Queue):
    """The least of the first components goes first; of equal ones, the first to come."""

    def __init__(self, *args: Any) -> None:
        super().__init__(*args)
        self._elements = []
        self._gives_fewer = False
        self._count = itertools.count()
        self._back = itertools.count(-1, -1)

    def _push(self, element: Element) -> None:
        heapq.heappush(self._elements, (int(element[0]), next(self._count), element))

    def _pop(self) -> Element:
        element: Element = heapq.heappop(self._elements)[2]
        return element

    def _push_back(self, elements: list[Element]) -> None:
        for element in reversed(elements):
            heapq.heappush(self._elements, (int(element[0]), next(self._back), element))


class RandomShuffleQueue(Queue):
    """Any of the elements goes next, as long as more than `least` of them stay to choose from."""

    def __init__(
        self,
        capacity: int,
        dtypes: Sequence[DType],
        shapes: Sequence[TensorShape],
        least: int,
        seed: tuple[int, int],
    ) -> None:
        super().__init__(capacity, dtypes, shapes)
        self._elements = []
        self._least = least
        self._stream = seeds.stream(*seeds.start(*seed))
        self._words: deque[int] = deque()
        self._drawn = 0

    def _is_ready(self) -> bool:
        return len(self) > (0 if self.is_closed else self._least)

    def _random(self) -> int:
        if not self._words:
            blocks = philox.successive(np, *self._stream, self._drawn, self._drawn + 16)
            self._words.extend(philox.words(np, blocks).ravel().tolist())
            self._drawn += 16
        return self._words.popleft()

    def _pop(self) -> Element:
        place = self._random() % len(self)
        last = self._elements.pop()
        if place == len(self):
            return last  # type: ignore[no-any-return]
        self._elements[place], element = last, self._elements[place]
        return element  # type: ignore[no-any-return]

    def _push_back(self, elements: list[Element]) -> None:
        self._elements.extend(elements)
