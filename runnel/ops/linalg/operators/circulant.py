"""`tf.linalg.LinearOperatorCirculant` and its kin of two and three dimensions."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.ops.linalg.matrices import matrix_transpose
from runnel.ops.linalg.operators import arithmetic as ar
from runnel.ops.linalg.operators.full_matrix import matrix_parameter
from runnel.ops.linalg.operators.operator import LinearOperator, arguments, in_scope
from runnel.ops.reduce.reductions import reduce_max, reduce_prod, reduce_sum
from runnel.ops.shapes import shape_of


class BlockCirculant(LinearOperator):
    """Matrices that a Fourier transform of `block_depth` dimensions makes diagonal."""

    _depth: ClassVar[int]

    def __init__(
        self,
        spectrum: TensorLike,
        input_output_dtype: DTypeLike = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str | None = None,
    ) -> None:
        parameters = arguments(locals())
        self._spectrum = matrix_parameter("spectrum", spectrum, self._depth)
        if is_square is False:
            raise ValueError("A circulant operator is square.")
        if not self._spectrum.dtype.is_complex:
            if is_self_adjoint is False:
                raise ValueError("A circulant operator with a real spectrum is self-adjoint.")
            is_self_adjoint = True
        super().__init__(
            as_dtype(input_output_dtype),
            is_non_singular=is_non_singular,
            is_self_adjoint=is_self_adjoint,
            is_positive_definite=is_positive_definite,
            is_square=True,
            name=name,
            parameters=parameters,
        )

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls._batched = {"spectrum": cls._depth}

    @property
    def spectrum(self) -> Any:
        return self._spectrum

    @property
    def block_depth(self) -> int:
        return self._depth

    @property
    def block_shape(self) -> TensorShape:
        return self._spectrum.shape[-self._depth :]

    def block_shape_tensor(self) -> Tensor:
        return convert_to_tensor(self._block())

    def _block(self) -> Any:
        return shape_of(self._spectrum)[-self._depth :]

    def _shape(self) -> TensorShape:
        size = self.block_shape.num_elements()
        return self._spectrum.shape[: -self._depth].concatenate([size, size])

    def _shape_tensor(self) -> Any:
        shape = shape_of(self._spectrum)
        size = ar.expand(reduce_prod(convert_to_tensor(shape[-self._depth :])), 0)
        return ar.concat_shapes(shape[: -self._depth], size, size)

    def _wide(self) -> DType:
        """The complex dtype in which the transforms are."""
        both = (self.dtype, self._spectrum.dtype)
        is_wide = any(d in (dtypes.float64, dtypes.complex128) for d in both)
        return dtypes.complex128 if is_wide else dtypes.complex64

    def _transform(self, name: str, x: Tensor) -> Tensor:
        return getattr(raw_ops, name + ("", "2D", "3D")[self._depth - 1])(x)

    def _complex_spectrum(self, adjoint: bool = False) -> Tensor:
        spectrum = ar.cast(convert_to_tensor(self._spectrum), self._wide())
        return ar.conj(spectrum) if adjoint else spectrum

    def _narrowed(self, x: Tensor) -> Tensor:
        """A complex answer in the dtype of the operator."""
        return ar.cast(x if self.dtype.is_complex else ar.real(x), self.dtype)

    def _filtered(self, x: Tensor, spectrum: Tensor, adjoint_arg: bool) -> Tensor:
        """`x` with its Fourier transform multiplied by `spectrum`."""
        rows = matrix_transpose(ar.adjoint(x) if adjoint_arg else x)
        shape = shape_of(rows)
        rows = raw_ops.Reshape(rows, ar.concat_shapes(shape[:-1], self._block()))
        frequencies = self._transform("FFT", ar.cast(rows, self._wide()))
        found = self._transform("IFFT", ar.expand(spectrum, -self._depth - 1) * frequencies)
        whole = shape_of(found)[: -self._depth]
        flat = raw_ops.Reshape(found, ar.concat_shapes(whole, shape[-1:]))
        return self._narrowed(matrix_transpose(flat))

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._filtered(x, self._complex_spectrum(adjoint), adjoint_arg)

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        return self._filtered(rhs, 1.0 / self._complex_spectrum(adjoint), adjoint_arg)

    def _axes(self) -> list[int]:
        return list(range(-self._depth, 0))

    def _determinant(self) -> Tensor:
        return self._narrowed(reduce_prod(self._complex_spectrum(), axis=self._axes()))

    def _log_abs_determinant(self) -> Tensor:
        size = raw_ops.Log(ar.absolute(self._complex_spectrum()))
        return ar.cast(reduce_sum(size, axis=self._axes()), self.dtype)

    def _trace(self) -> Tensor:
        return self._narrowed(reduce_sum(self._complex_spectrum(), axis=self._axes()))

    def _diag_part(self) -> Tensor:
        mean = ar.expand(self._trace()) / ar.cast(self._columns(), self.dtype)
        return raw_ops.BroadcastTo(mean, self._known_shape()[:-1])

    def _flat_spectrum(self) -> Tensor:
        spectrum = convert_to_tensor(self._spectrum)
        return raw_ops.Reshape(spectrum, self._known_shape()[:-1])

    def _eigvals(self) -> Tensor:
        return self._flat_spectrum()

    def _cond(self) -> Tensor:
        return ar.spread_of(self._flat_spectrum())

    def _like(self, spectrum: Tensor, **hints: bool | None) -> LinearOperator:
        return type(self)(spectrum, input_output_dtype=self.dtype, **hints)  # type: ignore[arg-type]

    def _adjoint(self) -> LinearOperator:
        return self._like(ar.conj(convert_to_tensor(self._spectrum)), **self._hints())

    def _inverse(self) -> LinearOperator:
        return self._like(1.0 / convert_to_tensor(self._spectrum), **self._hints())

    def _times(self, right: LinearOperator) -> LinearOperator:
        if type(right) is not type(self) or right.dtype is not self.dtype:
            return super()._times(right)
        spectrum = self._complex_spectrum() * right._complex_spectrum()  # type: ignore[attr-defined]
        return self._like(spectrum, is_non_singular=ar.non_singular_hint((self, right)))

    @in_scope
    def convolution_kernel(self, name: str = "convolution_kernel") -> Tensor:
        """The first column in the shape of a block: what the operator convolves with."""
        return self._narrowed(self._transform("IFFT", self._complex_spectrum()))

    @in_scope
    def assert_hermitian_spectrum(self, name: str = "assert_hermitian_spectrum") -> Any:
        """Raise InvalidArgumentError unless the operator makes real vectors of real vectors."""
        kernel = self._transform("IFFT", self._complex_spectrum())
        eps = np.finfo(self._wide().real_dtype.as_numpy_dtype).eps
        limit = 5 * eps * max(self.domain_dimension.value or 1, 1)
        small = reduce_max(raw_ops.Abs(ar.imaginary(kernel))) <= limit
        return ar.require(small, f"{self.name} must have a Hermitian spectrum.")

    def _assert_non_singular(self) -> Any:
        size = ar.absolute(self._complex_spectrum())
        return ar.require(size > 0, f"{self.name} must not be singular.")

    def _assert_positive_definite(self) -> Any:
        positive = ar.real(self._complex_spectrum()) > 0
        return ar.require(positive, f"{self.name} must be positive definite.")

    def _assert_self_adjoint(self) -> Any:
        flat = raw_ops.Equal(ar.imaginary(self._complex_spectrum()), 0.0)
        return ar.require(flat, f"{self.name} must be its own adjoint.")


class LinearOperatorCirculant(BlockCirculant):
    """The operator of circulant matrices, whose columns are turns of the first one.

    They are given by the Fourier transform of their first column.

    >>> spectrum = tf.signal.fft(tf.constant([1.0, 2.0, 3.0], tf.complex64))
    >>> operator = tf.linalg.LinearOperatorCirculant(spectrum, input_output_dtype=tf.float32)
    >>> operator.to_dense().numpy().round(4)
    array([[1., 3., 2.],
           [2., 1., 3.],
           [3., 2., 1.]], dtype=float32)
    """

    _depth = 1

    def __init__(
        self,
        spectrum: TensorLike,
        input_output_dtype: DTypeLike = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant",
    ) -> None:
        super().__init__(**arguments(locals()))


class LinearOperatorCirculant2D(BlockCirculant):
    """The operator of block circulant matrices: convolutions in two dimensions.

    >>> tf.linalg.LinearOperatorCirculant2D(tf.ones([2, 3], tf.complex64)).shape
    TensorShape([6, 6])
    """

    _depth = 2

    def __init__(
        self,
        spectrum: TensorLike,
        input_output_dtype: DTypeLike = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant2D",
    ) -> None:
        super().__init__(**arguments(locals()))


class LinearOperatorCirculant3D(BlockCirculant):
    """The operator of nested block circulant matrices: convolutions in three dimensions.

    >>> tf.linalg.LinearOperatorCirculant3D(tf.ones([2, 3, 2], tf.complex64)).shape
    TensorShape([12, 12])
    """

    _depth = 3

    def __init__(
        self,
        spectrum: TensorLike,
        input_output_dtype: DTypeLike = dtypes.complex64,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = True,
        name: str = "LinearOperatorCirculant3D",
    ) -> None:
        super().__init__(**arguments(locals()))
