r"""Regular expressions that Python's own engine may run: those in which it cannot go astray.

RE2, which decides what a pattern means, takes some microseconds for each match when it is called
from Python. Python's engine is an order of magnitude faster, but backtracks. `quick(pattern)`
translates a pattern if a failing attempt to match it costs no more steps than there are bytes:
pieces that repeat do not nest, and either there is one of them, or each is followed by something
that it cannot match itself. Everything else, and everything that the two engines read
differently, is left to RE2.

Many strings are searched at once, with a zero byte between one and the next, which no piece of a
translated pattern matches.

By RE2 alone 10,000 lines take 4 to 200 times as long, `TextVectorization` 4.4 times. On top of
that, as many times as long without it: classes and runs of one class 2.8, ends 22, outlines 4.3,
alternatives apart 4.9, something inside 49 (`benchmarks/mechanisms.py`).
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from runnel.kernels.text.regex.forms import ALL, Outline, Quick, Ranges, Single

_REPETITIONS_COUNTED = 8  # repetitions up to here count as a fixed number of steps
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
    wide: Ranges = ()  # also takes these characters beyond ASCII
    consumes: bool = False  # takes one character at least
    atom: bool = False  # may be repeated
    varies: bool = False  # takes now more, now fewer
    endless: bool = False  # without a bound
    lazy: bool = False  # takes as few as it can


@functools.lru_cache(256)
def quick(pattern: str) -> Quick | None:
    """The pattern for Python's engine, None if RE2 must run it."""
    try:
        return _Parser(pattern).pattern()
    except _Unsupported:
        return None


class _Parser:
    def __init__(self, text: str) -> None:
        if "\0" in text or any("\ud800" <= c <= "\udfff" for c in text):
            raise _Unsupported  # the latter stand for bytes that are no characters
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
        plain = len(branches) == 1 and not self.folded
        return Quick(
            source,
            self.groups,
            wide=self.folded or any(part.wide for part in parts),
            linear=all(_is_linear(branch) for branch in branches),
            empty=not all(any(part.consumes for part in branch) for branch in branches),
            single=_single(parts) if plain else None,
            ends=None if self.folded or self.groups else _ends(branches),
            outline=_outline(parts) if plain else None,
            choices=len(branches),
            folded=self.folded,
        )

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
        endless = most is None or most > _REPETITIONS_COUNTED
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
            return [self.one_of(_ASCII if self.dot_all else _ASCII & ~_mask("\n"), ALL)]
        if letter == "[":
            return [self.bracket()]
        if letter == "\\":
            if self.take("b"):
                return [_Part(r"\b")]
            return [self.one_of(*self.escape())]
        if letter in "*+?{":
            raise _Unsupported
        return [self.one_of(*_between(letter, letter))]

    def escape(self) -> tuple[int, Ranges]:
        """The characters that an escape stands for: those of ASCII, and those beyond."""
        letter = self.next()
        if letter.lower() in _CLASSES:
            mask = _CLASSES[letter.lower()]
            return (mask, ()) if letter.islower() else (_ASCII & ~mask, ALL)
        if letter in _LETTERS:
            return 1 << ord(_LETTERS[letter]), ()
        if letter.isalnum() or not letter.isascii():
            raise _Unsupported
        return 1 << ord(letter), ()

    def one_of(self, mask: int, wide: Ranges = ()) -> _Part:
        mask &= ~1  # the byte between strings
        if not (mask or wide) or (self.folded and wide not in ((), ALL)):
            raise _Unsupported
        mask = self.fold(mask)
        return _Part(_class_source(mask, wide), mask, wide, consumes=True, atom=True)

    def fold(self, mask: int) -> int:
        """The same letters in both cases, if that is what the pattern asks for."""
        return mask | (mask & _LOWER) >> 32 | (mask & _UPPER) << 32 if self.folded else mask

    def bracket(self) -> _Part:
        negated = self.take("^")
        mask, first = 0, True
        wide: Ranges = ()
        while first or not self.take("]"):
            found, beyond, letter = self.member()
            if letter and self.peek() == "-" and self.text[self.place + 1 :][:1] != "]":
                self.place += 1
                last = self.member()[2]
                if last < letter:  # a class has no letter
                    raise _Unsupported
                found, beyond = _between(letter, last)
            mask, wide, first = mask | found, _union(wide, beyond), False
        if negated:
            mask, wide = _ASCII & ~self.fold(mask), _complement(wide)
        return self.one_of(mask, wide)

    def member(self) -> tuple[int, Ranges, str]:
        """The characters of the next piece of a class; the letter, if it is a single one."""
        found = re.compile(r"\[:(\^?)(\w+):\]").match(self.text, self.place)
        if found:
            if found[2] not in _POSIX:
                raise _Unsupported
            self.place = found.end()
            mask = _POSIX[found[2]]
            return (_ASCII & ~mask, ALL, "") if found[1] else (mask, (), "")
        letter = self.next()
        if letter == "\\":
            mask, wide = self.escape()
            single = not wide and mask.bit_count() == 1
            return mask, wide, chr(mask.bit_length() - 1) if single else ""
        return *_between(letter, letter), letter

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
    return _Part(f"{opening}{source})", mask, ALL if wide else (), consumes=True)


