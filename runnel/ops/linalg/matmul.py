"""Products of matrices: `tf.matmul`, `tf.linalg.matvec` and `tf.tensordot`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.backend import memory
from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.op.context import state
from runnel.core.op.op import execute, read
from runnel.core.op.registry import wants_gradient
from runnel.core.tensor.convert import unread
from runnel.core.tensor.operators import Operators
from runnel.core.tensor.tensor import EagerTensor
from runnel.core.values import dtypes
from runnel.core.values.dtypes import COMPLEX, FLOATS, SIGNED_INTS, UNSIGNED_INTS, DType, as_dtype
from runnel.core.values.errors import bad_shape
from runnel.core.values.shape import broadcast_shapes
from runnel.core.values.types import Array, Dims, DTypeLike, Gradients, Namespace, Spec, TensorLike
from runnel.kernels.linalg.product import product
from runnel.ops.shapes import shape_of

_PRODUCTS = (FLOATS | COMPLEX | UNSIGNED_INTS | SIGNED_INTS) - {dtypes.int8}


def _sides(x: Spec, transpose: bool) -> tuple[int | None, int | None]:
    if x.dims is None:
        return None, None
    rows, columns = x.dims[-2:]
    return (columns, rows) if transpose else (rows, columns)


def _check_inner(op_name: str, inner: int | None, height: int | None, a: Spec, b: Spec) -> None:
    if inner is not None and height is not None and inner != height:
        want = f"have an inner dimension of {inner} to follow a matrix of shape {a.shape}"
        raise bad_shape(op_name, want=want, b=b, hint="Check the arguments that transpose.")


def _matmul_shape(a: Spec, b: Spec, *, transpose_a: bool, transpose_b: bool, **attrs: bool) -> Dims:
    if a.rank not in (None, 2):
        raise bad_shape("MatMul", want="have rank 2", a=a)
    if b.rank not in (None, 2):
        raise bad_shape("MatMul", want="have rank 2", b=b)
    rows, inner = _sides(a, transpose_a)
    height, columns = _sides(b, transpose_b)
    _check_inner("MatMul", inner, height, a, b)
    return rows, columns


_BLAS = frozenset("fdFD")  # the types that NumPy gives to BLAS, which XLA does not surpass


_MULTIPLICATIONS_FOR_XLA = 1 << 18


def _is_slow(values: Sequence[Array]) -> bool:
    """Whether NumPy would take long: it multiplies the types that BLAS does not have by itself.

    Two matrices of 128 rows and columns of int32 take it 3.2 ms, and XLA 0.3; of int64 3.0 and 3.6.
    """
    a, b = values
    if a.dtype.kind in "iu" and a.dtype.itemsize <= 4:
        return a.size * min(b.shape[-2:], default=1) > _MULTIPLICATIONS_FOR_XLA
    return a.dtype.char not in _BLAS and memory.is_large(values)


@op(
    "MatMul",
    "a: T, b: T -> product: T",
    T=_PRODUCTS - {dtypes.int16},
    shape=_matmul_shape,
    heavy=_is_slow,
    scope="MatMul",
)
def _matmul(
    xp: Namespace,
    a: Array,
    b: Array,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    grad_a: bool = False,
    grad_b: bool = False,
) -> Array:
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError("both inputs must have rank 2")
    return product(xp, a, b, transpose_a, transpose_b)


@RegisterGradient("MatMul", needs="a b")
def _matmul_grad(op: Any, dy: Tensor) -> Gradients:
    a, b = op.inputs
    ta, tb = op.attrs["transpose_a"], op.attrs["transpose_b"]
    da = _left_gradient(conj(b), dy, ta, tb) if wants_gradient(op, 0) else None
    return da, _right_gradient(conj(a), dy, ta, tb) if wants_gradient(op, 1) else None


def _left_gradient(b: Tensor, dy: Tensor, ta: bool, tb: bool) -> Tensor:
    if ta:
        return raw_ops.MatMul(b, dy, transpose_a=tb, transpose_b=True)
    return raw_ops.MatMul(dy, b, transpose_b=not tb)


def _right_gradient(a: Tensor, dy: Tensor, ta: bool, tb: bool) -> Tensor:
    if tb:
        return raw_ops.MatMul(dy, a, transpose_a=True, transpose_b=ta)
    return raw_ops.MatMul(a, dy, transpose_a=not ta)


def conj(x: Tensor) -> Tensor:
    """The complex conjugate; a real tensor is its own."""
    return raw_ops.Conj(x) if x.dtype.is_complex else x


def _batch_matmul_shape(
    x: Spec, y: Spec, *, op_name: str, adj_x: bool, adj_y: bool, **attrs: Any
) -> Dims:
    for name, spec in (("x", x), ("y", y)):
        if spec.rank is not None and spec.rank < 2:
            raise bad_shape(op_name, want="have rank 2 at least", hint="", **{name: spec})
    rows, inner = _sides(x, adj_x)
    height, columns = _sides(y, adj_y)
    _check_inner(op_name, inner, height, x, y)
    if x.dims is None or y.dims is None:
        return None
    try:
        batch = broadcast_shapes(x.dims[:-2], y.dims[:-2])
    except ValueError:
        want = f"have batch dimensions that broadcast with those of shape {x.shape}"
        raise bad_shape(op_name, want=want, y=y) from None
    return None if batch is None else (*batch, rows, columns)


_batch_matmul_shape.broadcasts = True  # type: ignore[attr-defined]


def _batch_product(xp: Namespace, x: Array, y: Array, adj_x: bool, adj_y: bool) -> Array:
    if x.ndim < 2 or y.ndim < 2:
        raise ValueError("both inputs must have rank 2 at least")
    return product(xp, _conjugate(xp, x, adj_x), _conjugate(xp, y, adj_y), adj_x, adj_y)


def _conjugate(xp: Namespace, x: Array, wanted: bool) -> Array:
    return xp.conj(x) if wanted and x.dtype.kind == "c" else x


_BATCHES: Any = {"default_name": "MatMul", "scope": "MatMul", "shape": _batch_matmul_shape}


@op("BatchMatMulV2", "x: T, y: T -> output: T", T=_PRODUCTS, heavy=_is_slow, **_BATCHES)
def _batch_matmul(
    xp: Namespace,
    x: Array,
    y: Array,
    *,
    adj_x: bool = False,
    adj_y: bool = False,
    grad_x: bool = False,
    grad_y: bool = False,
) -> Array:
    return _batch_product(xp, x, y, adj_x, adj_y)


@RegisterGradient("BatchMatMulV2", needs="x y")
def _batch_matmul_grad(op: Any, dz: Tensor) -> Gradients:
    x, y = op.inputs
    adj_x, adj_y = op.attrs["adj_x"], op.attrs["adj_y"]
    return _batch_gradients(raw_ops.BatchMatMulV2, x, y, dz, adj_x, adj_y)


def _batch_gradients(
    multiply: Any, x: Tensor, y: Tensor, dz: Tensor, adj_x: bool, adj_y: bool
) -> tuple[Tensor, Tensor]:
    if adj_x:
        dx = multiply(y, dz, adj_x=adj_y, adj_y=True)
    else:
        dx = multiply(dz, y, adj_y=not adj_y)
    if y.ndim == 2 and not adj_x:  # one matrix for a whole batch: one product, not a sum of many
        x, dz = _stacked(x), _stacked(dz)
    if adj_y:
        dy = multiply(dz, x, adj_x=True, adj_y=adj_x)
    else:
        dy = multiply(x, dz, adj_x=not adj_x)
    return dx, dy


def _stacked(x: Tensor) -> Tensor:
    """The matrices of a batch on top of each other."""
    if x.ndim == 2:
        return x
    shape = shape_of(x)
    if isinstance(shape, np.ndarray):
        return raw_ops.Reshape(x, np.array([np.prod(shape[:-1]), shape[-1]], np.int32))
    return raw_ops.Reshape(x, raw_ops.Pack([raw_ops.Prod(shape[:-1], np.int32(0)), shape[-1]]))


@op(
    "BatchMatMul",
    "x: T, y: T -> output: T",
    T=FLOATS | COMPLEX | {dtypes.int32, dtypes.int64},
    shape=_batch_matmul_shape,
)
def _old_batch_matmul(
    xp: Namespace,
    x: Array,
    y: Array,
    *,
    adj_x: bool = False,
    adj_y: bool = False,
    grad_x: bool = False,
    grad_y: bool = False,
) -> Array:
    if x.shape[:-2] != y.shape[:-2]:
        raise ValueError("both inputs must have the same batch dimensions")
    return _batch_product(xp, x, y, adj_x, adj_y)


RegisterGradient("BatchMatMul", needs="x y")(_batch_matmul_grad)


@op(
    "BatchMatMulV3",
    "x: Ta, y: Tb -> output: Tout",
    Ta=FLOATS | COMPLEX | SIGNED_INTS | {dtypes.uint8},
    Tb=FLOATS | COMPLEX | SIGNED_INTS | {dtypes.uint8},
    Tout=FLOATS | COMPLEX | SIGNED_INTS - {dtypes.int8},
    **_BATCHES,
)
def _mixed_batch_matmul(
    xp: Namespace,
    x: Array,
    y: Array,
    *,
    Tout: DType,
    adj_x: bool = False,
    adj_y: bool = False,
    grad_x: bool = False,
    grad_y: bool = False,
) -> Array:
    wide = xp.result_type(x.dtype, y.dtype, Tout.np_dtype)
    return _batch_product(xp, x.astype(wide), y.astype(wide), adj_x, adj_y).astype(Tout.np_dtype)


@RegisterGradient("BatchMatMulV3", needs="x y")
def _mixed_batch_matmul_grad(op: Any, dz: Tensor) -> Gradients:
    x, y = (raw_ops.Cast(t, DstT=dz.dtype) for t in op.inputs)
    adj_x, adj_y = op.attrs["adj_x"], op.attrs["adj_y"]
    found = _batch_gradients(raw_ops.BatchMatMulV2, x, y, dz, adj_x, adj_y)
    return [raw_ops.Cast(g, DstT=t.dtype) for g, t in zip(found, op.inputs)]


@op(
    "SparseMatMul",
    "a: Ta=float32, b: Tb=float32 -> product: float32",
    Ta=frozenset({dtypes.float32, dtypes.bfloat16}),
    Tb=frozenset({dtypes.float32, dtypes.bfloat16}),
    shape=_matmul_shape,
)
def _sparse_matmul(
    xp: Namespace,
    a: Array,
    b: Array,
    *,
    transpose_a: bool = False,
    transpose_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
) -> Array:
    if a.ndim != 2 or b.ndim != 2:
        raise ValueError("both inputs must have rank 2")
    a, b = a.astype(np.float32), b.astype(np.float32)
    return xp.matmul(a.T if transpose_a else a, b.T if transpose_b else b)


@RegisterGradient("SparseMatMul", needs="a b")
def _sparse_matmul_grad(op: Any, dy: Tensor) -> Gradients:
    a, b = (raw_ops.Cast(t, DstT=dtypes.float32) for t in op.inputs)
    ta, tb = op.attrs["transpose_a"], op.attrs["transpose_b"]
    found = _left_gradient(b, dy, ta, tb), _right_gradient(a, dy, ta, tb)
    return [raw_ops.Cast(g, DstT=t.dtype) for g, t in zip(found, op.inputs)]


def _is_variable(x: Any) -> bool:
    return isinstance(x, Operators) and not isinstance(x, Tensor)


def matmul(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    output_type: DTypeLike = None,
    grad_a: bool = False,
    grad_b: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of the matrices in the last two axes; the axes before them broadcast.

    `a_is_sparse` and `b_is_sparse` say that many elements are zero, `grad_a` and `grad_b` that an
    argument belongs to a backward pass; the product is the same.

    Args:
        a, b: tensors of rank 2 or more, of one dtype.
        transpose_a, transpose_b: whether the matrices are transposed before.
        adjoint_a, adjoint_b: whether they are transposed and conjugated before.
        a_is_sparse, b_is_sparse: hints that many elements are zero; the result is the same.
        output_type: the dtype of the result; int32 for products of int8.
        grad_a, grad_b: hints that an argument is a gradient; the result is the same.

    Raises:
        InvalidArgumentError: the inner sizes differ.

    >>> tf.matmul([[1.0, 2.0]], [[3.0], [4.0]]).numpy()
    array([[11.]], dtype=float32)
    """
    turned = transpose_a or transpose_b or adjoint_a or adjoint_b
    if type(a) is EagerTensor and state.graph is None and _is_variable(b):
        b = read(b)
    if type(a) is EagerTensor and type(b) is EagerTensor and not turned and output_type is None:
        both = a._value.ndim == 2 == b._value.ndim
        if both and not (a_is_sparse or b_is_sparse):
            return execute(_matmul, (a, b), _matmul.defaults, name)
    if transpose_a and adjoint_a:
        raise ValueError("matmul takes one of transpose_a and adjoint_a, got True for both.")
    if transpose_b and adjoint_b:
        raise ValueError("matmul takes one of transpose_b and adjoint_b, got True for both.")
    if isinstance(a, Tensor) and isinstance(b, Tensor):
        pass
    elif state.graph is None:
        a = convert_to_tensor(a)
        b = convert_to_tensor(b, dtype_hint=a.dtype)
    else:
        with state.graph.name_scope(name or "MatMul") as name:
            a = convert_to_tensor(a, name="a")
            b = convert_to_tensor(b, dtype_hint=a.dtype, name="b")
    if a_is_sparse or b_is_sparse:
        sparse = {"a_is_sparse": a_is_sparse, "b_is_sparse": b_is_sparse}
        found = _hinted_matmul(a, b, transpose_a or adjoint_a, transpose_b or adjoint_b, sparse)
        if found is not None:
            return found
    if a.ndim == 2 == b.ndim and output_type is None:
        if not turned:
            return execute(_matmul, (a, b), _matmul.defaults, name)
        return raw_ops.MatMul(
            conj(a) if adjoint_a else a,
            conj(b) if adjoint_b else b,
            transpose_a=bool(transpose_a or adjoint_a),
            transpose_b=bool(transpose_b or adjoint_b),
            name=name,
        )
    if (a.ndim is not None and a.ndim < 2) or (b.ndim is not None and b.ndim < 2):
        return raw_ops.MatMul(a, b, name=name)
    flags: Any = {"adj_x": bool(transpose_a or adjoint_a), "adj_y": bool(transpose_b or adjoint_b)}
    x, y = conj(a) if transpose_a else a, conj(b) if transpose_b else b
    if output_type is None or (as_dtype(output_type) is a.dtype and b.dtype is a.dtype):
        return raw_ops.BatchMatMulV2(x, y, name=name, **flags)
    return raw_ops.BatchMatMulV3(x, y, Tout=output_type, name=name, **flags)


