"""tf.io.gfile on local paths and on fsspec's memory."""

from __future__ import annotations

import os
import pathlib

import pytest

import runnel as tf
from runnel.core.files import files

gfile = tf.io.gfile
errors = tf.errors


@pytest.fixture(params=["local", "ram"])
def folder(request: pytest.FixtureRequest, tmp_path: pathlib.Path) -> str:
    if request.param == "local":
        return str(tmp_path)
    path = f"ram://{tmp_path.name}-{os.getpid()}"
    gfile.makedirs(path)
    return path


def put(path: str, content: str) -> None:
    with gfile.GFile(path, "w") as file:
        file.write(content)


def test_files_are_written_read_listed_and_removed(folder: str) -> None:
    put(gfile.join(folder, "a.txt"), "hé\nsecond\n")
    gfile.makedirs(gfile.join(folder, "sub", "deep"))
    put(gfile.join(folder, "sub", "b.txt"), "b")
    with gfile.GFile(gfile.join(folder, "a.txt"), "rb") as file:
        assert file.read() == "hé\nsecond\n".encode() and file.size() == 11
    assert list(gfile.GFile(gfile.join(folder, "a.txt"))) == ["hé\n", "second\n"]
    assert sorted(gfile.listdir(folder)) == ["a.txt", "sub"]
    assert gfile.isdir(gfile.join(folder, "sub")) and not gfile.isdir(gfile.join(folder, "a.txt"))
    found = [(names, subs) for _, subs, names in gfile.walk(folder)]
    assert found[0] == (["a.txt"], ["sub"]) and found[1][0] == ["b.txt"]
    assert [p.rpartition("/")[2] for p in gfile.glob(gfile.join(folder, "*.txt"))] == ["a.txt"]
    gfile.copy(gfile.join(folder, "a.txt"), gfile.join(folder, "c.txt"))
    with pytest.raises(errors.AlreadyExistsError):
        gfile.copy(gfile.join(folder, "a.txt"), gfile.join(folder, "c.txt"))
    gfile.rename(gfile.join(folder, "c.txt"), gfile.join(folder, "a.txt"), overwrite=True)
    assert gfile.stat(gfile.join(folder, "a.txt")).length == 11
    gfile.remove(gfile.join(folder, "a.txt"))
    gfile.rmtree(gfile.join(folder, "sub"))
    assert gfile.listdir(folder) == []


def test_errors_are_those_of_tensorflow(folder: str) -> None:
    missing = gfile.join(folder, "missing")
    for action in (gfile.listdir, gfile.remove, gfile.rmtree, gfile.stat):
        with pytest.raises(errors.NotFoundError):
            action(missing)
    with pytest.raises(errors.NotFoundError):
        gfile.GFile(missing).read()
    put(gfile.join(folder, "f"), "x")
    with pytest.raises(errors.PermissionDeniedError, match="reading"):
        gfile.GFile(gfile.join(folder, "f"), "w").read()
    with pytest.raises(errors.PermissionDeniedError, match="writing"):
        gfile.GFile(gfile.join(folder, "f")).write("x")
    with pytest.raises(errors.InvalidArgumentError, match="mode"):
        gfile.GFile(missing, "x")
    with pytest.raises(errors.UnimplementedError, match="zzz"):
        gfile.exists("zzz://bucket/x")


def test_seeking_counts_bytes_from_the_start_from_here_or_from_the_end(tmp_path) -> None:
    path = tmp_path / "f"
    path.write_text("0123456789")
    with gfile.GFile(path) as file:
        file.seek(4)
        assert file.read(2) == "45" and file.tell() == 6
        file.seek(-1, 2)
        assert file.read() == "9"
        file.seek(2)
        file.seek(3, 1)
        assert file.read(1) == "5"
        with pytest.raises(errors.InvalidArgumentError, match="negative"):
            file.seek(-1)
        with pytest.raises(TypeError, match="offset"):
            file.seek()


def test_modes_with_plus_read_what_they_wrote(tmp_path) -> None:
    path = tmp_path / "f"
    for mode, wanted in (("w+", "abc"), ("a+", "abcabc"), ("r+", "abcabc")):
        with gfile.GFile(path, mode) as file:
            file.write("abc")
            file.seek(0)
            assert file.read() == wanted


def test_a_file_that_could_not_be_written_leaves_the_old_one(tmp_path) -> None:
    path = tmp_path / "f"
    files.write_whole(path, b"old")
    with pytest.raises(RuntimeError, match="half"), files.writing(path) as file:
        file.write(b"new")
        raise RuntimeError("half way")
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["f"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")
def test_a_full_disk_is_an_error_of_its_own_class() -> None:
    with pytest.raises(errors.ResourceExhaustedError), gfile.GFile("/dev/full", "w") as file:
        file.write("x" * (1 << 20))
        file.flush()
