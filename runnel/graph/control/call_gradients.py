"""Calls of functions while a graph is built: their operations are copied, and yet their gradients
are those of one op.

A call in TensorFlow is one operation. If a gradient arrives at any of its results, each input that
another result depends on has zeros where the copied operations alone would have none.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterable, Sequence
from typing import Any

from runnel.core.gradients.ones_and_zeros import zeros_like
from runnel.core.gradients.tape import differentiable
from runnel.core.op.raw import raw_ops
from runnel.core.op.registry import gradients
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import dtypes
from runnel.graph.build.operation import Operation

Bits = dict[int, int]


def uneven(
    operations: Iterable[Operation], inputs: Sequence[Tensor], outputs: Sequence[Tensor]
) -> Bits:
    """For each output of numbers, the inputs that its gradient may get to, as bits.

    Empty if these are the same for all.
    """
    kinds = dtypes.FLOATS | dtypes.COMPLEX
    places = [i for i, t in enumerate(outputs) if t.dtype in kinds]
    if len(places) < 2:
        return {}
    found = _reach(operations, inputs)
    bits = {i: found.get(outputs[i]._id, 0) for i in places}
    return bits if len(set(bits.values())) > 1 else {}


def _reach(operations: Iterable[Operation], inputs: Sequence[Tensor]) -> Bits:
    """For each tensor, by id, the inputs that its gradient may get to, as bits."""
    found = {t._id: 1 << i for i, t in enumerate(inputs) if differentiable(t.dtype)}
    for operation in operations:
        bits = 0
        if not stops(operation):
            for tensor in operation.inputs:
                bits |= found.get(tensor._id, 0)
        for output in operation.outputs if bits else ():
            if differentiable(output.dtype):
                found[output._id] = bits
    return found


def stops(operation: Any) -> bool:
    """Whether an operation says of itself that no gradient passes it."""
    return operation.backward is None and gradients.get(operation.type, operation) is None


def as_one_op(bits: Bits, given: Sequence[Tensor], results: Sequence[Tensor]) -> list[Tensor]:
    """The results of a call with the inputs `given`, of which `bits` tells what is `uneven`."""
    if not bits:
        return list(results)
    whole = functools.reduce(operator.or_, bits.values())
    sources = [i for i in range(len(given)) if whole >> i & 1]
    made = raw_ops.IdentityN([*[results[i] for i in bits], *[given[i] for i in sources]])

    def backward(*arriving: Any) -> list[Any]:
        pairs = zip(arriving, bits.values(), strict=False)
        reached = functools.reduce(operator.or_, [b for g, b in pairs if g is not None], 0)
        zeros = [None if reached >> i & 1 else zeros_like(given[i]) for i in sources]
        return [*arriving[: len(bits)], *zeros]

    made[0].op.backward = backward
    found = dict(zip(bits, made, strict=False))
    return [found.get(i, result) for i, result in enumerate(results)]
