"""Samples of the ops of linear algebra: products, diagonals, decompositions, solvers."""

import numpy as np

from tests.samples import bools, complexes, floats, ints, positive, sample


def definite(*shape, dtype="float32", seed=0):
    """Positive definite matrices, well away from being singular."""
    x = floats(*shape, seed=seed, dtype="float64")
    return (np.matmul(x, x.swapaxes(-1, -2)) + 2 * np.eye(shape[-1])).astype(dtype)


def regular(*shape, dtype="float32", seed=0):
    """Matrices that are easy to invert."""
    return (floats(*shape, seed=seed, dtype="float64") + 4 * np.eye(shape[-1])).astype(dtype)


def triangle(*shape, dtype="float32", seed=0):
    return np.tril(regular(*shape, dtype=dtype, seed=seed))


def hermitian(*shape, seed=0):
    x = complexes(*shape, seed=seed, dtype="complex128")
    return (np.matmul(x, x.conj().swapaxes(-1, -2)) + 2 * np.eye(shape[-1])).astype("complex64")


def number(value, dtype="int32"):
    return np.array(value, dtype)


PRODUCTS = [
    sample("MatMul", floats(3, 4), floats(4, 5)),
    sample("MatMul", floats(4, 3), floats(4, 5), transpose_a=True),
    sample("MatMul", floats(3, 4), floats(5, 4), transpose_b=True),
    sample("MatMul", floats(4, 3), floats(5, 4), transpose_a=True, transpose_b=True),
    sample("MatMul", complexes(4, 3), complexes(5, 4), transpose_a=True, transpose_b=True),
    sample("MatMul", complexes(3, 4), complexes(4, 5)),
    sample("MatMul", ints(3, 4), ints(4, 5)),
    sample("MatMul", ints(3, 4, dtype="int64"), ints(4, 5, dtype="int64")),
    sample("MatMul", floats(3, 4, dtype="float16"), floats(4, 5, dtype="float16")),
    sample("MatMul", floats(3, 4, dtype="bfloat16"), floats(4, 5, dtype="bfloat16")),
    sample("MatMul", floats(3, 4, dtype="float64"), floats(4, 5, dtype="float64")),
    sample("MatMul", floats(3, 0), floats(0, 5)),
    sample("MatMul", floats(0, 3), floats(3, 5)),
    sample("MatMul", floats(3, 4), floats(3, 5)),
    sample("MatMul", floats(4), floats(4, 5)),
    sample("MatMul", floats(2, 3, 4), floats(2, 4, 5)),
    sample("MatMul", floats(3, 4), floats(4, 5, dtype="float64")),
    sample("BatchMatMulV2", floats(2, 3, 4), floats(2, 4, 5)),
    sample("BatchMatMulV2", floats(2, 4, 3), floats(2, 4, 5), adj_x=True),
    sample("BatchMatMulV2", floats(2, 3, 4), floats(2, 5, 4), adj_y=True),
    sample("BatchMatMulV2", complexes(2, 4, 3), complexes(2, 5, 4), adj_x=True, adj_y=True),
    sample("BatchMatMulV2", floats(3, 1, 3, 4), floats(2, 4, 5)),
    sample("BatchMatMulV2", floats(3, 4), floats(2, 4, 5)),
    sample("BatchMatMulV2", ints(2, 3, 4), ints(2, 4, 5)),
    sample("BatchMatMulV2", floats(2, 3, 4, dtype="bfloat16"), floats(4, 5, dtype="bfloat16")),
    sample("BatchMatMulV2", floats(2, 0, 4), floats(2, 4, 5)),
    sample("BatchMatMulV2", floats(2, 3, 4), floats(3, 4, 5)),
    sample("BatchMatMulV2", floats(2, 3, 4), floats(2, 3, 5)),
    sample("BatchMatMulV2", floats(4), floats(4, 5)),
    sample("BatchMatMul", floats(2, 3, 4), floats(2, 4, 5)),
    sample("BatchMatMul", floats(2, 3, 4), floats(1, 4, 5)),
    sample("BatchMatMulV3", ints(2, 3, 4, dtype="int8"), ints(2, 4, 5, dtype="int8"), Tout="int32"),
    sample(
        "BatchMatMulV3",
        floats(2, 3, 4),
        floats(4, 5),
        Tout="float32",
        judged=False,
        differences=False,
    ),
    sample("SparseMatMul", floats(3, 4), floats(4, 5), a_is_sparse=True),
    sample("SparseMatMul", floats(4, 3), floats(5, 4), transpose_a=True, transpose_b=True),
    sample("SparseMatMul", floats(3, 4, dtype="bfloat16"), floats(4, 5), tolerance=1e-3),
]

