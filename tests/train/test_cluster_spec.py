"""tf.train.ClusterSpec."""

from __future__ import annotations

import pytest

import runnel as tf


def test_a_cluster_can_be_described_in_several_ways() -> None:
    cluster = tf.train.ClusterSpec({"worker": ["a:1", "b:1"], "ps": {0: "c:1", 2: "d:1"}})
    assert cluster.as_dict() == {"ps": {0: "c:1", 2: "d:1"}, "worker": ["a:1", "b:1"]}
    assert cluster.job_tasks("ps") == ["c:1", None, "d:1"]
    assert cluster.task_indices("ps") == [0, 2] and cluster
    for again in (cluster, cluster.as_dict(), cluster.as_cluster_def()):
        assert tf.train.ClusterSpec(again) == cluster
    assert not tf.train.ClusterSpec({})


def test_what_is_not_there_is_an_error() -> None:
    cluster = tf.train.ClusterSpec({"worker": ["a:1"]})
    with pytest.raises(ValueError, match="No such job"):
        cluster.num_tasks("ps")
    with pytest.raises(ValueError, match="index 3"):
        cluster.task_address("worker", 3)
    for wrong in (["a:1"], {"worker": "a:1"}, {"worker": [1]}, {1: ["a"]}):
        with pytest.raises(TypeError):
            tf.train.ClusterSpec(wrong)
