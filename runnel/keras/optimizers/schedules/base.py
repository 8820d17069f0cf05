"""`tf.keras.optimizers.schedules.LearningRateSchedule`."""

from __future__ import annotations

from typing import Any

from runnel.keras.saving.config_errors import reads_config


class LearningRateSchedule:
    """A learning rate that depends on the number of steps taken.

    >>> class Halving(tf.keras.optimizers.schedules.LearningRateSchedule):
    ...     def __call__(self, step):
    ...         return 0.5 ** tf.cast(step, tf.float32)
    >>> float(Halving()(2))
    0.25
    """

    def __call__(self, step: Any) -> Any:
        raise NotImplementedError(f"Learning rate schedule '{type(self).__name__}' needs __call__")

    def get_config(self) -> dict[str, Any]:
        """The arguments with which another can be made."""
        raise NotImplementedError(
            f"Learning rate schedule '{type(self).__name__}' must override `get_config()` in "
            "order to be serializable."
        )

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any]) -> Any:
        """A schedule with the arguments of `get_config`."""
        return cls(**config)
