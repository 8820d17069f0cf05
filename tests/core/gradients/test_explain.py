"""`tape.explain`: every way in which a gradient comes to be None, and the line that it names."""

from __future__ import annotations

import sys

import numpy as np
import pytest

import runnel as tf


def here() -> str:
    """The caller's next line, as explanations name it."""
    frame = sys._getframe(1)
    return f"{frame.f_code.co_filename}:{frame.f_lineno + 1}"


def test_a_gradient_that_exists_is_explained_by_its_path() -> None:
    v = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v * 2.0)
    found = tape.explain(y, v)
    assert found.connected
    assert str(found) == "There is a gradient: Sum <- Mul <- ReadVariableOp."


def test_explaining_does_not_use_up_the_tape() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.explain(y, x)
    assert tape.gradient(y, x).numpy() == 6.0


def test_a_tape_that_was_used_up_says_so() -> None:
    v = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = v * v
    tape.gradient(y, v)
    with pytest.raises(RuntimeError, match="before `gradient`"):
        tape.explain(y, v)


def test_a_tensor_that_is_not_watched() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    found = tape.explain(y, x)
    assert not found.connected
    assert "call tape.watch(source)" in str(found)
    assert repr(found).startswith("<No gradient: ") and len(repr(found)) < 160
    assert "<b " in found._repr_html_() and "call tape.watch(source)" in found._repr_html_()


def test_a_variable_that_is_not_trainable() -> None:
    v = tf.Variable(3.0, trainable=False)
    with tf.GradientTape() as tape:
        y = v * v
    assert "not trainable" in str(tape.explain(y, v))


def test_a_tape_that_does_not_watch_variables() -> None:
    v = tf.Variable(3.0)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        y = v * v
    assert "watch_accessed_variables=False" in str(tape.explain(y, v))


def test_a_variable_that_was_not_read() -> None:
    v, w = tf.Variable(3.0, name="v"), tf.Variable(4.0, name="w")
    with tf.GradientTape() as tape:
        y = v * v
    assert "was not read inside" in str(tape.explain(y, w))


def test_a_variable_that_was_replaced() -> None:
    old, new = tf.Variable(3.0, name="kernel"), tf.Variable(4.0, name="kernel")
    with tf.GradientTape() as tape:
        y = new * new
    assert "replaced by a new one" in str(tape.explain(y, old))


def test_a_variable_that_was_rebound() -> None:
    w, b = tf.Variable(3.0), tf.Variable(1.0)
    w = w - 0.1
    with tf.GradientTape() as tape:
        y = w * w + b
    assert "assign_sub" in str(tape.explain(y, w))


def test_an_integer_source() -> None:
    x = tf.constant(3)
    with tf.GradientTape() as tape:
        y = x * x
    assert "the source is of dtype int32" in str(tape.explain(y, x))


def test_an_integer_target_names_the_line() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        line = here()
        y = tf.cast(x, tf.int32)
    found = tape.explain(y, x)
    assert "the target is of dtype int32" in found.reason
    assert found.where == line


def test_an_integer_on_the_way_names_the_line() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        line = here()
        i = tf.cast(x, tf.int32)
        y = tf.cast(i + 1, tf.float32) * 2.0
    found = tape.explain(y, x)
    assert "Cast gives a tensor of dtype int32" in found.reason
    assert found.where == line


