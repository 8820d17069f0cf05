"""Initializers that draw random numbers: `tf.random_normal_initializer` and its like."""

from __future__ import annotations

from typing import Any

from runnel.core.tensor.tensor import Tensor
from runnel.core.values.dtypes import DType, as_dtype, float32
from runnel.core.values.types import DTypeLike, ShapeLike, TensorLike
from runnel.ops.random import numbers as random_numbers
from runnel.ops.random import seeded_numbers

_PARTITION = ("partition_shape", "partition_offset")


class _RandomInitializer:
    """What they share: with a seed, every call gives the same numbers."""

    def __init__(self, **config: Any) -> None:
        self._config = config
        for name, value in config.items():
            setattr(self, name, value)

    def get_config(self) -> dict[str, Any]:
        """The arguments with which another can be made."""
        return dict(self._config)

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Any:
        """An initializer with the arguments of `get_config`."""
        return cls(**{key: value for key, value in config.items() if key != "dtype"})

    def _draw(
        self, kind: str, shape: ShapeLike, dtype: DType, *parameters: TensorLike, **kwargs: Any
    ) -> Tensor:
        for key in kwargs:
            if key not in _PARTITION:
                raise TypeError(
                    f"{type(self).__name__} takes the keywords {_PARTITION}, got {key!r}."
                )
        shape = kwargs.get("partition_shape", shape)
        seed = self._config["seed"]
        if seed is None:
            return getattr(random_numbers, kind)(shape, *parameters, dtype=dtype)  # type: ignore[no-any-return]
        draw = getattr(seeded_numbers, f"stateless_{kind}")
        return draw(shape, [seed, 0], *parameters, dtype=dtype)  # type: ignore[no-any-return]


class RandomNormal(_RandomInitializer):
    """Makes tensors of normal random numbers.

    >>> tf.random_normal_initializer(stddev=0.1, seed=1)([2, 2]).shape
    TensorShape([2, 2])
    """

    def __init__(
        self, mean: TensorLike = 0.0, stddev: TensorLike = 0.05, seed: int | None = None
    ) -> None:
        super().__init__(mean=mean, stddev=stddev, seed=seed)

    def __call__(self, shape: ShapeLike, dtype: DTypeLike = float32, **kwargs: Any) -> Tensor:
        dtype = as_dtype(dtype)
        if not dtype.is_floating:
            raise ValueError(
                f"random_normal_initializer: `dtype` must be a float, got {dtype.name}."
            )
        return self._draw(
            "normal", shape, dtype, self._config["mean"], self._config["stddev"], **kwargs
        )


class RandomUniform(_RandomInitializer):
    """Makes tensors of random numbers of which all between two bounds are equally likely.

    >>> tf.random_uniform_initializer(0, 10, seed=1)([3], dtype=tf.int32).shape
    TensorShape([3])
    """

    def __init__(
        self, minval: TensorLike = -0.05, maxval: TensorLike = 0.05, seed: int | None = None
    ) -> None:
        super().__init__(minval=minval, maxval=maxval, seed=seed)

    def __call__(self, shape: ShapeLike, dtype: DTypeLike = float32, **kwargs: Any) -> Tensor:
        dtype = as_dtype(dtype)
        if not dtype.is_floating and not dtype.is_integer:
            raise ValueError(
                f"random_uniform_initializer: `dtype` must be a number, got {dtype.name}."
            )
        return self._draw(
            "uniform", shape, dtype, self._config["minval"], self._config["maxval"], **kwargs
        )
