"""To which device an eager tensor in the memory of the host counts, if not to the first CPU."""

from __future__ import annotations

import weakref
from typing import Any

CPU = "/job:localhost/replica:0/task:0/device:CPU:0"

_elsewhere: dict[int, str] = {}


def place(tensor: Any, device: str) -> None:
    """Note that a new tensor counts to `device`."""
    if device != CPU:
        _elsewhere[tensor._id] = device
        weakref.finalize(tensor, _elsewhere.pop, tensor._id, None).atexit = False


def device_of(tensor: Any) -> str:
    return _elsewhere.get(tensor._id, CPU)
