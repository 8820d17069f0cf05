"""Ops of ragged tensors."""

import numpy as np

from tests.samples import floats, ints, sample, strings


def i64(value) -> np.ndarray:
    return np.asarray(value, np.int64)


def i32(value) -> np.ndarray:
    return np.asarray(value, np.int32)


def f32(value) -> np.ndarray:
    return np.asarray(value, np.float32)


x6, x62 = floats(6, seed=1), floats(6, 2, seed=2)
SPLITS = i64([0, 2, 2, 5, 6])
OUTER = i64([0, 3, 4])
SPLIT = {"row_partition_types": ["ROW_SPLITS"]}
SPLIT2 = {"row_partition_types": ["ROW_SPLITS", "ROW_SPLITS"]}
ROWIDS = {"row_partition_types": ["FIRST_DIM_SIZE", "VALUE_ROWIDS"]}
WHOLE = i32(-1)
ZERO = f32(0.0)
none = np.zeros(0, np.float32)

TO_TENSOR = [
    sample("RaggedTensorToTensor", WHOLE, x6, ZERO, [SPLITS], **SPLIT),
    sample("RaggedTensorToTensor", WHOLE, x62, f32([1.0, 2.0]), [SPLITS], **SPLIT),
    sample("RaggedTensorToTensor", WHOLE, x62, f32(3.0), [SPLITS], **SPLIT),
    sample("RaggedTensorToTensor", WHOLE, x62, f32([3.0]), [SPLITS], **SPLIT),
    sample("RaggedTensorToTensor", WHOLE, x6, ZERO, [OUTER, SPLITS], **SPLIT2),
    sample("RaggedTensorToTensor", i32([3, 2, 2]), x6, ZERO, [OUTER, SPLITS], **SPLIT2),
    sample("RaggedTensorToTensor", i64([-1, 2]), x6, f32(5.0), [SPLITS], **SPLIT),
    sample("RaggedTensorToTensor", i64([6, -1]), x6, f32(5.0), [SPLITS], **SPLIT),
    sample("RaggedTensorToTensor", i64([2, 2]), x6, f32(5.0), [SPLITS], **SPLIT),
    sample("RaggedTensorToTensor", i64([0, 0]), x6, f32(5.0), [SPLITS], **SPLIT, second=False),
    sample("RaggedTensorToTensor", WHOLE, x6, ZERO, [i64(4), i64([0, 0, 2, 2, 2, 3])], **ROWIDS),
    sample("RaggedTensorToTensor", WHOLE, ints(6), i32(-1), [SPLITS.astype(np.int32)], **SPLIT),
    sample(
        "RaggedTensorToTensor",
        WHOLE,
        strings("a", "b", "c"),
        np.array(b"", object),
        [i64([0, 1, 3])],
        **SPLIT,
    ),
    sample("RaggedTensorToTensor", WHOLE, none, ZERO, [i64([0, 0])], **SPLIT, second=False),
    sample("RaggedTensorToTensor", WHOLE, none, ZERO, [i64([0])], **SPLIT, gradient=False),
    sample("RaggedTensorToTensor", i32([4]), x6, ZERO, [SPLITS], **SPLIT),
    sample("RaggedTensorToTensor", i32([-1, -1, 3]), x62, ZERO, [SPLITS], **SPLIT),
    sample("RaggedTensorToTensor", WHOLE, x6, f32([1.0, 2.0]), [SPLITS], **SPLIT),
    sample("RaggedTensorToTensor", WHOLE, x6, ZERO, [i64([0, 4, 2, 6])], **SPLIT),
    sample("RaggedTensorToTensor", WHOLE, x6, ZERO, [SPLITS], row_partition_types=["FOO"]),
]

TO_SPARSE = [
    sample("RaggedTensorToSparse", [SPLITS], x6),
    sample("RaggedTensorToSparse", [OUTER, SPLITS], x6),
    sample("RaggedTensorToSparse", [SPLITS], x62),
    sample("RaggedTensorToSparse", [SPLITS.astype(np.int32)], ints(6)),
    sample("RaggedTensorToSparse", [i64([0, 1, 3])], strings("a", "b", "c")),
    sample("RaggedTensorToSparse", [i64([0, 0])], none),
    sample("RaggedTensorToSparse", [i64([0])], none),
    sample("RaggedTensorToSparse", [i64([1, 3])], x6),
    sample("RaggedTensorToSparse", [i64([0, 3])], x6),
]

GATHER = [
    sample("RaggedGather", [SPLITS], x6, i32([2, 0, 2]), OUTPUT_RAGGED_RANK=1),
    sample("RaggedGather", [SPLITS], x62, i64([1, 3]), OUTPUT_RAGGED_RANK=1),
    sample("RaggedGather", [OUTER, SPLITS], x6, i32([1, 0, 0]), OUTPUT_RAGGED_RANK=2),
    sample("RaggedGather", [SPLITS], x6, i32([[2, 0], [1, 3]]), OUTPUT_RAGGED_RANK=2),
    sample("RaggedGather", [SPLITS.astype(np.int32)], ints(6), i32([3]), OUTPUT_RAGGED_RANK=1),
    sample(
        "RaggedGather", [i64([0, 1, 3])], strings("a", "b", "c"), i32([1]), OUTPUT_RAGGED_RANK=1
    ),
    sample("RaggedGather", [SPLITS], x6, np.zeros(0, np.int32), OUTPUT_RAGGED_RANK=1, second=False),
    sample("RaggedGather", [SPLITS], x6, i32([4]), OUTPUT_RAGGED_RANK=1),
    sample("RaggedGather", [SPLITS], x6, i32([-1]), OUTPUT_RAGGED_RANK=1),
    sample("RaggedGather", [i64([0, 4, 2, 6])], x6, i32([1]), OUTPUT_RAGGED_RANK=1),
]

