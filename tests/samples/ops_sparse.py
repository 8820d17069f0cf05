"""Ops of sparse tensors and of sets."""

import numpy as np

from tests.samples import complexes, floats, ints, sample, strings


def i64(value) -> np.ndarray:
    return np.asarray(value, np.int64)


def i32(value) -> np.ndarray:
    return np.asarray(value, np.int32)


def f32(value) -> np.ndarray:
    return np.asarray(value, np.float32)


# A sparse matrix of shape [3, 4], another one, and a cube of shape [2, 3, 4].
A = i64([[0, 1], [0, 3], [1, 0], [2, 2]])
B = i64([[0, 0], [0, 3], [2, 1], [2, 2], [2, 3]])
UNSORTED = i64([[2, 2], [0, 3], [1, 0], [0, 1]])
OUTSIDE = i64([[0, 1], [0, 9], [1, 0], [2, 2]])
SHAPE = i64([3, 4])
CUBE = i64([[0, 0, 1], [0, 2, 1], [0, 2, 3], [1, 0, 0], [1, 1, 2]])
CUBE_SHAPE = i64([2, 3, 4])
NONE = np.zeros((0, 2), np.int64)
x4, x5 = floats(4, seed=1), floats(5, seed=2)
empty = np.zeros(0, np.float32)

TO_DENSE = [
    sample("SparseToDense", A, SHAPE, x4, f32(0.5)),
    sample("SparseToDense", A.astype(np.int32), SHAPE.astype(np.int32), ints(4), i32(-1)),
    sample("SparseToDense", i64([1, 3]), i64([5]), f32(2.0), f32(0.0), gradient=False),
    sample("SparseToDense", i64(2), i64([4]), f32(5.0), f32(0.0), gradient=False),
    sample("SparseToDense", UNSORTED, SHAPE, x4, f32(0.0), validate_indices=False),
    sample("SparseToDense", i64([[1], [2]]), i64([3]), strings("a", "b"), np.array(b"-", object)),
    sample("SparseToDense", NONE, SHAPE, empty, f32(1.0)),
    sample("SparseToDense", UNSORTED, SHAPE, x4, f32(0.0)),
    sample("SparseToDense", OUTSIDE, SHAPE, x4, f32(0.0)),
    sample("SparseToDense", OUTSIDE, SHAPE, x4, f32(0.0), validate_indices=False),
    sample("SparseToDense", A[[0, 0]], SHAPE, x4[:2], f32(0.0)),
    sample("SparseToDense", A, i64([3]), x4, f32(0.0)),
    sample("SparseToDense", A, SHAPE, x5, f32(0.0)),
    sample("SparseToDense", A, SHAPE, x4, f32([0.0])),
]

PLACES = [
    sample("SparseReorder", UNSORTED, x4, SHAPE),
    sample("SparseReorder", A, strings("a", "b", "c", "d"), SHAPE),
    sample("SparseReorder", CUBE[::-1].copy(), complexes(5), CUBE_SHAPE),
    sample("SparseReorder", i64([[2], [0], [1]]), floats(3, dtype="bfloat16"), i64([3])),
    sample("SparseReorder", NONE, empty, SHAPE),
    sample("SparseReorder", A, x5, SHAPE),
    sample("SparseReorder", A, x4, i64([3])),
    sample("SparseReshape", A, SHAPE, i64([4, 3])),
    sample("SparseReshape", A, SHAPE, i64([2, -1, 2])),
    sample("SparseReshape", CUBE, CUBE_SHAPE, i64([-1])),
    sample("SparseReshape", NONE, i64([0, 3]), i64([3, -1])),
    sample("SparseReshape", A, SHAPE, i64([5, -1])),
    sample("SparseReshape", A, SHAPE, i64([4, 4])),
    sample("SparseReshape", A, SHAPE, i64([-1, -1])),
    sample("SparseReshape", A, SHAPE, i64([[12]])),
]

