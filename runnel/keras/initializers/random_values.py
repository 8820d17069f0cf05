"""Initializers that draw every element from one distribution."""

from __future__ import annotations

from typing import Any

import runnel as tf
from runnel.keras.initializers.base import RandomInitializer, check_whole, checked_dtype


class RandomNormal(RandomInitializer):
    """Normal random numbers.

    >>> tf.keras.initializers.RandomNormal(stddev=1.0, seed=1)((2, 3)).shape
    TensorShape([2, 3])
    """

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        super().__init__(seed)
        self.mean, self.stddev = mean, stddev

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> tf.Tensor:
        shape, nonce = self._prepare(shape, kwargs)
        dtype = checked_dtype(dtype, floats=True)
        return self._random_generator.random_normal(shape, self.mean, self.stddev, dtype, nonce)

    def get_config(self) -> dict[str, Any]:
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}


class TruncatedNormal(RandomInitializer):
    """Normal random numbers, none further from the mean than two standard deviations.

    >>> tf.keras.initializers.TruncatedNormal(seed=1)((2, 3)).shape
    TensorShape([2, 3])
    """

    def __init__(self, mean: float = 0.0, stddev: float = 0.05, seed: int | None = None) -> None:
        super().__init__(seed)
        self.mean, self.stddev = mean, stddev

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> tf.Tensor:
        shape, nonce = self._prepare(shape, kwargs)
        dtype = checked_dtype(dtype, floats=True)
        return self._random_generator.truncated_normal(shape, self.mean, self.stddev, dtype, nonce)

    def get_config(self) -> dict[str, Any]:
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}


class RandomUniform(RandomInitializer):
    """Random numbers of which all between two bounds are equally likely.

    >>> tf.keras.initializers.RandomUniform(0.0, 1.0, seed=1)((2, 3)).shape
    TensorShape([2, 3])
    """

    def __init__(
        self, minval: float = -0.05, maxval: float = 0.05, seed: int | None = None
    ) -> None:
        super().__init__(seed)
        self.minval, self.maxval = minval, maxval

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> tf.Tensor:
        shape, nonce = self._prepare(shape, kwargs)
        found = checked_dtype(dtype)
        if not (found.is_floating or found.is_integer):
            raise ValueError(f"Expected float or integer dtype, got {found}.")
        return self._random_generator.random_uniform(shape, self.minval, self.maxval, found, nonce)

    def get_config(self) -> dict[str, Any]:
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed}


class Orthogonal(RandomInitializer):
    """A matrix with orthogonal rows or columns, from the QR decomposition of normal numbers.

    >>> q = tf.keras.initializers.Orthogonal(seed=1)((3, 3))
    >>> bool(tf.reduce_all(abs(tf.matmul(q, q, transpose_a=True) - tf.eye(3)) < 1e-5))
    True
    """

    def __init__(self, gain: float = 1.0, seed: int | None = None) -> None:
        super().__init__(seed)
        self.gain = gain

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> tf.Tensor:
        check_whole("Orthogonal", kwargs)
        shape, nonce = self._prepare(shape, kwargs)
        dtype = checked_dtype(dtype, floats=True)
        if len(shape) < 2:
            raise ValueError(
                "The tensor to initialize must be at least two-dimensional. Received: "
                f"shape={shape} of rank {len(shape)}."
            )
        rows, columns = 1, shape[-1]
        for size in shape[:-1]:
            rows *= size
        flat = (max(columns, rows), min(columns, rows))
        drawn = self._random_generator.random_normal(flat, dtype=dtype, nonce=nonce)
        q, r = tf.linalg.qr(drawn, full_matrices=False)
        q = q * tf.sign(tf.linalg.diag_part(r))  # makes Q uniform among all such matrices
        if rows < columns:
            q = tf.linalg.matrix_transpose(q)
        return self.gain * tf.reshape(q, shape)

    def get_config(self) -> dict[str, Any]:
        return {"gain": self.gain, "seed": self.seed}
