"""Variables by name: scopes, reuse, partitions, collections, savers."""

import numpy as np
import pytest

import runnel as tf

v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as made:
        yield made


def test_a_variable_is_made_once_and_found_by_those_who_reuse_it():
    with v1.variable_scope("a", initializer=v1.ones_initializer()):
        v = v1.get_variable("v", [2])
        with pytest.raises(ValueError, match="a/v already exists"):
            v1.get_variable("v", [2])
    with v1.variable_scope("a", reuse=True):
        assert v1.get_variable("v", [2]) is v
        with pytest.raises(ValueError, match="a/w does not exist"):
            v1.get_variable("w", [2])
        with pytest.raises(ValueError, match="shape"):
            v1.get_variable("v", [3])
    with v1.variable_scope("a", reuse=v1.AUTO_REUSE):
        assert v1.get_variable("v", [2]) is v
        assert v1.get_variable("u", [2]).name == "a/u:0"


def test_names_of_scopes_and_operations():
    with v1.variable_scope("a") as scope:
        first = tf.constant(1.0, name="c")
    with v1.variable_scope("a"):
        second = tf.constant(1.0, name="c")
    with v1.variable_scope(scope):
        third = tf.constant(1.0, name="c")
    with v1.variable_scope(None, "d"):
        v = v1.get_variable("v", [])
    with v1.variable_scope(None, "d"):
        w = v1.get_variable("v", [])
    names = [t.op.name for t in (first, second, third)]
    assert names == ["a/c", "a_1/c", "a_2/c"]
    assert [v.name, w.name] == ["d/v:0", "d_1/v:0"]


def test_scopes_without_a_name_are_numbered_where_they_are_opened():
    """As TensorFlow numbers them: anew in a scope by name, on in the outermost one."""
    found = []

    def opened(*scopes):
        for scope in scopes:
            with v1.variable_scope(scope), v1.variable_scope(None, "d") as inner:
                found.append(inner.name)

    with v1.variable_scope("a") as a:
        opened("b/c", "b", "b/c")
        with v1.variable_scope(None, "d"), v1.variable_scope(None, "d") as inner:
            found.append(inner.name)
        with v1.variable_scope(None, "d") as inner:
            found.append(inner.name)
    opened(a, a, "a/b")
    with v1.variable_scope(None, "d"):
        pass
    with v1.variable_scope(v1.get_variable_scope()), v1.variable_scope(None, "d") as inner:
        found.append(inner.name)
    with v1.variable_scope(None, "d") as inner:
        found.append(inner.name)
    assert found == "a/b/c/d a/b/d a/b/c/d a/d/d a/d_1 a/d a/d a/b/d d_1 d_1".split()


def test_a_custom_getter_and_a_partitioner():
    def half(getter, name, *args, **options):
        return getter(name, *args, **options) * 0.5

    with v1.variable_scope("a", custom_getter=half, initializer=v1.ones_initializer()):
        halved = v1.get_variable("v", [])
    cut = v1.fixed_size_partitioner(2)
    pieces = v1.get_variable("p", [3, 2], partitioner=cut, initializer=v1.ones_initializer())
    assert [v.name for v in pieces] == ["p/part_0:0", "p/part_1:0"]
    total = tf.reduce_sum(tf.convert_to_tensor(pieces))
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        assert session.run([halved, total]) == [0.5, 6.0]


def test_collections_and_local_variables():
    loss = v1.get_variable("v", [], regularizer=lambda v: v * 2.0)
    v1.get_local_variable("n", [])
    assert v1.global_variables() == v1.trainable_variables() == [loss]
    assert [v.name for v in v1.local_variables()] == ["n:0"]
    assert len(v1.losses.get_regularization_losses()) == 1
    with v1.Session() as session:
        missing = v1.report_uninitialized_variables()
        assert sorted(session.run(missing)) == [b"n", b"v"]
        session.run([v1.global_variables_initializer(), v1.local_variables_initializer()])
        assert session.run(missing).size == 0


def test_a_saver_keeps_the_newest_and_names_what_is_missing(tmp_path):
    v = v1.get_variable("v", initializer=np.array([1.0, 2.0], np.float32))
    saver = v1.train.Saver(max_to_keep=2)
    with v1.Session() as session:
        session.run(v.initializer)
        paths = [saver.save(session, str(tmp_path / "m"), global_step=n) for n in range(3)]
        assert saver.last_checkpoints == paths[1:]
        assert tf.train.latest_checkpoint(str(tmp_path)) == paths[-1]
        assert not (tmp_path / "m-0.index").exists()
    with v1.Session() as session:
        saver.restore(session, paths[-1])
        assert session.run(v).tolist() == [1.0, 2.0]
        with pytest.raises(tf.errors.NotFoundError, match="Key other"):
            v1.train.Saver({"other": v}).restore(session, paths[-1])
        with pytest.raises(ValueError, match="not a valid checkpoint"):
            saver.restore(session, str(tmp_path / "nothing"))


def test_a_graph_with_datasets_trains_on_with_checkpoints(tmp_path):
    """It cannot be written as a message; its variables can."""
    element = v1.data.make_one_shot_iterator(v1.data.Dataset.range(5)).get_next()
    step = v1.assign_add(v1.train.get_or_create_global_step(), 1)
    hooks = [v1.train.StopAtStepHook(last_step=2)]
    with v1.train.MonitoredTrainingSession(
        checkpoint_dir=str(tmp_path), hooks=hooks, save_checkpoint_steps=1
    ) as session:
        while not session.should_stop():
            session.run([step, element])
    assert tf.train.latest_checkpoint(str(tmp_path)).endswith("model.ckpt-2")