JOINING = [
    sample("SparseConcat", [A, B], [x4, x5], [SHAPE, SHAPE], concat_dim=0),
    sample("SparseConcat", [A, B, A], [x4, x5, x4], [SHAPE, SHAPE, SHAPE], concat_dim=1),
    sample("SparseConcat", [UNSORTED, B], [ints(4), ints(5)], [SHAPE, SHAPE], concat_dim=-1),
    sample("SparseConcat", [A, NONE], [x4, empty], [SHAPE, i64([3, 1])], concat_dim=1),
    sample("SparseConcat", [A, B], [x4, x5], [SHAPE, i64([3, 5])], concat_dim=0),
    sample("SparseConcat", [A, B], [x4, x5], [SHAPE, SHAPE], concat_dim=2),
    sample("SparseConcat", [A, CUBE], [x4, x5], [SHAPE, CUBE_SHAPE], concat_dim=0),
    sample("SparseSplit", i64(0), A, x4, SHAPE, num_split=2),
    sample("SparseSplit", i64(1), CUBE, ints(5), CUBE_SHAPE, num_split=3),
    sample("SparseSplit", i64(-1), UNSORTED, x4, SHAPE, num_split=3),
    sample("SparseSplit", i64(1), NONE, empty, i64([5, 7]), num_split=2),
    sample("SparseSplit", i64(2), A, x4, SHAPE, num_split=2),
    sample("SparseSplit", i64(1), A, x4, SHAPE, num_split=5),
    sample("SparseSplit", i64(0), OUTSIDE, x4, SHAPE, num_split=2),
    sample("SparseSlice", A, x4, SHAPE, i64([0, 1]), i64([2, 9])),
    sample(
        "SparseSlice", CUBE, floats(5, dtype="float64"), CUBE_SHAPE, i64([0, 1, 1]), i64([2, 2, 2])
    ),
    sample("SparseSlice", A, ints(4), SHAPE, i64([5, 0]), i64([2, 2])),
    sample("SparseSlice", A, x4, SHAPE, i64([0, 0]), i64([-1, 2])),
    sample("SparseSlice", A, x4, SHAPE, i64([0]), i64([1])),
    sample("SparseSliceGrad", f32([5.0]), A, i64([0, 2]), i64([[0, 1]]), gradient=False),
    sample("SparseSliceGrad", ints(2), A, i64([0, 0]), A[:2]),
    sample("SparseSliceGrad", f32([5.0]), A, i64([0, 2]), i64([[1, 1]])),
    sample("SparseSliceGrad", f32([5.0]), A, i64([0]), i64([[0, 1]])),
]

zero, half = f32(0.0), f32(0.5)
M = floats(4, 3, seed=3)

