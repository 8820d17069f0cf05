"""Candidate samplers: random classes to train against, with how often each is to be expected.

`sampled_softmax_loss` and `nce_loss` correct by the expected counts.
"""

from __future__ import annotations

import csv
from collections.abc import Callable
from typing import Any

import numpy as np

from runnel.core import philox
from runnel.core.convert import convert_to_tensor
from runnel.core.dtypes import int64
from runnel.core.errors import InvalidArgumentError, bad_shape, bad_value
from runnel.core.op import op
from runnel.core.random_bits import unit
from runnel.core.raw import raw_ops
from runnel.core.registry import no_gradient
from runnel.core.tensor import Tensor
from runnel.core.types import Array, Dims, Namespace, Spec, TensorLike
from runnel.ops.random_seeds import seed_attrs
from runnel.ops.random_streams import first_state

_SIGNATURE = (
    "true_classes: int64 -> sampled_candidates: int64, true_expected_count: float32, "
    "sampled_expected_count: float32"
)
_STEPS = 512  # blocks that TensorFlow sets aside for each candidate
_CHUNK = 64  # blocks that are drawn at a time, at least
Sampled = tuple[Tensor, Tensor, Tensor]


class Uniform:
    """Every class is equally likely."""

    def __init__(self, range_max: int) -> None:
        self.range = range_max

    def sample(self, bits: Array) -> Array:
        """A class for each of the uint64 numbers `bits` of a stream."""
        return (bits % np.uint64(self.range)).astype(np.int64)

    def probability(self, classes: Array) -> Array:
        return np.full(classes.shape, 1 / self.range, np.float32)


class LogUniform(Uniform):
    """Zipf's law: a class is likelier the smaller its number is."""

    def sample(self, bits: Array) -> Array:
        numbers = np.exp(unit(np, bits, np.float64) * np.log1p(self.range))
        return (numbers.astype(np.int64) - 1) % self.range

    def probability(self, classes: Array) -> Array:
        share = np.log((classes + 2.0) / (classes + 1.0)) / np.log1p(self.range)
        return share.astype(np.float32)


class Learned(Uniform):
    """A class is as likely as it has been frequent among the true classes so far."""

    def __init__(self, counts: Array) -> None:
        super().__init__(len(counts))
        self._total = np.cumsum(counts)
        self._counts = counts

    def sample(self, bits: Array) -> Array:
        place = bits.view(np.uint32) % np.uint32(self._total[-1])
        return np.searchsorted(self._total, place, side="right")

    def probability(self, classes: Array) -> Array:
        return (self._counts[classes] / self._total[-1]).astype(np.float32)


class Fixed(Uniform):
    """Classes with given weights, drawn by Walker's alias method: a cell, and then one of its two."""

    def __init__(self, weights: Array) -> None:
        super().__init__(len(weights))
        self._weights = weights
        self._sum = np.add.accumulate(weights, dtype=np.float32)[-1]
        self._share, self._other = _alias_table(weights)

    def sample(self, bits: Array) -> Array:
        words = bits.view(np.uint32).reshape(-1, 2)
        cell = words[:, 1] % np.uint32(self.range)
        first = ((words[:, 0] & 0x7FFFFF | 0x3F800000).view(np.float32) - 1) < self._share[cell]
        return np.where(first, cell, self._other[cell]).astype(np.int64)

    def probability(self, classes: Array) -> Array:
        inside = (classes >= 0) & (classes < self.range)
        found = self._weights[np.where(inside, classes, 0)] / self._sum
        return np.where(inside, found, np.float32(0)).astype(np.float32)


def _alias_table(weights: Array) -> tuple[Array, Array]:
    """For each cell the share of its own class, and the class that has the rest."""
    share = (weights * np.float32(len(weights))).astype(np.float64) / float(np.sum(weights, dtype=np.float64))
    other = np.arange(len(weights))
    low = [i for i in range(len(weights)) if share[i] < 1]
    high = [i for i in range(len(weights)) if share[i] >= 1]
    while high and low:
        small, large = low.pop(), high.pop()
        other[small] = large
        share[large] -= 1 - share[small]
        (low if share[large] < 1 else high).append(large)
    share[low + high] = 1
    return share.astype(np.float32), other


