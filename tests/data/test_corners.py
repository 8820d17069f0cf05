"""What TensorFlow does in corners of `tf.data`: names, numbers of elements, classes of errors."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.data.dataset.tables import FastHashSpec, HasherSpec, StrongHashSpec
from runnel.data.run.blocks import MapBatches

Dataset = tf.data.Dataset
E = tf.data.experimental
InvalidArgument = tf.errors.InvalidArgumentError
INFINITE, UNKNOWN = tf.data.INFINITE_CARDINALITY, tf.data.UNKNOWN_CARDINALITY


def _listed(dataset: Any) -> list[Any]:
    return [v.tolist() if hasattr(v, "tolist") else v for v in dataset.as_numpy_iterator()]


def _endless() -> Any:
    return Dataset.range(2).repeat()


@pytest.mark.parametrize(
    ("make", "count"),
    [
        (lambda: Dataset.sample_from_datasets([_endless(), Dataset.range(3)], seed=1), INFINITE),
        (lambda: Dataset.choose_from_datasets([_endless(), _endless()], _endless()), INFINITE),
        (lambda: _endless().skip(-1), INFINITE),
        (lambda: Dataset.range(6).skip(-1), 0),
        (lambda: _endless().group_by_window(lambda x: x, lambda k, d: d.batch(2), 2), INFINITE),
        (lambda: _endless().ignore_errors(), UNKNOWN),
        (lambda: Dataset.range(6).apply(E.copy_to_device("/cpu:0")), UNKNOWN),
        (lambda: Dataset.range(6).apply(E.prefetch_to_device("/cpu:0")), UNKNOWN),
    ],
)
def test_the_number_of_elements_is_what_tensorflow_says(
    make: Callable[[], Any], count: int
) -> None:
    assert int(make().cardinality()) == count


def test_the_number_of_elements_of_a_dataset_in_a_graph_is_known_when_it_runs() -> None:
    @tf.function
    def count(dataset: Any) -> Any:
        return dataset.cardinality()

    @tf.function
    def batches(limit: Any) -> Any:
        return Dataset.range(limit).batch(2).cardinality()

    assert int(count(Dataset.range(6))) == 6
    assert int(batches(tf.constant(5, tf.int64))) == 3


def test_skipping_everything_reads_nothing() -> None:
    assert _listed(_endless().skip(-1)) == []


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda path: Dataset.range(6).batch(2).rebatch(3), "_RebatchDataset"),
        (lambda path: tf.data.TextLineDataset([path], num_parallel_reads=2), "TextLineDatasetV2"),
        (lambda path: tf.data.TFRecordDataset([path]), "TFRecordDatasetV2"),
        (lambda path: E.CsvDataset([path], [tf.float32]), "CsvDatasetV2"),
        (lambda path: E.SqlDataset("sqlite", path, "select 1", (tf.int32,)), "SqlDatasetV2"),
        (lambda path: E.RandomDataset(3), "RandomDatasetV2"),
        (lambda path: Dataset.range(6).apply(E.map_and_batch(abs, 2)), "_MapAndBatchDataset"),
        (lambda path: Dataset.range(6).apply(E.shuffle_and_repeat(2)), "_ShuffleAndRepeatDataset"),
        (lambda path: Dataset.range(6).apply(E.copy_to_device("/cpu:0")), "_CopyToDeviceDataset"),
    ],
)
def test_names_in_repr_are_tensorflows(make: Callable[[str], Any], name: str) -> None:
    assert repr(make("/nowhere")).startswith(f"<{name} element_spec=")


def test_the_repr_of_an_optional_spec_is_tensorflows() -> None:
    spec = tf.OptionalSpec(tf.TensorSpec([], tf.int64))
    assert repr(spec) == "OptionalSpec(TensorSpec(shape=(), dtype=tf.int64, name=None),)"


def _range() -> Any:
    return Dataset.range(6)


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        (lambda: _range().map(3), ValueError),
        (lambda: _range().map(lambda x: object()), TypeError),
        (lambda: _range().reduce(tf.constant(0, tf.int64), lambda s, x: (s, x)), InvalidArgument),
        (lambda: _range().group_by_window(lambda x: "a", lambda k, d: d, 2), TypeError),
        (lambda: _range().group_by_window(3, 3, 1), TypeError),
        (lambda: _range().take([1]), InvalidArgument),
        (lambda: _range().take(None), ValueError),
        (lambda: _range().batch(tf.constant(2.0)), ValueError),
        (lambda: _range().batch(tf.constant([2])), ValueError),
        (lambda: _range().skip("a"), TypeError),
        (lambda: _range().batch(2).rebatch("a"), TypeError),
        (lambda: _range().shuffle(2, seed="a"), TypeError),
        (lambda: Dataset.random("a"), TypeError),
        (lambda: Dataset.range(2, output_type=tf.string), InvalidArgument),
        (
            lambda: _range().interleave(lambda x: _range(), cycle_length=1, num_parallel_calls=2),
            InvalidArgument,
        ),
        (
            lambda: E.CsvDataset("a", [tf.int32], select_cols=[0], exclude_cols=[1]),
            InvalidArgument,
        ),
        (lambda: E.CsvDataset("a", [tf.int32], field_delim="||"), InvalidArgument),
        (lambda: E.CsvDataset("a", [tf.bool]), ValueError),
        (lambda: E.SqlDataset("sqlite", "a", "select 1", (tf.float32,)), InvalidArgument),
    ],
)
def test_what_cannot_be_raises_tensorflows_class(make: Callable[[], Any], kind: Any) -> None:
    with pytest.raises(kind):
        make()


def test_keys_and_sizes_of_groups_may_be_python_numbers() -> None:
    groups = _range().group_by_window(
        lambda x: 0, lambda k, d: d.batch(2), window_size_func=lambda k: 2
    )
    assert _listed(groups) == [[0, 1], [2, 3], [4, 5]]


def test_a_range_is_a_structure() -> None:
    spec = _range().map(lambda x: range(3)).element_spec
    assert spec == (tf.TensorSpec([], tf.int32),) * 3


def test_no_files_have_no_lines() -> None:
    assert _listed(tf.data.TextLineDataset([])) == []


def test_a_batch_with_an_element_of_a_map_that_failed_is_lost_as_a_whole() -> None:
    def inverse(x: Any) -> Any:
        return tf.debugging.check_numerics(1.0 / tf.cast(x - 2, tf.float32), "not a number")

    assert _listed(_range().map(inverse).batch(2).ignore_errors()) == [
        [-0.5, -1.0],
        [0.5, pytest.approx(1 / 3)],
    ]
    divided = _range().map(lambda x: 12 // (x - 2)).batch(2)  # of which blocks are made
    assert _listed(divided.ignore_errors()) == [[-6, -12], [6, 4]]
    kept = _range().map(inverse).filter(lambda x: True).batch(2).ignore_errors()
    assert _listed(kept)[1] == [1.0, 0.5]  # a step between them makes the difference


def test_a_function_of_batches_runs_on_several_as_one_unseen() -> None:
    dataset = Dataset.range(100).batch(7).map(lambda x: (x * 2, tf.cast(x, tf.float32) + 0.5))
    assert isinstance(iter(dataset)._resource().stage, MapBatches)
    found = list(dataset.as_numpy_iterator())
    assert [len(a) for a, _ in found] == [7] * 14 + [2]
    assert np.concatenate([a for a, _ in found]).tolist() == list(range(0, 200, 2))
    assert np.concatenate([b for _, b in found])[:2].tolist() == [0.5, 1.5]
    dropped = Dataset.range(20).batch(3, drop_remainder=True).map(lambda x: x + 1)
    assert _listed(dropped)[-1] == [16, 17, 18]
    sums = Dataset.range(20).batch(3).map(tf.reduce_sum)  # not row by row
    assert not isinstance(iter(sums)._resource().stage, MapBatches)
    added = Dataset.range(4).batch(2).map(lambda x: x + tf.constant([1, 2], tf.int64))
    assert not isinstance(iter(added)._resource().stage, MapBatches)
    assert _listed(added) == [[1, 3], [3, 5]]


def test_a_batch_that_fails_among_several_made_as_one_fails_alone() -> None:
    iterator = iter(Dataset.range(20).batch(3).map(lambda x: 100 // (x - 10)))
    assert [next(iterator).numpy().tolist() for _ in range(3)][-1] == [-25, -34, -50]
    with pytest.raises(InvalidArgument, match="in element 3 of MapDataset"):
        next(iterator)
    assert next(iterator).numpy().tolist() == [50, 33, 25]


def test_fingerprints_of_datasets_with_datasets_inside_are_the_same_each_time() -> None:
    def made(factor: int) -> Any:
        return Dataset.range(3).flat_map(lambda x: Dataset.range(x * factor)).fingerprint()

    assert int(made(2)) == int(made(2))
    assert int(made(2)) != int(made(3))


def test_rows_of_csv_files_are_as_strict_as_tensorflows(tmp_path: Path) -> None:
    path = tmp_path / "a.csv"
    path.write_text("a\n\n1\n")
    with pytest.raises(InvalidArgument, match="required but missing"):
        list(E.CsvDataset(str(path), [tf.int32], header=True))
    path.write_text('a\nx"y\n')
    with pytest.raises(InvalidArgument, match="quotes inside"):
        list(E.CsvDataset(str(path), [tf.string], header=True))
    path.write_text('a,b\n"x ""y""",2\n"m\nn",3\n')
    rows = E.CsvDataset(str(path), [tf.string, tf.int32], header=True)
    assert list(rows.as_numpy_iterator()) == [(b'x "y"', 2), (b"m\nn", 3)]
    path.write_text("a,b\n1\n")
    with pytest.raises(ValueError, match="1 fields, of 2 columns"):
        E.make_csv_dataset(str(path), 2)
    path.write_text("")
    with pytest.raises(ValueError, match="empty"):
        E.make_csv_dataset(str(path), 2)


