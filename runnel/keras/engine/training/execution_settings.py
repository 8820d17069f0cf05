"""How many batches one call of a step function takes, and what strategies would be told."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any

import runnel as tf
from runnel.keras.metrics.base import Metric


class ExecutionSettings:
    """Properties of models that `compile` sets and programs may change."""

    _steps_per_execution = 1
    _autotune_steps_per_execution = False
    _distribute_reduction_method: str | None = None
    _distribution_strategy: Any = None
    variables: Any

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
        """The `tf.distribute.Strategy` in whose scope the model was made, or that is in force."""
        return self._distribution_strategy or tf.distribute.get_strategy()

    def _in_strategy(self) -> AbstractContextManager[Any]:
        """The scope of the strategy; nothing where it is entered, or the default one."""
        strategy = self._distribution_strategy
        if strategy is None or tf.distribute.get_strategy() is strategy:
            return nullcontext()
        return strategy.scope()

    def _note_strategy(self) -> None:
        """Remember the strategy in whose scope the model is made."""
        if tf.distribute.has_strategy():
            self.__dict__["_distribution_strategy"] = tf.distribute.get_strategy()

    def _check_strategy(self, metrics: Any) -> None:
        """ValueError if variables were made elsewhere than in the scope of the strategy."""
        strategy = self.distribute_strategy
        if strategy.num_replicas_in_sync == 1 and not tf.distribute.has_strategy():
            return
        made = [m for m in tf.nest.flatten(metrics) if isinstance(m, Metric)]
        for variable in (*self.variables, *(v for metric in made for v in metric.variables)):
            if not strategy.extended.variable_created_in_scope(variable):
                raise ValueError(
                    f"{variable.name!r} was not made in the scope of {strategy}, in which the "
                    "model is compiled. Make the model and its metrics, and call `compile`, "
                    "inside one `with strategy.scope():`."
                )
