"""`tf.linalg`: linear algebra."""

from runnel.linalg import experimental as experimental
from runnel.ops.array import old_diagonals as _old_diagonals  # noqa: F401
from runnel.ops.array.diagonals import band_part as band_part
from runnel.ops.array.diagonals import diag as diag
from runnel.ops.array.diagonals import diag_part as diag_part
from runnel.ops.array.diagonals import set_diag as set_diag
from runnel.ops.array.diagonals import tensor_diag as tensor_diag
from runnel.ops.array.diagonals import tensor_diag_part as tensor_diag_part
from runnel.ops.linalg.banded import banded_triangular_solve as banded_triangular_solve
from runnel.ops.linalg.banded import eigh_tridiagonal as eigh_tridiagonal
from runnel.ops.linalg.banded import tridiagonal_matmul as tridiagonal_matmul
from runnel.ops.linalg.banded import tridiagonal_solve as tridiagonal_solve
from runnel.ops.linalg.decompositions import cholesky as cholesky
from runnel.ops.linalg.decompositions import lu as lu
from runnel.ops.linalg.decompositions import qr as qr
from runnel.ops.linalg.einsum import einsum as einsum
from runnel.ops.linalg.matmul import matmul as matmul
from runnel.ops.linalg.matmul import matvec as matvec
from runnel.ops.linalg.matrices import adjoint as adjoint
from runnel.ops.linalg.matrices import cross as cross
from runnel.ops.linalg.matrices import eye as eye
from runnel.ops.linalg.matrices import matrix_transpose as matrix_transpose
from runnel.ops.linalg.matrices import trace as trace
from runnel.ops.linalg.matrix_functions import expm as expm
from runnel.ops.linalg.matrix_functions import logm as logm
from runnel.ops.linalg.matrix_functions import lu_matrix_inverse as lu_matrix_inverse
from runnel.ops.linalg.matrix_functions import lu_reconstruct as lu_reconstruct
from runnel.ops.linalg.matrix_functions import lu_solve as lu_solve
from runnel.ops.linalg.matrix_functions import matrix_rank as matrix_rank
from runnel.ops.linalg.matrix_functions import pinv as pinv
from runnel.ops.linalg.matrix_functions import sqrtm as sqrtm
from runnel.ops.linalg.norms import norm as norm
from runnel.ops.linalg.norms import normalize as normalize
from runnel.ops.linalg.operators import functions as _functions  # noqa: F401
from runnel.ops.linalg.operators.adjoint import LinearOperatorAdjoint as LinearOperatorAdjoint
from runnel.ops.linalg.operators.block_diag import (
    LinearOperatorBlockDiag as LinearOperatorBlockDiag,
)
from runnel.ops.linalg.operators.block_lower_triangular import (
    LinearOperatorBlockLowerTriangular as LinearOperatorBlockLowerTriangular,
)
from runnel.ops.linalg.operators.circulant import LinearOperatorCirculant as LinearOperatorCirculant
from runnel.ops.linalg.operators.circulant import (
    LinearOperatorCirculant2D as LinearOperatorCirculant2D,
)
from runnel.ops.linalg.operators.circulant import (
    LinearOperatorCirculant3D as LinearOperatorCirculant3D,
)
from runnel.ops.linalg.operators.composition import (
    LinearOperatorComposition as LinearOperatorComposition,
)
from runnel.ops.linalg.operators.diag import LinearOperatorDiag as LinearOperatorDiag
from runnel.ops.linalg.operators.full_matrix import (
    LinearOperatorFullMatrix as LinearOperatorFullMatrix,
)
from runnel.ops.linalg.operators.householder import (
    LinearOperatorHouseholder as LinearOperatorHouseholder,
)
from runnel.ops.linalg.operators.identity import LinearOperatorIdentity as LinearOperatorIdentity
from runnel.ops.linalg.operators.inversion import LinearOperatorInversion as LinearOperatorInversion
from runnel.ops.linalg.operators.kronecker import LinearOperatorKronecker as LinearOperatorKronecker
from runnel.ops.linalg.operators.low_rank_update import (
    LinearOperatorLowRankUpdate as LinearOperatorLowRankUpdate,
)
from runnel.ops.linalg.operators.lower_triangular import (
    LinearOperatorLowerTriangular as LinearOperatorLowerTriangular,
)
from runnel.ops.linalg.operators.operator import LinearOperator as LinearOperator
from runnel.ops.linalg.operators.permutation import (
    LinearOperatorPermutation as LinearOperatorPermutation,
)
from runnel.ops.linalg.operators.scaled_identity import (
    LinearOperatorScaledIdentity as LinearOperatorScaledIdentity,
)
from runnel.ops.linalg.operators.toeplitz import LinearOperatorToeplitz as LinearOperatorToeplitz
from runnel.ops.linalg.operators.tridiag import LinearOperatorTridiag as LinearOperatorTridiag
from runnel.ops.linalg.operators.zeros import LinearOperatorZeros as LinearOperatorZeros
from runnel.ops.linalg.solvers import cholesky_solve as cholesky_solve
from runnel.ops.linalg.solvers import det as det
from runnel.ops.linalg.solvers import inv as inv
from runnel.ops.linalg.solvers import logdet as logdet
from runnel.ops.linalg.solvers import lstsq as lstsq
from runnel.ops.linalg.solvers import slogdet as slogdet
from runnel.ops.linalg.solvers import solve as solve
from runnel.ops.linalg.solvers import triangular_solve as triangular_solve
from runnel.ops.linalg.spectra import eig as eig
from runnel.ops.linalg.spectra import eigh as eigh
from runnel.ops.linalg.spectra import eigvals as eigvals
from runnel.ops.linalg.spectra import eigvalsh as eigvalsh
from runnel.ops.linalg.spectra import svd as svd
from runnel.ops.linalg.tensordot import tensordot as tensordot
from runnel.ops.math.clipping import global_norm as global_norm
from runnel.ops.nn.normalization import l2_normalize as l2_normalize
