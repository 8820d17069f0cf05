"""Classes drawn at random, to train on a few of many; for `nce_loss` and `sampled_softmax_loss`."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, op, raw_ops
from runnel.core.files import files
from runnel.core.op.op import Op
from runnel.core.settings.arguments import check_room
from runnel.core.values.errors import InvalidArgumentError, bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Namespace, Spec, TensorLike
from runnel.kernels.random import philox
from runnel.kernels.random.words import Words
from runnel.ops.choices import at_least
from runnel.ops.random.seeds import seed_attrs
from runnel.ops.random.streams import first_state

_BLOCKS_PER_SAMPLE = 512  # what TensorFlow sets aside of its stream for each sample

Sampled = tuple[list[Array], Any]  # the outputs and the new state


def _rule(true_classes: Spec, *, num_true: int, num_sampled: int, **attrs: Any) -> list[Dims]:
    rows = true_classes.dims[0] if true_classes.dims else None
    return [(num_sampled,), (rows, num_true), (num_sampled,)]


def _check(true_classes: Array, *, num_true: int, num_sampled: int, **attrs: Any) -> None:
    if true_classes.ndim != 2 or true_classes.shape[1] != num_true:
        want = f"be a matrix of {num_true} columns"
        raise bad_shape("CandidateSampler", want=want, true_classes=true_classes)
    if num_sampled < 1:
        raise bad_value("CandidateSampler", want="be positive", num_sampled=num_sampled)
    check_room("CandidateSampler", (num_sampled,), 64)  # numbers and lists of Python
    limit = attrs.get("range_max", num_sampled)
    if limit >= 2**63:
        raise bad_value("CandidateSampler", want="have 64 bits", range_max=limit)
    if attrs.get("unique") and num_sampled > limit:
        raise bad_value("CandidateSampler", want=f"be at most {limit}", num_sampled=num_sampled)
    if true_classes.size and not (true_classes.min() >= 0 and true_classes.max() < limit):
        raise bad_value("CandidateSampler", want=f"be in [0, {limit})", true_classes=true_classes)


def _pick(
    state: Array,
    true_classes: Array,
    draw: Callable[[Words], int],
    probability: Callable[[int], float],
    num_sampled: int,
    unique: bool,
) -> Sampled:
    words = Words(*philox.from_state(np, state))
    picked: list[int] = []
    tries = 0
    seen: set[int] = set()
    while len(picked) < num_sampled:
        tries += 1
        value = draw(words)
        if unique and value in seen:
            continue
        seen.add(value)
        picked.append(value)

    def expected(value: int) -> float:
        p = float(np.float32(probability(value)))
        if tries == num_sampled:
            return p * num_sampled
        return -math.expm1(tries * math.log1p(-p))

    counts = [expected(v) for v in picked]
    true = [expected(v) for v in true_classes.ravel().tolist()]
    outputs = [
        np.array(picked, np.int64),
        np.array(true, np.float32).reshape(true_classes.shape),
        np.array(counts, np.float32),
    ]
    return outputs, philox.move(np, state, _BLOCKS_PER_SAMPLE * num_sampled)


_SIGNATURE = (
    "true_classes: int64[2] -> sampled_candidates: int64, true_expected_count: float32, "
    "sampled_expected_count: float32"
)


def _declare(name: str, sample: Callable[..., Sampled], initial: Any = first_state) -> None:
    """A sampler of classes below a number, which is all that it is told of them."""

    @op(
        name,
        _SIGNATURE,
        shape=_rule,
        check=_check,
        host=True,
        state="own",
        initial=initial,
        num_true=at_least(1),
        num_sampled=at_least(1),
        range_max=at_least(1),
    )
    def kernel(
        xp: Namespace,
        state: Any,
        true_classes: Array,
        *,
        num_true: int,
        num_sampled: int,
        unique: bool,
        range_max: int,
        seed: int = 0,
        seed2: int = 0,
    ) -> Sampled:
        return sample(state, true_classes, range_max, num_sampled, unique)


def _uniform(state: Array, true_classes: Array, range_max: int, *how: Any) -> Sampled:
    share = 1 / range_max
    return _pick(
        state, true_classes, lambda words: words.long_below(range_max), lambda value: share, *how
    )


def _log_uniform(state: Array, true_classes: Array, range_max: int, *how: Any) -> Sampled:
    scale = math.log1p(range_max)
    return _pick(
        state,
        true_classes,
        lambda words: (int(math.exp(words.double() * scale)) - 1) % range_max,
        lambda value: math.log((value + 2.0) / (value + 1.0)) / scale,
        *how,
    )


_declare("UniformCandidateSampler", _uniform)
_declare("LogUniformCandidateSampler", _log_uniform)


@op(
    "AllCandidateSampler",
    _SIGNATURE,
    shape=_rule,
    check=_check,
    host=True,
    stateful=True,
    num_true=at_least(1),
    num_sampled=at_least(1),
)
def _all(
    xp: Namespace,
    true_classes: Array,
    *,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int = 0,
    seed2: int = 0,
) -> list[Array]:
    return [
        np.arange(num_sampled, dtype=np.int64),
        np.ones(true_classes.shape, np.float32),
        np.ones(num_sampled, np.float32),
    ]


class _Alias:
    """Draws by given weights with two numbers: Walker's alias method, built as TensorFlow does."""

    def __init__(self, weights: Sequence[float]) -> None:
        total = sum(weights)
        count = len(weights)
        share = [w * count / total for w in weights]
        small = [i for i in range(count) if share[i] < 1]
        large = [i for i in range(count) if share[i] >= 1]
        self.own = [1.0] * count
        self.other = list(range(count))
        while small and large:
            s, g = small.pop(), large.pop()
            self.own[s], self.other[s] = share[s], g
            share[g] -= 1 - share[s]
            (small if share[g] < 1 else large).append(g)

    def draw(self, words: Words) -> int:
        chance = words.single()
        index = words.below(len(self.own))
        return index if chance < self.own[index] else self.other[index]


