"""The programs of `docs/distribute.md` run as they stand."""

from __future__ import annotations

import re
from pathlib import Path

from tests import children

PAGE = Path(__file__).parents[2] / "docs" / "distribute.md"


def test_the_programs_of_the_page_run(tmp_path: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", PAGE.read_text(), re.DOTALL)
    assert len(blocks) > 5
    program = tmp_path / "page.py"
    program.write_text("\n".join(blocks))
    children.run("import runpy, sys; runpy.run_path(sys.argv[1])", str(program), check=True)
