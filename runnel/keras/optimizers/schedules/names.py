"""Schedules by name."""

from __future__ import annotations

from typing import Any

from runnel.keras.optimizers.schedules import decays
from runnel.keras.optimizers.schedules.base import LearningRateSchedule
from runnel.keras.saving.lookup import Lookup

_NAMES = {
    name: value
    for name, value in vars(decays).items()
    if isinstance(value, type) and issubclass(value, LearningRateSchedule)
}
_lookup = Lookup("decay", lambda: _NAMES)


def serialize(learning_rate_schedule: Any, use_legacy_format: bool = False) -> Any:
    """The config of a schedule."""
    return _lookup.serialize(learning_rate_schedule, use_legacy_format)


def deserialize(config: Any, custom_objects: Any = None, use_legacy_format: bool = False) -> Any:
    """The schedule of a config."""
    return _lookup.deserialize(config, custom_objects, use_legacy_format)
