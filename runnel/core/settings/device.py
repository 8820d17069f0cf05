"""Devices: which there are, which of them are used, and `tf.device`.

The CPU is known without asking. Accelerators are JAX's; JAX is imported for them only where a
plug-in for one is installed.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import threading
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress
from pathlib import Path
from typing import Any, NamedTuple

from runnel.backend import configuration
from runnel.core.op.context import state
from runnel.core.op.observing import Observer, ignore, observe
from runnel.core.settings import meshes
from runnel.core.settings.device_spec import DeviceSpec
from runnel.core.settings.placement import CPU
from runnel.core.values.errors import InvalidArgumentError, NotFoundError


class PhysicalDevice(NamedTuple):
    """A piece of hardware, such as the CPU or one GPU."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """A device that `tf.device` can name: a physical one or a part of it."""

    name: str
    device_type: str


class LogicalDeviceConfiguration(NamedTuple):
    """One part of a physical device that is split."""

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


class Devices:
    """The devices of one process and how the user arranged them."""

    def __init__(self) -> None:
        self._visible: list[PhysicalDevice] | None = None
        self._split: dict[PhysicalDevice, list[LogicalDeviceConfiguration]] = {}
        self._growth: dict[PhysicalDevice, bool] = {}

    def physical(self, device_type: str | None = None) -> list[PhysicalDevice]:
        return [d for d in _all_physical() if device_type in (None, d.device_type)]

    def visible(self, device_type: str | None = None) -> list[PhysicalDevice]:
        seen = self.physical() if self._visible is None else self._visible
        return [d for d in seen if device_type in (None, d.device_type)]

    def set_visible(self, devices: Any, device_type: str | None) -> None:
        several = isinstance(devices, list | tuple) and not isinstance(devices, PhysicalDevice)
        wanted = list(devices) if several else [devices]
        for device in wanted:
            self._check(device, device_type)
        kept = (
            []
            if device_type is None
            else [d for d in self.visible() if d.device_type != device_type]
        )
        if [*kept, *wanted] == self.visible():
            return
        _check_not_started("Visible devices")
        for kind in ("GPU", "TPU"):
            chosen = [_index(d) for d in (*kept, *wanted) if d.device_type == kind]
            if chosen != [_index(d) for d in self.visible(kind)]:
                configuration.see(kind.lower(), chosen)
        self._visible = [*kept, *wanted]

    def _parts(self, device: PhysicalDevice) -> int:
        return 1 if device not in self._split else len(self._split[device])

    def check_cpu(self) -> None:
        """NotFoundError if no CPU is left to this process."""
        if not sum(map(self._parts, self.visible("CPU"))):
            message = (
                "No CPU is left to this process by tf.config.set_visible_devices or "
                "set_logical_device_configuration."
            )
            raise NotFoundError(None, None, message)

    def logical(self, device_type: str | None = None) -> list[LogicalDevice]:
        """All of them; from now on they cannot be arranged anew."""
        self.check_cpu()
        configuration.initialized = True
        counts: dict[str, int] = {}
        for device in dict.fromkeys(self.visible()):
            counts[device.device_type] = counts.get(device.device_type, 0) + self._parts(device)
        return [
            LogicalDevice(f"/device:{kind}:{i}", kind)
            for kind, count in counts.items()
            for i in range(count)
            if device_type in (None, kind)
        ]

    def split(self, device: Any) -> list[LogicalDeviceConfiguration] | None:
        self._check(device)
        return self._split.get(device)

    def set_split(self, device: Any, parts: Sequence[LogicalDeviceConfiguration]) -> None:
        self._check(device)
        is_cpu = device.device_type == "CPU"
        if is_cpu and any(p.memory_limit is not None for p in parts):
            raise ValueError("A part of the CPU has no memory_limit.")
        if is_cpu and any(p.experimental_priority is not None for p in parts):
            raise ValueError("A part of the CPU has no experimental_priority.")
        if self._split.get(device) == list(parts):
            return
        _check_not_started("Logical devices")
        if is_cpu:
            configuration.cpu_devices = max(1, len(parts))
        elif len(parts) > 1:
            raise NotImplementedError(
                f"tf.config.set_logical_device_configuration: logical_devices has {len(parts)} "
                f"parts for {device.name}; JAX does not split an accelerator."
            )
        elif parts and parts[0].memory_limit is not None:
            configuration.limit(parts[0].memory_limit / _megabytes(device))
        self._split[device] = list(parts)

    def growth(self, device: Any) -> bool:
        self._check(device)
        if device.device_type == "CPU":
            raise KeyError(device)
        return self._growth.get(device, False)

    def set_growth(self, device: Any, enable: bool) -> None:
        self._check(device)
        if device.device_type == "CPU":
            raise ValueError(f"Memory growth is a setting of accelerators, got {device}.")
        if self._growth.get(device, False) == bool(enable):
            return
        _check_not_started("Memory growth")
        if enable and self._split.get(device):
            raise ValueError(f"Memory growth and a memory_limit exclude each other: {device}.")
        configuration.grow(bool(enable))
        self._growth[device] = bool(enable)

    def _check(self, device: Any, device_type: str | None = None) -> None:
        if device not in self.physical(device_type):
            raise ValueError(f"Unrecognized device: {device!r}. The devices are {self.physical()}.")


def _check_not_started(what: str) -> None:
    if configuration.initialized or configuration.clients_started():
        raise RuntimeError(f"{what} cannot be modified after the first op has run.")


def _index(device: PhysicalDevice) -> int:
    return int(device.name.rpartition(":")[2])


@functools.cache
def _all_physical() -> tuple[PhysicalDevice, ...]:
    found = ["CPU:0"]
    if configuration.pretends or _has_accelerators():
        for kind in ("gpu", "tpu"):
            found.extend(f"{kind.upper()}:{i}" for i in range(_count(kind)))
    return tuple(PhysicalDevice(f"/physical_device:{name}", name.split(":")[0]) for name in found)


_DEVICES = Path("/dev")
_SHOWN = {"gpu": "nvidia[0-9]*", "tpu": "accel[0-9]*"}


def _count(kind: str) -> int:
    """How many accelerators of a kind this process has.

    To ask JAX is to start its client, and then nothing can be chosen any more. So it is asked only
    where the system does not show the hardware.
    """
    if configuration.pretends:
        return int(kind == "gpu")
    shown = [path for path in _DEVICES.glob(_SHOWN[kind]) if path.name[-1].isdigit()]
    chosen = os.environ.get("CUDA_VISIBLE_DEVICES") if kind == "gpu" and shown else None
    if chosen is not None:
        return len([part for part in chosen.split(",") if part.strip() not in ("", "-1")])
    return len(shown) or len(meshes.accelerators(kind))


def _megabytes(device: PhysicalDevice) -> float:
    """The memory of a GPU."""
    import subprocess  # 5 ms, where all of Runnel is imported in some 400

    command = ["nvidia-smi", f"--id={_index(device)}", "--query-gpu=memory.total"]
    command.append("--format=csv,noheader,nounits")
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20)
        return float(done.stdout.split()[0])
    except (OSError, subprocess.SubprocessError, ValueError, IndexError) as error:
        raise NotImplementedError(
            "tf.config.LogicalDeviceConfiguration: memory_limit needs nvidia-smi, to know which "
            f"share of {device.name} it is, got {error!r}."
        ) from error


def _has_accelerators() -> bool:
    from importlib.metadata import entry_points  # here, since loading it takes 25 ms

    return _has_known_accelerators() or bool(entry_points(group="jax_plugins"))


def _has_known_accelerators() -> bool:
    """Whether a plug-in is there that can be found without reading the metadata of all packages."""
    return any(importlib.util.find_spec(name) is not None for name in ("jax_plugins", "libtpu"))


table = Devices()


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The hardware there is, or that of one type: "CPU", "GPU" or "TPU".

    Args:
        device_type: "CPU", "GPU" or "TPU"; None for all.

    >>> tf.config.list_physical_devices("CPU")
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    """
    return table.physical(device_type)


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices that `tf.device` can name, or those of one type.

    Args:
        device_type: "CPU", "GPU" or "TPU"; None for all.

    >>> tf.config.list_logical_devices("CPU")[0]
    LogicalDevice(name='/device:CPU:0', device_type='CPU')
    """
    return table.logical(device_type)


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The hardware that is used."""
    return table.visible(device_type)


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Use only these of the physical devices (of `device_type`), from before the first op on."""
    table.set_visible(devices, device_type)


def get_logical_device_configuration(
    device: PhysicalDevice,
) -> list[LogicalDeviceConfiguration] | None:
    """The parts that a physical device is split into, or None."""
    return table.split(device)


def set_logical_device_configuration(
    device: PhysicalDevice, logical_devices: Sequence[LogicalDeviceConfiguration]
) -> None:
    """Split a physical device into several logical ones, before the first op runs."""
    table.set_split(device, logical_devices)


VirtualDeviceConfiguration = LogicalDeviceConfiguration  # the names of tf.config.experimental
get_virtual_device_configuration = get_logical_device_configuration
set_virtual_device_configuration = set_logical_device_configuration


def get_memory_growth(device: PhysicalDevice) -> bool:
    """Whether memory of an accelerator is taken as it is needed."""
    return table.growth(device)


def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Take memory of an accelerator as it is needed, or all of it at the start.

    Args:
        device: a physical device.
        enable: whether memory is taken as it is needed.
    """
    table.set_growth(device, enable)


