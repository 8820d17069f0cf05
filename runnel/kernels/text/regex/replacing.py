"""Every match of a pattern replaced, or the first in each string, for many strings at once."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.kernels.text.regex.engine import compiled
from runnel.kernels.text.regex.forms import SHORT, Quick, Single
from runnel.kernels.text.regex.patterns import quick


def rewrite_pieces(rewrite: bytes) -> tuple[list[Any], bool]:
    r"""The pieces of a replacement, text and the numbers of groups, and whether that is all.

    It is not if there is a backslash before something else: there RE2 stops reading.

    >>> rewrite_pieces(rb"<\1\\>")
    ([b'<', 1, b'\\>'], True)
    """
    pieces: list[Any] = [b""]
    for text in re.findall(rb"\\.|[^\\]+|\\", rewrite, re.DOTALL):
        if text[:1] != b"\\":
            pieces[-1] += text
        elif text[1:].isdigit():
            pieces += [int(text[1:]), b""]
        elif text == b"\\\\":
            pieces[-1] += b"\\"
        else:
            return [piece for piece in pieces if piece != b""], False
    return [piece for piece in pieces if piece != b""], True


def replaced(
    values: list[bytes], pattern: bytes, pieces: Sequence[Any], everywhere: bool
) -> list[bytes]:
    """The strings with `pieces`, of which a number is a group, in place of matches."""
    found = _quickly(values, pattern, pieces, everywhere)
    if found is None:
        found = [replace_one(compiled(pattern), value, pieces, everywhere) for value in values]
    return found


def replace_one(regexp: Any, value: bytes, pieces: Sequence[Any], everywhere: bool) -> bytes:
    """One string by RE2. An empty match right behind another match is none."""
    found, place, last = [], 0, -1
    while place <= len(value):
        match = regexp.search(value, place)
        if match is None:
            break
        start, end = match.span()
        found.append(value[place:start])
        if start == end == last:
            width = _letter_width(value, start)
            found.append(value[start : start + width])
            place = start + width
            continue
        found.extend(p if isinstance(p, bytes) else match[p] or b"" for p in pieces)
        place = last = end
        if not everywhere:
            break
    return b"".join([*found, value[place:]])


def _letter_width(value: bytes, place: int) -> int:
    """The bytes of the UTF-8 character at a place, at least one."""
    lead = value[place] if place < len(value) else 0
    width = 1 + (lead >= 0xC0) + (lead >= 0xE0) + (lead >= 0xF0)
    following = value[place + 1 : place + width]
    whole = len(following) == width - 1 and all(byte & 0xC0 == 0x80 for byte in following)
    return width if whole else 1


def _quickly(
    values: list[bytes], pattern: bytes, pieces: Sequence[Any], everywhere: bool
) -> list[bytes] | None:
    """All strings at once, if there is a quick way for this pattern."""
    plan = quick(pattern.decode("utf-8", "surrogateescape"))
    if plan is None or not values:
        return None
    if plan.ends is not None and not pieces and (everywhere or plan.choices == 1):
        return _without_ends(values, *plan.ends)
    if plan.empty:
        return None
    slow = _slow_places(values, anything=plan.linear)
    found = _all_but(slow, values, plan, pieces, everywhere)
    if found is None:  # because of some strings, which have zero bytes or are no text
        slow = {i for i, value in enumerate(values) if not plan.suits(value)}
        found = _all_but(slow, values, plan, pieces, everywhere)
    if found is not None:
        for i in slow:
            found[i] = replace_one(compiled(pattern), values[i], pieces, everywhere)
    return found


def _all_but(
    slow: set[int], values: list[bytes], plan: Quick, pieces: Sequence[Any], everywhere: bool
) -> list[bytes] | None:
    """The strings replaced that are not in these places, where the result has anything."""
    rest = [b"" if i in slow else value for i, value in enumerate(values)] if slow else values
    joined = b"\0".join(rest)
    single = plan.single if everywhere else None
    result = _replace_single(single, joined, pieces) if single else None
    if result is None:
        numbers = [p if isinstance(p, bytes) else p + 1 for p in pieces]
        if not everywhere:
            result = _replace_joined(plan.first, joined, [*numbers, plan.first.groups])
        elif 0 in pieces:
            result = _replace_joined(plan.grouped, joined, numbers)
        else:
            result = _replace_joined(plan, joined, pieces)
    found = [] if result is None else result.split(b"\0")
    return found if len(found) == len(values) else None


def _without_ends(values: list[bytes], first: bytes, last: bytes) -> list[bytes] | None:
    """Strings without these letters at their beginning and their end."""
    if b"\0" in b"".join(values):
        return None
    if first == last:
        return [value.strip(first) for value in values]
    return [value.lstrip(first).rstrip(last) for value in values]


def _slow_places(values: list[bytes], *, anything: bool) -> set[int]:
    """The places of strings that are too long for Python's engine."""
    if anything or max(map(len, values)) <= SHORT:
        return set()
    return {i for i, value in enumerate(values) if len(value) > SHORT}


