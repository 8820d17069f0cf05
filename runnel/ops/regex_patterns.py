r"""Regular expressions that Python's own engine may run: those in which it cannot go astray.

RE2, which decides what a pattern means, takes some microseconds for each match when it is called
from Python. Python's engine is an order of magnitude faster, but backtracks. `quick(pattern)`
translates a pattern if a failing attempt to match it costs no more steps than there are bytes:
pieces that repeat do not nest, and either there is one of them, or each is followed by something
that it cannot match itself. Everything else, and everything that the two engines read
differently, is left to RE2.

Many strings are searched at once, with a zero byte between one and the next, which no piece of a
translated pattern matches.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from runnel.core.types import Array

SHORT = 256  # bytes; searching costs at most the square of a string's length
_MANY = 8  # repetitions up to here count as a fixed number of steps
_WIDE = "\uffff"  # in a translated class: all characters beyond ASCII
_ASCII = (1 << 128) - 1


def _mask(text: str) -> int:
    return sum(1 << ord(c) for c in set(text))


def _span(first: str, last: str) -> int:
    return sum(1 << c for c in range(ord(first), ord(last) + 1))


_DIGIT, _LOWER, _UPPER = _span("0", "9"), _span("a", "z"), _span("A", "Z")
_WORD, _SPACE = _DIGIT | _LOWER | _UPPER | _mask("_"), _mask("\t\n\f\r ")
_PUNCT = _span("!", "/") | _span(":", "@") | _span("[", "`") | _span("{", "~")
_CLASSES = {"d": _DIGIT, "w": _WORD, "s": _SPACE}
_LETTERS = {"t": "\t", "n": "\n", "r": "\r", "f": "\f", "v": "\v"}
_POSIX = {
    "alnum": _DIGIT | _LOWER | _UPPER,
    "alpha": _LOWER | _UPPER,
    "ascii": _ASCII,
    "blank": _mask(" \t"),
    "cntrl": _span("\x00", "\x1f") | _mask("\x7f"),
    "digit": _DIGIT,
    "graph": _span("!", "~"),
    "lower": _LOWER,
    "print": _span(" ", "~"),
    "punct": _PUNCT,
    "space": _SPACE | _mask("\v"),
    "upper": _UPPER,
    "word": _WORD,
    "xdigit": _DIGIT | _span("a", "f") | _span("A", "F"),
}
_ANCHORS = {"^": r"(?<![^\x00])", "$": r"(?![^\x00])"}


class _Unsupported(Exception):
    """The pattern has something that is left to RE2."""


@dataclass
class _Part:
    """A piece of a pattern: what it is for Python, and which ASCII characters it begins with."""

    source: str
    mask: int = 0
    wide: bool = False  # also takes characters beyond ASCII
    consumes: bool = False  # takes one character at least
    atom: bool = False  # may be repeated
    varies: bool = False  # takes now more, now fewer
    endless: bool = False  # without a bound
    lazy: bool = False  # takes as few as it can


@dataclass
class Quick:
    """A pattern for Python's engine."""

    source: str
    groups: int
    wide: bool
    linear: bool  # whatever the length of the strings
    empty: bool  # may match nothing at all, which the engines treat differently when they replace
    single: tuple[int, bool] | None = None  # one character of these, or (True) a run of them
    folded: bool = False  # whatever the case, which goes for letters beyond ASCII, too

    def suits(self, value: bytes) -> bool:
        """Whether `for_bytes` may search a string."""
        return len(value) <= SHORT and 0 not in value and (not self.wide or value.isascii())

    def suits_all(self, values: Sequence[bytes]) -> bool:
        """Whether `for_bytes` may search every one of many strings."""
        text = b"".join(values)
        plain = 0 not in text and (not self.wide or text.isascii())
        return plain and max(map(len, values), default=0) <= SHORT

    @functools.cached_property
    def for_bytes(self) -> re.Pattern[bytes]:
        """The pattern for strings of ASCII, or for any if it is not `wide`."""
        return re.compile(self.source.replace(_WIDE, "").encode())

    @functools.cached_property
    def for_text(self) -> re.Pattern[str]:
        return re.compile(self.source.replace(_WIDE, "\x80-\U0010ffff"), re.ASCII)

    @functools.cached_property
    def table(self) -> Array:
        """By byte, whether `single` takes the character that begins with it."""
        assert self.single is not None
        table = np.zeros(256, bool)
        table[[c for c in range(128) if self.single[0] >> c & 1]] = True
        table[0xC0:] = self.wide
        return table


@functools.lru_cache(256)
def quick(pattern: str) -> Quick | None:
    """The pattern for Python's engine, None if RE2 must run it."""
    try:
        return _Parser(pattern).pattern()
    except _Unsupported:
        return None


