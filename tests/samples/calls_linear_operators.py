"""Methods of the linear operators, called with an operator as their first argument."""

import numpy as np

from tests.samples import call, complexes, floats, made, symbol, tensor
from tests.samples.ops_linalg import definite, regular

M = "linalg.LinearOperator"
SPD = {"is_self_adjoint": True, "is_positive_definite": True}


def operator(name, *args, **kwargs):
    return made(f"{M}{name}", *args, **kwargs)


def full(*shape, seed=0, **hints):
    return operator("FullMatrix", regular(*shape, seed=seed), **hints)


OPERATORS = [
    full(3, 3),
    operator("FullMatrix", definite(2, 3, 3), **SPD),
    operator("Diag", floats(2, 3) + 3),
    operator("LowerTriangular", regular(3, 3)),
    operator("Identity", 3, batch_shape=[2]),
    operator("ScaledIdentity", 3, tensor([2.0, 3.0])),
    operator("Adjoint", full(3, 3)),
    operator("Inversion", full(3, 3)),
    operator("Composition", [full(3, 3), full(3, 3, seed=1)]),
    operator("BlockDiag", [full(1, 1), full(2, 2)]),
    operator(
        "BlockLowerTriangular", [[full(1, 1)], [operator("FullMatrix", floats(2, 1)), full(2, 2)]]
    ),
    operator("LowRankUpdate", full(3, 3), floats(3, 2), tensor([1.0, 2.0])),
    operator("Householder", floats(3)),
    operator("Permutation", [2, 0, 1]),
    operator("Toeplitz", [4.0, 1.0, 2.0], [4.0, 3.0, 1.0]),
    operator("Tridiag", floats(3, 3) + np.float32([[0], [4], [0]])),
    operator("Circulant", complexes(3) + 3),
    operator("Circulant", tensor([4.0, 1.0, 1.0]), input_output_dtype=symbol("float32")),
]
REAL = [o for o in OPERATORS if "complex" not in str(o.args) and o is not OPERATORS[-2]]
X = floats(3, 2)

ROWS = [
    *[call(f"{M}.to_dense", o, _tolerance=1e-4) for o in OPERATORS],
    *[call(f"{M}.determinant", o, _tolerance=1e-4) for o in OPERATORS],
    *[call(f"{M}.log_abs_determinant", o, _tolerance=1e-4) for o in OPERATORS],
    *[call(f"{M}.trace", o, _tolerance=1e-4) for o in OPERATORS],
    *[call(f"{M}.diag_part", o, _tolerance=1e-4) for o in OPERATORS],
    *[call(f"{M}.cond", o, _tolerance=1e-3) for o in OPERATORS],
    *[call(f"{M}.matmul", o, X, _tolerance=1e-4) for o in REAL],
    *[call(f"{M}.matmul", o, X, adjoint=True, _tolerance=1e-4) for o in REAL],
    *[call(f"{M}.solve", o, X, _tolerance=1e-3) for o in REAL],
    *[call(f"{M}.solvevec", o, X[:, 0], _tolerance=1e-3) for o in REAL],
    *[call(f"{M}.shape_tensor", o) for o in OPERATORS],
    call(f"{M}.to_dense", operator("Kronecker", [full(2, 2), full(3, 3)])),
    call(
        f"{M}.matvec", operator("Kronecker", [full(2, 2), full(3, 3)]), floats(6), _tolerance=1e-4
    ),
    call(f"{M}.determinant", operator("Kronecker", [full(2, 2), full(3, 3)]), _tolerance=1e-3),
    call(f"{M}.to_dense", operator("Zeros", 2, 3)),
    call(f"{M}.to_dense", operator("Zeros", 2, 3, is_square=False, is_self_adjoint=False)),
    call(f"{M}.to_dense", operator("Circulant2D", complexes(2, 3)), _tolerance=1e-4),
    call(f"{M}.to_dense", operator("Circulant3D", complexes(2, 2, 2)), _tolerance=1e-4),
    call(f"{M}.eigvals", operator("FullMatrix", definite(3, 3), **SPD), _tolerance=1e-4),
    call(f"{M}.eigvals", full(3, 3)),
    call(f"{M}.matmul", full(3, 3), floats(2, 2)),
    call(f"{M}.matmul", full(3, 3), tensor(floats(3, 2, dtype="float64"))),
    call(f"{M}.solve", operator("Zeros", 3), X),
    call(f"{M}.determinant", operator("FullMatrix", floats(2, 3))),
    call(f"{M}.inverse", operator("FullMatrix", floats(2, 3))),
    call(f"{M}.cholesky", full(3, 3)),
    call(f"{M}.assert_non_singular", operator("Diag", [1.0, 0.0])),
    call(f"{M}FullMatrix", [1, 2]),
    call(f"{M}FullMatrix", [1.0, 2.0]),
    call(f"{M}Diag", 1.0),
    call(f"{M}Diag", [1.0], is_self_adjoint=False),
    call(f"{M}Identity", 2.5),
    call(f"{M}Identity", -1),
    call(f"{M}Composition", []),
    call(f"{M}Composition", [full(2, 2), full(3, 3)]),
    call(f"{M}Inversion", operator("FullMatrix", floats(2, 3))),
    call(
        "linalg.experimental.conjugate_gradient",
        operator("FullMatrix", definite(3, 3), **SPD),
        tensor(X[:, 0]),
        _tolerance=1e-2,
    ),
    call("linalg.experimental.conjugate_gradient", full(3, 3), tensor(X[:, 0])),
]
