"""Saying on which device each op runs."""

from __future__ import annotations

import sys
from typing import Any

from runnel.backend import configuration
from runnel.core.op.observing import Observer, ignore, observe
from runnel.core.settings.device import current


def get_log_device_placement() -> bool:
    """Whether a line is written for each op that runs."""
    return configuration.log_device_placement


def set_log_device_placement(enabled: bool) -> None:
    """Write a line to the standard error stream for each op that runs, naming its device.

    >>> tf.debugging.set_log_device_placement(True)
    >>> x = tf.constant(1.0) + 1.0
    >>> tf.debugging.set_log_device_placement(False)
    """
    configuration.log_device_placement = bool(enabled)
    (observe if enabled else ignore)(_logging)


class _Logging(Observer):
    def before(self, op: Any, inputs: Any) -> None:
        print(f"Executing op {op.name} in device {current(op.name)}", file=sys.stderr)


_logging = _Logging()
