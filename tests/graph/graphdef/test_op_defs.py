"""The declarations of ops as messages."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import runnel as tf
from runnel.core.op.raw import raw_ops
from runnel.graph.graphdef.op_defs import op_def
from tests.samples.answers import op_defs
from tests.tables import table

pytestmark = pytest.mark.smoke


@table("name", sorted(dir(tf.raw_ops)))
def test_a_declaration_has_tensorflows_arguments_and_attributes(name: str) -> None:
    fact, declared = op_defs()[name], op_def(name)
    for field, args in (("inputs", declared.input_arg), ("outputs", declared.output_arg)):
        found = [
            [
                arg.name,
                tf.as_dtype(arg.type).name if arg.type else None,
                arg.number_attr or None,
                arg.type_attr or None,
                arg.type_list_attr or None,
            ]
            for arg in args
        ]
        assert found == fact[field]
    kinds = {attr.name: attr.type for attr in declared.attr}
    assert kinds == {attr: kind for attr, (kind, *_) in fact["attrs"].items()}


@table("name", sorted(dir(tf.raw_ops)))
def test_an_op_takes_tensorflows_names_types_and_defaults(name: str) -> None:
    fact, declared = op_defs()[name], getattr(raw_ops, name)
    renames = fact.get("renames", {})
    assert [a.name for a in declared.inputs] == [renames.get(i[0], i[0]) for i in fact["inputs"]]
    implied = {attr for arg in declared.inputs for attr in (arg.type, arg.number)}
    for registered, (_, default, allowed) in fact["attrs"].items():
        attr = renames.get(registered, registered)
        if attr not in implied:
            assert attr in declared.kinds, f"it lacks the attribute {attr}"
            if default is not None and attr in declared.defaults:
                assert_same_default(declared.defaults[attr], default)
        elif allowed and declared.allowed.get(attr):
            taken = {dtype.name for dtype in declared.allowed[attr]}
            assert taken <= set(allowed), f"{attr} takes more than TensorFlow"


def assert_same_default(own: Any, default: Any) -> None:
    if isinstance(own, tf.DType):
        own = own.name
    if isinstance(own, tf.TensorShape) and own.rank is None:
        own = "unknown"
    if isinstance(own, np.ndarray):
        own = own.tolist()
    if isinstance(own, tuple):
        own = [list(v) if isinstance(v, tuple) else v for v in own]
    assert own == default or (default in ("", [], None) and own in ("", None, []))
