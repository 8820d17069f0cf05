"""How many batches one call of a step function takes, and what strategies would be told."""

from __future__ import annotations

from typing import Any

import runnel as tf


class ExecutionSettings:
    """Properties of models that `compile` sets and programs may change."""

    _steps_per_execution = 1
    _autotune_steps_per_execution = False
    _distribute_reduction_method: str | None = None

    def _set_steps_per_execution(self, steps: Any) -> None:
        self.autotune_steps_per_execution = steps == "auto"
        self._steps_per_execution = 1 if steps in (None, "auto") else int(steps)

    @property
    def steps_per_execution(self) -> int:
        """The batches that one call of a step function takes."""
        return self._steps_per_execution

    @steps_per_execution.setter
    def steps_per_execution(self, value: int) -> None:
        self._steps_per_execution = int(value)

    @property
    def autotune_steps_per_execution(self) -> bool:
        """Whether `steps_per_execution` is to be chosen for speed.

        Every step is one compiled call, however many make an execution, so that one is the best.
        """
        return self._autotune_steps_per_execution

    @autotune_steps_per_execution.setter
    def autotune_steps_per_execution(self, value: bool) -> None:
        self._autotune_steps_per_execution = bool(value)
        if value:
            self._steps_per_execution = 1

    @property
    def distribute_reduction_method(self) -> str:
        """How the results of replicas become one: `auto`, unless somebody says otherwise."""
        return self._distribute_reduction_method or "auto"

    @distribute_reduction_method.setter
    def distribute_reduction_method(self, value: str | None) -> None:
        self._distribute_reduction_method = value

    @property
    def distribute_strategy(self) -> Any:
        """The `tf.distribute.Strategy` in force, None where there are none."""
        distribute = getattr(tf, "distribute", None)
        return None if distribute is None else distribute.get_strategy()