class _Parser:
    def __init__(self, text: str) -> None:
        if not text.isascii() or "\0" in text:
            raise _Unsupported
        self.text = text
        self.place = 0
        self.groups = 0
        self.folded = False
        self.dot_all = False

    def pattern(self) -> Quick:
        self.read_flags()
        branches = [self.branch()]
        while self.take("|"):
            branches.append(self.branch())
        if self.place < len(self.text):
            raise _Unsupported
        for parts in branches:
            _check_branch(parts)
            _keep_all(parts)
        parts = [part for branch in branches for part in branch]
        source = "|".join("".join(part.source for part in branch) for branch in branches)
        single = _single(parts) if len(branches) == 1 and not self.folded else None
        wide = self.folded or any(part.wide for part in parts)
        linear = all(_is_linear(branch) for branch in branches)
        empty = not all(any(part.consumes for part in branch) for branch in branches)
        return Quick(source, self.groups, wide, linear, empty, single, self.folded)

    def read_flags(self) -> None:
        found = re.match(r"\(\?([is]+)\)", self.text)
        if found:
            self.place = found.end()
            self.dot_all = "s" in found[1]
            self.folded = "i" in found[1]

    def peek(self) -> str:
        return self.text[self.place : self.place + 1]

    def take(self, wanted: str) -> bool:
        found = self.text.startswith(wanted, self.place)
        self.place += len(wanted) if found else 0
        return found

    def next(self) -> str:
        if self.place >= len(self.text):
            raise _Unsupported
        self.place += 1
        return self.text[self.place - 1]

    def branch(self) -> list[_Part]:
        parts: list[_Part] = []
        while self.peek() not in ("", "|", ")"):
            atoms = self.atom()
            if self.peek() and self.peek() in "*+?{":
                if len(atoms) != 1 or not atoms[0].atom:
                    raise _Unsupported
                atoms = [self.repeated(atoms[0])]
            parts.extend(atoms)
        return parts

    def repeated(self, part: _Part) -> _Part:
        least, most, sign = self.counts()
        lazy = "?" if self.take("?") else ""
        if self.peek() and self.peek() in "*+?{":
            raise _Unsupported
        endless = most is None or most > _MANY
        varies = most != least
        return _Part(
            part.source + sign + lazy,
            part.mask,
            part.wide,
            consumes=least > 0,
            varies=varies,
            endless=varies and endless,
            lazy=bool(lazy),
        )

    def counts(self) -> tuple[int, int | None, str]:
        sign = self.next()
        if sign != "{":
            return {"*": (0, None, "*"), "+": (1, None, "+"), "?": (0, 1, "?")}[sign]
        found = re.compile(r"(\d+)(,?)(\d*)\}").match(self.text, self.place)
        if not found or int(found[1]) > 1000:
            raise _Unsupported
        self.place = found.end()
        least = int(found[1])
        most = least if not found[2] else int(found[3]) if found[3] else None
        return least, most, "{" + found[0]

    def atom(self) -> list[_Part]:
        letter = self.next()
        if letter == "(":
            return self.group()
        if letter in _ANCHORS:
            return [_Part(_ANCHORS[letter])]
        if letter == ".":
            return [self.one_of(_ASCII if self.dot_all else _ASCII & ~_mask("\n"), wide=True)]
        if letter == "[":
            return [self.bracket()]
        if letter == "\\":
            if self.take("b"):
                return [_Part(r"\b")]
            return [self.one_of(*self.escape())]
        if letter in "*+?{":
            raise _Unsupported
        return [self.one_of(1 << ord(letter))]

    def escape(self) -> tuple[int, bool]:
        """The characters that an escape stands for, and whether also those beyond ASCII."""
        letter = self.next()
        if letter.lower() in _CLASSES:
            mask = _CLASSES[letter.lower()]
            return (mask, False) if letter.islower() else (_ASCII & ~mask, True)
        if letter in _LETTERS:
            return 1 << ord(_LETTERS[letter]), False
        if letter.isalnum():
            raise _Unsupported
        return 1 << ord(letter), False

    def one_of(self, mask: int, wide: bool = False) -> _Part:
        mask &= ~1  # the byte between strings
        if not mask:
            raise _Unsupported
        mask = self.fold(mask)
        return _Part(_class_source(mask, wide), mask, wide, consumes=True, atom=True)

    def fold(self, mask: int) -> int:
        """The same letters in both cases, if that is what the pattern asks for."""
        return mask | (mask & _LOWER) >> 32 | (mask & _UPPER) << 32 if self.folded else mask

    def bracket(self) -> _Part:
        negated = self.take("^")
        mask, wide, first = 0, False, True
        while first or not self.take("]"):
            low, is_wide, is_class = self.member()
            if not is_class and self.peek() == "-" and self.text[self.place + 1 :][:1] != "]":
                self.place += 1
                high, _, is_class = self.member()
                if is_class or high < low:
                    raise _Unsupported
                low = (high << 1) - low  # all bits from the low one to the high one
            mask, wide, first = mask | low, wide or is_wide, False
        if negated:
            mask, wide = _ASCII & ~self.fold(mask), not wide
        return self.one_of(mask, wide)

    def member(self) -> tuple[int, bool, bool]:
        """The characters of the next piece of a class; whether wide; whether more than one."""
        found = re.compile(r"\[:(\^?)(\w+):\]").match(self.text, self.place)
        if found:
            if found[2] not in _POSIX:
                raise _Unsupported
            self.place = found.end()
            mask = _POSIX[found[2]]
            return (_ASCII & ~mask, True, True) if found[1] else (mask, False, True)
        letter = self.next()
        if letter == "\\":
            mask, wide = self.escape()
            return mask, wide, wide or bool(mask & (mask - 1))
        return 1 << ord(letter), False, False

    def group(self) -> list[_Part]:
        opening = "(?:" if self.take("?:") else "("
        if self.peek() == "?":
            raise _Unsupported
        self.groups += opening == "("
        branches = [self.branch()]
        while self.take("|"):
            branches.append(self.branch())
        if not self.take(")"):
            raise _Unsupported
        if len(branches) == 1:
            return [_Part(opening), *branches[0], _Part(")")]
        if any(part.varies for branch in branches for part in branch):
            raise _Unsupported
        return [_choice(opening, branches)]


