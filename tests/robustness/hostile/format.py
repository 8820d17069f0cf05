"""What the trial needs to know of a format."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random

Damage = Callable[[str, Random], str]


@dataclass(frozen=True)
class Case:
    """The folders of one try: that of the file, and one that no file may touch."""

    folder: str
    elsewhere: str


@dataclass(frozen=True)
class Exploit:
    """A file that was made to do harm; `make(case)` writes it over the good one."""

    name: str
    make: Callable[[Case], None]


@dataclass(frozen=True)
class Format:
    """A format: how a good file is written, damaged and read.

    `damage(folder, chance)` changes what `make(folder)` has written, and says how.
    """

    name: str
    share: int
    make: Callable[[str], None]
    damage: Damage
    load: Callable[[str], None]
    exploits: Sequence[Exploit] = ()