ARITHMETIC = [
    sample("SparseAdd", A, x4, SHAPE, B, x5, SHAPE, zero, second=False),
    sample("SparseAdd", A, x4, SHAPE, A, -x4, SHAPE, half),
    sample("SparseAdd", A, ints(4), SHAPE, B, ints(5), SHAPE, i32(2)),
    sample("SparseAdd", A, complexes(4), SHAPE, B, complexes(5), SHAPE, zero, second=False),
    sample("SparseAdd", UNSORTED, x4, SHAPE, B, x5, SHAPE, zero, gradient=False),
    sample("SparseAdd", A[[0, 0, 1]], x4[:3], SHAPE, B, x5, SHAPE, zero, gradient=False),
    sample("SparseAdd", NONE, empty, SHAPE, B, x5, SHAPE, zero, gradient=False),
    sample("SparseAdd", NONE, empty, SHAPE, NONE, empty, SHAPE, zero, gradient=False),
    sample("SparseAdd", A, x4, SHAPE, B, x5, i64([3, 5]), zero),
    sample("SparseAdd", A, x4, SHAPE, CUBE, x5, CUBE_SHAPE, zero),
    sample("SparseAddGrad", f32([1, 2, 3, 4]), A, B[:2], A),
    sample("SparseAddGrad", f32([1, 2, 3]), A, B[:2], A),
    sample("SparseTensorDenseAdd", A, x4, SHAPE, floats(3, 4)),
    sample("SparseTensorDenseAdd", A[[0, 0, 2]].astype(np.int32), ints(3), i32([3, 4]), ints(3, 4)),
    sample(
        "SparseTensorDenseAdd",
        CUBE,
        floats(5, dtype="float64"),
        CUBE_SHAPE,
        floats(2, 3, 4, dtype="float64"),
    ),
    sample("SparseTensorDenseAdd", A, x4, SHAPE, floats(4)),
    sample("SparseTensorDenseAdd", OUTSIDE, x4, SHAPE, floats(3, 4)),
    # TensorFlow's gradients of these two raise NotImplementedError.
    sample("SparseSparseMaximum", A, x4, SHAPE, B, x5, SHAPE, gradient=False),
    sample("SparseSparseMaximum", UNSORTED, ints(4), SHAPE, B, ints(5), SHAPE),
    sample("SparseSparseMaximum", A, x4, SHAPE, B, x5, i64([3, 3])),
    sample("SparseSparseMinimum", A, x4, SHAPE, B, x5, SHAPE, gradient=False),
    sample("SparseSparseMinimum", CUBE, ints(5), CUBE_SHAPE, CUBE[1:], ints(4), CUBE_SHAPE),
    sample("SparseSparseMinimum", OUTSIDE, x4, SHAPE, B, x5, SHAPE),
    # The gradient of the sum is not implemented in TensorFlow.
    sample("SparseDenseCwiseAdd", A, x4, SHAPE, floats(3, 4), gradient=False),
    sample("SparseDenseCwiseAdd", A, ints(4), SHAPE, ints(4)),
    sample("SparseDenseCwiseMul", A, x4, SHAPE, floats(3, 4)),
    sample("SparseDenseCwiseMul", A, x4, SHAPE, floats(4), second=False),
    sample("SparseDenseCwiseMul", A, x4, SHAPE, floats(3, 1), second=False),
    sample("SparseDenseCwiseMul", A, x4, SHAPE, f32(3.0), gradient=False),
    sample("SparseDenseCwiseMul", A, ints(4), SHAPE, ints(1, 4)),
    sample("SparseDenseCwiseMul", A, x4, SHAPE, floats(3)),
    sample("SparseDenseCwiseMul", A, x4, SHAPE, floats(2, 3, 4)),
    sample("SparseDenseCwiseMul", OUTSIDE, x4, SHAPE, floats(3, 4)),
    sample("SparseDenseCwiseDiv", A, x4, SHAPE, floats(3, 4, low=1.0), second=False),
    sample("SparseDenseCwiseDiv", A, ints(4), SHAPE, ints(4, low=1)),
    sample("SparseDenseCwiseDiv", A, x4, SHAPE, f32([1.0, 0.0, 2.0, 3.0])),
    sample("SparseSoftmax", A, x4, SHAPE, second=False),
    sample("SparseSoftmax", CUBE, floats(5, dtype="float64"), CUBE_SHAPE, second=False),
    sample("SparseSoftmax", A, floats(4, dtype="float16"), SHAPE, second=False),
    sample("SparseSoftmax", NONE, empty, SHAPE, gradient=False),
    sample("SparseSoftmax", i64([[0], [1]]), x4[:2], i64([3])),
    sample("SparseTensorDenseMatMul", A, x4, SHAPE, M),
    sample("SparseTensorDenseMatMul", A, x4, SHAPE, floats(3, 2), adjoint_a=True),
    sample("SparseTensorDenseMatMul", UNSORTED, x4, SHAPE, floats(2, 4), adjoint_b=True),
    sample("SparseTensorDenseMatMul", A[[0, 0, 3]], x4[:3], SHAPE, M),
    sample("SparseTensorDenseMatMul", A.astype(np.int32), ints(4), SHAPE, ints(4, 2)),
    sample(
        "SparseTensorDenseMatMul",
        A,
        complexes(4),
        SHAPE,
        complexes(2, 4),
        adjoint_b=True,
        second=False,
    ),
    sample(
        "SparseTensorDenseMatMul",
        A,
        complexes(4),
        SHAPE,
        complexes(3, 2),
        adjoint_a=True,
        second=False,
    ),
    sample(
        "SparseTensorDenseMatMul",
        A,
        floats(4, dtype="bfloat16"),
        SHAPE,
        floats(4, 2, dtype="bfloat16"),
        gradient=False,
    ),
    sample(
        "SparseTensorDenseMatMul",
        A,
        floats(4, dtype="float16"),
        SHAPE,
        floats(4, 2, dtype="float16"),
        gradient=False,
    ),
    sample(
        "SparseTensorDenseMatMul",
        A,
        floats(4, dtype="float64"),
        SHAPE,
        floats(4, 2, dtype="float64"),
    ),
    sample("SparseTensorDenseMatMul", NONE, empty, SHAPE, M),
    sample("SparseTensorDenseMatMul", A, x4, SHAPE, floats(4, 2000), gradient=False),
    sample("SparseTensorDenseMatMul", A, x4, SHAPE, floats(3, 2)),
    sample("SparseTensorDenseMatMul", OUTSIDE, x4, SHAPE, M),
    sample("SparseTensorDenseMatMul", A, x4, SHAPE, floats(4)),
    sample("SparseTensorDenseMatMul", CUBE, x5, CUBE_SHAPE, M),
]

