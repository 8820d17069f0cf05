"""Where boxes go: in levels, with lines that pass between the boxes of the levels they cross."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable
from itertools import pairwise
from typing import Any, NamedTuple

Point = tuple[float, float]
Rectangle = tuple[float, float, float, float]
_SWEEPS = 4


class Layout(NamedTuple):
    """Rectangles by the keys of boxes, the corners of each line, and the size of it all."""

    places: dict[Hashable, Rectangle]
    paths: list[list[Point]]
    size: Point


def arranged(
    boxes: Any, sizes: dict[Any, Point], sideways: bool, margin: float, gaps: tuple[float, float]
) -> Layout:
    """Boxes with a `key`, a `depth` and `parents`, laid out downwards, or to the right."""
    levels, chains = _with_joints(boxes)
    _untangle(levels, chains)
    along, across = (0, 1) if sideways else (1, 0)
    spans = {
        depth: sum(sizes.get(key, (0, 0))[across] for key in level) + gaps[0] * (len(level) - 1)
        for depth, level in levels.items()
    }
    widest = max(spans.values())
    ends: dict[Hashable, Rectangle] = {}  # across from, along from, across to, along to
    start = margin
    for depth in sorted(levels):
        deepest = max(sizes.get(key, (0, 0))[along] for key in levels[depth])
        at = margin + (widest - spans[depth]) / 2
        for key in levels[depth]:
            width = sizes[key][across] if key in sizes else 0.0
            length = sizes[key][along] if key in sizes else deepest  # a line goes all the way
            ends[key] = (at, start, at + width, start + length)
            at += width + gaps[0]
        start += deepest + gaps[1]
    paths = [_path(chain, ends) for chain in chains]
    size = (widest + 2 * margin, start)
    if not sideways:
        return Layout({key: ends[key] for key in sizes}, paths, size)
    turned = {key: (ends[key][1], ends[key][0], ends[key][3], ends[key][2]) for key in sizes}
    return Layout(turned, [[(y, x) for x, y in path] for path in paths], (size[1], size[0]))


def _with_joints(boxes: Any) -> tuple[dict[int, list[Any]], list[list[Any]]]:
    """The keys of each level, and those each line passes: joints stand where it crosses a level."""
    depths = {box.key: box.depth for box in boxes}
    levels: dict[int, list[Any]] = defaultdict(list)
    for box in boxes:
        levels[box.depth].append(box.key)
    chains = []
    for box in boxes:
        for parent in (p for p in box.parents if p in depths):
            crossed = [d for d in range(depths[parent] + 1, box.depth) if d in levels]
            joints = [(parent, box.key, depth) for depth in crossed]
            for depth, joint in zip(crossed, joints):
                levels[depth].append(joint)
            chains.append([parent, *joints, box.key])
    return levels, chains


def _untangle(levels: dict[int, list[Any]], chains: list[list[Any]]) -> None:
    """Order each level by where the neighbours of its boxes are, down and up some times."""
    above: dict[Any, list[Any]] = defaultdict(list)
    below: dict[Any, list[Any]] = defaultdict(list)
    for chain in chains:
        for one, other in pairwise(chain):
            above[other].append(one)
            below[one].append(other)
    for sweep in range(_SWEEPS):
        for depth in sorted(levels, reverse=bool(sweep % 2)):
            levels[depth] = _sorted_level(levels, depth, below if sweep % 2 else above)


def _sorted_level(
    levels: dict[int, list[Any]], depth: int, neighbours: dict[Any, list[Any]]
) -> list[Any]:
    shares = {
        key: (place + 0.5) / len(level)
        for level in levels.values()
        for place, key in enumerate(level)
    }

    def middle(key: Any) -> float:
        found = [shares[other] for other in neighbours[key]]
        return sum(found) / len(found) if found else shares[key]

    return sorted(levels[depth], key=middle)


def _path(chain: list[Any], ends: dict[Hashable, Rectangle]) -> list[Point]:
    first, *joints, last = (ends[key] for key in chain)
    corners = [((first[0] + first[2]) / 2, first[3])]
    for joint in joints:
        corners += [(joint[0], joint[1]), (joint[0], joint[3])]
    return [*corners, ((last[0] + last[2]) / 2, last[1])]