EINSUMS = [
    sample("Einsum", [floats(3, 4), floats(4, 5)], equation="ij,jk->ik"),
    sample("Einsum", [floats(2, 3, 4), floats(2, 5, 4)], equation="bqd,bkd->bqk"),
    sample("Einsum", [floats(2, 3, 4), floats(4, 5)], equation="...ij,jk->...ik"),
    sample("Einsum", [floats(2, 1, 3), floats(5, 3)], equation="...i,...i->..."),
    sample("Einsum", [floats(3, 2, 1), floats(3, 5, 2, 4)], equation="i...,ji...->j..."),
    sample("Einsum", [floats(3, 4)], equation="ij->ji"),
    sample("Einsum", [floats(3, 4)], equation="ij->"),
    sample("Einsum", [floats(3, 4)], equation="ij->j"),
    sample("Einsum", [floats(3, 3)], equation="ii->i"),
    sample("Einsum", [floats(3, 3)], equation="ii->"),
    sample("Einsum", [floats(3)], equation="i->ii"),
    sample("Einsum", [floats(3, 3, 4), floats(4, 3)], equation="iij,jk->ik"),
    sample("Einsum", [floats(3), floats(4)], equation="i,j->ij"),
    sample("Einsum", [floats(3, 4), floats(3, 4)], equation="ij,ij->ij"),
    sample("Einsum", [floats(3, 4, 2), floats(4)], equation="ijk,j->i"),
    sample("Einsum", [floats(3, 4), floats(2)], equation="ij,k->i"),
    sample("Einsum", [complexes(3, 4), complexes(4, 5)], equation="ij,jk->ik"),
    sample("Einsum", [ints(3, 4), ints(4, 5)], equation="ij,jk->ik"),
    sample(
        "Einsum", [floats(3, 4, dtype="bfloat16"), floats(4, dtype="bfloat16")], equation="ij,j->i"
    ),
    sample("Einsum", [floats(3, 4), floats(5, 4)], equation="ij,jk->ik"),
    sample("Einsum", [floats(3, 4), floats(1, 5)], equation="ij,jk->ik"),
    sample("Einsum", [floats(3, 4), floats(4, 5)], equation="ij,jk"),
    sample("Einsum", [floats(3, 4), floats(4, 5)], equation="ijk,jk->ik"),
    sample("Einsum", [floats(3), floats(3), floats(3)], equation="i,i,i->i"),
]

