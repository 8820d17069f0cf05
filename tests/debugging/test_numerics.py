"""Finding the op and the line that first made a NaN or an infinity."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest

import runnel as tf
from runnel.core.op import eager
from tests.golden.cases import assert_answer, cases, recorded


@pytest.fixture
def checking() -> Iterator[None]:
    tf.debugging.enable_check_numerics()
    yield
    tf.debugging.disable_check_numerics()


@pytest.mark.usefixtures("checking")
def test_the_report_names_op_line_and_inputs() -> None:
    x = tf.constant([-1.0, 1.0])
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        tf.sqrt(x)  # the culprit
    message = str(caught.value)
    assert 'output 0 of eagerly-executing op "Sqrt"' in message
    assert "1 NaN among 2 elements" in message
    assert message.splitlines()[-1].endswith("tf.sqrt(x)  # the culprit [Op:Sqrt]")


@pytest.mark.usefixtures("checking")
@pytest.mark.parametrize(
    "wrong",
    [
        lambda: tf.constant(1.0) / tf.constant(0.0),
        lambda: tf.cast(tf.constant(1e300, tf.float64), tf.float32),
        lambda: tf.add(np.float32("nan"), 1.0),
    ],
)
def test_every_op_that_computes_is_checked(wrong: object) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="Detected Infinity or NaN"):
        wrong()  # type: ignore[operator]


@pytest.mark.usefixtures("checking")
def test_ops_that_move_numbers_are_not_blamed() -> None:
    x = tf.constant(np.float32("nan"))
    assert np.isnan(tf.reshape(tf.identity(x), [1]).numpy())


_GATHERING = {
    "gather": lambda x: tf.gather(x, [0]),
    "gather_nd": lambda x: tf.gather_nd(x, [[0]]),
    "stack": lambda x: tf.stack([x, x]),
    "split": lambda x: tf.split(x, 2)[0],
    "tile": lambda x: tf.tile(x, [2]),
    "pad": lambda x: tf.pad(x, [[0, 1]]),
    "reverse": lambda x: tf.reverse(x, [0]),
    "boolean_mask": lambda x: tf.boolean_mask(x, [True, False]),
    "diag": tf.linalg.diag,
}
_NOT_LOOKED_AT = {
    "maximum": lambda x: tf.maximum(x, 0.0),
    "minimum": lambda x: tf.minimum(x, 0.0),
    "clip_by_value": lambda x: tf.clip_by_value(x, 0.0, 1.0),
    "concat": lambda x: tf.concat([x, x], 0),
    "unstack": tf.unstack,
    "fill": lambda x: tf.fill([2], x[0]),
}


@pytest.mark.usefixtures("checking")
@pytest.mark.parametrize("name", _GATHERING)
def test_nan_in_what_was_gathered_or_repeated_is_found_as_in_tensorflow(name: str) -> None:
    x, fn = tf.constant([float("nan"), 1.0]), tf.function(_GATHERING[name])
    for call in (_GATHERING[name], fn, fn, fn):
        with pytest.raises(tf.errors.InvalidArgumentError, match="Detected Infinity or NaN"):
            call(x)


@pytest.mark.usefixtures("checking")
@pytest.mark.parametrize("name", _NOT_LOOKED_AT)
def test_tensorflow_does_not_look_at_the_outputs_of_some_ops(name: str) -> None:
    assert np.isnan(_NOT_LOOKED_AT[name](tf.constant([float("nan"), 1.0]))).any()


def test_nothing_is_left_when_checking_ends() -> None:
    plain = eager.run
    tf.debugging.enable_check_numerics()
    tf.debugging.enable_check_numerics(stack_height_limit=1)
    tf.debugging.disable_check_numerics()
    assert eager.run is plain
    assert np.isinf((tf.constant(1.0) / 0.0).numpy())


def test_the_stack_is_as_high_as_asked_for() -> None:
    tf.debugging.enable_check_numerics(stack_height_limit=2, path_length_limit=10)
    try:
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            tf.sqrt(-1.0)
    finally:
        tf.debugging.disable_check_numerics()
        tf.debugging.enable_check_numerics()
        tf.debugging.disable_check_numerics()
    stack = str(caught.value).split("innermost last):\n")[1].splitlines()
    assert len(stack) == 2 and stack[-1].startswith("    ...umerics.py:")


def halves(x: tf.Tensor) -> tf.Tensor:
    y = x - 1.0
    return tf.math.log(y) * 2.0  # the culprit


@pytest.mark.usefixtures("checking")
@pytest.mark.parametrize("compiled", [True, False])
def test_a_function_names_op_line_and_inputs(compiled: bool) -> None:
    fn = tf.function(halves, jit_compile=compiled)
    assert float(fn(tf.constant(2.0))) == 0.0
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        fn(tf.constant(1.0))
    message = str(caught.value)
    assert 'output 0 of graph op "Log"' in message
    assert "1 -Inf among 1 elements" in message
    assert "input 0 (sub:0): 0." in message
    assert "in halves" in message and "# the culprit" in message


@pytest.mark.usefixtures("checking")
def test_a_compiled_loop_and_its_variables_stay_as_they_were() -> None:
    v = tf.Variable(1.0)

    @tf.function(jit_compile=True)
    def fn(x: tf.Tensor) -> tf.Tensor:
        for _ in tf.range(5):
            x = x * 1e10  # the culprit
            v.assign_add(1.0)
        return x

    fn(tf.constant(0.0))
    assert float(v) == 6.0
    with pytest.raises(tf.errors.InvalidArgumentError, match='graph op "Mul"') as caught:
        fn(tf.constant(1.0))
    assert "# the culprit" in str(caught.value)
    assert float(v) == 9.0  # three more iterations were well


@pytest.mark.usefixtures("checking")
def test_a_gradient_names_the_line_of_the_op_it_belongs_to() -> None:
    def root(x: tf.Tensor) -> tf.Tensor:
        return tf.sqrt(x)  # the culprit

    x = tf.constant(0.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.function(root)(x)
    with pytest.raises(tf.errors.InvalidArgumentError, match="SqrtGrad") as caught:
        tape.gradient(y, x)
    assert "# the culprit" in str(caught.value)


@pytest.mark.parametrize("compiled", [True, False])
def test_a_function_that_was_traced_meanwhile_is_checked_in_all_later_calls(compiled: bool) -> None:
    fn, later = [tf.function(halves, jit_compile=compiled) for _ in range(2)]
    tf.debugging.enable_check_numerics()
    try:
        fn(tf.constant(2.0))
    finally:
        tf.debugging.disable_check_numerics()
    for _ in range(5):
        with pytest.raises(tf.errors.InvalidArgumentError, match='graph op "Log"') as caught:
            fn(tf.constant(1.0))
        assert "# the culprit" in str(caught.value)
    assert float(later(tf.constant(1.0))) == -np.inf


@pytest.mark.parametrize("name", cases("numerics"))
def test_what_is_found_and_who_is_blamed_is_as_in_tensorflow(name: str) -> None:
    assert_answer(cases("numerics")[name], tf, recorded("numerics")[name], warnings=False)


@pytest.mark.usefixtures("checking")
def test_other_threads_are_left_alone() -> None:
    found = []
    thread = threading.Thread(target=lambda: found.append(float(tf.math.log(0.0))))
    thread.start()
    thread.join()
    assert found == [-np.inf]


@pytest.mark.usefixtures("checking")
def test_gradients_of_a_function_are_checked_only_while_checking_is_on() -> None:
    x, fn = tf.constant(0.0), tf.function(tf.sqrt)

    def slope() -> tf.Tensor:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = fn(x)
        return tape.gradient(y, x)

    for _ in range(4):
        with pytest.raises(tf.errors.InvalidArgumentError, match="SqrtGrad"):
            slope()
    tf.debugging.disable_check_numerics()
    assert np.isinf(slope())


@pytest.mark.usefixtures("checking")
def test_the_line_of_a_constant_is_named_in_every_call() -> None:
    @tf.function
    def fn(x: tf.Tensor) -> tf.Tensor:
        return tf.where(x > 0.0, x, np.inf)  # the culprit

    for _ in range(5):
        with pytest.raises(tf.errors.InvalidArgumentError, match='graph op "Const"') as caught:
            fn(tf.constant([1.0]))
        assert "# the culprit" in str(caught.value)


@pytest.mark.usefixtures("checking")
def test_a_gathered_row_of_a_variable_is_reported_with_its_inputs() -> None:
    v = tf.Variable([np.nan, 1.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="ResourceGather") as caught:
        tf.gather(v, [0])
    assert "input 1: tf.Tensor([0]" in str(caught.value)


@pytest.mark.parametrize("limit", [None, 0, 5])
def test_the_length_of_paths_may_be_anything(limit: int | None) -> None:
    tf.debugging.enable_check_numerics(stack_height_limit=None, path_length_limit=limit)
    tf.debugging.enable_check_numerics(path_length_limit=1)  # does nothing: it is on already
    try:
        with pytest.raises(tf.errors.InvalidArgumentError) as caught:
            tf.sqrt(-1.0)
    finally:
        tf.debugging.disable_check_numerics()
    line = str(caught.value).splitlines()[-1].strip()
    path = __file__ if limit is None else "..." + __file__[len(__file__) - limit :]
    assert line.startswith(f"{path}:")


def test_of_a_function_that_was_traced_before_the_report_says_how_to_see_the_op(
    request: pytest.FixtureRequest,
) -> None:
    fn = tf.function(lambda x: tf.math.log(x - 1.0))
    fn(tf.constant(2.0))
    request.getfixturevalue("checking")
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"call clear_cache\(\)"):
        fn(tf.constant(1.0))
    fn.clear_cache()
    with pytest.raises(tf.errors.InvalidArgumentError, match='graph op "Log"'):
        fn(tf.constant(1.0))


def test_switching_on_and_off_makes_no_gradients_again() -> None:
    fn = tf.function(lambda x: x * x)
    x = tf.constant(3.0)
    kept = []
    for _ in range(3):
        tf.debugging.enable_check_numerics()
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = fn(x)
        assert float(tape.gradient(y, x)) == 6.0
        tf.debugging.disable_check_numerics()
        kept.append(len(fn.get_concrete_function(x)._function._forward._backward))
    assert kept[0] == kept[1] == kept[2]
