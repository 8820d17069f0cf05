"""Finding the op and the line that first made a NaN or an infinity."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import runnel as tf
from runnel.core import eager


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
