"""The declarations of ops as TensorFlow's messages."""

from __future__ import annotations

from typing import Any

from runnel.core.op.attributes import ATTRIBUTE_NAMES
from runnel.core.op.op import Op
from runnel.core.op.raw import raw_ops
from runnel.core.op.signature import Arg
from runnel.core.protos import messages
from runnel.core.values.dtypes import resource
from runnel.core.values.errors import NotFoundError
from runnel.graph.build.reference_ops import HANDED_ON, GraphOp
from runnel.graph.graphdef.export import own_attributes, write_value

_KINDS = {
    "bool": "bool",
    "int": "int",
    "float": "float",
    "str": "string",
    "DType": "type",
    "TensorShape": "shape",
    "Any": "tensor",
    "tuple": "list(int)",
    "tuple[Any, ...]": "list(shape)",
    "tuple[float, ...]": "list(float)",
    "tuple[str, ...]": "list(string)",
    "tuple[DType, ...]": "list(type)",
    "tuple[TensorShape, ...]": "list(shape)",
    "tuple[FuncGraph, ...]": "list(func)",
    "tuple[NamedGraph, ...]": "list(func)",
}


def op_def(name: str) -> Any:
    """What is declared of the op of a name as an `OpDef`."""
    op: Op | None = vars(raw_ops).get(name)
    if op is None:
        raise NotFoundError(None, None, f"There is no op named {name!r}.")
    return declaration(op)


def declaration(op: Op) -> Any:
    """What is declared of an op as an `OpDef`."""
    proto = messages.OpDef(name=op.name, is_stateful=op.stateful)
    for args, field in ((op.inputs, proto.input_arg), (op.outputs, proto.output_arg)):
        for arg in args:
            _write_arg(field.add(), arg)
            if isinstance(op, GraphOp):
                _mark_reference(field[-1], op)
    written: set[str] = set(own_attributes(op.name))
    for arg in (*op.inputs, *op.outputs):
        _write_type_attrs(proto, op, arg, written)
    names = ATTRIBUTE_NAMES.get(op.name, {})
    implied = {arg.type for arg in op.inputs}
    for key, kind in op.kinds.items():
        if key not in written:
            attr = proto.attr.add(name=names.get(key, key), type=_kind(kind))
            if op.defaults.get(key) is not None and key not in implied:
                write_value(attr.default_value, kind, op.defaults[key])
            _allow(attr, op.allowed.get(key, ()))
    return proto


def _mark_reference(proto: Any, op: Any) -> None:
    """Say of what is a handle here that it is a reference."""
    if proto.type == resource.enum or (proto.name in HANDED_ON):
        proto.type, proto.is_ref = 0, True
        proto.type_attr = "dtype" if "dtype" in op.kinds else "T"


def _kind(kind: str) -> str:
    return _KINDS.get(kind.removesuffix(" | None"), "func")


def _write_arg(proto: Any, arg: Arg) -> None:
    proto.name = arg.title
    if arg.fixed is not None:
        proto.type = arg.fixed.enum
    elif arg.mixed:
        proto.type_list_attr = arg.type
    else:
        proto.type_attr = arg.type
    if arg.number:
        proto.number_attr = arg.number


def _write_type_attrs(proto: Any, op: Op, arg: Arg, written: set[str]) -> None:
    """The attributes that follow from an argument: its dtype, or how many tensors it is."""
    if arg.number and arg.number not in written and arg.number not in op.kinds:
        proto.attr.add(name=arg.number, type="int", has_minimum=True, minimum=1)
        written.add(arg.number)
    if arg.fixed is None and arg.type not in written and arg.type not in op.kinds:
        attr = proto.attr.add(name=arg.type, type="list(type)" if arg.mixed else "type")
        _allow(attr, op.allowed.get(arg.type, ()))
        written.add(arg.type)


def _allow(attr: Any, allowed: Any) -> None:
    """Write what values an attribute may have: dtypes, texts, or numbers from one on."""
    if hasattr(allowed, "least"):
        attr.has_minimum, attr.minimum = True, allowed.least
        return
    texts = sorted(value for value in allowed if isinstance(value, str))
    numbers = sorted(dtype.enum for dtype in allowed if not isinstance(dtype, str))
    if texts or numbers:
        attr.allowed_values.list.s.extend(text.encode() for text in texts)
        attr.allowed_values.list.type.extend(numbers)
