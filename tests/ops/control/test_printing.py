"""tf.print, against what TensorFlow 2.21 writes."""

from __future__ import annotations

import collections
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import runnel as tf

Point = collections.namedtuple("Point", "x y")
c = tf.constant

PRINTED: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
    ((), {}, "\n"),
    (("hello", "a\nb"), {}, "hello a\nb\n"),
    ((c("hi"),), {}, "hi\n"),
    (("a", c("hi")), {}, 'a "hi"\n'),
    (([c("hi")],), {}, '["hi"]\n'),
    (("x:", c(1), 3, 4.5, True, None), {}, "x: 1 3 4.5 True None\n"),
    (({"z": 1, "b": [c(2.0), "s"]}, (1, c(2))), {}, "{'b': [2, 's'], 'z': 1} (1, 2)\n"),
    ((Point(1, c(2)),), {}, "Point(x=1, y=2)\n"),
    ((collections.OrderedDict(b=c(1), a=2),), {}, f"{collections.OrderedDict(b=1, a=2)}\n"),
    (("{}", "a{}b", c(1)), {}, "{} a{}b 1\n"),
    ((1, c(2), 3), {"sep": ","}, "1,2,3\n"),
    ((c(1),), {"end": "<>"}, "1<>"),
    ((np.array([1.0, 2.0]),), {}, "array([1., 2.])\n"),
    ((tf.float32, tf.TensorShape([1, 2])), {}, "tf.float32 TensorShape([1, 2])\n"),
    ((c([True, False]),), {}, "[1 0]\n"),
    ((tf.range(10),), {}, "[0 1 2 ... 7 8 9]\n"),
    ((tf.range(10),), {"summarize": 1}, "[0 ... 9]\n"),
    ((tf.range(8),), {"summarize": -1}, "[0 1 2 3 4 5 6 7]\n"),
    ((c([[1, 2], [3, 4]]),), {}, "[[1 2]\n [3 4]]\n"),
    ((c(3.14159265), c(1 / 3, tf.float64)), {}, "3.14159274 0.33333333333333331\n"),
]


@pytest.mark.parametrize(("items", "options", "text"), PRINTED)
def test_the_text_is_tensorflows(
    items: tuple[Any, ...], options: dict[str, Any], text: str, tmp_path: Path
) -> None:
    tf.print(*items, output_stream=f"file://{tmp_path}/out", **options)
    assert (tmp_path / "out").read_text() == text


def test_long_structures_are_broken_into_lines(capsys: pytest.CaptureFixture[str]) -> None:
    tf.print([c(i) for i in range(40)], output_stream=sys.stdout)
    assert capsys.readouterr().out == "[" + ",\n ".join(map(str, range(40))) + "]\n"


def test_variables_are_printed_by_value(capsys: pytest.CaptureFixture[str]) -> None:
    tf.print(tf.Variable([1.0, 2.0]))
    assert capsys.readouterr() == ("", "[1 2]\n")


def test_a_file_is_appended_to(tmp_path: Path) -> None:
    for i in range(2):
        tf.print(i, output_stream=f"file://{tmp_path}/out")
    assert (tmp_path / "out").read_text() == "0\n1\n"


def test_a_function_prints_each_time_it_runs(capsys: pytest.CaptureFixture[str]) -> None:
    @tf.function
    def f(x: tf.Tensor) -> tf.Tensor:
        tf.print("x is", x)
        return x + 1

    f(c(1))
    f(c(2))
    assert capsys.readouterr().err == "x is 1\nx is 2\n"


@pytest.mark.parametrize("stream", ["nowhere", 3, None])
def test_other_streams_are_refused(stream: object) -> None:
    with pytest.raises(ValueError, match="writes to"):
        tf.print(1, output_stream=stream)


def test_unknown_arguments_are_refused() -> None:
    with pytest.raises(ValueError, match="foo"):
        tf.print(1, foo=2)