ZERO = np.zeros((), "float32")
# `padding_value` has no gradient, though the output depends on it: no finite differences.
DIAGONALS = [
    sample("MatrixDiagV3", floats(3), number(0), number(-1), number(-1), ZERO, differences=False),
    sample(
        "MatrixDiagV3", floats(2, 3), number(1), number(-1), number(-1), ZERO, differences=False
    ),
    sample(
        "MatrixDiagV3",
        floats(2, 3),
        number([-1, 0]),
        number(-1),
        number(-1),
        ZERO,
        differences=False,
    ),
    sample(
        "MatrixDiagV3",
        floats(3, 3),
        number([-1, 1]),
        number(3),
        number(4),
        ZERO,
        judged=False,
        differences=False,
    ),
    sample("MatrixDiagV3", floats(2, 3, 3), number([-1, 1]), number(-1), number(-1), ZERO + 7),
    sample(
        "MatrixDiagV3",
        floats(3, 4),
        number([-1, 1]),
        number(4),
        number(4),
        ZERO,
        align="LEFT_RIGHT",
        differences=False,
    ),
    sample(
        "MatrixDiagV3",
        floats(3, 4),
        number([1, 3]),
        number(4),
        number(5),
        ZERO,
        align="LEFT_LEFT",
        differences=False,
    ),
    sample("MatrixDiagV3", ints(3), number(-2), number(-1), number(3), np.int32(9)),
    sample("MatrixDiagV3", bools(3), number(0), number(-1), number(-1), np.False_),
    sample("MatrixDiagV3", floats(3), number(0), number(2), number(-1), ZERO, differences=False),
    sample(
        "MatrixDiagV3", floats(3), number([0, 1]), number(-1), number(-1), ZERO, differences=False
    ),
    sample(
        "MatrixDiagV3", floats(3), number([1, 0]), number(-1), number(-1), ZERO, differences=False
    ),
    sample("MatrixDiagV3", floats(), number(0), number(-1), number(-1), ZERO, differences=False),
    sample("MatrixDiagPartV3", floats(3, 4), number(0), ZERO),
    sample("MatrixDiagPartV3", floats(2, 3, 4), number(1), ZERO),
    sample("MatrixDiagPartV3", floats(2, 3, 4), number([-1, 2]), ZERO + 5),
    sample(
        "MatrixDiagPartV3",
        floats(3, 4),
        number([-1, 2]),
        ZERO,
        differences=False,
        align="LEFT_RIGHT",
    ),
    sample(
        "MatrixDiagPartV3",
        floats(3, 4),
        number([-2, -1]),
        ZERO,
        differences=False,
        align="RIGHT_RIGHT",
    ),
    sample("MatrixDiagPartV3", floats(3, 4), number([1, 1]), ZERO, align="LEFT_LEFT"),
    sample("MatrixDiagPartV3", complexes(3, 3), number(0), np.zeros((), "complex64")),
    sample("MatrixDiagPartV3", ints(0, 3), number(0), np.int32(0)),
    sample("MatrixDiagPartV3", floats(3, 4), number(5), ZERO),
    sample("MatrixDiagPartV3", floats(3), number(0), ZERO),
    sample("MatrixSetDiagV3", floats(3, 4), floats(3), number(0)),
    sample("MatrixSetDiagV3", floats(2, 3, 4), floats(2, 2), number(-1)),
    sample("MatrixSetDiagV3", floats(2, 3, 4), floats(2, 3, 3), number([-1, 1])),
    sample("MatrixSetDiagV3", floats(3, 4), floats(3, 3), number([-1, 1]), align="LEFT_RIGHT"),
    sample("MatrixSetDiagV3", floats(3, 4), floats(2), number(0)),
    sample("MatrixSetDiagV3", floats(3), floats(3), number(0)),
    sample("MatrixDiag", floats(2, 3)),
    sample("MatrixDiag", floats()),
    sample("MatrixDiagV2", floats(3), number(0), number(-1), number(-1), ZERO, differences=False),
    # TensorFlow's gradients of the older ops take the diagonals as the newer ones align them.
    sample(
        "MatrixDiagV2", floats(3, 4), number([-1, 1]), number(-1), number(-1), ZERO, gradient=False
    ),
    sample("MatrixDiagPart", floats(2, 3, 4)),
    sample("MatrixDiagPart", floats(3)),
    sample("MatrixDiagPartV2", floats(3, 4), number([-1, 2]), ZERO, gradient=False),
    sample("MatrixSetDiag", floats(2, 3, 4), floats(2, 3)),
    sample("MatrixSetDiag", floats(3, 4), floats(2)),
    sample("MatrixSetDiagV2", floats(3, 4), floats(3, 3), number([-1, 1])),
    sample("MatrixBandPart", floats(3, 4), number(1), number(0)),
    sample("MatrixBandPart", floats(2, 4, 3), number(-1, "int64"), number(1, "int64")),
    sample("MatrixBandPart", complexes(3, 3), number(0), number(-1)),
    sample("MatrixBandPart", ints(3, 3), number(-1), number(-1)),
    sample("MatrixBandPart", floats(3, 4), number(4), number(0)),
    sample("MatrixBandPart", floats(3), number(0), number(0)),
    sample("Diag", floats(3)),
    sample("Diag", ints(2, 3)),
    sample("Diag", complexes(2)),
    sample("Diag", floats()),
    sample("DiagPart", floats(3, 3)),
    sample("DiagPart", floats(2, 3, 2, 3)),
    sample("DiagPart", floats(2, 3)),
    sample("DiagPart", floats(2, 2, 2)),
    sample("Cross", floats(2, 3), floats(2, 3, seed=1)),
    sample("Cross", ints(3), ints(3, seed=1)),
    sample("Cross", floats(2, 3), floats(3)),
    sample("Cross", floats(2), floats(2)),
]

