"""Dispatch: handlers that are ours, and those asked for every function."""

from __future__ import annotations

import inspect
import traceback
from collections.abc import Iterator
from typing import Any

import pytest

import runnel as tf
from runnel.core.composite import dispatch

pytestmark = pytest.mark.smoke


class Symbol:
    """A value that no function knows."""


class Recorder(tf.__internal__.dispatch.GlobalOpDispatcher):
    """Writes down what was called with symbols."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def handle(self, op: Any, args: Any, kwargs: Any) -> Any:
        flat = tf.nest.flatten([args, kwargs])
        if not any(isinstance(item, Symbol) for item in flat):
            return self.NOT_SUPPORTED
        self.calls.append(op)
        return "handled"


@pytest.fixture
def recorder() -> Iterator[Recorder]:
    made = Recorder()
    made.register()
    yield made
    dispatch._global_dispatchers.remove(made)


def test_a_global_dispatcher_is_asked_for_every_function(recorder: Recorder) -> None:
    x = Symbol()
    functions = [
        lambda: tf.add(x, 1),
        lambda: tf.reshape(x, [1]),
        lambda: tf.concat([x, x], axis=0),
        lambda: tf.nn.conv2d(x, x, 1, "SAME"),
        lambda: tf.linalg.matmul(x, x),
        lambda: tf.cast(x, tf.int32),
    ]
    assert [function() for function in functions] == ["handled"] * len(functions)
    assert recorder.calls[0] is tf.add
    assert recorder.calls[2] is tf.concat


def test_a_global_dispatcher_does_not_hide_other_errors(recorder: Recorder) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.reshape([1, 2, 3], [2])
    assert recorder.calls == []


def test_a_function_keeps_its_signature_name_and_document() -> None:
    assert list(inspect.signature(tf.add).parameters) == ["x", "y", "name"]
    assert tf.add.__name__ == "add" and "broadcast" in (tf.add.__doc__ or "").lower()
    assert tf.reduce_sum.__defaults__ == (None, False, None)


def test_an_error_of_a_tensor_shows_the_line_of_the_function() -> None:
    try:
        tf.add(tf.constant([1, 2]), tf.constant([1, 2, 3]))
    except tf.errors.InvalidArgumentError as error:
        frames = traceback.extract_tb(error.__traceback__)
        assert error.__context__ is None or "during" not in str(error.__context__)
    assert any(frame.name == "add" and "def add" in (frame.line or "") for frame in frames)


def test_handlers_of_ragged_tensors_leave_tensors_alone() -> None:
    assert tf.add(1, 2).numpy() == 3
    assert tf.reduce_max([[1, 5], [2, 3]], axis=1).numpy().tolist() == [5, 3]


def test_every_elementwise_function_takes_ragged_tensors() -> None:
    for function in [*dispatch.unary_elementwise, *dispatch.binary_elementwise]:
        targets = dispatch._apis[function].targets
        assert any(not target.is_users for target in targets), function


def test_a_method_or_a_users_function_cannot_be_dispatched() -> None:
    for wrong in (len, Symbol, lambda x: x, tf.raw_ops.AddV2, "add"):
        with pytest.raises(ValueError, match="does not support dispatch"):
            tf.experimental.dispatch_for_api(wrong, {0: Symbol})


def test_a_users_handler_works_inside_a_function() -> None:
    class Box(tf.experimental.ExtensionType):
        content: tf.Tensor

    @tf.experimental.dispatch_for_api(tf.square, {"x": Box})
    def square(x: Any, name: Any = None) -> Any:
        return Box(tf.square(x.content))

    try:
        result = tf.function(lambda box: tf.square(box))(Box(3.0))
        assert result.content.numpy() == 9.0
        assert tf.square(2.0).numpy() == 4.0
    finally:
        tf.experimental.unregister_dispatch_for(square)
