"""Samples of the first versions of the ops that parse examples."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples import Sample, sample, strings
from tests.samples.ops_examples import EXAMPLES, SEQUENCES

BOTH = EXAMPLES[0].inputs[0]
FIRST = EXAMPLES[1].inputs[0]
SEQUENCE = SEQUENCES[0].inputs[0]
NONE, NO_INT, NO_FLOAT = np.zeros(0, object), np.zeros(0, np.int64), np.zeros(0, np.float32)


def text(value: bytes) -> np.ndarray:
    return np.array(value, object)


def batch(serialized: Any, sparse: Any = (), dense: Any = ()) -> Sample:
    """`sparse` are pairs of key and dtype, `dense` of key, default and shape."""
    return sample(
        "ParseExample",
        serialized,
        NONE,
        [text(key) for key, _ in sparse],
        [text(key) for key, _, _ in dense],
        [default for _, default, _ in dense],
        sparse_types=[dtype for _, dtype in sparse],
        dense_shapes=[shape for _, _, shape in dense],
    )


def single(serialized: Any, sparse: Any = (), dense: Any = ()) -> Sample:
    return sample(
        "ParseSingleExample",
        serialized,
        [default for _, default, _ in dense],
        num_sparse=len(sparse),
        sparse_keys=[key for key, _ in sparse],
        dense_keys=[key for key, _, _ in dense],
        sparse_types=[dtype for _, dtype in sparse],
        dense_shapes=[shape for _, _, shape in dense],
    )


LISTS = {
    "context_dense_shapes": [[]],
    "feature_list_dense_types": ["int64"],
    "feature_list_sparse_types": ["string"],
}


def sequences(serialized: Any, shape: list[int], missing: Any = ()) -> Sample:
    return sample(
        "ParseSequenceExample",
        serialized,
        NONE,
        [NO_INT],
        feature_list_dense_missing_assumed_empty=list(missing),
        context_sparse_keys=[],
        context_dense_keys=["n"],
        feature_list_sparse_keys=["t"],
        feature_list_dense_keys=["x"],
        Ncontext_dense=1,
        Nfeature_list_sparse=1,
        Nfeature_list_dense=1,
        feature_list_dense_shapes=[shape],
        **LISTS,
    )


def sequence(serialized: Any, shape: list[int], missing: Any = NONE) -> Sample:
    keys = [[], [text(b"n")], [text(b"t")], [text(b"x")]]
    return sample(
        "ParseSingleSequenceExample",
        serialized,
        missing,
        *keys,
        [NO_INT],
        text(b""),
        feature_list_dense_shapes=[shape],
        **LISTS,
    )


ROWS = [
    batch(BOTH, dense=[(b"a", NO_INT, [2])]),
    batch(BOTH, sparse=[(b"b", "float32"), (b"c", "string")], dense=[(b"a", NO_INT, [2])]),
    batch(BOTH, dense=[(b"z", NO_INT, [2])]),
    batch(BOTH, dense=[(b"z", np.array([5, 6]), [2])]),
    batch(FIRST, dense=[(b"a", NO_INT, [2])]),
    batch(strings(b"nonsense"), sparse=[(b"a", "int64")]),
    single(FIRST, dense=[("a", NO_INT, [2]), ("b", NO_FLOAT, [])]),
    single(FIRST, sparse=[("b", "float32"), ("c", "string"), ("z", "int64")]),
    single(FIRST, dense=[("z", NO_INT, [2])]),
    single(BOTH, dense=[("a", NO_INT, [2])]),
    sequences(SEQUENCE, [2]),
    sequences(SEQUENCE, [3]),
    sequences(strings(SEQUENCE[0][:14]), [2], ["x"]),
    sequences(strings(SEQUENCE[0][:14]), [2]),
    sequence(text(SEQUENCE[0]), [2]),
    sequence(text(SEQUENCE[0]), [3]),
    sequence(text(SEQUENCE[0][:14]), [2], strings("x")),
    sequence(text(SEQUENCE[0][:14]), [2]),
    sequence(SEQUENCE, [2]),
]
