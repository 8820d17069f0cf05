"""`tf.linalg.matmul` of batches of matrices of different sizes."""

from __future__ import annotations

from typing import Any

from runnel.core.composite import dispatch
from runnel.core.composite.ragged_tensor import RaggedTensor
from runnel.core.composite.row_partition import require
from runnel.core.extend import Tensor, convert_to_tensor, raw_ops
from runnel.core.values import dtypes
from runnel.core.values.errors import invalid
from runnel.core.values.types import DTypeLike
from runnel.ops.linalg import matmul as dense
from runnel.ops.ragged.joining import with_ragged_rank


def _matmul(
    a: Any,
    b: Any,
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
) -> Any:
    if a_is_sparse or b_is_sparse:
        raise ValueError("tf.matmul: `a_is_sparse` and `b_is_sparse` are not for ragged tensors.")
    if (transpose_a and adjoint_a) or (transpose_b and adjoint_b):
        raise ValueError("tf.matmul: a matrix is transposed or adjoint, not both.")
    a = a if isinstance(a, RaggedTensor) else convert_to_tensor(a)
    b = b if isinstance(b, RaggedTensor) else convert_to_tensor(b)
    if a.shape.rank is None or b.shape.rank is None or a.shape.rank != b.shape.rank:
        raise ValueError(
            f"tf.matmul: `a` and `b` must have one known rank, got {a.shape} and {b.shape}."
        )
    if a.shape.rank == 2:
        return _of_two(a, b, transpose_a, transpose_b, adjoint_a, adjoint_b)
    if a.shape.rank > 3:
        a, b = with_ragged_rank(a, 1), with_ragged_rank(b, 1)
        options = (transpose_a, transpose_b, adjoint_a, adjoint_b)
        return a.with_values(_matmul(a.values, b.values, *options, output_type=output_type))
    flips = (transpose_a or adjoint_a, transpose_b or adjoint_b)
    result = dense.matmul(
        _filled(a),
        _filled(b),
        transpose_a,
        transpose_b,
        adjoint_a,
        adjoint_b,
        output_type=output_type,
    )
    return _cut(result, a, b, *flips)


def _of_two(a: Any, b: Any, *options: Any) -> Any:
    """Two matrices: a ragged one must turn out to be none."""
    for value in (a, b):
        if isinstance(value, RaggedTensor):
            lengths = value.row_lengths()
            first = lengths[:1]
            require(raw_ops.Equal(lengths, first), "tf.matmul: rows must be equally long", lengths)
    return dense.matmul(_filled(a), _filled(b), *options)


def _filled(value: Any) -> Tensor:
    return value.to_tensor() if isinstance(value, RaggedTensor) else value


def _sizes(value: Any, *, flipped: bool) -> tuple[Any, Any]:
    """How many rows and columns each matrix has: numbers for a tensor, vectors for ragged ones."""
    if isinstance(value, Tensor):
        rows, columns = value.shape[1], value.shape[2]
        if rows is None or columns is None:
            shape = raw_ops.Shape(value, out_type=dtypes.int64)
            rows, columns = shape[1], shape[2]
    else:
        rows = value.row_lengths()
        columns = _columns(value)
    return (columns, rows) if flipped else (rows, columns)


def _columns(value: RaggedTensor) -> Any:
    """The length of the rows of each matrix, which must be the same within it."""
    inner = value.values
    if isinstance(inner, Tensor):
        known = inner.shape[1]
        return raw_ops.Shape(inner, out_type=value.row_splits.dtype)[1] if known is None else known
    lengths = inner.row_lengths()
    row = value.value_rowids()
    longest = raw_ops.Maximum(
        raw_ops.UnsortedSegmentMax(lengths, row, value.nrows()), convert_to_tensor(0, lengths.dtype)
    )
    message = "tf.matmul: the rows of a matrix must be equally long"
    require(raw_ops.Equal(lengths, raw_ops.GatherV2(longest, row, 0)), message, lengths)
    return longest


def _cut(result: Tensor, a: Any, b: Any, flip_a: bool, flip_b: bool) -> Any:
    """The product of the filled matrices without what the filling has added."""
    rows, inner = _sizes(a, flipped=flip_a)
    other, columns = _sizes(b, flipped=flip_b)
    if isinstance(inner, int) and isinstance(other, int):
        if inner != other:
            raise invalid(f"tf.matmul: {inner} columns of `a` meet {other} rows of `b`.")
    else:
        mine, its = convert_to_tensor(inner), convert_to_tensor(other, dtype_hint=_dtype(inner))
        mine = raw_ops.Cast(mine, DstT=its.dtype)
        message = "tf.matmul: `b` must have as many rows as `a` has columns"
        require(raw_ops.Equal(mine, its), message, its)
    if isinstance(rows, int):
        rows = raw_ops.Fill(raw_ops.Shape(result)[:1], convert_to_tensor(rows, dtypes.int64))
    cut = RaggedTensor.from_tensor(result, lengths=rows)
    if isinstance(columns, int):
        return cut
    counts = convert_to_tensor(columns)
    if counts.shape.rank == 0:
        return cut
    each = raw_ops.GatherV2(counts, cut.value_rowids(), 0)
    return cut.with_values(RaggedTensor.from_tensor(cut.values, lengths=each))


def _dtype(value: Any) -> Any:
    return getattr(value, "dtype", dtypes.int64)


_EITHER: list[dict[Any, Any]] = [{"a": RaggedTensor}, {"b": RaggedTensor}]
dispatch.add_target(dense.matmul, _matmul, _EITHER)
