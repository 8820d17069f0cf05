"""How many lines a notebook shows below each cell that is one of the mistakes.

`python -m tests.notebook runnel` (or `tensorflow`) prints them as JSON, by IPython.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import sys
import tempfile
import warnings

from tests.mistakes import MISTAKES


def main(library: str) -> None:
    from IPython.core.interactiveshell import InteractiveShell
    from traitlets.config import Config

    warnings.simplefilter("ignore")
    settings = Config({"HistoryManager": {"enabled": False}})
    shell = InteractiveShell.instance(colors="nocolor", config=settings)
    shell.run_cell(f"import numpy as np, {library} as tf").raise_error()
    lengths = {}
    with tempfile.TemporaryDirectory() as shell.user_ns["folder"]:
        for mistake in MISTAKES:
            with contextlib.redirect_stdout(io.StringIO()) as shown:
                shell.run_cell(mistake.program)
            lengths[mistake.name] = len(shown.getvalue().splitlines())
    print(json.dumps(lengths))


if __name__ == "__main__":
    os.environ["IPYTHONDIR"] = tempfile.mkdtemp()
    main(sys.argv[1])
