"""`docs/walks.md` shows the calls that are made."""

import ast
import functools
import re
from pathlib import Path

from tests.children import run

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "walks.md"


def test_the_short_walks_are_as_on_the_page():
    tool = ROOT / "tools" / "walks.py"
    program = f"import runpy, sys; sys.argv[1:] = ['--check']; runpy.run_path({str(tool)!r}, "
    done = run(program + "run_name='__main__')", timeout=30)
    assert done.returncode == 0, done.stderr


def test_every_function_on_the_page_is_in_its_file():
    steps = set(re.findall(r"^ *\d+ +(\S+\.py): (\S+)", PAGE.read_text(), re.MULTILINE))
    assert len(steps) > 100
    wrong = [step for step in steps if step[1] not in _functions(ROOT / "runnel" / step[0])]
    assert not wrong, f"{wrong} moved or changed their names: python tools/walks.py"


@functools.cache
def _functions(path: Path) -> set[str]:
    """The qualified names of the functions in a file."""
    found = {"<lambda>"}

    def collect(node: ast.AST, prefix: str) -> None:
        for child in ast.iter_child_nodes(node):
            inner = prefix
            if isinstance(child, ast.ClassDef):
                inner = f"{prefix}{child.name}."
            elif isinstance(child, ast.FunctionDef):
                found.add(prefix + child.name)
                inner = f"{prefix}{child.name}.<locals>."
            collect(child, inner)

    collect(ast.parse(path.read_text()), "")
    return found
