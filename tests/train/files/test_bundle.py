"""The files of a checkpoint: what is written is read, and damage is noticed."""

from __future__ import annotations

import contextlib
import os
import pathlib
import random

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runnel as tf
from runnel.core.files import files
from runnel.core.values import dtypes
from runnel.train.files import table
from runnel.train.files.bundle import BundleReader, write_bundle
from runnel.train.files.slices import slice_key
from tests import children

GOLDEN = pathlib.Path(__file__).parent.parent.parent / "golden" / "checkpoints"


@pytest.fixture(autouse=True)
def unsynced(monkeypatch) -> None:
    """Waiting for the disk thousands of times would prove nothing."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def strings(*values: bytes) -> np.ndarray:
    array = np.empty(len(values), object)
    array[:] = values
    return array


TENSORS = {
    "b": (np.arange(6.0, dtype=np.float32).reshape(2, 3), dtypes.float32),
    "a/half": (np.array([1.5, -2.0], np.float16), dtypes.float16),
    "a/brain": (np.array([1.5, -2.0], ml_dtypes.bfloat16), dtypes.bfloat16),
    "complex": (np.array([1 + 2j], np.complex64), dtypes.complex64),
    "empty": (np.zeros((0, 3)), dtypes.float64),
    "flag": (np.array([True, False]), dtypes.bool),
    "scalar": (np.array(7, np.int64), dtypes.int64),
    "strings": (strings(b"", b"abc", b"x" * 300).reshape(3, 1), dtypes.string),
    "turned": (np.arange(6).reshape(2, 3).T, dtypes.int64),
}


def test_every_kind_of_tensor_comes_back(tmp_path) -> None:
    write_bundle(str(tmp_path / "x"), TENSORS)
    with BundleReader(tmp_path / "x") as reader:
        assert reader.names() == sorted(TENSORS)
        for name, (array, dtype) in TENSORS.items():
            found = reader.read(name)
            assert reader.dtype(name) is dtype and found.shape == array.shape
            np.testing.assert_array_equal(found, array)
        with pytest.raises(tf.errors.NotFoundError, match="nothing"):
            reader.read("nothing")


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(st.binary(max_size=12), st.binary(max_size=40), max_size=60))
def test_a_table_gives_back_its_items(items: dict[bytes, bytes]) -> None:
    assert table.decode(table.encode(items), "t") == items


def test_a_large_table_has_several_blocks() -> None:
    items = {f"key{i:06d}".encode(): b"v" * 100 for i in range(5000)}
    assert table.decode(table.encode(items), "t") == items


def test_the_keys_of_parts_keep_the_order_of_what_they_say() -> None:
    assert slice_key("v", [(0, 1)]) == b"\x00v\x00\x01\x01\x01\x80\x81"
    starts = [0, 1, 63, 64, 100, 8191, 8192, 1 << 20, 1 << 40]
    keys = [slice_key("v", [(start, -1)]) for start in starts]
    assert keys == sorted(keys) and len(set(keys)) == len(keys)


@pytest.mark.parametrize("name", ["sharded", "parts"])
def test_checkpoints_that_tensorflow_wrote_in_parts_are_read(name: str) -> None:
    with BundleReader(GOLDEN / name) as reader, np.load(GOLDEN / "values.npz") as values:
        for key in set(reader.names()) - {"_CHECKPOINTABLE_OBJECT_GRAPH"}:
            np.testing.assert_array_equal(reader.read(key), values[f"{name}/{key}"])
        assert len(reader.names()) >= 3


def read_all(prefix: pathlib.Path) -> dict[str, np.ndarray]:
    with BundleReader(prefix) as reader:
        return {name: reader.read(name) for name in reader.names()}


def test_every_truncation_of_a_file_is_noticed(tmp_path) -> None:
    write_bundle(str(tmp_path / "x"), TENSORS)
    for name in ("x.index", "x.data-00000-of-00001"):
        path = tmp_path / name
        whole = path.read_bytes()
        for size in range(0, len(whole), 3):
            path.write_bytes(whole[:size])
            with pytest.raises(tf.errors.OpError):
                read_all(tmp_path / "x")
        path.write_bytes(whole)
    assert len(read_all(tmp_path / "x")) == len(TENSORS)


@pytest.mark.parametrize("name", ["x.index", "x.data-00000-of-00001"])
def test_every_damaged_byte_is_noticed(tmp_path, name: str) -> None:
    write_bundle(str(tmp_path / "x"), TENSORS)
    path = tmp_path / name
    whole = path.read_bytes()
    chance = random.Random(0)
    for _ in range(600):
        damaged = bytearray(whole)
        damaged[chance.randrange(len(whole))] ^= 1 << chance.randrange(8)
        path.write_bytes(damaged)
        try:
            found = read_all(tmp_path / "x")
        except tf.errors.OpError:
            continue
        # A byte that nothing depends on, such as padding; values must be what they were.
        assert all(np.array_equal(found[k], v) for k, (v, _) in TENSORS.items())


def test_numbers_in_a_damaged_index_take_no_memory(tmp_path) -> None:
    """The checksums are right here, but sizes and offsets lie."""
    write_bundle(str(tmp_path / "x"), TENSORS)
    index = tmp_path / "x.index"
    items = table.decode(index.read_bytes(), "x")
    chance = random.Random(1)
    for _ in range(1000):
        changed = dict(items)
        key = chance.choice(list(items))
        value = bytearray(items[key])
        for _ in range(chance.randrange(1, 4)):
            value[chance.randrange(len(value))] = chance.randrange(256)
        changed[key] = bytes(value)
        index.write_bytes(table.encode(changed))
        try:
            for found in read_all(tmp_path / "x").values():
                assert found.nbytes < 1 << 16
        except tf.errors.OpError:
            pass


def test_writing_over_a_checkpoint_leaves_only_the_usual_files(tmp_path) -> None:
    for value in range(3):
        write_bundle(str(tmp_path / "x"), {"v": (np.full(4, value), dtypes.int64)})
        assert read_all(tmp_path / "x")["v"].tolist() == [value] * 4
        assert sorted(os.listdir(tmp_path)) == ["x.data-00000-of-00001", "x.index"]


def test_a_failure_at_any_moment_leaves_the_old_checkpoint(tmp_path, monkeypatch) -> None:
    """Every call that changes files fails once; what is there is always whole."""
    prefix = str(tmp_path / "x")
    for failing in range(40):
        write_bundle(prefix, {"v": (np.zeros(4), dtypes.float64)})
        calls = iter(range(1000))

        def counted(original, calls=calls, failing=failing):
            def call(*args, **kwargs):
                if next(calls) == failing:
                    raise OSError(28, "No space left on device")
                return original(*args, **kwargs)

            return call

        with monkeypatch.context() as patch:
            for name in ("replace", "link", "fsync"):
                patch.setattr(os, name, counted(getattr(os, name)))
            patch.setattr(files, "write_all", counted(files.write_all))
            with contextlib.suppress(tf.errors.ResourceExhaustedError):
                write_bundle(prefix, {"v": (np.ones(4), dtypes.float64)})
        found = read_all(tmp_path / "x")["v"]
        assert found.tolist() in ([0.0] * 4, [1.0] * 4)
        if next(calls) < failing:
            break
    else:
        pytest.fail("there were more calls than expected")


KILLED = """
import os, random, signal, sys, time
import numpy as np
import runnel as tf

