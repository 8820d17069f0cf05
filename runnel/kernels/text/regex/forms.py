"""What is known of a translated pattern: how Python's engine, or none at all, may run it."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass, replace

import numpy as np

from runnel.core.values.types import Array

SHORT = 256  # bytes; searching costs at most the square of a string's length
_CHARACTERS_IN_TURN = 64  # characters of a class that may be taken one after another

Ranges = tuple[tuple[int, int], ...]  # of characters beyond ASCII, the first and last of each
ALL: Ranges = ((0x80, 0x10FFFF),)


def letters_of(mask: int) -> bytes:
    """The characters whose bits are set."""
    return bytes(c for c in range(128) if mask >> c & 1)


@dataclass
class Single:
    """The class of a pattern that is nothing else: one character of it, or a run of them."""

    mask: int
    wide: Ranges
    run: bool

    @functools.cached_property
    def letters(self) -> bytes:
        """Its characters in ASCII."""
        return letters_of(self.mask)

    @functools.cached_property
    def table(self) -> Array | None:
        """By byte, whether it takes the character that begins there; None if that depends."""
        if self.wide not in ((), ALL):
            return None
        table = np.zeros(256, bool)
        table[list(self.letters)] = True
        table[0xC0:] = self.wide == ALL
        return table

    @functools.cached_property
    def members(self) -> list[bytes] | None:
        """All its characters; None if they are many."""
        if (
            sum(last - first for first, last in self.wide) > _CHARACTERS_IN_TURN
            or self.mask.bit_count() > _CHARACTERS_IN_TURN
        ):
            return None
        wide = [chr(c).encode() for a, b in self.wide for c in range(a, b + 1)]
        return [bytes([c]) for c in self.letters] + wide


@dataclass
class Outline:
    """A pattern of single characters with one run among them, or none: the masks of their classes.

    Whether it matches a string of ASCII shows in the bytes at some places, and in what is left
    without the letters of the run.
    """

    front: list[int]
    back: list[int]  # behind the run
    run: int | None
    least: int  # characters of the run


@dataclass
class Quick:
    """A pattern for Python's engine."""

    source: str
    groups: int
    wide: bool
    linear: bool  # whatever the length of the strings
    empty: bool  # may match nothing at all, which the engines treat differently when they replace
    single: Single | None = None
    ends: tuple[bytes, bytes] | None = None  # takes runs of these at the beginning and at the end
    outline: Outline | None = None
    choices: int = 1
    folded: bool = False  # whatever the case, which goes for letters beyond ASCII, too

    def suits(self, value: bytes) -> bool:
        """Whether `for_bytes` may search a string."""
        return len(value) <= SHORT and 0 not in value and (not self.wide or value.isascii())

    @functools.cached_property
    def for_bytes(self) -> re.Pattern[bytes]:
        """The pattern for strings of ASCII, or for any if it is not `wide`."""
        return re.compile(_in_ascii(self.source))

    @functools.cached_property
    def for_text(self) -> re.Pattern[str]:
        return re.compile(self.source, re.ASCII)

    @functools.cached_property
    def grouped(self) -> Quick:
        """The same pattern with a group, the first, around all of it."""
        return replace(self, source=f"({self.source})", groups=self.groups + 1, single=None)

    @functools.cached_property
    def first(self) -> Quick:
        """The same with a further group, the last, for all that is behind it in its string."""
        source = rf"{self.grouped.source}([^\x00]*+)"
        return replace(self.grouped, source=source, groups=self.groups + 2)

    @functools.cached_property
    def whole(self) -> re.Pattern[bytes]:
        r"""Finds each of many strings of ASCII, with `\0` between them; a group if it matches."""
        source = re.sub(r"\((?!\?)", "(?:", _in_ascii(self.source).decode())
        return re.compile(rf"\x00(?:(?:{source})(?=(\x00))|[^\x00]*+)".encode())


def _in_ascii(source: str) -> bytes:
    """A translated pattern without what is beyond ASCII."""
    plain = re.sub("[^\0-\x7f](-[^\0-\x7f])?", "", source)
    return plain.replace("[]", r"[^\x00-\xff]").encode()