REDUCTIONS = [
    row
    for op in (
        "SparseReduceSum",
        "SparseReduceMax",
        "SparseReduceSumSparse",
        "SparseReduceMaxSparse",
    )
    for row in (
        sample(op, CUBE, x5, CUBE_SHAPE, i32([0, 2]), second=False),
        sample(op, CUBE, x5, CUBE_SHAPE, i32([-1]), keep_dims=True, second=False),
        sample(op, CUBE, ints(5), CUBE_SHAPE, i32([0, 1, 2])),
        sample(op, CUBE, floats(5, dtype="float64"), CUBE_SHAPE, i32([1]), second=False),
        sample(op, CUBE, floats(5, dtype="float16"), CUBE_SHAPE, i32([1]), gradient=False),
        sample(op, UNSORTED, ints(4), SHAPE, i32(1)),
        sample(op, NONE, empty, SHAPE, i32([0])),
        sample(op, A[[0, 0, 1]], x4[:3], SHAPE, i32([0]), gradient=False),
        sample(op, A, x4, SHAPE, i32([2])),
        sample(op, A, x5, SHAPE, i32([0])),
    )
]

ROWS_AND_SEGMENTS = [
    sample(
        "SparseFillEmptyRows",
        i64([[0, 1], [3, 0]]),
        f32([1, 2]),
        i64([5, 3]),
        f32(9.0),
        second=False,
    ),
    sample("SparseFillEmptyRows", i64([[3, 1], [0, 0], [3, 0]]), ints(3), i64([5, 3]), i32(7)),
    sample("SparseFillEmptyRows", i64([[2]]), strings("a"), i64([4]), np.array(b"-", object)),
    sample("SparseFillEmptyRows", NONE, empty, i64([2, 3]), f32(1.0), gradient=False),
    sample("SparseFillEmptyRows", NONE, empty, i64([0, 3]), f32(1.0), gradient=False),
    sample("SparseFillEmptyRows", i64([[7, 1]]), f32([1]), i64([5, 3]), f32(9.0)),
    sample("SparseFillEmptyRows", A, x4, SHAPE, f32([9.0])),
    sample("SparseFillEmptyRowsGrad", i64([0, 2]), f32([1, 2, 4])),
    sample("SparseFillEmptyRowsGrad", i64([1]), ints(3)),
    sample("SparseFillEmptyRowsGrad", i64([0, 5]), f32([1, 2, 3])),
]
for kind in ("Sum", "Mean", "SqrtN"):
    segments, data = f"SparseSegment{kind}", floats(4, 2, 3)
    ROWS_AND_SEGMENTS += [
        sample(segments, data, i32([0, 3, 3, 1]), i32([0, 0, 2, 2]), second=False),
        sample(segments, floats(4), i64([2, 0]), i64([1, 1]), second=False),
        sample(segments, floats(4, 2, dtype="float64"), i32([0, 3]), i64([0, 1]), second=False),
        sample(
            segments, floats(4, 2, dtype="bfloat16"), i32([0, 3, 1]), i32([0, 0, 0]), gradient=False
        ),
        sample(
            segments, floats(4, 2, dtype="float16"), i32([0, 3, 1]), i32([0, 0, 0]), gradient=False
        ),
        sample(segments, data, i32([]), i32([]), gradient=False),
        sample(segments, data, i32([0, 1]), i32([0, 0]), sparse_gradient=True, second=False),
        sample(segments, data, i32([0, 4]), i32([0, 0])),
        sample(segments, data, i32([0, 1]), i32([1, 0])),
        sample(segments, data, i32([0, 1]), i32([0, 0, 1])),
        sample(
            f"{segments}WithNumSegments", data, i32([0, 3, 3]), i32([0, 0, 2]), i32(4), second=False
        ),
        sample(f"{segments}WithNumSegments", data, i32([0, 3, 3]), i32([0, 0, 2]), i32(2)),
        sample(f"{segments}WithNumSegments", data, i32([0]), i32([0]), i32(-1)),
        sample(f"{segments}Grad", data, i32([0, 5, 5]), i32([0, 0, 3]), i32(7), gradient=False),
        sample(f"{segments}Grad", data, i32([0, 7, 5]), i32([0, 0, 3]), i32(7)),
        sample(f"{segments}Grad", data, i32([0, 5]), i32([0, 9]), i32(7)),
        sample(f"{segments}GradV2", data, i32([5, 0, 5]), i32([0, 0, 3]), i32(7), gradient=False),
        sample(f"{segments}GradV2", data, i32([9, 0, 5]), i32([0, 0, 3]), i32(7)),
    ]
