"""`tf.random_normal_initializer` and `tf.random_uniform_initializer`."""

from __future__ import annotations

from typing import Any

from runnel.core import dtypes
from runnel.core.dtypes import as_dtype
from runnel.core.tensor import Tensor
from runnel.core.types import DTypeLike, ShapeLike, TensorLike
from runnel.ops.initializers import Initializer, part_of
from runnel.ops.random_numbers import normal, uniform
from runnel.ops.random_seeded_numbers import stateless_normal, stateless_uniform


class random_normal_initializer(Initializer):
    """Makes normally distributed numbers; with a `seed`, the same ones at every call.

    >>> tf.random_normal_initializer(seed=1)([2]).numpy().round(4)
    array([ 0.0063, -0.0247], dtype=float32)
    """

    def __init__(
        self, mean: TensorLike = 0.0, stddev: TensorLike = 0.05, seed: int | None = None
    ) -> None:
        self.mean = mean
        self.stddev = stddev
        self.seed = seed

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike = dtypes.float32, **kwargs: Any
    ) -> Tensor:
        shape, wanted = part_of(shape, kwargs), as_dtype(dtype)
        if not wanted.is_floating:
            raise ValueError(f"`dtype` must be a floating point type, got {wanted!r}.")
        if self.seed is None:
            return normal(shape, self.mean, self.stddev, wanted)
        return stateless_normal(shape, (self.seed, 0), self.mean, self.stddev, wanted)

    def get_config(self) -> dict[str, Any]:
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}


class random_uniform_initializer(Initializer):
    """Makes numbers equally likely in [minval, maxval); with a `seed`, the same ones at every call.

    >>> tf.random_uniform_initializer(seed=1)([2]).numpy().round(4)
    array([ 0.0378, -0.004 ], dtype=float32)
    """

    def __init__(
        self, minval: TensorLike = -0.05, maxval: TensorLike = 0.05, seed: int | None = None
    ) -> None:
        self.minval = minval
        self.maxval = maxval
        self.seed = seed

    def __call__(
        self, shape: ShapeLike, dtype: DTypeLike = dtypes.float32, **kwargs: Any
    ) -> Tensor:
        shape, wanted = part_of(shape, kwargs), as_dtype(dtype)
        if not (wanted.is_floating or wanted.is_integer):
            raise ValueError(f"`dtype` must be a float or an integer, got {wanted!r}.")
        if self.seed is None:
            return uniform(shape, self.minval, self.maxval, wanted)
        return stateless_uniform(shape, (self.seed, 0), self.minval, self.maxval, wanted)

    def get_config(self) -> dict[str, Any]:
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed}
