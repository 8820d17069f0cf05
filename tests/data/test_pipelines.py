"""What tables of answers cannot say about tf.data."""

from __future__ import annotations

import collections
import tracemalloc
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.data.insight.debugging import disable_debug_mode
from runnel.data.run.blocks import rows_ahead
from runnel.data.run.vectorizing import vectorized

Dataset = tf.data.Dataset


def test_shuffling_is_uniform_within_the_buffer() -> None:
    places = collections.Counter()
    rounds = 3000
    dataset = Dataset.range(4).shuffle(4, seed=11)
    for _ in range(rounds):
        places[tuple(int(x) for x in dataset.as_numpy_iterator())] += 1
    assert len(places) == 24
    expected = rounds / 24
    chi2 = sum((count - expected) ** 2 / expected for count in places.values())
    assert chi2 < 49.7  # 23 degrees of freedom: one in a thousand is larger


def test_the_first_element_of_a_shuffle_is_one_of_the_buffer() -> None:
    first = {int(next(iter(Dataset.range(100).shuffle(5)))) for _ in range(200)}
    assert first == {0, 1, 2, 3, 4}


def test_without_a_seed_orders_differ() -> None:
    orders = {tuple(int(x) for x in Dataset.range(20).shuffle(20)) for _ in range(5)}
    assert len(orders) == 5


def test_memory_stays_flat() -> None:
    dataset = (
        Dataset.range(10**6).map(lambda x: x + 1).filter(lambda x: x > 0).repeat().shuffle(100)
    )
    iterator = iter(dataset)
    for _ in range(2000):
        next(iterator)
    tracemalloc.start()
    try:
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(20000):
            next(iterator)
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 100_000


