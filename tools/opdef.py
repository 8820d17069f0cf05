"""Show how TensorFlow registers its ops: one line each, in the notation of `runnel/ops`.

Run it with the interpreter of a TensorFlow environment:

    python tools/opdef.py MatMul Conv2D        lines for these ops
    python tools/opdef.py --all                lines for every op
    python tools/opdef.py --json FILE          the same facts about every op, as data

    MatMul  a: T, b: T -> product: T; T in {bfloat16, float32} | transpose_a: bool = False

Inputs, then outputs; after `;` what the type and length attributes are limited to; after `|` the
other attributes; `[stateful]` at the end. `dim as axis` is a name that `tf.raw_ops` calls `axis`.
"""

from __future__ import annotations

import argparse
import inspect
import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np
import tensorflow as tf
from tensorflow.core.framework import op_def_pb2
from tensorflow.python.client import pywrap_tf_session
from tensorflow.python.framework import kernels


def registered_ops() -> dict[str, Any]:
    """Every op's registration (an `OpDef` message) by name."""
    ops = op_def_pb2.OpList()
    ops.ParseFromString(pywrap_tf_session.TF_GetBuffer(pywrap_tf_session.TF_GetAllOpList()))
    return {op.name: op for op in sorted(ops.op, key=lambda op: op.name)}


def dtype_name(number: int) -> str:
    return tf.dtypes.as_dtype(number).name


def shape_value(shape: Any) -> list[int] | str:
    return "unknown" if shape.unknown_rank else [dim.size for dim in shape.dim]


# How each field of an `AttrValue` message becomes plain data.
PLAIN = {
    "s": lambda value: value.decode("utf-8"),
    "i": int,
    "f": lambda value: float(str(np.float32(value))),
    "b": bool,
    "type": dtype_name,
    "shape": shape_value,
    "func": lambda value: value.name,
    "tensor": lambda value: tf.make_ndarray(value).tolist(),
}


def attr_value(message: Any) -> Any:
    """An attribute's value as JSON can hold it."""
    field = message.WhichOneof("value")
    if field != "list":
        return PLAIN[field](getattr(message, field))
    lists = [(PLAIN[kind.name], values) for kind, values in message.list.ListFields()]
    return [plain(value) for plain, values in lists for value in values]


def raw_params(name: str) -> list[str] | None:
    """The parameters of the function in `tf.raw_ops`, in order; None where there is none."""
    function = getattr(tf.raw_ops, name, None)
    return function and [p for p in inspect.signature(function).parameters if p != "name"]


def renames(name: str) -> dict[str, str]:
    """Registered names that `tf.raw_ops` spells differently."""
    function = getattr(tf.raw_ops, name, None)
    if function is None:
        return {}
    source = inspect.getsource(inspect.getmodule(inspect.unwrap(function)))
    call = re.search(rf'_apply_op_helper\(\s*"{name}",(.*?)\)', source, re.DOTALL)
    pairs = re.findall(r"(\w+)=(\w+)", call[1]) if call else []
    return {registered: python for registered, python in pairs if registered != python}


def arg_facts(arg: Any) -> list[str | None]:
    dtype = dtype_name(arg.type) if arg.type else None
    return [
        arg.name,
        dtype,
        *(v or None for v in (arg.number_attr, arg.type_attr, arg.type_list_attr)),
    ]


def attr_facts(attr: Any) -> list[Any]:
    default = attr_value(attr.default_value) if attr.HasField("default_value") else None
    allowed = attr_value(attr.allowed_values) if attr.HasField("allowed_values") else None
    return [attr.type, default, allowed]


def runs_here(name: str) -> bool:
    """Whether TensorFlow has a kernel for processors, and not only for accelerators or for none."""
    found = kernels.get_registered_kernels_for_op(name).kernel
    return not {"CPU", "DEFAULT"}.isdisjoint(kernel.device_type for kernel in found)


