"""How a profile of a pipeline looks: as a table with bars, and as an SVG picture."""

from __future__ import annotations

import html
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from runnel.data.insight.profiling import Profile, StageProfile

_BARS = 40  # characters
_LEFT, _LONG = 330, 460  # pixels: where bars begin, and how long the run is
_BUSY, _SLOWEST, _WAIT = "#2e86c1", "#c0392b", "#d5d8dc"


def table(profile: Profile) -> Iterator[str]:
    """A line per stage."""
    rate = profile.elements / profile.seconds if profile.seconds else 0.0
    yield f"{profile.elements} elements in {profile.seconds:.2f} s, {rate:,.0f} per second"
    yield ""
    head = f"{'stage':<44}{'thread':>7}{'elements':>10}{'own ms':>10}{'% busy':>8}"
    yield head + f"{'µs each':>10}{'wait ms':>10}{'MB':>9}"
    for stage in profile.stages:
        name = f"{'  ' * min(stage.depth, 8)}{stage.name}"[:43]
        each = stage.own / stage.elements * 1e6 if stage.elements else 0.0
        yield (
            f"{name:<44}{stage.thread:>7}{stage.elements:>10}{stage.own * 1e3:>10.1f}"
            f"{_share(stage.own, profile):>8.0%}{each:>10.2f}{stage.waited * 1e3:>10.1f}"
            f"{stage.bytes / 1e6:>9.2f}"
        )


def _share(seconds: float, profile: Profile) -> float:
    return min(1.0, seconds / profile.seconds) if profile.seconds else 0.0


def picture(profile: Profile) -> Iterator[str]:
    """A bar per stage as long as the run: full where it was busy, light where it waited."""
    slowest = profile.slowest
    if slowest is None or not slowest.own:
        return
    for stage in profile.stages:
        busy = round(_share(stage.own, profile) * _BARS)
        wait = min(_BARS - busy, round(_share(stage.waited, profile) * _BARS))
        bar = "█" * busy + "░" * wait
        mark = " ← holds the rest back" if stage is slowest else ""
        yield f"{stage.name[:30]:<31}|{bar:<{_BARS}}|{mark}"
    yield ""
    yield f"Slowest: {slowest.name}, made at {slowest.where}"
    if advice := _advice(profile, slowest):
        yield advice


def page(profile: Profile) -> str:
    """The profile as HTML: the picture, what may help, and the table behind a click."""
    slowest = profile.slowest
    text = "" if slowest is None else f"Slowest: {slowest.name}, made at {slowest.where}. "
    advice = "" if slowest is None else _advice(profile, slowest)
    rows = html.escape("\n".join(table(profile)))
    return (
        f'<div style="font-family: sans-serif">{to_svg(profile)}'
        f"<div>{html.escape(text + advice)}</div>"
        f'<details><summary>Numbers</summary><pre style="font-size: 12px">{rows}</pre></details>'
        "</div>"
    )


def _advice(profile: Profile, slowest: StageProfile) -> str:
    """What may help, if that is plain."""
    if _share(slowest.own, profile) < 0.5:
        return ""
    if slowest.name.startswith("MapDataset"):
        return "Its function may run on several elements at a time: num_parallel_calls."
    if slowest.name.startswith(("FlatMapDataset", "InterleaveDataset", "TFRecordDataset")):
        return "Several files can be read at a time: interleave with num_parallel_calls."
    return ""


def to_svg(profile: Profile) -> str:
    """The picture as the text of an SVG file."""
    slowest = profile.slowest
    rows = [_svg_row(profile, i, stage, stage is slowest) for i, stage in enumerate(profile.stages)]
    bottom = 52 + 26 * len(rows)
    legend = "".join(
        f'<rect x="{x}" y="{bottom}" width="12" height="12" fill="{color}"/>'
        f'<text x="{x + 18}" y="{bottom + 11}">{text}</text>'
        for x, color, text in (
            (_LEFT, _BUSY, "busy"),
            (_LEFT + 80, _SLOWEST, "holds the rest back"),
            (_LEFT + 250, _WAIT, "waits for another thread"),
        )
    )
    rate = profile.elements / profile.seconds if profile.seconds else 0.0
    title = f"{profile.elements} elements in {profile.seconds:.2f} s, {rate:,.0f} per second"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="1100" height="{bottom + 30}" '
        'font-family="sans-serif" font-size="13">'
        f'<rect width="100%" height="100%" fill="white"/>'
        f'<text x="8" y="22" font-weight="bold">{title}</text>'
        f'<line x1="{_LEFT + _LONG}" y1="34" x2="{_LEFT + _LONG}" y2="{bottom - 8}" '
        f'stroke="#aaa" stroke-dasharray="3 3"/>{"".join(rows)}{legend}</svg>\n'
    )


def _svg_row(profile: Profile, number: int, stage: StageProfile, slowest: bool) -> str:
    y = 38 + 26 * number
    busy = max(1.0, _share(stage.own, profile) * _LONG)
    wait = min(_LONG - busy, _share(stage.waited, profile) * _LONG)
    indent = 8 + 12 * min(stage.depth, 8)
    color = _SLOWEST if slowest else _BUSY
    text = f"{stage.own * 1e3:.1f} ms, {stage.elements} elements, {stage.bytes / 1e6:.2f} MB"
    thread = f", thread {stage.thread}" if stage.thread else ""
    return (
        f"<g><title>{html.escape(stage.where)}</title>"
        f'<text x="{indent}" y="{y + 14}">{html.escape(stage.name[:40])}</text>'
        f'<rect x="{_LEFT}" y="{y}" width="{busy:.1f}" height="18" fill="{color}"/>'
        f'<rect x="{_LEFT + busy:.1f}" y="{y}" width="{wait:.1f}" height="18" fill="{_WAIT}"/>'
        f'<text x="{_LEFT + _LONG + 10}" y="{y + 14}" font-size="12">{text}{thread}</text></g>'
    )
