"""Assertions about ragged tensors, and about other types that are dispatched on."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runnel.core.composite import dispatch
from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.tensor.convert import convert_to_tensor
from runnel.debugging import assertions, numerics
from runnel.ops.ragged.broadcasting import same_rows


def _compared(function: Callable[..., Any], x: Any, y: Any) -> Any:
    x = x if isinstance(x, RaggedTensor) else convert_to_tensor(x, dtype_hint=y.dtype)
    y = y if isinstance(y, RaggedTensor) else convert_to_tensor(y, dtype_hint=x.dtype)
    for value, other in ((x, y), (y, x)):
        if not isinstance(value, RaggedTensor) and value.shape.rank == 0:
            flat = {id(value): value, id(other): other.flat_values}
            return function(flat[id(x)], flat[id(y)])
    x, y = same_rows(x, y)
    return function(x.flat_values, y.flat_values)


def _checked(function: Callable[..., Any], x: RaggedTensor) -> RaggedTensor:
    return x.with_flat_values(function(x.flat_values))


dispatch.unary_elementwise.append(numerics.check_numerics)
dispatch.add_elementwise(numerics.check_numerics, _checked, [RaggedTensor])
dispatch.elementwise_asserts += [
    assertions.assert_equal,
    assertions.assert_greater,
    assertions.assert_greater_equal,
    assertions.assert_less,
    assertions.assert_less_equal,
    assertions.assert_near,
    assertions.assert_none_equal,
]
for _function in dispatch.elementwise_asserts:
    dispatch.add_elementwise(_function, _compared, [RaggedTensor, RaggedTensor])
    dispatch.add_elementwise(_function, _compared, [RaggedTensor, dispatch.tensor_like])
    dispatch.add_elementwise(_function, _compared, [dispatch.tensor_like, RaggedTensor])
