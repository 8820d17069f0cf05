"""Records of features, and whole files."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.samples import Sample, sample, strings

# {a: int64 [1, -2], b: float [0.5], c: bytes ["x"]}, and {a: [3, 4], b: [1.5, 2.5]}
_FIRST = (
    b"\n1\n\x14\n\x01a\x12\x0f\x1a\r\n\x0b\x01\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01"
    b"\n\r\n\x01b\x12\x08\x12\x06\n\x04\x00\x00\x00?\n\n\n\x01c\x12\x05\n\x03\n\x01x"
)
_SECOND = (
    b"\n \n\x0b\n\x01a\x12\x06\x1a\x04\n\x02\x03\x04"
    b"\n\x11\n\x01b\x12\x0c\x12\n\n\x08\x00\x00\xc0?\x00\x00 @"
)
# context {n: [7]}, lists {t: [["a"], ["b", "c"]], x: [[1, 2], [3, 4]]}
_SEQUENCE = (
    b"\n\x0c\n\n\n\x01n\x12\x05\x1a\x03\n\x01\x07\x12/\n\x16\n\x01t\x12\x11\n\x05\n\x03\n\x01a"
    b"\n\x08\n\x06\n\x01b\n\x01c\n\x15\n\x01x\x12\x10\n\x06\x1a\x04\n\x02\x01\x02"
    b"\n\x06\x1a\x04\n\x02\x03\x04"
)


def _text(data: bytes) -> np.ndarray:
    return np.array(data, object)


_NONE = np.zeros(0, object)


def _parse(
    serialized: Any, sparse: Any = (), dense: Any = (), ragged: Any = (), **options: Any
) -> Sample:
    """`sparse` and `ragged` are pairs of key and dtype, `dense` of key, default and shape."""
    return sample(
        "ParseExampleV2",
        serialized,
        _NONE,
        strings(*[key for key, _ in sparse]) if sparse else _NONE,
        strings(*[key for key, _, _ in dense]) if dense else _NONE,
        strings(*[key for key, _ in ragged]) if ragged else _NONE,
        [default for _, default, _ in dense],
        num_sparse=len(sparse),
        sparse_types=[dtype for _, dtype in sparse],
        ragged_value_types=[dtype for _, dtype in ragged],
        ragged_split_types=["int32" for _ in ragged],
        dense_shapes=[shape for _, _, shape in dense],
        **options,
    )


_NO_INT, _NO_FLOAT = np.zeros(0, np.int64), np.zeros(0, np.float32)
_BOTH = strings(_FIRST, _SECOND)

EXAMPLES = [
    _parse(_BOTH, dense=[("a", _NO_INT, [2])]),
    _parse(_text(_FIRST), dense=[("a", _NO_INT, [2]), ("b", _NO_FLOAT, [])]),
    _parse(_BOTH, sparse=[("b", "float32"), ("c", "string")]),
    _parse(_text(_SECOND), sparse=[("b", "float32"), ("c", "string")]),
    _parse(_BOTH, ragged=[("b", "float32"), ("c", "string")]),
    _parse(_BOTH, dense=[("b", np.array([9.0], np.float32), [None])]),
    _parse(_BOTH, dense=[("z", np.array([5, 6]), [2])]),
    _parse(_BOTH[:0], dense=[("a", _NO_INT, [2])], sparse=[("b", "float32")]),
    _parse(_BOTH, dense=[("z", _NO_INT, [2])]),
    _parse(_BOTH, dense=[("b", _NO_FLOAT, [])]),
    _parse(_BOTH, dense=[("a", _NO_FLOAT, [2])]),
    _parse(strings(b"nonsense"), sparse=[("a", "int64")]),
]

SEQUENCES = [
    sample(
        "ParseSequenceExampleV2",
        serialized,
        _NONE,
        _NONE,
        strings("n"),
        _NONE,
        strings(sparse),
        strings("x"),
        strings(ragged),
        np.array([missing]),
        [_NO_INT],
        context_dense_shapes=[[]],
        Nfeature_list_sparse=1,
        Nfeature_list_dense=1,
        feature_list_dense_types=["int64"],
        feature_list_sparse_types=["string"],
        feature_list_ragged_value_types=["string"],
        feature_list_ragged_split_types=["int64"],
        feature_list_dense_shapes=[shape],
    )
    for serialized, sparse, ragged, shape, missing in [
        (strings(_SEQUENCE, _SEQUENCE), "t", "none", [2], False),
        (strings(_SEQUENCE, _SEQUENCE), "none", "t", [2], False),
        (strings(_SEQUENCE), "t", "none", [3], False),
        (strings(_SEQUENCE[:14]), "t", "none", [2], True),
        (strings(_SEQUENCE[:14]), "t", "none", [2], False),
    ]
]

FILES = [
    sample("ReadFile", _text(b"/dev/null")),
    sample("ReadFile", _text(b"/nowhere/at/all")),
    sample("ReadFile", strings("/dev/null")),
    sample("MatchingFiles", _text(b"/dev/nul[kl]")),
    sample("MatchingFiles", strings("/dev/nul?", "/nowhere/*")),
    sample("MatchingFiles", np.array([[b"/dev/null"]], object)),
    sample("WriteFile", strings("/nowhere/a"), _text(b"x")),
]

ROWS = [*EXAMPLES, *SEQUENCES, *FILES]