RANGE = [
    sample("RaggedRange", i32([3, 0, 2]), i32([5, 4, 2]), i32(1)),
    sample("RaggedRange", i64([0, 5]), i64([3, -6]), i64([2, -3]), Tsplits="int32"),
    sample("RaggedRange", f32([0.5]), f32(2.0), f32(0.5)),
    sample("RaggedRange", f32(0.0), f32([1.0, 0.3]), f32(0.1)),
    sample("RaggedRange", np.float64(0.0), np.float64(3.0), np.float64(1.5)),
    sample("RaggedRange", i32([]), i32([]), i32([])),
    sample("RaggedRange", i32(5), i32(2), i32(1)),
    sample("RaggedRange", i32([0, 0]), i32([3, 3]), i32([1, 0])),
    sample("RaggedRange", i32([0, 0]), i32([3, 3, 3]), i32(1)),
    sample("RaggedRange", i32([[0]]), i32(3), i32(1)),
]

COUNTS = [
    sample("RaggedBincount", i64([0, 2, 2, 4]), i32([1, 1, 0, 3]), i32(4), i32([])),
    sample(
        "RaggedBincount", i64([0, 2, 4]), i64([1, 1, 0, 9]), i64(4), f32([]), binary_output=True
    ),
    sample("RaggedBincount", i64([0, 2, 4]), i32([1, 1, 0, 3]), i32(4), f32([1, 2, 3, 4])),
    sample("RaggedBincount", i64([0]), i32([]), i32(2), i32([])),
    sample("RaggedBincount", i64([0, 2, 4]), i32([1, -1, 0, 3]), i32(4), i32([])),
    sample("RaggedBincount", i64([1, 2, 4]), i32([1, 1, 0, 3]), i32(4), i32([])),
    sample("RaggedBincount", i64([0, 2, 4]), i32([1, 1, 0, 3]), i32(-4), i32([])),
    sample(
        "RaggedCountSparseOutput",
        i64([0, 2, 2, 4]),
        i64([1, 1, 0, 3]),
        i64([]),
        binary_output=False,
    ),
    sample(
        "RaggedCountSparseOutput", i64([0, 2, 4]), i32([1, 1, 0, 3]), f32([]), binary_output=True
    ),
    sample(
        "RaggedCountSparseOutput",
        i64([0, 2, 4]),
        i32([1, 1, 0, 3]),
        f32([1, 2, 3, 4]),
        binary_output=False,
        minlength=6,
    ),
    sample(
        "RaggedCountSparseOutput",
        i64([0, 2, 4]),
        i32([1, 1, 0, 3]),
        f32([]),
        binary_output=False,
        maxlength=2,
    ),
    sample("RaggedCountSparseOutput", i64([0, 3]), i32([1, 1]), f32([]), binary_output=False),
]

HASH = 956888297470
PLAIN = {
    "hashed_output": False,
    "num_buckets": 0,
    "hash_key": HASH,
    "out_values_type": "string",
    "out_row_splits_type": "int64",
}
HASHED = {**PLAIN, "hashed_output": True, "out_values_type": "int64", "num_buckets": 100}
WORDS = strings("a", "b", "c")

CROSS = [
    sample("RaggedCross", [WORDS], [i64([0, 2, 3])], [], [], [], [], input_order="R", **PLAIN),
    sample(
        "RaggedCross",
        [WORDS],
        [i64([0, 2, 3])],
        [],
        [],
        [],
        [i64([[1], [2]])],
        input_order="DR",
        **PLAIN,
    ),
    sample(
        "RaggedCross",
        [WORDS, i64([5, 6])],
        [i64([0, 2, 3]), i64([0, 1, 2])],
        [i64([[0, 0], [1, 0], [1, 1]])],
        [strings("x", "y", "z")],
        [i64([2, 2])],
        [],
        input_order="RSR",
        **HASHED,
    ),
    sample(
        "RaggedCross",
        [WORDS],
        [i64([0, 2, 3])],
        [],
        [],
        [],
        [i64([[1]])],
        input_order="RD",
        **HASHED,
    ),
]

FILL = [
    sample("RaggedFillEmptyRows", i64([0, 2, 2]), f32([1, 2, 3]), i64(4), f32(-1)),
    sample("RaggedFillEmptyRows", i64([2, 0, 2]), f32([1, 2, 3]), i64(3), f32(-1)),
    sample("RaggedFillEmptyRows", i64([]), f32([]), i64(2), f32(-1), gradient=False),
    sample("RaggedFillEmptyRows", i64([0, 1]), strings("a", "b"), i64(3), np.array(b"?", object)),
    sample("RaggedFillEmptyRows", i64([0, 5]), f32([1, 2]), i64(3), f32(-1)),
    sample("RaggedFillEmptyRows", i64([0, 1]), f32([1]), i64(3), f32(-1)),
    sample("RaggedFillEmptyRows", i64([0, 1]), f32([1, 2]), i64(3), f32([-1])),
    sample("RaggedFillEmptyRowsGrad", i64([0, 2]), f32([1, 2, 3]), gradient=False),
    sample("RaggedFillEmptyRowsGrad", i64([]), f32([1, 2, 3]), gradient=False),
    sample("RaggedFillEmptyRowsGrad", i64([0, 7]), f32([1, 2, 3]), gradient=False),
]

ROWS = [*TO_TENSOR, *TO_SPARSE, *GATHER, *RANGE, *COUNTS, *CROSS, *FILL]
