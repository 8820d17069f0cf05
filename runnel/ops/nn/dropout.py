"""Dropout: some elements become zero, the others grow so that the sum is expected to stay."""

from __future__ import annotations

import functools
import numbers
from collections.abc import Callable
from typing import Any

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops, scoped
from runnel.core.values.types import TensorLike
from runnel.ops.random.numbers import uniform
from runnel.ops.random.seeded_numbers import stateless_uniform
from runnel.ops.shapes import shape_of, with_shape_of


@scoped("dropout")
def dropout(
    x: TensorLike,
    rate: Any,
    noise_shape: TensorLike | None = None,
    seed: int | None = None,
    name: str | None = None,
) -> Tensor:
    """`x` with each element set to 0 with probability `rate`, the others scaled up.

    >>> tf.nn.dropout([1.0, 2.0], rate=0.0).numpy()
    array([1., 2.], dtype=float32)
    """
    x = convert_to_tensor(x)  # here, so that handlers of other types see this function
    sampler = functools.partial(uniform, seed=seed)
    return general_dropout(x, rate, sampler, noise_shape, name)


@scoped("stateless_dropout")
def stateless_dropout(
    x: TensorLike,
    rate: Any,
    seed: TensorLike,
    rng_alg: Any = None,
    noise_shape: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """`dropout` that drops the same elements for the same `seed`, which is a pair of integers.

    >>> tf.nn.experimental.stateless_dropout([1.0, 2.0], rate=0.0, seed=[1, 2]).numpy()
    array([1., 2.], dtype=float32)
    """
    x = convert_to_tensor(x)
    algorithm = "auto_select" if rng_alg is None else rng_alg
    sampler = functools.partial(stateless_uniform, seed=seed, alg=algorithm)
    return general_dropout(x, rate, sampler, noise_shape, name)


@scoped("stateless_dropout")
def general_dropout(
    x: TensorLike,
    rate: Any,
    uniform_sampler: Callable[..., Tensor],
    noise_shape: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """`dropout` with random numbers from `uniform_sampler(shape=, dtype=)`.

    >>> half = lambda shape, dtype: tf.constant([0.1, 0.9])
    >>> tf.nn.experimental.general_dropout([1.0, 2.0], 0.5, half).numpy()
    array([0., 4.], dtype=float32)
    """
    number = isinstance(rate, numbers.Real)
    if number and not 0 <= float(rate) < 1:
        raise ValueError(f"dropout: `rate` must be in [0, 1), got {rate!r}.")
    given = convert_to_tensor(x)
    if not given.dtype.is_floating:
        raise ValueError(
            f"dropout: `x` must have a float dtype to be scaled, got {given.dtype.name}."
        )
    if number and rate == 0:
        return given
    if not number and not hasattr(rate, "dtype"):
        raise ValueError(f"dropout: `rate` must be a number or a scalar tensor, got {rate!r}.")
    share = convert_to_tensor(rate) if not number else convert_to_tensor(rate, given.dtype)
    if share.shape.rank not in (None, 0):
        raise ValueError(f"dropout: `rate` must be a scalar, got shape {share.shape}.")
    if share.dtype is not given.dtype:
        raise ValueError(
            f"dropout: `rate` must be of dtype {given.dtype.name}, got {share.dtype.name}."
        )
    one = convert_to_tensor(1, given.dtype)
    grown = given * raw_ops.RealDiv(one, one - share)
    noise = uniform_sampler(shape=_noise_shape(given, noise_shape), dtype=given.dtype)
    kept = raw_ops.GreaterEqual(noise, share)
    found = raw_ops.SelectV2(kept, grown, raw_ops.ZerosLike(grown), name=name)
    return with_shape_of(given, found)


def _noise_shape(x: Tensor, noise_shape: TensorLike | None) -> Any:
    """The shape of the noise; a None in it stands for the size of `x`."""
    if noise_shape is None:
        return shape_of(x)
    if isinstance(noise_shape, Tensor):
        return noise_shape
    dims = list(noise_shape)
    sizes = x.shape._dims
    if sizes is not None and len(sizes) == len(dims):
        dims = [sizes[i] if d is None else d for i, d in enumerate(dims)]
    return dims
