"""The two processes that answer programs.

As a script: read a program a line, and write its answer; the argument names the module.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import select
import subprocess
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
_DEADLINE = 60.0  # seconds for an answer, with the import of TensorFlow


class Worker:
    """A process with one of the two modules."""

    def __init__(self, python: str, module: str) -> None:
        self._command = [python, "-m", "tests.compare.workers", module]
        self._process: subprocess.Popen[str] | None = None

    def answer(self, program: Any) -> Any:
        """What a program answers; "hangs" or "dies" if nothing comes."""
        process = self._process or self._start()
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(json.dumps(program) + "\n")
        process.stdin.flush()
        if not select.select([process.stdout], [], [], _DEADLINE)[0]:
            self.stop()
            return "hangs"
        line = process.stdout.readline()
        if not line:
            self.stop()
            return "dies"
        return json.loads(line)

    def _start(self) -> subprocess.Popen[str]:
        env = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONPATH": str(ROOT)}
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            self._command,
            stdin=pipe,
            stdout=pipe,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=ROOT,
            env=env,
        )
        return self._process

    def stop(self) -> None:
        """End the process; the next program starts another."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None


def main(module: str) -> None:
    """Answer programs until there are no more."""
    from tests.compare.pipelines import answer

    out = os.fdopen(os.dup(1), "w")
    with contextlib.redirect_stdout(sys.stderr):
        tf = importlib.import_module(module)
        for line in sys.stdin:
            out.write(json.dumps(answer(tf, json.loads(line))) + "\n")
            out.flush()


if __name__ == "__main__":
    main(sys.argv[1])
