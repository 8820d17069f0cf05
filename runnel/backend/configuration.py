"""What the user chose in `tf.config`, for the whole process: values that the rest reads.

They are set by the functions in `runnel.core.settings.switches` and `runnel.core.settings.device`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

run_functions_eagerly: bool = False
soft_placement: bool = True
jit: bool = False
optimizer_options: dict[str, bool | int] = {}
inter_op_threads: int = 0
intra_op_threads: int = 0
device_policy: str = "silent"
synchronous: bool = True
op_determinism: bool = False
tensor_float_32: bool = True
log_device_placement: bool = False

by_shape: bool = False
"""Whether graphs and shapes alone decide what is compiled, and no clock and no count of runs.

So it is in processes that train together: NumPy and XLA round differently, and a run that goes on
from a checkpoint shall be the one that was not interrupted.
"""

# Which TensorFlow a program means, by the switches of `tf.compat.v1`.
tensor_equality: bool = True
"""Whether `==` of tensors compares elements, and not objects."""
control_flow_v2: bool = True
"""Whether branches and bodies are graphs that number their ops anew."""
v2_behavior: bool = True
"""Whether programs mean TensorFlow 2, by `enable_v2_behavior` and its opposite."""
resource_variables: bool = True
"""What `resource_variables_enabled` says."""

initialized: bool = False
"""Whether an op has run or the devices were listed: some settings are fixed from then on."""

cpu_devices: int = 1
"""The number of devices that the CPU is split into."""

pretends: bool = False
"""Whether a second device of the CPU stands for GPU:0, so that tests have one."""


def pretend() -> None:
    """Let a second device of the CPU stand for GPU:0."""
    global pretends, cpu_devices
    pretends, cpu_devices = True, 2


if os.environ.get("RUNNEL_PRETEND_ACCELERATOR") == "1":
    pretend()


def clients_started() -> bool:
    """Whether JAX has started its clients, which are told before what follows here."""
    bridge = sys.modules.get("jax._src.xla_bridge")
    return bool(getattr(bridge, "backends_are_initialized", lambda: False)())


def grow(enable: bool) -> None:
    """Let the client take memory of GPUs as it is needed, or most of it at the start."""
    os.environ["XLA_PYTHON_CLIENT_PREALLOCATE"] = "true" if not enable else "false"


def limit(share: float) -> None:
    """Let the client take no more than a share of the memory of GPUs."""
    os.environ.pop("XLA_PYTHON_CLIENT_MEM_FRACTION", None)  # the older name of the same
    os.environ["XLA_CLIENT_MEM_FRACTION"] = f"{min(1.0, share):.4f}"


def see(kind: str, indices: Sequence[int]) -> None:
    """Let JAX use only these of a kind of accelerators, and start no client if there are none."""
    if not indices:
        _choose("jax_platforms", "cpu")
    elif kind == "gpu":
        _choose("jax_cuda_visible_devices", ",".join(map(str, indices)))
    else:
        raise NotImplementedError(
            f"tf.config.set_visible_devices: JAX uses all of a host's {kind.upper()}s or none."
        )


def _choose(option: str, value: str) -> None:
    """JAX reads the variable when it is imported."""
    os.environ[option.upper()] = value
    if "jax" in sys.modules:
        sys.modules["jax"].config.update(option, value)
