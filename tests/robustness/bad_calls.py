"""Every public callable is called with what it cannot take, eagerly and in functions.

A call may return, or raise what TensorFlow's users catch: TypeError, ValueError, ImportError,
NotImplementedError, a class of `tf.errors`; and what TensorFlow raises itself for such a call
(`bad_calls_allowed.json`, which `ask_tensorflow.py` makes). It may not crash, take more than its
time or memory, or write outside of its folder.

    python -m tests.robustness.bad_calls SEED NUMBER    # one call, with its traceback
"""

from __future__ import annotations

import json
import os
import pathlib
import queue
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import warnings
from dataclasses import asdict, dataclass
from typing import Any

from tests.robustness.calls import Call, Choice, run
from tests.robustness.outcome import Outcome

NAME = "bad_calls"
_SECONDS = 20  # of the processor, for a call
_PATIENCE = 240.0  # for a call that waits or cannot be interrupted, and for the import
_MEMORY = 3 << 30  # bytes that a call may take
_ROOT = pathlib.Path(__file__).parents[2]
_ALLOWED = pathlib.Path(__file__).with_name("bad_calls_allowed.json")
_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_APPEND | os.O_TRUNC
_CHANGES = (
    "os.mkdir",
    "os.remove",
    "os.rename",
    "os.rmdir",
    "os.link",
    "os.symlink",
    "os.truncate",
)
_CHANGES += ("os.chmod", "os.chown", "os.utime", "shutil.rmtree")


# Errors that are said in the docstring: of a method that TensorFlow does not have, and of those
# whose `assert` there fails in another way on arrays; and of a layer that was not built.
OWN = {"GradientTape.explain": "RuntimeError"}
OWN |= {"TensorShape.cast": "AssertionError", "DType.cast": "AssertionError"}
OWN["keras.layers.LayerNormalization.call"] = "AttributeError"


class _TooLong(BaseException):
    """The time of a call is over."""


@dataclass
class Finding:
    """A call and what is wrong with what came of it; the class of the error and whose it is."""

    number: int
    call: Call
    text: str
    error: str = ""
    key: str = ""


def trial(tries: int, minutes: float, seed: int) -> Outcome:
    began = time.monotonic()
    found, done = findings(tries, minutes, seed)
    texts = [f"#{seed}/{one.number} {one.call}: {one.text}" for one in found]
    note = "half of them in functions"
    return Outcome(NAME, done, time.monotonic() - began, texts, note)


def findings(tries: int, minutes: float, seed: int) -> tuple[list[Finding], int]:
    """What is found, and how many calls were made."""
    began = time.monotonic()
    findings: list[Finding] = []
    done = 0
    while done < tries and time.monotonic() - began < 60 * minutes:
        worker = _Worker(seed, done, tries)
        try:
            found, done = worker.listen(began + 60 * minutes)
        finally:
            worker.end()
        findings += found
    return findings, done


class _Worker:
    """A process that makes calls, from one number to another."""

    def __init__(self, seed: int, start: int, stop: int) -> None:
        command = [sys.executable, "-m", __name__, "--work", *map(str, (seed, start, stop))]
        self._folder = tempfile.TemporaryDirectory(prefix="bad_calls", ignore_cleanup_errors=True)
        setting = {"RUNNEL_CACHE_DIR": "off", "PYTHONDONTWRITEBYTECODE": "1"}
        places = {"HOME": self._folder.name, "TMPDIR": self._folder.name, "PYTHONPATH": str(_ROOT)}
        self._process = subprocess.Popen(
            command,
            stdout=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=_ROOT,
            env={**os.environ, **setting, **places},
        )
        self._lines: queue.Queue[str] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._start, self._stop = start, stop

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line.decode())
        self._lines.put("")

    def listen(self, deadline: float) -> tuple[list[Finding], int]:
        """What is found until the process or the time is over, and the number of the next call."""
        found: list[Finding] = []
        number, call = self._start, Call("the import", "", [])
        while True:
            try:
                line = self._lines.get(timeout=_PATIENCE)
            except queue.Empty:
                return [*found, Finding(number, call, "it hangs")], number + 1
            if not line:
                code = self._process.wait(timeout=_PATIENCE)
                return [*found, Finding(number, call, f"the process ended: {code}")], number + 1
            told = json.loads(line)
            if "call" in told:
                number, call = told["number"], Call(**told["call"])
                continue
            if told["finding"]:
                found.append(Finding(number, call, told["finding"], told["error"], told["key"]))
            if number + 1 == self._stop or time.monotonic() > deadline:
                return found, number + 1

    def end(self) -> None:
        self._process.kill()
        self._process.wait(timeout=_PATIENCE)
        self._reader.join(_PATIENCE)
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._folder.cleanup()


