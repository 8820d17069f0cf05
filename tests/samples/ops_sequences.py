"""Samples of the ops of ctc, ctc_decoding, candidate_sampling, fractional_pooling and isotonic."""

import numpy as np

from tests.samples import floats, ints, sample

LOGITS = floats(5, 2, 4)
INDICES = np.array([[0, 0], [0, 1], [1, 0]], np.int64)
VALUES = np.array([1, 1, 2], np.int32)
TRUE = np.array([[1], [2]], np.int64)


def _lengths(*values):
    return np.array(values, np.int32)


def _ctc(lengths, **rest):
    # The second derivative is not defined, and the gradient output has none.
    return sample(
        "CTCLoss",
        LOGITS,
        INDICES,
        VALUES,
        _lengths(*lengths),
        second=False,
        differences=False,
        **rest,
    )


def _sampler(name, **attrs):
    attrs = {"num_true": 1, "num_sampled": 4, "unique": True, "seed": 3, "seed2": 5, **attrs}
    return sample(name, TRUE, gradient=False, tolerance=1e-6, **attrs)


def _pool(name, shape=(1, 10, 13, 1), **attrs):
    attrs = {
        "deterministic": True,
        "seed": 3,
        "seed2": 5,
        "pooling_ratio": [1.0, 1.44, 1.73, 1.0],
        **attrs,
    }
    return sample(name, floats(*shape), second=False, **attrs)


def _cuts(*values):
    return np.array(values, np.int64)


ROWS = [
    _ctc((5, 4)),
    _ctc((5, 2)),
    _ctc((2, 4)),
    _ctc((5, 4), ctc_merge_repeated=False),
    _ctc((1, 4), ignore_longer_outputs_than_inputs=True),
    _ctc((1, 4)),
    _ctc((6, 4)),
    _ctc((5,)),
    sample(
        "CTCLoss",
        floats(4, 1, 3, dtype="float64"),
        INDICES[:1],
        VALUES[:1],
        _lengths(4),
        tolerance=1e-5,  # TensorFlow computes in float32
        second=False,
        differences=False,
    ),
    sample(
        "CTCLoss",
        floats(4, 1, 3),
        INDICES[:0],
        VALUES[:0],
        _lengths(4),
        second=False,
        differences=False,
    ),
    sample("CTCGreedyDecoder", floats(6, 3, 4), _lengths(6, 4, 0)),
    sample("CTCGreedyDecoder", floats(6, 3, 3, seed=1), _lengths(6, 6, 6), merge_repeated=True),
    sample("CTCGreedyDecoder", floats(6, 3, 3), _lengths(6, 6, 6), blank_index=0),
    sample("CTCGreedyDecoder", floats(6, 3, 4), _lengths(7, 4, 0)),
    sample("CTCBeamSearchDecoder", LOGITS, _lengths(5, 4), beam_width=3, top_paths=2),
    sample(
        "CTCBeamSearchDecoder",
        floats(8, 2, 3),
        _lengths(8, 8),
        beam_width=10,
        top_paths=3,
        merge_repeated=False,
    ),
    sample("CTCBeamSearchDecoder", floats(8, 2, 3), _lengths(8, 8), beam_width=10, top_paths=3),
    sample("CTCBeamSearchDecoder", floats(1, 1, 2), _lengths(1), beam_width=5, top_paths=4),
    _sampler("UniformCandidateSampler", unique=False, range_max=10),
    _sampler("UniformCandidateSampler", range_max=5),
    _sampler("UniformCandidateSampler", num_sampled=8, range_max=5),
    _sampler("LogUniformCandidateSampler", range_max=10),
    _sampler("LogUniformCandidateSampler", unique=False, range_max=1000, num_sampled=20),
    _sampler("FixedUnigramCandidateSampler", range_max=5, unigrams=[1.0, 2.0, 3.0, 4.0, 5.0]),
    _sampler(
        "FixedUnigramCandidateSampler",
        range_max=5,
        num_sampled=20,
        unique=False,
        unigrams=[1.0, 2.0, 3.0, 4.0, 5.0],
        distortion=0.5,
    ),
    _sampler("LearnedUnigramCandidateSampler", range_max=6),
    _sampler("ThreadUnsafeUnigramCandidateSampler", range_max=6),
    _sampler("AllCandidateSampler"),
    sample(
        "ComputeAccidentalHits", np.array([[1, 3], [2, 4]], np.int64), _cuts(4, 1, 3), num_true=2
    ),
    *[
        _pool(name, **how)
        for name in ("FractionalMaxPool", "FractionalAvgPool")
        for how in (
            {},
            {"overlapping": True},
            {"pseudo_random": True},
            {"pooling_ratio": [1.0, 2.0, 1.5, 1.0]},
            {"shape": (2, 7, 6, 3), "pseudo_random": True, "overlapping": True},
        )
    ],
    _pool("FractionalMaxPool", pooling_ratio=[1.0, 0.5, 1.0, 1.0]),
    _pool("FractionalMaxPool", deterministic=False),
    sample(
        "FractionalMaxPoolGrad",
        floats(1, 4, 4, 1),
        floats(1, 2, 2, 1),
        floats(1, 2, 2, 1, seed=1),
        _cuts(0, 2, 4),
        _cuts(0, 1, 4),
        judged=False,  # checks the output against the maximum
    ),
    sample(
        "FractionalAvgPoolGrad",
        _cuts(1, 4, 4, 1),
        floats(1, 2, 2, 1),
        _cuts(0, 2, 4),
        _cuts(0, 1, 4),
    ),
    sample(
        "IsotonicRegression", floats(3, 6), output_dtype="float32", second=False, differences=False
    ),
    sample("IsotonicRegression", ints(2, 5), output_dtype="float64"),
    sample(
        "IsotonicRegression",
        np.array([[1.0, 1.0, 2.0]], np.float32),
        output_dtype="float32",
        second=False,
        differences=False,
    ),
]