def _draw(sampler: Uniform, state: Array, count: int, unique: bool) -> tuple[Array, int]:
    """The classes, and how many were drawn to get them."""
    key, counter = philox.from_state(np, state)
    found: dict[int, None] = {}
    place = tries = 0
    while True:
        step = max(_CHUNK, count)
        index = np.arange(place, place + step, dtype=np.uint64)
        classes = sampler.sample(philox.blocks(np, key, counter, index).reshape(-1))
        if not unique:
            return classes[:count], count
        for drawn in classes.tolist():
            tries += 1
            found[drawn] = None
            if len(found) == count:
                return np.array(list(found), np.int64), tries
        place += step


def _expected(probability: Array, count: int, tries: int) -> Array:
    """How often a class is expected among `count` candidates."""
    if tries == count:
        return probability * np.float32(count)
    return -np.expm1(np.float32(tries) * np.log1p(-probability))


def _sample(
    op_name: str,
    sampler: Uniform,
    state: Array,
    true_classes: Array,
    num_true: int,
    num_sampled: int,
    unique: bool,
) -> tuple[tuple[Array, Array, Array], Array]:
    if unique and num_sampled > sampler.range:
        raise bad_value(op_name, want=f"be at most the number of classes, {sampler.range}", num_sampled=num_sampled)
    _check_classes(op_name, true_classes, num_true)
    classes, tries = _draw(sampler, state, num_sampled, unique)
    expected = [_expected(sampler.probability(c), num_sampled, tries) for c in (true_classes, classes)]
    return (classes, *expected), philox.move(np, state, _STEPS * num_sampled)  # type: ignore[return-value]


def _check_classes(op_name: str, true_classes: Array, num_true: int) -> None:
    if true_classes.ndim != 2 or true_classes.shape[1] != num_true:
        raise bad_shape(op_name, want=f"be a matrix with {num_true} columns", true_classes=true_classes)


def _shapes(
    true_classes: Spec, *, num_true: int, num_sampled: int, op_name: str, **attrs: Any
) -> list[Dims]:
    dims = true_classes.dims
    if dims is not None and (len(dims) != 2 or dims[1] not in (None, num_true)):
        raise bad_shape(op_name, want=f"be a matrix with {num_true} columns", true_classes=true_classes)
    return [(num_sampled,), (None if dims is None else dims[0], num_true), (num_sampled,)]


def _declare_op(name: str, initial: Callable[..., Any] = first_state) -> Any:
    no_gradient(name)
    return op(name, _SIGNATURE, shape=_shapes, host=True, state="own", initial=initial)


def _declare(name: str, kind: type[Uniform]) -> None:
    @_declare_op(name)
    def _candidates(
        xp: Namespace,
        state: Array,
        true_classes: Array,
        *,
        num_true: int,
        num_sampled: int,
        unique: bool,
        range_max: int,
        seed: int = 0,
        seed2: int = 0,
    ) -> Any:
        return _sample(name, kind(range_max), state, true_classes, num_true, num_sampled, unique)


for _name, _kind in (("UniformCandidateSampler", Uniform), ("LogUniformCandidateSampler", LogUniform)):
    _declare(_name, _kind)


def _first_counts(*, range_max: int, **attrs: Any) -> tuple[Array, Array]:
    return first_state(**attrs), np.ones(range_max, np.int64)


def _declare_learned(name: str) -> None:
    @_declare_op(name, _first_counts)
    def _candidates(
        xp: Namespace,
        state: tuple[Array, Array],
        true_classes: Array,
        *,
        num_true: int,
        num_sampled: int,
        unique: bool,
        range_max: int,
        seed: int = 0,
        seed2: int = 0,
    ) -> Any:
        place, counts = state
        if true_classes.size and not (0 <= true_classes.min() and true_classes.max() < range_max):
            raise bad_value(name, want=f"be in [0, {range_max})", true_classes=true_classes)
        sampler = Learned(counts)
        found, place = _sample(name, sampler, place, true_classes, num_true, num_sampled, unique)
        return found, (place, counts + np.bincount(true_classes.ravel(), minlength=range_max))


for _name in ("LearnedUnigramCandidateSampler", "ThreadUnsafeUnigramCandidateSampler"):
    _declare_learned(_name)


def _weights(
    vocab_file: str,
    unigrams: tuple[float, ...],
    distortion: float,
    reserved: int,
    num_shards: int,
    shard: int,
) -> Array:
    """The weights of the classes of one shard; those of reserved numbers are zero."""
    if bool(vocab_file) == bool(unigrams):
        raise InvalidArgumentError(None, None, "Give exactly one of `vocab_file` and `unigrams`.")
    given = _read_weights(vocab_file) if vocab_file else list(unigrams)
    powers = np.power(np.array(given, np.float32), np.float32(distortion))
    every = np.concatenate((np.zeros(reserved, np.float32), powers))
    return every[np.arange(len(every)) % num_shards == shard]


