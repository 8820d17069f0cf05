"""What killed writers leave behind is removed by the next who saves there."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import pytest

import runnel as tf
from runnel.core.files import leftovers
from runnel.core.files.folders import give_name

_LEAVE = """
import runpy, sys
temporary = runpy.run_path(sys.argv[1])["temporary"]
for name in sys.argv[2:]:
    open(temporary(name), "w").close()
print(flush=True)
sys.stdin.read()
"""


def _writer(*names: pathlib.Path) -> subprocess.Popen[bytes]:
    """A process that writes temporary files with these names, and then waits."""
    command = [sys.executable, "-c", _LEAVE, leftovers.__file__, *map(str, names)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None and process.stdout.readline()
    return process


def _end(process: subprocess.Popen[bytes]) -> None:
    process.kill()
    process.communicate(timeout=60)


def _model() -> tf.keras.Model:
    return tf.keras.Sequential([tf.keras.layers.Dense(1, input_shape=(1,))])


def _cache(path: str) -> None:
    assert len(list(tf.data.Dataset.range(2).cache(path))) == 2


def _module(path: str) -> None:
    tf.saved_model.save(tf.Module(), path)


SAVERS = {
    "model.keras": lambda path: _model().save(path),
    "model.weights.h5": lambda path: _model().save_weights(path),
    "weights.h5": lambda path: _model().save_weights(path),
    "checkpoint": lambda path: tf.train.Checkpoint(a=tf.Variable(1.0)).write(path),
    "folder": _module,
    "cache": _cache,
}


@pytest.mark.parametrize("name", SAVERS)
def test_a_save_removes_what_a_killed_process_left(tmp_path: pathlib.Path, name: str) -> None:
    _end(_writer(tmp_path / name, tmp_path / "other.h5"))
    assert len(os.listdir(tmp_path)) == 2
    for _ in range(2):  # the second replaces the first
        SAVERS[name](str(tmp_path / name))
        assert not [left for left in os.listdir(tmp_path) if leftovers.is_temporary(left)]


def test_only_what_has_no_writer_any_more_is_removed(tmp_path: pathlib.Path) -> None:
    living = _writer(tmp_path / "living")
    dead = _writer(tmp_path / "dead")
    dead.kill()
    os.waitid(os.P_PID, dead.pid, os.WEXITED | os.WNOWAIT)  # its parent has not asked yet
    (ours,) = tmp_path.glob("dead.*")
    (theirs,) = tmp_path.glob("living.*")
    machine, pid, start, end = ours.name.removeprefix("dead.tmp-").split("-")
    kept = {
        theirs.name,
        os.path.basename(leftovers.temporary("mine")),
        f"away.tmp-{'0' * len(machine)}-{pid}-{start}-{end}",
        "my.tmp-notes",
        f"my.tmp-{machine}-{pid}",
    }
    later = theirs.name.split("-")
    later[3] = f"{int(later[3], 16) + 1:x}"  # another process had the number of one that runs
    (tmp_path / "-".join(later)).mkdir()
    (tmp_path / "-".join(later) / "held").touch()
    for name in kept:
        (tmp_path / name).touch()
    tf.io.write_file(str(tmp_path / "plain"), "x")
    leftovers.sweep(str(tmp_path))
    assert set(os.listdir(tmp_path)) == kept | {"plain"}
    _end(living)
    _end(dead)


def test_the_longest_name_can_be_written(tmp_path: pathlib.Path) -> None:
    path = tmp_path / ("é" * 120 + ".keras")
    _model().save(path)
    assert os.listdir(tmp_path) == [path.name]


def test_a_name_that_a_file_has_already_leaves_nothing(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a").touch()
    give_name(str(tmp_path / "a"), str(tmp_path / "b"))
    give_name(str(tmp_path / "a"), str(tmp_path / "b"))
    assert sorted(os.listdir(tmp_path)) == ["a", "b"]


def test_a_dataset_that_somebody_else_writes_is_not_removed(tmp_path: pathlib.Path) -> None:
    path = str(tmp_path)
    dataset = tf.data.Dataset.range(3).snapshot(path)
    slow = iter(dataset)
    next(slow)
    assert len(list(dataset)) == 3  # and is finished first
    assert len(list(slow)) == 2
    assert [int(x) for x in dataset] == [0, 1, 2]
