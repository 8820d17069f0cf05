"""Several devices of JAX as one mesh, and where arrays lie on it."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from runnel.backend import configuration
from runnel.backend import jax as xla

AXIS = "replica"
HERE = "/job:localhost/replica:0/task:0/device:"


class _Made:
    """Whether more devices than the first CPU are used: until then all arrays are on that one."""

    any = False


made = _Made()


def accelerators(kind: str) -> list[Any]:
    """JAX's devices of a kind, or none where the platform is not there."""
    if configuration.pretends:
        return list(xla.jax.devices("cpu")[1:]) if kind == "gpu" else []
    try:
        return list(xla.jax.devices(kind))
    except RuntimeError:
        return []


@functools.cache
def jax_device(name: str) -> Any:
    """JAX's device of a full name, such as `/job:localhost/replica:0/task:0/device:CPU:1`."""
    kind, index = name.rpartition("device:")[2].split(":")
    found = xla.jax.devices("cpu") if kind == "CPU" else accelerators(kind.lower())
    return found[int(index)]


@functools.cache
def kind_and_index(device: Any) -> str:
    """What TensorFlow calls a device of JAX, such as `CPU:1`."""
    kind = "CPU" if device.platform == "cpu" else device.platform.upper()
    kind = "GPU" if kind in ("CUDA", "ROCM") else kind
    if configuration.pretends and kind == "CPU":
        index = xla.jax.devices("cpu").index(device)
        return f"GPU:{index - 1}" if index else "CPU:0"
    return f"{kind}:{xla.jax.local_devices(backend=device.platform).index(device)}"


def place_of(array: Any) -> str:
    """The full name of the device that an array of JAX is on, or of the first of several."""
    devices = array.sharding.device_set
    return HERE + kind_and_index(min(devices, key=lambda device: device.id))


def is_accelerator(name: str) -> bool:
    return "device:CPU:" not in name


def devices_of(names: tuple[str, ...]) -> list[Any]:
    return [jax_device(name) for name in names]


@functools.cache
def mesh_of(names: tuple[str, ...]) -> Any:
    """The mesh of some devices, with one axis."""
    made.any = True
    return xla.jax.sharding.Mesh(np.array(devices_of(names)), (AXIS,))


def spec(*axes: str) -> Any:
    """How an array is divided: its first axis along `axes`, or not at all."""
    return xla.jax.sharding.PartitionSpec(*axes)


@functools.cache
def placement(names: tuple[str, ...], divided: bool) -> Any:
    """Where an array lies whose rows are divided among devices, or that is whole on each."""
    parts = spec(AXIS) if divided else spec()
    return xla.jax.sharding.NamedSharding(mesh_of(names), parts)


def on_mesh(value: Any, names: tuple[str, ...], divided: bool) -> Any:
    """An array on the devices of a mesh; one that is there already stays as it is."""
    wanted = placement(names, divided)
    if getattr(value, "sharding", None) == wanted:
        return value
    return xla.jax.device_put(value, wanted)


def on_one_device(value: Any, there: Any = None) -> Any:
    """An array that a program of one device can take, there; what is no array as it is."""
    sharding = getattr(value, "sharding", None)
    if sharding is None:
        array = isinstance(value, np.ndarray) and there is not None
        return xla.jax.device_put(value, there) if array else value
    if len(sharding.device_set) > 1:
        value = value.addressable_data(0) if sharding.is_fully_replicated else np.asarray(value)
    elif there is None or sharding.device_set == {there}:
        return value
    return value if there is None else xla.jax.device_put(value, there)
