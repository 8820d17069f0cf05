"""What tests ask about the machine and the build."""

from __future__ import annotations

import platform

from runnel.backend.jax import jax
from runnel.core.op.context import state
from runnel.core.settings.device import list_logical_devices, list_physical_devices


def gpu_device_name() -> str:
    """The name of the first GPU, or an empty string."""
    gpus = list_logical_devices("GPU")
    return gpus[0].name if gpus else ""


def is_gpu_available(
    cuda_only: bool = False, min_cuda_compute_capability: tuple[int, int] | None = None
) -> bool:
    """Whether there is a GPU."""
    found = bool(list_physical_devices("GPU"))
    if found and min_cuda_compute_capability is not None:
        raise NotImplementedError("tf.test.is_gpu_available: min_cuda_compute_capability.")
    return found


def is_built_with_cuda() -> bool:
    """Whether a GPU can be used, if there is one."""
    return is_gpu_available()


def is_built_with_gpu_support() -> bool:
    """Whether a GPU can be used, if there is one."""
    return is_gpu_available()


def is_built_with_rocm() -> bool:
    """Whether AMD's GPUs can be used."""
    return False


def is_cpu_target_available(target: str) -> bool:
    """Whether programs can be compiled for a processor: for the one at hand."""
    return target == platform.machine().lower()


def is_built_with_xla() -> bool:
    """Whether functions can be compiled: always."""
    return True


def sync_devices() -> None:
    """Wait until all that was started on devices is computed."""
    if state.graph is not None:
        raise RuntimeError("tf.test.experimental.sync_devices waits for values, not in functions.")
    for array in jax.live_arrays():
        array.block_until_ready()
