"""Whether a pattern matches the whole of a string, for many strings at once."""

from __future__ import annotations

import functools

import numpy as np

from runnel.core.types import Array
from runnel.ops.regex_engine import full_matcher
from runnel.ops.regex_forms import SHORT, Outline, Quick, letters_of
from runnel.ops.regex_patterns import quick


def matches(values: list[bytes], pattern: bytes) -> Array:
    """Whether the pattern matches each string, all of it."""
    text = pattern.decode("utf-8", "surrogateescape")
    joined = b"\0".join([b"", *values, b""])
    ends = np.flatnonzero(np.frombuffer(joined, np.uint8) == 0)
    plan, inner, ascii = quick(text), _inner(text), joined.isascii()
    if len(ends) == len(values) + 1 and np.diff(ends).max(initial=0) <= SHORT:
        if inner is not None and ascii and b"\n" not in joined:
            return _holding(inner, joined, ends)
        if plan is not None and plan.outline is not None and ascii:
            return _fitting(plan.outline, joined, ends)
        if plan is not None and (ascii or not plan.wide):
            return _whole(plan, joined, len(values))
    slow, fast = full_matcher(pattern), plan.for_bytes.fullmatch if plan else None
    found = [fast(v) if fast and plan and plan.suits(v) else slow(v) for v in values]
    return np.fromiter(map(bool, found), bool, len(values))


@functools.lru_cache(256)
def _inner(pattern: str) -> Quick | None:
    """The pattern that a string without a new line must have somewhere in it, if that is all."""
    if not (pattern.startswith(".*") and pattern.endswith(".*")) or pattern.endswith(r"\.*"):
        return None
    plan = quick(pattern[2:-2]) if len(pattern) > 4 else None
    return plan if plan is not None and plan.choices == 1 and not plan.empty else None


def _holding(plan: Quick, joined: bytes, ends: Array) -> Array:
    """Whether the pattern matches some part of each string."""
    places = [match.start() for match in plan.first.for_bytes.finditer(joined)]
    found = np.zeros(len(ends) - 1, bool)
    found[np.searchsorted(ends, places) - 1] = True
    return found


def _fitting(outline: Outline, joined: bytes, ends: Array) -> Array:
    """Whether a pattern of single characters and one run matches each string, by tables."""
    sizes, data = np.diff(ends) - 1, np.frombuffer(joined, np.uint8)
    least = len(outline.front) + outline.least + len(outline.back)
    found = sizes >= least if outline.run is not None else sizes == least
    taken = _table(outline.run or 0)
    strange = np.zeros(len(sizes), np.int64)  # letters in their places that the run does not take
    places = [(ends[:-1] + 1 + n, mask) for n, mask in enumerate(outline.front)]
    places += [(ends[1:] - 1 - n, mask) for n, mask in enumerate(reversed(outline.back))]
    for place, mask in places:
        letters = data.take(place, mode="clip")
        found &= _table(mask)[letters]
        strange += ~taken[letters]
    if outline.run is not None:
        rest = np.frombuffer(joined.translate(None, letters_of(outline.run)), np.uint8)
        found &= np.diff(np.flatnonzero(rest == 0)) - 1 == strange
    return found


def _table(mask: int) -> Array:
    """By byte, whether it is one of those of a mask."""
    table = np.zeros(256, bool)
    table[list(letters_of(mask))] = True
    return table


def _whole(plan: Quick, joined: bytes, count: int) -> Array:
    """Whether the pattern matches each string, by Python's engine."""
    # The group is a zero byte where it matched, and nothing where not.
    marks = np.frombuffer(b"\1".join(plan.whole.findall(joined)), np.uint8)
    places = np.flatnonzero(marks == 0)
    found = np.zeros(count + 1, bool)  # the last is what comes behind the last zero byte
    found[places - np.arange(len(places))] = True
    return found[:-1]