ROWS_AND_SEGMENTS.append(sample("SparseSegmentSum", ints(4, 2), i32([0, 3, 1]), i32([0, 0, 1])))

V = i32([1, 3, 1, 0])
COUNTING = [
    sample("SparseBincount", A, V, SHAPE, i32(4), empty),
    sample("SparseBincount", A, V, SHAPE, i32(2), f32([1, 2, 3, 4]), gradient=False),
    sample("SparseBincount", A, V.astype(np.int64), SHAPE, i64(5), i32([]), binary_output=True),
    sample("SparseBincount", i64([[0], [2]]), V[:2], i64([3]), i32(4), empty),
    sample("SparseBincount", OUTSIDE, V, SHAPE, i32(4), empty),
    sample("SparseBincount", A, V, SHAPE, i32(-4), empty),
    sample("DenseCountSparseOutput", V, i64([]), binary_output=False),
    sample(
        "DenseCountSparseOutput",
        V.reshape(2, 2),
        f32([[1, 2], [3, 4]]),
        binary_output=False,
        gradient=False,
    ),
    sample("DenseCountSparseOutput", V.reshape(2, 2), i64([]), minlength=6, binary_output=True),
    sample("DenseCountSparseOutput", V, i64([]), maxlength=2, binary_output=False),
    sample("DenseCountSparseOutput", V[:0], i64([]), binary_output=False),
    sample("DenseCountSparseOutput", V - 1, i64([]), binary_output=False),
    sample("DenseCountSparseOutput", V, i64([1]), binary_output=False),
    sample("SparseCountSparseOutput", A, V, SHAPE, i64([]), binary_output=False),
    sample(
        "SparseCountSparseOutput",
        A,
        V,
        SHAPE,
        f32([1, 2, 3, 4]),
        maxlength=3,
        binary_output=False,
        gradient=False,
    ),
    sample("SparseCountSparseOutput", A, V, SHAPE, i64([]), minlength=9, binary_output=True),
    sample("SparseCountSparseOutput", OUTSIDE, V, SHAPE, i64([]), binary_output=False),
]

