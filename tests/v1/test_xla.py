"""`tf.xla.experimental`, and attributes and decorators of functions."""

from __future__ import annotations

from typing import Any

import pytest

import runnel as tf


def test_what_is_compiled_comes_back_as_in_tensorflow() -> None:
    compile = tf.xla.experimental.compile
    x = tf.constant(1.0)
    assert [t.numpy() for t in compile(lambda x: x + 1, [x])] == [2.0]
    assert isinstance(compile(lambda x: (x, 3), [x]), list)
    assert isinstance(compile(lambda x: (x, {"a": x}), [x]), tuple)
    assert compile(lambda: {"a": x})["a"].numpy() == 1.0
    inside = tf.function(lambda: tf.xla.experimental.compile(lambda: x + 2)[0])
    assert inside().numpy() == 3.0
    with pytest.raises(TypeError, match="no tensors"):
        compile(lambda x: None, [x])
    with pytest.raises(TypeError, match="`inputs`"):
        compile(lambda x: x, x)


def test_a_scope_of_compiled_operations_belongs_into_a_graph() -> None:
    def scoped() -> Any:
        with tf.xla.experimental.jit_scope():
            return tf.constant(1) + 1

    assert tf.function(scoped)().numpy() == 2
    with pytest.raises(RuntimeError, match=r"inside a tf\.function"):
        scoped()


def test_a_function_has_the_attributes_of_an_object_that_it_calls() -> None:
    class Embedding:
        def __init__(self) -> None:
            self.table = tf.Variable([1.0])

        def __call__(self, x: Any) -> Any:
            return self.table * x

    module = Embedding()
    assert tf.function(module).table is module.table


def test_a_function_is_decorated_before_its_first_trace() -> None:
    fn = tf.function(lambda x: x)
    fn._decorate(lambda inner: lambda x: inner(x) * 2)
    assert fn(tf.constant(3)).numpy() == 6
    with pytest.raises(ValueError, match="before"):
        fn._decorate(lambda inner: inner)


def test_empty_lists_and_references() -> None:
    assert tf.tile(tf.constant(1.0), []).numpy() == 1.0  # an op's own dtype for integers
    first, second = sorted([tf.constant(1).ref(), tf.constant(2).ref()])
    assert first < second and second > first
