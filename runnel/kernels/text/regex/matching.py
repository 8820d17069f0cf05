"""Whether a pattern matches the whole of a string, for many strings at once."""

from __future__ import annotations

import functools

import numpy as np

from runnel.core.values.types import Array
from runnel.kernels.text.flat_text import PADDING, FlatText
from runnel.kernels.text.regex.branches import branches
from runnel.kernels.text.regex.engine import full_matcher
from runnel.kernels.text.regex.forms import SHORT, Outline, Quick, letters_of
from runnel.kernels.text.regex.patterns import quick


def matches(text: FlatText, pattern: bytes) -> Array:
    """Whether the pattern matches each string, all of it."""
    source = pattern.decode("utf-8", "surrogateescape")
    plan, inner = quick(source), _inner(source)
    if not text.has_zeros and text.longest <= SHORT and len(text):
        if inner is not None and text.is_ascii and b"\n" not in text.inner:
            return _holding(inner, text)
        parts = [quick(part) for part in branches(source)]
        outlines = [part.outline for part in parts if part is not None and part.outline is not None]
        if len(outlines) == len(parts) and text.is_ascii:
            return functools.reduce(np.logical_or, [_fitting(each, text) for each in outlines])
        each = plan or quick("|".join(branches(source)))
        if each is not None and (text.is_ascii or not each.wide):
            return _whole(each, text)
    slow, fast = full_matcher(pattern), plan.for_bytes.fullmatch if plan else None
    values = map(text.one, range(len(text)))
    found = [fast(v) if fast and plan and plan.suits(v) else slow(v) for v in values]
    return np.fromiter(map(bool, found), bool, len(text))


@functools.lru_cache(256)
def _inner(pattern: str) -> Quick | None:
    """The pattern that a string without a new line must have somewhere in it, if that is all."""
    if not (pattern.startswith(".*") and pattern.endswith(".*")) or pattern.endswith(r"\.*"):
        return None
    plan = quick(pattern[2:-2]) if len(pattern) > 4 else None
    return plan if plan is not None and plan.choices == 1 and not plan.empty else None


def _holding(plan: Quick, text: FlatText) -> Array:
    """Whether the pattern matches some part of each string."""
    places = [match.start() for match in plan.first.for_bytes.finditer(text.inner)]
    found = np.zeros(len(text), bool)
    found[np.searchsorted(text.starts - PADDING + 1, places, side="right") - 1] = True
    return found


def _fitting(outline: Outline, text: FlatText) -> Array:
    """Whether a pattern of single characters and one run matches each string, by tables."""
    least = len(outline.front) + outline.least + len(outline.back)
    found = text.sizes >= least if outline.run is not None else text.sizes == least
    taken = _table(outline.run or 0)
    strange = np.zeros(len(text), np.int64)  # letters in their places that the run does not take
    places = [(text.starts + n, mask) for n, mask in enumerate(outline.front)]
    places += [(text.ends - 1 - n, mask) for n, mask in enumerate(reversed(outline.back))]
    for place, mask in places:
        letters = text.data.take(place, mode="clip")
        found &= _table(mask)[letters]
        strange += ~taken[letters]
    if outline.run is not None:
        rest = np.frombuffer(text.inner.translate(None, letters_of(outline.run)), np.uint8)
        found &= np.diff(np.flatnonzero(rest == 0)) - 1 == strange
    return found


def _table(mask: int) -> Array:
    """By byte, whether it is one of those of a mask."""
    table = np.zeros(256, bool)
    table[list(letters_of(mask))] = True
    return table


def _whole(plan: Quick, text: FlatText) -> Array:
    """Whether the pattern matches each string, by Python's engine."""
    # The group is a zero byte where it matched, and nothing where not.
    marks = np.frombuffer(b"\1".join(plan.whole.findall(text.inner)), np.uint8)
    places = np.flatnonzero(marks == 0)
    found = np.zeros(len(text) + 1, bool)  # the last is what comes behind the last zero byte
    found[places - np.arange(len(places))] = True
    return found[:-1]