TEXT = strings("a", "b", "c")
P, Q = i64([[0, 0], [1, 0], [1, 1]]), i64([[0, 0], [1, 0]])
WORDS = np.array([[b"x", b"y"], [b"z", b"w"]], object)
HASHED = {"hashed_output": True, "hash_key": 1, "internal_type": "int64", "out_type": "int64"}
CROSSING = [
    sample(
        "SparseCross",
        [P, Q],
        [TEXT, i64([5, 6])],
        [i64([2, 2]), i64([2, 1])],
        [WORDS],
        num_buckets=100,
        **HASHED,
    ),
    sample("SparseCross", [P], [TEXT], [i64([2, 2])], [], num_buckets=0, **HASHED),
    sample(
        "SparseCross",
        [P, Q],
        [TEXT, TEXT[:2]],
        [i64([2, 2]), i64([3, 1])],
        [],
        num_buckets=0,
        **HASHED,
    ),
    sample(
        "SparseCrossV2",
        [P, Q],
        [TEXT, i64([5, -6])],
        [i64([2, 2]), i64([2, 1])],
        [WORDS],
        np.array(b"-", object),
    ),
    sample("SparseCrossV2", [], [], [], [WORDS, i64([[1], [2]])], np.array(b"_X_", object)),
    sample("SparseCrossV2", [P], [TEXT], [i64([2, 2])], [TEXT], np.array(b"-", object)),
    sample(
        "SparseCrossHashed",
        [P, Q],
        [TEXT, i64([5, 6])],
        [i64([2, 2]), i64([2, 1])],
        [WORDS],
        i64(0),
        np.array(False),
        i64([1, 2]),
    ),
    sample(
        "SparseCrossHashed",
        [P, Q],
        [TEXT, i64([5, 6])],
        [i64([2, 2]), i64([2, 1])],
        [],
        i64(90),
        np.array(True),
        i64([1, -2]),
    ),
    sample(
        "SparseCrossHashed",
        [P],
        [TEXT],
        [i64([2, 2])],
        [i64([[7], [8]])],
        i64(90),
        np.array(False),
        i64([1, 2]),
    ),
    sample(
        "SparseCrossHashed",
        [P],
        [TEXT],
        [i64([2, 2])],
        [TEXT],
        i64(90),
        np.array(False),
        i64([1, 2]),
    ),
    sample("SerializeSparse", A, x4, SHAPE),
    sample("SerializeSparse", P, TEXT, i64([2, 2])),
    sample("SerializeSparse", A, x5, SHAPE),
    sample("SerializeManySparse", A, x4, SHAPE),
    sample("SerializeManySparse", UNSORTED, ints(4, dtype="int16"), SHAPE),
    sample("SerializeManySparse", i64([[0]]), x4[:1], i64([1])),
]

