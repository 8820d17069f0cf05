"""The Kullback-Leibler divergence: a function for each pair of classes that is registered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import runnel as tf

_KNOWN: dict[tuple[type, type], Callable[..., Any]] = {}


class RegisterKL:
    """Decorator: the function says how far distributions of two classes are from each other.

    >>> class Mine(tf.compat.v1.distributions.Normal):
    ...     pass
    >>> @tf.compat.v1.distributions.RegisterKL(Mine, Mine)
    ... def _far(a, b, name=None):
    ...     return tf.constant(7.0)
    >>> mine = Mine(0.0, 1.0)
    >>> mine.kl_divergence(mine).numpy()
    np.float32(7.0)
    """

    def __init__(self, dist_cls_a: type, dist_cls_b: type) -> None:
        self._key = (dist_cls_a, dist_cls_b)

    def __call__(self, kl_fn: Callable[..., Any]) -> Callable[..., Any]:
        names = " and ".join(kind.__name__ for kind in self._key)
        if not callable(kl_fn):
            raise TypeError(f"RegisterKL: a function for {names} is wanted, got {kl_fn!r}.")
        if self._key in _KNOWN:
            raise ValueError(f"RegisterKL: {names} have {_KNOWN[self._key]!r} already.")
        _KNOWN[self._key] = kl_fn
        return kl_fn


def _registered(kind_a: type, kind_b: type) -> Callable[..., Any] | None:
    """The function for the nearest classes above two classes."""
    near = [
        (n + m, (a, b))
        for n, a in enumerate(kind_a.__mro__)
        for m, b in enumerate(kind_b.__mro__)
        if (a, b) in _KNOWN
    ]
    return _KNOWN[min(near, key=lambda pair: pair[0])[1]] if near else None


def kl_divergence(
    distribution_a: Any,
    distribution_b: Any,
    allow_nan_stats: bool = True,
    name: str | None = None,
) -> tf.Tensor:
    """The Kullback-Leibler divergence from one distribution to another."""
    function = _registered(type(distribution_a), type(distribution_b))
    if function is None:
        kinds = f"{type(distribution_a).__name__} to {type(distribution_b).__name__}"
        raise NotImplementedError(f"kl_divergence: nothing is registered for {kinds}.")
    with tf.name_scope("KullbackLeibler"):
        found = function(distribution_a, distribution_b, name=name)
        if allow_nan_stats:
            return found  # type: ignore[no-any-return]
        found = tf.identity(found, name="kl")
        text = f"kl_divergence of {distribution_a.name} and {distribution_b.name} has NaNs:"
        finite = tf.logical_not(tf.reduce_any(tf.math.is_nan(found)))
        with tf.control_dependencies([tf.debugging.Assert(finite, [text, found])]):
            return tf.identity(found, name="checked_kl")


def cross_entropy(
    ref: Any, other: Any, allow_nan_stats: bool = True, name: str | None = None
) -> tf.Tensor:
    """How much a sample of `ref` tells to whom expects those of `other`."""
    with tf.name_scope(name or "cross_entropy"):
        return ref.entropy() + kl_divergence(ref, other, allow_nan_stats)  # type: ignore[no-any-return]
