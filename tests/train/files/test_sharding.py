"""Checkpoints in several files: every tensor comes back, and a callback cannot lose one."""

from __future__ import annotations

import contextlib
import itertools
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runnel as tf
from runnel.core.files import files
from runnel.core.values import dtypes
from runnel.train.files.bundle import BundleReader, Part, write_bundle
from runnel.train.files.sharding import sharded


@pytest.fixture(autouse=True)
def unsynced(monkeypatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def options(policy) -> tf.train.CheckpointOptions:
    return tf.train.CheckpointOptions(experimental_sharding_callback=policy)


def sizes(prefix: str) -> list[int]:
    return [os.path.getsize(path) for path in sorted(tf.io.gfile.glob(f"{prefix}.data-*"))]


@pytest.mark.parametrize(
    ("shapes", "limit", "expected"),  # the sizes that TensorFlow's files have
    [
        ([(10,)], 8, [8, 8, 8, 8, 8]),
        ([(), (), ()], 4, [4, 4, 4]),
        ([(3, 4)], 48, [48]),
        ([(100, 4)], 48, [48] * 33 + [16]),
        ([(7, 5), (6,), (2, 2)], 60, [60, 60, 60]),
    ],
)
def test_no_file_is_larger_than_it_may_be(tmp_path, shapes, limit, expected) -> None:
    values = {f"v{i}": np.arange(np.prod(s), dtype=np.float32) for i, s in enumerate(shapes)}
    values = {k: v.reshape(s) for (k, v), s in zip(values.items(), shapes)}
    made = tf.train.Checkpoint(**{name: tf.Variable(value) for name, value in values.items()})
    path = made.write(tmp_path / "x", options(tf.train.experimental.MaxShardSizePolicy(limit)))
    found = sizes(path)
    found[-1] -= sum(found) - sum(value.nbytes for value in values.values())  # the graph of objects
    assert found == expected
    for name in values:
        getattr(made, name).assign(tf.zeros_like(getattr(made, name)))
    made.read(path).assert_consumed()
    for name, value in values.items():
        np.testing.assert_array_equal(getattr(made, name).numpy(), value)


@settings(max_examples=60, deadline=None)
@given(
    shapes=st.lists(st.lists(st.integers(0, 5), max_size=3).map(tuple), min_size=1, max_size=4),
    limit=st.integers(-1, 70),
)
def test_pieces_make_up_the_whole_whatever_the_size(shapes, limit) -> None:
    tensors = {
        f"v{i}": (np.arange(np.prod(s), dtype=np.int32).reshape(s), dtypes.int32)
        for i, s in enumerate(shapes)
    }
    shards = sharded(tf.train.experimental.MaxShardSizePolicy(limit), tensors)
    assert all(sum(p.array.nbytes for p in shard) <= max(limit, 4) for shard in shards)
    prefix = "ram://sharded/x"
    write_bundle(prefix, tensors, shards)
    with BundleReader(prefix) as reader:
        for name, (array, _) in tensors.items():
            np.testing.assert_array_equal(reader.read(name), array)


def test_strings_are_measured_by_their_longest(tmp_path) -> None:
    made = tf.train.Checkpoint(v=tf.Variable(["aaaa", "b", "cc", "d"]))
    path = made.write(tmp_path / "x", options(tf.train.experimental.MaxShardSizePolicy(8)))
    assert len(sizes(path)) == 2
    made.v.assign([""] * 4)
    made.read(path).assert_consumed()
    assert made.v.numpy().tolist() == [b"aaaa", b"b", b"cc", b"d"]


def callback(function) -> tf.train.experimental.ShardingCallback:
    class Mine(tf.train.experimental.ShardingCallback):
        @property
        def description(self) -> str:
            return "mine"

        def __call__(self, shardable_tensors):
            return function(shardable_tensors)

    return Mine()


def one_by_one(tensors):
    return [{t.checkpoint_key: {t.slice_spec: t.tensor}} for t in tensors]


def test_a_callback_sees_what_is_saved_and_decides(tmp_path) -> None:
    seen = []

    def decide(tensors):
        seen.extend(tensors)
        return one_by_one(tensors)

    v, s = tf.Variable([[1.0, 2.0]]), tf.Variable("text")
    path = tf.train.Checkpoint(v=v, s=s).write(tmp_path / "x", options(callback(decide)))
    assert len(sizes(path)) == 3
    keys = ["s/.ATTRIBUTES/VARIABLE_VALUE", "v/.ATTRIBUTES/VARIABLE_VALUE"]
    assert [t.checkpoint_key for t in seen] == [*keys, "_CHECKPOINTABLE_OBJECT_GRAPH"]
    assert seen[1].trackable is v and seen[1].shape == [1, 2] and seen[1].dtype is tf.float32
    assert seen[1].device.task == 0 and "checkpoint_key='v/" in repr(seen[1])
    assert seen[1].tensor.numpy().tolist() == [[1.0, 2.0]] and seen[2].trackable is None


def halved(tensors):
    found = one_by_one(tensors)
    found[0] = {tensors[0].checkpoint_key: {"2 0,1": tensors[0].tensor[:1]}}
    return found


@pytest.mark.parametrize(
    ("function", "error", "match"),
    [
        (lambda ts: [], tf.errors.InvalidArgumentError, "no tensors"),
        (lambda ts: one_by_one(ts) * 2, tf.errors.InvalidArgumentError, "twice"),
        (lambda ts: one_by_one(ts)[1:], RuntimeError, "left out 'v/"),
        (halved, RuntimeError, "left out 'v/"),
        (lambda ts: [{"other": {"": ts[0].tensor}}], RuntimeError, "'other'"),
        (lambda ts: [{ts[0].checkpoint_key: {"": ts[0].tensor[:1]}}], RuntimeError, "shape"),
        (
            lambda ts: [{ts[0].checkpoint_key: {"": tf.cast(ts[0].tensor, tf.int32)}}],
            RuntimeError,
            "int32",
        ),
        (lambda ts: [{ts[0].checkpoint_key: {"2 1,2": ts[0].tensor}}], RuntimeError, "1,2"),
        (lambda ts: [{ts[0].checkpoint_key: {"what": ts[0].tensor}}], RuntimeError, "what"),
    ],
)
def test_a_callback_cannot_lose_or_change_a_tensor(tmp_path, function, error, match) -> None:
    made = tf.train.Checkpoint(v=tf.Variable([1.0, 2.0]))
    with pytest.raises(error, match=match):
        made.write(tmp_path / "x", options(callback(function)))
    assert not os.listdir(tmp_path)


def test_only_a_sharding_callback_is_taken() -> None:
    for kind in (tf.train.CheckpointOptions, tf.saved_model.SaveOptions):
        with pytest.raises(ValueError, match="ShardingCallback"):
            kind(experimental_sharding_callback=lambda tensors: [])
    policy = tf.train.experimental.MaxShardSizePolicy(3)
    assert hash(policy) == hash(tf.train.experimental.MaxShardSizePolicy(3))
    assert policy.description == "Split tensors into shards with a max shard size."


def test_one_process_has_one_file(tmp_path) -> None:
    policy = tf.train.experimental.ShardByTaskPolicy()
    path = tf.train.Checkpoint(v=tf.Variable([1.0])).write(tmp_path / "x", options(policy))
    assert sorted(os.listdir(tmp_path)) == ["x.data-00000-of-00001", "x.index"]
    assert tf.train.load_variable(path, "v/.ATTRIBUTES/VARIABLE_VALUE").tolist() == [1.0]


def in_files(count: int, value: float):
    """A tensor of 4 numbers in so many files."""
    whole = np.full(4, value)
    cuts = np.array_split(np.arange(4), count)
    shards = [[Part("v", ((int(c[0]), len(c)),), whole[c[0] : c[-1] + 1])] for c in cuts]
    return {"v": (whole, dtypes.float64)}, shards


def read(prefix: str) -> list[float]:
    with BundleReader(prefix) as reader:
        return reader.read("v").tolist()


@pytest.mark.parametrize(("before", "after"), [(1, 2), (2, 1), (2, 2), (3, 3), (2, 3)])
def test_a_failure_at_any_moment_leaves_one_of_both(tmp_path, monkeypatch, before, after) -> None:
    prefix = str(tmp_path / "x")
    for failing in range(60):
        write_bundle(prefix, *in_files(before, 1.0))
        calls = itertools.count()

        def counted(original, calls=calls, failing=failing):
            def call(*args, **kwargs):
                if next(calls) == failing:
                    raise OSError(28, "No space left on device")
                return original(*args, **kwargs)

            return call

        with monkeypatch.context() as patch:
            for name in ("replace", "link", "remove"):
                patch.setattr(os, name, counted(getattr(os, name)))
            patch.setattr(files, "write_all", counted(files.write_all))
            with contextlib.suppress(tf.errors.ResourceExhaustedError):
                write_bundle(prefix, *in_files(after, 2.0))
        assert read(prefix) in ([1.0] * 4, [2.0] * 4)
        if next(calls) < failing:
            break
    else:
        pytest.fail("there were more calls than expected")
    names = [f"x.data-{n:05d}-of-{after:05d}" for n in range(after)]
    assert read(prefix) == [2.0] * 4 and sorted(os.listdir(tmp_path)) == [*names, "x.index"]


def test_the_variables_of_a_model_may_be_in_several_files(tmp_path) -> None:
    model = tf.Module()
    model.v = tf.Variable(np.arange(100.0).reshape(10, 10))
    policy = tf.train.experimental.MaxShardSizePolicy(100)
    saved = tf.saved_model.SaveOptions(experimental_sharding_callback=policy)
    tf.saved_model.save(model, tmp_path, options=saved)
    assert len(os.listdir(tmp_path / "variables")) > 8
    np.testing.assert_array_equal(tf.saved_model.load(tmp_path).v, model.v)
