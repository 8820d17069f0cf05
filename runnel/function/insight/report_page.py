"""How a report of `fn.explain()` looks in a notebook: traces, with a drawing of their segments."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from runnel.function.insight.explain import Cut, PlanReport, Report, SegmentReport, TraceReport

_WIDTH, _LEFT, _HEIGHT, _GAP = 900, 8, 44, 22  # pixels
_COMPILED, _INTERPRETED, _HOST = "#2471a3", "#5d7b93", "#b9560f"


class _Box(NamedTuple):
    color: str
    title: str
    below: str
    hint: str

    @property
    def width(self) -> int:
        return max(90, 14 + 7 * max(len(self.title), len(self.below)))


def page(report: Report) -> str:
    """The report as HTML."""
    traces = "".join(_trace(trace, trace is report.traces[-1]) for trace in report.traces)
    head = html.escape(report.head())
    return f'<div style="font-family: sans-serif"><b>{head}</b>{traces}</div>'


def _trace(trace: TraceReport, is_last: bool) -> str:
    title, *lines = trace.lines()
    plans = "".join(f"<div>{svg(plan)}</div>" for plan in trace.plans)
    text = html.escape("\n".join(lines))
    state = " open" if is_last else ""
    return (
        f"<details{state}><summary>{html.escape(title)}</summary>{plans}"
        f'<pre style="font-size: 12px; white-space: pre-wrap">{text}</pre></details>'
    )


def svg(plan: PlanReport) -> str:
    """The stages of one graph in the order in which they run, as the text of an SVG file."""
    rows = list(_rows([_box(stage, number) for number, stage in _numbered(plan)]))
    height = 34 + len(rows) * (_HEIGHT + _GAP) + 8
    boxes = "".join(_row(row, 34 + i * (_HEIGHT + _GAP)) for i, row in enumerate(rows))
    title = f"{plan.label}: {plan.operations} operations"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" '
        'font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="white"/>'
        f'<text x="{_LEFT}" y="20" font-weight="bold">{html.escape(title)}</text>{boxes}'
        f"{_legend()}</svg>"
    )


def _numbered(plan: PlanReport) -> Iterator[tuple[int, Cut | SegmentReport]]:
    """The stages, each segment with its number."""
    number = 0
    for stage in plan.stages:
        yield number, stage
        number += not hasattr(stage, "op")


def _box(stage: Cut | SegmentReport, number: int) -> _Box:
    if hasattr(stage, "op"):
        return _Box(_HOST, stage.op, "host", str(stage))
    seconds = list(stage.compile_seconds.values())
    below = f"compiled in {sum(seconds):.2f} s" if seconds else "interpreted"
    if len(seconds) > 1:
        below += f", {len(seconds)} shapes"
    color = _COMPILED if seconds else _INTERPRETED
    title = f"segment {number}: {stage.operations} operations"
    return _Box(color, title, below, title)


def _rows(boxes: list[_Box]) -> Iterator[list[_Box]]:
    row: list[_Box] = []
    used = _LEFT
    for box in boxes:
        if row and used + box.width > _WIDTH - _LEFT:
            yield row
            row, used = [], _LEFT
        row.append(box)
        used += box.width + _GAP
    if row:
        yield row


def _row(row: list[_Box], y: int) -> str:
    x, parts = _LEFT, []
    for place, box in enumerate(row):
        if place:
            middle = y + _HEIGHT / 2
            parts.append(
                f'<path d="M{x - _GAP + 3} {middle}h{_GAP - 8}m-5 -4l5 4l-5 4" fill="none" '
                'stroke="#777"/>'
            )
        parts.append(
            f"<g><title>{html.escape(box.hint)}</title>"
            f'<rect x="{x}" y="{y}" width="{box.width}" height="{_HEIGHT}" rx="5" '
            f'fill="{box.color}"/>'
            f'<text x="{x + 8}" y="{y + 18}" fill="white">{html.escape(box.title)}</text>'
            f'<text x="{x + 8}" y="{y + 35}" fill="white">{html.escape(box.below)}</text></g>'
        )
        x += box.width + _GAP
    return "".join(parts)


def _legend() -> str:
    names = ((_COMPILED, "compiled"), (_INTERPRETED, "interpreted so far"), (_HOST, "on the host"))
    return "".join(
        f'<rect x="{530 + 130 * i}" y="10" width="12" height="12" fill="{color}"/>'
        f'<text x="{548 + 130 * i}" y="20">{text}</text>'
        for i, (color, text) in enumerate(names)
    )
