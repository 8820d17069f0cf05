"""Which of many overlapping boxes to keep."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from runnel.kernels.ordering import narrow_order

Similarity = Callable[[Any, Any], np.ndarray]  # of boxes, by indices that broadcast

_LEAST, _MOST = 32, 64  # candidates to look at together (256 take twice as long for 20 classes)
_ELEMENTS = 1 << 16  # of the tables to make together, which should fit into a cache


def overlap(boxes: np.ndarray) -> Similarity:
    """The function that gives the share of intersection in union."""
    first, second = np.ascontiguousarray(boxes.T).reshape(2, 2, -1)
    low, high = np.minimum(first, second), np.maximum(first, second)
    area = np.prod(high - low, axis=0)
    real = area > 0  # the others overlap with nothing
    low, high = np.where(real, low, np.float32(np.inf)), np.where(real, high, np.float32(-np.inf))
    area = np.where(real, area, np.float32(1))

    def similarity(one: Any, other: Any) -> np.ndarray:
        ends = np.minimum(np.take(high, one, axis=1), np.take(high, other, axis=1))
        starts = np.maximum(np.take(low, one, axis=1), np.take(low, other, axis=1))
        height, width = np.maximum(ends - starts, 0)
        common = height * width
        return common / (area[one] + area[other] - common)

    return similarity


@dataclass(frozen=True)
class Limits:
    """How many boxes to keep of each row, up to which similarity, with scores above `least`."""

    count: int
    threshold: float
    least: float


def select(
    scores: np.ndarray, boxes: np.ndarray, similarity: Similarity, limits: Limits
) -> list[np.ndarray]:
    """The places in each row of `scores` of what stays, best first.

    `boxes` holds the indices by which `similarity` knows the boxes of these scores.
    """
    block = min(max(2 * limits.count, _LEAST), _MOST)
    step = max(_ELEMENTS // block**2, 1)
    return [
        places
        for i in range(0, len(scores), step)
        for places in _select(scores[i : i + step], boxes[i : i + step], similarity, limits, block)
    ]


def _select(
    scores: np.ndarray, boxes: np.ndarray, similarity: Similarity, limits: Limits, block: int
) -> Iterator[np.ndarray]:
    """A block of candidates of every row at once: 15 times as fast as one box after another."""
    order, usable = _ranked(scores, limits.least)
    boxes = np.take_along_axis(boxes, order, axis=1)
    chosen: list[list[int]] = [[] for _ in usable]
    for start in range(0, order.shape[1], block):
        busy = [i for i, n in enumerate(usable) if n > start and len(chosen[i]) < limits.count]
        if not busy:
            break
        former = _even([chosen[i] for i in busy])
        candidates = boxes[busy, start : start + block]
        rivals = np.hstack([np.take_along_axis(boxes[busy], former, axis=1), candidates])
        apart = similarity(rivals[:, :, None], candidates[:, None]) <= limits.threshold
        bits = np.packbits(apart, axis=-1, bitorder="little")
        free = np.bitwise_and.reduce(bits[:, : former.shape[1]], axis=1)
        for i, mine, table in zip(busy, free, bits[:, former.shape[1] :]):
            real = (1 << usable[i] - start) - 1
            found = _spaced(int.from_bytes(mine, "little") & real, table)
            room = limits.count - len(chosen[i])
            chosen[i].extend(start + place for place in islice(found, room))
    return (row[places].astype(np.int32) for row, places in zip(order, chosen))


def _ranked(scores: np.ndarray, least: float) -> tuple[np.ndarray, list[int]]:
    """The places of the scores above `least`, best first, and how many a row has of them."""
    good = scores > least
    usable: list[int] = good.sum(axis=1).tolist()
    ranked = np.where(good, scores, np.float32(-np.inf))
    return narrow_order(ranked, max(usable, default=0)).astype(np.intp), usable


def _even(rows: list[list[int]]) -> np.ndarray:
    """A matrix of these rows, short ones filled up with their first element."""
    width = max(map(len, rows))
    return np.array([row + row[:1] * (width - len(row)) for row in rows], np.int64)


def _spaced(free: int, apart: np.ndarray) -> Iterator[int]:
    """The first of the bits of `free`, the next one apart from it, and so on."""
    rows, width = apart.tobytes(), apart.shape[1]
    while free:
        place = (free & -free).bit_length() - 1
        yield place
        row = rows[place * width : (place + 1) * width]
        free &= int.from_bytes(row, "little") & ~(1 << place)


def select_softly(
    scores: np.ndarray, similarity: Similarity, count: int, sigma: float, least: float
) -> tuple[np.ndarray, np.ndarray]:
    """Indices and scores when an overlap lowers a score instead of removing the box."""
    scores = np.where(scores > least, scores, np.float32(-np.inf))
    every = np.arange(scores.size)
    chosen: list[int] = []
    kept: list[float] = []
    while len(chosen) < count and scores.size:
        best = int(np.argmax(scores))
        if scores[best] == -np.inf:
            break
        chosen.append(best)
        kept.append(scores[best])
        scores[best] = -np.inf
        weight = np.exp(-0.5 / sigma * np.square(similarity([best], every)))
        scores = np.where(np.isfinite(scores), (scores * weight).astype(scores.dtype), scores)
        scores[scores <= least] = -np.inf
    return np.array(chosen, np.int32), np.array(kept, scores.dtype)
