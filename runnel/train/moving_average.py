"""`tf.train.ExponentialMovingAverage`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, NamedTuple

from runnel.backend import configuration
from runnel.core.op import context
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.settings.scopes import control_dependencies, init_scope, name_scope
from runnel.core.state.variable import Variable
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import float32
from runnel.graph.functions.reference_variable import ReferenceVariable
from runnel.ops.array.constants import zeros
from runnel.ops.control.grouping import group


class _Kept(NamedTuple):
    """What is kept of a value: its average, and for tensors perhaps what undoes its first zero."""

    value: Any
    average: Variable
    biased: Variable | None = None
    steps: Variable | None = None


class ExponentialMovingAverage:
    """Averages of variables over time, of which `decay` is kept at each step.

    In a `tf.Graph`, `apply` gives the operation that takes a step, and tensors have averages too:
    these begin with zeros, for which `zero_debias` makes up.

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
        self._kept: dict[int, _Kept] = {}

    @property
    def name(self) -> str:
        """The name of the averages' scope."""
        return self._name

    def apply(self, var_list: Sequence[Any] | None = None) -> Any:
        """Let the averages take a step towards the values; made here when they are new.

        Without a list, the trainable variables of the graph have averages.
        """
        values = list(_collected("trainable_variables") if var_list is None else var_list)
        for value in values:
            _check(value)
            if id(value) not in self._kept:
                self._kept[id(value)] = self._begun(value)
        with name_scope(self._name) as scope:
            rest = self._rest()
            steps = [_step(self._kept[id(value)], rest) for value in values]
            return group(*steps, name=scope)

    def _begun(self, value: Any) -> _Kept:
        """A new average, which begins with the first value of a variable, or with zeros."""
        name = self.average_name(value)
        if isinstance(value, Variable):
            with _outside():
                first = getattr(value, "initialized_value", value.value)()
                made = _new(first, _scope() + name)
                if state.graph is not None:
                    state.graph.add_to_collection("moving_average_variables", value)  # type: ignore[attr-defined]
            return _Kept(value, made)
        with _outside():
            made = _zeros(value.shape, value.dtype, _scope() + name)
            if not self.zero_debias:
                return _Kept(value, made)
            within = _scope() + _title(made)
            biased = _zeros(value.shape, value.dtype, f"{within}/biased")
            return _Kept(value, made, biased, _zeros([], value.dtype, f"{within}/local_step"))

    def _rest(self) -> Tensor:
        """How much of a step is taken."""
        decay = convert_to_tensor(self._decay, dtype=float32)
        if self._num_updates is not None:
            count = raw_ops.Cast(convert_to_tensor(self._num_updates), DstT=float32)
            decay = raw_ops.Minimum(decay, (1.0 + count) / (10.0 + count))
        return 1.0 - decay  # type: ignore[no-any-return,operator]

    def average(self, var: Any) -> Variable | None:
        """The average of a variable, None if it has none."""
        found = self._kept.get(id(var))
        return None if found is None else found.average

    def average_name(self, var: Any) -> str:
        """The name that the average of a variable has."""
        found = self.average(var)
        return f"{var.name.split(':')[0]}/{self._name}" if found is None else _title(found)

    def variables_to_restore(
        self, moving_avg_variables: Sequence[Any] | None = None
    ) -> dict[str, Any]:
        """Variables by the names under which they are saved: those of averages that they have.

        In a graph all variables are among them, the others under their own names.
        """
        if moving_avg_variables is None:
            held = [k.value for k in self._kept.values() if isinstance(k.value, Variable)]
            marked = ("trainable_variables", "moving_average_variables")
            collected = [v for name in marked for v in _collected(name)]
            moving_avg_variables = collected or held
        found = {self.average_name(v): v for v in moving_avg_variables}
        averaged = {_title(v) for v in moving_avg_variables}
        for variable in _collected("variables"):
            if _title(variable) not in averaged:
                found.setdefault(_title(variable), variable)
        return found


def _check(value: Any) -> None:
    if not isinstance(value, Variable) and (state.graph is None or not isinstance(value, Tensor)):
        raise TypeError(
            "tf.train.ExponentialMovingAverage does not support non-Variable tensors here, got "
            f"{value!r}."
        )
    if not value.dtype.is_floating:
        raise TypeError(
            f"The variables must be half, float, or double, got {value.name} of {value.dtype.name}."
        )


@contextmanager
def _outside() -> Iterator[None]:
    """In the graph around functions, at its top, or at once."""
    with init_scope(), context.unrecorded(), control_dependencies(None), name_scope(""):
        yield


def _collected(name: str) -> Iterable[Any]:
    graph: Any = state.graph
    return () if graph is None else graph.get_collection(name)


def _scope() -> str:
    """The open scope of variables by name, with a slash, if there is one."""
    found = _collected(("__varscope",))  # type: ignore[arg-type]
    name = "".join(current.scope.name for current in found)
    return f"{name}/" if name else ""


def _title(variable: Any) -> str:
    return str(variable.name).split(":")[0]


def _zeros(shape: Any, dtype: Any, name: str) -> Variable:
    return _new(zeros(shape, dtype), name)


def _new(first: Any, name: str) -> Variable:
    graph: Any = state.graph
    refers = graph is not None and not configuration.resource_variables
    with graph.variables_of(ReferenceVariable) if refers else nullcontext():
        return Variable(first, trainable=False, name=name)


def _step(kept: _Kept, rest: Tensor) -> Any:
    """Take one step towards the value."""
    value, average, biased, steps = kept
    with name_scope("AssignMovingAvg"):
        rest = raw_ops.Cast(rest, DstT=average.dtype.base_dtype)
        if biased is None or steps is None:
            return average.assign_sub((average - value) * rest)
        moved, count = biased.assign_sub((biased - value) * rest), steps.assign_add(1.0)
        return average.assign(moved / (1.0 - (1.0 - rest) ** count))
