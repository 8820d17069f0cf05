"""Datasets of random numbers, and choices that follow them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from runnel.backend import configuration
from runnel.core.op.context import state
from runnel.core.op.raw import raw_ops
from runnel.core.state.owned_state import OwnedState
from runnel.core.values import dtypes
from runnel.core.values.type_spec import TensorSpec
from runnel.data.nodes.node import INFINITE, Node, Run, Stage, State, Values
from runnel.data.nodes.shuffling import Seeds, Words, seed_of
from runnel.data.run.structure import Structure
from runnel.kernels.random.sampling import categorical_of_seeds
from runnel.kernels.random.seeds import global_seed, seed_pair


class RandomNumbers(Node):
    """Random numbers of 32 bits without end, as int64."""

    kind = "RandomDataset"
    derived = frozenset(["seeds"])

    def __init__(self, seed: Any, anew: bool) -> None:
        super().__init__((), Structure(TensorSpec([], dtypes.int64)))
        self.pair = seed if isinstance(seed, tuple) else seed_of(seed)
        self.anew = anew
        self.rebound()

    def rebound(self) -> None:
        self.seeds = Seeds(*self.pair, anew=self.anew)

    def make(self, run: Run) -> Stage:
        return _Random(self.seeds)

    def cardinality(self) -> int:
        return INFINITE


class _Random(Stage):
    blocks = True

    def __init__(self, seeds: Seeds) -> None:
        self._seeds = seeds
        self._words = Words(*seeds.next())

    @property
    def made(self) -> int:  # type: ignore[override]
        return self._words.used

    def __next__(self) -> Values:
        return [np.int64(self._words())]

    def block(self, count: int) -> Values:
        return [np.array(self._words.several(count), np.int64)]

    def save(self) -> State:
        return [self._words.seed, self._words.seed2, self._words.used, self._seeds.place]

    def restore(self, state: State) -> None:
        seed, seed2, used, place = state
        self._words = Words(seed, seed2)
        self._words.goto(used)
        self._seeds.goto(place)


def choices(random: Any, weights: Sequence[float]) -> Any:
    """A dataset of numbers of datasets, drawn with probabilities in proportion to the weights."""
    logits = np.log(np.asarray(weights, np.float64))[None]
    drawn = random.batch(2).map(lambda seed: _draw(logits, seed))
    drawn._node.function.many = lambda seeds: categorical_of_seeds(logits, seeds)
    return drawn


def choices_of(random: Any, weights: Any, dataset_type: Any) -> Any:
    """The same with weights that are the elements of a dataset."""
    pairs = dataset_type.zip(weights, random.batch(2))
    return pairs.map(lambda p, seed: _draw(raw_ops.Log(p)[None], seed))


def _draw(logits: Any, seed: Any) -> Any:
    drawn = raw_ops.StatelessMultinomial(logits, np.int32(1), seed, output_dtype=dtypes.int64)
    return raw_ops.Reshape(drawn, np.zeros(0, np.int32))


def permutations(count: int, seeds: tuple[int, int] | None = None) -> Iterator[Any]:
    """Orders of so many samples, without end, from a `tf.random.shuffle` with a state of its own.

    They are what `Dataset.range(1).repeat().map(lambda _: tf.random.shuffle(tf.range(count)))`
    gives, but no function is traced for them.
    """
    op, numbers = raw_ops.RandomShuffle, np.arange(count)
    seed, seed2 = seed_pair(global_seed.value, None, lambda: 0)
    if seed is None and configuration.op_determinism:
        raise RuntimeError(
            "Random ops need a seed when op determinism is enabled: call tf.random.set_seed."
        )
    first, second = seeds or (seed or 0, seed2 or 0)
    attrs = {"seed": first, "seed2": second}
    owner = OwnedState(op, attrs)
    while True:
        order, owner.value = state.run(op.run, np, [owner.value, numbers], attrs)
        yield order
