"""Boxes in levels with lines between them, drawn with Pillow."""

from __future__ import annotations

from typing import Any

from runnel.keras.utils.picture.box_layout import Point, Rectangle, arranged

_PAD, _GAP_X, _GAP_Y, _SIZE = 8, 30, 34, 13


def drawn(boxes: Any, rankdir: str, dpi: int) -> Any:
    """An image of boxes that have `lines`, a `depth` and `parents`."""
    from PIL import Image, ImageDraw, ImageFont

    scale = dpi / 96
    font = ImageFont.load_default(_SIZE * scale)
    measure = ImageDraw.Draw(Image.new("L", (1, 1)))
    sizes = {b.key: _size(measure, font, b.lines, scale) for b in boxes}
    sideways = rankdir in ("LR", "RL")
    layout = arranged(boxes, sizes, sideways, _PAD * scale, (_GAP_X * scale, _GAP_Y * scale))
    width, height = map(round, layout.size)
    image = Image.new("RGB", (width, height), "white")
    draw = ImageDraw.Draw(image)
    for path in layout.paths:
        _line(draw, path, sideways, scale)
    for box in boxes:
        _box(draw, font, layout.places[box.key], box.lines, scale)
    return image


def _size(measure: Any, font: Any, lines: list[str], scale: float) -> tuple[float, float]:
    width = max(measure.textlength(line, font=font) for line in lines) + 2 * _PAD * scale
    return width, len(lines) * (_SIZE + _PAD) * scale + _PAD * scale


def _line(draw: Any, path: list[Point], sideways: bool, scale: float) -> None:
    draw.line(path, fill="black", width=max(1, round(scale)))
    tip = 5 * scale
    x, y = path[-1]
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
