"""Collections of garbage that wait while something large is made."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

import runnel as tf
from runnel.backend.collection import Pause


@pytest.fixture(autouse=True)
def left_as_it_was() -> Iterator[None]:
    assert gc.isenabled()
    yield
    assert gc.isenabled()


def test_the_last_to_end_switches_it_on() -> None:
    first, second = Pause(), Pause()
    first.end()
    assert not gc.isenabled()
    first.end()  # a second time, which counts for nothing
    assert not gc.isenabled()
    second.end()
    assert gc.isenabled()


def test_a_pause_that_nobody_ends_is_over_when_it_is_gone() -> None:
    pause = Pause()
    assert not gc.isenabled()
    del pause
    assert gc.isenabled()


def test_who_collects_nothing_is_left_alone() -> None:
    gc.disable()
    with Pause():
        pass
    assert not gc.isenabled()
    gc.enable()


def test_tracing_pauses_also_when_it_fails() -> None:
    seen = []

    @tf.function
    def fails(x: tf.Tensor) -> tf.Tensor:
        seen.append(gc.isenabled())
        raise ValueError("on purpose")

    with pytest.raises(ValueError, match="on purpose"):
        fails(tf.constant(1.0))
    assert seen == [False] and gc.isenabled()
