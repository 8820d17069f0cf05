"""tf.TensorArray and the list ops under it, eager and in graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import runnel as tf


def filled(values: list[float]) -> tf.TensorArray:
    array = tf.TensorArray(tf.float32, size=len(values))
    for i, value in enumerate(values):
        array = array.write(i, value)
    return array


def test_write_read_stack() -> None:
    array = filled([1.0, 2.0, 3.0])
    assert array.read(1).numpy() == 2.0
    assert array.stack().numpy().tolist() == [1.0, 2.0, 3.0]
    assert array.size().numpy() == 3
    assert array.gather([2, 0]).numpy().tolist() == [3.0, 1.0]


def test_unstack_split_concat_scatter() -> None:
    array = tf.TensorArray(tf.int32, size=2).unstack([[1, 2], [3, 4]])
    assert array.read(1).numpy().tolist() == [3, 4]
    parts = tf.TensorArray(tf.int32, size=2, infer_shape=False).split([1, 2, 3], [1, 2])
    assert parts.read(1).numpy().tolist() == [2, 3]
    assert parts.concat().numpy().tolist() == [1, 2, 3]
    scattered = tf.TensorArray(tf.int32, size=3).scatter([2, 0], [[5], [6]])
    assert scattered.read(2).numpy().tolist() == [5]
    assert scattered.stack().numpy().tolist() == [[6], [0], [5]]


def test_a_dynamic_array_grows() -> None:
    array = tf.TensorArray(tf.int32, size=0, dynamic_size=True)
    array = array.write(2, 7)
    assert array.size().numpy() == 3
    assert array.stack().numpy().tolist() == [0, 0, 7]


def test_out_of_range() -> None:
    array = tf.TensorArray(tf.int32, size=1)
    with pytest.raises(tf.errors.OutOfRangeError, match="index 1"):
        array.write(1, 1)
    with pytest.raises(tf.errors.OutOfRangeError, match="index -1"):
        array.read(-1)


def test_elements_have_one_dtype_and_shape() -> None:
    array = tf.TensorArray(tf.int32, size=2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="dtype"):
        array.write(0, tf.constant(1.0))
    array = array.write(0, [1, 2])
    with pytest.raises(ValueError, match="shape"):
        array.write(1, [1, 2, 3])


def test_reading_twice_after_clear_after_read() -> None:
    array = tf.TensorArray(tf.int32, size=1, clear_after_read=True).write(0, 1)
    array.read(0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="twice"):
        array.read(0)


def test_what_was_cleared_is_zero_until_it_is_written_again() -> None:
    array = tf.TensorArray(tf.float32, 2, clear_after_read=True, element_shape=[])
    array = array.unstack([1.0, 2.0])
    array.read(0)
    assert array.stack().numpy().tolist() == [0.0, 2.0]
    array.read(1)
    array = array.write(1, 5.0)
    assert array.read(1).numpy() == 5.0


def test_what_was_cleared_has_no_zeros_of_an_unknown_shape() -> None:
    array = tf.TensorArray(tf.float32, 2, clear_after_read=True).unstack([1.0, 2.0])
    array.read(0)
    for take in (array.stack, lambda: array.gather([0, 1])):
        with pytest.raises(ValueError, match="cleared"):
            take()
    with pytest.raises(ValueError, match="TensorArray"):
        tf.TensorArray(tf.float32, size=2).read(0)
    with pytest.raises(ValueError, match="TensorArray"):
        tf.TensorArray(tf.float32, size=2).stack()


def test_a_fixed_size_is_kept() -> None:
    array = tf.TensorArray(tf.float32, size=2)
    with pytest.raises(ValueError, match="static size 2"):
        array.unstack([1.0, 2.0, 3.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="2 vs"):
        array.split([1.0, 2.0], [2])
    with pytest.raises(tf.errors.OutOfRangeError, match="index 2"):
        array.scatter([0, 2], [1.0, 2.0])
    with pytest.raises(ValueError, match="size"):
        tf.TensorArray(tf.float32)


def test_a_dropped_write_is_an_error_in_a_graph() -> None:
    @tf.function
    def fn() -> Any:
        array = tf.TensorArray(tf.int32, size=1)
        array.write(0, 1)
        return array.stack()

    with pytest.raises(ValueError, match="dropped"):
        fn()


def test_gradient_through_an_array() -> None:
    x = tf.constant([1.0, 2.0, 3.0])

    def fn(x: Any) -> Any:
        array = tf.TensorArray(tf.float32, size=3).unstack(x)
        total = array.read(0) * array.read(2)
        array = array.write(1, total * total)
        return tf.reduce_sum(array.stack() * [1.0, 10.0, 100.0]) + tf.reduce_sum(
            array.gather([1, 1])
        )

    gradients = []
    for call in (fn, *[tf.function(fn)] * 4):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = call(x)
        gradients.append(tape.gradient(y, x).numpy().tolist())
    step = 1e-3
    want = [
        float((fn(x + step * d) - fn(x - step * d)) / (2 * step))
        for d in np.eye(3, dtype=np.float32)
    ]
    assert gradients[0] == pytest.approx(want, rel=1e-2)
    assert all(g == pytest.approx(gradients[0]) for g in gradients)


def test_arrays_as_arguments_and_results_of_functions() -> None:
    double = tf.function(lambda array: array.write(0, array.read(1) * 2.0))
    assert double(filled([1.0, 5.0])).stack().numpy().tolist() == [10.0, 5.0]


def test_list_ops() -> None:
    ops = tf.raw_ops
    shape = tf.zeros([0], tf.int32)
    empty = ops.EmptyTensorList(element_shape=shape, max_num_elements=-1, element_dtype=tf.int32)
    grown = ops.TensorListPushBack(
        input_handle=ops.TensorListPushBack(input_handle=empty, tensor=1), tensor=2
    )
    assert ops.TensorListLength(input_handle=grown).numpy() == 2
    rest, last = ops.TensorListPopBack(
        input_handle=grown, element_shape=np.zeros(0, np.int32), element_dtype=tf.int32
    )
    assert (ops.TensorListLength(input_handle=rest).numpy(), last.numpy()) == (1, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match="empty list"):
        ops.TensorListPopBack(
            input_handle=empty, element_shape=np.zeros(0, np.int32), element_dtype=tf.int32
        )
    resized = ops.TensorListResize(input_handle=grown, size=3)
    stacked = ops.TensorListStack(
        input_handle=resized, element_shape=np.zeros(0, np.int32), element_dtype=tf.int32
    )
    assert stacked.numpy().tolist() == [1, 2, 0]


def test_map_fn_and_scan_and_folds() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    cases = [
        (lambda: tf.map_fn(lambda v: v * v, x), [1.0, 4.0, 9.0]),
        (
            lambda: tf.map_fn(lambda p: p[0] + p[1], (x, x), fn_output_signature=tf.float32),
            [2.0, 4.0, 6.0],
        ),
        (
            lambda: tf.map_fn(lambda v: tf.cast(v, tf.int32), x, fn_output_signature=tf.int32),
            [1, 2, 3],
        ),
        (lambda: tf.scan(lambda a, v: a + v, x), [1.0, 3.0, 6.0]),
        (
            lambda: tf.scan(lambda a, v: a + v, x, initializer=10.0, reverse=True),
            [16.0, 15.0, 13.0],
        ),
        (lambda: tf.foldl(lambda a, v: a * 2.0 + v, x), 11.0),
        (lambda: tf.foldr(lambda a, v: a * 2.0 + v, x), 17.0),
    ]
    for fn, want in cases:
        assert fn().numpy().tolist() == want
        traced = tf.function(fn)
        assert [traced().numpy().tolist() for _ in range(4)] == [want] * 4


def test_gradient_of_map_fn_in_a_function() -> None:
    x = tf.constant([1.0, 2.0, 3.0])
    fn = tf.function(lambda x: tf.reduce_sum(tf.map_fn(lambda v: v**3, x)))
    for _ in range(4):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = fn(x)
        assert tape.gradient(y, x).numpy().tolist() == pytest.approx([3.0, 12.0, 27.0])


def test_map_fn_of_a_wrong_dtype_is_named() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="float32"):
        tf.map_fn(lambda v: tf.cast(v, tf.int64), tf.constant([1.0]))


def test_a_single_string_is_a_tensor_wherever_it_is_taken_from() -> None:
    words = tf.constant(["ab", "", "c"])
    taken = [
        tf.gather(words, 0),
        tf.Variable(words).sparse_read(0),
        tf.TensorArray(tf.string, 3).unstack(words).read(0),
        tf.TensorArray(tf.string, 3).scatter([0], ["ab"]).read(0),
        tf.TensorArray(tf.string, 3).split(tf.constant(["ab", "c"]), [1, 0, 1]).read(0)[0],
    ]
    for word in taken:
        assert word.shape == [] and tf.strings.length(word).numpy() == 2
    unwritten = tf.TensorArray(tf.string, 2, element_shape=[]).write(0, "a").stack()
    assert unwritten.numpy().tolist() == [b"a", b""]
    lengths = tf.map_fn(tf.strings.length, words, fn_output_signature=tf.int32)
    assert lengths.numpy().tolist() == [2, 0, 1]
    assert tf.foldl(lambda a, b: a + b, words).numpy() == b"abc"
    in_function = tf.function(lambda x, i: tf.strings.length(tf.gather(x, i)))
    assert in_function(words, tf.constant(2)).numpy() == 1


def test_an_element_that_was_read_is_gone_unless_it_is_to_stay() -> None:
    array = tf.TensorArray(tf.int32, 2).unstack([1, 2])
    assert array.read(0).numpy() == 1
    with pytest.raises(tf.errors.InvalidArgumentError, match="clear_after_read"):
        array.read(0)
    assert array.write(0, 5).read(0).numpy() == 5
    kept = tf.TensorArray(tf.int32, 2, clear_after_read=False).unstack([1, 2])
    assert [kept.read(0).numpy(), kept.read(0).numpy()] == [1, 1]
    zeroed = tf.TensorArray(tf.int32, 2, clear_after_read=True, element_shape=[]).unstack([1, 2])
    assert zeroed.read(0).numpy() == 1 and zeroed.stack().numpy().tolist() == [0, 2]


def test_a_write_that_is_marked_as_used_may_be_dropped() -> None:
    @tf.function
    def fn() -> Any:
        array = tf.TensorArray(tf.float32, size=2, element_shape=[])
        array.write(0, 3.0).mark_used()
        return array.write(1, 4.0).stack()

    assert fn().numpy().tolist() == [0.0, 4.0]
