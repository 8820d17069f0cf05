"""Compiled programs on disk: where they are, that they are found again, and how many are kept."""

from __future__ import annotations

import os
import signal
import types
from pathlib import Path
from typing import Any

import pytest

from runnel.backend import compile_cache
from runnel.backend.jax import jax
from runnel.graph.run import segment
from tests import children

PROGRAM = """
import sys
import runnel as tf

assert "jax" not in sys.modules
from runnel.backend import compile_cache
compile_cache._WORTH_KEEPING = 0.0  # however fast the machine is
work = lambda x: tf.reduce_sum(tf.linalg.matmul(tf.sin(x), x))
fn = tf.function(work, jit_compile=True, autograph=False)
print(float(fn(tf.eye(40))))
import jax
print(jax.config.jax_compilation_cache_dir)
"""


LOOP = """
import {segment} as segment
import runnel as tf
from runnel.backend import compile_cache

compile_cache._WORTH_KEEPING = 0.0
segment._MOST_KEPT = 60

def work(x):
    for i in tf.range(2):
        for place in range({count}):
            x = tf.tensor_scatter_nd_add(x, [[place % 4]], [x[0] * float(place)])
    return x

print(tf.function(work, jit_compile=True)(tf.ones([4])).shape)
import jax
print(jax.config.jax_compilation_cache_dir)
"""


def run(program: str = PROGRAM, **environment: str) -> list[str]:
    done = children.run(program, env=environment, strict=True, check=True)
    assert not done.stderr
    return done.stdout.split()


def programs(folder: str) -> dict[str, int]:
    """When the files of functions were written; others are there if they took long to compile."""
    return {p.name: p.stat().st_mtime_ns for p in Path(folder).glob("jit__program-*")}


def test_a_program_is_kept_and_found_again(tmp_path: Path) -> None:
    first, folder = run(RUNNEL_CACHE_DIR=str(tmp_path))
    assert Path(folder).parent == tmp_path
    kept = programs(folder)
    assert kept
    again, _ = run(RUNNEL_CACHE_DIR=str(tmp_path))
    assert again == first
    assert programs(folder) == kept


@pytest.mark.parametrize(("count", "kept"), [(3, True), (15, False)])
def test_long_programs_are_not_kept_since_jax_could_not_link_them(
    count: int, kept: bool, tmp_path: Path
) -> None:
    program = tmp_path / "program.py"  # AutoGraph wants to see the source
    program.write_text(LOOP.format(count=count, segment=segment.__name__))
    start = f"import runpy; runpy.run_path({str(program)!r})"
    *_, folder = run(start, RUNNEL_CACHE_DIR=str(tmp_path))
    assert bool(programs(folder)) == kept


class Jax:
    """As much of JAX as it takes to be set up."""

    lib = types.SimpleNamespace(__version__="1.2")

    def __init__(self, folder: str | None) -> None:
        self.config = types.SimpleNamespace(
            jax_compilation_cache_dir=folder, update=self.settings().__setitem__
        )

    def settings(self) -> dict[str, Any]:
        return self.__dict__.setdefault("_settings", {})


def test_a_directory_that_jax_was_told_of_is_left_alone(tmp_path: Path) -> None:
    jax = Jax(folder=str(tmp_path))
    compile_cache.enable(jax)
    assert not jax.settings()


def test_a_directory_that_cannot_be_made_is_done_without(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RUNNEL_CACHE_DIR", str(tmp_path / "file"))
    jax = Jax(folder=None)
    compile_cache.enable(jax)
    assert not jax.settings()
    monkeypatch.setenv("RUNNEL_CACHE_DIR", str(tmp_path / "folder"))
    compile_cache.enable(jax)
    assert Path(jax.settings()["jax_compilation_cache_dir"]).is_dir()


def test_it_is_in_the_users_cache_directory(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("RUNNEL_CACHE_DIR", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    found = compile_cache.directory("1.2")
    assert found is not None
    assert found.parent == tmp_path / "runnel" and found.name.startswith("xla-1.2-")


@pytest.mark.parametrize("value", ["", "0", "off", "OFF", "none"])
def test_words_that_switch_it_off(monkeypatch: pytest.MonkeyPatch, value: str) -> None:
    monkeypatch.setenv("RUNNEL_CACHE_DIR", value)
    assert compile_cache.directory("1.2") is None


def test_the_files_used_least_recently_go_first(tmp_path: Path) -> None:
    for age, name in enumerate(["new", "old", "oldest"]):
        (tmp_path / name).write_bytes(b"x" * 100)
        os.utime(tmp_path / name, (1000 - age, 1000 - age))
    compile_cache.trim(tmp_path, 250)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["new", "old"]
    compile_cache.trim(tmp_path, 0)
    assert not list(tmp_path.iterdir())


def test_an_alarm_while_a_program_is_read_is_not_taken_for_a_bad_file(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def late(number: int, frame: Any) -> None:
        raise TimeoutError("late")

    def read(*args: Any) -> None:
        signal.raise_signal(signal.SIGALRM)

    monkeypatch.setattr("jax._src.compilation_cache.get_executable_and_time", read)
    before = signal.signal(signal.SIGALRM, late)
    try:
        with pytest.raises(TimeoutError, match="late"):
            jax.jit(lambda x: x * 3.25)(1.0)
    finally:
        signal.signal(signal.SIGALRM, before)
