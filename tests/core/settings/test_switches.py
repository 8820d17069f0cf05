"""The switches of tf.config that are plain values."""

from __future__ import annotations

import pytest

import runnel as tf
from runnel.backend import configuration


@pytest.fixture(autouse=True)
def _restored(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("jit", "inter_op_threads", "intra_op_threads", "device_policy", "initialized"):
        monkeypatch.setattr(configuration, name, getattr(configuration, name))
    monkeypatch.setattr(configuration, "optimizer_options", {})


@pytest.mark.parametrize(
    ("chosen", "shown"),
    [(True, "autoclustering"), (False, ""), ("autoclustering", "autoclustering"), ("other", "")],
)
def test_jit_is_autoclustering_or_nothing(chosen: object, shown: str) -> None:
    tf.config.optimizer.set_jit(chosen)
    assert tf.config.optimizer.get_jit() == shown


def test_optimizer_options_show_what_was_set() -> None:
    always = {"disable_model_pruning": False, "disable_meta_optimizer": False}
    assert tf.config.optimizer.get_experimental_options() == always
    tf.config.optimizer.set_experimental_options({"constant_folding": False, "min_graph_nodes": 3})
    shown = {**always, "constant_folding": False, "min_graph_nodes": 3}
    assert tf.config.optimizer.get_experimental_options() == shown
    tf.config.optimizer.set_experimental_options({"no_such_pass": True})
    assert tf.config.optimizer.get_experimental_options() == shown


def test_threads_are_fixed_once_an_op_has_run() -> None:
    configuration.initialized = False
    tf.config.threading.set_inter_op_parallelism_threads(3)
    assert tf.config.threading.get_inter_op_parallelism_threads() == 3
    configuration.initialized = True
    with pytest.raises(RuntimeError, match="cannot be modified"):
        tf.config.threading.set_inter_op_parallelism_threads(4)
    with pytest.raises(RuntimeError, match="cannot be modified"):
        tf.config.threading.set_intra_op_parallelism_threads(4)


@pytest.mark.parametrize("policy", ["silent", "explicit", "warn", "silent_for_int32"])
def test_device_policies_are_kept(policy: str) -> None:
    tf.config.experimental.set_device_policy(policy)
    assert tf.config.experimental.get_device_policy() == policy


def test_clusters_are_refused_by_name() -> None:
    with pytest.raises(NotImplementedError, match="experimental_connect_to_cluster"):
        tf.config.experimental_connect_to_cluster("cluster")
    with pytest.raises(NotImplementedError, match="experimental_connect_to_host"):
        tf.config.experimental_connect_to_host("host")
