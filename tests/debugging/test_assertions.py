"""What a failed assertion says, and assertions inside functions."""

from __future__ import annotations

from typing import Any

import pytest

import runnel as tf

Error = tf.errors.InvalidArgumentError


def test_the_message_shows_where_and_what() -> None:
    with pytest.raises(Error) as caught:
        tf.debugging.assert_equal([1, 2, 5], [1, 3, 4], message="sizes differ", summarize=1)
    assert str(caught.value) == (
        "sizes differ\n"
        "Condition x == y did not hold.\n"
        "It fails in 2 of 3 elements, first at:\n"
        "  [1]: x = 2, y = 3\n"
        "x (shape=(3,) dtype=int32) = [1 ...]\n"
        "y (shape=(3,) dtype=int32) = [1 ...]"
    )


def test_the_data_of_assert_is_cut_to_summarize() -> None:
    with pytest.raises(Error, match=r"'False' to be true. Data: \[x is\] \[1 2\.\.\.\]"):
        tf.Assert(False, ["x is", tf.constant([1, 2, 3, 4, 5])], summarize=2)


@tf.function
def _root(x: tf.Tensor) -> tf.Tensor:
    tf.debugging.assert_positive(x, message="no root")
    return tf.sqrt(x)


def test_an_assertion_in_a_function_fails_when_it_runs() -> None:
    assert _root(tf.constant(4.0)).numpy() == 2.0
    with pytest.raises(Error, match="no root"):
        _root(tf.constant(-4.0))


def test_what_is_known_to_be_false_fails_while_tracing() -> None:
    with tf.Graph().as_default(), pytest.raises(Error, match="x == y"):
        tf.debugging.assert_equal(tf.constant(1), tf.constant(2))


def test_unknown_sizes_are_compared_when_the_function_runs() -> None:
    spec = tf.TensorSpec([None, 2])

    @tf.function(input_signature=[spec, tf.TensorSpec([None])])
    def f(x: tf.Tensor, y: tf.Tensor) -> tf.Tensor:
        tf.debugging.assert_shapes([(x, ("N", 2)), (y, ("N",))])
        return tf.reduce_sum(x) + tf.reduce_sum(y)

    assert f(tf.ones([3, 2]), tf.ones([3])).numpy() == 9.0
    with pytest.raises(Error):
        f(tf.ones([3, 2]), tf.ones([4]))


def test_placement_is_logged_while_that_is_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    tf.debugging.set_log_device_placement(True)
    try:
        tf.constant(1.0) + 1.0
    finally:
        tf.debugging.set_log_device_placement(False)
    tf.constant(1.0) + 1.0
    line = "Executing op AddV2 in device /job:localhost/replica:0/task:0/device:CPU:0\n"
    assert capsys.readouterr().err == line


def test_the_rank_that_is_asserted_may_be_known_at_run_time_only() -> None:
    @tf.function(input_signature=[tf.TensorSpec(None), tf.TensorSpec([], tf.int32)])
    def f(x: Any, rank: Any) -> Any:
        tf.debugging.assert_rank(x, rank)
        tf.debugging.assert_rank_at_least(tf.ones([2, 2]), rank)
        tf.debugging.assert_rank_in(tf.ones([2, 2]), [rank, 7])
        tf.debugging.assert_rank_in(x, [rank, 7])
        return tf.size(x)

    assert f(tf.ones([3, 2]), tf.constant(2)).numpy() == 6
    for x, rank in ((tf.ones([3]), 2), (tf.ones([3]), 1), (tf.ones([1, 1, 1]), 3)):
        with pytest.raises(tf.errors.InvalidArgumentError, match="must have"):
            f(x, tf.constant(rank))