def test_values_of_databases_become_numbers_as_sqlite_makes_them(tmp_path: Path) -> None:
    path = str(tmp_path / "a.db")
    with contextlib.closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("create table t(a int, b text)")
        rows = [(1, "x"), (300, "12 monkeys"), (None, None)]
        connection.executemany("insert into t values(?, ?)", rows)

    def selected(column: str, kinds: Any) -> list[Any]:
        query = f"select {column} from t"
        return list(E.SqlDataset("sqlite", path, query, kinds).as_numpy_iterator())

    assert selected("a", (tf.int8,)) == [(1,), (44,), (0,)]
    assert selected("b", (tf.int32,)) == [(0,), (12,), (0,)]
    assert selected("a", tf.int32) == [1, 300, 0]
    with pytest.raises(tf.errors.UnknownError, match="syntax error"):
        list(E.SqlDataset("sqlite", path, "selec", (tf.int32,)))


def test_words_outside_a_vocabulary_are_hashed_as_asked() -> None:
    words = Dataset.from_tensor_slices(["a", "b"])
    others = tf.constant(["a", "c", "hello", "zz"])

    def found(spec: Any) -> list[int]:
        table = E.index_table_from_dataset(words, num_oov_buckets=7, hasher_spec=spec)
        return table.lookup(others).numpy().tolist()  # type: ignore[no-any-return]

    assert found(FastHashSpec) == [0, 7, 7, 3]
    assert found(StrongHashSpec([1, 2])) == [0, 5, 8, 3]
    with pytest.raises(TypeError, match="HasherSpec"):
        found("fasthash")
    with pytest.raises(ValueError, match="unknown hasher"):
        found(HasherSpec("slow", None))
    with pytest.raises(ValueError, match="size 2"):
        StrongHashSpec([1])
    with pytest.raises(TypeError, match="unsigned"):
        StrongHashSpec(["a", "b"])