def _read_weights(path: str) -> list[float]:
    with open(path, newline="") as file:
        return [float(row[-1]) for row in csv.reader(file) if row]


@_declare_op("FixedUnigramCandidateSampler")
def _fixed(
    xp: Namespace,
    state: Array,
    true_classes: Array,
    *,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: tuple = (),  # type: ignore[type-arg]
    seed: int = 0,
    seed2: int = 0,
) -> Any:
    name = "FixedUnigramCandidateSampler"
    weights = _weights(vocab_file, unigrams, distortion, num_reserved_ids, num_shards, shard)
    if len(weights) != range_max:
        raise bad_value(name, want=f"be the number of classes, {len(weights)}", range_max=range_max)
    return _sample(name, Fixed(weights), state, true_classes, num_true, num_sampled, unique)


@_declare_op("AllCandidateSampler")
def _all(
    xp: Namespace,
    state: Array,
    true_classes: Array,
    *,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int = 0,
    seed2: int = 0,
) -> Any:
    _check_classes("AllCandidateSampler", true_classes, num_true)
    ones = [np.ones(shape, np.float32) for shape in (true_classes.shape, (num_sampled,))]
    return (np.arange(num_sampled, dtype=np.int64), *ones), state


def _classes(true_classes: TensorLike) -> Tensor:
    return convert_to_tensor(true_classes, int64)


def uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> Sampled:
    """Classes below `range_max`, all equally likely; then how often the true ones and these are expected.

    >>> tf.random.uniform_candidate_sampler([[1]], 1, 4, False, 8)[1].numpy()
    array([[0.5]], dtype=float32)
    """
    return _call(raw_ops.UniformCandidateSampler, true_classes, num_true, num_sampled, unique, range_max, seed, name)


def log_uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> Sampled:
    """Classes below `range_max` by Zipf's law, for words in the order of their frequency.

    >>> tf.random.log_uniform_candidate_sampler([[0]], 1, 1, False, 3)[1].numpy()
    array([[0.5]], dtype=float32)
    """
    return _call(raw_ops.LogUniformCandidateSampler, true_classes, num_true, num_sampled, unique, range_max, seed, name)


def learned_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> Sampled:
    """Classes as frequent as they have been among the true classes of the calls before.

    >>> tf.random.learned_unigram_candidate_sampler([[1]], 1, 4, False, 8)[1].numpy()
    array([[0.5]], dtype=float32)
    """
    op = raw_ops.LearnedUnigramCandidateSampler
    return _call(op, true_classes, num_true, num_sampled, unique, range_max, seed, name)


def _call(
    op: Any,
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None,
    name: str | None,
) -> Sampled:
    attrs = {"num_true": num_true, "num_sampled": num_sampled, "unique": unique, "range_max": range_max}
    return tuple(op(_classes(true_classes), **attrs, **seed_attrs(seed), name=name))  # type: ignore[return-value]


def fixed_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: Any = (),
    seed: int | None = None,
    name: str | None = None,
) -> Sampled:
    """Classes with given weights, from a list or from the last column of a file of comma separated values.

    >>> tf.random.fixed_unigram_candidate_sampler(
    ...     [[1]], 1, 2, False, 3, unigrams=[1.0, 2.0, 1.0])[1].numpy()
    array([[1.]], dtype=float32)
    """
    return tuple(  # type: ignore[return-value]
        raw_ops.FixedUnigramCandidateSampler(
            _classes(true_classes),
            num_true=num_true,
            num_sampled=num_sampled,
            unique=unique,
            range_max=range_max,
            vocab_file=vocab_file,
            distortion=distortion,
            num_reserved_ids=num_reserved_ids,
            num_shards=num_shards,
            shard=shard,
            unigrams=tuple(unigrams),
            **seed_attrs(seed),
            name=name,
        )
    )


def all_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int | None = None,
    name: str | None = None,
) -> Sampled:
    """All classes, in order: what a sampler does when it draws as many as there are.

    >>> tf.random.all_candidate_sampler([[1]], 1, 3, True)[0].numpy()
    array([0, 1, 2])
    """
    attrs = {"num_true": num_true, "num_sampled": num_sampled, "unique": unique}
    return tuple(  # type: ignore[return-value]
        raw_ops.AllCandidateSampler(_classes(true_classes), **attrs, **seed_attrs(seed), name=name)
    )
