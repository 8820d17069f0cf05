"""Saying on which device each op runs."""

from __future__ import annotations

import sys
from typing import Any

from runnel.backend import configuration
from runnel.core.op.interception import Run, intercept, release
from runnel.core.settings.device import current
from runnel.core.tensor.tensor import EagerTensor


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
    (intercept if enabled else release)(_logging)


def _logging(run: Run) -> Run:
    def logged(op: Any, inputs: Any, attrs: Any, found: Any) -> tuple[EagerTensor, ...]:
        print(f"Executing op {op.name} in device {current(op.name)}", file=sys.stderr)
        return run(op, inputs, attrs, found)

    return logged
