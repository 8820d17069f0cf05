"""Items of a sequence, made ahead of time by threads or processes, in their order."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from concurrent.futures import Executor, ProcessPoolExecutor, ThreadPoolExecutor
from typing import Any

from runnel.keras.utils.enqueuers import forking

_made_of: Any = None


def _set_sequence(sequence: Any) -> None:
    global _made_of
    _made_of = sequence


def _item(index: int) -> Any:
    return _made_of[index]


def prefetched(
    sequence: Any, order: list[int], workers: int, processes: bool, ahead: int
) -> Iterator[Any]:
    """The items in the given order, up to `ahead` of them made before they are asked for."""
    if workers <= 1 and not processes:
        for index in order:
            yield sequence[index]
        return
    with _pool(sequence, max(workers, 1), processes) as pool:
        get = _item if processes else sequence.__getitem__
        waiting: deque[Any] = deque()
        for index in order:
            with forking():  # a pool starts its processes when there is work
                waiting.append(pool.submit(get, index))
            if len(waiting) >= max(ahead, 1):
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()


def _pool(sequence: Any, workers: int, processes: bool) -> Executor:
    if processes:
        return ProcessPoolExecutor(workers, initializer=_set_sequence, initargs=(sequence,))
    return ThreadPoolExecutor(workers)