def _counts_in(vocab_file: str) -> list[float]:
    """The numbers after the last comma of each line."""
    lines = files.read_whole(vocab_file).decode("utf-8", "replace").splitlines()
    try:
        return [float(line.rsplit(",", 1)[-1]) for line in lines if line.strip()]
    except ValueError:  # which shows the line
        text = "FixedUnigramCandidateSampler: `vocab_file` must have a number at the end of each "
        raise InvalidArgumentError(None, None, f"{text}line, got {vocab_file!r}.") from None


def _fixed_weights(
    vocab_file: str,
    unigrams: Sequence[float],
    distortion: float,
    reserved: int,
    shards: int,
    shard: int,
) -> list[float]:
    counts = list(unigrams)
    if vocab_file:
        counts = _counts_in(vocab_file)
    if not counts:
        raise ValueError("FixedUnigramCandidateSampler needs a `vocab_file` or `unigrams`.")
    every = [0.0] * reserved + [c**distortion for c in counts]
    return every[shard::shards]


@op(
    "FixedUnigramCandidateSampler",
    _SIGNATURE,
    shape=_rule,
    check=_check,
    host=True,
    state="own",
    initial=first_state,
    effects="reads files",
    num_true=at_least(1),
    num_sampled=at_least(1),
    range_max=at_least(1),
    num_shards=at_least(1),
)
def _fixed_unigram(
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
    unigrams: tuple[float, ...] = (),
    seed: int = 0,
    seed2: int = 0,
) -> Sampled:
    weights = _fixed_weights(vocab_file, unigrams, distortion, num_reserved_ids, num_shards, shard)
    total = sum(weights)
    return _pick(
        state,
        true_classes,
        _Alias(weights).draw,
        lambda value: weights[value] / total if 0 <= value < len(weights) else 0.0,
        num_sampled,
        unique,
    )


def _learned_state(*, range_max: int, **attrs: Any) -> tuple[Array, Array]:
    return first_state(**attrs), np.ones(range_max, np.int64)


def _learned(state: tuple[Array, Array], true_classes: Array, range_max: int, *how: Any) -> Sampled:
    stream, weights = state
    reached = np.cumsum(weights)
    total = int(reached[-1])
    outputs, stream = _pick(
        stream,
        true_classes,
        lambda words: int(np.searchsorted(reached, words.below(total), side="right")),
        lambda value: float(weights[value]) / total,
        *how,
    )
    learned = weights.copy()
    np.add.at(learned, true_classes.ravel(), 1)
    return outputs, (stream, learned)


_declare("LearnedUnigramCandidateSampler", _learned, _learned_state)
_declare("ThreadUnsafeUnigramCandidateSampler", _learned, _learned_state)  # without locks, there


def _hits_rule(*inputs: Spec, **attrs: Any) -> list[Dims]:
    return [(None,), (None,), (None,)]


