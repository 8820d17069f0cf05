"""Sessions: what is run, fed and fetched, and what a session keeps."""

import numpy as np
import pytest

import runnel as tf
from runnel.core.protos import messages
from runnel.graph.session.default import building_by_default

v1 = tf.compat.v1


@pytest.fixture(autouse=True)
def graph():
    with tf.Graph().as_default() as made:
        yield made


def test_fetches_come_back_in_their_nest():
    x = v1.placeholder(tf.float32, [2], name="x")
    y = tf.add(x, 1.0, name="y")
    sparse = tf.SparseTensor([[1]], [2.0], [3])
    with v1.Session() as session:
        found = session.run({"a": [y, ("y:0",)], "b": y.op, "s": sparse}, {"x:0": [1, 2]})
    np.testing.assert_array_equal(found["a"][0], [2.0, 3.0])
    np.testing.assert_array_equal(found["a"][1][0], [2.0, 3.0])
    assert found["b"] is None
    assert isinstance(found["s"], v1.SparseTensorValue)


def test_only_what_is_needed_runs_and_any_tensor_may_be_fed():
    x = v1.placeholder(tf.float32, [], name="x")
    a, b = tf.split(tf.stack([x, x * 2.0]), 2)
    total = a + b
    v = v1.get_variable("v", initializer=1.0)
    v.assign_add(1.0)
    with v1.Session() as session:
        session.run(v.initializer)
        assert session.run(total, {x: 1.0}) == [3.0]
        assert session.run(total, {x: 1.0, a: [10.0]}) == [12.0]
        assert session.run(total, {a: [10.0], b: [1.0]}) == [11.0]
        assert session.run(v) == 1.0
        later = total * 2.0  # a graph may grow between runs
        assert session.run(later, {x: 1.0}) == [6.0]


def test_a_variant_cannot_be_fetched():
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        values = tf.raw_ops.TensorListReserve(
            element_shape=[2], num_elements=3, element_dtype=tf.float32
        )
        with pytest.raises(tf.errors.InternalError, match="variant"):
            session.run(values)
        assert session.run(tf.raw_ops.TensorListLength(input_handle=values)) == 3


def test_what_a_session_keeps_is_its_own():
    v = v1.get_variable("v", initializer=1.0)
    up, r = v.assign_add(1.0), tf.random.uniform([2], seed=3)
    queue = tf.queue.FIFOQueue(4, tf.int32, shapes=[[]])
    put, size = queue.enqueue(7), queue.size()
    one, two = v1.Session(), v1.Session()
    for session in (one, two):
        session.run(v.initializer)
    assert [one.run(up), one.run(up), two.run(up)] == [2.0, 3.0, 2.0]
    first, again, other = one.run(r), one.run(r), two.run(r)
    np.testing.assert_array_equal(first, other)
    assert (first != again).all()
    one.run(put)
    assert [one.run(size), two.run(size)] == [1, 0]


def test_control_dependencies_and_groups_are_kept():
    v = v1.get_variable("v", initializer=1.0)
    with tf.control_dependencies([v.assign(5.0)]):
        after = v.read_value()
    with v1.Session() as session:
        session.run(v1.global_variables_initializer())
        assert session.run(after) == 5.0
        session.run(tf.group(v.assign_add(1.0)))
        assert v.eval() == 6.0
        v.load(9.0)
        assert session.run(v) == 9.0


def test_parts_of_a_run_and_callables():
    x, y = (v1.placeholder(tf.float32, []) for _ in range(2))
    a = x + 1.0
    b = a * y
    with v1.Session() as session:
        handle = session.partial_run_setup([a, b], [x, y])
        assert session.partial_run(handle, a, {x: 1.0}) == 2.0
        assert session.partial_run(handle, b, {y: 5.0}) == 10.0
        with pytest.raises(tf.errors.InvalidArgumentError, match="fed already"):
            session.partial_run(handle, b, {y: 5.0})
        call = session.make_callable([b], [x, y])
        assert call(1.0, 3.0) == [6.0]


def test_a_run_waits_no_longer_than_it_may():
    queue = tf.queue.FIFOQueue(1, tf.int32, shapes=[[]])
    put, take, both = queue.enqueue(7), queue.dequeue(), queue.dequeue_many(2)
    area = tf.raw_ops.Unstage(dtypes=[tf.int32])
    short = v1.RunOptions(timeout_in_ms=1)
    with v1.Session() as session:
        session.run(put, options=v1.RunOptions(timeout_in_ms=60_000))
        for late in (put, both, area):
            with pytest.raises(tf.errors.DeadlineExceededError):
                session.run(late, options=short)
        assert session.run(take) == 7
    with v1.Session(config=v1.ConfigProto(operation_timeout_in_ms=1)) as session:
        for late in (session.make_callable(take), lambda: session.run(take)):
            with pytest.raises(tf.errors.DeadlineExceededError):
                late()


def test_the_default_graph_takes_ops_when_eager_mode_is_off():
    with building_by_default():
        x = tf.constant(2.0) * 3.0
        assert not tf.executing_eagerly()
        assert x.graph is v1.get_default_graph()
        with v1.Session().as_default():
            assert x.eval() == 6.0
        v1.reset_default_graph()
        assert not v1.get_default_graph().get_operations()


def test_a_loop_of_runs_is_compiled_and_stays_right():
    v = v1.get_variable("v", [4, 4], initializer=v1.ones_initializer())
    y = v
    for _ in range(12):
        y = tf.tanh(tf.matmul(y, v) * 0.1 + 0.5)
    step = v.assign(y)
    with v1.Session() as session:
        session.run(v.initializer)
        found = [session.run([tf.reduce_sum(y) if n == 0 else y, step])[0] for n in range(5)]
        assert np.isfinite(found[-1]).all()
        np.testing.assert_allclose(session.run(v).sum(), session.run(v.value()).sum())


def test_a_callable_is_made_of_a_message_with_names():
    x = v1.placeholder(tf.float32, [2], name="x")
    y = v1.placeholder(tf.float32, [2], name="y")
    tf.add(x, y, name="sum")
    tf.multiply(x, 2.0, name="twice")
    options = messages.CallableOptions(feed=["x:0"], fetch=["sum:0", "twice:0"])
    options.tensor_connection.add(from_tensor="twice:0", to_tensor="y:0")
    options.run_options.output_partition_graphs = True
    found = v1.RunMetadata()
    with v1.Session() as session:
        call = session._make_callable_from_options(options)
        total, twice = call([1.0, 2.0], run_metadata=found)
        assert total.tolist() == [3, 6] and twice.tolist() == [2, 4]
        assert len(found.partition_graphs) == 1
        session.run("twice:0", {x: [0, 0]}, v1.RunOptions(), found)
        assert not found.partition_graphs  # what a run finds takes the place of what was there
