"""Python's operators on ragged tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runnel.core.composite import dispatch
from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.settings.scopes import compares_objects
from runnel.core.values.errors import InvalidArgumentError
from runnel.ops.math import arithmetic, comparison, division, logical, powers


def _from_left(function: Callable[..., Any]) -> Callable[..., Any]:
    def operator(self: RaggedTensor, other: Any) -> Any:
        if not (isinstance(other, RaggedTensor) or dispatch.tensor_like(other)):
            return NotImplemented
        return function(self, other)

    return operator


def _from_right(function: Callable[..., Any]) -> Callable[..., Any]:
    def operator(self: RaggedTensor, other: Any) -> Any:
        if not dispatch.tensor_like(other):
            return NotImplemented
        return function(other, self)

    return operator


_BOTH_WAYS: dict[str, Callable[..., Any]] = {
    "add": arithmetic.add,
    "sub": arithmetic.subtract,
    "mul": arithmetic.multiply,
    "truediv": division.truediv,
    "div": division.divide,
    "floordiv": division.floordiv,
    "mod": division.floormod,
    "pow": powers.pow,
    "and": logical.logical_and,
    "or": logical.logical_or,
    "xor": logical.logical_xor,
}
_COMPARISONS: dict[str, Callable[..., Any]] = {
    "lt": comparison.less,
    "le": comparison.less_equal,
    "gt": comparison.greater,
    "ge": comparison.greater_equal,
}
_UNARY: dict[str, Callable[..., Any]] = {
    "neg": arithmetic.negative,
    "abs": arithmetic.abs,
    "invert": logical.logical_not,
}

for _name, _function in _BOTH_WAYS.items():
    setattr(RaggedTensor, f"__{_name}__", _from_left(_function))
    setattr(RaggedTensor, f"__r{_name}__", _from_right(_function))
for _name, _function in _COMPARISONS.items():
    setattr(RaggedTensor, f"__{_name}__", _from_left(_function))


def _unary(function: Callable[..., Any]) -> Callable[..., Any]:
    return lambda self: function(self)


for _name, _function in _UNARY.items():
    setattr(RaggedTensor, f"__{_name}__", _unary(_function))


def _equal(self: RaggedTensor, other: Any) -> Any:
    """Element by element; ragged tensors of different shapes are different as a whole."""
    if compares_objects():
        return self is other
    return _compared(comparison.equal, self, other, otherwise=False)


def _not_equal(self: RaggedTensor, other: Any) -> Any:
    if compares_objects():
        return self is not other
    return _compared(comparison.not_equal, self, other, otherwise=True)


def _compared(function: Callable[..., Any], x: Any, y: Any, *, otherwise: bool) -> Any:
    if y is None:
        return otherwise
    try:
        return function(x, y)
    except (InvalidArgumentError, ValueError, TypeError):
        return otherwise


RaggedTensor.__eq__ = _equal  # type: ignore[method-assign,assignment]
RaggedTensor.__ne__ = _not_equal  # type: ignore[method-assign,assignment]