# Gradients of ops that read one triangle are spread over both: no finite differences for them.
DECOMPOSITIONS = [
    sample("Cholesky", definite(3, 3), differences=False, tolerance=1e-4),
    sample("Cholesky", definite(2, 3, 3, dtype="float64"), differences=False),
    sample("Cholesky", hermitian(3, 3), differences=False, tolerance=1e-4),
    sample("Cholesky", definite(3, 3, dtype="float16"), gradient=False, judged=False),
    sample("Cholesky", np.tril(definite(3, 3)), differences=False, second=False, tolerance=1e-4),
    sample("Cholesky", np.zeros((0, 0), "float32"), gradient=False),
    sample("Cholesky", floats(2, 3)),
    sample("Cholesky", floats(3)),
    sample("CholeskyGrad", triangle(3, 3), np.tril(floats(3, 3)), tolerance=1e-4, gradient=False),
    sample(
        "CholeskyGrad",
        triangle(2, 3, 3, dtype="float64"),
        floats(2, 3, 3, dtype="float64"),
        gradient=False,
    ),
    sample("Qr", regular(3, 3), tolerance=1e-4),
    sample("Qr", floats(4, 3, dtype="float64")),
    sample("Qr", floats(2, 3, 4, dtype="float64")),
    sample("Qr", floats(2, 4, 3, dtype="float64"), full_matrices=True, gradient=False),
    sample("Qr", complexes(4, 3, dtype="complex128"), second=False),
    sample("Qr", floats(3, 0), gradient=False),
    sample("Qr", floats(3)),
    sample("Lu", regular(3, 3), tolerance=1e-4),
    sample("Lu", floats(2, 4, 4, dtype="float64")),
    # LAPACK measures a complex pivot by |re| + |im|, TensorFlow by its absolute value.
    sample("Lu", complexes(3, 3, dtype="complex128"), judged=False),
    sample("Lu", floats(3, 3, dtype="float64"), output_idx_type="int64"),
    sample("Lu", floats(2, 3)),
    sample("Lu", np.zeros((2, 2), "float32")),
]


def symmetric(*shape, seed=0):
    x = floats(*shape, seed=seed, dtype="float64")
    return x + x.swapaxes(-1, -2)


def self_adjoint(*shape, seed=0):
    x = complexes(*shape, seed=seed, dtype="complex128")
    return x + x.conj().swapaxes(-1, -2)


# The signs of singular vectors and eigenvectors are free: the rows that are judged have seeds for
# which LAPACK and TensorFlow agree on them.
SPECTRA = [
    sample("Svd", floats(3, 4, dtype="float64")),
    sample("Svd", floats(3, 3, seed=11, dtype="float64")),
    sample("Svd", floats(3, 3, seed=11, dtype="float64"), full_matrices=True),
    sample("Svd", floats(2, 4, 3), judged=False, tolerance=1e-4),
    sample("Svd", floats(4, 3), judged=False, full_matrices=True, tolerance=1e-4),
    sample("Svd", floats(4, 3), judged=False, compute_uv=False),
    sample("Svd", complexes(4, 3), judged=False, tolerance=1e-4, second=False),
    sample("Svd", floats(3)),
    sample("SelfAdjointEigV2", symmetric(3, 3, seed=6), differences=False),
    sample("SelfAdjointEigV2", self_adjoint(3, 3, seed=6), differences=False, second=False),
    sample("SelfAdjointEigV2", np.tril(symmetric(2, 3, 3)), judged=False),
    sample("SelfAdjointEigV2", symmetric(3, 3), judged=False, compute_v=False),
    sample("SelfAdjointEigV2", floats(2, 3)),
    sample(
        "Eig",
        floats(3, 3, seed=6, dtype="float64"),
        Tout="complex128",
        second=False,
        differences=False,
    ),
    sample(
        "Eig",
        floats(3, 3),
        Tout="complex64",
        judged=False,
        compute_v=False,
        tolerance=1e-4,
        differences=False,
    ),
    sample("Eig", complexes(2, 3, 3), Tout="complex64", judged=False, tolerance=1e-3, second=False),
    sample("Eig", floats(2, 3), Tout="complex64"),
]

