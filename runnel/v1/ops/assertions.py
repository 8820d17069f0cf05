"""Assertions, which in TensorFlow 1 also take what they are to show: `data`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.core.settings.scopes import control_dependencies, name_scope
from runnel.core.tensor.convert import convert_to_tensor
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.debugging.assertions import assert_equal as new_assert_equal
from runnel.debugging.assertions import assert_greater as new_assert_greater
from runnel.debugging.assertions import assert_greater_equal as new_assert_greater_equal
from runnel.debugging.assertions import assert_less as new_assert_less
from runnel.debugging.assertions import assert_less_equal as new_assert_less_equal
from runnel.debugging.assertions import assert_near as new_assert_near
from runnel.debugging.assertions import assert_negative as new_assert_negative
from runnel.debugging.assertions import assert_non_negative as new_assert_non_negative
from runnel.debugging.assertions import assert_non_positive as new_assert_non_positive
from runnel.debugging.assertions import assert_none_equal as new_assert_none_equal
from runnel.debugging.assertions import assert_positive as new_assert_positive
from runnel.debugging.numerics import check_numerics
from runnel.debugging.properties import assert_integer as new_assert_integer
from runnel.debugging.properties import assert_rank as new_assert_rank
from runnel.debugging.properties import assert_rank_at_least as new_assert_rank_at_least
from runnel.debugging.properties import assert_rank_in as new_assert_rank_in
from runnel.debugging.properties import assert_scalar as new_assert_scalar
from runnel.debugging.properties import assert_type as new_assert_type
from runnel.ops.array.constants import zeros_like
from runnel.ops.array.identity import identity
from runnel.ops.control.asserting import Assert
from runnel.ops.control.grouping import no_op
from runnel.ops.math.comparison import equal, greater, greater_equal, less, less_equal, not_equal
from runnel.ops.reduce.reductions import reduce_all
from runnel.v1.ops.arguments import either

Assertion = Callable[..., Any]


def _of_two(new: Assertion, holds: Assertion) -> Assertion:
    def check(
        x: TensorLike,
        y: TensorLike,
        data: Sequence[TensorLike] | None = None,
        summarize: int | None = None,
        message: str | None = None,
        name: str | None = None,
    ) -> Any:
        if data is None:
            return new(x, y, message=message, summarize=summarize, name=name)
        with name_scope(name or new.__name__):
            return _shown(holds(x, y), message, data, summarize)

    return _named(check, new)


def _of_one(new: Assertion, holds: Assertion) -> Assertion:
    def check(
        x: TensorLike,
        data: Sequence[TensorLike] | None = None,
        summarize: int | None = None,
        message: str | None = None,
        name: str | None = None,
    ) -> Any:
        if data is None:
            return new(x, message=message, summarize=summarize, name=name)
        with name_scope(name or new.__name__):
            return _shown(holds(x, zeros_like(x)), message, data, summarize)

    return _named(check, new)


def _shown(holds: Tensor, message: str | None, data: Sequence[Any], summarize: int | None) -> Any:
    shown = [*([] if message is None else [message]), *data]
    return Assert(reduce_all(holds), shown, summarize)


def _named(check: Assertion, new: Assertion) -> Assertion:
    check.__name__ = check.__qualname__ = new.__name__
    check.__doc__ = f"{new.__doc__}".split("\n")[0] + "\n\n    `data` is shown if it does not hold."
    return check


assert_equal = _of_two(new_assert_equal, equal)
assert_none_equal = _of_two(new_assert_none_equal, not_equal)
assert_less = _of_two(new_assert_less, less)
assert_less_equal = _of_two(new_assert_less_equal, less_equal)
assert_greater = _of_two(new_assert_greater, greater)
assert_greater_equal = _of_two(new_assert_greater_equal, greater_equal)
assert_negative = _of_one(new_assert_negative, less)
assert_positive = _of_one(new_assert_positive, greater)
assert_non_negative = _of_one(new_assert_non_negative, greater_equal)
assert_non_positive = _of_one(new_assert_non_positive, less_equal)


def assert_near(
    x: TensorLike,
    y: TensorLike,
    rtol: TensorLike | None = None,
    atol: TensorLike | None = None,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Raise InvalidArgumentError unless `x` and `y` are nearly equal."""
    if data is None:
        return new_assert_near(x, y, rtol, atol, message, summarize, name)
    x = convert_to_tensor(x)
    y = convert_to_tensor(y, x.dtype)
    eps = 10 * np.finfo(x.dtype.as_numpy_dtype).eps
    rtol = convert_to_tensor(eps if rtol is None else rtol, x.dtype)
    atol = convert_to_tensor(eps if atol is None else atol, x.dtype)
    with name_scope(name or "assert_near"):
        holds = less(abs(x - y), atol + rtol * abs(y))
        return _shown(holds, message, data, summarize)


def assert_rank(
    x: TensorLike,
    rank: Any,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Raise ValueError, or InvalidArgumentError in the run, unless `x` has so many dimensions."""
    return new_assert_rank(x, rank, _with(message, data), name)


def assert_rank_at_least(
    x: TensorLike,
    rank: Any,
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Raise ValueError, or InvalidArgumentError in the run, if `x` has fewer dimensions."""
    return new_assert_rank_at_least(x, rank, _with(message, data), name)


def assert_rank_in(
    x: TensorLike,
    ranks: Sequence[Any],
    data: Sequence[TensorLike] | None = None,
    summarize: int | None = None,
    message: str | None = None,
    name: str | None = None,
) -> Any:
    """Raise ValueError, or InvalidArgumentError in the run, unless the rank is one of `ranks`."""
    return new_assert_rank_in(x, ranks, _with(message, data), name)


def _with(message: str | None, data: Sequence[Any] | None) -> str | None:
    """The message of an assertion about ranks, which are known before values are."""
    parts = [] if message is None else [message]
    parts += [value for value in data or () if isinstance(value, str)]
    return " ".join(parts) or None


def assert_scalar(tensor: TensorLike, name: str | None = None, message: str | None = None) -> Any:
    """Raise ValueError unless a tensor has no dimensions."""
    new_assert_scalar(tensor, message, name)
    return convert_to_tensor(tensor)


def assert_integer(x: TensorLike, message: str | None = None, name: str | None = None) -> Any:
    """Raise TypeError unless a tensor is of integers."""
    new_assert_integer(x, message, name)
    return no_op(name="statically_determined_was_integer")


def assert_type(
    tensor: TensorLike, tf_type: DTypeLike, message: str | None = None, name: str | None = None
) -> Any:
    """Raise TypeError unless a tensor has a dtype."""
    new_assert_type(tensor, tf_type, message, name)
    return no_op(name="statically_determined_correct_type")


def verify_tensor_all_finite(
    t: TensorLike = None,
    msg: str | None = None,
    name: str | None = None,
    x: TensorLike = None,
    message: str | None = None,
) -> Tensor:
    """`x`, once it is known that all its elements are finite numbers."""
    x = either("verify_tensor_all_finite", "x", x, "t", t)
    message = either("verify_tensor_all_finite", "message", message, "msg", msg)
    with name_scope(name or "VerifyFinite"):
        x = convert_to_tensor(x)
        with control_dependencies([check_numerics(x, message)]):
            return identity(x)
