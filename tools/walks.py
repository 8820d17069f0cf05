"""Follow a few calls through Runnel and write `docs/walks.md`: python tools/walks.py [--check]

Each walk of `walks.toml` is a program and the call to be followed. It is run three times, and the
third call is watched with `sys.setprofile`: which functions of Runnel are called, by whom, in which
order. A short walk shows all of them; a long one those that it has a note for, each below the
nearest of them that called it. A note for a function that is not called is an error.

`--check` makes the short walks again and says whether the page still shows them.
"""

from __future__ import annotations

import dis
import functools
import gc
import linecache
import sys
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from contextlib import chdir
from dataclasses import dataclass, field
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import numpy as np

import runnel as tf

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "walks.md"
LIBRARY = f"{Path(tf.__file__).parent}/"
# Bodies of their own in some versions of Python, and part of the function in others.
INNER = {"<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>"}


@dataclass
class Walk:
    """A call to follow: what comes before it, and what is to be said of it."""

    title: str
    call: str
    story: str
    notes: dict[str, str]
    before: str = ""
    short: bool = False
    again: str = ""  # the same with one step more


@dataclass
class Step:
    """A function on the way and what it called; all calls of it from one other are one step."""

    function: str
    count: int = 0
    inside: int = 0  # calls in it, where others are not shown
    steps: dict[str, Step] = field(default_factory=dict)

    def called(self, function: str) -> Step:
        return self.steps.setdefault(function, Step(function))

    def all(self) -> Iterator[Step]:
        yield self
        for step in self.steps.values():
            yield from step.all()

    @property
    def calls(self) -> int:
        return sum(step.count for step in self.all())


def follow(call: Callable[[], Any]) -> Step:
    """The steps of a call."""
    root = Step("")
    stack = [root]

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event == "call":
            stack.append(_enter(stack[-1], frame))
        elif event == "return" and len(stack) > 1:
            stack.pop()

    gc.collect()
    gc.disable()
    sys.setprofile(watch)
    try:
        call()
    finally:
        sys.setprofile(None)
        gc.enable()
    return root


def _enter(above: Step, frame: FrameType) -> Step:
    code = frame.f_code
    if not code.co_filename.startswith(LIBRARY) or code.co_name in INNER:
        return above
    step = above.called(f"{code.co_filename.removeprefix(LIBRARY)}: {code.co_qualname}")
    step.count += frame.f_lasti <= _first_place(code)
    return step


@functools.cache
def _first_place(code: CodeType) -> int:
    """Where a body begins: a generator is entered once for each of its values."""
    return next(i.offset for i in dis.get_instructions(code) if i.opname == "RESUME")


def run(walk: Walk, call: str) -> Step:
    """Run the program three times; the steps of the third call."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        for _ in range(3):
            names = {"tf": tf, "np": np}
            exec(_code(walk.before), names)
            steps = follow(functools.partial(exec, _code(call), names))
    return steps


def _code(program: str) -> CodeType:
    """A program whose text can be read by AutoGraph."""
    name = f"<{hash(program)}>"
    linecache.cache[name] = (len(program), None, program.splitlines(keepends=True), name)
    return compile(program, name, "exec")


def collapsed(steps: Step, walk: Walk) -> Step:
    """The steps that are to be shown: those that there is a note for, or all of a short walk."""
    root = Step("")

    def add(step: Step, above: Step) -> None:
        for below in step.steps.values():
            shown = above
            if below.count and (walk.short or note_of(below.function, walk.notes) is not None):
                shown = above.called(below.function)
                shown.count += below.count
                shown.inside += below.calls
            add(below, shown)

    add(steps, root)
    return root


def note_of(function: str, notes: dict[str, str]) -> str | None:
    return notes.get(function, notes.get(function.partition(": ")[2]))


def lines(walk: Walk, shown: Step) -> list[str]:
    """A line for each step: calls in it, how often, where, what for."""
    notes = {step.function: note_of(step.function, walk.notes) or "" for step in shown.all()}
    told: set[str] = set()

    def below(step: Step, depth: int) -> Iterator[tuple[str, str]]:
        for inner in step.steps.values():
            known = inner.function in told
            times = f" ×{inner.count}" if inner.count > 1 else ""
            text = f"{inner.inside:6}  {'  ' * depth}{inner.function}{times}"
            note = "as above" if known and inner.steps else notes.pop(inner.function, "")
            yield text, note
            if not known:
                yield from below(inner, depth + 1)
                told.add(inner.function)

    rows = list(below(shown, 0))
    width = max(len(text) for text, note in rows if note)
    return [f"{text:{width}}  {note}".rstrip() for text, note in rows]


def section(walk: Walk) -> str:
    """What the page says of a walk."""
    steps = run(walk, walk.call)
    for note in walk.notes:
        if not any(note_of(step.function, {note: "there"}) for step in steps.all()):
            raise SystemExit(f"{walk.title}: {note} is not on the way; change its note.")
    functions = {step.function for step in steps.all() if step.count}
    files = {function.partition(": ")[0] for function in functions}
    figures = f"{steps.calls:,} calls of {len(functions)} functions in {len(files)} files"
    if walk.again:
        more = run(walk, walk.again).calls - steps.calls
        figures += f"; one step more takes {more:,} calls"
    program = f"{walk.before}\n{walk.call}  # this call".lstrip()
    chain = "\n".join(lines(walk, collapsed(steps, walk)))
    return (
        f"## {walk.title}\n\n{walk.story}\n\n```python\n{program}\n```\n\n"
        f"{figures}.\n\n```text\n{chain}\n```\n"
    )


INTRODUCTION = """\
# Walks

What happens when a line of a program runs: the functions of Runnel that are called, in order, to be
followed beside the source. `python tools/walks.py` wrote this page by watching the calls, each
after its program was run twice; a test makes the short walks again and compares.

In front of each function stands how many calls of Runnel's Python functions it takes, itself and
those that are not shown included. What a function calls is indented below it; `×2` is a function
that is called twice from there. Paths are relative to `runnel/`. The short walks show every
function, the long ones the main line. NumPy, JAX and Python's own library are not shown, nor are
other threads.
"""


def walks() -> list[Walk]:
    table = tomllib.loads(Path(__file__).with_suffix(".toml").read_text())
    return [Walk(**walk) for walk in table["walk"]]


def page() -> str:
    return "\n".join([INTRODUCTION, *map(section, walks())])


def check() -> None:
    """Say which of the short walks the page shows no longer as they are."""
    text = PAGE.read_text()
    wrong = [walk.title for walk in walks() if walk.short and section(walk) not in text]
    if wrong:
        raise SystemExit(f"{PAGE.name} is not true any more: {wrong}. Run python tools/walks.py")


if __name__ == "__main__":
    check() if "--check" in sys.argv else PAGE.write_text(page())
