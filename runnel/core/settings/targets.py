"""On which device a program runs, and how its arrays get there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from runnel.backend import jax as xla
from runnel.core.op.context import state
from runnel.core.settings import device, meshes
from runnel.core.settings.placement import CPU


def target(values: Sequence[Any]) -> str:
    """Where a program runs that is given arrays and variables: on the device that has most of it.

    Variables count before others, since they stay; then comes what `tf.device` says.
    """
    sizes: Counter[str] = Counter()
    for value in values:
        if hasattr(value, "lend"):
            sizes[value.home] += max(1, value.elements)
    if sizes:
        return sizes.most_common(1)[0][0]
    if state.device is not None:
        return device.current()
    for value in values:
        sharding = getattr(value, "sharding", None)
        if sharding is not None and len(sharding.device_set) == 1:
            sizes[meshes.place_of(value)] += value.size
    return sizes.most_common(1)[0][0] if sizes else device.current()


def place(
    held: Sequence[Any],
    env: list[Any],
    inputs: Sequence[int],
    names: tuple[str, ...] | None,
    divided: Collection[int],
) -> Any:
    """Put values where a program runs: on all devices of its replicas, or on one if it has none.

    `held` is the memory of variables; `inputs` are the places of other values in `env`, of which
    those in `divided` have a row for each replica. The device, if it is one.
    """
    if names is not None:
        _divide(held, env, inputs, names, divided)
        return None
    there = meshes.jax_device(target([*held, *[env[slot] for slot in inputs]]))
    for resource in held:
        if resource.device is not None:
            _move(resource, meshes.on_one_device(resource.device, there))
        elif there is not meshes.jax_device(CPU):
            _move(resource, xla.jax.device_put(resource.lend(), there))
    for slot in inputs:
        env[slot] = meshes.on_one_device(env[slot], there)
    return there


def _divide(
    held: Sequence[Any],
    env: list[Any],
    inputs: Sequence[int],
    names: tuple[str, ...],
    divided: Collection[int],
) -> None:
    """Put all values on the mesh, or JAX makes a program for each choice of those that are not."""
    for resource in held:
        if resource.elements:
            _move(resource, meshes.on_mesh(resource.lend(), names, resource.replicas == "rows"))
    for slot in inputs:
        value = env[slot]
        if slot in divided or hasattr(value, "sharding") or isinstance(value, np.ndarray):
            env[slot] = meshes.on_mesh(value, names, slot in divided)


def _move(resource: Any, there: Any) -> None:
    if there is resource.device:
        return
    mirrored = there if resource.device is resource.mirrored else None
    resource.device, resource.mirrored = there, mirrored
