"""Which of many overlapping boxes to keep."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

Similarity = Callable[[int, int], np.ndarray]  # of one box with all from a place on


def overlap(boxes: np.ndarray) -> Similarity:
    """The function that gives the share of intersection in union."""
    top, left = np.minimum(boxes[:, 0], boxes[:, 2]), np.minimum(boxes[:, 1], boxes[:, 3])
    bottom, right = np.maximum(boxes[:, 0], boxes[:, 2]), np.maximum(boxes[:, 1], boxes[:, 3])
    area = (bottom - top) * (right - left)

    def similarity(one: int, start: int) -> np.ndarray:
        height = np.minimum(bottom[one], bottom[start:]) - np.maximum(top[one], top[start:])
        width = np.minimum(right[one], right[start:]) - np.maximum(left[one], left[start:])
        common = np.maximum(height, 0) * np.maximum(width, 0)
        union = area[one] + area[start:] - common
        valid = (area[start:] > 0) & (area[one] > 0)
        return np.divide(common, union, out=np.zeros_like(common), where=valid)

    return similarity


def select(
    scores: np.ndarray,
    similar: Callable[[np.ndarray], Similarity],
    count: int,
    threshold: float,
    least: float,
) -> np.ndarray:
    """Indices of the boxes that stay, best first: scores above `least`, overlaps to `threshold`.

    `similar` makes the similarity of the boxes in a given order.
    """
    order = np.argsort(-scores, kind="stable")
    order = order[scores[order] > least]
    similarity = similar(order)
    alive = np.ones(len(order), np.bool_)
    chosen: list[int] = []
    for place, box in enumerate(order.tolist()):
        if len(chosen) >= count:
            break
        if alive[place]:
            chosen.append(box)
            alive[place + 1 :] &= similarity(place, place + 1) <= threshold
    return np.array(chosen, np.int32)


def select_softly(
    scores: np.ndarray, similarity: Similarity, count: int, sigma: float, least: float
) -> tuple[np.ndarray, np.ndarray]:
    """Indices and scores when an overlap lowers a score instead of removing the box."""
    scores = np.where(scores > least, scores, np.float32(-np.inf))
    chosen: list[int] = []
    kept: list[float] = []
    while len(chosen) < count and scores.size:
        best = int(np.argmax(scores))
        if scores[best] == -np.inf:
            break
        chosen.append(best)
        kept.append(scores[best])
        scores[best] = -np.inf
        weight = np.exp(-0.5 / sigma * np.square(similarity(best, 0)))
        scores = np.where(np.isfinite(scores), (scores * weight).astype(scores.dtype), scores)
        scores[scores <= least] = -np.inf
    return np.array(chosen, np.int32), np.array(kept, scores.dtype)
