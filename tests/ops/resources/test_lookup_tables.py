"""Lookup tables in functions, checkpoints and models."""

from __future__ import annotations

import pathlib
import threading
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runnel as tf

LINE, NUMBER = tf.lookup.TextFileIndex.WHOLE_LINE, tf.lookup.TextFileIndex.LINE_NUMBER


def words() -> Any:
    init = tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1, 2], tf.int64))
    return tf.lookup.StaticHashTable(init, -1)


@settings(max_examples=50, deadline=None)
@given(
    entries=st.dictionaries(st.binary(max_size=4), st.integers(-9, 9)),
    keys=st.lists(st.binary(max_size=4)),
)
def test_a_table_is_a_dictionary(entries: dict[bytes, int], keys: list[bytes]) -> None:
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -100)
    table.insert(
        tf.constant(list(entries), tf.string), tf.constant(list(entries.values()), tf.int64)
    )
    asked = [*keys, *entries]
    found = table.lookup(tf.constant(asked, tf.string)).numpy().tolist()
    assert found == [entries.get(key, -100) for key in asked]
    assert dict(zip(*[t.numpy().tolist() for t in table.export()], strict=True)) == entries


def test_a_traced_function_sees_what_was_inserted_since() -> None:
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, 0)

    @tf.function
    def count(x: tf.Tensor) -> tf.Tensor:
        table.insert(x, table.lookup(x) + 1)
        return table.lookup(x)

    key = tf.constant(["x"])
    assert [int(count(key)[0]) for _ in range(4)] == [1, 2, 3, 4]
    table.insert(["x"], [10])
    assert int(count(key)[0]) == 11


def test_the_shape_of_what_is_found_is_known_while_tracing() -> None:
    table, shapes = words(), []

    @tf.function(input_signature=[tf.TensorSpec([None, 3], tf.string)])
    def find(x: tf.Tensor) -> tf.Tensor:
        found = table.lookup(x)
        shapes.append(found.shape.as_list())
        return found

    assert find(tf.constant([["a", "b", "c"]])).numpy().tolist() == [[1, 2, -1]]
    assert shapes == [[None, 3]]


def test_a_table_can_be_made_while_tracing() -> None:
    @tf.function
    def find(x: tf.Tensor) -> tf.Tensor:
        return words().lookup(x)

    assert find(tf.constant(["b"])).numpy().tolist() == [2]


def test_a_table_from_a_file_goes_with_a_saved_model(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("one\ntwo\r\nthree")
    init = tf.lookup.TextFileInitializer(str(file), tf.string, LINE, tf.int64, NUMBER)
    module = tf.Module()
    module.table = tf.lookup.StaticVocabularyTable(init, num_oov_buckets=1)
    module.find = tf.function(
        lambda x: module.table.lookup(x), input_signature=[tf.TensorSpec([None], tf.string)]
    )
    tf.saved_model.save(module, str(tmp_path / "model"))
    file.unlink()
    loaded = tf.saved_model.load(str(tmp_path / "model"))
    assert loaded.find(tf.constant(["two", "three", "?"])).numpy().tolist() == [1, 2, 3]


def test_lines_of_a_file_are_numbered_from_an_offset_also_as_keys(tmp_path: pathlib.Path) -> None:
    file = tmp_path / "words.txt"
    file.write_text("one\ntwo")
    init = tf.lookup.TextFileInitializer(
        str(file), tf.int64, NUMBER, tf.string, LINE, value_index_offset=2
    )
    table = tf.lookup.StaticHashTable(init, "?")
    found = table.lookup(tf.constant([0, 2, 3], tf.int64)).numpy().tolist()
    assert found == [b"?", b"one", b"two"]


def test_a_changing_table_is_restored_from_a_checkpoint(tmp_path: pathlib.Path) -> None:
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0])
    table.insert([3, 4], [[1.0, 2.0], [3.0, 4.0]])
    path = tf.train.Checkpoint(table=table).save(str(tmp_path / "ckpt"))
    other = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, [0.0, 0.0])
    other.insert([9], [[9.0, 9.0]])
    tf.train.Checkpoint(table=other).restore(path).assert_consumed()
    assert other.lookup([4, 9]).numpy().tolist() == [[3.0, 4.0], [0.0, 0.0]]


def test_a_dense_table_is_restored_without_its_marks(tmp_path: pathlib.Path) -> None:
    def make() -> Any:
        return tf.lookup.experimental.DenseHashTable(
            tf.string, tf.string, "?", empty_key="", deleted_key="$", initial_num_buckets=4
        )

    table, other = make(), make()
    table.insert(["a", "b", "c", "d", "e"], ["1", "2", "3", "4", "5"])
    table.remove(tf.constant(["b"]))
    path = tf.train.Checkpoint(table=table).save(str(tmp_path / "ckpt"))
    tf.train.Checkpoint(table=other).restore(path)
    assert other.lookup(["a", "b"]).numpy().tolist() == [b"1", b"?"]
    assert int(other.size()) == 4


def test_a_table_of_another_kind_under_the_same_name_is_refused() -> None:
    first = tf.raw_ops.HashTableV2(key_dtype=tf.string, value_dtype=tf.int64, shared_name="same")
    with pytest.raises(tf.errors.InvalidArgumentError, match="from string to int64"):
        tf.raw_ops.HashTableV2(key_dtype=tf.int64, value_dtype=tf.int64, shared_name="same")
    assert first.dtype is tf.resource


def test_threads_insert_and_look_up_at_the_same_time() -> None:
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)

    def insert(first: int) -> None:
        for i in range(first, first + 50):
            table.insert([i], [i * i])

    threads = [threading.Thread(target=insert, args=(50 * n,)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    found = table.lookup(np.arange(200)).numpy()
    assert np.array_equal(found, np.arange(200) ** 2)
