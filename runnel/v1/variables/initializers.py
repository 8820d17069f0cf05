"""Initializers of TensorFlow 1: first values by shape, drawn from the streams of stateful ops."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

import runnel as tf
from runnel.core.values.types import DTypeLike

_TRUNCATED = 0.87962566103423978  # the deviation of a normal distribution cut at two deviations


class Initializer:
    """Makes a first value: called with a shape and perhaps a dtype."""

    def __call__(
        self, shape: Any, dtype: DTypeLike = None, partition_info: Any = None
    ) -> tf.Tensor:
        raise NotImplementedError(f"{type(self).__name__} says not how to make a first value.")

    def get_config(self) -> dict[str, Any]:
        """What it was made with."""
        return {}

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Initializer:
        """The initializer that was made like that."""
        return cls(
            **{key: value for key, value in config.items() if key != "dtype"} | _dtype_of(config)
        )


def _dtype_of(config: Mapping[str, Any]) -> dict[str, Any]:
    return {"dtype": tf.as_dtype(config["dtype"])} if "dtype" in config else {}


class Zeros(Initializer):
    """Zeros."""

    def __init__(self, dtype: DTypeLike = tf.float32) -> None:
        self.dtype = tf.as_dtype(dtype)

    def __call__(
        self, shape: Any, dtype: DTypeLike = None, partition_info: Any = None
    ) -> tf.Tensor:
        return tf.zeros(shape, self.dtype if dtype is None else dtype)

    def get_config(self) -> dict[str, Any]:
        return {"dtype": self.dtype.name}


class Ones(Initializer):
    """Ones."""

    def __init__(self, dtype: DTypeLike = tf.float32) -> None:
        self.dtype = tf.as_dtype(dtype)

    def __call__(
        self, shape: Any, dtype: DTypeLike = None, partition_info: Any = None
    ) -> tf.Tensor:
        return tf.ones(shape, self.dtype if dtype is None else dtype)

    def get_config(self) -> dict[str, Any]:
        return {"dtype": self.dtype.name}


class Constant(Initializer):
    """One number everywhere, or the numbers of an array."""

    def __init__(
        self, value: Any = 0, dtype: DTypeLike = tf.float32, verify_shape: bool = False
    ) -> None:
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(f"Constant: `value` must be a number or numbers, got {value!r}.")
        self.value, self.dtype, self._verify_shape = value, tf.as_dtype(dtype), verify_shape

    def __call__(
        self,
        shape: Any,
        dtype: DTypeLike = None,
        partition_info: Any = None,
        verify_shape: bool | None = None,
    ) -> tf.Tensor:
        dtype = self.dtype if dtype is None else tf.as_dtype(dtype)
        check = self._verify_shape if verify_shape is None else verify_shape
        value = np.asarray(self.value)
        if check and value.shape != tuple(shape):
            raise TypeError(f"Constant: `value` has shape {value.shape}, not {tuple(shape)}.")
        return tf.constant(self._filled(value, [int(n) for n in shape]), dtype=dtype)

    def _filled(self, value: Any, shape: list[int]) -> Any:
        """The numbers in a shape; the last one again and again where they are too few."""
        count = math.prod(shape)
        if value.size > count:
            raise ValueError(
                f"Constant: `value` has {value.size} elements, too many for the shape {shape}."
            )
        flat = value.ravel()
        last = np.full(count - value.size, flat[-1] if flat.size else 0, flat.dtype)
        return np.concatenate([flat, last]).reshape(shape)

    def get_config(self) -> dict[str, Any]:
        return {"value": self.value, "dtype": self.dtype.name}


class RandomUniform(Initializer):
    """Uniform numbers between two bounds."""

    def __init__(
        self,
        minval: Any = 0.0,
        maxval: Any = None,
        seed: int | None = None,
        dtype: DTypeLike = tf.float32,
    ) -> None:
        self.minval, self.maxval, self.seed, self.dtype = minval, maxval, seed, tf.as_dtype(dtype)

    def __call__(
        self, shape: Any, dtype: DTypeLike = None, partition_info: Any = None
    ) -> tf.Tensor:
        dtype = self.dtype if dtype is None else tf.as_dtype(dtype)
        maxval = 1 if self.maxval is None and dtype not in (tf.int32, tf.int64) else self.maxval
        return tf.random.uniform(shape, self.minval, maxval, dtype, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        return {
            "minval": self.minval,
            "maxval": self.maxval,
            "seed": self.seed,
            "dtype": self.dtype.name,
        }


class RandomNormal(Initializer):
    """Numbers of a normal distribution."""

    _draw = staticmethod(tf.random.normal)

    def __init__(
        self,
        mean: float = 0.0,
        stddev: float = 1.0,
        seed: int | None = None,
        dtype: DTypeLike = tf.float32,
    ) -> None:
        self.mean, self.stddev, self.seed, self.dtype = mean, stddev, seed, tf.as_dtype(dtype)

    def __call__(
        self, shape: Any, dtype: DTypeLike = None, partition_info: Any = None
    ) -> tf.Tensor:
        dtype = self.dtype if dtype is None else dtype
        return self._draw(shape, self.mean, self.stddev, dtype, seed=self.seed)  # type: ignore[no-any-return]

    def get_config(self) -> dict[str, Any]:
        return {
            "mean": self.mean,
            "stddev": self.stddev,
            "seed": self.seed,
            "dtype": self.dtype.name,
        }


class TruncatedNormal(RandomNormal):
    """Numbers of a normal distribution that lie within two deviations."""

    _draw = staticmethod(tf.random.truncated_normal)


class UniformUnitScaling(Initializer):
    """Uniform numbers that keep the scale of the inputs."""

    def __init__(
        self, factor: float = 1.0, seed: int | None = None, dtype: DTypeLike = tf.float32
    ) -> None:
        self.factor, self.seed, self.dtype = factor, seed, tf.as_dtype(dtype)

    def __call__(
        self, shape: Any, dtype: DTypeLike = None, partition_info: Any = None
    ) -> tf.Tensor:
        dtype = self.dtype if dtype is None else tf.as_dtype(dtype)
        size = max(1.0, math.prod(float(n) for n in list(shape)[:-1]))
        bound = math.sqrt(3 / size) * self.factor
        return tf.random.uniform(shape, -bound, bound, dtype, seed=self.seed)

    def get_config(self) -> dict[str, Any]:
        return {"factor": self.factor, "seed": self.seed, "dtype": self.dtype.name}


class VarianceScaling(Initializer):
    """Random numbers whose variance follows from the numbers of inputs and outputs."""

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        dtype: DTypeLike = tf.float32,
    ) -> None:
        if scale <= 0:
            raise ValueError(f"VarianceScaling: `scale` must be positive, got {scale}.")
        if mode not in ("fan_in", "fan_out", "fan_avg"):
            raise ValueError(f"VarianceScaling: unknown `mode` {mode!r}.")
        name = distribution.lower()
        if name not in ("normal", "uniform", "truncated_normal", "untruncated_normal"):
            raise ValueError(f"VarianceScaling: unknown `distribution` {distribution!r}.")
        self.scale, self.mode, self.distribution = scale, mode, name
        self.seed, self.dtype = seed, tf.as_dtype(dtype)

    def __call__(
        self, shape: Any, dtype: DTypeLike = None, partition_info: Any = None
    ) -> tf.Tensor:
        dtype = self.dtype if dtype is None else tf.as_dtype(dtype)
        whole = shape if partition_info is None else partition_info.full_shape
        fan_in, fan_out = fans([int(n) for n in whole])
        fan = {"fan_in": fan_in, "fan_out": fan_out, "fan_avg": (fan_in + fan_out) / 2.0}[self.mode]
        scale = self.scale / max(1.0, fan)
        if self.distribution == "uniform":
            limit = math.sqrt(3.0 * scale)
            return tf.random.uniform(shape, -limit, limit, dtype, seed=self.seed)
        if self.distribution == "untruncated_normal":
            return tf.random.normal(shape, 0.0, math.sqrt(scale), dtype, seed=self.seed)
        return tf.random.truncated_normal(
            shape, 0.0, math.sqrt(scale) / _TRUNCATED, dtype, seed=self.seed
        )

    def get_config(self) -> dict[str, Any]:
        return {
            "scale": self.scale,
            "mode": self.mode,
            "distribution": self.distribution,
            "seed": self.seed,
            "dtype": self.dtype.name,
        }


def fans(shape: Sequence[int]) -> tuple[float, float]:
    """How many inputs and outputs a matrix or a kernel of that shape has."""
    if len(shape) < 1:
        return 1, 1
    if len(shape) == 1:
        return shape[0], shape[0]
    field = math.prod(shape[:-2])
    return shape[-2] * field, shape[-1] * field


class _Glorot(VarianceScaling):
    _scale, _mode, _kind = 1.0, "fan_avg", "uniform"

    def __init__(self, seed: int | None = None, dtype: DTypeLike = tf.float32) -> None:
        super().__init__(self._scale, self._mode, self._kind, seed, dtype)

    def get_config(self) -> dict[str, Any]:
        return {"seed": self.seed, "dtype": self.dtype.name}


class GlorotUniform(_Glorot):
    """Uniform numbers after Glorot and Bengio."""


class GlorotNormal(_Glorot):
    """Normal numbers after Glorot and Bengio."""

    _kind = "truncated_normal"


class Orthogonal(Initializer):
    """An orthogonal matrix of random numbers."""

    def __init__(
        self, gain: float = 1.0, seed: int | None = None, dtype: DTypeLike = tf.float32
    ) -> None:
        self.gain, self.seed, self.dtype = gain, seed, tf.as_dtype(dtype)

    def __call__(
        self, shape: Any, dtype: DTypeLike = None, partition_info: Any = None
    ) -> tf.Tensor:
        dtype = self.dtype if dtype is None else tf.as_dtype(dtype)
        dims = [int(n) for n in shape]
        if len(dims) < 2:
            raise ValueError(f"Orthogonal: the shape must have two dimensions or more, got {dims}.")
        rows, columns = math.prod(dims[:-1]), dims[-1]
        flat = [max(rows, columns), min(rows, columns)]
        q, r = tf.linalg.qr(
            tf.random.normal(flat, dtype=dtype, seed=self.seed), full_matrices=False
        )
        q = q * tf.sign(tf.linalg.diag_part(r))
        if rows < columns:
            q = tf.transpose(q)
        return self.gain * tf.reshape(q, dims)  # type: ignore[no-any-return]

    def get_config(self) -> dict[str, Any]:
        return {"gain": self.gain, "seed": self.seed, "dtype": self.dtype.name}


class Identity(Initializer):
    """The identity matrix."""

    def __init__(self, gain: float = 1.0, dtype: DTypeLike = tf.float32) -> None:
        self.gain, self.dtype = gain, tf.as_dtype(dtype)

    def __call__(
        self, shape: Any, dtype: DTypeLike = None, partition_info: Any = None
    ) -> tf.Tensor:
        dims = list(shape if partition_info is None else partition_info.full_shape)
        if len(dims) != 2:
            raise ValueError(f"Identity: the shape must have two dimensions, got {dims}.")
        dtype = self.dtype if dtype is None else dtype
        return self.gain * tf.eye(dims[0], dims[1], dtype=dtype)  # type: ignore[no-any-return]

    def get_config(self) -> dict[str, Any]:
        return {"gain": self.gain, "dtype": self.dtype.name}


def _scaled(scale: float, mode: str, kind: str) -> Any:
    def make(seed: int | None = None) -> VarianceScaling:
        return VarianceScaling(scale, mode, kind, seed)

    return make


lecun_normal = _scaled(1.0, "fan_in", "truncated_normal")
lecun_uniform = _scaled(1.0, "fan_in", "uniform")
he_normal = _scaled(2.0, "fan_in", "truncated_normal")
he_uniform = _scaled(2.0, "fan_in", "uniform")


def default_initializer(dtype: tf.DType) -> Initializer:
    """What a variable begins with if nobody says: Glorot's numbers, or zeros that are no floats."""
    return GlorotUniform() if dtype.is_floating else Zeros(dtype)
