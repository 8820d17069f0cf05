"""The parameters of a Python function as a message, and back."""

from __future__ import annotations

import inspect
from collections import namedtuple
from typing import Any

from runnel.core.composite import structured_value
from runnel.core.protos import messages

FullArgSpec = namedtuple(  # its name is part of the format
    "FullArgSpec",
    ["args", "varargs", "varkw", "defaults", "kwonlyargs", "kwonlydefaults", "annotations"],
)


def signature_of(proto: Any) -> inspect.Signature:
    """The signature that a `FunctionSpec` describes, without the `self` of a method."""
    spec = structured_value.decode(proto.fullargspec)
    found = {field: getattr(spec, field, None) for field in FullArgSpec._fields}
    names = list(found["args"] or ())
    defaults = list(found["defaults"] or ())
    empty = inspect.Parameter.empty
    given = [empty] * (len(names) - len(defaults)) + defaults
    either = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter(n, either, default=d) for n, d in zip(names, given)]
    if proto.is_method and parameters:
        del parameters[0]
    if found["varargs"]:
        parameters.append(inspect.Parameter(found["varargs"], inspect.Parameter.VAR_POSITIONAL))
    keyword = found["kwonlydefaults"] or {}
    for name in found["kwonlyargs"] or ():
        only, default = inspect.Parameter.KEYWORD_ONLY, keyword.get(name, empty)
        parameters.append(inspect.Parameter(name, only, default=default))
    if found["varkw"]:
        parameters.append(inspect.Parameter(found["varkw"], inspect.Parameter.VAR_KEYWORD))
    return inspect.Signature(parameters)


def function_spec(signature: inspect.Signature, input_signature: Any, jit_compile: Any) -> Any:
    """A signature, without `self`, as a `FunctionSpec`."""
    parameters = list(signature.parameters.values())
    positional = [p for p in parameters if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    keyword = [p for p in parameters if p.kind is p.KEYWORD_ONLY]
    defaults = [_encodable(p.default) for p in positional if p.default is not p.empty]
    named = {p.name: _encodable(p.default) for p in keyword if p.default is not p.empty}
    full = FullArgSpec(
        [p.name for p in positional],
        next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), None),
        next((p.name for p in parameters if p.kind is p.VAR_KEYWORD), None),
        tuple(defaults) or None,
        [p.name for p in keyword],
        named or None,
        {},
    )
    proto = messages.FunctionSpec(is_method=False)
    proto.fullargspec.CopyFrom(structured_value.encode(full))
    given = None if input_signature is None else tuple(input_signature)
    proto.input_signature.CopyFrom(structured_value.encode(given))
    if jit_compile is not None:
        kinds = messages.FunctionSpec.JitCompile
        proto.jit_compile = kinds.Value("ON" if jit_compile else "OFF")
    return proto


def _encodable(value: Any) -> Any:
    """A default value, None if a message cannot hold it."""
    try:
        structured_value.encode(value)
    except (TypeError, ValueError):
        return None
    return value