def get_device_details(device: PhysicalDevice) -> dict[str, Any]:
    """What is known of an accelerator, such as its `device_name`; nothing of a CPU."""
    if not isinstance(device, PhysicalDevice):
        raise ValueError(f"device must be a tf.config.PhysicalDevice, got {device!r}.")
    if device.device_type == "CPU":
        return {}
    index = int(device.name.rpartition(":")[2])
    return {"device_name": meshes.accelerators(device.device_type.lower())[index].device_kind}


def get_memory_info(device: str) -> dict[str, int]:
    """The bytes in use on a device, now (`current`) and at most so far (`peak`).

    On the CPU they are those of the whole process.

    >>> sorted(tf.config.experimental.get_memory_info("CPU:0"))
    ['current', 'peak']
    """
    stats = _memory_stats(_memory_of(device), device)
    return {"current": stats["bytes_in_use"], "peak": stats["peak_bytes_in_use"]}


def get_memory_usage(device: str) -> int:
    """The bytes in use on a device."""
    return get_memory_info(device)["current"]


def reset_memory_stats(device: str) -> None:
    """Let the peak of a device be what is in use now; JAX cannot do so for accelerators."""
    if _memory_of(device).device_type != "CPU":
        raise NotImplementedError(
            f"tf.config.experimental.reset_memory_stats: JAX cannot start anew on {device!r}."
        )
    with suppress(OSError):  # then the peak is that of the whole run
        Path("/proc/self/clear_refs").write_text("5")  # Linux's way to say so