SOLVERS = [
    sample("MatrixInverse", regular(3, 3), tolerance=1e-4),
    sample("MatrixInverse", regular(2, 3, 3, dtype="float64"), adjoint=True),
    sample("MatrixInverse", complexes(3, 3, dtype="complex128") + 3 * np.eye(3)),
    sample("MatrixInverse", complexes(3, 3, dtype="complex128") + 3 * np.eye(3), adjoint=True),
    sample("MatrixInverse", np.zeros((0, 0), "float32"), gradient=False),
    sample("MatrixInverse", np.zeros((2, 2), "float32")),
    sample("MatrixInverse", floats(2, 3)),
    sample("MatrixInverse", ints(2, 2)),
    sample("MatrixDeterminant", regular(3, 3), tolerance=1e-4),
    sample("MatrixDeterminant", regular(2, 3, 3, dtype="float64")),
    # TensorFlow forgets to conjugate in the gradients of some complex ops.
    sample("MatrixDeterminant", complexes(2, 2, dtype="complex128"), gradient=False),
    sample("MatrixDeterminant", np.zeros((0, 0), "float32"), gradient=False),
    sample("MatrixDeterminant", floats(2, 3)),
    sample("LogMatrixDeterminant", regular(3, 3), tolerance=1e-4),
    sample("LogMatrixDeterminant", floats(2, 3, 3, dtype="float64")),
    sample("LogMatrixDeterminant", complexes(2, 2, dtype="complex128")),
    sample("LogMatrixDeterminant", np.zeros((2, 2), "float32"), gradient=False),
    sample("LogMatrixDeterminant", floats(2, 3)),
    sample("MatrixSolve", regular(3, 3), floats(3, 2), tolerance=1e-4),
    sample(
        "MatrixSolve",
        regular(2, 3, 3, dtype="float64"),
        floats(2, 3, 2, dtype="float64"),
        adjoint=True,
    ),
    sample(
        "MatrixSolve",
        complexes(3, 3, dtype="complex128"),
        complexes(3, 1, dtype="complex128"),
        adjoint=True,
    ),
    sample("MatrixSolve", complexes(3, 3, dtype="complex128"), complexes(3, 1, dtype="complex128")),
    sample("MatrixSolve", np.zeros((2, 2), "float32"), floats(2, 1)),
    sample("MatrixSolve", regular(2, 2), floats(2)),
    sample("MatrixSolve", regular(2, 2), floats(3, 1)),
    sample("MatrixSolve", regular(3, 2, 2), floats(2, 1)),
    sample("MatrixTriangularSolve", triangle(3, 3), floats(3, 2), tolerance=1e-4),
    sample(
        "MatrixTriangularSolve",
        regular(3, 3, dtype="float64"),
        floats(3, 2, dtype="float64"),
        lower=False,
    ),
    sample(
        "MatrixTriangularSolve",
        regular(3, 3, dtype="float64"),
        floats(2, 3, 2, dtype="float64"),
        adjoint=True,
    ),
    sample(
        "MatrixTriangularSolve",
        regular(2, 3, 3, dtype="float64"),
        floats(3, 2, dtype="float64"),
        lower=False,
        adjoint=True,
    ),
    sample(
        "MatrixTriangularSolve",
        complexes(3, 3, dtype="complex128"),
        complexes(3, 2, dtype="complex128"),
        adjoint=True,
    ),
    sample(
        "MatrixTriangularSolve",
        regular(3, 3, dtype="float16"),
        floats(3, 2, dtype="float16"),
        gradient=False,
        judged=False,
    ),
    sample("MatrixTriangularSolve", np.zeros((2, 2), "float32"), positive(2, 1), gradient=False),
    sample("MatrixTriangularSolve", floats(2, 3), floats(2, 1)),
    sample("MatrixTriangularSolve", regular(2, 2), floats(2)),
    sample("MatrixTriangularSolve", regular(2, 2), floats(3, 1)),
    sample(
        "MatrixSolveLs",
        floats(4, 2, dtype="float64"),
        floats(4, 3, dtype="float64"),
        np.float64(0.5),
    ),
    sample(
        "MatrixSolveLs",
        floats(2, 4, dtype="float64"),
        floats(2, 3, dtype="float64"),
        np.float64(0.5),
        second=False,
    ),
    sample(
        "MatrixSolveLs",
        complexes(4, 2, dtype="complex128"),
        complexes(4, 3, dtype="complex128"),
        np.float64(0.1),
        gradient=False,
    ),
    sample(
        "MatrixSolveLs",
        floats(4, 2),
        floats(4, 3),
        np.float64(0.0),
        fast=False,
        gradient=False,
        tolerance=1e-4,
    ),
    sample(
        "MatrixSolveLs",
        floats(2, 4),
        floats(2, 3),
        np.float64(0.0),
        fast=False,
        gradient=False,
        tolerance=1e-4,
    ),
    sample("MatrixSolveLs", floats(4, 2), floats(3, 3), np.float64(0.0)),
    sample("MatrixSquareRoot", definite(3, 3, dtype="float64"), tolerance=1e-6),
    sample("MatrixSquareRoot", definite(2, 3, 3), tolerance=1e-3),
    sample(
        "MatrixSquareRoot",
        complexes(3, 3, dtype="complex128") + 4 * np.eye(3),
        tolerance=1e-6,
        gradient=False,
    ),
    sample("MatrixSquareRoot", floats(2, 3)),
    sample("MatrixLogarithm", hermitian(3, 3), tolerance=1e-4),
    sample("MatrixLogarithm", hermitian(2, 3, 3), tolerance=1e-4),
    sample("MatrixLogarithm", complexes(2, 3)),
    # TensorFlow's op is retired; its tf.linalg.expm is composed of others.
    sample("MatrixExponential", floats(3, 3), judged=False, tolerance=1e-4),
    sample("MatrixExponential", floats(2, 3, 3, dtype="float64"), judged=False),
    sample(
        "TridiagonalSolve",
        floats(3, 4, dtype="float64") + np.float64([[0], [5], [0]]),
        floats(4, 2, dtype="float64"),
    ),
    sample(
        "TridiagonalSolve",
        floats(2, 3, 4) + np.float32([[0], [5], [0]]),
        floats(2, 4, 2),
        tolerance=1e-4,
    ),
    sample(
        "TridiagonalSolve",
        complexes(3, 4) + np.complex64([[0], [5], [0]]),
        complexes(4, 2),
        tolerance=1e-4,
        gradient=False,
    ),
    sample(
        "TridiagonalSolve",
        floats(3, 4, dtype="float64") + np.float64([[0], [5], [0]]),
        floats(4, 2, dtype="float64"),
        partial_pivoting=False,
    ),
    sample("TridiagonalSolve", np.zeros((3, 4), "float32"), floats(4, 2), differences=False),
    *[
        sample(
            "TridiagonalSolve",
            np.array(diagonals, dtype),
            floats(len(diagonals[0]), 2, dtype=dtype),
            perturb_singular=True,
            gradient=False,
        )
        for dtype in ("float32", "float64", "complex64")
        for diagonals in (
            [[0, 1, 2, 0], [1, 2, 3, 4], [1, 2, 3, 0]],
            [[0, 9, 0, 0], [1, 0, 3, 4], [0, 0, 0, 0]],  # singular, as those that follow
            [[0, 0, 0, 0], [1, 0, 3, 4], [0, 0, 9, 0]],
            [[1, 1, 0], [0, 0, 0], [0, 1, 1]],
            [[-1, -1, 0], [1, 2, 1], [0, -1, -1]],
            [[2, 0], [4, 1], [0, 2]],
            [[0], [2], [0]],
        )
    ],
    sample("TridiagonalSolve", floats(2, 4), floats(4, 2)),
    sample("TridiagonalSolve", floats(3, 4), floats(3, 2)),
    sample(
        "TridiagonalMatMul", floats(1, 4), floats(1, 4, seed=1), floats(1, 4, seed=2), floats(4, 2)
    ),
    sample(
        "TridiagonalMatMul",
        complexes(2, 1, 4),
        complexes(2, 1, 4, seed=1),
        complexes(2, 1, 4, seed=2),
        complexes(2, 4, 2),
    ),
    sample("TridiagonalMatMul", floats(1, 4), floats(1, 4), floats(1, 4), floats(3, 2)),
    sample(
        "BandedTriangularSolve", positive(2, 4, dtype="float64") + 1, floats(4, 2, dtype="float64")
    ),
    sample(
        "BandedTriangularSolve",
        positive(2, 4, dtype="float64") + 1,
        floats(4, 2, dtype="float64"),
        lower=False,
    ),
    sample(
        "BandedTriangularSolve",
        positive(3, 4, dtype="float64") + 1,
        floats(4, 2, dtype="float64"),
        adjoint=True,
    ),
    sample(
        "BandedTriangularSolve",
        positive(3, 4, dtype="float64") + 1,
        floats(2, 4, 2, dtype="float64"),
        lower=False,
        adjoint=True,
    ),
    # TensorFlow loses an axis of the gradient of a single band.
    sample("BandedTriangularSolve", positive(1, 4), floats(4, 2), tolerance=1e-4, gradient=False),
    sample("BandedTriangularSolve", positive(2, 4), floats(3, 2)),
]

ROWS = [*PRODUCTS, *EINSUMS, *DIAGONALS, *DECOMPOSITIONS, *SPECTRA, *SOLVERS]
