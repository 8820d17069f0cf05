"""Samples of the ops that save and restore tensors; what they write is in tests/train."""

import numpy as np

from tests.samples import sample, strings

NAMES = b"tests/golden/checkpoints/names"  # by TensorFlow: layer/w, layer/b
PARTS = b"tests/golden/checkpoints/parts"  # by TensorFlow: some tensors are in parts
KEY = "layer/w"


def text(value: bytes) -> np.ndarray:
    made = np.empty((), object)
    made[()] = value
    return made


NAMED = [strings("v"), strings("")]
ROWS = [
    sample("SaveV2", text(b"/proc/nowhere/at/all"), *NAMED, [np.float32([1, 2])]),
    sample("SaveV2", text(b"/proc/nowhere/unused"), *NAMED, [np.float32([1]), np.int32([2])]),
    sample("SaveV2", text(b"/proc/nowhere/unused"), text(b"v"), text(b""), [np.float32([1])]),
    sample(
        "SaveV2",
        *[text(b"/proc/nowhere/unused"), strings("v"), strings("3 0,2")],
        [np.float32([1])],
    ),
    sample("RestoreV2", text(b"/proc/nowhere/at/all"), *NAMED, dtypes=["float32"]),
    sample("RestoreV2", text(NAMES), *NAMED, dtypes=["float32"]),
    sample("RestoreV2", text(NAMES), strings(KEY), strings(""), dtypes=["float32"]),
    sample("RestoreV2", text(NAMES), strings(KEY), strings(""), dtypes=["int32"]),
    sample("RestoreV2", text(NAMES), strings(KEY), strings("x"), dtypes=["float32"]),
    sample("RestoreV2", text(NAMES), strings(KEY), strings("1 2 -:0,1"), dtypes=["float32"]),
    sample("RestoreV2", text(NAMES), strings(KEY), strings("1 2 -:0,9"), dtypes=["float32"]),
    sample("RestoreV2", text(NAMES), strings(KEY), strings("2 2 -:0,1"), dtypes=["float32"]),
    sample(
        "RestoreV2", text(PARTS), strings("whole"), strings("300 3 9,2:1,1"), dtypes=["float32"]
    ),
    sample(
        *("RestoreV2", text(PARTS), strings("words", "other"), strings("", "")),
        dtypes=["string", "float32"],
    ),
    sample("RestoreV2", text(NAMES), text(b"v"), text(b""), dtypes=["float32"]),
    sample("MergeV2Checkpoints", strings("/proc/nowhere/at/all"), text(b"/proc/nowhere/else")),
    sample("MergeV2Checkpoints", strings(), text(b"/proc/else")),
    sample("MergeV2Checkpoints", text(b"/proc/nowhere/at/all"), text(b"/proc/nowhere/else")),
    sample("ShardedFilename", text(b"a/b"), np.int32(3), np.int32(12)),
    sample("ShardedFilename", text(b""), np.int32(123456), np.int32(0)),
    sample("ShardedFilename", strings("a"), np.int32(3), np.int32(12)),
    sample("ShardedFilespec", text(b"a/b"), np.int32(12)),
    sample("ShardedFilespec", text(b"a/b"), np.int32([12])),
]