def op_facts(op: Any) -> dict[str, Any]:
    """All facts about an op; the second dict only where there is something to say."""
    args = [*op.input_arg, *op.output_arg]
    always = {
        "inputs": [arg_facts(arg) for arg in op.input_arg],
        "outputs": [arg_facts(arg) for arg in op.output_arg],
        "attrs": {attr.name: attr_facts(attr) for attr in op.attr},
        "stateful": op.is_stateful,
    }
    sometimes = {
        "minimum": {attr.name: attr.minimum for attr in op.attr if attr.minimum},
        "refs": [arg.name for arg in args if arg.is_ref],
        "renames": renames(op.name),
        "withdrawn": op.deprecation.version,  # of graphs from which on there is none
        "elsewhere": not runs_here(op.name),
    }
    params = raw_params(op.name)  # An empty list is a fact too: the op is in `tf.raw_ops`.
    if params is not None:
        always["params"] = params
    return always | {key: value for key, value in sometimes.items() if value}


def arg_line(arg: list[str | None], facts: dict[str, Any]) -> str:
    name, dtype, number_attr, type_attr, type_list_attr = arg
    kind = f"*{type_list_attr}" if type_list_attr else type_attr or dtype
    kind = f"Ref({kind})" if name in facts.get("refs", ()) else kind
    return f"{called(name, facts)}: {f'{number_attr}*' if number_attr else ''}{kind}"


def called(name: str, facts: dict[str, Any]) -> str:
    renamed = facts.get("renames", {}).get(name)
    return f"{name} as {renamed}" if renamed else name


def limits(name: str, facts: dict[str, Any]) -> str:
    """What an attribute is limited to, and its default: ` in {int32, int64} = int32`."""
    kind, default, allowed = facts["attrs"][name]
    show = str if "type" in kind else repr
    text = f" in {{{', '.join(map(show, allowed))}}}" if allowed else ""
    if name in facts.get("minimum", ()):
        text += f" >= {facts['minimum'][name]}"
    if default is None:
        return text
    items = f"[{', '.join(map(show, default))}]" if isinstance(default, list) else show(default)
    return f"{text} = {items}"


def op_line(name: str, facts: dict[str, Any]) -> str:
    """The registration in our notation."""
    inputs, outputs = (
        ", ".join(arg_line(arg, facts) for arg in facts[side]) for side in ("inputs", "outputs")
    )
    implied = {attr for side in ("inputs", "outputs") for arg in facts[side] for attr in arg[2:]}
    limited = [
        called(a, facts) + limits(a, facts)
        for a in facts["attrs"]
        if a in implied and limits(a, facts)
    ]
    plain = [
        f"{called(a, facts)}: {kind}{limits(a, facts)}"
        for a, (kind, *_) in facts["attrs"].items()
        if a not in implied
    ]
    line = f"{name}  {inputs} -> {outputs}" if inputs else f"{name}  -> {outputs}".rstrip()
    line += f"; {', '.join(limited)}" if limited else ""
    line += f" | {', '.join(plain)}" if plain else ""
    return line + (" [stateful]" if facts["stateful"] else "")


def write_json(path: Path, ops: Iterable[Any]) -> None:
    """One op a line, so that a change of TensorFlow shows as a diff of lines."""
    lines = (
        f"{json.dumps(op.name)}: {json.dumps(op_facts(op), separators=(',', ':'))}" for op in ops
    )
    path.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="OP")
    parser.add_argument("--all", action="store_true", help="show every op")
    parser.add_argument("--json", type=Path, metavar="FILE", help="record every op's facts")
    options = parser.parse_args()
    ops = registered_ops()
    unknown = [name for name in options.names if name not in ops]
    if unknown:
        parser.error(f"TensorFlow has no op named {', '.join(unknown)}")
    for name in ops if options.all else options.names:
        print(op_line(name, op_facts(ops[name])))
    if options.json:
        write_json(options.json, ops.values())


if __name__ == "__main__":
    main()
