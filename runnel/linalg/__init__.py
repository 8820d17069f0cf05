"""`tf.linalg`: linear algebra."""

from runnel.linalg import experimental as experimental
from runnel.ops import old_diagonals as _old_diagonals  # noqa: F401
from runnel.ops.banded import banded_triangular_solve as banded_triangular_solve
from runnel.ops.banded import eigh_tridiagonal as eigh_tridiagonal
from runnel.ops.banded import tridiagonal_matmul as tridiagonal_matmul
from runnel.ops.banded import tridiagonal_solve as tridiagonal_solve
from runnel.ops.clipping import global_norm as global_norm
from runnel.ops.decompositions import cholesky as cholesky
from runnel.ops.decompositions import lu as lu
from runnel.ops.decompositions import qr as qr
from runnel.ops.diagonals import band_part as band_part
from runnel.ops.diagonals import diag as diag
from runnel.ops.diagonals import diag_part as diag_part
from runnel.ops.diagonals import set_diag as set_diag
from runnel.ops.diagonals import tensor_diag as tensor_diag
from runnel.ops.diagonals import tensor_diag_part as tensor_diag_part
from runnel.ops.einsum import einsum as einsum
from runnel.ops.linear_operators import functions as _functions  # noqa: F401
from runnel.ops.linear_operators.adjoint import LinearOperatorAdjoint as LinearOperatorAdjoint
from runnel.ops.linear_operators.block_diag import (
    LinearOperatorBlockDiag as LinearOperatorBlockDiag,
)
from runnel.ops.linear_operators.block_lower_triangular import (
    LinearOperatorBlockLowerTriangular as LinearOperatorBlockLowerTriangular,
)
from runnel.ops.linear_operators.circulant import LinearOperatorCirculant as LinearOperatorCirculant
from runnel.ops.linear_operators.circulant import (
    LinearOperatorCirculant2D as LinearOperatorCirculant2D,
)
from runnel.ops.linear_operators.circulant import (
    LinearOperatorCirculant3D as LinearOperatorCirculant3D,
)
from runnel.ops.linear_operators.composition import (
    LinearOperatorComposition as LinearOperatorComposition,
)
from runnel.ops.linear_operators.diag import LinearOperatorDiag as LinearOperatorDiag
from runnel.ops.linear_operators.full_matrix import (
    LinearOperatorFullMatrix as LinearOperatorFullMatrix,
)
from runnel.ops.linear_operators.householder import (
    LinearOperatorHouseholder as LinearOperatorHouseholder,
)
from runnel.ops.linear_operators.identity import LinearOperatorIdentity as LinearOperatorIdentity
from runnel.ops.linear_operators.inversion import LinearOperatorInversion as LinearOperatorInversion
from runnel.ops.linear_operators.kronecker import LinearOperatorKronecker as LinearOperatorKronecker
from runnel.ops.linear_operators.low_rank_update import (
    LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate,
)
from runnel.ops.linear_operators.lower_triangular import (
    LinearOperatorLowerTriangular as LinearOperatorLowerTriangular,
)
from runnel.ops.linear_operators.operator import LinearOperator as LinearOperator
from runnel.ops.linear_operators.permutation import (
    LinearOperatorPermutation as LinearOperatorPermutation,
)
from runnel.ops.linear_operators.scaled_identity import (
    LinearOperatorScaledIdentity as LinearOperatorScaledIdentity,
)
from runnel.ops.linear_operators.toeplitz import LinearOperatorToeplitz as LinearOperatorToeplitz
from runnel.ops.linear_operators.tridiag import LinearOperatorTridiag as LinearOperatorTridiag
from runnel.ops.linear_operators.zeros import LinearOperatorZeros as LinearOperatorZeros
from runnel.ops.matmul import matmul as matmul
from runnel.ops.matmul import matvec as matvec
from runnel.ops.matrices import adjoint as adjoint
from runnel.ops.matrices import cross as cross
from runnel.ops.matrices import eye as eye
from runnel.ops.matrices import matrix_transpose as matrix_transpose
from runnel.ops.matrices import trace as trace
from runnel.ops.matrix_functions import expm as expm
from runnel.ops.matrix_functions import logm as logm
from runnel.ops.matrix_functions import lu_matrix_inverse as lu_matrix_inverse
from runnel.ops.matrix_functions import lu_reconstruct as lu_reconstruct
from runnel.ops.matrix_functions import lu_solve as lu_solve
from runnel.ops.matrix_functions import matrix_rank as matrix_rank
from runnel.ops.matrix_functions import pinv as pinv
from runnel.ops.matrix_functions import sqrtm as sqrtm
from runnel.ops.normalization import l2_normalize as l2_normalize
from runnel.ops.norms import norm as norm
from runnel.ops.norms import normalize as normalize
from runnel.ops.solvers import cholesky_solve as cholesky_solve
from runnel.ops.solvers import det as det
from runnel.ops.solvers import inv as inv
from runnel.ops.solvers import logdet as logdet
from runnel.ops.solvers import lstsq as lstsq
from runnel.ops.solvers import slogdet as slogdet
from runnel.ops.solvers import solve as solve
from runnel.ops.solvers import triangular_solve as triangular_solve
from runnel.ops.spectra import eig as eig
from runnel.ops.spectra import eigh as eigh
from runnel.ops.spectra import eigvals as eigvals
from runnel.ops.spectra import eigvalsh as eigvalsh
from runnel.ops.spectra import svd as svd
from runnel.ops.tensordot import tensordot as tensordot
