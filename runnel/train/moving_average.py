"""`tf.train.ExponentialMovingAverage`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runnel.core.op import context
from runnel.core.op.raw import raw_ops
from runnel.core.state.variable import Variable
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor


class ExponentialMovingAverage:
    """Averages of variables over time, of which `decay` is kept at each step.

    >>> v = tf.Variable(1.0)
    >>> averages = tf.train.ExponentialMovingAverage(0.9)
    >>> averages.apply([v])
    >>> _ = v.assign(11.0)
    >>> averages.apply([v])
    >>> round(float(averages.average(v)), 5)
    2.0
    """

    def __init__(
        self,
        decay: Any,
        num_updates: Any = None,
        zero_debias: bool = False,
        name: str = "ExponentialMovingAverage",
    ) -> None:
        self._decay = decay
        self._num_updates = num_updates
        self.zero_debias = zero_debias
        self._name = name
        self._averages: dict[int, tuple[Any, Variable]] = {}

    @property
    def name(self) -> str:
        """The name of the averages' scope."""
        return self._name

    def apply(self, var_list: Sequence[Any] | None = None) -> None:
        """Let the averages take a step towards the values now; made here when they are new.

        They begin with the first values, so that `zero_debias` has nothing to undo.
        """
        for variable in var_list or ():
            if not isinstance(variable, Variable):
                raise TypeError(
                    "tf.train.ExponentialMovingAverage does not support non-Variable tensors, got "
                    f"{variable!r}."
                )
            if not variable.dtype.is_floating:
                raise TypeError(
                    f"The variables must be half, float, or double, got {variable.name} of "
                    f"{variable.dtype.name}."
                )
            self._step(variable)

    def _step(self, variable: Variable) -> None:
        if id(variable) not in self._averages:
            with context.building(None), context.unrecorded():
                name = self.average_name(variable)
                made = Variable(variable.value(), trainable=False, name=name)
            self._averages[id(variable)] = (variable, made)
        average = self._averages[id(variable)][1]
        average.assign_sub((average - variable) * self._rest(average))

    def _rest(self, average: Variable) -> Tensor:
        """How much of a step is taken."""
        decay = convert_to_tensor(self._decay, dtype=average.dtype)
        if self._num_updates is not None:
            count = raw_ops.Cast(convert_to_tensor(self._num_updates), DstT=average.dtype)
            decay = raw_ops.Minimum(decay, (1.0 + count) / (10.0 + count))
        return 1.0 - decay  # type: ignore[no-any-return,operator]

    def average(self, var: Any) -> Variable | None:
        """The average of a variable, None if it has none."""
        found = self._averages.get(id(var))
        return None if found is None else found[1]

    def average_name(self, var: Any) -> str:
        """The name that the average of a variable has."""
        return f"{var.name.split(':')[0]}/{self._name}"

    def variables_to_restore(
        self, moving_avg_variables: Sequence[Any] | None = None
    ) -> dict[str, Any]:
        """Variables by the names under which their averages are saved."""
        known = [variable for variable, _ in self._averages.values()]
        return {self.average_name(v): v for v in moving_avg_variables or known}
