"""Devices: what is listed, what `tf.device` does, and what cannot be changed any more."""

from __future__ import annotations

import sys

import pytest

import runnel as tf
from runnel.backend import configuration
from runnel.core.op import eager
from runnel.core.settings.device import Devices
from tests import children

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"
PART = tf.config.LogicalDeviceConfiguration()


def test_the_cpu_is_one_physical_and_one_logical_device() -> None:
    (physical,) = tf.config.list_physical_devices("CPU")
    assert physical == tf.config.PhysicalDevice("/physical_device:CPU:0", "CPU")
    assert tf.config.list_logical_devices("CPU") == [
        tf.config.LogicalDevice("/device:CPU:0", "CPU")
    ]


def test_a_type_is_compared_as_it_is_written() -> None:
    assert tf.config.list_physical_devices("cpu") == []


@pytest.mark.parametrize(
    "name", ["CPU:0", "/cpu:0", "/device:CPU:0", "cpu", CPU, "", None, "/job:localhost", "/GPU:0"]
)
def test_ops_run_on_the_cpu_under_every_name_while_placement_is_soft(name: str | None) -> None:
    with tf.device(name):
        assert (tf.constant(1.0) + 1.0).device == CPU


def test_a_spec_names_a_device_too() -> None:
    with tf.device(tf.DeviceSpec(device_type="CPU", device_index=0)):
        assert (tf.constant(1.0) + 1.0).device == CPU


@pytest.mark.parametrize("name", ["foo", "CPU:0/foo", "/cpu:x", 3])
def test_what_is_no_name_of_a_device_is_a_value_error(name: object) -> None:
    with pytest.raises(ValueError), tf.device(name):
        pass


def test_functions_do_not_name_devices() -> None:
    with pytest.raises(RuntimeError, match="functions"), tf.device(lambda op: "/CPU:0"):
        pass


def test_another_job_is_unknown() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="unknown"), tf.device("/job:worker"):
        pass


def test_hard_placement_fails_when_an_op_runs_and_not_before() -> None:
    tf.config.set_soft_device_placement(False)
    try:
        with tf.device("GPU:7"):
            x = tf.constant(1.0)
            with pytest.raises(tf.errors.InvalidArgumentError, match="no device '/device:GPU:7'"):
                x + 1.0
    finally:
        tf.config.set_soft_device_placement(True)


def test_contexts_leave_nothing_behind() -> None:
    tf.constant(1.0) + 1.0
    plain = eager.run
    with pytest.raises(KeyError), tf.device("GPU:0"):
        assert eager.run is not plain
        raise KeyError
    assert eager.run is plain


def test_inner_contexts_add_to_outer_ones() -> None:
    with tf.Graph().as_default(), tf.device("/job:w"), tf.device("/gpu:1"):
        assert tf.constant(1.0).op.device == "/job:w/device:GPU:1"
        with tf.device(None):
            assert tf.constant(1.0).op.device == ""


@pytest.fixture
def fresh(monkeypatch: pytest.MonkeyPatch) -> Devices:
    monkeypatch.setattr(configuration, "initialized", False)
    monkeypatch.setattr(configuration, "clients_started", lambda: False)
    monkeypatch.setattr(configuration, "cpu_devices", 1)
    return Devices()


def test_the_cpu_can_be_split_before_the_first_op(fresh: Devices) -> None:
    (cpu,) = fresh.physical("CPU")
    assert fresh.split(cpu) is None
    fresh.set_split(cpu, [PART, PART])
    assert [d.name for d in fresh.logical()] == ["/device:CPU:0", "/device:CPU:1"]
    fresh.set_split(cpu, [PART, PART])
    with pytest.raises(RuntimeError, match="cannot be modified"):
        fresh.set_split(cpu, [PART])


def test_a_part_of_the_cpu_has_no_memory_limit(fresh: Devices) -> None:
    (cpu,) = fresh.physical("CPU")
    with pytest.raises(ValueError, match="memory_limit"):
        fresh.set_split(cpu, [tf.config.LogicalDeviceConfiguration(memory_limit=10)])


def test_memory_growth_is_a_setting_of_accelerators(fresh: Devices) -> None:
    (cpu,) = fresh.physical("CPU")
    with pytest.raises(ValueError, match="accelerators"):
        fresh.set_growth(cpu, True)
    with pytest.raises(KeyError):
        fresh.growth(cpu)


def test_devices_can_be_hidden_before_the_first_op(fresh: Devices) -> None:
    fresh.set_visible([], "GPU")
    assert fresh.visible() == fresh.physical()
    fresh.set_visible([], None)
    assert fresh.visible() == []
    with pytest.raises(tf.errors.NotFoundError, match="No CPU is left"):
        fresh.logical()
    fresh.set_visible(fresh.physical() * 2, None)
    assert len(fresh.logical()) == len(fresh.physical())
    with pytest.raises(RuntimeError, match="cannot be modified"):
        fresh.set_visible([], None)


def test_nothing_runs_where_no_cpu_is_left() -> None:
    program = """
import runnel as tf
cpu = tf.config.list_physical_devices("CPU")
tf.config.set_visible_devices([])
for call in (lambda: tf.zeros([2]) + 1.0, lambda: tf.Variable(1.0), tf.distribute.MirroredStrategy):
    try:
        call()
        raise SystemExit("not refused")
    except tf.errors.NotFoundError:
        pass
tf.config.set_visible_devices(cpu)
assert tf.distribute.MirroredStrategy().num_replicas_in_sync == 1
"""
    children.run(program, check=True)


PROGRAM = """
import sys
import runnel as tf
assert "jax" not in sys.modules
(cpu,) = tf.config.list_physical_devices("CPU")
tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
assert len(tf.config.list_logical_devices("CPU")) == 2
assert "jax" not in sys.modules
with tf.device("CPU:1"):
    x = tf.constant(1.0) + 1.0
    v = tf.Variable(1.0)
assert x.device.endswith("CPU:1") and v.device.endswith("CPU:1"), (x.device, v.device)
assert (x + 1.0).device.endswith("CPU:0")
try:
    tf.config.set_logical_device_configuration(cpu, [])
except RuntimeError:
    from runnel.backend.jax import jax
    assert len(jax.devices()) == 2
    print("done")
"""


def test_a_split_cpu_is_several_devices_for_tensors_and_for_jax() -> None:
    done = children.run(PROGRAM)
    assert done.stdout == "done\n", done.stderr


# In a process of its own: one that has freed much gets the same pages again and does not grow.
MEMORY = """
import runnel as tf

config = tf.config.experimental
before = config.get_memory_info("/job:localhost/replica:0/task:0/device:CPU:0")
held = tf.ones([1 << 25])
now = config.get_memory_info("CPU:0")
assert held.shape == [1 << 25]
assert 0 < before["current"] < now["current"] <= now["peak"], (before, now)
assert config.get_memory_usage("CPU:0") > before["current"]
config.reset_memory_stats("CPU:0")
print("done")
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells")
def test_the_memory_of_the_cpu_is_that_of_the_process() -> None:
    done = children.run(MEMORY)
    assert done.stdout == "done\n", done.stderr


def test_memory_is_asked_of_a_device_that_is_there() -> None:
    for name, what in [("GPU:7", "No matching devices"), ("CPU", "by type and index")]:
        with pytest.raises(ValueError, match=what):
            tf.config.experimental.get_memory_info(name)
