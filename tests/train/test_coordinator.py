"""tf.train.Coordinator."""

from __future__ import annotations

import threading

import pytest

import runnel as tf


def test_the_error_of_a_thread_stops_the_others_and_is_raised_by_join() -> None:
    coordinator = tf.train.Coordinator()

    def fail() -> None:
        with coordinator.stop_on_exception():
            raise KeyError("gone")

    def wait() -> None:
        coordinator.wait_for_stop()

    threads = [threading.Thread(target=work) for work in (wait, fail)]
    for thread in threads:
        thread.start()
    with pytest.raises(KeyError, match="gone"):
        coordinator.join(threads)
    assert coordinator.joined and coordinator.should_stop()
    coordinator.clear_stop()
    assert not coordinator.should_stop()


def test_the_end_of_the_data_is_a_clean_stop() -> None:
    coordinator = tf.train.Coordinator()
    with coordinator.stop_on_exception():
        raise tf.errors.OutOfRangeError(None, None, "end")
    coordinator.join([])
    coordinator.raise_requested_exception()
    assert coordinator.should_stop()


def test_a_thread_that_does_not_stop_is_complained_of() -> None:
    coordinator, hold = tf.train.Coordinator(), threading.Event()
    thread = threading.Thread(target=hold.wait, name="stubborn")
    thread.start()
    coordinator.register_thread(thread)
    coordinator.request_stop()
    with pytest.raises(RuntimeError, match="stubborn"):
        coordinator.join(stop_grace_period_secs=0.01)
    hold.set()
    thread.join()