def _hinted_matmul(
    a: Tensor, b: Tensor, transpose_a: bool, transpose_b: bool, sparse: dict[str, bool]
) -> Tensor | None:
    """The product by the op for matrices with many zeros, which knows two dtypes; else None."""
    if not {a.dtype, b.dtype} <= {dtypes.float32, dtypes.bfloat16}:
        return None
    flags: Any = {"transpose_a": transpose_a, "transpose_b": transpose_b, **sparse}
    found = raw_ops.SparseMatMul(a, b, **flags)
    both_half = a.dtype is b.dtype is dtypes.bfloat16
    return raw_ops.Cast(found, DstT=dtypes.bfloat16) if both_half else found


@scoped("MatVec")
def matvec(
    a: TensorLike,
    b: TensorLike,
    transpose_a: bool = False,
    adjoint_a: bool = False,
    a_is_sparse: bool = False,
    b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of the matrices `a` and the vectors in the last axis of `b`.

    >>> tf.linalg.matvec([[1.0, 2.0], [3.0, 4.0]], [1.0, 1.0]).numpy()
    array([3., 7.], dtype=float32)
    """
    a = unread(a)
    column = raw_ops.ExpandDims(unread(b, dtype_hint=a.dtype), np.int32(-1))
    found = matmul(
        a,
        column,
        transpose_a=transpose_a,
        adjoint_a=adjoint_a,
        a_is_sparse=a_is_sparse,
        b_is_sparse=b_is_sparse,
    )
    return raw_ops.Squeeze(found, axis=[-1], name=name)
