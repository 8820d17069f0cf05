"""Devices with one thread each."""

import os
import threading

import jax
import numpy as np
import pytest

from runnel.core import lanes, xla


@pytest.fixture
def fresh_lanes():
    """No lane is known before the test, nor what it finds after it."""
    lanes._lanes.cache_clear()
    yield
    lanes._lanes.cache_clear()


def test_lanes_are_devices_of_their_own() -> None:
    first, second = lanes.lanes(2).places
    devices = {*first.device_set, *second.device_set, *jax.devices()}
    assert len({id(device.client) for device in devices}) == 2 + 1
    assert lanes.lanes(2).places == [first, second]


def test_a_program_reads_memory_that_is_not_copied() -> None:
    (place,) = lanes.lanes(1).places
    x = np.asarray(xla.jnp.arange(1 << 12, dtype=np.float32))
    assert jax.device_put(x, place).unsafe_buffer_pointer() == x.ctypes.data
    doubled = xla.compile(lambda x: x * 2, in_shardings=place)(x)
    np.testing.assert_array_equal(doubled, 2 * x)


def test_threads_make_one_lane(fresh_lanes: None) -> None:
    found: list = []
    threads = [threading.Thread(target=lambda: found.append(lanes.lanes(1))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 4 and all(one is found[0] for one in found)


@pytest.mark.parametrize("before", [None, "3"])
def test_the_environment_stays_as_it_was(
    before: str | None, fresh_lanes: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NPROC", raising=False)
    if before is not None:
        monkeypatch.setenv("NPROC", before)
    assert len(lanes.lanes(2).places) == 2
    assert os.environ.get("NPROC") == before


def test_a_jaxlib_without_them_has_no_lanes(
    fresh_lanes: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("jaxlib.xla_client.make_cpu_client")
    assert lanes.lanes(2) is None


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="cores cannot be chosen here")
def test_a_thread_is_at_home_only_for_a_while(fresh_lanes: None) -> None:
    mine = os.sched_getaffinity(0)
    found = lanes.lanes(len(mine))
    assert os.sched_getaffinity(0) == mine
    with found.at_home():
        assert os.sched_getaffinity(0) == {min(mine)}
    assert os.sched_getaffinity(0) == mine


@pytest.mark.skipif(not hasattr(os, "sched_getaffinity"), reason="cores cannot be chosen here")
def test_fewer_lanes_than_cores_go_where_they_like(
    fresh_lanes: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lanes, "cores", lambda: [0, 1, 2])
    mine = os.sched_getaffinity(0)
    with lanes.lanes(2).at_home():
        assert os.sched_getaffinity(0) == mine
