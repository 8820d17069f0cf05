"""Checkpoints inside `tf.function`, and the options of reading and writing."""

from __future__ import annotations

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
    with pytest.raises(NotImplementedError, match="between calls"):
        tf.function(lambda: made.read(path))()


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
