"""The declarations of ops as messages."""

from __future__ import annotations

import pytest

import runnel as tf
from runnel.graph.op_defs import op_def
from tests.samples.answers import op_defs


@pytest.mark.parametrize("name", sorted(dir(tf.raw_ops)))
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
