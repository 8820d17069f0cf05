"""`tf.experimental.dtensor`: tensors laid out over meshes of devices, which Runnel has not.

Libraries ask whether something is one, and get the answer that nothing is. Making one says what
there is instead.
"""

from __future__ import annotations

from typing import Any, NoReturn

import runnel as tf

MATCH = "match"
UNSHARDED = "unsharded"
_INSTEAD = "tf.distribute.MirroredStrategy trains on several devices of this process."


def _absent(name: str) -> NoReturn:
    raise NotImplementedError(f"Runnel has no tf.experimental.dtensor.{name}. {_INSTEAD}")


class _Absent:
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        _absent(type(self).__name__)


class Layout(_Absent):
    """How a tensor lies on a mesh: not there."""

    @staticmethod
    def replicated(mesh: Any, rank: int) -> NoReturn:
        _absent("Layout")

    @staticmethod
    def batch_sharded(mesh: Any, batch_dim: str, rank: int, axis: int = 0) -> NoReturn:
        _absent("Layout")

    @staticmethod
    def inner_sharded(mesh: Any, inner_dim: str, rank: int) -> NoReturn:
        _absent("Layout")


class Mesh(_Absent):
    """Devices with names for their rows and columns: not there."""


class DVariable(_Absent):
    """A variable with a layout: not there."""


class DTensorDataset(_Absent):
    """A dataset of tensors with layouts: not there."""


def is_dtensor(tensor: Any) -> bool:
    """Whether a tensor has a layout: none has."""
    return False


def client_id() -> int:
    """Which of the clients this process is: the only one."""
    return 0


def num_clients() -> int:
    """How many processes there are."""
    return 1


def full_job_name(task_id: int | None = None) -> str:
    """The name of this job."""
    return "localhost/replica:0/task:0"


def job_name() -> str:
    """The name of this job, without the task."""
    return "localhost"


def num_local_devices(device_type: str) -> int:
    """How many devices of a kind there are."""
    return len(tf.config.list_logical_devices(device_type))


def num_global_devices(device_type: str) -> int:
    """How many devices of a kind there are, all of them local."""
    return num_local_devices(device_type)


_FUNCTIONS = """barrier call_with_layout check_layout copy_to_mesh create_distributed_mesh
create_mesh create_tpu_mesh default_mesh device_name enable_save_as_bf16 fetch_layout
get_default_mesh initialize_accelerator_system initialize_multi_client initialize_tpu_system jobs
local_devices
name_based_restore name_based_save pack preferred_device_type relayout relayout_like run_on
sharded_save shutdown_accelerator_system unpack""".split()


def __getattr__(name: str) -> Any:
    if name not in _FUNCTIONS:
        raise AttributeError(f"module 'tf.experimental.dtensor' has no attribute {name!r}")

    def absent(*args: Any, **kwargs: Any) -> NoReturn:
        _absent(name)

    absent.__name__ = name
    return absent
