"""What the user chose in `tf.config`, for the whole process: values that the rest reads.

They are set by the functions in `runnel.core.settings.switches` and `runnel.core.settings.device`.
"""

from __future__ import annotations

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

initialized: bool = False
"""Whether an op has run or the devices were listed: some settings are fixed from then on."""

cpu_devices: int = 1
"""The number of devices that the CPU is split into."""
