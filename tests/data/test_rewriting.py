"""Datasets in functions that are saved: written as TensorFlow's ops, and read back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.core.protos import messages
from runnel.data.rewriting import tensorflow_form

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
