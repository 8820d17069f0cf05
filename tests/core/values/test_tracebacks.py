import traceback

import pytest

import runnel as tf


@pytest.fixture(params=[True, False])
def filtering(request):
    switch = tf.debugging.enable_traceback_filtering, tf.debugging.disable_traceback_filtering
    switch[not request.param]()
    yield request.param
    tf.debugging.enable_traceback_filtering()


def raised_by(function):
    with pytest.raises((tf.errors.InvalidArgumentError, ValueError)) as found:
        function()
    return found.value


def names(error):
    return [frame.name for frame in traceback.extract_tb(error.__traceback__)]


def test_an_error_of_an_op_shows_neither_its_kernel_nor_numpys_error(filtering):
    error = raised_by(lambda: tf.matmul(tf.ones([2, 3]), tf.ones([2, 3])))
    assert ("_check_inner" in names(error)) is not filtering
    assert (error.__cause__ is None) is filtering
    assert ("most recent call last" in "".join(traceback.format_exception(error))) is True
    assert ("direct cause" in "".join(traceback.format_exception(error))) is not filtering


def test_an_error_in_a_function_shows_the_lines_of_the_user(filtering):
    @tf.function
    def outer(x):
        return inner(x)

    def inner(x):
        return tf.reshape(x, [7])

    found = names(raised_by(lambda: outer(tf.ones([3]))))
    assert [name for name in found if name in ("outer", "inner")] == ["outer", "inner"]
    assert ("_new_trace" in found) is not filtering


def test_the_error_of_a_users_function_stays_the_cause(filtering):
    def fail(x):
        raise ValueError("mine")

    error = raised_by(lambda: tf.py_function(fail, [1.0], tf.float32))
    assert isinstance(error.__cause__, ValueError)
    assert "fail" in names(error.__cause__)