def test_a_failing_element_names_stage_number_and_line() -> None:
    dataset = Dataset.from_tensor_slices([1, 2, 0, 4]).map(lambda x: 12 // x).batch(1)
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        list(dataset)
    text = str(caught.value)
    assert "in element 2 of MapDataset(lambda)" in text
    assert "test_pipelines.py" in text


def test_a_vectorized_batch_names_the_element_that_fails() -> None:
    dataset = Dataset.from_tensor_slices(np.array([1, 2, 0, 4])).map(lambda x: 12 // x).batch(4)
    with pytest.raises(tf.errors.InvalidArgumentError, match="in element 2 of MapDataset"):
        list(dataset)


def test_only_elementwise_functions_are_vectorized() -> None:
    dataset = Dataset.from_tensor_slices(np.ones([4, 3], np.float32))

    def found(fn: Any) -> bool:
        return vectorized(dataset.map(fn)._node.function) is not None

    assert found(lambda x: x * 2.0 + 1.0)
    assert found(lambda x: tf.cast(x > 0.5, tf.int32))
    assert not found(lambda x: tf.reduce_sum(x))
    assert not found(lambda x: tf.reverse(x, [0]))
    assert not found(lambda x: x + tf.random.uniform([3]))
    assert not found(lambda x: x * np.ones([1, 1, 3], np.float32))


def test_functions_of_strings_and_of_stacks_are_vectorized() -> None:
    lines = Dataset.from_tensor_slices([f"{i},{i}.5,Name{i}" for i in range(20)])

    def parsed(line: Any) -> Any:
        *numbers, name = tf.io.decode_csv(line, [[0.0], [0.0], [""]])
        whole = tf.strings.regex_full_match(name, "Name1.*")
        return tf.stack(numbers), tf.stack([numbers], axis=-1), tf.strings.lower(name), whole

    mapped = lines.map(parsed)
    assert vectorized(mapped._node.function) is not None
    for got, line in zip(mapped, lines, strict=True):
        for part, want in zip(got, parsed(line), strict=True):
            np.testing.assert_array_equal(part.numpy(), want.numpy())
    constant = Dataset.range(3).map(lambda x: tf.stack([x, tf.constant(1, tf.int64)]))
    assert [x.tolist() for x in constant.as_numpy_iterator()] == [[0, 1], [1, 1], [2, 1]]


@pytest.mark.parametrize("size", [3, 7, 100])
def test_vectorized_batches_are_those_of_single_calls(size: int) -> None:
    rows = np.random.default_rng(0).random((50, 3)).astype(np.float32)

    def change(x: Any) -> Any:
        return x * np.array([1.0, 2.0, 3.0], np.float32) - 0.5, tf.cast(x, tf.int32), 7.0

    together = Dataset.from_tensor_slices(rows).map(change).batch(size)
    for i, parts in enumerate(together.as_numpy_iterator()):
        alone = [change(tf.constant(row)) for row in rows[i * size : (i + 1) * size]]
        for part, column in zip(parts, zip(*alone, strict=True), strict=True):
            np.testing.assert_array_equal(part, np.stack([np.asarray(c) for c in column]))


def test_a_block_that_fails_gives_all_its_other_elements() -> None:
    numbers = Dataset.from_tensor_slices(np.array([1, 2, 0, 4, 5, 6]))
    divided = numbers.map(lambda x: 60 // x)
    assert [int(x) for x in divided.ignore_errors()] == [60, 30, 15, 12, 10]
    iterator = iter(divided.batch(4))
    with pytest.raises(tf.errors.InvalidArgumentError, match="in element 2 of MapDataset"):
        next(iterator)
    assert next(iterator).numpy().tolist() == [12, 10]  # the batch with it is lost
    kept = numbers.filter(lambda x: 60 // x > 12).ignore_errors()
    assert [int(x) for x in kept] == [1, 2, 4]


def test_large_elements_are_not_made_ahead() -> None:
    small, large = Dataset.range(3), Dataset.from_tensor_slices(np.zeros([3, 64, 64], np.float32))
    assert rows_ahead(64, 1 << 16, small._node.structure) == 64
    assert rows_ahead(64, 1 << 16, large._node.structure) == 4


def test_parsing_of_single_records_may_be_done_for_blocks(tmp_path: Path) -> None:
    path = str(tmp_path / "a.tfrecord")
    with tf.io.TFRecordWriter(path) as writer:
        for i in range(100):
            example = tf.train.Example()
            example.features.feature["x"].float_list.value.extend([i, i / 2])
            if i % 7:
                example.features.feature["name"].bytes_list.value.append(b"%d" % i)
            writer.write(example.SerializeToString())
    features = {
        "x": tf.io.FixedLenFeature([2], tf.float32),
        "name": tf.io.FixedLenFeature([], tf.string, default_value="none"),
    }

    def parse(record: Any) -> Any:
        found = tf.io.parse_single_example(record, features)
        return found["x"] * 2.0, found["name"]

    records = tf.data.TFRecordDataset(path)
    alone = [parse(record) for record in records]
    together = list(records.map(parse))
    assert len(together) == 100
    for (x, name), (y, other) in zip(alone, together, strict=True):
        assert name.numpy() == other.numpy()
        np.testing.assert_array_equal(x, y)
    batch = next(iter(records.map(parse, num_parallel_calls=2).batch(100)))
    assert batch[1].numpy().tolist() == [name.numpy() for _, name in alone]


def test_in_debug_mode_functions_run_as_python() -> None:
    seen: list[Any] = []

    def look(x: Any) -> Any:
        seen.append(x.numpy())
        return x + 1

    tf.data.experimental.enable_debug_mode()
    try:
        dataset = Dataset.range(3).map(lambda x: x)
        with pytest.raises(AttributeError):
            dataset.map(look)  # it is traced once all the same, to know its types
        dataset = dataset.map(lambda x: tf.py_function(look, [x], tf.int64), num_parallel_calls=2)
        assert [int(x) for x in dataset] == [1, 2, 3]
    finally:
        disable_debug_mode()
    assert seen == [0, 1, 2]


def test_a_profile_finds_the_slow_stage(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def slow(x: Any) -> Any:
        return tf.numpy_function(lambda y: np.linalg.inv(np.eye(60) + y)[0], [x], tf.float64)

    dataset = Dataset.range(50).map(slow).map(lambda x: x + 1.0).batch(5).prefetch(1)
    report = dataset.profile(path=str(tmp_path / "p.svg"))
    assert report.slowest is not None
    assert report.slowest.name == "MapDataset(slow)"
    assert "test_pipelines.py" in report.slowest.where
    counts = {stage.name: stage.elements for stage in report.stages}
    assert counts["BatchDataset"] == 10
    assert counts["MapDataset(slow)"] == 50
    assert capsys.readouterr().out == ""
    assert "holds the rest back" in str(report)
    assert "slowest: MapDataset(slow)" in repr(report)
    picture = (tmp_path / "p.svg").read_text()
    assert picture.startswith("<svg") and picture.strip() in report._repr_html_()


def test_a_profile_stays_as_it_was() -> None:
    report = Dataset.range(10**6).map(lambda x: x + 1).prefetch(1000).profile(elements=5)
    for stage in report.stages:
        assert stage._over


def test_a_generator_is_closed_when_its_iterator_goes() -> None:
    closed: list[bool] = []

    def numbers() -> Iterator[int]:
        try:
            yield from range(100)
        finally:
            closed.append(True)

    iterator = iter(Dataset.from_generator(numbers, output_signature=tf.TensorSpec([], tf.int32)))
    next(iterator)
    del iterator
    assert closed == [True]


def test_iterating_in_a_graph_without_autograph_says_what_to_do() -> None:
    @tf.function(autograph=False)
    def total() -> Any:
        found = tf.constant(0, tf.int64)
        for x in Dataset.range(3):
            found += x
        return found

    with pytest.raises(ValueError, match="AutoGraph"):
        total()


def test_a_dataset_of_a_function_uses_variables_of_the_function() -> None:
    scale = tf.Variable(2, dtype=tf.int64)

    @tf.function
    def total(n: Any) -> Any:
        return Dataset.range(n).map(lambda x: x * scale).reduce(np.int64(0), lambda a, b: a + b)

    assert int(total(tf.constant(4, tf.int64))) == 12
    scale.assign(3)
    assert int(total(tf.constant(4, tf.int64))) == 18


def test_gradients_flow_through_a_loop_over_a_dataset() -> None:
    w = tf.Variable(2.0)

    @tf.function
    def loss() -> Any:
        total = 0.0
        for x in Dataset.from_tensor_slices([1.0, 2.0, 3.0]):
            total += w * x * x
        return total

    with tf.GradientTape() as tape:
        value = loss()
    assert float(value) == 28.0
    assert float(tape.gradient(value, w)) == 14.0