def _choice(opening: str, branches: list[list[_Part]]) -> _Part:
    """A group of branches of a fixed length each, as one piece that is not repeated."""
    if not all(any(part.consumes for part in branch) for branch in branches):
        raise _Unsupported
    heads = [next(part for part in branch if part.consumes) for branch in branches]
    source = "|".join("".join(part.source for part in branch) for branch in branches)
    mask = functools.reduce(lambda a, b: a | b, [head.mask for head in heads])
    wide = any(part.wide for branch in branches for part in branch)
    return _Part(f"{opening}{source})", mask, wide, consumes=True)


def _check_branch(parts: list[_Part]) -> None:
    """See that what repeats cannot give back what the next piece would take."""
    varying = [i for i, part in enumerate(parts) if part.varies]
    for i in varying if len(varying) > 1 else ():
        mask, wide = _beginning(parts[i + 1 :])
        if mask & parts[i].mask or (wide and parts[i].wide):
            raise _Unsupported


def _keep_all(parts: list[_Part]) -> None:
    """Say of what repeats that it need not give anything back, where the rest could not take it."""
    for i, part in enumerate(parts):
        rest = [each for each in parts[i + 1 :] if each.source not in ("(", "(?:", ")")]
        if part.endless and not part.lazy and rest and _needs_none(rest, part):
            part.source += "+"


def _needs_none(rest: list[_Part], part: _Part) -> bool:
    """Whether a sequence cannot match earlier than where a greedy piece ends."""
    for each in rest:
        looks_back = not each.mask and each.source != _ANCHORS["$"]  # such as the edge of a word
        if looks_back or each.mask & part.mask or (each.wide and part.wide):
            return False
        if each.consumes:
            return True
    return True


def _beginning(parts: list[_Part]) -> tuple[int, bool]:
    """The ASCII characters that a sequence can begin with, and whether others, too."""
    mask, wide = 0, False
    for part in parts:
        mask, wide = mask | part.mask, wide or part.wide
        if part.consumes:
            break
    return mask, wide


def _is_linear(parts: list[_Part]) -> bool:
    """Whether nothing but the last piece can take much."""
    return not any(part.endless for part in parts[:-1])


def _single(parts: list[_Part]) -> tuple[int, bool] | None:
    if len(parts) != 1 or not parts[0].consumes:
        return None
    part, plain = parts[0], _class_source(parts[0].mask, parts[0].wide)
    if part.source not in (plain, plain + "+"):
        return None
    return part.mask, part.source != plain


def _class_source(mask: int, wide: bool) -> str:
    """A class of Python's for the characters of a mask."""
    pieces = []
    c = 0
    while mask >> c:
        if mask >> c & 1:
            end = c
            while mask >> (end + 1) & 1:
                end += 1
            pieces.append(rf"\x{c:02x}" + (rf"-\x{end:02x}" if end > c else ""))
            c = end
        c += 1
    return "[" + "".join(pieces) + (_WIDE if wide else "") + "]"


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
