"""What a tape writes down: which ops ran on watched tensors, in order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from runnel.core.context import state
from runnel.core.dtypes import DType, resource, variant
from runnel.core.registry import gradients
from runnel.core.shape import TensorShape
from runnel.core.tensor import EagerTensor, Tensor

if TYPE_CHECKING:
    from runnel.core.op import Op

SMALL = 256  # elements; a tensor of no more is kept whether its value is needed or not


class Record:
    """One op that ran: to a gradient function it looks like an `Operation` of a graph."""

    __slots__ = ("attrs", "backward", "inputs", "op", "outputs")

    def __init__(
        self,
        op: Op | None,
        inputs: Sequence[Tensor],
        outputs: Sequence[Tensor],
        attrs: Mapping[str, Any],
        backward: Callable[..., Any] | None = None,
    ) -> None:
        self.op = op
        self.inputs = inputs
        self.outputs = outputs
        self.attrs = attrs
        self.backward = backward

    @property
    def type(self) -> str:
        return self.op.name if self.op is not None else "CustomGradient"

    name = type

    def get_attr(self, name: str) -> Any:
        assert self.op is not None
        return self.op.type_attrs(self.inputs, self.attrs)[name]

    @property
    def op_def(self) -> Op | None:
        return self.op


class Shell(Tensor):
    """Stands for a tensor whose value no gradient needs, so that the value can be freed."""

    __slots__ = ("_shape",)

    def __init__(self, tensor: EagerTensor) -> None:
        self._dtype = tensor._dtype
        self._id = tensor._id
        self._shape = tensor._value.shape

    @property
    def shape(self) -> TensorShape:
        return TensorShape.of(self._shape)


class Recorder:
    """The records of one tape and the ids of the tensors it watches."""

    def __init__(self) -> None:
        self.records: list[Any] = []
        self.watched: set[int] = set()
        self.watches_variables = True
        self.variables: dict[int, Any] = {}

    def watch(self, tensor: Tensor) -> None:
        self.watched.add(tensor._id)

    def watch_variable(self, variable: Any) -> None:
        handle = variable.handle
        self.variables.setdefault(handle._id, variable)
        self.watched.add(handle._id)


def differentiable(dtype: DType) -> bool:
    return dtype.is_floating or dtype.is_complex or dtype is resource or dtype is variant


def record(op: Op, inputs: Sequence[Tensor], attrs: Mapping[str, Any], outputs: Sequence[Tensor]) -> None:
    """Tell the active tapes that `op` ran."""
    entry = None
    for tape in state.tapes:
        watched = tape.watched
        for tensor in inputs:
            if tensor._id in watched:
                break
        else:
            continue
        if not outputs or gradients.get(op.name, op) is None:
            continue
        if entry is None:
            entry = _entry(op, inputs, attrs, outputs)
        tape.records.append(entry)
        watched.update([o._id for o in outputs if differentiable(o._dtype)])


def _entry(op: Op, inputs: Sequence[Tensor], attrs: Mapping[str, Any], outputs: Sequence[Tensor]) -> Any:
    if state.graph is not None:
        return outputs[0].op  # type: ignore[attr-defined]
    needs = op.needs
    if needs is None:
        return Record(op, inputs, outputs, attrs)
    wanted, keep_outputs = needs
    kept = [t if i in wanted else _shell(t) for i, t in enumerate(inputs)]
    return Record(op, kept, outputs if keep_outputs else [_shell(t) for t in outputs], attrs)


def _shell(tensor: Tensor) -> Tensor:
    value = getattr(tensor, "_value", None)
    if value is None or value.size <= SMALL or type(tensor) is not EagerTensor:
        return tensor
    return Shell(tensor)


def record_custom(
    inputs: Sequence[Tensor], outputs: Sequence[Tensor], backward: Callable[..., Any]
) -> None:
    """Tell the active tapes of a computation that brings its own gradient.

    `backward` takes the gradients of the outputs and returns those of the inputs.
    """
    entry = Record(None, inputs, outputs, {}, backward)
    for tape in state.tapes:
        if any(t._id in tape.watched for t in inputs):
            tape.records.append(entry)
            tape.watched.update([o._id for o in outputs if differentiable(o._dtype)])
