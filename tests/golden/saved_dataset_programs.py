"""Models whose functions make datasets and iterate over them, for TensorFlow and Runnel alike."""

from __future__ import annotations

import os
import tempfile
from typing import Any

import numpy as np

from tests.golden.saved_model_calls import Call, Example

COUNT = (np.int64(7),)


def _sources(tf: Any) -> dict[str, Any]:
    data = tf.data.Dataset
    table = np.float32([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    return {
        "numbers": lambda n: data.range(n),
        "small_numbers": lambda n: data.range(2, n, 2, output_type=tf.int32),
        "one": lambda n: data.from_tensors((n, tf.constant([1.0, 2.0]))),
        "slices": lambda n: data.from_tensor_slices(
            {"a": table, "b": tf.range(3) + tf.cast(n, tf.int32)}
        ),
        "texts": lambda n: data.from_tensor_slices(["a", "bb", "ccc"]).map(tf.strings.length),
        "random": lambda n: data.random(seed=4, rerandomize_each_iteration=False).take(n),
        "counter": lambda n: data.counter(start=3, step=2).take(n),
        "listed": lambda n: tf.data.experimental.from_list([(1, 2.0), (3, 4.0)]),
        "ragged": lambda n: data.from_tensor_slices(tf.ragged.constant([[1, 2], [], [3]])),
        "sparse": lambda n: data.from_tensors(tf.sparse.from_dense([[0, 1], [2, 0]])),
        "sparse_rows": lambda n: data.from_tensor_slices(tf.sparse.from_dense([[0, 1], [2, 0]])),
    }


def _steps(tf: Any) -> dict[str, Any]:
    numbers = tf.data.Dataset.range
    options = tf.data.Options()
    options.deterministic = False
    options.threading.private_threadpool_size = 2
    return {
        "take": lambda n: numbers(n).take(3),
        "skip": lambda n: numbers(n).skip(n - 2),
        "repeat": lambda n: numbers(n).repeat(2),
        "endless": lambda n: numbers(n).repeat().take(20),
        "shard": lambda n: numbers(n).shard(3, 1),
        "batch": lambda n: numbers(n).batch(3),
        "full_batches": lambda n: numbers(n).batch(3, drop_remainder=True),
        "parallel_batch": lambda n: numbers(n).batch(2, num_parallel_calls=2),
        "unbatch": lambda n: numbers(n).batch(3).unbatch(),
        "rebatch": lambda n: numbers(n).batch(3).rebatch(2),
        "padded": lambda n: numbers(n).map(lambda x: tf.fill([x], x)).padded_batch(3, [None], n),
        "padded_pairs": lambda n: (
            numbers(n)
            .map(lambda x: (x, {"b": tf.fill([x], 1.5)}))
            .padded_batch(2, ([], {"b": [8]}), (np.int64(0), {"b": -1.0}), drop_remainder=True)
        ),
        "shuffle": lambda n: numbers(n).shuffle(4, seed=5),
        "shuffle_again": lambda n: numbers(n).shuffle(4, seed=5).repeat(3),
        "shuffle_same": lambda n: (
            numbers(n).shuffle(4, seed=5, reshuffle_each_iteration=False).repeat(2)
        ),
        "prefetch": lambda n: numbers(n).prefetch(2),
        "cache": lambda n: numbers(n).shuffle(3, seed=1).cache().repeat(2),
        "zip": lambda n: tf.data.Dataset.zip((numbers(n), numbers(1, n).batch(2))),
        "concatenate": lambda n: numbers(n).concatenate(numbers(2)),
        "enumerate": lambda n: numbers(n).batch(2).enumerate(start=5),
        "unique": lambda n: numbers(n).map(lambda x: x % 3).unique(),
        "window": lambda n: (
            numbers(n).window(3, shift=2, drop_remainder=True).flat_map(lambda w: w.batch(3))
        ),
        "options": lambda n: numbers(n).with_options(options),
        "cardinality": lambda n: numbers(n).apply(tf.data.experimental.assert_cardinality(7)),
        "without_errors": lambda n: (
            numbers(n)
            .map(lambda x: tf.debugging.check_numerics(1.0 / tf.cast(x, tf.float32), "x"))
            .ignore_errors()
        ),
        "ragged_batch": lambda n: numbers(n).map(lambda x: tf.range(x)).ragged_batch(2),
        "ragged_rows": lambda n: numbers(n).map(tf.range).ragged_batch(3).unbatch().batch(2),
        "sparse_batch": lambda n: (
            numbers(n).map(lambda x: tf.fill([x], x)).sparse_batch(2, row_shape=[10])
        ),
    }


def _functions(tf: Any, weight: Any) -> dict[str, Any]:
    data = tf.data.Dataset
    numbers = data.range
    return {
        "map": lambda n: numbers(n).map(lambda x: x * n + weight),
        "parallel_map": lambda n: numbers(n).map(lambda x: (x, x * 2), num_parallel_calls=2),
        "autotuned_map": lambda n: numbers(n).map(lambda x: x + 1, num_parallel_calls=-1),
        "filter": lambda n: numbers(n).filter(lambda x: x % weight == 1),
        "take_while": lambda n: numbers(n).take_while(lambda x: x < weight),
        "scan": lambda n: numbers(n).scan(tf.zeros([], tf.int64), lambda s, x: (s + x, s * weight)),
        "flat_map": lambda n: numbers(n).flat_map(lambda x: numbers(x).map(lambda y: y + weight)),
        "flat_map_outside": lambda n: numbers(n).flat_map(lambda x: data.from_tensors(x).repeat(2)),
        "interleave": lambda n: numbers(n).interleave(
            lambda x: data.from_tensors(x).repeat(3), cycle_length=2, block_length=2
        ),
        "parallel_interleave": lambda n: numbers(n).interleave(
            lambda x: numbers(x), cycle_length=3, num_parallel_calls=2, deterministic=True
        ),
        "group_by_window": lambda n: numbers(n).group_by_window(
            lambda x: x % 2, lambda key, group: group.batch(2).map(lambda x: x + key), window_size=2
        ),
        "bucket": lambda n: (
            numbers(n)
            .map(lambda x: tf.fill([x], x))
            .bucket_by_sequence_length(lambda x: tf.shape(x)[0], [3, 5], [2, 2, 2])
        ),
        "group_by_reducer": lambda n: numbers(n).apply(
            tf.data.experimental.group_by_reducer(
                lambda x: x % 2,
                tf.data.experimental.Reducer(
                    lambda _: weight + 0, lambda s, x: s + x, lambda s: s * 2
                ),
            )
        ),
        "choose": lambda n: data.choose_from_datasets(
            [numbers(n), numbers(10, 20)], numbers(n).map(lambda x: x % 2)
        ),
        "sample": lambda n: data.sample_from_datasets(
            [numbers(n), numbers(10, 20)], [0.5, 0.5], seed=3
        ),
        "branches": lambda n: numbers(n).map(lambda x: tf.cond(x > 3, lambda: x * 2, lambda: -x)),
        "ragged_map": lambda n: (
            numbers(n)
            .map(lambda x: tf.RaggedTensor.from_row_lengths(tf.range(x), tf.stack([x])))
            .map(lambda r: r * 2)
        ),
        "sparse_map": lambda n: (
            numbers(n).map(lambda x: tf.sparse.eye(x + 1)).map(lambda s: s * 2.0)
        ),
    }


def _contents(tf: Any) -> dict[str, bytes]:
    """What is in some files."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "records")
        with tf.io.TFRecordWriter(path) as writer:
            for text in ("a", "bb", "ccc"):
                writer.write(text.encode())
        with open(path, "rb") as file:
            records = file.read()
    return {"records": records, "lines": b"one\ntwo words\n\n", "table": b"a,b\n1,2.5\n3,\n"}


def _files(tf: Any) -> dict[str, Any]:
    length = tf.strings.length
    return {
        "records": lambda n: tf.data.TFRecordDataset([n + "/records"]).map(length),
        "records_by_name": lambda n: tf.data.TFRecordDataset(
            tf.data.Dataset.from_tensors(n + "/records").repeat(2)
        ).map(length),
        "lines": lambda n: tf.data.TextLineDataset(n + "/lines").map(length),
        "fixed": lambda n: tf.data.FixedLengthRecordDataset(n + "/lines", 7, header_bytes=1).map(
            length
        ),
        "csv": lambda n: tf.data.experimental.CsvDataset(
            n + "/table", [tf.int32, 2.5], header=True
        ),
    }


def _total(tf: Any, element: Any, total: Any) -> Any:
    for part in tf.nest.flatten(element, expand_composites=True):
        total = total * 1.25 + tf.reduce_sum(tf.cast(part, tf.float64))
    return total


def _pipelines(tf: Any, made: dict[str, Any], model: Any, args: tuple[Any, ...] = COUNT) -> Example:
    """One function for each pipeline: how many elements there are, and a number made of them."""
    spec = tf.TensorSpec([], tf.string if args[0].dtype == object else tf.int64)

    def function(pipeline: Any) -> Any:
        def run(n: Any) -> Any:
            total, count = tf.zeros([], tf.float64), 0
            for element in pipeline(n):
                total = _total(tf, element, total)
                count += 1
            return total, count

        return tf.function(run, input_signature=[spec])

    for name, pipeline in made.items():
        setattr(model, name, function(pipeline))
    return Example(model, [Call(name, args) for name in made])


def dataset_sources(tf: Any) -> Example:
    """Where elements come from."""
    return _pipelines(tf, _sources(tf), tf.Module())


def dataset_steps(tf: Any) -> Example:
    """Steps without functions."""
    return _pipelines(tf, _steps(tf), tf.Module())


def dataset_functions(tf: Any) -> Example:
    """Steps with functions, some of which use a variable."""
    model = tf.Module()
    model.weight = tf.Variable(3, dtype=tf.int64)
    return _pipelines(tf, _functions(tf, model.weight), model)


def dataset_files(tf: Any) -> Example:
    """Elements that are in files, which a function of the model writes."""
    model = tf.Module()
    contents = _contents(tf)

    @tf.function(input_signature=[tf.TensorSpec([], tf.string)])
    def write(folder: Any) -> Any:
        for name, content in contents.items():
            tf.io.write_file(folder + "/" + name, content)
        return len(contents)

    model.write = write
    folder = os.path.join(tempfile.gettempdir(), "read_by_a_saved_function")
    args = (np.array(folder.encode(), object),)
    example = _pipelines(tf, _files(tf), model, args)
    return Example(model, [Call("write", args), *example.calls])


def dataset_consumers(tf: Any) -> Example:
    """Ways to take elements: loops, iterators, optionals, reductions, datasets as arguments."""
    spec = tf.TensorSpec([], tf.int64)
    numbers = tf.data.Dataset.range
    model = tf.Module()
    model.step = tf.Variable(0, dtype=tf.int64)

    def with_break(n: Any) -> Any:
        total = tf.zeros([], tf.int64)
        for x in numbers(n):
            if x > 3:
                break
            total += x
        return total

    def rest_after_break(n: Any) -> Any:
        iterator = iter(numbers(n))
        first, second = tf.zeros([], tf.int64), tf.zeros([], tf.int64)
        for x in iterator:
            if x == 2:
                break
            first += x
        for x in iterator:
            second = second * 2 + x
        return first, second

    def by_hand(n: Any) -> Any:
        iterator = iter(numbers(n).batch(2))
        return next(iterator), iterator.get_next()

    def optionals(n: Any) -> Any:
        iterator = iter(numbers(n))
        total = tf.zeros([], tf.int64)
        found = iterator.get_next_as_optional()
        while found.has_value():
            total = total * 2 + found.get_value()
            found = iterator.get_next_as_optional()
        return total

    def reduction(n: Any) -> Any:
        return numbers(n).reduce((np.int64(0), 0), lambda s, x: (s[0] * 2 + x, s[1] + 1))

    def nested(n: Any) -> Any:
        total = tf.zeros([], tf.int64)
        for x in numbers(n):
            for y in numbers(x):
                total += x * y
        return total

    def in_branch(n: Any) -> Any:
        total = tf.zeros([], tf.int64)
        if n > 5:
            for x in numbers(n):
                total += x
        return total

    def counting(n: Any) -> Any:
        for x in numbers(n):
            model.step.assign_add(x)
        return model.step.read_value()

    def reading(n: Any) -> Any:
        total = tf.zeros([], tf.int64)
        for x in numbers(n).map(lambda x: x + model.step):
            total += x
        model.step.assign(100)
        return total

    def single(n: Any) -> Any:
        return numbers(n).batch(10).get_single_element(), numbers(n).cardinality()

    def gathered(n: Any) -> Any:
        found = tf.TensorArray(tf.int64, 0, dynamic_size=True)
        for i, x in numbers(n).enumerate():
            found = found.write(tf.cast(i, tf.int32), x * x)
        return found.stack()

    functions = (with_break, rest_after_break, by_hand, optionals, reduction) + (
        nested,
        in_branch,
        counting,
        reading,
        single,
        gathered,
    )
    for function in functions:
        setattr(model, function.__name__, tf.function(function, input_signature=[spec]))
    return Example(model, [Call(function.__name__, COUNT) for function in functions])


def dataset_attribute(tf: Any) -> Example:
    """Datasets that are parts of a model, and captured by its functions."""
    model = tf.Module()
    model.data = tf.data.Dataset.range(5).map(lambda x: x * 2).batch(2)
    model.pairs = tf.data.Dataset.from_tensor_slices((np.float32([1, 2]), ["a", "b"]))

    @tf.function(input_signature=[tf.TensorSpec([], tf.int64)])
    def run(n: Any) -> Any:
        total = n
        for x in model.data.skip(1):
            total = total * 2 + tf.reduce_sum(x)
        for x, text in model.pairs:
            total += tf.cast(x, tf.int64) + tf.cast(tf.strings.length(text), tf.int64)
        return total

    model.run = run
    return Example(model, [Call("run", COUNT), Call("run", COUNT)])


DATASETS = (
    *(dataset_sources, dataset_steps, dataset_functions, dataset_files),
    *(dataset_consumers, dataset_attribute),
)
