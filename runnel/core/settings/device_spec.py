"""`tf.DeviceSpec`: the name of a device, or of a part of one, taken apart."""

from __future__ import annotations

from typing import Any, Self

_TYPES = frozenset(("CPU", "GPU", "TPU"))


class DeviceSpec:
    """Job, replica, task, type and index of a device; None for what is left open.

    >>> spec = tf.DeviceSpec.from_string("/job:worker/device:GPU:1")
    >>> spec.job, spec.device_type, spec.device_index
    ('worker', 'GPU', 1)
    >>> spec.replace(device_index=0).to_string()
    '/job:worker/device:GPU:0'
    """

    __slots__ = ("_device_index", "_device_type", "_job", "_replica", "_task")

    def __init__(
        self,
        job: Any = None,
        replica: Any = None,
        task: Any = None,
        device_type: Any = None,
        device_index: Any = None,
    ) -> None:
        self._job = None if job is None else str(job)
        self._replica = _number(replica)
        self._task = _number(task)
        self._device_type = _upper(device_type)
        self._device_index = _number(device_index)

    @classmethod
    def from_string(cls, spec: str | None) -> Self:
        """The parts of a name such as "/job:ps/task:1/device:CPU:0" or "gpu:0"."""
        if spec is not None and not isinstance(spec, str):
            raise AttributeError(f"DeviceSpec: `spec` must be a string, got {spec!r}.")
        return cls(**_parse(spec))

    def parse_from_string(self, spec: str | None) -> Self:
        """The parts of `spec`; this object stays as it is."""
        return self.from_string(spec)

    @property
    def job(self) -> str | None:
        return self._job

    @property
    def replica(self) -> int | None:
        return self._replica

    @property
    def task(self) -> int | None:
        return self._task

    @property
    def device_type(self) -> str | None:
        return self._device_type

    @property
    def device_index(self) -> int | None:
        return self._device_index

    def to_string(self) -> str:
        """The name, with the parts that are known."""
        parts = [
            f"/{key}:{value}"
            for key, value in (("job", self._job), ("replica", self._replica), ("task", self._task))
            if value is not None
        ]
        if self._device_type is not None:
            index = "*" if self._device_index is None else self._device_index
            parts.append(f"/device:{self._device_type}:{index}")
        return "".join(parts)

    def replace(self, **kwargs: Any) -> Self:
        """A copy with some parts changed."""
        return type(self)(**{**self._parts(), **kwargs})

    def make_merged_spec(self, dev: DeviceSpec) -> Self:
        """This spec with the parts that `dev` knows put in their places."""
        known = {key: getattr(dev, key) for key in self._parts()}
        return self.replace(**{key: value for key, value in known.items() if value is not None})

    def _parts(self) -> dict[str, Any]:
        return {
            "job": self._job,
            "replica": self._replica,
            "task": self._task,
            "device_type": self._device_type,
            "device_index": self._device_index,
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and self.to_string() == other.to_string()

    def __hash__(self) -> int:
        return hash(self.to_string())

    def __repr__(self) -> str:
        parts = ", ".join(f"{key}={value}" for key, value in self._parts().items())
        return f"<DeviceSpec({parts})>"


def _number(value: Any) -> int | None:
    return None if value is None else int(value)


def _upper(device_type: Any) -> str | None:
    """CPU and GPU are written large; the names of other kinds of devices are left alone."""
    if device_type is None:
        return None
    name = str(device_type)
    return name.upper() if name.upper() in ("CPU", "GPU") else name


def _parse(text: str | None) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for part in (text or "").split("/"):
        key, *rest = part.split(":")
        if not part:
            continue
        if key in ("job", "replica", "task") and len(rest) == 1:
            found[key] = rest[0] if key == "job" else int(rest[0])
        elif key == "device" and len(rest) == 2:
            _add_device(found, rest, text)
        elif key.upper() in _TYPES and len(rest) < 2:
            _add_device(found, [key.upper(), *(rest or "*")], text)
        else:
            raise ValueError(f"{text!r} is not the name of a device: {part!r} is unknown.")
    return found


def _add_device(found: dict[str, Any], device: list[str], text: str | None) -> None:
    if "device_type" in found:
        raise ValueError(f"{text!r} is not the name of a device: it names two of them.")
    found["device_type"] = device[0]
    if device[1] != "*":
        found["device_index"] = int(device[1])
