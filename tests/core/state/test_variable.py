"""`tf.Variable`; most answers are recorded from TensorFlow."""

import copy
import pickle
import threading
from typing import Any

import numpy as np
import pytest

import runnel as tf
from tests.golden.expressions import answer, recorded
from tests.golden.make_tensor import names
from tests.tables import table

pytestmark = pytest.mark.smoke


@table("expression, want", recorded("variable"))
def test_variable_is_as_in_tensorflow(expression, want):
    assert answer(expression, names(tf)) == want


def test_a_value_that_was_read_does_not_change():
    v = tf.Variable([1.0, 2.0])
    before, viewed = v.value(), np.asarray(v)
    v.assign_add([10.0, 10.0])
    assert before.numpy().tolist() == [1.0, 2.0]
    assert viewed.tolist() == [1.0, 2.0]


def test_items_are_assigned_as_in_numpy():
    v, a = tf.Variable(np.zeros((3, 4), np.float32)), np.zeros((3, 4), np.float32)
    for index, value in (
        (0, 1.0),
        ((slice(None), 1), 2.0),
        ([0, 2], 3.0),
        (a == 3.0, 4.0),
        ((..., -1), [5.0, 6.0, 7.0]),
    ):
        v[index] = value
        a[index] = value
    assert np.array_equal(v.numpy(), a)


def test_a_slice_can_be_assigned_in_a_function():
    v = tf.Variable([1.0, 2.0, 3.0])

    @tf.function
    def change():
        v[1:].assign([8.0, 9.0])

    change()
    assert v.numpy().tolist() == [1.0, 8.0, 9.0]


def test_threads_lose_no_additions():
    v = tf.Variable(0, dtype=tf.int64)

    def work():
        for _ in range(500):
            v.assign_add(1)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert v.numpy() == 2000


def test_gathering_from_a_variable_has_slices_for_a_gradient():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(v, [2, 0, 2]) * 3.0)
    gradient = tape.gradient(y, v)
    assert isinstance(gradient, tf.IndexedSlices)
    assert gradient.indices.numpy().tolist() == [2, 0, 2]
    assert tf.convert_to_tensor(gradient).numpy().tolist() == [[3.0, 3.0], [0.0, 0.0], [6.0, 6.0]]


def test_gather_nd_from_a_variable_has_a_dense_gradient():
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather_nd(v, [[0, 1], [0, 1]]))
    assert tf.convert_to_tensor(tape.gradient(y, v)).numpy().tolist() == [[0.0, 2.0], [0.0, 0.0]]


def test_copies_and_pickles_are_variables_of_their_own():
    v = tf.Variable([1.0, 2.0], name="weights", trainable=False)
    for copied in (copy.deepcopy(v), pickle.loads(pickle.dumps(v))):
        copied.assign([5.0, 6.0])
        assert v.numpy().tolist() == [1.0, 2.0]
        assert copied.name == v.name
        assert not copied.trainable


def test_older_pickles_find_the_functions_that_they_name():
    v, x = tf.Variable([1.0, 2.0]), tf.constant([3, 4])
    for value, module in ((v, "runnel.core.state.variable"), (x, "runnel.core.tensor.tensor")):
        text = pickle.dumps(value, protocol=0).decode("latin-1")
        assert f"c{module}\nunpickled\n" in text
        for older in (module, "runnel.core.variable" if value is v else "runnel.core.tensor"):
            data = text.replace(f"c{module}\nunpickled\n", f"c{older}\n_unpickle\n")
            assert pickle.loads(data.encode("latin-1")).numpy().tolist() == value.numpy().tolist()


def test_a_failed_assignment_leaves_the_value():
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(ValueError, match="shape"):
        v.assign([1.0, 2.0, 3.0])
    with pytest.raises(tf.errors.InvalidArgumentError):
        v.scatter_nd_update([[5]], [1.0])
    assert v.numpy().tolist() == [1.0, 2.0]


def test_strings_can_be_held_and_assigned():
    v = tf.Variable(["a", "b"])
    v.assign(["c", "d"])
    assert v.numpy().tolist() == [b"c", b"d"]


def test_in_place_operators_are_refused_since_they_would_not_change_the_variable():
    for change in ("v += 1.0", "v -= 1.0", "v *= 2.0", "v /= 2.0", "v **= 2.0"):
        with pytest.raises(RuntimeError, match=r"Write v\.assign"):
            exec(change, {"v": tf.Variable(1.0)})


def test_synchronization_and_aggregation_are_members_of_their_enums():
    for bad in ({"synchronization": "x"}, {"aggregation": 7}):
        with pytest.raises(ValueError, match=r"must be one of tf\.Variable"):
            tf.Variable(1.0, **bad)


def test_a_caching_device_is_checked_and_reads_stay_fresh() -> None:
    v = tf.Variable([1.0, 2.0], caching_device="/cpu:0")
    v.assign_add([1.0, 1.0])
    assert v.value().numpy().tolist() == [2.0, 3.0]
    with pytest.raises(ValueError, match="nonsense"):
        tf.Variable(1.0, caching_device="nonsense")
    with pytest.raises(RuntimeError, match="functions"):
        tf.Variable(1.0, caching_device=lambda op: "/cpu:0")


def test_a_variable_is_not_made_of_a_definition() -> None:
    with pytest.raises(ValueError, match="variable_def"):
        tf.Variable(variable_def="v")
    assert tf.Variable(1.0, import_scope="scope").numpy() == 1.0


@pytest.mark.parametrize("shape", [[None], None])
def test_what_is_added_has_the_shape_of_the_value_even_if_that_is_open(shape: Any) -> None:
    v = tf.Variable([1.0, 2.0], shape=tf.TensorShape(shape))
    for delta in ([1.0], 1.0, [[1.0, 2.0]]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="AssignAddVariableOp"):
            v.assign_add(delta)
    assert v.assign_sub([1.0, 1.0]).numpy().tolist() == [0.0, 1.0]


def test_a_strided_slice_with_a_variable_can_be_assigned_to() -> None:
    v = tf.Variable([1.0, 2.0, 3.0, 4.0])
    part = tf.strided_slice(v, [0], [4], [2], var=v)
    assert part.numpy().tolist() == [1.0, 3.0]
    assert part.assign([7.0, 8.0]) is v
    assert v.numpy().tolist() == [7.0, 2.0, 8.0, 4.0]
