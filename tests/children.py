"""Programs that tests run in processes of their own.

They are forked from one process that has imported Runnel, without JAX, so that none waits for the
import. Each worker of pytest starts such a process when it first needs it, and it ends with the
worker.
"""

from __future__ import annotations

import atexit
import functools
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import types
import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

DEADLINE = 120.0  # seconds


def run(
    program: str,
    *args: str,
    env: Mapping[str, str] | None = None,
    strict: bool = False,
    check: bool = False,
    timeout: float = DEADLINE,
) -> subprocess.CompletedProcess[str]:
    """Run the text of a program as `python -c` does; with `strict`, warnings are errors."""
    environment = {**os.environ, **(env or {})}
    if not hasattr(os, "fork"):
        command = [sys.executable, *(["-W", "error"] if strict else []), "-c", program, *args]
        return subprocess.run(
            command, env=environment, check=check, capture_output=True, text=True, timeout=timeout
        )
    with tempfile.TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        request = {
            "program": program,
            "args": args,
            "env": environment,
            "cwd": os.getcwd(),
            "strict": strict,
            "files": [str(out), str(err)],
        }
        code = _exit_code(request, timeout)
        done = subprocess.CompletedProcess([program, *args], code, out.read_text(), err.read_text())
    if check:
        assert code == 0, done.stderr
    return done


def _exit_code(request: Mapping[str, Any], timeout: float) -> int:
    server = _server()
    assert server.stdin and server.stdout
    server.stdin.write(json.dumps(request).encode() + b"\n")
    server.stdin.flush()
    child = int(server.stdout.readline())
    in_time = bool(select.select([server.stdout], [], [], timeout)[0])
    if not in_time:
        os.kill(child, signal.SIGKILL)
    code = int(server.stdout.readline())
    assert in_time, f"the program did not end within {timeout} s"
    return code


@functools.cache
def _server() -> subprocess.Popen[bytes]:
    command = [sys.executable, __file__]
    pipe = subprocess.PIPE
    server = subprocess.Popen(command, stdin=pipe, stdout=pipe, bufsize=0)
    atexit.register(_end, server)
    return server


def _end(server: subprocess.Popen[bytes]) -> None:
    assert server.stdin and server.stdout
    server.stdin.close()
    server.stdout.close()
    server.wait(DEADLINE)


def _serve() -> None:
    """Fork for each request, until there are no more; a child returns after its program."""
    import runnel  # noqa: F401

    while line := sys.stdin.buffer.readline():
        child = os.fork()
        if not child:
            _be_a_program(**json.loads(line))
            return
        os.write(1, b"%d\n" % child)
        status = os.waitpid(child, 0)[1]
        os.write(1, b"%d\n" % os.waitstatus_to_exitcode(status))


def _be_a_program(
    program: str, args: list[str], env: dict[str, str], cwd: str, strict: bool, files: list[str]
) -> None:
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    for descriptor, path in enumerate(files, start=1):
        os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT), descriptor)
    os.environ.clear()
    os.environ.update(env)
    os.chdir(cwd)
    sys.argv = ["-c", *args]
    if strict:
        warnings.simplefilter("error")
    main = sys.modules["__main__"] = types.ModuleType("__main__")
    exec(compile(program, "<string>", "exec"), main.__dict__)


if __name__ == "__main__":
    sys.path[0] = ""  # as for a program that is given as text
    _serve()