def _memory_of(device: str) -> DeviceSpec:
    """The device with that name, which must have a type and an index."""
    try:
        spec = DeviceSpec.from_string(device)
    except ValueError as error:
        raise ValueError(
            f"{device!r} must name a device by type and index, as in 'GPU:0'."
        ) from error
    if spec.device_type is None or spec.device_index is None:
        raise ValueError(f"{device!r} must name a device by type and index, as in 'GPU:0'.")
    short = DeviceSpec(device_type=spec.device_type, device_index=spec.device_index)
    if short.to_string() not in [d.name for d in table.logical()]:
        raise ValueError(f"No matching devices found for {device!r}.")
    return spec


def _memory_stats(spec: DeviceSpec, device: str) -> dict[str, int]:
    if spec.device_type != "CPU":
        kind, index = str(spec.device_type).lower(), spec.device_index or 0
        return meshes.accelerators(kind)[index].memory_stats()  # type: ignore[no-any-return]
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError as error:
        raise ValueError(f"Allocator stats not available for device {device!r}.") from error
    known = dict(line.split(":", 1) for line in lines if ":" in line)
    sizes = {"bytes_in_use": known["VmRSS"], "peak_bytes_in_use": known["VmHWM"]}
    return {key: 1024 * int(size.split()[0]) for key, size in sizes.items()}


