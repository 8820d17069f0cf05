"""Meta graphs, frozen graphs and checkpoints of TensorFlow 1, with reference variables."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runnel as tf

FOLDER = Path(__file__).parents[1] / "golden" / "old_graphs"
ANSWERS = json.loads((FOLDER / "answers.json").read_text())
NAMES = [name for name in ANSWERS if name != "frozen"]
v1 = tf.compat.v1


def _check(session: Any, runs: Any, scope: str = "") -> None:
    for fetches, feeds, values in runs:
        named = {scope + key: value for key, value in feeds.items()}
        got = session.run([scope + name for name in fetches], named)
        for mine, want in zip([g for g in got if g is not None], values, strict=True):
            np.testing.assert_allclose(mine, want, rtol=1e-5, atol=1e-6, err_msg=str(fetches))


@pytest.mark.parametrize("name", NAMES)
def test_a_restored_graph_goes_on_as_in_tensorflow(name):
    with tf.Graph().as_default(), v1.Session() as session:
        saver = v1.train.import_meta_graph(str(FOLDER / f"{name}.meta"))
        saver.restore(session, str(FOLDER / name))
        assert [v.name for v in v1.global_variables()] == ANSWERS[name]["variables"]
        assert [v.name for v in v1.trainable_variables()] == ANSWERS[name]["trainable"]
        _check(session, ANSWERS[name]["runs"])


def test_a_graph_is_imported_below_a_scope():
    with tf.Graph().as_default(), v1.Session() as session:
        path = str(FOLDER / "averages.meta")
        saver = v1.train.import_meta_graph(path, import_scope="in", clear_devices=True)
        saver.restore(session, str(FOLDER / "averages"))
        _check(session, ANSWERS["averages"]["runs"], "in/")
        assert v1.get_collection("outputs")[0].name.startswith("in/")
        assert v1.get_collection("sizes") == [3]
        assert v1.trainable_variables()[0].name == "in/layer/w:0"


def test_an_imported_variable_is_trained_by_a_new_optimizer():
    with tf.Graph().as_default(), v1.Session() as session:
        v1.train.import_meta_graph(str(FOLDER / "regression.meta"))
        y = tf.reduce_sum(v1.get_default_graph().get_tensor_by_name("y:0"))
        step = v1.train.GradientDescentOptimizer(1.0).minimize(y)
        session.run(v1.global_variables_initializer())
        feeds = {"x:0": np.ones([2, 3], np.float32)}
        before = session.run("w:0")
        session.run(step, feeds)
        np.testing.assert_allclose(session.run("w:0"), before - 2.0, rtol=1e-6)


def test_variables_become_constants():
    x = np.random.RandomState(5).uniform(-1, 1, (4, 3)).astype(np.float32)
    with tf.Graph().as_default(), v1.Session() as session:
        v1.train.import_meta_graph(str(FOLDER / "regression.meta"))
        session.run(v1.global_variables_initializer())
        graph_def = v1.get_default_graph().as_graph_def()
        made = v1.graph_util.convert_variables_to_constants(session, graph_def, ["y"])
        kept = v1.graph_util.convert_variables_to_constants(
            session, graph_def, ["y"], variable_names_blacklist=["w"]
        )
    assert "VarHandleOp" in {node.op for node in kept.node}
    recorded = v1.GraphDef.FromString((FOLDER / "frozen.pb").read_bytes())
    for frozen in (made, recorded, v1.graph_util.remove_training_nodes(made)):
        with tf.Graph().as_default(), v1.Session() as session:
            (y,) = tf.import_graph_def(frozen, {"x:0": tf.constant(x)}, ["y:0"])
            np.testing.assert_allclose(session.run(y), ANSWERS["frozen"], rtol=1e-5)


@pytest.mark.parametrize("version", [1, 2])
def test_a_saver_writes_what_the_next_one_reads(version, tmp_path):
    path = str(tmp_path / "model")
    with tf.Graph().as_default(), v1.Session() as session:
        v = v1.get_variable("v", initializer=[[1.0, 2.0]])
        n = v1.get_variable("n", initializer=tf.constant(7, tf.int64), trainable=False)
        tf.add(v, tf.cast(n, tf.float32), name="y")
        saver = v1.train.Saver(write_version=version)
        session.run(v1.global_variables_initializer())
        path = saver.save(session, path, global_step=3)
    assert tf.train.load_variable(path, "n") == 7
    assert tf.train.latest_checkpoint(str(tmp_path)) == path
    with tf.Graph().as_default(), v1.Session() as session:
        again = v1.train.import_meta_graph(path + ".meta")
        again.restore(session, path)
        assert session.run("y:0").tolist() == [[8.0, 9.0]]
        assert [v.trainable for v in v1.global_variables()] == [True, False]
        session.run(v1.assign(v1.global_variables()[0], [[0.0, 0.0]]))
        path = again.save(session, str(tmp_path / "second"))
        assert tf.train.load_variable(path, "v").tolist() == [[0.0, 0.0]]


def test_what_is_no_meta_graph(tmp_path):
    with pytest.raises(RuntimeError, match="eager mode"):
        v1.train.import_meta_graph(str(FOLDER / "loops.meta"))
    (tmp_path / "bad.meta").write_bytes(b"\xff\x00nonsense")
    with tf.Graph().as_default():
        with pytest.raises(OSError, match="does not exist"):
            v1.train.import_meta_graph("/no/such.meta")
        with pytest.raises(OSError, match="Cannot parse"):
            v1.train.import_meta_graph(str(tmp_path / "bad.meta"))