# A sparse float of shape [2, 3] with 1.5 at [0, 1], as TensorFlow writes it.
PLACE = b'\x08\t\x12\x08\x12\x02\x08\x01\x12\x02\x08\x02"\x10' + i64([0, 1]).tobytes()
VALUE = b'\x08\x01\x12\x04\x12\x02\x08\x01"\x04\x00\x00\xc0?'
EXTENT = b'\x08\t\x12\x04\x12\x02\x08\x02"\x10' + i64([2, 3]).tobytes()
WRITTEN = strings(PLACE, VALUE, EXTENT)
TWO = np.stack([WRITTEN, WRITTEN])
SERIALIZED = [
    sample("DeserializeSparse", WRITTEN, dtype="float32"),
    sample("DeserializeSparse", TWO.reshape(1, 2, 3), dtype="float32"),
    sample("DeserializeSparse", WRITTEN, dtype="int32"),
    sample("DeserializeSparse", WRITTEN[:2], dtype="float32"),
    sample("DeserializeSparse", strings("a", "b", "c"), dtype="float32"),
    sample("DeserializeManySparse", TWO, dtype="float32"),
    sample("DeserializeManySparse", TWO, dtype="int32"),
    sample("DeserializeManySparse", WRITTEN, dtype="float32"),
    sample("DeserializeManySparse", strings("a", "b", "c").reshape(1, 3), dtype="float32"),
]

S1, S2 = i32([[1, 2, 2], [3, 4, 5]]), i32([[2, 3, 1], [5, 9, 9]])
SETS = [
    sample("DenseToDenseSetOperation", S1, S2, set_operation="a-b"),
    sample("DenseToDenseSetOperation", S1, S2, set_operation="b-a"),
    sample(
        "DenseToDenseSetOperation", S1.astype(np.uint8), S2.astype(np.uint8), set_operation="union"
    ),
    sample("DenseToDenseSetOperation", WORDS, WORDS[::-1].copy(), set_operation="intersection"),
    sample(
        "DenseToDenseSetOperation", S1.reshape(2, 1, 3), S2.reshape(2, 1, 3), set_operation="union"
    ),
    sample("DenseToDenseSetOperation", S1[:, :0], S2, set_operation="UNION"),
    sample("DenseToDenseSetOperation", S1, S2, set_operation="sum"),
    sample("DenseToDenseSetOperation", S1, S2[:1], set_operation="union"),
    sample("DenseToDenseSetOperation", S1[0], S2[0], set_operation="union"),
    sample("DenseToSparseSetOperation", S1, P, i32([2, 5, 9]), i64([2, 3]), set_operation="a-b"),
    sample(
        "DenseToSparseSetOperation",
        S1,
        P,
        i32([2, 5, 9]),
        i64([2, 3]),
        set_operation="intersection",
    ),
    sample("DenseToSparseSetOperation", S1, P, i32([2, 5, 9]), i64([3, 3]), set_operation="union"),
    sample(
        "DenseToSparseSetOperation",
        S1,
        P[::-1].copy(),
        i32([2, 5, 9]),
        i64([2, 3]),
        set_operation="union",
    ),
    sample(
        "SparseToSparseSetOperation", A, ints(4), SHAPE, B, ints(5), SHAPE, set_operation="union"
    ),
    sample("SparseToSparseSetOperation", A, ints(4), SHAPE, B, ints(5), SHAPE, set_operation="b-a"),
    sample(
        "SparseToSparseSetOperation",
        P,
        TEXT,
        i64([2, 2]),
        Q,
        TEXT[:2],
        i64([2, 9]),
        set_operation="intersection",
    ),
    sample(
        "SparseToSparseSetOperation",
        OUTSIDE,
        ints(4),
        SHAPE,
        B,
        ints(5),
        SHAPE,
        set_operation="union",
    ),
    sample("SetSize", A, i32([1, 1, 2, 3]), SHAPE),
    sample("SetSize", CUBE, ints(5, dtype="int64"), CUBE_SHAPE),
    sample("SetSize", P, strings("a", "b", "b"), i64([2, 2])),
    sample("SetSize", i64([[0]]), i32([1]), i64([2])),
    sample("SetSize", UNSORTED, ints(4), SHAPE),
]

ROWS = [
    *TO_DENSE,
    *PLACES,
    *JOINING,
    *ARITHMETIC,
    *REDUCTIONS,
    *ROWS_AND_SEGMENTS,
    *COUNTING,
    *CROSSING,
    *SERIALIZED,
    *SETS,
]
