"""`tf.zeros_initializer` and its relatives: objects that make the first value of a variable."""

from __future__ import annotations

from typing import Any, Self

import numpy as np

from runnel.core.tensor.convert import constant
from runnel.core.tensor.tensor import Tensor
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.types import DTypeLike, ShapeLike
from runnel.ops.array.constants import ones, zeros


class Initializer:
    """A base: `__call__` makes a tensor, `get_config` says how to make the initializer again."""

    def __call__(self, shape: ShapeLike, dtype: DTypeLike = None, **kwargs: Any) -> Tensor:
        raise NotImplementedError

    def get_config(self) -> dict[str, Any]:
        return {}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        config = {key: value for key, value in config.items() if key != "dtype"}
        return cls(**config)


def part_of(shape: ShapeLike, options: dict[str, Any]) -> ShapeLike:
    """The shape to fill: `partition_shape` where a variable is made in parts."""
    for key in options:
        if key not in ("partition_shape", "partition_offset"):
            raise TypeError(f"An initializer has no argument {key!r}.")
    return options.get("partition_shape", shape)


def _number_or_bool(dtype: DTypeLike) -> DType:
    wanted = as_dtype(dtype)
    if not (wanted.is_floating or wanted.is_complex or wanted.is_integer or wanted.is_bool):
        raise ValueError(f"`dtype` must be numeric or bool, got {wanted!r}.")
    return wanted


class Zeros(Initializer):
    """Makes zeros.

    >>> tf.zeros_initializer()([2]).numpy()
    array([0., 0.], dtype=float32)
    """

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike = dtypes.float32, **kwargs: Any
    ) -> Tensor:
        return zeros(part_of(shape, kwargs), _number_or_bool(dtype))


class Ones(Initializer):
    """Makes ones.

    >>> tf.ones_initializer()([2], tf.int32).numpy()
    array([1, 1], dtype=int32)
    """

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike = dtypes.float32, **kwargs: Any
    ) -> Tensor:
        return ones(part_of(shape, kwargs), _number_or_bool(dtype))


class Constant(Initializer):
    """Makes tensors of a given value: a number for all elements, or a list with each of them.

    >>> tf.constant_initializer([1, 2, 3, 4])([2, 2]).numpy().tolist()
    [[1, 2], [3, 4]]
    """

    def __init__(self, value: Any = 0, support_partition: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, list | tuple | np.ndarray)):
            kind = type(value).__name__
            raise TypeError(f"`value` must be a number, a list or a NumPy array, got a {kind}.")
        self.value = value
        self.support_partition = support_partition

    def __call__(self, shape: ShapeLike, dtype: DTypeLike = None, **kwargs: Any) -> Tensor:
        wanted = part_of(shape, kwargs)
        if kwargs and not self.support_partition:
            raise ValueError("tf.constant_initializer makes parts only with support_partition.")
        return constant(self.value, dtype=dtype, shape=wanted)

    def get_config(self) -> dict[str, Any]:
        return {"value": self.value}
