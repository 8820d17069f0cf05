"""Tensors that behave like NumPy's arrays: `experimental_enable_numpy_behavior`.

Nothing of this is there until it is asked for: the call puts NumPy's methods into `tf.Tensor`, and
operators that promote dtypes in the place of the strict ones.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from runnel.core.tensor.operators import Operators
from runnel.core.tensor.tensor import Tensor
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.ops.numpy_api import elementwise, manipulation, modes, predicates, products, reductions
from runnel.ops.numpy_api.preferences import Preferences
from runnel.ops.numpy_api.promotion import asarray
from runnel.ops.numpy_api.weak_tensor import WeakTensor

_MODES = ("off", "legacy", "safe", "all")


def experimental_enable_numpy_behavior(
    prefer_float32: bool = False, dtype_conversion_mode: str = "legacy"
) -> None:
    """Give tensors NumPy's methods, and operators that promote dtypes.

    The mode "legacy" promotes as NumPy does, and `prefer_float32` makes Python floats float32 in
    `tf.experimental.numpy`. In "all" Python's numbers are weak: they take the dtype of their
    partner, and int32 with float32 is float32. "safe" is the same where no bits are lost, and
    raises TypeError elsewhere. With "off" operators stay strict. Call it before anything else.
    """
    if dtype_conversion_mode not in _MODES:
        raise ValueError(
            f"The provided promotion mode {dtype_conversion_mode} does not exist. "
            "Make sure it is one of 'off', 'legacy', 'safe' or 'all'."
        )
    if Preferences.promotes_weakly():
        modes.disable()
    Preferences.mode, Preferences.prefer_float32 = dtype_conversion_mode, prefer_float32
    operators = _operators() if dtype_conversion_mode == "legacy" else modes.STRICT_OPERATORS
    for name, operator in operators.items():
        setattr(Operators, name, operator)
    for name, method in _METHODS.items():
        setattr(Tensor, name, method)
        setattr(WeakTensor, name, method)
    if Preferences.promotes_weakly():
        modes.enable()


def _operators() -> dict[str, Callable[..., Any]]:
    pairs = {
        "add": elementwise.add,
        "sub": elementwise.subtract,
        "mul": elementwise.multiply,
        "truediv": elementwise.true_divide,
        "floordiv": elementwise.floor_divide,
        "mod": elementwise.mod,
        "pow": elementwise.power,
        "matmul": products.matmul,
        "and": elementwise.bitwise_and,
        "or": elementwise.bitwise_or,
        "xor": elementwise.bitwise_xor,
    }
    found: dict[str, Callable[..., Any]] = {}
    for name, function in pairs.items():
        found[f"__{name}__"] = _operator(function)
        found[f"__r{name}__"] = _swapped(function)
    comparisons = {
        "lt": predicates.less,
        "le": predicates.less_equal,
        "gt": predicates.greater,
        "ge": predicates.greater_equal,
        "eq": predicates.equal,
        "ne": predicates.not_equal,
    }
    found.update({f"__{name}__": _operator(f) for name, f in comparisons.items()})
    found["__eq__"] = _equality(predicates.equal, False)
    found["__ne__"] = _equality(predicates.not_equal, True)
    return found


def _operator(function: Callable[..., Any]) -> Callable[..., Any]:
    def operator(self: Any, other: TensorLike) -> Any:
        return function(self, other)

    return operator


def _swapped(function: Callable[..., Any]) -> Callable[..., Any]:
    def operator(self: Any, other: TensorLike) -> Any:
        return function(other, self)

    return operator


def _equality(function: Callable[..., Any], with_none: bool) -> Callable[..., Any]:
    def operator(self: Any, other: Any) -> Any:
        return with_none if other is None else function(self, other)

    return operator


def _astype(self: Tensor, dtype: DTypeLike) -> Tensor:
    """The values in another dtype."""
    return asarray(self, dtype)


def _reshape(self: Tensor, *args: Any, **kwargs: Any) -> Tensor:
    """The values in another shape, given as one argument or as several."""
    shape = args[0] if len(args) == 1 else args
    return manipulation.reshape(self, shape, **kwargs)


def _tolist(self: Any) -> Any:
    """The values as nested Python lists."""
    return self.numpy().tolist()


def _clip(self: Tensor, a_min: TensorLike, a_max: TensorLike) -> Tensor:
    """The values between two limits."""
    return elementwise.clip(self, a_min, a_max)


def _itself(self: Tensor) -> Tensor:
    return self


_METHODS: dict[str, Any] = {
    "T": property(manipulation.transpose),
    "__pos__": elementwise.positive,
    "__round__": elementwise.around,
    "astype": _astype,
    "clip": _clip,
    "data": property(_itself),
    "flatten": manipulation.flatten,
    "max": reductions.max,
    "mean": reductions.mean,
    "min": reductions.min,
    "ravel": manipulation.ravel,
    "reshape": _reshape,
    "size": property(manipulation.size),
    "tolist": _tolist,
    "transpose": manipulation.transpose,
}
