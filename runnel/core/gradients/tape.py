"""What a tape writes down: which ops ran on watched tensors, in order.

On the reading path after `core/op/registry.py`, before `core/gradients/backprop.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from runnel.core.op.attributes import ATTRIBUTE_NAMES, shown
from runnel.core.op.context import state
from runnel.core.op.registry import gradients
from runnel.core.settings.user_code import user_line
from runnel.core.tensor.tensor import EagerTensor, Tensor, next_id
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.shape import TensorShape

if TYPE_CHECKING:
    from runnel.core.op.op import Op

SMALL = 256  # elements; a tensor of no more is kept whether its value is needed or not
MOST_CUTS = 1000  # a tape remembers no more places where a path ended

DIFFERENTIABLE = dtypes.FLOATS | dtypes.COMPLEX | {dtypes.resource, dtypes.variant}


def differentiable(dtype: DType) -> bool:
    return dtype in DIFFERENTIABLE


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
        return self.op.name if self.op is not None else str(self.attrs["name"])

    name = type

    def get_attr(self, name: str) -> Any:
        """An attribute as TensorFlow gives it; our own gradient functions read `attrs`."""
        assert self.op is not None
        names = ATTRIBUTE_NAMES.get(self.type, {})
        for key, value in self.op.type_attrs(self.inputs, self.attrs).items():
            if names.get(key, key) == name:
                return shown(value)
        raise InvalidArgumentError(None, None, f"{self.type} has no attribute {name!r}.")


class Shell(Tensor):
    """Stands for a tensor whose value no gradient needs, so that the value can be freed."""

    __slots__ = ("dims",)

    def __init__(self, tensor: EagerTensor, dims: tuple[int, ...]) -> None:
        self._dtype = tensor._dtype
        self._id = tensor._id
        self.dims = dims

    @property
    def shape(self) -> TensorShape:
        return TensorShape.of(self.dims)


class Cut(NamedTuple):
    """A place where something was computed from a watched tensor and no gradient can come back."""

    op: str
    dtype: DType | None
    where: str
    before: int  # tensors of higher ids are younger
    made: tuple[int, ...]  # the ids of what the op itself gave


class Tape:
    """One of the active tapes of a thread (`state.tapes`), told of ops; this one ignores them."""

    __slots__ = ()
    is_forward = False  # a forward accumulator
    graph: Any  # only ops of this graph, or those that run at once, are told
    watched: Collection[int] = frozenset()  # ids of tensors; only ops on one of them are told
    watches_variables: bool = False  # whether it is told of trainable variables that are read
    lost: Mapping[int, Any] = MappingProxyType({})

    def watch_variable(self, variable: Any) -> None:
        """A trainable variable is read."""

    def add(self, entry: Any) -> None:
        """An op with a gradient ran."""

    def lose(self, op: str, outputs: Sequence[Tensor]) -> None:
        """An op without a gradient ran."""

    def follow(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> None:
        """An op without watched inputs ran."""

    def push(self, entry: Any) -> None:
        """All tapes have been told of an op with a gradient."""


class Recorder(Tape):
    """The records of one tape and the ids of the tensors it watches.

    A tape sees the ops of the graph in which it was started, or those that run at once; what
    happens inside the functions and branches that these call is their own business.
    """

    __slots__ = (
        "cuts",
        "first",
        "graph",
        "last",
        "lost",
        "records",
        "variables",
        "watched",
        "watches_variables",
    )
    watched: set[int]
    lost: dict[int, Cut]

    def __init__(self, *, watches_variables: bool = True) -> None:
        self.graph = state.graph
        self.records: list[Any] = []
        self.watched = set()
        self.watches_variables = watches_variables
        self.variables: dict[int, Any] = {}
        self.cuts: list[Cut] = []
        self.lost = {}  # by id of a tensor that depends on a watched one: why only loosely
        self.first = next_id()  # tensors of lower ids are older than the tape
        self.last: int | None = None

    def watch(self, tensor: Tensor) -> None:
        self.watched.add(tensor._id)

    def watch_variable(self, variable: Any) -> None:
        key = variable.handle._id
        if key not in self.variables:
            self.variables[key] = variable
            self.watched.add(key)

    def add(self, entry: Any) -> None:
        """Note an op that has a gradient."""
        self.records.append(entry)
        for output in entry.outputs:
            if output._dtype in DIFFERENTIABLE:
                self.watched.add(output._id)

    def lose(self, op: str, outputs: Sequence[Tensor]) -> None:
        """Note that nothing comes back through an op from its outputs."""
        if len(self.cuts) < MOST_CUTS:
            made = tuple(output._id for output in outputs)
            cut = Cut(op, outputs[0]._dtype if outputs else None, user_line(), next_id(), made)
            self.cuts.append(cut)
            for output in outputs:
                self.lost[output._id] = cut

    def follow(self, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> None:
        """Outputs of an op without watched inputs are lost where an input is."""
        for tensor in inputs:
            cut = self.lost.get(tensor._id)
            if cut is not None:
                for output in outputs:
                    self.lost[output._id] = cut
                return


class CapturedOperation:
    """An operation with inputs from outside its graph, these in place of their stand-ins."""

    __slots__ = ("inputs", "operation")

    def __init__(self, operation: Any, inputs: Sequence[Tensor]) -> None:
        self.operation = operation
        self.inputs = inputs

    def __getattr__(self, name: str) -> Any:
        return getattr(self.operation, name)

    def __repr__(self) -> str:
        return repr(self.operation)


def record(
    op: Op, inputs: Sequence[Tensor], attrs: Mapping[str, Any], outputs: Sequence[Tensor]
) -> None:
    """Tell the active tapes that `op` ran."""
    here = state
    graph = here.graph
    entry = None
    for tape in here.tapes:
        if tape.graph is not graph:
            continue
        watched = tape.watched
        for tensor in inputs:
            if tensor._id in watched and tensor._dtype in DIFFERENTIABLE:
                break
        else:
            if tape.lost:
                tape.follow(inputs, outputs)
            continue
        if entry is None:
            entry = _entry(op, inputs, attrs, outputs)
        if entry is False:
            tape.lose(op.name, outputs)
        elif not tape.is_forward:  # what `add` does
            tape.records.append(entry)
            for output in outputs:
                if output._dtype in DIFFERENTIABLE:
                    watched.add(output._id)
    if entry and here.accumulates:
        accumulate(entry)


def accumulate(entry: Any) -> None:
    """Tell the forward accumulators, last of all: they run ops that tapes record after this one.

    The outermost comes first, since the derivatives that an inner one computes have tangents too.
    """
    for tape in state.tapes:
        if tape.is_forward and tape.graph is state.graph:
            tape.push(entry)


def _entry(op: Op, inputs: Sequence[Any], attrs: Mapping[str, Any], outputs: Sequence[Any]) -> Any:
    """What to write down; False for an op through which no gradient comes."""
    for output in outputs:
        if output._dtype in DIFFERENTIABLE:
            break
    else:
        return False
    if gradients.get(op.name, op) is None:
        return False
    if state.graph is not None:
        operation = outputs[0].op
        captured = any(a is not b for a, b in zip(operation.inputs, inputs, strict=True))
        return CapturedOperation(operation, inputs) if captured else operation
    if op.needs is None:
        return Record(op, inputs, outputs, attrs)
    wanted, keep_outputs = op.needs
    if op.has_lists:
        wanted = {i for i, arg in enumerate(op.flat_args(attrs)) if op.inputs.index(arg) in wanted}
    if len(wanted) < len(inputs):
        inputs = [t if i in wanted else _unread(t) for i, t in enumerate(inputs)]
    if not keep_outputs:
        outputs = [_unread(t) for t in outputs]
    return Record(op, inputs, outputs, attrs)


def _unread(tensor: Any) -> Tensor:
    """A tensor whose value no gradient reads: without it, if it is large."""
    value = tensor._value
    if type(value) is np.ndarray and value.size > SMALL:
        return Shell(tensor, value.shape)
    return tensor  # type: ignore[no-any-return]


def record_custom(
    inputs: Sequence[Tensor],
    outputs: Sequence[Tensor],
    backward: Callable[..., Any],
    name: str = "CustomGradient",
) -> None:
    """Tell the active tapes of a computation that brings its own gradient.

    `backward` takes the gradients of the outputs and returns those of the inputs.
    """
    entry = Record(None, inputs, outputs, {"name": name}, backward)
    for tape in state.tapes:
        if tape.graph is state.graph and any(t._id in tape.watched for t in inputs):
            tape.add(entry)
    if state.accumulates:
        accumulate(entry)


def note_detour(op: str, inputs: Sequence[Tensor], outputs: Sequence[Tensor]) -> None:
    """Tell the active tapes of outputs that Python code made of `inputs` behind their backs."""
    for tape in state.tapes:
        if any(t._id in tape.watched for t in inputs):
            unseen = [t for t in outputs if t._id not in tape.watched]
            if unseen:
                tape.lose(op, unseen)


def note_more_outputs(operation: Any, added: Iterable[Tensor]) -> None:
    """Let the active tapes that know an operation watch outputs that it was given later."""
    known = [t._id for t in (*operation.inputs, *operation.outputs)]
    for tape in state.tapes:
        here = tape.graph is operation.graph and not tape.is_forward
        if here and any(key in tape.watched for key in known):
            tape.watched.update(t._id for t in added)
