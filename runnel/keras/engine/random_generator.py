"""Where layers and initializers take random numbers from, seeded as Keras seeds them."""

from __future__ import annotations

import contextlib
import random
import threading
from collections.abc import Iterator
from typing import Any

import runnel as tf
from runnel.keras.engine.settings import floatx

_LARGEST_SEED = int(1e9)


class _Trace(threading.local):
    """The seeds that the trace being made hands out, or that an earlier trace of it did."""

    seeds: list[int] | Iterator[int] | None = None


_trace = _Trace()


@contextlib.contextmanager
def seeds_of_trace(seeds: list[int], again: bool) -> Iterator[None]:
    """Note the seeds of the ops that are made here, or have them handed out `again`."""
    outer, _trace.seeds = _trace.seeds, iter(seeds) if again else seeds
    try:
        yield
    finally:
        _trace.seeds = outer


class _Seeds:
    """The generator of seeds that `set_random_seed` makes; else Python's own is asked."""

    generator: Any = random
    stateful = False  # whether layers draw from `tf.random.Generator`s


def is_tf_random_generator_enabled() -> bool:
    """Whether layers draw from generators of their own, and not from TensorFlow's seeds."""
    return _Seeds.stateful


def enable_tf_random_generator() -> None:
    """Let layers made from now on draw from generators of their own."""
    _Seeds.stateful = True


def disable_tf_random_generator() -> None:
    """Let layers made from now on draw by TensorFlow's global seed."""
    _Seeds.stateful = False


def set_random_seed(seed: int) -> None:
    """Seed Python, NumPy, the backend and Keras with one number.

    Args:
        seed: an integer.

    >>> tf.keras.utils.set_random_seed(1)
    >>> tf.keras.initializers.GlorotUniform()((1, 2)).shape
    TensorShape([1, 2])
    """
    import numpy as np

    if not isinstance(seed, int):
        raise ValueError(
            "Expected `seed` argument to be an integer. Received: "
            f"seed={seed} (of type {type(seed)})"
        )
    random.seed(seed)
    np.random.seed(seed)
    tf.random.set_seed(seed)
    _Seeds.generator = random.Random(seed)


def new_seed() -> int:
    """A seed for something that was given none."""
    return int(_Seeds.generator.randint(1, _LARGEST_SEED))


class RandomGenerator:
    """Random numbers by one of three ways.

    `stateless`: one seed, so that equal calls give equal numbers (initializers); `stateful`: a
    `tf.random.Generator`; `legacy_stateful`: TensorFlow's random ops and the global seed (layers).
    """

    def __init__(self, seed: int | None = None, rng_type: str | None = None) -> None:
        self._seed = seed
        self._rng_type = rng_type or ("stateful" if _Seeds.stateful else "legacy_stateful")
        self._generator: Any = None
        self._stateless_seed: int | None = None

    def make_seed_for_stateless_op(self) -> Any:
        """Two integers; None where TensorFlow's own ops keep the state."""
        if self._rng_type == "stateless":
            if self._stateless_seed is None:
                self._stateless_seed = new_seed() if self._seed is None else self._seed
            return [self._stateless_seed, 0]
        if self._rng_type == "stateful":
            return self._own_generator().make_seeds()[:, 0]
        return None

    def make_legacy_seed(self) -> int | None:
        """The seed of the next op: each call gives the next number."""
        if self._seed is None:
            return None
        if isinstance(_trace.seeds, Iterator) and (seed := next(_trace.seeds, None)) is not None:
            return seed
        self._seed += 1
        if isinstance(_trace.seeds, list):
            _trace.seeds.append(self._seed - 1)
        return self._seed - 1

    def _own_generator(self) -> Any:
        if self._generator is None:
            seed = new_seed() if self._seed is None else self._seed
            with tf.init_scope():
                self._generator = tf.random.Generator.from_seed(seed)
        return self._generator

    def _draw(self, kind: str, shape: Any, nonce: int | None, **options: Any) -> tf.Tensor:
        options["dtype"] = options["dtype"] or floatx()
        if self._rng_type == "stateful":
            return getattr(self._own_generator(), kind)(shape, **options)
        if self._rng_type == "stateless":
            seed = self.make_seed_for_stateless_op()
            if nonce:
                seed = tf.random.experimental.stateless_fold_in(seed, nonce)
            return getattr(tf.random, f"stateless_{kind}")(shape, seed=seed, **options)
        return getattr(tf.random, kind)(shape, seed=self.make_legacy_seed(), **options)

    def random_normal(
        self,
        shape: Any,
        mean: float = 0.0,
        stddev: float = 1.0,
        dtype: Any = None,
        nonce: int | None = None,
    ) -> tf.Tensor:
        return self._draw("normal", shape, nonce, mean=mean, stddev=stddev, dtype=dtype)

    def random_uniform(
        self,
        shape: Any,
        minval: Any = 0.0,
        maxval: Any = None,
        dtype: Any = None,
        nonce: int | None = None,
    ) -> tf.Tensor:
        return self._draw("uniform", shape, nonce, minval=minval, maxval=maxval, dtype=dtype)

    def truncated_normal(
        self,
        shape: Any,
        mean: float = 0.0,
        stddev: float = 1.0,
        dtype: Any = None,
        nonce: int | None = None,
    ) -> tf.Tensor:
        return self._draw("truncated_normal", shape, nonce, mean=mean, stddev=stddev, dtype=dtype)

    def skip(self, like: Any) -> None:
        """Pass over the numbers that a mask of `like`'s shape would have taken."""
        if self._rng_type == "stateful":
            self._own_generator().uniform(tf.shape(like), dtype=like.dtype)
        elif self._rng_type == "legacy_stateful":
            self.random_uniform([])  # an op has a state of its own: one number does for all

    def dropout(self, inputs: Any, rate: float, noise_shape: Any = None) -> tf.Tensor:
        """Zeros at `rate` of the places, the others scaled so that the sum stays."""
        if self._rng_type == "legacy_stateful":
            seed = self.make_legacy_seed()
            return tf.nn.dropout(inputs, rate=rate, noise_shape=noise_shape, seed=seed)
        if self._rng_type == "stateless":
            seed = self.make_seed_for_stateless_op()
            return tf.nn.experimental.stateless_dropout(
                inputs, rate=rate, seed=seed, noise_shape=noise_shape
            )
        return tf.nn.experimental.general_dropout(
            inputs,
            rate=rate,
            uniform_sampler=self._own_generator().uniform,
            noise_shape=noise_shape,
        )
