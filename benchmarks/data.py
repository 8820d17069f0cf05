"""Input pipelines: elements in memory, generators, files of records and of text."""

from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.jobs import Call, benchmark, drained, folder

RECORDS = 20_000


@benchmark("100k numbers: shuffle, map, batch, prefetch")
def shuffle_map_batch(tf: ModuleType) -> Call:
    numbers = tf.data.Dataset.from_tensor_slices(np.arange(100_000, dtype=np.float32))
    mapped = numbers.shuffle(10_000).map(lambda x: x * 2.0 + 1.0)
    return drained(mapped.batch(128).prefetch(tf.data.AUTOTUNE))


@benchmark("20k rows of 16: shuffle, map with a sum, batch")
def map_with_a_sum(tf: ModuleType) -> Call:
    rows = np.random.default_rng(0).random((20_000, 16)).astype(np.float32)
    dataset = tf.data.Dataset.from_tensor_slices(rows).shuffle(1000)
    return drained(dataset.map(lambda x: tf.reduce_sum(x) * 2.0).batch(128))


@benchmark("20k numbers through ten transformations")
def ten_transformations(tf: ModuleType) -> Call:
    dataset = tf.data.Dataset.range(20_000)
    dataset = dataset.take(19_999).skip(1).filter(lambda x: x >= 0).enumerate()
    dataset = dataset.map(lambda i, x: i + x).repeat(1).shuffle(10)
    return drained(dataset.concatenate(tf.data.Dataset.range(1)).prefetch(4).batch(10))


@benchmark("a generator of 20k numbers, batched")
def generator(tf: ModuleType) -> Call:
    def numbers() -> Any:
        yield from range(RECORDS)

    spec = tf.TensorSpec([], tf.int32)
    return drained(tf.data.Dataset.from_generator(numbers, output_signature=spec).batch(128))


def example(tf: ModuleType, number: int) -> bytes:
    train = tf.train
    features = {
        "id": train.Feature(int64_list=train.Int64List(value=[number])),
        "x": train.Feature(float_list=train.FloatList(value=[1.0, 2.0, 3.0, 4.0])),
        "name": train.Feature(bytes_list=train.BytesList(value=[b"name %d" % number])),
    }
    made: bytes = train.Example(features=train.Features(feature=features)).SerializeToString()
    return made


def write(tf: ModuleType, path: str) -> str:
    with tf.io.TFRecordWriter(path) as writer:
        for number in range(RECORDS):
            writer.write(example(tf, number))
    return path


@benchmark("write 20k examples as TFRecord")
def write_records(tf: ModuleType) -> Call:
    path = str(folder() / "a.tfrecord")
    return lambda: np.array([len(write(tf, path))])


def parsing(tf: ModuleType) -> tuple[Any, dict[str, Any]]:
    path = write(tf, str(folder() / "a.tfrecord"))
    features = {
        "id": tf.io.FixedLenFeature([], tf.int64),
        "x": tf.io.FixedLenFeature([4], tf.float32),
        "name": tf.io.FixedLenFeature([], tf.string),
    }
    return tf.data.TFRecordDataset(path), features


@benchmark("read 20k examples with parse_single_example")
def parse_single(tf: ModuleType) -> Call:
    records, features = parsing(tf)
    parsed = records.map(lambda record: tf.io.parse_single_example(record, features))
    return drained(parsed.batch(128).prefetch(2))


@benchmark("read 20k examples in batches with parse_example")
def parse_batches(tf: ModuleType) -> Call:
    records, features = parsing(tf)
    batches = records.batch(128)
    return drained(batches.map(lambda batch: tf.io.parse_example(batch, features)).prefetch(2))


@benchmark("20k lines of text, split into words")
def split_lines(tf: ModuleType) -> Call:
    path = folder() / "a.txt"
    path.write_text("the quick brown fox jumps over the lazy dog\n" * RECORDS)
    lines = tf.data.TextLineDataset(str(path))
    return drained(lines.map(tf.strings.split).ragged_batch(128).prefetch(2))


@benchmark("a step per element: 10k elements of a dataset")
def plain_iteration(tf: ModuleType) -> Call:
    return drained(tf.data.Dataset.range(10_000))


def rows_of_numbers() -> list[str]:
    """100,000 lines of a whole number, two with a point, and a word."""
    made = np.random.default_rng(0).random((100_000, 2)) * 100
    return [f"{i},{x:.4f},{y:.2f},name{i % 50}" for i, (x, y) in enumerate(made.tolist())]


DEFAULTS = [[0], [0.0], [0.0], [""]]


@benchmark("100k lines of CSV: decode_csv")
def decode_lines(tf: ModuleType) -> Call:
    lines = tf.constant(rows_of_numbers())
    return lambda: tf.io.decode_csv(lines, DEFAULTS)


@benchmark("20k lines of CSV: decode_csv of each, batched")
def decode_each_line(tf: ModuleType) -> Call:
    path = csv_file(RECORDS)
    lines = tf.data.TextLineDataset(path)
    return drained(lines.map(lambda line: tf.io.decode_csv(line, DEFAULTS)).batch(128).prefetch(2))


def csv_file(count: int, header: str = "") -> str:
    path = folder() / "a.csv"
    path.write_text(header + "\n".join(rows_of_numbers()[:count]) + "\n")
    return str(path)


@benchmark("20k rows of CsvDataset, batched")
def csv_rows(tf: ModuleType) -> Call:
    kinds = [tf.int32, tf.float32, tf.float32, tf.string]
    return drained(tf.data.experimental.CsvDataset(csv_file(RECORDS), kinds).batch(128))


@benchmark("20k rows of make_csv_dataset, shuffled")
def csv_batches(tf: ModuleType) -> Call:
    path = csv_file(RECORDS, "id,x,y,name\n")
    make = tf.data.experimental.make_csv_dataset
    return drained(make(path, 128, label_name="y", num_epochs=1, shuffle_buffer_size=1000))


@benchmark("parse_example of 1,000 examples, called directly")
def parse_directly(tf: ModuleType) -> Call:
    _, features = parsing(tf)
    batch = tf.constant([example(tf, number) for number in range(1000)])
    return lambda: tf.io.parse_example(batch, features)["x"]
