"""A model that is saved over another: whatever happens, one of the two is there, and whole."""

from __future__ import annotations

import os
import sys
import tempfile

import numpy as np
import pytest

import runnel as tf
from runnel.core.files import files, folders
from runnel.saved_model.command_line import main
from tests import children

KILLED = """
import os, signal, sys
import numpy as np
import runnel as tf
from runnel.core.files import files, folders

folder = sys.argv[1]

def model(kind):
    made = tf.Module()
    made.v = tf.Variable(np.full([100], kind, np.float32))
    if kind == 2:
        made.other = tf.Variable(np.full([50], 2.0, np.float32))
    made.f = tf.function(
        (lambda x: x + made.v[0] + made.other[0]) if kind == 2 else lambda x: 10 * x + made.v[0],
        input_signature=[tf.TensorSpec([])],
    )
    return made

def kill_at(count):
    left = iter(range(count))
    def counted(original):
        def call(*args, **kwargs):
            if next(left, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)
            return original(*args, **kwargs)
        return call
    for name in ("replace", "link", "fsync", "mkdir", "unlink", "remove", "rmdir"):
        setattr(os, name, counted(getattr(os, name)))
    files.write_all = counted(files.write_all)
    folders.exchange = counted(folders.exchange)

os.fsync = lambda descriptor: None
if sys.argv[2] == "inside":
    folders._made_beside = lambda folder: None
models = model(1), model(2)
tf.saved_model.save(models[0], folder)
with open(folder + "/mine.txt", "w") as file:
    file.write("of the user")
seen, ended = [], False
for count in range(200):
    child = os.fork()
    if not child:
        kill_at(count)
        tf.saved_model.save(models[count % 2], folder)
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    found = float(tf.saved_model.load(folder).f(tf.constant(3.0)))
    assert found in (31.0, 7.0), found
    assert os.path.exists(folder + "/mine.txt")
    seen.append(found)
    if ended and os.WIFEXITED(status):
        break
    ended = os.WIFEXITED(status)
assert ended and set(seen) == {31.0, 7.0}, seen
print("killed", count)
"""


def can_exchange(path) -> bool:
    one, other = tempfile.mkdtemp(dir=path), tempfile.mkdtemp(dir=path)
    return folders.exchange(one, other)


@pytest.mark.parametrize("way", ["exchange", "inside"])
def test_a_killed_process_leaves_the_old_model_or_the_new_one(way, tmp_path) -> None:
    if way == "exchange" and not can_exchange(tmp_path):
        pytest.skip("this system cannot exchange two folders in one step")
    done = children.run(KILLED, str(tmp_path / "model"), way)
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[-1]) > 20


def model(value: float) -> tf.Module:
    made = tf.Module()
    made.v = tf.Variable(np.full(5, value))
    made.f = tf.function(lambda: made.v[0], input_signature=[])
    return made


def test_a_full_disk_leaves_the_old_model(tmp_path, monkeypatch) -> None:
    """Every write fails once."""
    folder = tmp_path / "model"
    tf.saved_model.save(model(1.0), folder)
    write_all = files.write_all
    for failing in range(20):
        calls = iter(range(100))

        def full(file, content, calls=calls, failing=failing):
            if next(calls) == failing:
                raise OSError(28, "No space left on device")
            write_all(file, content)

        with monkeypatch.context() as patch:
            patch.setattr(files, "write_all", full)
            try:
                tf.saved_model.save(model(2.0), folder)
            except tf.errors.ResourceExhaustedError as error:
                assert "No space left" in str(error)
                assert tf.saved_model.load(folder).f().numpy() == 1.0
                assert os.listdir(tmp_path) == ["model"]
                continue
        break
    assert failing >= 3 and tf.saved_model.load(folder).f().numpy() == 2.0
    assert os.listdir(tmp_path) == ["model"]


def test_a_folder_that_cannot_be_exchanged_is_written_to(tmp_path, monkeypatch) -> None:
    monkeypatch.setattr(folders, "exchange", lambda one, other: False)
    for value in (1.0, 2.0):
        tf.saved_model.save(model(value), tmp_path / "model")
        assert tf.saved_model.load(tmp_path / "model").f().numpy() == value
    monkeypatch.chdir(tmp_path / "model")  # nor is one that somebody works in
    tf.saved_model.save(model(3.0), ".")
    assert tf.saved_model.load(".").f().numpy() == 3.0
    assert os.listdir(tmp_path) == ["model"]
    assert sorted(os.listdir(tmp_path / "model")) == [
        "assets",
        "fingerprint.pb",
        "saved_model.pb",
        "variables",
    ]
    assert len(os.listdir(tmp_path / "model" / "variables")) == 2


