"""Ops of TensorFlow 1 on reference variables: what graphs show of operations on handles.

The output of a `VariableV2` is a reference to its memory: `Assign`, `ScatterAdd`, `ApplyAdam` and
their like change that and hand the reference on, anything else reads it. Here such a reference is a
handle as any other, of which `dtype` says `float32_ref`. An operation on it shows the name, the
attributes and the output that TensorFlow's has; what runs it does what `on_resources` does, the op
on resources (see `session/aliases.py`).
"""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from runnel.core.op.op import Op
from runnel.core.op.raw import raw_ops
from runnel.core.op.registry import gradients
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import DType, as_dtype, resource
from runnel.core.values.types import Dims, Spec
from runnel.graph.build.tensor import SymbolicTensor

_INPUTS = {"resource": "ref"}  # where TensorFlow's ops on references say it otherwise
_SCATTER = "Update Add Sub Mul Div Min Max NdUpdate NdAdd NdSub NdMin NdMax".split()
_APPLY = (
    "GradientDescent ProximalGradientDescent Adagrad AdagradV2 Momentum ProximalAdagrad AddSign "
    "PowerSign Adadelta AdagradDA Adam AdaMax Ftrl FtrlV2 RMSProp CenteredRMSProp"
).split()


class _Form(NamedTuple):
    """The op on references: its name, its output, and the attributes it has beside the dtype."""

    name: str
    output: str = "output_ref: T"
    attrs: Mapping[str, Any] = {}


HANDED_ON = ("output_ref", "out")  # the names of outputs that are references
_LOCKED = {"use_locking": False}
_FORMS = {
    "ReadVariableOp": _Form("Identity", "output: T"),
    "VarIsInitializedOp": _Form("IsVariableInitialized", "is_initialized: bool"),
    "ResourceCountUpTo": _Form("CountUpTo", "output: T"),
    "AssignVariableOp": _Form("Assign", attrs={"validate_shape": True, "use_locking": True}),
    "AssignAddVariableOp": _Form("AssignAdd", attrs=_LOCKED),
    "AssignSubVariableOp": _Form("AssignSub", attrs=_LOCKED),
    "ResourceStridedSliceAssign": _Form("StridedSliceAssign"),
    **{f"ResourceScatter{kind}": _Form(f"Scatter{kind}", attrs=_LOCKED) for kind in _SCATTER},
    **{
        f"Resource{sparse}Apply{name}": _Form(f"{sparse}Apply{name}", "out: T")
        for name in _APPLY
        for sparse in ("", "Sparse")
    },
}


class ReferenceTensor(SymbolicTensor):
    """The output of a `VariableV2`: a handle, of which graphs say that it is a reference."""

    @property
    def dtype(self) -> DType:
        return reference_to(self._handle_data.dtype)

    @property
    def shape(self) -> Any:
        return self._handle_data.static_shape

    def __repr__(self) -> str:
        return f"<tf.Tensor '{self.name}' shape={self.shape} dtype={self.dtype.name}>"


def reference_to(dtype: DType) -> DType:
    """The dtype of references to values of a dtype."""
    return as_dtype(f"{dtype.base_dtype.name}_ref")


class GraphOp(Op):
    """An op that only graphs hold, as in TensorFlow: there is no running it at once."""


class ReferenceOp(GraphOp):
    """An op on references, and the op on resources that does the same."""

    def __init__(self, plain: Op, form: _Form) -> None:
        self.on_resources = plain
        signature = f"{', '.join(_inputs(plain))} -> {form.output}"
        super().__init__(
            form.name,
            signature,
            plain.kernel,
            shape=plain.traits.shape or _of_memory,
            state=plain.traits.state,
        )
        self.kinds = {"T": "DType", **self.kinds}
        self.kinds |= {key: type(value).__name__ for key, value in form.attrs.items()}
        self.kinds.pop("dtype", None)
        self.defaults = {**self.defaults, **form.attrs}
        self.needs, self.takes_slices = plain.needs, plain.takes_slices
        if not plain.takes_slices:  # all but reading
            gradients.setdefault(form.name, None)

    @property
    def changes(self) -> bool:
        return self.on_resources.writes or self.name == "CountUpTo"

    @property
    def hands_on(self) -> bool:
        """Whether its output is the memory of the variable."""
        return self.outputs[0].name in HANDED_ON or self.name == "Identity"

    def plain_attrs(self, attrs: Mapping[str, Any]) -> dict[str, Any]:
        """The attributes for the op on resources."""
        given = {**attrs, "dtype": attrs["T"]}
        return {key: given[key] for key in self.on_resources.kinds if key in given}


def _inputs(plain: Op) -> list[str]:
    """The inputs in the notation of signatures."""
    kinds = {"dtype": "T"}
    return [
        f"{_INPUTS.get(arg.name, arg.name)}: {kinds.get(arg.type, arg.type)}"
        for arg in plain.inputs
    ]


def _of_memory(handle: Spec, *others: Spec, **attrs: Any) -> Dims:
    """The shape of what a reference stands for."""
    return None if handle.handle is None else handle.handle.static_shape._dims


@cache
def _reference_op(name: str) -> ReferenceOp:
    return ReferenceOp(getattr(raw_ops, name), _FORMS[name])


def variable_op() -> Op:
    """`VariableV2`, which makes the memory."""
    return _VARIABLE


def _memory(
    xp: Any, *, shape: Any, dtype: DType, container: str = "", shared_name: str = ""
) -> Any:
    return raw_ops.VarHandleOp.kernel(xp, dtype=dtype, shape=shape, shared_name=shared_name)


_VARIABLE = GraphOp("VariableV2", "-> ref: resource", _memory, shape=lambda **attrs: ())


def reference_form(
    op: Op, inputs: Sequence[Tensor], attrs: Mapping[str, Any]
) -> tuple[Op, Mapping[str, Any]]:
    """The op and the attributes to show for an op on handles that are references."""
    form = _FORMS.get(op.name)
    handles = [t for t in inputs if t._dtype is resource]
    if form is None or not all(isinstance(t, ReferenceTensor) for t in handles):
        return op, attrs
    found = _reference_op(op.name)
    dtype = handles[0]._handle_data.dtype  # type: ignore[attr-defined]
    given = {key: attrs[key] for key in attrs if key in found.kinds and key not in form.attrs}
    return found, {**found.defaults, **given, "T": dtype}


def reference_form_of(operation: Any, refers: Sequence[bool]) -> Any:
    """An operation of a function as one on references, if its first inputs are; None if not."""
    if not any(refers) or operation.type not in _FORMS:
        return None
    made = copy.copy(operation)
    made.op = found = _reference_op(operation.type)
    given = {key: value for key, value in operation.attrs.items() if key in found.kinds}
    made.attrs = {**found.defaults, **given, "T": operation.inputs[0]._handle_data.dtype}
    return made


def shown_name(op: Op) -> str:
    """The name of the op on references."""
    return _FORMS[op.name].name
