"""A device that plays an accelerator, on which nothing may be computed by NumPy.

`begin` lets a second device of the CPU stand for GPU:0, on which everything runs by default, and
refuses kernels of floats that are called with NumPy there, where XLA has a kernel.
"""

from __future__ import annotations

import json
import traceback
from collections.abc import Mapping, Sequence
from typing import Any

from runnel.backend import configuration
from runnel.core.op import placing
from runnel.core.op.context import state
from runnel.core.values import dtypes
from runnel.graph.run.program import Node


def begin() -> None:
    configuration.pretend()
    plain, run = placing._on_first_cpu, Node.run

    def eagerly(op: Any, inputs: Sequence[Any], attrs: Mapping[str, Any], found: Any) -> Any:
        if state.device is None and not dtypes.QUANTIZED_DTYPES.intersection(found):
            _check(op, [t._value for t in inputs])
        return plain(op, inputs, attrs, found)

    def interpreted(node: Node, env: list[Any]) -> None:
        _check(node.op, [env[slot] for slot in node.ins])
        run(node, env)

    placing._on_first_cpu = eagerly
    Node.run = interpreted  # type: ignore[method-assign]


def _check(op: Any, values: Sequence[Any]) -> None:
    kinds = [getattr(getattr(value, "dtype", None), "kind", "") for value in values]
    for_host = op.host or op.lower is not None or op.traits.reads is not None
    assert for_host or "O" in kinds or "f" not in kinds, f"NumPy computes {op.name}"


def conformance(first: int, step: int) -> None:
    """Run every `step`th row of the conformance tables from `first` on, print what differs."""
    begin()
    import runnel as tf
    from tests import test_conformance as rows

    wrong = {}
    for family, row in rows.SAMPLES[first::step]:
        try:
            tf.random.set_seed(None)
            answer = rows.run_sample(tf, row)
            if row.judged:
                rows.assert_answer(answer, rows.golden(family, row), row)
            else:
                assert "error" not in answer, answer
        except Exception:
            wrong[row.id] = traceback.format_exc()[-600:]
    print(json.dumps(wrong))
