"""Boxes in levels with lines between them, drawn with Pillow."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

_PAD, _GAP_X, _GAP_Y, _SIZE = 8, 30, 34, 13


def drawn(boxes: Any, rankdir: str, dpi: int) -> Any:
    """An image of boxes that have `lines`, a `depth` and `parents`."""
    from PIL import Image, ImageDraw, ImageFont

    scale = dpi / 96
    font = ImageFont.load_default(_SIZE * scale)
    measure = ImageDraw.Draw(Image.new("L", (1, 1)))
    sizes = {b.key: _size(measure, font, b.lines, scale) for b in boxes}
    sideways = rankdir in ("LR", "RL")
    places, (width, height) = _placed(boxes, sizes, sideways, scale)
    image = Image.new("RGB", (round(width), round(height)), "white")
    draw = ImageDraw.Draw(image)
    for box in boxes:
        for parent in box.parents:
            if parent in places:
                _line(draw, places[parent], places[box.key], sideways, scale)
    for box in boxes:
        _box(draw, font, places[box.key], box.lines, scale)
    return image


def _size(measure: Any, font: Any, lines: list[str], scale: float) -> tuple[float, float]:
    width = max(measure.textlength(line, font=font) for line in lines) + 2 * _PAD * scale
    return width, len(lines) * (_SIZE + _PAD) * scale + _PAD * scale


Rectangle = tuple[float, float, float, float]


def _placed(
    boxes: Any, sizes: dict[str, tuple[float, float]], sideways: bool, scale: float
) -> tuple[dict[str, Rectangle], tuple[float, float]]:
    """A rectangle for each box: levels one after another, the boxes of one side by side."""
    levels: dict[int, list[Any]] = defaultdict(list)
    for box in boxes:
        levels[box.depth].append(box)
    along, across = (0, 1) if sideways else (1, 0)
    gap = _GAP_X * scale
    spans = {
        depth: sum(sizes[b.key][across] for b in level) + gap * (len(level) - 1)
        for depth, level in levels.items()
    }
    widest = max(spans.values())
    places: dict[str, Rectangle] = {}
    start = _PAD * scale
    for depth in sorted(levels):
        at = _PAD * scale + (widest - spans[depth]) / 2
        for box in levels[depth]:
            width, height = sizes[box.key]
            x, y = (start, at) if sideways else (at, start)
            places[box.key] = (x, y, x + width, y + height)
            at += sizes[box.key][across] + gap
        start += max(sizes[b.key][along] for b in levels[depth]) + _GAP_Y * scale
    size = (start, widest + 2 * _PAD * scale)
    return places, size if sideways else (size[1], size[0])


def _line(draw: Any, above: Rectangle, below: Rectangle, sideways: bool, scale: float) -> None:
    if sideways:
        begin, end = (above[2], (above[1] + above[3]) / 2), (below[0], (below[1] + below[3]) / 2)
    else:
        begin, end = ((above[0] + above[2]) / 2, above[3]), ((below[0] + below[2]) / 2, below[1])
    draw.line([begin, end], fill="black", width=max(1, round(scale)))
    tip = 5 * scale
    x, y = end
    corners = (
        [(x - tip, y - tip / 2), (x - tip, y + tip / 2), (x, y)]
        if sideways
        else [(x - tip / 2, y - tip), (x + tip / 2, y - tip), (x, y)]
    )
    draw.polygon(corners, fill="black")


def _box(draw: Any, font: Any, place: Rectangle, lines: list[str], scale: float) -> None:
    draw.rectangle(place, outline="black", fill="white", width=max(1, round(scale)))
    for number, line in enumerate(lines):
        y = place[1] + (_PAD / 2 + number * (_SIZE + _PAD)) * scale
        if number:
            draw.line([(place[0], y), (place[2], y)], fill="black")
        draw.text((place[0] + _PAD * scale, y + _PAD / 2 * scale), line, fill="black", font=font)
