"""Which variables a function knows without being passed them."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import pytest

import runnel as tf
from runnel.function.closure_variables import reaches

KNOWN = tf.Variable(1.0)
OTHER = tf.Variable(2.0)
HANDLES = {KNOWN.handle._id}
REGISTRY = {"models": [{"v": KNOWN}]}


class Model(tf.Module):
    def __init__(self, v: tf.Variable) -> None:
        super().__init__()
        self.layers = [v]

    def call(self, x: Any) -> Any:
        return x


def by_global(v: Any) -> Any:
    return KNOWN + v


def by_registry(v: Any) -> Any:
    return REGISTRY["models"][0]["v"] + v


def by_call(v: Any) -> Any:
    return by_global(v)


def by_inner_function(v: Any) -> Any:
    return [e + (lambda: KNOWN)() for e in [v]]


def not_at_all(v: Any) -> Any:
    return OTHER + v


def by_closure() -> Callable[..., Any]:
    model = Model(KNOWN)
    return lambda v: model.call(v)


@pytest.mark.parametrize(
    ("fn", "want"),
    [
        (by_global, True),
        (by_registry, True),
        (by_call, True),
        (by_inner_function, True),
        (by_closure(), True),
        (functools.partial(lambda v, w: v, w=KNOWN), True),
        (Model(KNOWN).call, True),
        (tf.function(by_global), True),
        (not_at_all, False),
        (Model(OTHER).call, False),
    ],
)
def test_a_function_reaches_what_its_code_may_get_at(fn: Callable[..., Any], want: bool) -> None:
    assert reaches(fn, None, HANDLES) is want


def test_a_method_reaches_what_its_object_holds() -> None:
    assert reaches(Model.call, Model(KNOWN), HANDLES)
    assert not reaches(Model.call, Model(OTHER), HANDLES)
