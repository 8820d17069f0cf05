"""`tf.linalg.LinearOperator`: the public methods of all operators, and hooks with dense answers."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Any, ClassVar, TypeVar, cast

import numpy as np

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops
from runnel.core.op.context import state
from runnel.core.state.module import Module
from runnel.core.values.dimension import Dimension
from runnel.core.values.dtypes import DType, as_dtype
from runnel.core.values.shape import TensorShape
from runnel.core.values.types import DTypeLike, TensorLike
from runnel.ops.array.diagonals import diag_part
from runnel.ops.linalg.decompositions import cholesky
from runnel.ops.linalg.matrices import eye
from runnel.ops.linalg.operators import arithmetic as ar
from runnel.ops.linalg.operators.spec import make_spec
from runnel.ops.linalg.solvers import cholesky_solve, det, slogdet
from runnel.ops.linalg.spectra import eigvalsh, svd
from runnel.ops.reduce.reductions import reduce_all

Method = TypeVar("Method", bound=Callable[..., Any])
_PACKAGE = __name__.rpartition(".")[0]  # classes of users are not composite, as in TensorFlow

kinds: dict[str, Any] = {}
"""The classes of operators by name: what one operator turns into may be of any of them."""


def arguments(scope: dict[str, Any]) -> dict[str, Any]:
    """The arguments of an `__init__` whose `locals()` are `scope`."""
    return {key: value for key, value in scope.items() if key not in ("self", "__class__")}


def in_scope(method: Method) -> Method:
    """Let the operations that a method adds to a graph be named by the operator and `name`."""
    signature = inspect.signature(method)
    place = list(signature.parameters).index("name") - 1
    default = signature.parameters["name"].default

    @functools.wraps(method)
    def call(self: LinearOperator, *args: Any, **kwargs: Any) -> Any:
        if state.graph is None:
            return method(self, *args, **kwargs)
        name = args[place] if len(args) > place else kwargs.get("name", default)
        with state.graph.name_scope(self.name if name is None else f"{self.name}/{name}"):
            return method(self, *args, **kwargs)

    return cast(Method, call)


class LinearOperator(Module):
    """A batch of matrices of which only what is asked for is computed.

    A subclass gives `_shape`, `_shape_tensor` and `_matmul`; everything else has an answer that
    makes the dense matrix, to be overridden where there is a better one. The hints
    `is_non_singular`, `is_self_adjoint`, `is_positive_definite` and `is_square` are promises of the
    caller: they choose algorithms and are not checked.

    >>> operator = tf.linalg.LinearOperatorDiag([2.0, 4.0])
    >>> operator.matvec([1.0, 1.0]).numpy(), operator.solvevec([1.0, 1.0]).numpy()
    (array([2., 4.], dtype=float32), array([0.5 , 0.25], dtype=float32))
    >>> operator.determinant().numpy()
    np.float32(8.0)
    """

    # The tensors that make the operator, and how many of their last dimensions are one matrix's;
    # None for operators. They are what slicing the batch slices.
    _batched: ClassVar[dict[str, int | None]] = {}
    _TF_MODULE_IGNORED_PROPERTIES = frozenset({"_parameters", "_graph_parents"})

    def __init__(
        self,
        dtype: DTypeLike,
        graph_parents: Any = None,
        is_non_singular: bool | None = None,
        is_self_adjoint: bool | None = None,
        is_positive_definite: bool | None = None,
        is_square: bool | None = None,
        name: str | None = None,
        parameters: dict[str, Any] | None = None,
    ) -> None:
        if is_positive_definite and is_non_singular is False:
            raise ValueError("A positive definite operator cannot be singular.")
        is_non_singular = True if is_positive_definite else is_non_singular
        for hint, word in ((is_non_singular, "non-singular"), (is_self_adjoint, "self-adjoint")):
            if hint and is_square is False:
                raise ValueError(f"A {word} operator must be square.")
            is_square = True if hint else is_square
        self._square_hint = is_square
        self._graph_parents = list(graph_parents or [])
        self._element_dtype: DType = as_dtype(dtype)
        self._is_non_singular = is_non_singular
        self._is_self_adjoint = is_self_adjoint
        self._is_positive_definite = is_positive_definite
        self._parameters = parameters or {}
        super().__init__(type(self).__name__)
        self._name = name or type(self).__name__  # unlike a module's, it may be any text

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        kinds.setdefault(cls.__name__, cls)
        if cls.__module__.startswith(_PACKAGE) and not cls.__name__.startswith("_"):
            spec = make_spec(cls)
            cls._type_spec = property(spec.of)  # type: ignore[attr-defined]

    @property
    def parameters(self) -> dict[str, Any]:
        """The arguments that made the operator."""
        return dict(self._parameters)

    @property
    def dtype(self) -> DType:
        return self._element_dtype

    @property
    def name(self) -> str:
        return self._name

    @property
    def graph_parents(self) -> list[Any]:
        return self._graph_parents

    @property
    def is_non_singular(self) -> bool | None:
        return self._is_non_singular

    @property
    def is_self_adjoint(self) -> bool | None:
        return self._is_self_adjoint

    @property
    def is_positive_definite(self) -> bool | None:
        return self._is_positive_definite

    @property
    def is_square(self) -> bool | None:
        """Whether there are as many rows as columns: by its shape, or else by its hint."""
        by_shape = self.domain_dimension == self.range_dimension
        if self._square_hint is False and by_shape:
            raise ValueError("The operator was said not to be square, but it is.")
        return by_shape if self._square_hint is None else self._square_hint

    def _shape(self) -> TensorShape:
        raise NotImplementedError(f"{type(self).__name__} must define `_shape`.")

    def _shape_tensor(self) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define `_shape_tensor`.")

    @property
    def shape(self) -> TensorShape:
        return self._shape()

    def _known_shape(self) -> Any:
        """The shape as an array where it is known, else as a tensor."""
        shape = self.shape
        if shape.is_fully_defined():
            return np.array(shape.as_list(), np.int32)
        return self._shape_tensor()

    @in_scope
    def shape_tensor(self, name: str = "shape_tensor") -> Tensor:
        return convert_to_tensor(self._known_shape())

    @property
    def batch_shape(self) -> TensorShape:
        return self.shape[:-2]

    @in_scope
    def batch_shape_tensor(self, name: str = "batch_shape_tensor") -> Tensor:
        return convert_to_tensor(self._known_shape()[:-2])

    @property
    def tensor_rank(self) -> int | None:
        return self.shape.rank

    @in_scope
    def tensor_rank_tensor(self, name: str = "tensor_rank_tensor") -> Tensor:
        rank = self.tensor_rank
        return convert_to_tensor(rank) if rank is not None else raw_ops.Size(self.shape_tensor())

    @property
    def domain_dimension(self) -> Dimension:
        """The number of columns."""
        dims = self.shape.dims
        return dims[-1] if dims else Dimension(None)

    @in_scope
    def domain_dimension_tensor(self, name: str = "domain_dimension_tensor") -> Tensor:
        return convert_to_tensor(self._columns())

    @property
    def range_dimension(self) -> Dimension:
        """The number of rows."""
        dims = self.shape.dims
        return dims[-2] if dims else Dimension(None)

    @in_scope
    def range_dimension_tensor(self, name: str = "range_dimension_tensor") -> Tensor:
        return convert_to_tensor(self._rows())

    def _rows(self) -> Any:
        known = self.range_dimension.value
        return known if known is not None else self._shape_tensor()[-2]

    def _columns(self) -> Any:
        known = self.domain_dimension.value
        return known if known is not None else self._shape_tensor()[-1]

    def _has_cholesky(self) -> bool:
        return bool(self.is_self_adjoint and self.is_positive_definite)

    def _argument(self, name: str, x: TensorLike, dimension: Dimension, axis: int) -> Tensor:
        """An argument as a tensor, after a check of its dtype and of its size along `axis`."""
        x = convert_to_tensor(x, dtype=None if isinstance(x, Tensor) else self.dtype)
        if x.dtype is not self.dtype:
            raise TypeError(
                f"{self.name}: `{name}` must be of dtype {self.dtype.name}, got {x.dtype.name}."
            )
        if x.ndim is not None and x.ndim < -axis:
            raise ValueError(f"{self.name}: `{name}` must have rank {-axis}, got shape {x.shape}.")
        if x.ndim is not None and not dimension.is_compatible_with(x.shape[axis]):
            raise ValueError(
                f"{self.name}: `{name}` must have size {dimension} along axis {axis}, got shape "
                f"{x.shape}."
            )
        return x

    @in_scope
    def matmul(
        self, x: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "matmul"
    ) -> Any:
        """The product with matrices `x`, or with another operator, which gives an operator."""
        if isinstance(x, LinearOperator):
            left, right = self._pair(x, adjoint, adjoint_arg)
            return left._times(right)
        dimension = self.range_dimension if adjoint else self.domain_dimension
        x = self._argument("x", x, dimension, -1 if adjoint_arg else -2)
        return self._matmul(x, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def __matmul__(self, other: Any) -> Any:
        return self.matmul(other)

    def _pair(self, other: LinearOperator, adjoint: bool, adjoint_arg: bool) -> Any:
        left = self.adjoint() if adjoint else self
        right = other.adjoint() if adjoint_arg else other
        if not left.domain_dimension.is_compatible_with(right.range_dimension):
            raise ValueError(
                f"{self.name}: the other operator must have {left.domain_dimension} rows, got "
                f"shape {right.shape}."
            )
        return left, right

    def _matmul(self, x: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        raise NotImplementedError(f"{type(self).__name__} must define `_matmul`.")

    def _times(self, right: LinearOperator) -> LinearOperator:
        """The operator that is the product with `right`."""
        special = right._after(self)
        return kinds["LinearOperatorComposition"]([self, right]) if special is None else special

    def _after(self, left: LinearOperator) -> LinearOperator | None:
        """The product of `left` with this operator where it is simpler than a composition."""
        return None

    @in_scope
    def matvec(self, x: TensorLike, adjoint: bool = False, name: str = "matvec") -> Tensor:
        """The product with vectors, in the last axis of `x`."""
        dimension = self.range_dimension if adjoint else self.domain_dimension
        return self._matvec(self._argument("x", x, dimension, -1), adjoint=adjoint)

    def _matvec(self, x: Tensor, adjoint: bool = False) -> Tensor:
        return ar.squeeze(self._matmul(ar.expand(x), adjoint=adjoint))

    @in_scope
    def solve(
        self, rhs: Any, adjoint: bool = False, adjoint_arg: bool = False, name: str = "solve"
    ) -> Any:
        """`x` whose product with the operator is `rhs`, matrices or another operator."""
        self._check_solvable("solve", NotImplementedError)
        if isinstance(rhs, LinearOperator):
            left, right = self._pair(rhs, adjoint, adjoint_arg)
            return left.inverse()._times(right)
        dimension = self.domain_dimension if adjoint else self.range_dimension
        rhs = self._argument("rhs", rhs, dimension, -1 if adjoint_arg else -2)
        return self._solve(rhs, adjoint=adjoint, adjoint_arg=adjoint_arg)

    def _check_solvable(self, word: str, error: type[Exception]) -> None:
        if self.is_non_singular is False:
            raise error(f"{self.name}: {word} wants an operator that is not said to be singular.")
        if self.is_square is False:
            raise error(f"{self.name}: {word} wants a square operator, got shape {self.shape}.")

    def _solve(self, rhs: Tensor, adjoint: bool = False, adjoint_arg: bool = False) -> Tensor:
        rhs = ar.adjoint(rhs) if adjoint_arg else rhs
        if self._has_cholesky():
            return cholesky_solve(cholesky(self.to_dense()), rhs)
        return ar.solve_dense(self.to_dense(), rhs, adjoint=adjoint)

    @in_scope
    def solvevec(self, rhs: TensorLike, adjoint: bool = False, name: str = "solve") -> Tensor:
        """`x` whose product with the operator is the vectors `rhs`."""
        self._check_solvable("solvevec", NotImplementedError)
        dimension = self.domain_dimension if adjoint else self.range_dimension
        return self._solvevec(self._argument("rhs", rhs, dimension, -1), adjoint=adjoint)

    def _solvevec(self, rhs: Tensor, adjoint: bool = False) -> Tensor:
        return ar.squeeze(self._solve(ar.expand(rhs), adjoint=adjoint))

    def _check_square(self, word: str) -> None:
        if self.is_square is False:
            raise NotImplementedError(
                f"{self.name}: {word} wants a square operator, got shape {self.shape}."
            )

    @in_scope
    def determinant(self, name: str = "det") -> Tensor:
        self._check_square("determinant")
        return self._determinant()

    def _determinant(self) -> Tensor:
        if self._has_cholesky():
            return raw_ops.Exp(self.log_abs_determinant())
        return det(self.to_dense())

    @in_scope
    def log_abs_determinant(self, name: str = "log_abs_det") -> Tensor:
        """The logarithm of the absolute value of the determinant."""
        self._check_square("log_abs_determinant")
        return self._log_abs_determinant()

    def _log_abs_determinant(self) -> Tensor:
        if self._has_cholesky():
            return 2 * ar.log_abs_sum(diag_part(cholesky(self.to_dense())))
        return slogdet(self.to_dense()).log_abs_determinant

    @in_scope
    def trace(self, name: str = "trace") -> Tensor:
        return self._trace()

    def _trace(self) -> Tensor:
        return ar.sum_last(self.diag_part())

    @in_scope
    def diag_part(self, name: str = "diag_part") -> Tensor:
        """The main diagonal of each matrix."""
        return self._diag_part()

    def _diag_part(self) -> Tensor:
        return diag_part(self.to_dense())

    @in_scope
    def to_dense(self, name: str = "to_dense") -> Tensor:
        """The matrices themselves."""
        return self._to_dense()

    def _to_dense(self) -> Tensor:
        batch = self._known_shape()[:-2]
        return self._matmul(eye(self._columns(), batch_shape=batch, dtype=self.dtype))

    @in_scope
    def add_to_tensor(self, x: TensorLike, name: str = "add_to_tensor") -> Tensor:
        """The sum of the matrices and `x`."""
        x = convert_to_tensor(x, dtype=None if isinstance(x, Tensor) else self.dtype)
        if x.dtype is not self.dtype:
            raise TypeError(
                f"{self.name}: `x` must be of dtype {self.dtype.name}, got {x.dtype.name}."
            )
        return self._add_to_tensor(x)

    def _add_to_tensor(self, x: Tensor) -> Tensor:
        return self.to_dense() + x

    @in_scope
    def eigvals(self, name: str = "eigvals") -> Tensor:
        """The eigenvalues, of operators that are their own adjoints."""
        if not self.is_self_adjoint:
            raise NotImplementedError(f"{self.name}: eigvals wants a self-adjoint operator.")
        return self._eigvals()

    def _eigvals(self) -> Tensor:
        return eigvalsh(self.to_dense())

    @in_scope
    def cond(self, name: str = "cond") -> Tensor:
        """The condition number: the largest singular value by the smallest."""
        self._check_square("cond")
        return self._cond()

    def _cond(self) -> Tensor:
        if self.is_self_adjoint:
            return ar.spread_of(self.eigvals())
        return ar.spread_of(svd(self.to_dense(), compute_uv=False))

    @in_scope
    def adjoint(self, name: str = "adjoint") -> LinearOperator:
        """The operator of the adjoint matrices."""
        return self if self.is_self_adjoint else self._adjoint()

    def _adjoint(self) -> LinearOperator:
        return kinds["LinearOperatorAdjoint"](self, **self._hints())

    H = property(adjoint, doc="The same as `adjoint()`.")

    @in_scope
    def inverse(self, name: str = "inverse") -> LinearOperator:
        """The operator of the inverse matrices."""
        self._check_solvable("inverse", ValueError)
        return self._inverse()

    def _inverse(self) -> LinearOperator:
        return kinds["LinearOperatorInversion"](self, **self._hints())

    @in_scope
    def cholesky(self, name: str = "cholesky") -> LinearOperator:
        """The operator of the Cholesky factors."""
        if not self._has_cholesky():
            raise ValueError(
                f"{self.name}: cholesky wants a positive definite, self-adjoint operator."
            )
        return self._cholesky()

    def _cholesky(self) -> LinearOperator:
        factor = cholesky(self.to_dense())
        return kinds["LinearOperatorLowerTriangular"](
            factor, is_non_singular=True, is_self_adjoint=False, is_square=True
        )

    def _hints(self) -> dict[str, Any]:
        return {
            "is_non_singular": self.is_non_singular,
            "is_self_adjoint": self.is_self_adjoint,
            "is_positive_definite": self.is_positive_definite,
            "is_square": self.is_square,
        }

    @in_scope
    def assert_non_singular(self, name: str = "assert_non_singular") -> Any:
        """Raise InvalidArgumentError if a matrix is singular, up to rounding."""
        return self._assert_non_singular()

    def _assert_non_singular(self) -> Any:
        if self._has_cholesky():
            return self.assert_positive_definite()
        values = svd(self.to_dense(), compute_uv=False)
        size = max(100, *(d or 0 for d in self.shape.as_list()[-2:]))
        limit = 1.0 / (size * np.finfo(values.dtype.as_numpy_dtype).eps)
        return ar.require(ar.spread_of(values) < limit, f"{self.name} must not be singular.")

    @in_scope
    def assert_positive_definite(self, name: str = "assert_positive_definite") -> Any:
        """Raise InvalidArgumentError if a matrix is not positive definite."""
        return self._assert_positive_definite()

    def _assert_positive_definite(self) -> Any:
        if not self.is_self_adjoint:
            raise NotImplementedError(
                f"{self.name}: assert_positive_definite wants a self-adjoint operator."
            )
        diagonal = ar.real(diag_part(cholesky(self.to_dense())))
        return ar.require(diagonal > 0, f"{self.name} must be positive definite.")

    @in_scope
    def assert_self_adjoint(self, name: str = "assert_self_adjoint") -> Any:
        """Raise InvalidArgumentError if a matrix is not its own adjoint."""
        return self._assert_self_adjoint()

    def _assert_self_adjoint(self) -> Any:
        dense = self.to_dense()
        same = reduce_all(raw_ops.Equal(dense, ar.adjoint(dense)))
        return ar.require(same, f"{self.name} must be its own adjoint.")

    def __getitem__(self, slices: Any) -> LinearOperator:
        """The operator of a part of the batch."""
        if not self._batched:
            raise NotImplementedError(f"{type(self).__name__} has no batch that can be sliced.")
        slices = slices if isinstance(slices, tuple) else (slices,)
        batch = self._known_shape()[:-2]
        arguments = {
            key: _sliced(self._parameters[key], event, slices, batch)
            for key, event in self._batched.items()
            if self._parameters.get(key) is not None
        }
        return type(self)(**{**self._parameters, **arguments})

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r} shape={self.shape} dtype={self.dtype.name}>"


def _sliced(value: Any, event: int | None, slices: tuple[Any, ...], batch: Any) -> Any:
    if event is None and isinstance(value, list | tuple):
        return [_sliced(v, event, slices, batch) for v in value]
    if event is None:
        return value[slices] if len(value.shape) > 2 else value
    full = ar.with_batch(convert_to_tensor(value), batch, event)
    return full[(*slices, *([slice(None)] * event))]
