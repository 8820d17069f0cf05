"""Datasets in functions that are saved: written as TensorFlow's ops, and read back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.core.protos import messages
from runnel.data.graph.rewriting import tensorflow_form

COUNT = tf.TensorSpec([], tf.int64)


def again(function: Any, folder: Any, **parts: Any) -> Any:
    """The function after it was saved and loaded."""
    module = tf.Module()
    module.function = function
    for name, part in parts.items():
        setattr(module, name, part)
    tf.saved_model.save(module, folder)
    return tf.saved_model.load(folder).function


def nodes(folder: Any) -> dict[str, Any]:
    """The nodes of all functions of a model, by the names of their ops."""
    data = (folder / "saved_model.pb").read_bytes()
    library = messages.SavedModel.FromString(data).meta_graphs[0].graph_def.library
    return {node.op: node for function in library.function for node in function.node_def}


def test_a_graph_without_datasets_stays_as_it_is() -> None:
    graph = tf.function(lambda x: x + 1).get_concrete_function(COUNT).graph
    assert tensorflow_form(graph) is graph


def test_every_step_becomes_an_op(tmp_path) -> None:
    @tf.function(input_signature=[COUNT])
    def total(n: Any) -> Any:
        found = tf.zeros([], tf.int64)
        for x in tf.data.Dataset.range(n).map(lambda x: x * 2).batch(2):
            found += tf.reduce_sum(x)
        return found

    loaded = again(total, tmp_path)
    assert loaded(tf.constant(4, tf.int64)).numpy() == 12
    found = nodes(tmp_path)
    assert {"RangeDataset", "MapDataset", "BatchDatasetV2", "MakeIterator"} <= set(found)
    assert not {"MakeDataset", "IteratorOver", "IteratorHasNext"} & set(found)
    assert list(found["MapDataset"].attr["output_types"].list.type) == [tf.int64.enum]
    assert found["MapDataset"].attr["f"].func.name.startswith("Dataset_map_lambda")


def test_an_assignment_waits_for_a_dataset_that_reads_the_variable(tmp_path) -> None:
    step = tf.Variable(1, dtype=tf.int64)

    @tf.function(input_signature=[COUNT])
    def run(n: Any) -> Any:
        found = (
            tf.data.Dataset.range(n).map(lambda x: x + step).reduce(np.int64(0), lambda s, x: s + x)
        )
        step.assign(100)
        return found

    loaded = again(run, tmp_path, step=step)
    assert loaded(tf.constant(3, tf.int64)).numpy() == 6
    written = nodes(tmp_path)["AssignVariableOp"]
    assert any(ref.startswith("^while") for ref in written.input)


def test_a_loop_that_ends_early_takes_no_element_too_many(tmp_path) -> None:
    @tf.function(input_signature=[COUNT])
    def run(n: Any) -> Any:
        iterator = iter(tf.data.Dataset.range(n))
        for x in iterator:
            if x == 2:
                break
        return next(iterator)

    assert again(run, tmp_path)(tf.constant(9, tf.int64)).numpy() == 3


def test_a_dataset_that_nobody_tracks_is_made_in_the_function(tmp_path) -> None:
    outside = tf.data.Dataset.from_tensor_slices(([1.0, 2.0], ["a", "b"]))

    @tf.function(input_signature=[])
    def run() -> Any:
        return outside.reduce(("", 0.0), lambda s, x: (s[0] + x[1], s[1] + x[0]))

    text, total = again(run, tmp_path)()
    assert (text.numpy(), total.numpy()) == (b"ab", 3.0)


def test_a_variable_of_a_dataset_must_be_tracked(tmp_path) -> None:
    hidden = tf.Variable(2, dtype=tf.int64, name="hidden")
    run = tf.function(
        lambda n: tf.data.Dataset.range(n).map(lambda x: x * hidden).get_single_element(),
        input_signature=[COUNT],
    )
    with pytest.raises(AssertionError, match=r"(?s)'untracked' resource.*hidden"):
        again(run, tmp_path)


def test_the_loops_of_gradients_can_be_saved(tmp_path) -> None:
    @tf.function(input_signature=[tf.TensorSpec([])])
    def slope(v: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(v)
            y = tf.constant(1.0)
            for x in tf.data.Dataset.range(3):
                y = y * v + tf.cast(x, tf.float32)
        return tape.gradient(y, v)

    assert again(slope, tmp_path)(tf.constant(2.0)).numpy() == 13.0  # 3 v**2 + 1


def test_datasets_are_arguments_and_results(tmp_path) -> None:
    spec = {"a": tf.TensorSpec([], tf.int64), "r": tf.RaggedTensorSpec([None], tf.int32, 0)}

    @tf.function(input_signature=[tf.data.DatasetSpec(spec)])
    def run(dataset: Any) -> Any:
        return dataset.map(lambda x: {"sum": x["a"] + tf.reduce_sum(tf.cast(x["r"], tf.int64))})

    loaded = again(run, tmp_path)
    rows = tf.ragged.constant([[1, 2], [3]], dtype=tf.int32)
    given = tf.data.Dataset.from_tensor_slices({"a": np.int64([10, 20]), "r": rows})
    assert [x["sum"].numpy() for x in loaded(given)] == [13, 23]


def test_ragged_and_sparse_elements_come_back_as_they_were(tmp_path) -> None:
    @tf.function(input_signature=[COUNT])
    def run(n: Any) -> Any:
        rows = tf.data.Dataset.range(n).map(tf.range).ragged_batch(2)
        return tf.data.Dataset.zip((rows, rows.map(lambda r: r.to_sparse())))

    ragged, sparse = next(iter(again(run, tmp_path)(tf.constant(3, tf.int64))))
    assert ragged.to_list() == [[], [0]]
    assert tf.sparse.to_dense(sparse).numpy().tolist() == [[0], [0]]


def test_python_code_cannot_be_saved(tmp_path) -> None:
    def numbers() -> Any:
        yield 1

    spec = tf.TensorSpec([], tf.int32)
    made = tf.data.Dataset.from_generator(numbers, output_signature=spec)
    run = tf.function(lambda: made.reduce(0, lambda s, x: s + x), input_signature=[])
    with pytest.raises(NotImplementedError, match=r"FlatMapDataset.*test_rewriting.*Python code"):
        again(run, tmp_path)


def test_an_iterator_without_a_dataset_says_so() -> None:
    types = {"output_types": [tf.int64], "output_shapes": [tf.TensorShape([])]}
    handle = tf.raw_ops.AnonymousIteratorV3(**types)
    with pytest.raises(tf.errors.FailedPreconditionError, match="MakeIterator"):
        tf.raw_ops.IteratorGetNext(iterator=handle, **types)
    with pytest.raises(tf.errors.InvalidArgumentError, match="must hold a dataset"):
        tf.raw_ops.MakeIterator(dataset=tf.raw_ops.OptionalNone(), iterator=handle)


def test_the_ops_can_be_called() -> None:
    types = {"output_types": [tf.int64], "output_shapes": [tf.TensorShape([])]}
    numbers = tf.raw_ops.RangeDataset(start=0, stop=5, step=2, **types)
    rest = tf.raw_ops.SkipDataset(input_dataset=numbers, count=1, **types)
    dataset = tf.data.experimental.from_variant(rest, COUNT)
    assert list(dataset.as_numpy_iterator()) == [2, 4]


def test_options_keep_what_was_set(tmp_path) -> None:
    options = tf.data.Options()
    options.deterministic = False
    options.threading.private_threadpool_size = 3
    options.autotune.enabled = False
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF

    @tf.function(input_signature=[COUNT])
    def run(n: Any) -> Any:
        return tf.data.Dataset.range(n).with_options(options)

    assert again(run, tmp_path)(tf.constant(2, tf.int64)).options() == options


def test_strings_of_a_message_may_stand_there_as_bytes() -> None:
    proto = messages.TensorProto(dtype=tf.string.enum, tensor_content=b"\x01\x02abb")
    proto.tensor_shape.dim.add(size=2)
    assert tf.make_ndarray(proto).tolist() == [b"a", b"bb"]
    proto.tensor_content = b"\x01\x07abb"
    with pytest.raises(ValueError, match="2 strings are not 5 bytes"):
        tf.make_ndarray(proto)


def _rows(count: Any) -> Any:
    """Elements of every kind, which stand in files as records."""
    return tf.data.Dataset.range(count).map(
        lambda x: {
            "n": x,
            "ragged": tf.RaggedTensor.from_row_lengths(tf.range(x), [x]),
            "sparse": tf.sparse.from_dense(tf.fill([2], x)),
            "text": tf.strings.as_string(x),
        }
    )


def _total(dataset: Any) -> Any:
    return dataset.reduce(
        np.int64(0),
        lambda total, x: (
            total * 100 + tf.reduce_sum(x["ragged"]) + tf.sparse.reduce_sum(x["sparse"])
        ),
    )


def test_a_dataset_is_saved_by_a_function(tmp_path) -> None:
    path = str(tmp_path / "rows")

    @tf.function(input_signature=[COUNT])
    def write(n: Any) -> Any:
        _rows(n).save(path, "GZIP", lambda x: x["n"] % 2)
        return n

    def written() -> list[Any]:
        found = tf.data.Dataset.load(path, compression="GZIP")
        return [(int(x["n"]), x["ragged"].to_list()) for x in found]

    expected = [(0, [[]]), (1, [[0]]), (2, [[0, 1]])]
    write(tf.constant(3, tf.int64))
    assert written() == expected
    loaded = again(write, tmp_path / "model")
    assert "SaveDatasetV2" in nodes(tmp_path / "model")
    loaded(tf.constant(2, tf.int64))
    assert written() == expected[:2]


def test_a_dataset_is_loaded_by_a_function_with_and_without_a_reader(tmp_path) -> None:
    path = str(tmp_path / "rows")
    _rows(3).save(path, shard_func=lambda x: x["n"] % 2)

    @tf.function(input_signature=[])
    def plain() -> Any:
        return _total(tf.data.Dataset.load(path))

    @tf.function(input_signature=[])
    def by_shard() -> Any:
        read = tf.data.Dataset.load(path, reader_func=lambda shards: shards.flat_map(lambda x: x))
        return _total(read)

    for function in (plain, by_shard):
        folder = tmp_path / function.__name__
        assert again(function, folder)().numpy() == function().numpy()
        assert nodes(folder)["LoadDataset"].attr["compression"].s == b""


def test_the_number_of_elements_of_a_dataset_with_a_reader_is_that_of_its_files(tmp_path) -> None:
    tf.data.Dataset.range(5).save(str(tmp_path))
    read = tf.data.Dataset.load(
        str(tmp_path), reader_func=lambda s: s.flat_map(lambda x: x).take(2)
    )
    assert read.cardinality().numpy() == 5  # as in TensorFlow, which does not ask the reader
    assert [int(x) for x in read] == [0, 1]


def test_a_snapshot_in_a_function_has_a_folder_for_each_value_and_any_path(tmp_path) -> None:
    @tf.function(input_signature=[COUNT, tf.TensorSpec([], tf.string)])
    def run(n: Any, path: Any) -> Any:
        return _total(_rows(n).snapshot(path))

    for number, function in enumerate([run, again(run, tmp_path / "model")]):
        path = tmp_path / f"kept{number}"
        found = [
            function(tf.constant(n, tf.int64), tf.constant(str(path))).numpy() for n in (3, 3, 4)
        ]
        assert found == [205, 205, 20509]
        assert len(list(path.glob("*/snapshot.metadata"))) == 2


def test_a_cache_in_a_file_keeps_elements_that_came_as_variants(tmp_path) -> None:
    @tf.function(input_signature=[COUNT])
    def run(n: Any) -> Any:
        return _total(_rows(n).cache(str(tmp_path / "cache")).repeat(2))

    loaded = again(run, tmp_path / "model")
    assert [loaded(tf.constant(3, tf.int64)).numpy() for _ in range(2)] == [205000205] * 2
