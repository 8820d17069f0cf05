"""The names that users give to datasets, in the graphs that datasets are written as."""

from __future__ import annotations

import pytest

import runnel as tf

D = tf.data.Dataset
NAMED = {
    "RangeDataset": lambda: D.range(3, name="ab"),
    "MapDataset": lambda: D.range(3).map(lambda x: x, name="ab"),
    "BatchDatasetV2": lambda: D.range(3).ragged_batch(2, name="ab"),
    "ZipDataset": lambda: D.range(3).enumerate(name="ab"),
    "GroupByWindowDataset": lambda: D.range(3).group_by_window(
        lambda x: x, lambda key, window: window, 2, name="ab"
    ),
    "ShuffleDatasetV3": lambda: D.range(3).shuffle(2, name="ab").take(2),
    "OptionsDataset": lambda: D.range(3).with_options(tf.data.Options(), name="ab"),
    "ListDataset": lambda: tf.data.experimental.from_list([1, 2], name="ab"),
    "TextLineDataset": lambda: tf.data.TextLineDataset(["a"], name="ab"),
}


def _names(dataset: tf.data.Dataset) -> dict[str, bytes]:
    graph = tf.raw_ops.DatasetToGraphV2(input_dataset=dataset._variant_tensor)
    nodes = tf.compat.v1.GraphDef.FromString(graph.numpy()).node
    return {node.op: node.attr["metadata"].s for node in nodes if "metadata" in node.attr}


def test_a_dataset_is_named_in_its_graph_and_by_what_is_made_of_the_graph():
    for op, make in NAMED.items():
        dataset = make()
        graph = tf.raw_ops.DatasetToGraphV2(input_dataset=dataset._variant_tensor)
        again = D(tf.raw_ops.DatasetFromGraph(graph_def=graph))
        for each in (dataset, again):
            named = {kind for kind, name in _names(each).items() if name == b"\n\x02ab"}
            assert named == {op}


def test_the_name_of_a_dataset_is_an_identifier():
    with pytest.raises(ValueError, match="must be an identifier, got 'a b'"):
        D.range(3).take(1, name="a b")
    with pytest.raises(ValueError, match="must be an identifier"):
        D.range(3).reduce(0, lambda s, x: s, name="1")
