"""What initializers share."""

from __future__ import annotations

import warnings
from typing import Any

import runnel as tf
from runnel.keras.engine.random_generator import RandomGenerator
from runnel.keras.engine.settings import floatx
from runnel.keras.saving.config_errors import reads_config

_PARTITION = ("partition_shape", "partition_offset", "layout")


class Initializer:
    """Makes the first value of a weight from its shape and dtype.

    >>> class Halves(tf.keras.initializers.Initializer):
    ...     def __call__(self, shape, dtype=None, **kwargs):
    ...         return tf.fill(shape, tf.constant(0.5, dtype))
    >>> tf.keras.layers.Dense(1, kernel_initializer=Halves())(tf.ones([1, 4])).numpy()
    array([[2.]], dtype=float32)
    """

    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Any:
        raise NotImplementedError("Initializer subclasses must implement the `__call__()` method.")

    def get_config(self) -> dict[str, Any]:
        """The arguments with which another can be made."""
        return {}

    @classmethod
    @reads_config
    def from_config(cls, config: dict[str, Any]) -> Any:
        """An initializer with the arguments of `get_config`."""
        config = dict(config)
        config.pop("dtype", None)
        return cls(**config)


class RandomInitializer(Initializer):
    """One that draws: an initializer gives the same numbers each time it is called."""

    def __init__(self, seed: int | None = None) -> None:
        self.seed = seed
        self._random_generator = RandomGenerator(seed, rng_type="stateless")
        self._used = False

    def _prepare(self, shape: Any, kwargs: dict[str, Any]) -> tuple[Any, int | None]:
        """The shape to fill, and what to fold into the seed for one part of a split weight."""
        check_arguments(type(self).__name__, kwargs)
        if isinstance(shape, dict):
            raise TypeError(f"A shape must be a list of numbers, got {shape!r}.")
        offset = kwargs.get("partition_offset")
        if offset is None and self._used and self.seed is None:
            warnings.warn(
                f"The initializer {type(self).__name__} is unseeded and being called multiple "
                "times, which will return identical values each time (even if the initializer is "
                "unseeded). Use a separate initializer for each weight.",
                stacklevel=3,
            )
        self._used = True
        nonce = None if offset is None else hash(tuple(offset))
        return kwargs.get("partition_shape") or shape, nonce


def check_whole(name: str, kwargs: dict[str, Any]) -> None:
    """Refuse to make a part of a weight."""
    if "partition_shape" in kwargs or "partition_offset" in kwargs:
        raise ValueError(
            f"The initializer {name} doesn't support `partition_shape` and `partition_offset`: it "
            "makes whole weights only."
        )


def check_arguments(name: str, kwargs: dict[str, Any]) -> None:
    """Only the keywords for parts of a weight are known."""
    for key in kwargs:
        if key not in _PARTITION:
            raise TypeError(
                f"Unknown keyword arguments: {key}. Allowed keyword arguments: {_PARTITION} "
                f"(in {name})."
            )


def checked_dtype(dtype: Any, *, floats: bool = False) -> tf.DType:
    """The dtype, or the default one; `floats` refuses all others."""
    found = tf.as_dtype(dtype or floatx())
    if floats and not found.is_floating:
        raise ValueError(f"Expected floating point type, got {found!r}.")
    if not (found.is_floating or found.is_integer or found == tf.bool or found.is_complex):
        raise ValueError(f"Expected numeric or boolean dtype, got {found!r}.")
    return found
