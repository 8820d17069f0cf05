"""Tensors and variables on other devices than the first CPU, and programs that run there."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from runnel.backend import configuration
from runnel.core.settings import device as devices
from runnel.core.settings.device import Devices, LogicalDeviceConfiguration, PhysicalDevice
from tests import children
from tests.golden.cases import HERE, assert_same
from tests.tables import table

WANTED = json.loads((HERE / "cases_devices.json").read_text())
CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")
GPU = PhysicalDevice("/physical_device:GPU:0", "GPU")
OTHER = PhysicalDevice("/physical_device:GPU:1", "GPU")

PROGRAM = """
import json
import runnel as tf
from tests.golden.cases import answer, cases
from tests.golden.cases_devices import split

split(tf)
found = {name: answer(case, tf) for name, case in cases("devices").items() if name != "split"}
print(json.dumps(found))
"""
_found: dict[str, dict[str, object]] = {}


def found(name: str) -> dict[str, object]:
    if not _found:
        _found.update(json.loads(children.run(PROGRAM, check=True).stdout.splitlines()[-1]))
    return _found[name]


@table("name", list(WANTED))
def test_devices_are_those_of_tensorflow(name: str) -> None:
    got, want = found(name), WANTED[name]
    assert "error" not in got, got
    assert_same(got["result"], want["result"], name)


ACCELERATOR = """
import numpy as np
from runnel.backend import configuration

configuration.pretend()
import runnel as tf
from runnel.core.op import placing
from runnel.core.op.context import state
from runnel.core.tensor.placed import PlacedTensor
from runnel.graph.run.program import Node

assert [d.name for d in tf.config.list_logical_devices()] == ["/device:CPU:0", "/device:GPU:0"]

def check(op, values):  # what has to do with floats is not for NumPy, where XLA can do it
    kinds = [getattr(getattr(value, "dtype", None), "kind", "") for value in values]
    for_host = op.host or op.lower is not None or op.traits.reads is not None
    assert for_host or "f" not in kinds, f"NumPy computes {op.name}"

def eagerly(op, inputs, attrs, found):
    if state.device is None:
        check(op, [t._value for t in inputs])
    return plain(op, inputs, attrs, found)

def interpreted(node, env):
    check(node.op, [env[slot] for slot in node.ins])
    return run(node, env)

plain, placing._on_first_cpu = placing._on_first_cpu, eagerly
run, Node.run = Node.run, interpreted

x = tf.constant([1.0, 2.0])
v = tf.Variable([1.0, 2.0])
def there(*tensors):
    assert all(t.device.endswith("device:GPU:0") for t in tensors), tensors
there(x, v, x + 1, tf.tensordot(x, x, 1), tf.random.normal([2]))
assert type(x * v) is PlacedTensor
v.assign_add(x)
assert (v * 2.0).numpy().tolist() == [4.0, 8.0]

@tf.function(autograph=False)
def step(a):
    v.assign_sub(0.5 * a)
    return tf.reduce_sum(v * a)

there(step(x))
with tf.GradientTape() as tape:
    y = step(x) ** 2
there(tape.gradient(y, v))
assert tf.where(x > 1.5).numpy().tolist() == [[1]]
assert tf.strings.as_string(tf.constant([1])).numpy().tolist() == [b"1"]
v = tf.Variable(["a", "b"])
assert v.assign(["c", "d"]).numpy().tolist() == [b"c", b"d"] and v.device.endswith("CPU:0")

layers = tf.keras.layers
model = tf.keras.Sequential([
    layers.Conv2D(2, 2, input_shape=(4, 4, 1)), layers.BatchNormalization(), layers.Flatten(),
    layers.Dropout(0.5), layers.Dense(2, "softmax")])
model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
images, labels = np.random.rand(6, 4, 4, 1), np.arange(6) % 2
model.fit(images, labels, batch_size=4, epochs=2, verbose=0)
there(*model.weights, *model.optimizer.variables)
assert model.predict(images, verbose=0).shape == (6, 2)
loss = model.evaluate(images, labels, verbose=0)[0]
with tf.device("CPU:0"):
    assert type(tf.constant(1.0) + 1.0) is not PlacedTensor
assert x.cpu().device.endswith("CPU:0") and x.cpu().gpu().device.endswith("GPU:0")
print("done")
"""


def test_an_accelerator_computes_all_by_itself() -> None:
    done = children.run(ACCELERATOR)
    assert done.stdout == "done\n", done.stderr


@pytest.fixture
def gpus(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Devices:
    """The devices of a machine with two GPUs, before JAX has started."""
    monkeypatch.setattr(configuration, "initialized", False)
    monkeypatch.setattr(configuration, "clients_started", lambda: False)
    monkeypatch.setattr(devices, "_all_physical", lambda: (CPU, GPU, OTHER))
    monkeypatch.setattr(os, "environ", dict(os.environ))
    monkeypatch.setattr(configuration, "_choose", _Chosen())
    return Devices()


class _Chosen(dict[str, str]):
    def __call__(self, option: str, value: str) -> None:
        self[option] = value


def test_memory_of_gpus_is_chosen_before_jax_starts(
    gpus: Devices, monkeypatch: pytest.MonkeyPatch
) -> None:
    gpus.set_growth(GPU, True)
    assert os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] == "false"
    assert gpus.growth(GPU) and not gpus.growth(OTHER)
    monkeypatch.setattr(devices, "_megabytes", lambda device: 4096.0)
    gpus.set_split(OTHER, [LogicalDeviceConfiguration(memory_limit=1024)])
    assert os.environ["XLA_CLIENT_MEM_FRACTION"] == "0.2500"
    with pytest.raises(ValueError, match="exclude each other"):
        gpus.set_growth(OTHER, True)
    with pytest.raises(NotImplementedError, match="does not split"):
        gpus.set_split(GPU, [LogicalDeviceConfiguration()] * 2)


def test_jax_is_told_which_gpus_it_may_use(gpus: Devices) -> None:
    gpus.set_visible([OTHER], "GPU")
    assert configuration._choose == {"jax_cuda_visible_devices": "1"}  # type: ignore[comparison-overlap]
    assert [d.name for d in gpus.logical("GPU")] == ["/device:GPU:0"]
    configuration.initialized = False
    gpus.set_visible([], "GPU")
    assert configuration._choose["jax_platforms"] == "cpu"  # type: ignore[index]


def test_what_jax_would_not_hear_any_more_is_an_error(
    gpus: Devices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(configuration, "clients_started", lambda: True)
    for late in (
        lambda: gpus.set_growth(GPU, True),
        lambda: gpus.set_visible([], "GPU"),
        lambda: gpus.set_split(GPU, [LogicalDeviceConfiguration(memory_limit=1)]),
    ):
        with pytest.raises(RuntimeError, match="cannot be modified"):
            late()


def test_hardware_is_counted_without_jax(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("nvidia0", "nvidia1", "nvidiactl", "accel0"):
        (tmp_path / name).touch()
    monkeypatch.setattr(devices, "_DEVICES", tmp_path)
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    assert (devices._count("gpu"), devices._count("tpu")) == (2, 1)
    for chosen, count in {"1": 1, "": 0, "-1": 0, "0,1": 2}.items():
        monkeypatch.setenv("CUDA_VISIBLE_DEVICES", chosen)
        assert devices._count("gpu") == count


def test_jax_tells_whether_it_has_started() -> None:
    program = """
from runnel.backend import configuration
assert not configuration.clients_started()
import jax
assert not configuration.clients_started()
jax.devices()
assert configuration.clients_started()
"""
    children.run(program, check=True)
