"""Boxes and arrows as SVG: enough for the drawings of `docs/images`."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from pathlib import Path

BLUE, GREEN, SAND, RED, GREY, WHITE = (
    "#dcebf3",
    "#e0efdf",
    "#f6ecd6",
    "#f6dfd8",
    "#eceff1",
    "#ffffff",
)
INK, LINE = "#1c3644", "#5b7684"
_HEAD = (
    '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" '
    f'orient="auto-start-reverse"><path d="M0 0L8 4L0 8z" fill="{LINE}"/></marker></defs>'
)


@dataclass
class Box:
    """A box with lines of text; the first is bold if there are several."""

    x: float
    y: float
    width: float
    height: float

    def side(self, name: str) -> tuple[float, float]:
        middle = self.x + self.width / 2, self.y + self.height / 2
        return {
            "left": (self.x, middle[1]),
            "right": (self.x + self.width, middle[1]),
            "top": (middle[0], self.y),
            "bottom": (middle[0], self.y + self.height),
        }[name]


@dataclass
class Drawing:
    """A drawing of a given size."""

    width: int
    height: int
    parts: list[str] = field(default_factory=list)

    def box(
        self,
        x: float,
        y: float,
        width: float,
        height: float,
        *lines: str,
        fill: str = BLUE,
        mono: bool = False,
    ) -> Box:
        self.parts.append(
            f'<rect x="{x}" y="{y}" width="{width}" height="{height}" rx="6" fill="{fill}" '
            f'stroke="{LINE}" stroke-width="1.2"/>'
        )
        top = y + height / 2 - (len(lines) - 1) * 8 + 4.5
        for n, line in enumerate(lines):
            bold = n == 0 and len(lines) > 1
            self.text(x + width / 2, top + 16 * n, line, bold=bold, mono=mono, small=n > 0)
        return Box(x, y, width, height)

    def text(
        self,
        x: float,
        y: float,
        line: str,
        *,
        bold: bool = False,
        mono: bool = False,
        small: bool = False,
        anchor: str = "middle",
        colour: str = INK,
    ) -> None:
        family = "ui-monospace, Menlo, Consolas, monospace" if mono else "system-ui, sans-serif"
        weight = ' font-weight="600"' if bold else ""
        self.parts.append(
            f'<text x="{x}" y="{y}" text-anchor="{anchor}" font-family="{family}" '
            f'font-size="{12 if small else 13.5}" fill="{colour}"{weight}>{escape(line)}</text>'
        )

    def arrow(
        self,
        start: tuple[float, float],
        end: tuple[float, float],
        label: str = "",
        *,
        dashed: bool = False,
        above: float = 6,
    ) -> None:
        dash = ' stroke-dasharray="5 4"' if dashed else ""
        self.parts.append(
            f'<line x1="{start[0]}" y1="{start[1]}" x2="{end[0]}" y2="{end[1]}" stroke="{LINE}" '
            f'stroke-width="1.5" marker-end="url(#head)"{dash}/>'
        )
        if label:
            x, y = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2 - above
            self.text(x, y, label, small=True, colour=LINE)

    def chain(self, boxes: list[Box], labels: list[str] | None = None) -> None:
        """Arrows from each box to the next, from left to right."""
        for n, (one, other) in enumerate(pairwise(boxes)):
            self.arrow(one.side("right"), other.side("left"), (labels or [""] * len(boxes))[n])

    def write(self, path: Path) -> None:
        size = f'width="{self.width}" height="{self.height}"'
        view = f'viewBox="0 0 {self.width} {self.height}"'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" {view} {size}>'
        ground = f'<rect width="{self.width}" height="{self.height}" fill="{WHITE}"/>'
        path.write_text("\n".join([head, _HEAD, ground, *self.parts, "</svg>"]) + "\n")
