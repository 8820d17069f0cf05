"""`client.device_lib` and `lib.io.file_io`: devices, and files read and written at once."""

from __future__ import annotations

from typing import Any, NamedTuple

import runnel


class DeviceAttributes(NamedTuple):
    """A device as `list_local_devices` tells of it."""

    name: str
    device_type: str
    physical_device_desc: str = ""


def list_local_devices(session_config: Any = None) -> list[DeviceAttributes]:
    """The devices of this process."""
    if session_config is not None:
        raise NotImplementedError("list_local_devices: `session_config` is not supported.")
    found = runnel.config.list_logical_devices()
    return [DeviceAttributes(device.name, device.device_type) for device in found]


def read_file_to_string(filename: Any, binary_mode: bool = False) -> str | bytes:
    with runnel.io.gfile.GFile(filename, "rb" if binary_mode else "r") as file:
        content: str | bytes = file.read()
    return content


def write_string_to_file(filename: Any, file_content: str | bytes) -> None:
    with runnel.io.gfile.GFile(filename, "w") as file:
        file.write(file_content)
