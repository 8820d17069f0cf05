"""Functions that work element by element, on ragged tensors: they work on the flat values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from runnel.core.composite import dispatch
from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.settings.scoped import scoped
from runnel.ops import elementwise
from runnel.ops.math import arithmetic
from runnel.ops.ragged.broadcasting import on_flat_values

assert elementwise  # importing it has filled the lists below


def _unary(function: Callable[..., Any], x: RaggedTensor) -> RaggedTensor:
    return x.with_flat_values(function(x.flat_values))


def _binary(function: Callable[..., Any], x: Any, y: Any) -> Any:
    return on_flat_values(function, x, y)


for _function in dispatch.unary_elementwise:
    dispatch.add_elementwise(_function, _unary, [RaggedTensor])
for _function in dispatch.binary_elementwise:
    dispatch.add_elementwise(_function, _binary, [RaggedTensor, RaggedTensor])
    dispatch.add_elementwise(_function, _binary, [RaggedTensor, dispatch.tensor_like])
    dispatch.add_elementwise(_function, _binary, [dispatch.tensor_like, RaggedTensor])


@scoped("RaggedAddN")
def _add_n(inputs: Sequence[Any], name: str | None = None) -> Any:
    total = inputs[0]
    for part in inputs[1:]:
        total = arithmetic.add(total, part)
    return total


dispatch.add_target(arithmetic.add_n, _add_n, [{"inputs": list[RaggedTensor]}])
