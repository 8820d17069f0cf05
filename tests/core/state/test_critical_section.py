"""`tf.CriticalSection`."""

from __future__ import annotations

import threading

import pytest

import runnel as tf


def test_two_sections_cannot_both_have_a_resource_for_themselves() -> None:
    v, first, second = tf.Variable(0.0), tf.CriticalSection(), tf.CriticalSection()

    @tf.function
    def both(exclusive: bool) -> tf.Tensor:
        first.execute(lambda: v.assign_add(1.0), exclusive_resource_access=exclusive)
        return second.execute(lambda: v.assign_add(1.0), exclusive_resource_access=False)

    with pytest.raises(ValueError, match="exclusive_resource_access=False"):
        both(True)
    assert both(False).numpy() == 2.0


def test_one_section_may_use_a_resource_twice() -> None:
    v, section = tf.Variable(0.0), tf.CriticalSection()

    @tf.function
    def twice() -> tf.Tensor:
        section.execute(lambda: v.assign_add(1.0))
        return section.execute(lambda: v.assign_add(1.0))

    assert twice().numpy() == 2.0


def test_functions_of_a_section_never_overlap() -> None:
    v, section = tf.Variable(0), tf.CriticalSection()

    def work() -> None:
        for _ in range(100):
            section.execute(lambda: v.assign(v + 1))

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert v.numpy() == 300
