"""What signatures tell of ranks, against TensorFlow's answers (`tests/golden/make_ranks.py`)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import runnel as tf
from runnel.core.op.raw import raw_ops
from runnel.core.op.signature import Arg

RANKS = json.loads((Path(__file__).parents[2] / "golden" / "ranks.json").read_text())


def _told(arg: Arg) -> dict[str, list[int]]:
    assert arg.ranks is not None
    ranks = [n for n in range(6) if arg.ranks.allow((None,) * n)]
    sizes = {"sizes": [arg.ranks.size]} if arg.ranks.size is not None else {}
    return {"ranks": ranks, **sizes}


def test_ranks_in_signatures_are_those_that_tensorflow_asks_for():
    declared = [
        (name, arg, RANKS[name][arg.name])
        for name in RANKS
        for arg in getattr(raw_ops, name).inputs
        if arg.ranks is not None and arg.ranks.traced
    ]
    wrong = [
        f"{n}: {arg.name} {want}"
        for n, arg, want in declared
        if not _told(arg).items() <= want.items()
    ]
    assert not wrong and len(declared) > 250, "\n".join(wrong)


def test_a_rank_may_be_checked_before_every_run():
    with pytest.raises(tf.errors.InvalidArgumentError, match="`axis` must have rank 0, got shape"):
        tf.raw_ops.GatherV2(params=[[1]], indices=[0], axis=[0])
    unique = tf.function(lambda axis: tf.raw_ops.UniqueV2(x=[[1, 2]], axis=axis))
    with pytest.raises(tf.errors.InvalidArgumentError, match="`axis` must have rank 1, got shape"):
        unique(tf.constant(0))
    with pytest.raises(ValueError, match="`axis` must have rank 0, got shape"):
        tf.function(lambda a: tf.raw_ops.GatherV2(params=[[1]], indices=[0], axis=a))([0, 1])


def test_a_rank_is_checked_while_tracing_and_known_by_it():
    fill = tf.function(lambda dims: tf.fill(dims, 1.0), autograph=False)
    with pytest.raises(ValueError, match="`dims` must have rank 1, got shape"):
        fill.get_concrete_function(tf.TensorSpec([None, None], tf.int32))
    flip = tf.function(lambda x: tf.raw_ops.LRNGrad(input_grads=x, input_image=x, output_image=x))
    assert flip.get_concrete_function(tf.TensorSpec(None)).outputs[0].shape.rank == 4
    seeded = tf.function(lambda s: tf.raw_ops.StatelessRandomNormal(shape=[2], seed=s))
    with pytest.raises(ValueError, match="`seed` must have rank 1 and 2 elements"):
        seeded.get_concrete_function(tf.TensorSpec([3], tf.int32))