def device(device_name: Any) -> AbstractContextManager[None]:
    """A context whose ops run on the device of that name; None lifts the choice.

    Args:
        device_name: such as "CPU:0", a `tf.DeviceSpec`, or None to leave the choice open.

    >>> with tf.device("CPU:0"):
    ...     x = tf.constant(1.0) + 1.0
    >>> x.device
    '/job:localhost/replica:0/task:0/device:CPU:0'
    """
    if callable(device_name):
        raise RuntimeError("tf.device does not support functions.")
    if isinstance(device_name, DeviceSpec):
        device_name = device_name.to_string()
    if device_name is not None and not isinstance(device_name, str):
        raise ValueError(f"The name of a device is a string, got {device_name!r}.")
    spec = DeviceSpec.from_string(device_name)
    if state.graph is not None:
        return state.graph.device(None if device_name is None else spec.to_string())
    if spec.job not in (None, "localhost") or spec.task or spec.replica:
        raise InvalidArgumentError(None, None, f"{device_name!r} is an unknown device.")
    return _Placed(spec if device_name is not None else None)


class _Placed:
    """What a `with tf.device(...)` block enters outside graphs."""

    _outer: tuple[str | None] | None = None  # the device around the block, while it is open

    def __init__(self, spec: DeviceSpec | None) -> None:
        self._spec = spec

    def __enter__(self) -> None:
        outer, spec = state.device, self._spec
        merged = None if spec is None else DeviceSpec.from_string(outer).make_merged_spec(spec)
        self._inside = None if merged is None else merged.to_string()
        found = CPU if merged is None else _known(self._inside or "")
        self._is_interest = found is None
        if found is None:
            _interest(+1)
        elif found != CPU or default() != CPU:
            begin()
        self._outer = (outer,)
        state.device = self._inside

    def __exit__(self, *raised: object) -> None:
        if self._outer is not None:
            state.device = self._outer[0]
            self._outer = None
            if self._is_interest:
                _interest(-1)

    def __del__(self) -> None:
        """Leave what an interrupt, which struck in the functions above, left open."""
        if self._outer is not None and state.device is self._inside:
            self.__exit__()


def _begin() -> None:
    raise NotImplementedError("core/op/placing.py lets ops run on other devices.")


begin: Callable[[], None] = _begin
"""Lets ops run where `current` says, from now on; given by `core/op/placing.py`."""

_contexts = 0
_lock = threading.Lock()


def _interest(change: int) -> None:
    """Ops are refused, perhaps, only while some thread asks for a device that is not there."""
    global _contexts
    with _lock:
        _contexts += change
        if _contexts:
            observe(_refusing)
        else:
            ignore(_refusing)


class _Refusing(Observer):
    def before(self, op: Any, inputs: Any) -> None:
        current(op.name)


_refusing = _Refusing()


def current(op_name: str = "") -> str:
    """The full name of the device on which ops run now; `op_name` is for the error."""
    if state.device is None:
        return default()
    found = _known(state.device)
    if found is not None:
        return found
    if not configuration.soft_placement:
        short, known = _short(state.device), [d.name for d in table.logical()]
        message = f"{op_name}: there is no device {short!r}, only {known}; soft placement is off."
        raise InvalidArgumentError(None, None, f"{message} [Op:{op_name}]")
    return CPU


@functools.cache
def _known(text: str) -> str | None:
    """The full name of the device that a text means, if there is one."""
    short = _short(text)
    if short not in [d.name for d in table.logical()]:
        return None
    return meshes.HERE + short.removeprefix("/device:")


def is_here(text: str) -> bool:
    """Whether a text names a device of this process, of any job."""
    spec = DeviceSpec.from_string(text)
    home = spec.job in (None, "localhost") and not spec.replica and not spec.task
    return home and _known(text) is not None


def _short(text: str) -> str:
    spec = DeviceSpec.from_string(text)
    kind = spec.device_type or default().split(":")[-2]
    return DeviceSpec(device_type=kind, device_index=spec.device_index or 0).to_string()


@functools.cache
def default() -> str:
    """Where ops run if nobody says: on the first accelerator, if there is one.

    It is asked for when the first tensor is made or the first op runs; the devices are then what
    they are.
    """
    table.check_cpu()
    configuration.initialized = True
    found = []
    if configuration.pretends or _has_known_accelerators():
        found = [d for d in table.logical() if d.device_type != "CPU"]
    if not found:
        return CPU
    begin()
    return meshes.HERE + found[0].name.removeprefix("/device:")


class _First(Observer):
    """Notes that an op runs, then steps aside."""

    def before(self, op: Any, inputs: Any) -> None:
        default()
        ignore(self)


observe(_First())