def _replace_single(single: Single, joined: bytes, pieces: Sequence[Any]) -> bytes | None:
    """Characters of one class, or runs of them, replaced without an engine."""
    if any(isinstance(p, bytes) and b"\0" in p for p in pieces):
        return None
    plain = joined.isascii() or not single.wide
    if any(isinstance(p, int) for p in pieces):
        return _replace_each(single, joined, pieces) if plain or _is_utf8(joined) else None
    rewrite = b"".join(pieces)
    each_alone = not (single.run and rewrite)  # taking a run away takes each of it away
    if plain and each_alone and not rewrite:
        return joined.translate(None, single.letters)
    if plain and each_alone and len(rewrite) == 1:
        letters = single.letters
        return joined.translate(bytes.maketrans(letters, rewrite * len(letters)))
    if single.table is None or b"\xff" in joined or not (plain or _is_utf8(joined)):
        return None
    return _replace_by_table(single, joined, rewrite)


def _replace_each(single: Single, joined: bytes, pieces: Sequence[Any]) -> bytes | None:
    """Each character of a class put into the replacement, one after another."""
    literal = b"".join(p for p in pieces if isinstance(p, bytes))
    if single.run or single.members is None or any(m in literal for m in single.members):
        return None
    for letter in single.members:
        if letter in joined:
            new = b"".join(letter if isinstance(p, int) else p for p in pieces)
            joined = joined.replace(letter, new)
    return joined


def _replace_by_table(single: Single, joined: bytes, rewrite: bytes) -> bytes:
    """Characters, or runs of them, marked by the byte 255 and then replaced."""
    assert single.table is not None
    data = np.frombuffer(joined, np.uint8)
    taken, dropped = single.table[data], np.zeros(len(data), bool)
    if single.wide:
        dropped = (data & 0xC0) == 0x80  # a character goes with its first byte
        taken = taken | dropped
    if single.run:
        dropped[1:] = taken[1:] & taken[:-1]
    marked = np.where(taken, np.uint8(0xFF), data)[~dropped]
    return marked.tobytes().replace(b"\xff", rewrite)


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _replace_joined(plan: Quick, joined: bytes, pieces: Sequence[Any]) -> bytes | None:
    """Every match replaced, by Python's engine."""
    if any(isinstance(p, bytes) and b"\0" in p for p in pieces):
        return None
    if not plan.wide or joined.isascii():
        return _rebuilt(plan.for_bytes, joined, pieces)
    if plan.folded or not _is_utf8(joined):
        return None
    texts = [p.decode("utf-8", "surrogateescape") if isinstance(p, bytes) else p for p in pieces]
    result: str = _rebuilt(plan.for_text, joined.decode(), texts)
    return result.encode("utf-8", "surrogateescape")


def _rebuilt(regexp: Any, text: Any, pieces: Sequence[Any]) -> Any:
    """The text with `pieces`, of which a number is a group, in place of each match."""
    empty = text[:0]
    parts = regexp.split(text)  # what is between the matches, and the groups of each
    width, step = regexp.groups + 1, len(pieces) + 1
    between = parts[0::width]
    if not any(isinstance(p, int) for p in pieces):
        return empty.join(pieces).join(between)
    result = [empty] * (step * (len(between) - 1) + 1)
    result[0::step] = between
    for place, piece in enumerate(pieces, 1):
        column = parts[piece::width] if isinstance(piece, int) else [piece] * (len(between) - 1)
        if None in column:  # the group took no part in a match
            column = [part or empty for part in column]
        result[place::step] = column
    return empty.join(result)
