"""Assertions about the values of tensors: `tf.debugging.assert_equal` and its relatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import ml_dtypes
import numpy as np

from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.settings.scoped import scoped
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.static import constant_value
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.errors import InvalidArgumentError
from runnel.core.values.types import TensorLike
from runnel.ops.control.asserting import Assert
from runnel.ops.control.grouping import no_op
from runnel.ops.math import comparison
from runnel.ops.reduce.reductions import reduce_all

Check = Callable[[Any, Any], Tensor]


@scoped("assert_equal")
def assert_equal(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """Raise InvalidArgumentError unless `x == y` in every element.

    >>> tf.debugging.assert_equal(tf.range(3), [0, 1, 2])
    """
    if x is y:
        return no_op()
    return _compare("==", comparison.equal, x, y, message, summarize, name)


@scoped("assert_none_equal")
def assert_none_equal(
    x: TensorLike,
    y: TensorLike,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Raise InvalidArgumentError unless `x != y` in every element."""
    return _compare("!=", comparison.not_equal, x, y, message, summarize, name)


@scoped("assert_less")
def assert_less(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """Raise InvalidArgumentError unless `x < y` in every element."""
    return _compare("<", comparison.less, x, y, message, summarize, name)


@scoped("assert_less_equal")
def assert_less_equal(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """Raise InvalidArgumentError unless `x <= y` in every element."""
    return _compare("<=", comparison.less_equal, x, y, message, summarize, name)


@scoped("assert_greater")
def assert_greater(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """Raise InvalidArgumentError unless `x > y` in every element."""
    return _compare(">", comparison.greater, x, y, message, summarize, name)


@scoped("assert_greater_equal")
def assert_greater_equal(
    x: TensorLike,
    y: TensorLike,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """Raise InvalidArgumentError unless `x >= y` in every element."""
    return _compare(">=", comparison.greater_equal, x, y, message, summarize, name)


@scoped("assert_negative")
def assert_negative(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Raise InvalidArgumentError unless `x < 0` in every element."""
    return _compare_zero("<", comparison.less, x, message, summarize, name)


@scoped("assert_positive")
def assert_positive(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Raise InvalidArgumentError unless `x > 0` in every element."""
    return _compare_zero(">", comparison.greater, x, message, summarize, name)


@scoped("assert_non_negative")
def assert_non_negative(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Raise InvalidArgumentError unless `x >= 0` in every element."""
    return _compare_zero(">=", comparison.greater_equal, x, message, summarize, name)


@scoped("assert_non_positive")
def assert_non_positive(
    x: TensorLike, message: str | None = None, summarize: int | None = None, name: str | None = None
) -> Any:
    """Raise InvalidArgumentError unless `x <= 0` in every element."""
    return _compare_zero("<=", comparison.less_equal, x, message, summarize, name)


@scoped("assert_near")
def assert_near(
    x: TensorLike,
    y: TensorLike,
    rtol: TensorLike | None = None,
    atol: TensorLike | None = None,
    message: str | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Any:
    """Raise InvalidArgumentError unless `|x - y| < atol + rtol * |y|` in every element.

    Both tolerances are ten times the dtype's precision when they are not given.

    >>> tf.debugging.assert_near(1.0, 1.0000005)
    """
    x = convert_to_tensor(x)
    y = convert_to_tensor(y, dtype=x.dtype)
    rtol, atol = (_tolerance(given, x) for given in (rtol, atol))
    bound = atol + rtol * _magnitude(y)
    return _report(
        comparison.less(_magnitude(x - y), bound),
        "|x - y| < atol + rtol * |y|",
        {"x": x, "y": y, "rtol": rtol, "atol": atol},
        message,
        summarize,
        name,
    )


def _tolerance(given: TensorLike | None, x: Tensor) -> Tensor:
    real = x.dtype.real_dtype
    if given is not None:
        return convert_to_tensor(given, dtype=real)
    if not real.is_floating:
        raise ValueError(f"tf.debugging.assert_near takes floats, got `x` of {x.dtype.name}.")
    return convert_to_tensor(
        np.array(10 * float(ml_dtypes.finfo(real.np_dtype).eps), real.np_dtype)
    )


def _magnitude(x: Tensor) -> Tensor:
    return raw_ops.ComplexAbs(x, Tout=x.dtype.real_dtype) if x.dtype.is_complex else abs(x)


def _compare_zero(
    symbol: str,
    check: Check,
    x: TensorLike,
    message: str | None,
    summarize: int | None,
    name: str | None,
) -> Any:
    x = convert_to_tensor(x)
    zero = convert_to_tensor(0, dtype=x.dtype)
    return _report(check(x, zero), f"x {symbol} 0", {"x": x}, message, summarize, name)


def _compare(
    symbol: str,
    check: Check,
    x: TensorLike,
    y: TensorLike,
    message: str | None,
    summarize: int | None,
    name: str | None,
) -> Any:
    x, y = convert_to_tensor(x), convert_to_tensor(y)
    return _report(check(x, y), f"x {symbol} y", {"x": x, "y": y}, message, summarize, name)


def _report(
    holds: Tensor,
    condition: str,
    operands: dict[str, Tensor],
    message: str | None,
    summarize: int | None,
    name: str | None,
) -> Any:
    """Raise now if it is known that the condition does not hold, else when the graph runs.

    What values of an outer graph decide waits for the run: a branch may never come to it.
    """
    known = constant_value(holds)
    if known is not None and known.all():
        return no_op()
    if known is not None and not holds._from_outside:
        text = _failure(known, condition, operands, 3 if summarize is None else summarize)
        raise InvalidArgumentError(None, None, "\n".join([*([message] if message else []), text]))
    assert state.graph is not None
    data: list[Any] = [message or "", f"Condition {condition} did not hold element-wise:"]
    for key, value in operands.items():
        data.extend([f"{key} =", value])
    return Assert(reduce_all(holds), data, summarize=summarize, name=name or "Assert")


def _failure(
    holds: np.ndarray[Any, Any], condition: str, operands: dict[str, Tensor], summarize: int
) -> str:
    count = holds.size if summarize < 0 else summarize
    lines = [f"Condition {condition} did not hold."]
    values = {key: constant_value(operand) for key, operand in operands.items()}
    places = np.argwhere(~holds)
    if holds.ndim and len(places):
        lines.append(f"It fails in {len(places)} of {holds.size} elements, first at:")
        lines.extend(_place(place, values, holds.shape) for place in places[:count].tolist())
    lines.extend(
        _beginning(key, value, count) for key, value in values.items() if value is not None
    )
    return "\n".join(lines)


def _place(index: Sequence[int], values: dict[str, Any], shape: tuple[int, ...]) -> str:
    found = [
        f"{key} = {np.broadcast_to(value, shape)[tuple(index)]}"
        for key, value in values.items()
        if value is not None
    ]
    return f"  {list(index)}: {', '.join(found)}"


def _beginning(key: str, value: np.ndarray[Any, Any], count: int) -> str:
    flat = value.ravel()
    shown = str(flat[:count])[1:-1] + (" ..." if flat.size > count else "")
    return f"{key} (shape={value.shape} dtype={value.dtype.name}) = [{shown}]"
