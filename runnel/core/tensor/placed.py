"""Tensors and the memory of variables on other devices than the first CPU."""

from __future__ import annotations

from typing import Any

from runnel.backend import jax as xla
from runnel.backend import memory
from runnel.core.settings import meshes
from runnel.core.settings.placement import CPU
from runnel.core.state.resource import VariableResource
from runnel.core.tensor.tensor import DeviceTensor, EagerTensor, device_tensor, raw_value
from runnel.core.values.dtypes import DType
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import Array


class PlacedTensor(DeviceTensor):
    """An eager tensor whose value is on another device than the first CPU, and stays there.

    To look at the value is to fetch it.
    """

    __slots__ = ()

    @property
    def _value(self) -> Array:
        return xla.fetched(raw_value(self))

    @property
    def device(self) -> str:
        return meshes.place_of(raw_value(self))

    backing_device = device

    def __dlpack__(self, **options: Any) -> Any:
        return raw_value(self).__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return raw_value(self).__dlpack_device__()  # type: ignore[no-any-return]


def cpu(tensor: EagerTensor) -> EagerTensor:
    """The tensor in the memory of the host."""
    return tensor if tensor.device == CPU else EagerTensor(tensor._value, tensor._dtype)


def gpu(tensor: EagerTensor, gpu_index: int = 0) -> EagerTensor:
    """A copy on a GPU."""
    found = meshes.accelerators("gpu")
    if not 0 <= gpu_index < len(found):
        raise RuntimeError(
            f"There is no GPU:{gpu_index}; tf.config.list_physical_devices() lists all."
        )
    array = memory.on_device(raw_value(tensor), found[gpu_index])
    return device_tensor(array, tensor._dtype, PlacedTensor)


EagerTensor.cpu, EagerTensor.gpu = cpu, gpu  # type: ignore[attr-defined]


class PlacedResource(VariableResource):
    """The memory of a variable on another device than the first CPU, which is its `home`.

    Its value is always JAX's. After a program that ran elsewhere it is there, until it is asked
    for.
    """

    def __init__(self, dtype: DType, static_shape: TensorShape, name: str, home: str) -> None:
        super().__init__(dtype, static_shape, name)
        self.home = home

    @property
    def value(self) -> Array | None:
        device = self.device
        return None if device is None else self._fetch(device)

    @value.setter
    def value(self, value: Array) -> None:
        self.assign(value)

    def _fetch(self, device: Array) -> Array:
        try:
            return xla.fetched(meshes.on_one_device(device))
        except RuntimeError:
            with self.lock:
                if self.device is device:
                    raise
                return self.read()

    def read(self) -> Array:
        value = self.value
        if value is None:
            raise self._empty()
        return value

    def assign(self, value: Array) -> None:
        there = memory.on_device(value, meshes.jax_device(self.home))
        self.host, self.device, self.mirrored = None, there, there

    def lend(self) -> Array:
        device = self.device
        if device is None:
            raise self._empty()
        there = meshes.jax_device(self.home)
        if device.sharding.device_set != {there}:
            device = memory.on_device(meshes.on_one_device(device), there)
            self.device = self.mirrored = device
        return device

    def lend_for_good(self) -> Array:
        """The value for somebody who may keep it."""
        device = self.lend()
        self.mirrored = device
        return device
