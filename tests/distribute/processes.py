"""Programs of several processes, which the tests of clusters run.

They are forked from one process that has imported Runnel; that one holds the coordinator, as a
launcher does.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from tests import children

DEADLINE = 60.0  # seconds for all processes of a program

_FORKING = """
import json, os, signal, socket, sys, time, traceback

def _run(program, arguments, count, deadline):
    probes = [socket.create_server(("127.0.0.1", 0)) for _ in range(count + 1)]
    addresses = ["127.0.0.1:%d" % probe.getsockname()[1] for probe in probes]
    for probe in probes:
        probe.close()
    os.environ.update(RUNNEL_COORDINATOR=addresses.pop(), RUNNEL_START_SECONDS="40")
    os.environ["TF_CPP_MIN_LOG_LEVEL"] = "2"
    pids = []
    for number in range(count):
        pid = os.fork()
        if not pid:
            os.environ["TF_CONFIG"] = json.dumps({
                "cluster": {"worker": addresses}, "task": {"type": "worker", "index": number}})
            sys.argv = ["-c", *arguments]
            exec(compile(program, "<worker>", "exec"), {"__name__": "__main__", "me": number})
            return
        pids.append(pid)
    from runnel.distribute.cluster.coordinator import Coordinator
    names = ["worker %d" % number for number in range(count)]
    Coordinator(os.environ["RUNNEL_COORDINATOR"], names, heartbeat=20.0)
    end = time.monotonic() + deadline
    codes = {}
    while len(codes) < count and time.monotonic() < end:
        for number, pid in enumerate(pids):
            if number not in codes:
                ended, status = os.waitpid(pid, os.WNOHANG)
                if ended:
                    codes[number] = os.waitstatus_to_exitcode(status)
        time.sleep(0.01)
    for number, pid in enumerate(pids):
        if number not in codes:
            os.kill(pid, signal.SIGKILL)
    sys.stderr.flush()
    os._exit(0 if list(codes.values()) == [0] * count else 1)

_run(*json.loads(sys.argv[1]))
"""

_TOLD = """
import json as _json
def tell(value):
    line = "TOLD " + _json.dumps([me, value]) + "\\n"
    print(line, end="", flush=True)  # at once, for the others write to the same pipe
"""


def together(program: str, count: int = 2, *arguments: str) -> list[list[Any]]:
    """What each of `count` processes that run the program at once told by `tell(value)`."""
    told: list[list[Any]] = [[] for _ in range(count)]
    for line in run_together(_TOLD + program, count, *arguments):
        if line.startswith("TOLD "):
            number, value = json.loads(line[5:])
            told[number].append(value)
    return told


def run_together(program: str, count: int, *arguments: str) -> list[str]:
    """The lines that `count` processes print, all of which must end well."""
    said = json.dumps([program, arguments, count, DEADLINE])
    done = children.run(_FORKING, said, timeout=DEADLINE + 10)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout.splitlines()


def agreed(told: Sequence[list[Any]]) -> list[Any]:
    """What all processes told, which must be the same."""
    first, *others = told
    assert first
    assert all(other == first for other in others), told
    return first
