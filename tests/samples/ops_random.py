"""Samples for the random ops.

A stateful op goes on from call to call, so that each row has its own seeds.
"""

from __future__ import annotations

from itertools import count
from typing import Any

import numpy as np

from tests.samples import Sample, floats, sample, strings, variable

I32 = np.int32
KEY, COUNTER = np.array([5], np.uint64), np.array([1, 2], np.uint64)
STREAM = (KEY, COUNTER, I32(1))
SEED = np.array([3, -4], np.int64)
FLOATS = ("float16", "bfloat16", "float32", "float64")
_seeds = count(1000)


def shape(*dims: int, dtype: str = "int32") -> np.ndarray:
    return np.array(dims, dtype)


def stateful(op: str, *inputs: Any, **options: Any) -> Sample:
    return sample(op, *inputs, **{"seed": next(_seeds), "seed2": 5, "gradient": False, **options})


def state(*words: int) -> Any:
    return variable(np.array(words or (1, 2, 3), np.int64))


ROWS = [
    *[
        stateful(op, shape(2, 3), dtype=dtype)
        for op in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal")
        for dtype in FLOATS
    ],
    stateful("RandomUniform", shape(3, dtype="int64"), dtype="float32"),
    stateful("RandomUniform", shape(), dtype="float32"),
    stateful("RandomUniform", shape(0, 2), dtype="float32"),
    stateful("RandomUniform", I32(3), dtype="float32"),
    stateful("RandomUniform", shape(-1), dtype="float32"),
    stateful("RandomUniform", floats(2), dtype="float32"),
    stateful("RandomStandardNormal", shape(20000), dtype="float32"),
    stateful("RandomUniformInt", shape(5), I32(-3), I32(9)),
    stateful("RandomUniformInt", shape(5), np.int64(-(2**60)), np.int64(2**60)),
    stateful("RandomUniformInt", shape(5), I32(4), I32(4)),
    stateful("RandomUniformInt", shape(0), I32(4), I32(4)),
    stateful("RandomUniformInt", shape(5), np.array([1], I32), I32(4)),
    stateful("RandomGamma", shape(3), floats(2, low=0.5)),
    stateful("RandomGamma", shape(), floats(2, 2, low=0.5, dtype="float64")),
    stateful("RandomGamma", shape(2), floats(2, low=0.5, dtype="float16")),
    sample(
        "RandomGammaGrad",
        floats(5, low=0.1, high=9.0),
        floats(5, low=0.1, high=9.0, seed=1),
        second=False,
        differences=False,
    ),
    sample(
        "RandomGammaGrad",
        floats(2, 1, low=0.1, dtype="float64"),
        floats(3, low=0.1, dtype="float64"),
        second=False,
        differences=False,
    ),
    stateful("RandomPoissonV2", shape(3), np.array([0.5, 4.0, 30.0], np.float32)),
    stateful("RandomPoissonV2", shape(3), np.array([2, 20], I32), dtype="float32"),
    stateful(
        "RandomPoisson", shape(3), np.array([0.5, 40.0], np.float32), judged=False
    ),  # for old graphs alone
    stateful("Multinomial", floats(3, 4), I32(6)),
    stateful("Multinomial", floats(3, 4, dtype="float64"), I32(6), output_dtype="int32"),
    stateful("Multinomial", floats(3), I32(6)),
    stateful("Multinomial", floats(3, 0), I32(6)),
    stateful("Multinomial", floats(2, 3), I32(-1)),
    stateful("Multinomial", floats(2, 3), I32(0)),
    stateful("RandomShuffle", np.arange(12, dtype=I32)),
    stateful("RandomShuffle", floats(5, 2)),
    stateful("RandomShuffle", strings("a", "b", "c", "d")),
    stateful("RandomShuffle", I32(4)),
    stateful("RandomShuffle", floats(1, 2)),
    stateful("ParameterizedTruncatedNormal", shape(6), *map(np.float32, (0.0, 1.0, -1.0, 2.0))),
    stateful(
        "ParameterizedTruncatedNormal",
        shape(2, 3),
        *[np.array(v, np.float32) for v in ([0, 9], [1, 2], [-1, 5], [2, 9])],
    ),
    stateful("ParameterizedTruncatedNormal", shape(6), *map(np.float32, (0.0, -1.0, -1.0, 2.0))),
    # key and counter
    sample("StatelessRandomGetKeyCounter", SEED),
    sample("StatelessRandomGetKeyCounter", np.array([7, 8], I32)),
    sample("StatelessRandomGetKeyCounter", np.array([7], I32)),
    sample("StatelessRandomGetAlg"),
    sample("StatelessRandomGetKeyCounterAlg", SEED),
    *[
        sample(f"{op}V2", shape(5), *STREAM, dtype=dtype)
        for op in ("StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal")
        for dtype in FLOATS
    ],
    sample("StatelessRandomUniformV2", shape(2, 2, dtype="int64"), KEY, COUNTER, I32(3)),
    # TensorFlow has ThreeFry in compiled functions only.
    sample("StatelessRandomUniformV2", shape(2), KEY, COUNTER, I32(2), judged=False),
    sample("StatelessRandomUniformV2", shape(2), KEY, COUNTER, I32(7)),
    sample("StatelessRandomUniformV2", shape(2), COUNTER, COUNTER, I32(1)),
    sample("StatelessRandomUniformV2", shape(-2), *STREAM),
    sample("StatelessRandomUniformIntV2", shape(5), *STREAM, I32(-5), I32(70)),
    sample("StatelessRandomUniformIntV2", shape(5), *STREAM, np.int64(-5), np.int64(2**62)),
    sample("StatelessRandomUniformIntV2", shape(5), *STREAM, I32(5), I32(5)),
    *[
        sample("StatelessRandomUniformFullIntV2", shape(5), *STREAM, dtype=d)
        for d in ("int32", "int64", "uint32", "uint64")
    ],
    sample(
        "StatelessRandomGammaV3",
        shape(3, 2),
        *STREAM,
        floats(2, low=0.5),
        second=False,
        differences=False,
    ),
    sample(
        "StatelessRandomGammaV3",
        shape(3),
        *STREAM,
        floats(2, low=0.5),
        second=False,
        differences=False,
    ),
    sample(
        "StatelessShuffle", np.arange(9, dtype=I32), *STREAM, judged=False
    ),  # TensorFlow has no kernel for it on a CPU
    # seeds
    *[
        sample(op, shape(5), SEED, dtype=dtype)
        for op in ("StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal")
        for dtype in FLOATS
    ],
    sample("StatelessRandomUniform", shape(5), np.array([1, 2, 3], I32)),
    sample("StatelessRandomUniformInt", shape(5), SEED, I32(-5), I32(70)),
    sample("StatelessRandomUniformInt", shape(5), SEED, np.int64(5), np.int64(3)),
    sample("StatelessRandomUniformFullInt", shape(5), SEED),
    sample("StatelessRandomUniformFullInt", shape(5), SEED, dtype="int32"),
    sample(
        "StatelessRandomGammaV2",
        shape(3, 2),
        SEED,
        floats(2, low=0.5),
        second=False,
        differences=False,
    ),
    sample(
        "StatelessRandomGammaV2",
        shape(2, 2),
        SEED,
        np.float64(1.5),
        second=False,
        differences=False,
    ),
    sample(
        "StatelessRandomPoisson",
        shape(3, 2),
        SEED,
        np.array([0.5, 30.0], np.float32),
        dtype="int32",
        gradient=False,
    ),
    sample(
        "StatelessRandomPoisson",
        shape(3),
        SEED,
        np.array([0.5, 30.0], np.float32),
        dtype="int32",
        gradient=False,
    ),
    sample(
        "StatelessRandomBinomial",
        shape(3, 2),
        SEED,
        np.float32(10),
        np.array([0.2, 0.7], np.float32),
        gradient=False,
    ),
    sample(
        "StatelessRandomBinomial",
        shape(3),
        SEED,
        np.float32(10),
        np.array([0.2, 0.7], np.float32),
        gradient=False,
    ),
    sample("StatelessMultinomial", floats(3, 4), I32(6), SEED),
    sample(
        "StatelessMultinomial", floats(3, 4, dtype="float16"), I32(6), SEED, output_dtype="int32"
    ),
    sample(
        "StatelessParameterizedTruncatedNormal",
        shape(7),
        SEED,
        *map(np.float32, (0.0, 1.0, -1.0, 2.0)),
        second=False,
        differences=False,
    ),
    sample(
        "StatelessParameterizedTruncatedNormal",
        shape(5, 2),
        SEED,
        *[np.array(v, np.float32) for v in ([0, 9], 2, [-1, 5], 19)],
        second=False,
        differences=False,
    ),
    sample("RandomIndexShuffle", np.arange(5, dtype=I32), np.array([1, 2, 3], I32), I32(9)),
    sample(
        "RandomIndexShuffle", np.int64(5), np.array([1, 2, 3], np.uint32), np.int64(9), rounds=8
    ),
    sample("RandomIndexShuffle", I32(10), np.array([1, 2, 3], I32), I32(9)),
    sample("RandomIndexShuffle", I32(1), np.array([1, 2], I32), I32(9)),
    # generators
    *[
        sample(op, state(), np.int64(1), shape(5), dtype=dtype)
        for op in ("StatefulUniform", "StatefulStandardNormalV2", "StatefulTruncatedNormal")
        for dtype in ("float16", "float32", "float64")
    ],
    # TensorFlow has ThreeFry in compiled functions only.
    sample("StatefulUniform", state(), np.int64(2), shape(5), judged=False),
    sample("StatefulUniform", state(-1, -1, 5), np.int64(1), shape(5)),
    sample("StatefulUniform", state(1, 2), np.int64(1), shape(5)),
    sample("StatefulUniform", variable(np.array([1, 2, 3], I32)), np.int64(1), shape(5)),
    sample("StatefulUniformFullInt", state(), np.int64(1), shape(5)),
    sample("StatefulUniformFullInt", state(), np.int64(1), shape(5), dtype="int32"),
    sample("StatefulUniformInt", state(), np.int64(1), shape(5), np.int64(3), np.int64(50)),
    sample("StatefulUniformInt", state(), np.int64(1), shape(5), I32(3), I32(2)),
    sample(
        "StatefulRandomBinomial",
        state(),
        np.int64(1),
        shape(3, 2),
        np.array([10.0, 90.0]),
        np.array([0.2, 0.7]),
        gradient=False,
    ),
    sample("RngReadAndSkip", state(), I32(1), np.uint64(7)),
    sample("RngReadAndSkip", state(-1, 5, 6), I32(3), np.uint64(2**40)),
    # TensorFlow has ThreeFry in compiled functions only.
    sample("RngReadAndSkip", state(), I32(2), np.uint64(7), judged=False),
    sample("RngReadAndSkip", state(), I32(9), np.uint64(7)),
    sample("RngReadAndSkip", state(), I32(1), np.array([7], np.uint64)),
    sample("RngSkip", state(), np.int64(1), np.int64(7)),
    # TensorFlow has ThreeFry in compiled functions only.
    sample("RngSkip", state(), np.int64(2), np.int64(7), judged=False),
    sample("NonDeterministicInts", shape(3), judged=False),
    # candidates
    *[
        stateful(
            f"{kind}CandidateSampler",
            np.array([[0, 3], [1, 2]], np.int64),
            num_true=2,
            num_sampled=size,
            unique=unique,
            range_max=range_max,
        )
        for kind in ("Uniform", "LogUniform", "LearnedUnigram", "ThreadUnsafeUnigram")
        for size, unique, range_max in ((5, True, 9), (8, False, 6), (200, True, 300), (4, True, 4))
    ],
    *[
        stateful(
            "FixedUnigramCandidateSampler",
            np.array([[0, 3]], np.int64),
            num_true=2,
            num_sampled=size,
            unique=unique,
            range_max=5,
            **options,
        )
        for size, unique, options in (
            (4, True, {"unigrams": [1.0, 2.0, 3.0, 0.5, 0.1]}),
            (9, False, {"unigrams": [1.0, 2.0, 3.0, 0.5, 0.1], "distortion": 0.75}),
            (9, False, {"unigrams": [2.0, 3.0, 0.5], "num_reserved_ids": 2}),
        )
    ],
    stateful(
        "AllCandidateSampler",
        np.array([[0], [1]], np.int64),
        num_true=1,
        num_sampled=4,
        unique=True,
    ),
    stateful(
        "UniformCandidateSampler",
        np.array([[0], [1]], np.int64),
        num_true=2,
        num_sampled=4,
        unique=True,
        range_max=9,
    ),
    stateful(
        "UniformCandidateSampler",
        np.array([[0], [1]], np.int64),
        num_true=1,
        num_sampled=4,
        unique=True,
        range_max=3,
    ),
]
