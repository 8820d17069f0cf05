"""The alternatives of a pattern, each as a pattern of its own: a whole match is one of them."""

from __future__ import annotations

import functools
import re

_MOST_ALTERNATIVES = 16  # alternatives; a pattern of more is run as it is
_TOKEN = re.compile(
    r"\\.|\[\^?\]?(?:\[:\^?\w+:\]|\\.|[^\]\\])*\]|\(\?:|\(\?|[()|]|[^\\\[()|]", re.DOTALL
)


@functools.lru_cache(256)
def branches(pattern: str) -> tuple[str, ...]:
    """The alternatives, also those within groups that are not repeated; the pattern if that is all.

    >>> from runnel.kernels.text.regex.branches import branches
    >>> branches("(a+|b)c|d*")
    ('a+c', 'bc', 'd*')
    """
    tokens = _TOKEN.findall(pattern)
    if "".join(tokens) != pattern or "(?" in tokens:
        return (pattern,)
    waiting, found = _at_bars(tokens), []
    while waiting:
        tokens, *waiting = waiting
        spread = _spread(tokens)
        if len(spread) == 1:
            found.append("".join(spread[0]))
        waiting = waiting if len(spread) == 1 else spread + waiting
        if len(found) + len(waiting) > _MOST_ALTERNATIVES:
            return (pattern,)
    return tuple(found)


def _at_bars(tokens: list[str]) -> list[list[str]]:
    """A pattern cut at the bars that are in no group."""
    parts: list[list[str]] = [[]]
    depth = 0
    for token in tokens:
        depth += (token in ("(", "(?:")) - (token == ")")
        if token == "|" and not depth:
            parts.append([])
        else:
            parts[-1].append(token)
    return parts


def _spread(tokens: list[str]) -> list[list[str]]:
    """A pattern for each alternative of the first group that has some."""
    opened: list[int] = []
    for place, token in enumerate(tokens):
        if token in ("(", "(?:"):
            opened.append(place)
        elif token == ")" and opened:
            start = opened.pop()
            inner = _at_bars(tokens[start + 1 : place])
            once = tokens[place + 1 : place + 2] not in (["*"], ["+"], ["?"], ["{"])
            if len(inner) > 1 and once and not opened:
                return [tokens[:start] + part + tokens[place + 1 :] for part in inner]
    return [tokens]
