"""`tf.data.experimental.get_model_proto`: what the stages of an iterator have done."""

from __future__ import annotations

import base64
import json
import time
from pathlib import Path
from typing import Any

import pytest
from google.protobuf.unknown_fields import UnknownFieldSet

import runnel as tf
from runnel.data.files.messages import model

Dataset = tf.data.Dataset
GOLDEN = Path(__file__).parents[2] / "golden" / "saved_datasets.json"
get_model_proto = tf.data.experimental.get_model_proto


def _nodes(iterator: Any) -> list[Any]:
    proto = get_model_proto(iterator)
    assert proto.output == 1
    assert proto.id_counter == len(proto.nodes) + 1
    return [node for _, node in sorted(proto.nodes.items())]


def test_the_message_has_a_node_for_every_stage_with_its_elements() -> None:
    dataset = Dataset.range(10).map(lambda x: tf.strings.as_string(x), num_parallel_calls=2)
    iterator = iter(dataset.shuffle(3).batch(2).prefetch(1))
    before = _nodes(iterator)
    assert [node.name for node in before] == [
        *("Root", "Prefetch", "BatchV2", "Shuffle", "ParallelMapV2", "Range")
    ]
    assert [list(node.inputs) for node in before] == [[2], [3], [4], [5], [6], []]
    assert all(node.num_elements == 0 for node in before)
    next(iterator), next(iterator)
    for _ in range(6000):
        nodes = _nodes(iterator)
        if nodes[1].buffered_elements:
            break
        time.sleep(0.01)
    assert [node.num_elements for node in nodes[:4]] == [2, 2, 3, 6]
    assert nodes[1].buffered_elements == 1  # no more than were asked for
    assert nodes[1].buffered_bytes > 0
    assert nodes[3].buffered_elements == 2
    assert [node.ratio for node in nodes] == [1, 1, 2, 1, 1, 0]
    text = str(nodes[1])
    assert "node_class: ASYNC_KNOWN_RATIO" in text
    assert 'name: "buffer_size"' in text


def test_a_message_of_tensorflow_has_no_field_that_is_not_known() -> None:
    data = base64.b64decode(json.loads(GOLDEN.read_text())["model.pb"])
    proto = model().FromString(data)
    assert {"Root", "Prefetch", "BatchV2", "Shuffle"} <= {n.name for n in proto.nodes.values()}
    parts = [proto, *proto.nodes.values(), proto.optimization_params]
    parts += [parameter for node in proto.nodes.values() for parameter in node.parameters]
    assert len(parts) > 6
    assert all(len(UnknownFieldSet(part)) == 0 for part in parts)


def test_what_waits_in_no_stage_of_its_own_has_no_node() -> None:
    options = tf.data.Options()
    options.dataset_name = "numbers"
    options.autotune.cpu_budget = 3
    dataset = Dataset.range(6).repeat().with_options(options).take(5)
    iterator = dataset.as_numpy_iterator()
    assert [next(iterator) for _ in range(3)] == [0, 1, 2]
    proto = get_model_proto(iterator)
    assert proto.dataset_name == "numbers"
    assert proto.optimization_params.cpu_budget == 3
    names = [node.name for _, node in sorted(proto.nodes.items())]
    assert names == ["Root", "FiniteTake", "ForeverRepeat", "Range"]
    assert [node.num_elements for _, node in sorted(proto.nodes.items())] == [3, 3, 3, 3]
    assert proto.DESCRIPTOR.full_name == "tensorflow.data.model.ModelProto"


def test_stages_of_several_inputs_name_them_all() -> None:
    mixed = Dataset.zip(Dataset.range(3), Dataset.range(4).filter(lambda x: x > 0))
    iterator = iter(mixed.flat_map(lambda a, b: Dataset.from_tensors(a + b)))
    next(iterator)
    nodes = _nodes(iterator)
    assert [(n.name, list(n.inputs)) for n in nodes] == [
        ("Root", [2]),
        ("FlatMap", [3]),
        ("Zip", [4, 5]),
        ("Range", []),
        ("Filter", [6]),
        ("Range", []),
    ]
    assert "node_class: INTERLEAVE_MANY" in str(nodes[1])
    assert "node_class: UNKNOWN_RATIO" in str(nodes[4])


def test_what_has_no_model_is_refused() -> None:
    with pytest.raises(ValueError, match=r"tf\.data\.Iterator"):
        get_model_proto(Dataset.range(3))
    options = tf.data.Options()
    options.autotune.enabled = False
    with pytest.raises(tf.errors.NotFoundError, match="autotune"):
        get_model_proto(iter(Dataset.range(3).with_options(options)))
