"""What the README and the pages of the documentation say is so: code runs, links lead somewhere."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.saved_model.command_line import main as saved_model_command
from tests.children import run
from tests.pages import ROOT, Block, blocks, pages, targets

NAMES = {str(p.relative_to(ROOT)): p for p in pages()}
BLOCKS = {name: blocks(path.read_text()) for name, path in NAMES.items()}
RUNNABLE = [name for name, found in BLOCKS.items() if any(b.language == "python" for b in found)]
SLOW = [name for name, found in BLOCKS.items() if any(b.slow for b in found)]
USERS = ("docs/start/", "docs/guides/", "docs/index.md", "README.md")  # nothing is imported yet
# Commands that pages show and tests do not run: they install, or take minutes.
OTHERS = {"pip", "make", "git", "cd", "tensorboard", "source", "py", "brew", "wsl"}

ALONE = {"docs/distribute.md"}  # divides the CPU before anything else runs

_CHECKER = doctest.OutputChecker()
_LENIENT = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def same(shown: str, got: str) -> bool:
    return _CHECKER.check_output(shown.strip() + "\n", got.strip() + "\n", _LENIENT)


def printed(block: Block, namespace: dict[str, Any], name: str) -> str:
    """What a block prints, with the error at its end where one is shown."""
    if re.search(r"(?m)^(import|from) tensorflow\b", block.text):
        return printed_elsewhere(block)
    source = Path(f"{name.replace('/', '_')}_{block.line}.py")  # AutoGraph reads it
    source.write_text("\n" * block.line + block.text)
    code = compile(source.read_text(), source, "exec")
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            exec(code, namespace)
        except Exception as error:
            if block.output is None or f"{type(error).__name__}:" not in block.output:
                raise
            print(f"{type(error).__name__}: {error}")
    return out.getvalue()


def printed_elsewhere(block: Block) -> str:
    """A block that imports tensorflow finds Runnel, in a process of its own."""
    done = run(f"import runnel.as_tensorflow\n{block.text}")
    shown = block.output is not None  # then the error is compared with it
    assert done.returncode == 0 or shown, done.stderr
    return done.stdout + (done.stderr.strip().rpartition("\n")[2] if done.returncode else "")


def wrong_on(name: str, *, slow: bool) -> list[str]:
    """Run a page; what is not as it shows."""
    namespace = {"__name__": "page"} | ({} if name.startswith(USERS) else {"tf": tf, "np": np})
    sys.modules["page"] = type(sys)("page")  # where classes on the page say that they are
    wrong = []
    for block in BLOCKS[name]:
        if block.slow and not slow:
            break
        if block.language == "console":
            wrong += wrong_commands(block, name)
        if block.language != "python" or block.excuse:
            continue
        got = printed(block, namespace, name)
        if block.output is not None and not same(block.output, got):
            wrong.append(f"{name}:{block.line} printed\n{got}\nand the page shows\n{block.output}")
    return wrong


def wrong_commands(block: Block, name: str) -> list[str]:
    """Run the commands of Runnel's own, and compare what they print."""
    wrong = []
    for line, shown in re.findall(r"(?m)^\$ (.*)\n((?:(?!\$ ).*\n)*)", block.text):
        program, *arguments = shlex.split(line, comments=True)
        if program in OTHERS or arguments[:2] == ["-m", "venv"]:
            continue
        code, got = ran(program, arguments)
        if code or (shown.strip() and not same(shown, got)):
            wrong.append(f"{name}:{block.line} `{line}`:\n{got}")
    return wrong


def ran(program: str, arguments: list[str]) -> tuple[int, str]:
    """The exit status of a command, and what it printed."""
    if program == "runnel-saved-model":
        with contextlib.redirect_stdout(io.StringIO()) as out:
            return saved_model_command(arguments), out.getvalue()
    assert program == "python", f"the tests do not know how to run {program}"
    command = [sys.executable, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout if done.returncode == 0 else done.stderr


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    tf.keras.backend.clear_session()
    return tmp_path


@pytest.mark.parametrize("name", [name for name in RUNNABLE if name in ALONE])
def test_a_page_that_sets_up_the_process_runs_in_one_of_its_own(name: str, folder: Path):
    text = "\n".join(b.text for b in BLOCKS[name] if b.language == "python" and not b.excuse)
    Path("page.py").write_text(f"import numpy as np\nimport runnel as tf\n{text}")
    run("import runpy; runpy.run_path('page.py')", check=True)


@pytest.mark.parametrize("name", [name for name in RUNNABLE if name not in ALONE])
def test_code_on_a_page_does_what_the_page_says(name: str, folder: Path):
    wrong = wrong_on(name, slow=False)
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW)
def test_slow_code_on_a_page_does_what_the_page_says(name: str, folder: Path):
    wrong = wrong_on(name, slow=True)
    assert not wrong, "\n\n".join(wrong)


def test_few_blocks_are_not_run():
    excused = [f"{name}: {b.excuse}" for name, found in BLOCKS.items() for b in found if b.excuse]
    assert len(excused) <= 3, excused


def test_links_lead_to_files_and_headings():
    wrong = []
    for name, path in NAMES.items():
        for link, place in targets(path.read_text()):
            target = (path.parent / link).resolve() if link else path
            if not target.exists():
                wrong.append(f"{name}: {link}")
            elif place and f"#{place}" not in _headings(target):
                wrong.append(f"{name}: {link}#{place}")
    assert not wrong, "\n".join(wrong)


def _headings(path: Path) -> set[str]:
    """The places of a page that a link may name, as GitHub and MkDocs make them."""
    titles = re.findall(r"(?m)^#+ (.+)$", path.read_text())
    plain = [re.sub(r"[^\w\- ]", "", title.lower()).strip() for title in titles]
    return {"#" + re.sub(r" +", "-", title) for title in plain}


def test_commands_of_make_and_extras_of_pip_are_there():
    targets = set(re.findall(r"(?m)^([a-z-]+):", (ROOT / "Makefile").read_text()))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = set(project["optional-dependencies"])
    wrong = []
    for name, found in BLOCKS.items():
        text = "\n".join(b.text for b in found if b.language in ("console", "bash", ""))
        named = re.findall(r"(?m)^\$? ?make ([a-z-]+)", text)
        named_extras = re.findall(r"(?:runnel|\.)\[([\w,]+)\]", text)
        wrong += [f"{name}: make {t}" for t in named if t not in targets]
        wrong += [f"{name}: [{e}]" for es in named_extras for e in es.split(",") if e not in extras]
    assert not wrong, wrong
