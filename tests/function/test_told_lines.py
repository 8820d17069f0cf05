"""Errors while a function is traced tell the user's line in their message, once."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from typing import Any

import pytest

import runnel as tf


def product(x: Any) -> Any:
    return tf.matmul(x, tf.ones([3, 3]))  # the line


class Odd(Exception):
    def __init__(self, number: int) -> None:
        super().__init__(number)


def odd(x: Any) -> Any:
    raise Odd(3)  # the line


def missing(x: Any) -> Any:
    return {}["missing"]  # the line


@tf.function
def branching(x: Any) -> Any:
    if tf.reduce_sum(x) > 0:
        raise RuntimeError("no")  # the line
    return x


X = tf.ones([2, 2])
TOLD: dict[str, tuple[Callable[[], Any], type[Exception], str]] = {
    "function": (lambda: tf.function(product)(X), ValueError, "product"),
    "unconverted": (lambda: tf.function(product, autograph=False)(X), ValueError, "product"),
    "nested": (lambda: tf.function(tf.function(product))(X), ValueError, "product"),
    "branch": (lambda: branching(X), RuntimeError, "branching"),
    "map": (
        lambda: tf.data.Dataset.from_tensors(X).map(lambda x: product(x)),
        ValueError,
        "product",
    ),
}


@pytest.mark.parametrize("name", TOLD)
def test_the_message_has_the_line_once(name: str) -> None:
    call, kind, function = TOLD[name]
    with pytest.raises(kind) as caught:
        call()
    message = str(caught.value)
    assert message.count(f'File "{__file__}", line') == message.count("# the line") == 1
    assert message.split("\n")[-2].endswith(f", in {function}")


def test_a_key_stays_as_it_is() -> None:
    with pytest.raises(KeyError) as caught:
        tf.function(missing)(X)
    assert caught.value.args == ("missing",)
    assert str(caught.value).startswith("'missing'\n  File") and "# the line" in str(caught.value)


def test_what_is_no_text_stays_as_it_is_and_gets_a_note() -> None:
    with pytest.raises(Odd) as caught:
        tf.function(odd)(X)
    assert caught.value.args == (3,) and str(caught.value) == "3"
    assert "# the line" in "".join(traceback.format_exception_only(caught.value))


def test_eager_errors_are_as_they_were() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        product(X)
    assert "File" not in str(caught.value)
