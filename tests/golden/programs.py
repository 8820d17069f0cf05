"""The programs of `tests/programs/`, run with a library in Runnel's place.

A program is a script that says `import runnel as tf`, prints, and leaves what is to be compared in
`answer`. `make_programs.py` runs each with TensorFlow and keeps what it gave in `programs/`.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import os
import re
import sys
import tempfile
import types
import warnings
from pathlib import Path
from typing import Any

from tests.golden.cases import plain

HERE = Path(__file__).parent
FOLDER = HERE.parent / "programs"
PROGRAMS = sorted(
    path.stem for path in FOLDER.glob("*.py") if path.stem not in ("conftest", "test_programs")
)
_TIME = re.compile(r"\d+(\.\d+)?(s|ms|us)(/(step|epoch))?\b")


def run(name: str, library: str) -> dict[str, Any]:
    """What a program prints, line by line, and its `answer`, with `library` in Runnel's place."""
    path = FOLDER / f"{name}.py"
    source = path.read_text().replace("runnel", library)
    module = types.ModuleType(f"tests.programs.{name}")
    keras = importlib.import_module(library).keras
    keras.backend.clear_session()
    keras.utils.set_random_seed(7)
    with _in_empty_folder(), _registered(module), _printed() as text:
        exec(compile(source, str(path), "exec"), vars(module))
    return {"printed": _lines(text.getvalue()), "answer": plain(vars(module)["answer"])}


def record(name: str) -> None:
    """Keep what a program gives with TensorFlow."""
    text = json.dumps(run(name, "tensorflow"), indent=1, ensure_ascii=False)
    (HERE / "programs" / f"{name}.json").write_text(text + "\n")


def recorded(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((HERE / "programs" / f"{name}.json").read_text())
    return found


def _lines(text: str) -> list[str]:
    """Lines as they stand in the end: a bar that was drawn over itself, without its times."""
    last = [re.split("\r|\b+", line)[-1].rstrip() for line in text.split("\n")]
    return [_TIME.sub("T", line) for line in last]


@contextlib.contextmanager
def _in_empty_folder() -> Any:
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


@contextlib.contextmanager
def _registered(module: types.ModuleType) -> Any:
    """As an imported module has it: AutoGraph looks there for the names of a function."""
    sys.modules[module.__name__] = module
    try:
        yield
    finally:
        del sys.modules[module.__name__]


@contextlib.contextmanager
def _printed() -> Any:
    text = io.StringIO()
    with contextlib.redirect_stdout(text), warnings.catch_warnings(action="ignore"):
        yield text