def _between(first: str, last: str) -> tuple[int, Ranges]:
    """All characters from the first to the last: those of ASCII, and those beyond."""
    low, high = ord(first), ord(last)
    mask = (2 << min(high, 127)) - (1 << low) if low < 128 else 0
    return mask, ((max(low, 128), high),) if high > 127 else ()


def _union(one: Ranges, other: Ranges) -> Ranges:
    """The characters of both, each range behind the other."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(one + other):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(high, merged[-1][1])
        else:
            merged.append((low, high))
    return tuple(merged)


def _complement(ranges: Ranges) -> Ranges:
    """All other characters beyond ASCII."""
    starts = [0x80, *[high + 1 for _, high in ranges]]
    ends = [*[low - 1 for low, _ in ranges], 0x10FFFF]
    return tuple((a, b) for a, b in zip(starts, ends, strict=True) if a <= b)


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
        mask, wide = mask | part.mask, wide or bool(part.wide)
        if part.consumes:
            break
    return mask, wide


def _is_linear(parts: list[_Part]) -> bool:
    """Whether nothing but the last piece can take much."""
    return not any(part.endless for part in parts[:-1])


def _single(parts: list[_Part]) -> Single | None:
    """The class that is all of a pattern, a group around it or not."""
    if [part.source for part in parts[::2]] == ["(", ")"]:
        parts = parts[1:2]
    if len(parts) != 1 or not parts[0].consumes:
        return None
    part, plain = parts[0], _class_source(parts[0].mask, parts[0].wide)
    if part.source not in (plain, plain + "+"):
        return None
    return Single(part.mask, part.wide, run=part.source != plain)


def _ends(branches: list[list[_Part]]) -> tuple[bytes, bytes] | None:
    """The letters of a pattern that takes runs of them at the beginning, the end, or both."""
    found = {}
    for parts in branches:
        sources = [part.source for part in parts]
        side = 0 if sources[:1] == [_ANCHORS["^"]] else 1 if sources[1:] == [_ANCHORS["$"]] else 2
        run = parts[1 - side] if side < 2 and len(parts) == 2 else None
        if run is None or run.wide or not run.endless or run.lazy or side in found:
            return None
        if run.source.rstrip("+*") != _class_source(run.mask, ()):
            return None
        found[side] = Single(run.mask, (), run=True).letters
    return found.get(0, b""), found.get(1, b"")


def _outline(parts: list[_Part]) -> Outline | None:
    """The outline of a pattern that has one."""
    found = Outline([], [], None, 0)
    for part in parts:
        if part.source in ("(", "(?:", ")"):
            continue
        if part.atom:
            (found.front if found.run is None else found.back).append(part.mask)
            continue
        plain = part.source.rstrip("+*?") == _class_source(part.mask, part.wide)
        if not (part.endless and plain) or found.run is not None:
            return None
        found.run, found.least = part.mask, int(part.consumes)
    return found


def _class_source(mask: int, wide: Ranges) -> str:
    """A class of Python's for the characters of a mask and those beyond ASCII."""
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
    pieces += [chr(a) if a == b else f"{chr(a)}-{chr(b)}" for a, b in wide]
    return "[" + "".join(pieces) + "]"
