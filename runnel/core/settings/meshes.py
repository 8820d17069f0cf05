"""Several devices of JAX as one mesh, and where arrays lie on it."""

from __future__ import annotations

import functools
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from runnel.backend import jax as xla

AXIS = "replica"


class _Made:
    """Whether any mesh was made: until then all arrays are on one device."""

    any = False


made = _Made()


def devices_of(names: tuple[str, ...]) -> list[Any]:
    """JAX's devices of full names, such as `/job:localhost/replica:0/task:0/device:CPU:1`."""
    found = []
    for name in names:
        kind, index = name.rpartition("device:")[2].split(":")
        found.append(xla.jax.devices(kind.lower())[int(index)])
    return found


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


def on_one_device(value: Any) -> Any:
    """An array that a program of one device can take together with others."""
    sharding = getattr(value, "sharding", None)
    if sharding is None or len(sharding.device_set) == 1:
        return value
    if sharding.is_fully_replicated:
        return value.addressable_data(0)
    return np.asarray(value)


def place(
    held: Sequence[Any],
    env: list[Any],
    inputs: Sequence[int],
    names: tuple[str, ...] | None,
    divided: Collection[int],
) -> None:
    """Put values where a program runs: on all devices of its replicas, or on one if it has none.

    `held` is the memory of variables; `inputs` are the places of other values in `env`, of which
    those in `divided` have a row for each replica.
    """
    for resource in held:
        device = resource.device
        if device is not None:
            rows = resource.replicas == "rows"
            there = on_one_device(device) if names is None else on_mesh(device, names, rows)
            if there is not device:
                _move(resource, there)
    for slot in inputs:
        value = env[slot]
        if names is None:
            env[slot] = on_one_device(value)
        elif slot in divided or hasattr(value, "sharding"):
            env[slot] = on_mesh(value, names, slot in divided)


def _move(resource: Any, there: Any) -> None:
    if isinstance(there, np.ndarray):
        resource.assign(there)
        return
    mirrored = there if resource.device is resource.mirrored else None
    resource.device, resource.mirrored = there, mirrored