def test_an_argmax_names_the_line() -> None:
    x = tf.constant([3.0, 1.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        line = here()
        best = tf.argmax(x)
        y = tf.cast(best, tf.float32)
    found = tape.explain(y, x)
    assert "ArgMax gives a tensor of dtype int64" in found.reason
    assert found.where == line


def test_stop_gradient_names_the_line() -> None:
    v, w = tf.Variable(3.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        line = here()
        fixed = tf.stop_gradient(v * v)
        y = fixed * w
    found = tape.explain(y, v)
    assert "tf.stop_gradient ends the path" in found.reason
    assert found.where == line


def test_a_numpy_detour_names_the_line() -> None:
    x = tf.constant([3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        line = here()
        array = np.square(x.numpy())
        y = tf.constant(array) * 2.0
    found = tape.explain(y, x)
    assert "NumPy array" in found.reason
    assert found.where == line


def test_a_numpy_function_on_a_tensor_names_the_line() -> None:
    x = tf.constant([3.0, 4.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        line = here()
        y = tf.constant(np.square(x))
    found = tape.explain(y, x)
    assert "NumPy array" in found.reason
    assert found.where == line


def test_a_value_kept_in_a_variable_names_the_line() -> None:
    x, v = tf.constant(3.0), tf.Variable(0.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        line = here()
        v.assign(x * x)
        y = v * 2.0
    found = tape.explain(y, x)
    assert "keeps a value in a state" in found.reason
    assert found.where == line


def test_a_target_computed_after_the_tape() -> None:
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    z = y * y
    assert "after the tape's `with` block" in str(tape.explain(z, x))


def test_a_target_computed_before_the_tape() -> None:
    v = tf.Variable(3.0)
    y = v * v
    with tf.GradientTape() as tape:
        tape.watch(v)
    assert "before the tape's `with` block" in str(tape.explain(y, v))


def test_a_target_computed_while_recording_was_stopped() -> None:
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        tape.watch(v)
        with tape.stop_recording():
            y = v * v
        z = y * 2.0
    assert "while the recording was stopped" in str(tape.explain(z, v))


def test_a_target_that_depends_on_something_else() -> None:
    v, w = tf.Variable(3.0), tf.Variable(4.0)
    with tf.GradientTape() as tape:
        _ = v * 2.0
        y = w * w
    assert "but not on this source" in str(tape.explain(y, v))


def test_an_op_whose_gradient_is_none() -> None:
    x = tf.constant([1.5, 2.5])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.floor(x) * 2.0
    found = tape.explain(y, x)
    assert not found.connected
    assert "Floor" in found.reason


def test_several_sources_are_explained_one_by_one() -> None:
    v, w = tf.Variable(3.0, name="v"), tf.Variable(4.0, name="w")
    with tf.GradientTape() as tape:
        y = v * v
    report = str(tape.explain(y, [v, w]))
    assert "source 0 (variable 'v:0' of shape ()): There is a gradient" in report
    assert "source 1 (variable 'w:0' of shape ()): No gradient" in report


def test_cuts_are_remembered_up_to_a_limit() -> None:
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        for _ in range(2000):
            v > 0.0  # noqa: B015
        y = tf.cast(tf.cast(v, tf.int32), tf.float32)
    assert len(tape._recorder.cuts) == 1000
    assert not tape.explain(y, v).connected


def test_python_functions_name_the_line() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        numpy = here()
        y = tf.numpy_function(lambda z: z * 2, [x], tf.float32)
    found = tape.explain(y, x)
    assert found.where == numpy
    assert "tf.numpy_function ends the path" in str(found)


def test_the_numpy_detour_before_the_target_is_the_one_named() -> None:
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        first = float(x)
        line = here()
        y = tf.constant(float(x) + first)
        z = float(x)
    assert tape.explain(y, x).where == line and z == 2.0


def test_a_function_on_the_way_is_named() -> None:
    v = tf.Variable(1.0)

    @tf.function
    def frozen(x):
        return tf.stop_gradient(v) * x

    with tf.GradientTape() as tape:
        y = frozen(tf.constant(2.0))
    assert "the source: frozen. A tape inside" in str(tape.explain(y, v))


def test_an_op_without_a_gradient_is_told_with_the_way_out() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.truncatemod(x, 2.0)
    told = tape.explain(y, x)
    assert not told.connected and 'tf.RegisterGradient("TruncateMod")' in told.reason


def test_a_whole_number_has_a_gradient_by_itself_alone() -> None:
    x = tf.constant(3)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
    assert tape.explain(x, x).connected and tape.gradient(x, x).numpy() == 1
    assert not tape.explain(y, x).connected and tape.gradient(y, x) is None