@op(
    "ComputeAccidentalHits",
    "true_classes: int64[2], sampled_candidates: int64[1] -> indices: int32, ids: int64, "
    "weights: float32",
    shape=_hits_rule,
    host=True,
)
def _compute_accidental_hits(
    xp: Namespace,
    true_classes: Array,
    sampled_candidates: Array,
    *,
    num_true: int,
    seed: int = 0,
    seed2: int = 0,
) -> list[Array]:
    if true_classes.ndim != 2 or true_classes.shape[1] != num_true:
        want = f"be a matrix of {num_true} columns"
        raise bad_shape("ComputeAccidentalHits", want=want, true_classes=true_classes)
    place = {value: i for i, value in enumerate(sampled_candidates.tolist())}
    hits = [
        (row, place[value])
        for row, values in enumerate(true_classes.tolist())
        for value in values
        if value in place
    ]
    lowest = np.finfo(np.float32).min
    return [
        np.array([row for row, _ in hits], np.int32),
        np.array([i for _, i in hits], np.int64),
        np.full(len(hits), lowest, np.float32),
    ]


def _classes(true_classes: TensorLike) -> Tensor:
    if isinstance(true_classes, Tensor):
        return true_classes  # the op says what is wrong with its dtype
    return convert_to_tensor(true_classes, dtype="int64")


def _sample(
    op: Op,
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int | None,
    name: str | None,
    **more: Any,
) -> Any:
    """Call an op with the attributes that all samplers have, and those of its own."""
    how = {"num_true": num_true, "num_sampled": num_sampled, "unique": unique, **more}
    return op(_classes(true_classes), name=name, **how, **seed_attrs(seed))


def uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Classes, all equally likely, and how often the true and the sampled ones are expected.

    >>> sampled, _, _ = tf.random.uniform_candidate_sampler([[1]], 1, 3, True, 3)
    >>> sorted(sampled.numpy().tolist())
    [0, 1, 2]
    """
    given = (true_classes, num_true, num_sampled, unique, seed, name)
    return _sample(raw_ops.UniformCandidateSampler, *given, range_max=range_max)


def log_uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Classes by Zipf's law, for classes numbered from the most to the least frequent.

    >>> sampled, _, _ = tf.random.log_uniform_candidate_sampler([[1]], 1, 3, True, 3)
    >>> sorted(sampled.numpy().tolist())
    [0, 1, 2]
    """
    given = (true_classes, num_true, num_sampled, unique, seed, name)
    return _sample(raw_ops.LogUniformCandidateSampler, *given, range_max=range_max)


def learned_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Classes as frequent as they have been among the true ones of earlier calls.

    >>> sampled, _, _ = tf.random.learned_unigram_candidate_sampler([[1]], 1, 3, True, 3)
    >>> sorted(sampled.numpy().tolist())
    [0, 1, 2]
    """
    given = (true_classes, num_true, num_sampled, unique, seed, name)
    return _sample(raw_ops.LearnedUnigramCandidateSampler, *given, range_max=range_max)


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
    unigrams: Sequence[float] = (),
    seed: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Classes by given frequencies, raised to the power `distortion`.

    >>> sampled, _, _ = tf.random.fixed_unigram_candidate_sampler(
    ...     [[1]], 1, 2, True, 3, unigrams=[1.0, 0.0, 2.0]
    ... )
    >>> sorted(sampled.numpy().tolist())
    [0, 2]
    """
    given = (true_classes, num_true, num_sampled, unique, seed, name)
    return _sample(
        raw_ops.FixedUnigramCandidateSampler,
        *given,
        range_max=range_max,
        vocab_file=vocab_file,
        distortion=distortion,
        num_reserved_ids=num_reserved_ids,
        num_shards=num_shards,
        shard=shard,
        unigrams=tuple(unigrams),
    )


def all_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Every class, each expected once.

    >>> tf.random.all_candidate_sampler([[1]], 1, 3, True)[0].numpy()
    array([0, 1, 2])
    """
    given = (true_classes, num_true, num_sampled, unique, seed, name)
    return _sample(raw_ops.AllCandidateSampler, *given)


def compute_accidental_hits(
    true_classes: TensorLike,
    sampled_candidates: TensorLike,
    num_true: int,
    seed: int | None = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Which sampled classes are true ones: rows, places in the sample, and a very low weight.

    >>> [t.numpy().tolist() for t in tf.nn.compute_accidental_hits([[1], [4]], [4, 2], 1)[:2]]
    [[1], [0]]
    """
    return raw_ops.ComputeAccidentalHits(
        _classes(true_classes),
        _classes(sampled_candidates),
        num_true=num_true,
        name=name,
        **seed_attrs(seed),
    )
