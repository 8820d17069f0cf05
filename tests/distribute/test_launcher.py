"""The launcher, with scripts that need no strategy: who is started with what, and again when."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from runnel.distribute.cluster.launcher import arguments
from tests import children
from tests.robustness import forked

SCRIPT = """
import json, os, signal, sys
config = json.loads(os.environ["TF_CONFIG"])
count, me = len(config["cluster"]["worker"]), config["task"]["index"]
print(count, os.environ["RUNNEL_ATTEMPT"], *sys.argv[1:], flush=True)
if count == 3 and me == 2:
    sys.exit(7) if os.environ["RUNNEL_ATTEMPT"] == "0" else os.kill(os.getpid(), signal.SIGKILL)
"""
LAUNCH = """
import sys
from runnel.distribute.cluster.launcher import main
sys.exit(main(sys.argv[1:]))
"""


def launched(folder: Path, *options: str) -> tuple[int, list[str], list[str]]:
    """The exit code, what the workers printed, in order, and what the launcher said."""
    (folder / "trained.py").write_text(SCRIPT)
    done = children.run(LAUNCH, *options, env={"PYTHONPATH": str(folder)})
    said = re.findall(r"^\[launcher\] (.*)$", done.stderr, re.MULTILINE)
    return done.returncode, sorted(done.stdout.splitlines()), said


def test_one_that_dies_twice_is_left_out_down_to_the_least_number(tmp_path: Path) -> None:
    asked = ["--workers", "3", "--min-workers", "2", "-m", "trained", "--x", "1"]
    code, printed, said = launched(tmp_path, *asked)
    assert code == 0
    assert {f"[worker {n}] 2 2 --x 1" for n in range(2)} <= set(printed)
    assert "[worker 2] 3 0 --x 1" in printed and "[worker 2] 3 1 --x 1" in printed
    assert said == [
        "worker 2 ended with exit code 7; starting 3 workers again from the last checkpoint "
        "(1 of 3)",
        "worker 2 was killed by SIGKILL; starting 2 workers again from the last checkpoint "
        "(2 of 3)",
    ]


def test_without_a_least_number_it_gives_up(tmp_path: Path) -> None:
    asked = ["--workers", "3", "--max-restarts", "1", str(tmp_path / "trained.py")]
    code, _, said = launched(tmp_path, *asked)
    assert code == 128 + 9
    assert said[-1] == "worker 2 was killed by SIGKILL; gave up after 1 restarts"


def test_who_is_told_to_end_has_all_save_at_one_step_and_the_next_attempt_goes_on(
    tmp_path: Path,
) -> None:
    script = Path(__file__).with_name("preempted.py")
    asked = ["--workers", "2", "--max-restarts", "1", str(script), str(tmp_path / "saved")]
    done = forked.launched(asked, 4, children.DEADLINE)
    assert done.returncode == 0, done.stderr
    steps = re.findall(r"worker (\d)\] from step (\d+)", done.stdout)
    again = {step for _, step in steps} - {"0"}
    assert len(again) == 1
    assert sorted(steps) == sorted((n, step) for n in "01" for step in {"0", *again})
    assert {f"[worker {n}] the same" for n in "01"} <= set(done.stdout.splitlines())
    assert re.search(r"worker \d ended with exit code 42; starting 2 workers again", done.stderr)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        (["x.py"], "--workers"),
        (["--workers", "0", "x.py"], "--workers must be at least 1, got 0"),
        (["--workers", "2", "--min-workers", "3", "x.py"], "from 1 to 2, got 3"),
        (["--workers", "2", "--heartbeat", "0", "-m", "x"], "--heartbeat must be positive"),
        (["--workers", "2", "--max-restarts", "-1", "-m", "x"], "must not be negative"),
        (["--workers", "2", "absent.py"], "there is no script 'absent.py'"),
        (["--workers", "2"], "script"),
    ],
)
def test_what_is_asked_wrongly_is_told(
    asked: list[str], words: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        arguments(asked)
    assert words in capsys.readouterr().err
