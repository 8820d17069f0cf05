"""What `tf.autograph.experimental.Feature` changes besides the names of operations."""

from __future__ import annotations

import contextlib
import sys
from typing import Any

import numpy as np
import pytest

import runnel as tf

Feature = tf.autograph.experimental.Feature


def _printing(program: Any, capsys: Any, features: Any = Feature.BUILTIN_FUNCTIONS) -> list[str]:
    fn = tf.function(program, experimental_autograph_options=features)
    for _ in range(3):
        fn(tf.constant([1.5, 2.0]))
    return capsys.readouterr().out.splitlines()


def test_print_shows_the_values_of_tensors_at_each_run(capsys: Any) -> None:
    def program(x: Any) -> None:
        print("a", x, 1, tf.constant("text"), sep="-", end="!\n", file=sys.stdout)

    assert _printing(program, capsys) == ["a-[1.5 2. ]-1-text!"] * 3
    assert _printing(program, capsys, Feature.ALL) == ["a-[1.5 2. ]-1-text!"] * 3


def test_print_in_loops_and_branches_is_part_of_them(capsys: Any) -> None:
    def program(x: Any) -> None:
        for i in tf.range(2):
            if i > 0:
                print("i", i)

    assert _printing(program, capsys) == ["i 1"] * 3


def test_print_shows_symbolic_tensors_once_without_the_feature(capsys: Any) -> None:
    def program(x: Any) -> None:
        print("a", x)

    assert _printing(program, capsys, None) == ['a Tensor("x:0", shape=(2,), dtype=float32)']


def test_print_without_tensors_is_pythons(capsys: Any) -> None:
    def program(x: Any) -> None:
        print("a", 1)
        print()

    assert _printing(program, capsys) == ["a 1", ""]


def test_scopes_change_no_value_and_no_gradient() -> None:
    def cube(x: Any) -> Any:
        return x**3

    def program(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = cube(x)
        return y, tape.gradient(y, x)

    fn = tf.function(program, experimental_autograph_options=Feature.ALL)
    for _ in range(4):
        np.testing.assert_allclose(fn(tf.constant(2.0)), [8.0, 12.0])


def test_scopes_are_left_when_a_function_raises() -> None:
    def wrong(x: Any) -> Any:
        raise KeyError("wrong")

    def program(x: Any) -> Any:
        with contextlib.suppress(KeyError):
            wrong(x)
        return x + 1

    fn = tf.function(program, experimental_autograph_options=Feature.NAME_SCOPES)
    graph = fn.get_concrete_function(tf.TensorSpec([])).graph
    assert "program/add" in [operation.name for operation in graph.get_operations()]


def test_features_are_of_their_kind() -> None:
    with pytest.raises(TypeError, match=r"must be of tf.autograph.experimental.Feature"):
        tf.function(lambda x: x, experimental_autograph_options="NAME_SCOPES")
    with pytest.raises(TypeError, match=r"must be of tf.autograph.experimental.Feature"):
        tf.autograph.to_graph(lambda x: x, experimental_optional_features=[3])
