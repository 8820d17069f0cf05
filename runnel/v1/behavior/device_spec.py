"""`tf.compat.v1.DeviceSpec`: the name of a device, whose parts can be changed."""

from __future__ import annotations

from typing import Any, Self

import runnel as tf

_PARTS = ("job", "replica", "task", "device_type", "device_index")


class DeviceSpec(tf.DeviceSpec):
    """Job, replica, task, type and index of a device.

    >>> spec = tf.compat.v1.DeviceSpec(job="worker")
    >>> spec.merge_from(tf.compat.v1.DeviceSpec(device_type="GPU", device_index=1))
    >>> spec.task = 2
    >>> spec.to_string()
    '/job:worker/task:2/device:GPU:1'
    """

    __slots__ = ()
    __hash__ = tf.DeviceSpec.__hash__

    def __setattr__(self, name: str, value: Any) -> None:
        if name in _PARTS:  # as the constructor takes it
            name, value = f"_{name}", getattr(tf.DeviceSpec(**{name: value}), name)
        object.__setattr__(self, name, value)

    def parse_from_string(self, spec: str | None) -> Self:
        """Take the parts of a name such as "/job:ps/task:1/device:CPU:0"."""
        self._take(tf.DeviceSpec.from_string(spec), all_parts=True)
        return self

    def merge_from(self, dev: Any) -> None:
        """Take what another one says."""
        self._take(dev)

    def _take(self, other: Any, *, all_parts: bool = False) -> None:
        for part in _PARTS:
            value = getattr(other, part)
            if all_parts or value is not None:
                setattr(self, part, value)