def test_what_generators_yield_is_taken_as_tensorflow_takes_it() -> None:
    def generated(element: Any, spec: Any) -> list[Any]:
        return list(Dataset.from_generator(lambda: iter([element]), output_signature=spec))

    assert bool(generated(1, tf.TensorSpec([], tf.bool))[0]) is True
    pair = (tf.TensorSpec([], tf.int32),) * 2
    assert [int(x) for x in generated((1, 2), pair)[0]] == [1, 2]
    with pytest.raises(InvalidArgument, match="a list stands for a tensor"):
        generated([1, 2], pair)
    with pytest.raises(TypeError, match="list"):
        generated((1, 2), list(pair))


def test_a_function_refuses_a_dataset_of_other_elements_than_it_was_made_for() -> None:
    @tf.function(input_signature=[tf.data.DatasetSpec(tf.TensorSpec([], tf.int64))])
    def total(dataset: Any) -> Any:
        return dataset.reduce(tf.constant(0, tf.int64), lambda a, b: a + b)

    assert int(total(Dataset.range(5))) == 10
    with pytest.raises(InvalidArgument, match="elements must be of int64"):
        total(Dataset.range(5).batch(2))


def test_options_have_tensorflows_names_only() -> None:
    options = tf.data.Options()
    assert [n for n in dir(options.threading) if not n.startswith("_")] == [
        "max_intra_op_parallelism",
        "private_threadpool_size",
    ]
    assert "merged" not in dir(options)
    with pytest.raises(TypeError, match="threading"):
        options.threading = None


def test_prefetching_keeps_to_its_buffer() -> None:
    made = []

    def note(x: Any) -> Any:
        made.append(int(x))
        return x

    dataset = Dataset.range(1000).map(lambda x: tf.numpy_function(note, [x], tf.int64))
    iterator = iter(dataset.prefetch(2))
    for _ in range(50):
        next(iterator)
    assert len(made) <= 50 + 2 + 1  # one more may be in the making


def test_a_counter_takes_what_a_tensor_of_its_type_takes() -> None:
    assert _listed(Dataset.counter(300, 100, tf.int8).take(3)) == [44, -112, -12]
    assert _listed(Dataset.counter([1, 2], 3).take(2)) == [[1, 2], [4, 5]]
    for start, dtype in ((1.5, tf.int64), (1, tf.string), (1, tf.bool)):
        with pytest.raises(TypeError):
            Dataset.counter(start, dtype=dtype)
    with pytest.raises(ValueError, match="step"):
        Dataset.counter(1, [1, 2])