def interrupted(folder, monkeypatch) -> None:
    """Save a model over another so that the process dies while files are put into their places."""
    tf.saved_model.save(model(1.0), folder)
    put, moved = folders._put, iter(range(1))

    def put_one(source, target):
        if next(moved, None) is None:
            raise KeyboardInterrupt
        put(source, target)

    with monkeypatch.context() as patch:
        patch.setattr(folders, "exchange", lambda one, other: False)
        patch.setattr(folders, "_put", put_one)
        with pytest.raises(KeyboardInterrupt):
            tf.keras.models.save_model(keras_model(2.0), folder, save_format="tf")


def keras_model(value: float):
    made = tf.keras.Sequential([tf.keras.Input((1,)), tf.keras.layers.Dense(1)])
    made.layers[0].set_weights([[[value]], [0.0]])
    return made


def test_all_readers_find_a_model_that_was_not_yet_put_into_its_place(
    tmp_path, monkeypatch, capsys
) -> None:
    folder = tmp_path / "model"
    interrupted(folder, monkeypatch)
    inner = folder / ".runnel-replacement"
    assert inner.is_dir()
    expected = [[6.0]]
    assert tf.saved_model.load(folder)(tf.constant([[3.0]])).numpy() == expected
    assert tf.keras.models.load_model(folder).predict([[3.0]], verbose=0) == expected
    other = keras_model(0.0)
    other.load_weights(folder)
    assert other.get_weights()[0] == [[2.0]]
    fresh = tf.train.Checkpoint(keras_model(0.0))
    fresh.restore(folder).expect_partial()
    assert fresh.root.get_weights()[0] == [[2.0]]
    print_of_whole = tf.saved_model.experimental.read_fingerprint(inner)
    assert tf.saved_model.experimental.read_fingerprint(folder) == print_of_whole
    main(["show", "--dir", str(folder), "--tag_set", "serve"])
    assert "serving_default" in capsys.readouterr().out
    tf.saved_model.save(model(3.0), folder)
    assert tf.saved_model.load(folder).f().numpy() == 3.0 and not inner.exists()


def test_a_reader_goes_on_where_the_files_were_moved_to(tmp_path, monkeypatch) -> None:
    folder = tmp_path / "model"
    interrupted(folder, monkeypatch)
    loading = sys.modules["runnel.saved_model.reading.load"]
    read, moved = loading.read_saved_model, []

    def moving(path):
        found = read(path)
        if not moved:
            moved.append(path)
            folders._put_in_place(str(folder), "variables")
        return found

    monkeypatch.setattr(loading, "read_saved_model", moving)
    assert tf.saved_model.load(folder)(tf.constant([[3.0]])).numpy() == [[6.0]]
    assert moved == [str(folder / ".runnel-replacement")]


def test_a_model_on_another_file_system_is_replaced_when_the_new_one_is_whole(monkeypatch) -> None:
    folder = "memory://overwriting/model"
    tf.saved_model.save(model(1.0), folder)
    with monkeypatch.context() as patch:
        patch.setattr(folders, "_put_in_place", lambda *args: None)  # the process dies before
        tf.saved_model.save(model(2.0), folder)
    assert tf.saved_model.load(folder).f().numpy() == 2.0
    assert tf.io.gfile.exists(f"{folder}/.runnel-replacement/whole")
    tf.saved_model.save(model(3.0), folder)
    assert tf.saved_model.load(folder).f().numpy() == 3.0
    assert not tf.io.gfile.exists(f"{folder}/.runnel-replacement")


def test_what_else_is_in_the_folder_stays(tmp_path) -> None:
    folder = tmp_path / "model"
    tf.saved_model.save(model(1.0), folder)
    (folder / "assets.extra" / "inner").mkdir(parents=True)
    (folder / "assets.extra" / "inner" / "notes.txt").write_text("mine")
    os.symlink("saved_model.pb", folder / "link")
    folder.chmod(0o750)
    tf.saved_model.save(model(2.0), folder)
    assert (folder / "assets.extra" / "inner" / "notes.txt").read_text() == "mine"
    assert os.readlink(folder / "link") == "saved_model.pb"
    assert folder.stat().st_mode & 0o777 == 0o750
    assert sorted(os.listdir(folder / "variables")) == [
        "variables.data-00000-of-00001",
        "variables.index",
    ]


def test_a_link_to_a_folder_is_followed(tmp_path) -> None:
    tf.saved_model.save(model(1.0), tmp_path / "real")
    os.symlink(tmp_path / "real", tmp_path / "link")
    tf.saved_model.save(model(2.0), tmp_path / "link")
    assert os.path.islink(tmp_path / "link")
    assert tf.saved_model.load(tmp_path / "real").f().numpy() == 2.0