def _work(seed: int, start: int, stop: int) -> None:
    """Make calls, and tell of each before it is made and afterwards."""
    reports = os.fdopen(os.dup(1), "w")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    import runnel as tf

    tf.debugging.disable_traceback_filtering()
    choice, judge = Choice(tf, seed), _Judge(tf)
    home = tempfile.mkdtemp()
    guard = _Guard(os.path.realpath(tempfile.gettempdir()))
    _limit_memory()
    signal.signal(signal.SIGPROF, _stop)

    def tell(**report: Any) -> None:
        print(json.dumps(report), file=reports, flush=True)

    for number in range(start, stop):
        os.chdir("/")
        shutil.rmtree(home, ignore_errors=True)
        os.makedirs(home)
        os.chdir(home)
        call = choice.call(number)
        tell(number=number, call=asdict(call))
        finding, error = judge.finding(call)
        tell(finding=guard.taken() or finding, error=error, key=call.key(tf))


def _stop(*_: Any) -> None:
    raise _TooLong


def _limit_memory() -> None:
    """Let the process have so many bytes more than it has now."""
    with open("/proc/self/statm") as file:
        pages = int(file.read().split()[0])
    most = pages * resource.getpagesize() + _MEMORY
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


class _Guard:
    """Refuses to let anything be written outside of a folder, and remembers that it was tried."""

    def __init__(self, folder: str) -> None:
        self._folder, self._tried = folder, ""
        sys.addaudithook(self._hook)

    def _hook(self, event: str, args: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = args
            if not isinstance(flags, int) or not flags & _WRITING:
                return
        elif event in _CHANGES:
            path = args[0]
            if event != "shutil.rmtree" and isinstance(args[-1], int) and args[-1] >= 0:
                return  # in a folder that is open, as `shutil.rmtree` does; it has been asked
        else:
            return
        if isinstance(path, str | bytes | os.PathLike) and not self._inside(os.fsdecode(path)):
            self._tried = f"it would write to {path!r} ({event})"
            raise PermissionError(self._tried)

    def _inside(self, path: str) -> bool:
        real = os.path.realpath(path)
        return real == os.devnull or (real + os.sep).startswith(self._folder + os.sep)

    def taken(self) -> str:
        """What was tried since the last question."""
        tried, self._tried = self._tried, ""
        return tried


class _Judge:
    """Makes calls, and says what is wrong with what came of them."""

    def __init__(self, tf: Any) -> None:
        self._tf = tf
        self._fine = (tf.errors.OpError, TypeError, ValueError, NotImplementedError, ImportError)
        self._allowed: dict[str, list[str]] = json.loads(_ALLOWED.read_text())

    def finding(self, call: Call) -> tuple[str, str]:
        """What is wrong, if anything, and the class of the error."""
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                signal.setitimer(signal.ITIMER_PROF, _SECONDS)
                try:
                    run(self._tf, call)
                finally:
                    signal.setitimer(signal.ITIMER_PROF, 0)
        except _TooLong:
            return f"it took more than {_SECONDS} s", ""
        except BaseException as error:
            if not self._is_fine(call, error):
                return _told(error), type(error).__name__
        return "", ""

    def _is_fine(self, call: Call, error: BaseException) -> bool:
        kind = type(error)
        home = kind.__module__.partition(".")[0]
        known = home in ("builtins", "runnel", "json") or (
            home == "numpy" and isinstance(error, TypeError)  # of an operator, as in TensorFlow
        )
        if isinstance(error, self._fine) and known:
            return True
        allowed = [name for key in call.keys(self._tf) for name in self._allowed.get(key, ())]
        return kind.__name__ in (*allowed, OWN.get(call.name))


def _told(error: BaseException) -> str:
    kind = type(error)
    places = traceback.extract_tb(error.__traceback__)[-3:]
    where = " < ".join(f"{os.path.relpath(p.filename, _ROOT)}:{p.lineno}" for p in places[::-1])
    return f"{kind.__module__}.{kind.__name__}: {str(error)[:120]!r} at {where}"


def _show(seed: int, number: int) -> None:
    import runnel as tf

    call = Choice(tf, seed).call(number)
    print(call)
    tf.debugging.disable_traceback_filtering()
    os.chdir(tempfile.mkdtemp())
    run(tf, call)


if __name__ == "__main__":
    if sys.argv[1] == "--work":
        _work(*map(int, sys.argv[2:]))
    else:
        _show(*map(int, sys.argv[1:]))
