"""Initializers whose spread follows from the number of inputs and outputs of a weight."""

from __future__ import annotations

import math
from typing import Any

import runnel as tf
from runnel.keras.initializers.base import RandomInitializer, checked_dtype

_MODES = {
    "fan_in": lambda fan_in, fan_out: fan_in,
    "fan_out": lambda fan_in, fan_out: fan_out,
    "fan_avg": lambda fan_in, fan_out: (fan_in + fan_out) / 2.0,
}
_DISTRIBUTIONS = ("truncated_normal", "untruncated_normal", "uniform")
_TRUNCATED_STDDEV = 0.87962566103423978  # of a standard normal cut off at two


def compute_fans(shape: Any) -> tuple[int, int]:
    """How many inputs and outputs a weight of this shape joins."""
    shape = tuple(map(int, shape))
    if len(shape) < 1:
        return 1, 1
    if len(shape) == 1:
        return int(shape[0]), int(shape[0])
    receptive = math.prod(shape[:-2])
    return int(shape[-2] * receptive), int(shape[-1] * receptive)


class VarianceScaling(RandomInitializer):
    """Random numbers with a variance of `scale` by the number of inputs, outputs or their mean.

    >>> tf.keras.initializers.VarianceScaling(2.0, "fan_out", seed=1)((2, 3)).shape
    TensorShape([2, 3])
    """

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
    ) -> None:
        super().__init__(seed)
        distribution = str(distribution).lower()
        distribution = "truncated_normal" if distribution == "normal" else distribution
        if scale <= 0.0:
            raise ValueError(f"`scale` must be positive float. Received: scale={scale}.")
        if mode not in _MODES:
            raise ValueError(f"Invalid `mode` argument: {mode}. Please use one of {set(_MODES)}.")
        if distribution not in _DISTRIBUTIONS:
            raise ValueError(
                f"Invalid `distribution` argument: {distribution}. "
                f"Allowed distributions: {set(_DISTRIBUTIONS)}."
            )
        self.scale, self.mode, self.distribution = scale, mode, distribution

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> tf.Tensor:
        shape, nonce = self._prepare(shape, kwargs)
        dtype = checked_dtype(dtype, floats=True)
        scale = self.scale / max(1.0, _MODES[self.mode](*compute_fans(shape)))
        draw = self._random_generator
        if self.distribution == "truncated_normal":
            stddev = math.sqrt(scale) / _TRUNCATED_STDDEV
            return draw.truncated_normal(shape, 0.0, stddev, dtype, nonce)
        if self.distribution == "untruncated_normal":
            return draw.random_normal(shape, 0.0, math.sqrt(scale), dtype, nonce)
        limit = math.sqrt(3.0 * scale)
        return draw.random_uniform(shape, -limit, limit, dtype, nonce)

    def get_config(self) -> dict[str, Any]:
        return {
            "scale": self.scale,
            "mode": self.mode,
            "distribution": self.distribution,
            "seed": self.seed,
        }


class _Named(VarianceScaling):
    """A choice of scale, mode and distribution that has a name of its own."""

    _choice: tuple[float, str, str]

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(*self._choice, seed=seed)

    def get_config(self) -> dict[str, Any]:
        return {"seed": self.seed}


class GlorotUniform(_Named):
    """Uniform numbers scaled by the mean of inputs and outputs, also called Xavier.

    >>> tf.keras.initializers.GlorotUniform(seed=1)((2, 3)).shape
    TensorShape([2, 3])
    """

    _choice = (1.0, "fan_avg", "uniform")


class GlorotNormal(_Named):
    """Truncated normal numbers scaled by the mean of inputs and outputs.

    >>> tf.keras.initializers.GlorotNormal(seed=1)((2, 3)).shape
    TensorShape([2, 3])
    """

    _choice = (1.0, "fan_avg", "truncated_normal")


class LecunNormal(_Named):
    """Truncated normal numbers scaled by the number of inputs.

    >>> tf.keras.initializers.LecunNormal(seed=1)((2, 3)).shape
    TensorShape([2, 3])
    """

    _choice = (1.0, "fan_in", "truncated_normal")


class LecunUniform(_Named):
    """Uniform numbers scaled by the number of inputs.

    >>> tf.keras.initializers.LecunUniform(seed=1)((2, 3)).shape
    TensorShape([2, 3])
    """

    _choice = (1.0, "fan_in", "uniform")


class HeNormal(_Named):
    """Truncated normal numbers scaled by half the number of inputs, for `relu`.

    >>> tf.keras.initializers.HeNormal(seed=1)((2, 3)).shape
    TensorShape([2, 3])
    """

    _choice = (2.0, "fan_in", "truncated_normal")


class HeUniform(_Named):
    """Uniform numbers scaled by half the number of inputs, for `relu`.

    >>> tf.keras.initializers.HeUniform(seed=1)((2, 3)).shape
    TensorShape([2, 3])
    """

    _choice = (2.0, "fan_in", "uniform")
