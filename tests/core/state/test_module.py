"""tf.Module: names, and the order in which variables are found."""

from __future__ import annotations

import pytest

import runnel as tf


class Inner(tf.Module):
    def __init__(self, name: str | None = None) -> None:
        super().__init__(name=name)
        self.w = tf.Variable(1.0, name="w")
        self.many = [tf.Variable(2.0), tf.Variable(3.0, trainable=False)]
        self.named = {"b": tf.Variable(4.0), "a": tf.Variable(5.0)}

    @tf.Module.with_name_scope
    def make(self) -> str:
        return tf.Variable(0.0, name="v").name


class OuterHTTPLayer2(tf.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = Inner("x")
        self.again = self.inner
        self.me = self
        self.z = tf.Variable(0.0)


def test_variables_are_found_in_alphabetical_order_submodules_last() -> None:
    assert [v.numpy() for v in Inner().variables] == [2.0, 3.0, 5.0, 4.0, 1.0]
    assert [v.numpy() for v in OuterHTTPLayer2().variables] == [0.0, 2.0, 3.0, 5.0, 4.0, 1.0]


def test_trainable_and_other_variables_are_told_apart() -> None:
    assert [v.numpy() for v in Inner().trainable_variables] == [2.0, 5.0, 4.0, 1.0]
    assert [v.numpy() for v in Inner().non_trainable_variables] == [3.0]


def test_each_submodule_is_found_once() -> None:
    assert [m.name for m in OuterHTTPLayer2().submodules] == ["x"]


def test_names_are_snake_case_identifiers() -> None:
    assert OuterHTTPLayer2().name == "outer_http_layer2"
    for name in ("a b", "1a", "a/b"):
        with pytest.raises(ValueError, match="identifier"):
            Inner(name)


def test_the_scope_is_that_of_the_place_where_the_module_was_made() -> None:
    with tf.name_scope("outside"):
        module = Inner("m")
    assert module.make() == "outside/m/v:0"


def test_keys_without_an_order_are_refused_by_name() -> None:
    module = tf.Module(name="mine")
    module.parts = {"a": tf.Variable(1.0), 3: tf.Variable(2.0)}
    with pytest.raises(ValueError, match="property 'parts' of 'mine'"):
        tuple(module.variables)
