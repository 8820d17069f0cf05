"""The pages of the project and the code on them, for the tests that run it.

On a page, the blocks of Python run one after another in one namespace and one folder. A block
may be followed by a block of text with the title "Output": what the code printed, and the class
and message of the error that it ended with, if any; `...` stands for anything. Comments of HTML
before a block change what is done with it:

    <!-- slow -->       only `make test-slow` runs it, and what comes after it on the page
    <!-- not run: … --> a reason why it is shown and not run; few have one
    <!-- run            code of Python that is not shown
    -->
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
FOLDERS = ("docs", "examples", "benchmarks", "packages", "runnel", "tests", "tools")

_FENCE = re.compile(r"^( *)(```+) *([^\n`]*)\n(.*?)^\1\2 *$", re.MULTILINE | re.DOTALL)
_HIDDEN = re.compile(r"^<!-- run\n(.*?)^-->$", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"<!-- (slow|not run: [^>]+) -->\s*$")


@dataclass
class Block:
    """A block of code on a page."""

    line: int
    language: str
    text: str
    output: str | None = None
    slow: bool = False
    excuse: str = ""


def pages() -> list[Path]:
    """All pages of Markdown that belong to the project."""
    found = [*ROOT.glob("*.md")]
    for folder in FOLDERS:
        found += (ROOT / folder).rglob("*.md")
    return sorted(found)


def blocks(page: str) -> list[Block]:
    """The blocks of a page in order, those that are not shown included."""
    found: list[Block] = []
    for place, language, options, text in sorted(_pieces(page)):
        output = language == "text" and 'title="Output"' in options
        if output and found and found[-1].language == "python":
            found[-1].output = text
            continue
        block = Block(page.count("\n", 0, place) + 1, language, text)
        comment = _COMMENT.search(page, 0, place)
        if comment:
            block.slow = comment[1] == "slow"
            block.excuse = comment[1].partition("not run: ")[2]
        found.append(block)
    return found


def _pieces(page: str) -> Iterator[tuple[int, str, str, str]]:
    for match in _FENCE.finditer(page):
        language, _, options = match[3].partition(" ")
        yield match.start(), language.strip(), options, textwrap.dedent(match[4])
    for match in _HIDDEN.finditer(page):
        yield match.start(), "python", "", match[1]


def targets(page: str) -> Iterator[tuple[str, str]]:
    """Where the links of a page lead: a path and a heading, without those to other sites."""
    text = re.sub(r"`[^`\n]+`", "``", _FENCE.sub("", page))
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        if "://" not in link and not link.startswith("mailto:"):
            path, _, place = link.partition("#")
            yield path, place