folder, chance, reached = sys.argv[1], random.Random(3), 0.0
values = [tf.Variable(np.zeros(40000)) for _ in range(8)]
checkpoint = tf.train.Checkpoint(values=values)

def work(done):
    manager = tf.train.CheckpointManager(checkpoint, folder, max_to_keep=2)
    for step in range(1, 100000):
        for value in values:
            value.assign(np.full(40000, float(step)))
        manager.save()
        checkpoint.write(folder + "/same")
        os.write(done, b"x")

for trial in range(20):
    ready, done = os.pipe()
    child = os.fork()
    if not child:
        work(done)
    os.read(ready, 1)
    time.sleep(chance.random() * 0.06)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    os.close(ready), os.close(done)
    for path in (tf.train.latest_checkpoint(folder), folder + "/same"):
        if path is None or not os.path.exists(path + ".index"):
            assert reached == 0.0, "what had been written is gone"
            continue
        checkpoint.restore(path).expect_partial()
        found = {float(v.numpy()[i]) for v in values for i in (0, -1)}
        assert len(found) == 1, f"{path} is a mixture of {found}"
        reached = max(reached, found.pop())
print("reached", reached)
"""


def test_a_killed_process_leaves_the_last_checkpoint_whole(tmp_path) -> None:
    done = children.run(KILLED, str(tmp_path))
    assert done.returncode == 0, done.stderr
    assert float(done.stdout.split()[-1]) >= 1.0


def test_a_folder_is_no_prefix(tmp_path) -> None:
    with pytest.raises(tf.errors.DataLossError, match="it is a directory, and not the prefix"):
        tf.train.Checkpoint().read(str(tmp_path))
