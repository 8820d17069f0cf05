"""Checkpoints inside `tf.function`, and the options of reading and writing."""

from __future__ import annotations

import inspect
import os

import numpy as np
import pytest

import runnel as tf

KEY = "v/.ATTRIBUTES/VARIABLE_VALUE"


@pytest.fixture(autouse=True)
def unsynced(monkeypatch) -> None:
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)


def test_a_function_writes_each_time_it_is_called(tmp_path) -> None:
    made = tf.train.Checkpoint(v=tf.Variable(3.0))

    @tf.function
    def step():
        made.v.assign_add(1.0)
        return made.write(str(tmp_path / "x"))

    for value in (4.0, 5.0, 6.0):
        assert step().numpy() == str(tmp_path / "x").encode()
        assert tf.train.load_variable(tmp_path / "x", KEY) == value


def test_a_loop_writes_under_names_it_makes(tmp_path) -> None:
    made = tf.train.Checkpoint(v=tf.Variable(0))

    @tf.function
    def run(count):
        for i in tf.range(count):
            made.v.assign_add(1)
            if made.v % 2 == 0:
                made.write(tf.strings.join([str(tmp_path / "at"), tf.as_string(i)]))

    run(5)
    found = {i: tf.train.load_variable(tmp_path / f"at{i}", KEY) for i in (1, 3)}
    assert found == {1: 2, 3: 4} and len(os.listdir(tmp_path)) == 4


def test_save_and_restore_belong_outside(tmp_path) -> None:
    made = tf.train.Checkpoint(v=tf.Variable(3.0))
    path = made.write(tmp_path / "x")
    with pytest.raises(NotImplementedError, match=r"Checkpoint\.write"):
        tf.function(lambda: made.save(str(tmp_path / "y")))()
    with pytest.raises(TypeError, match="between calls"):
        tf.function(lambda: made.read(path))()
    with pytest.raises(TypeError, match="between calls"):
        tf.function(lambda: made.restore(path))()
    assert isinstance(tf.function(lambda: made.restore(None) is not None)().numpy(), np.bool_)


def test_a_function_with_options_of_python_writes_too(tmp_path) -> None:
    made = tf.train.Checkpoint(v=tf.Variable(3.0))
    paths: list[str] = []
    for options in (
        tf.train.CheckpointOptions(experimental_write_callbacks=[paths.append]),
        tf.train.CheckpointOptions(enable_async=True),
        tf.train.CheckpointOptions(
            experimental_sharding_callback=tf.train.experimental.MaxShardSizePolicy(1000)
        ),
    ):
        made.v.assign_add(1.0)
        tf.function(lambda options=options: made.write(str(tmp_path / "x"), options))()
        made.sync()
        assert tf.train.load_variable(tmp_path / "x", KEY) == made.v.numpy()
    assert paths == [str(tmp_path / "x")]


def test_a_function_writes_the_iterator_and_the_table_as_they_are_then(tmp_path) -> None:
    iterator = iter(tf.data.Dataset.range(10))
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    made = tf.train.Checkpoint(iterator=iterator, table=table)
    write = tf.function(lambda: made.write(str(tmp_path / "x")))
    write()
    next(iterator)
    table.insert(["a"], [3])
    write()
    next(iterator)
    table.remove(["a"])
    made.read(str(tmp_path / "x")).assert_consumed()
    assert next(iterator).numpy() == 1 and table.lookup(["a"]).numpy().tolist() == [3]


def save_parts(folder) -> list[str]:
    """Two bundles, each with a part of one tensor."""
    parts = (("3 2 0,1:-", [[1, 2]]), ("3 2 1,2:-", [[3, 4], [5, 6]]))
    prefixes = [str(folder / f"p{place}") for place in range(2)]
    for prefix, (spec, rows) in zip(prefixes, parts, strict=True):
        tf.raw_ops.SaveV2(
            prefix=prefix, tensor_names=["w"], shape_and_slices=[spec], tensors=[rows]
        )
    return prefixes


def test_tensors_are_saved_in_parts_and_several_files_become_one(tmp_path) -> None:
    whole = str(tmp_path / "whole")
    for _ in range(2):  # over nothing, then over an older one
        prefixes = save_parts(tmp_path / "parts")
        tf.raw_ops.MergeV2Checkpoints(checkpoint_prefixes=prefixes, destination_prefix=whole)
        (found,) = tf.raw_ops.RestoreV2(
            prefix=whole, tensor_names=["w"], shape_and_slices=[""], dtypes=[tf.int32]
        )
        assert found.numpy().tolist() == [[1, 2], [3, 4], [5, 6]]
        assert len(os.listdir(tmp_path)) == 3  # two files of data, the index, no folder of parts
    save_parts(tmp_path / "parts")
    tf.raw_ops.SaveV2(prefix=whole, tensor_names=["w"], shape_and_slices=[""], tensors=[[1]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="twice"):
        tf.raw_ops.MergeV2Checkpoints(
            checkpoint_prefixes=[prefixes[0], whole], destination_prefix=str(tmp_path / "z")
        )
    with pytest.raises(tf.errors.InvalidArgumentError, match="does not fit"):
        tf.raw_ops.SaveV2(
            prefix=whole, tensor_names=["w"], shape_and_slices=["3 0,2"], tensors=[[1]]
        )


def test_the_children_of_an_object_are_asked_for_by_a_kind_of_file() -> None:
    made = tf.Module()
    made.f = tf.function(lambda: 1, input_signature=[])
    view = tf.train.TrackableView
    default = inspect.signature(view.children).parameters["save_type"].default
    assert repr(default) == "<SaveType.CHECKPOINT: 'checkpoint'>" and default == "checkpoint"
    assert list(view.children(made, "savedmodel", cache={})) == ["f"]


def test_slots_are_not_restored_if_they_are_not_wanted(tmp_path) -> None:
    v = tf.Variable([1.0, 2.0])
    optimizer = tf.keras.optimizers.legacy.Adam(0.1)
    optimizer.apply_gradients([(tf.constant([1.0, 1.0]), v)])
    path = tf.train.Checkpoint(v=v, optimizer=optimizer).write(tmp_path / "x")
    kept = optimizer.get_slot(v, "m").numpy()

    other = tf.Variable([0.0, 0.0])
    fresh = tf.keras.optimizers.legacy.Adam(0.1)
    fresh.apply_gradients([(tf.constant([5.0, 5.0]), other)])
    own = fresh.get_slot(other, "m").numpy()
    reading = tf.train.Checkpoint(v=other, optimizer=fresh)
    options = tf.train.CheckpointOptions(experimental_skip_slot_variables=True)
    status = reading.read(path, options)
    status.assert_consumed()
    assert not any("SLOT" in name for name in status.report().missing_objects)
    np.testing.assert_array_equal(fresh.get_slot(other, "m").numpy(), own)
    np.testing.assert_array_equal(other.numpy(), v.numpy())
    reading.read(path).assert_consumed()
    np.testing.assert_array_equal(fresh.get_slot(other, "m").numpy(), kept)


def test_write_callbacks_must_be_callable_and_are_called(tmp_path) -> None:
    with pytest.raises(TypeError, match="not callable"):
        tf.train.CheckpointOptions(experimental_write_callbacks=[3])
    paths, times = [], []
    options = tf.train.CheckpointOptions(
        experimental_write_callbacks=[paths.append, lambda: times.append(1)]
    )
    path = tf.train.Checkpoint(v=tf.Variable(1.0)).save(tmp_path / "x", options)
    assert paths == [path] and times == [1]
