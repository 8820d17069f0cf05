"""Arithmetic of sparse tensors with each other and with dense ones."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from runnel.core.composite.sparse_tensor import SparseTensor, SparseTensorValue, rebuilt
from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, no_gradient, op, raw_ops
from runnel.core.op.context import state
from runnel.core.values import nest
from runnel.core.values.dtypes import FLOATS, INDICES, NUMERIC, REAL, bfloat16
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.kernels.arrays import scatter, truncated_quotient
from runnel.ops.control.asserting import Assert
from runnel.ops.math.complex import conj
from runnel.ops.sparse.joining import matched, padded
from runnel.ops.sparse.places import (
    as_sparse,
    check_parts,
    check_range,
    count_of,
    free_parts,
    keys,
    numbered,
    order,
    parts,
    rank_of,
    rule,
)


class _Union(NamedTuple):
    """The union of two lists of places, which count as one list, the second after the first.

    `source` says for each place of the union where in the lists it is; `shared` which places are in
    both, and `partner` where those are in the second.
    """

    source: Array
    shared: Array
    partner: Array

    def places(self, a: Array, b: Array) -> Array:
        return np.concatenate([a, b]).take(self.source, axis=0)

    def values(self, a: Array, b: Array) -> tuple[Array, Array]:
        """The value at each place of the union, and that of its partner, or zero."""
        both = np.concatenate([a, b])
        first = both.take(self.source)
        second = np.zeros_like(first)
        second[self.shared] = both.take(self.partner)
        return first, second


def _united(a: Array, b: Array) -> _Union:
    first, second = keys(a, b)
    if not (_rises(first) and _rises(second)):
        return _united_in_turn(first, second)
    both = np.concatenate([first, second])
    by_key = np.argsort(both, kind="stable")  # which merges what is sorted already
    ordered = both[by_key]
    again = np.append(False, ordered[1:] == ordered[:-1])[: len(both)]
    partners = np.flatnonzero(again)
    return _Union(by_key[~again], partners - np.arange(1, len(partners) + 1), by_key[partners])


def _rises(numbers: Array) -> bool:
    return bool((numbers[1:] > numbers[:-1]).all())


def _united_in_turn(first: Array, second: Array) -> _Union:
    """The same where places are not sorted or come twice: always the smaller of the next two."""
    source: list[int] = []
    shared: list[int] = []
    partner: list[int] = []
    i = j = 0
    while i < len(first) or j < len(second):
        takes_a = j == len(second) or (i < len(first) and first[i] <= second[j])
        takes_b = i == len(first) or (j < len(second) and second[j] <= first[i])
        if takes_a and takes_b:
            shared.append(len(source))
            partner.append(len(first) + j)
        source.append(i if takes_a else len(first) + j)
        i, j = i + takes_a, j + takes_b
    return _Union(*(np.array(part, np.int64) for part in (source, shared, partner)))


def _check_pair(op_name: str) -> Callable[..., None]:
    def check(
        a_indices: Array,
        a_values: Array,
        a_shape: Array,
        b_indices: Array,
        b_values: Array,
        b_shape: Array,
        *others: Array,
    ) -> None:
        check_parts(op_name, a_indices, a_values, a_shape, "a_")
        check_parts(op_name, b_indices, b_values, b_shape, "b_")
        if a_shape.shape != b_shape.shape or (a_shape != b_shape).any():
            raise bad_value(op_name, want=f"be {a_shape.tolist()} as `a_shape`", b_shape=b_shape)
        if others and np.ndim(others[0]):
            raise bad_shape(op_name, want="be a scalar", thresh=others[0])

    return check


def _sum_rule(
    a_indices: Spec,
    a_values: Spec,
    a_shape: Spec,
    b_indices: Spec,
    b_values: Spec,
    b_shape: Spec,
    thresh: Spec,
) -> list[Dims]:
    return free_parts(rank_of(a_indices, a_shape))


@op(
    "SparseAdd",
    "a_indices: int64, a_values: T, a_shape: int64[1], b_indices: int64, b_values: T, b_shape: "
    "int64, thresh: Treal -> sum_indices: int64, sum_values: T, sum_shape: int64",
    T=NUMERIC,
    Treal=REAL,
    host=True,
    shape=_sum_rule,
    check=_check_pair("SparseAdd"),
)
def _sparse_add(
    xp: Namespace,
    a_indices: Array,
    a_values: Array,
    a_shape: Array,
    b_indices: Array,
    b_values: Array,
    b_shape: Array,
    thresh: Array,
) -> list[Array]:
    union = _united(a_indices, b_indices)
    first, second = union.values(a_values, b_values)
    places, total = union.places(a_indices, b_indices), first + second
    small = union.shared[np.abs(total[union.shared]) < thresh]  # the threshold is for true sums
    if len(small):
        kept = np.ones(len(total), bool)
        kept[small] = False
        places, total = places[kept], total[kept]
    return [places, total, a_shape]


@RegisterGradient("SparseAdd", needs="a_indices b_indices outputs")
def _sparse_add_grad(op: Any, d_indices: Any, d_values: Tensor, d_shape: Any) -> Gradients:
    back = raw_ops.SparseAddGrad(d_values, op.inputs[0], op.inputs[3], op.outputs[0])
    return None, back[0], None, None, back[1], None, None


def _back_rule(
    backprop_val_grad: Spec, a_indices: Spec, b_indices: Spec, sum_indices: Spec
) -> list[Dims]:
    return [(count_of(a_indices),), (count_of(b_indices),)]


def _check_back(
    backprop_val_grad: Array, a_indices: Array, b_indices: Array, sum_indices: Array
) -> None:
    name = "SparseAddGrad"
    for argument, matrix in (("a_indices", a_indices), ("b_indices", b_indices)):
        if matrix.ndim != 2 or matrix.shape[1:] != sum_indices.shape[1:]:
            want = f"be a matrix like `sum_indices` of shape {sum_indices.shape}"
            raise bad_shape(name, want=want, **{argument: matrix})
    if backprop_val_grad.shape != sum_indices.shape[:1]:
        want = f"be a vector of {len(sum_indices)} elements"
        raise bad_shape(name, want=want, backprop_val_grad=backprop_val_grad)


@op(
    "SparseAddGrad",
    "backprop_val_grad: T, a_indices: int64[2], b_indices: int64[2], sum_indices: int64 -> "
    "a_val_grad: T, b_val_grad: T",
    T=NUMERIC,
    host=True,
    shape=_back_rule,
    check=_check_back,
)
def _sparse_add_back(
    xp: Namespace, backprop_val_grad: Array, a_indices: Array, b_indices: Array, sum_indices: Array
) -> list[Array]:
    back = []
    for indices in (a_indices, b_indices):
        found, place = matched(indices, sum_indices)
        none = np.zeros((), backprop_val_grad.dtype)
        back.append(np.where(found, padded(backprop_val_grad)[place], none))
    return back


no_gradient("SparseAddGrad")


def _check_dense_sum(a_indices: Array, a_values: Array, a_shape: Array, b: Array) -> None:
    name = "SparseTensorDenseAdd"
    check_parts(name, a_indices, a_values, a_shape, "a_")
    if tuple(a_shape) != b.shape:
        raise bad_shape(name, want=f"have the sparse tensor's shape {tuple(a_shape)}", b=b)
    check_range(name, a_indices, a_shape)


def _dense_sum_rule(a_indices: Spec, a_values: Spec, a_shape: Spec, b: Spec) -> Dims:
    return b.dims


@op(
    "SparseTensorDenseAdd",
    "a_indices: Tindices, a_values: T, a_shape: Tindices, b: T -> output: T",
    T=NUMERIC,
    Tindices=INDICES,
    shape=_dense_sum_rule,
    check=_check_dense_sum,
)
def _sparse_tensor_dense_add(
    xp: Namespace, a_indices: Array, a_values: Array, a_shape: Array, b: Array
) -> Array:
    number = numbered(xp, a_indices, b.shape)
    return scatter(xp, b.reshape(-1), number, a_values, "add").reshape(b.shape)


@RegisterGradient("SparseTensorDenseAdd", needs="a_indices")
def _sparse_tensor_dense_add_grad(op: Any, dy: Tensor) -> Gradients:
    return None, raw_ops.GatherNd(dy, op.inputs[0]), None, dy


def add(a: Any, b: Any, threshold: TensorLike = 0) -> Any:
    """The sum of two sparse tensors, or of a sparse and a dense one of the same shape.

    Of two sparse tensors, sums smaller than `threshold` are left out.

    >>> total = tf.sparse.add(tf.sparse.eye(2), tf.SparseTensor([[0, 1]], [5.0], [2, 2]))
    >>> tf.sparse.to_dense(total).numpy()
    array([[1., 5.],
           [0., 1.]], dtype=float32)
    """
    kinds = (SparseTensor, SparseTensorValue)
    if not isinstance(a, kinds) and not isinstance(b, kinds):
        raise TypeError("At least one input should be SparseTensor; do you mean to use tf.add()?")
    if isinstance(a, kinds) and isinstance(b, kinds):
        left, right = as_sparse(a), as_sparse(b)
        if state.graph is not None:
            left.shape.assert_is_compatible_with(right.shape)
        least = convert_to_tensor(threshold, dtype=left.dtype.real_dtype)
        found = SparseTensor(*raw_ops.SparseAdd(*parts(left), *parts(right), least))
        found._static_shape = found._static_shape.merge_with(left.shape)
        return found
    if isinstance(b, kinds):
        a, b = b, a
    return raw_ops.SparseTensorDenseAdd(*parts(as_sparse(a)), b)


def _check_extremes(op_name: str) -> Callable[..., None]:
    pair = _check_pair(op_name)

    def check(*arrays: Array) -> None:
        pair(*arrays)
        check_range(op_name, arrays[0], arrays[2])
        check_range(op_name, arrays[3], arrays[5])

    return check


def _extremes_rule(
    a_indices: Spec, a_values: Spec, a_shape: Spec, b_indices: Spec, b_values: Spec, b_shape: Spec
) -> list[Dims]:
    return free_parts(rank_of(a_indices, a_shape))[:2]


_EXTREMES = (
    "a_indices: int64[2], a_values: T[1], a_shape: int64[1], "
    "b_indices: int64[2], b_values: T[1], b_shape: int64[1] "
    "-> output_indices: int64, output_values: T"
)


def _declare_extreme(name: str, choose: np.ufunc) -> None:
    @op(name, _EXTREMES, T=REAL, host=True, shape=_extremes_rule, check=_check_extremes(name))
    def kernel(
        xp: Namespace,
        a_indices: Array,
        a_values: Array,
        a_shape: Array,
        b_indices: Array,
        b_values: Array,
        b_shape: Array,
    ) -> list[Array]:
        union = _united(a_indices, b_indices)
        found = choose(*union.values(a_values, b_values))
        return [union.places(a_indices, b_indices), found]


_declare_extreme("SparseSparseMaximum", np.maximum)
_declare_extreme("SparseSparseMinimum", np.minimum)


def maximum(sp_a: SparseTensor, sp_b: SparseTensor, name: str | None = None) -> SparseTensor:
    """The larger of two sparse tensors, element by element; what is not given is zero.

    >>> both = tf.sparse.maximum(tf.sparse.eye(2), tf.SparseTensor([[0, 1]], [-5.0], [2, 2]))
    >>> both.values.numpy()
    array([1., 0., 1.], dtype=float32)
    """
    return _extreme(raw_ops.SparseSparseMaximum, sp_a, sp_b, name)


def minimum(sp_a: SparseTensor, sp_b: SparseTensor, name: str | None = None) -> SparseTensor:
    """The smaller of two sparse tensors, element by element; what is not given is zero.

    >>> both = tf.sparse.minimum(tf.sparse.eye(2), tf.SparseTensor([[0, 1]], [-5.0], [2, 2]))
    >>> both.values.numpy()
    array([ 0., -5.,  0.], dtype=float32)
    """
    return _extreme(raw_ops.SparseSparseMinimum, sp_a, sp_b, name)


def _extreme(op: Any, a: SparseTensor, b: SparseTensor, name: str | None) -> SparseTensor:
    left = (a.indices, a.values, a.dense_shape)
    indices, values = op(*left, b.indices, b.values, b.dense_shape, name=name)
    return rebuilt(a, indices=indices, values=values)


def _cwise_rule(
    sp_indices: Spec, sp_values: Spec, sp_shape: Spec, dense: Spec, *, op_name: str
) -> Dims:
    return (rule(sp_indices, sp_values, sp_shape, op_name=op_name)[0],)


def _check_cwise(op_name: str) -> Callable[..., None]:
    def check(sp_indices: Array, sp_values: Array, sp_shape: Array, dense: Array) -> None:
        check_parts(op_name, sp_indices, sp_values, sp_shape, "sp_")
        shape = tuple(int(d) for d in sp_shape)
        fits = dense.ndim <= len(shape) and all(
            d in (1, s) for d, s in zip(dense.shape[::-1], shape[::-1], strict=False)
        )
        if not fits:
            raise bad_shape(op_name, want=f"broadcast to the sparse tensor's {shape}", dense=dense)
        check_range(op_name, sp_indices, shape)
        if op_name == "SparseDenseCwiseDiv" and not dense.all():
            raise bad_value(op_name, want="not have a zero", dense=dense)

    return check


def _beside(xp: Namespace, dense: Array, indices: Array) -> Array:
    """The elements of a dense array, broadcast to the sparse one's shape, at some places."""
    skipped = indices.shape[1] - dense.ndim
    zero = xp.zeros(indices.shape[0], np.int64)
    columns = [indices[:, skipped + i] if d != 1 else zero for i, d in enumerate(dense.shape)]
    return dense[tuple(columns)] if columns else xp.broadcast_to(dense, indices.shape[:1])


_CWISE = "sp_indices: int64, sp_values: T, sp_shape: int64, dense: T -> output: T"


_AT_PLACES: Any = {"T": NUMERIC, "shape": _cwise_rule}


@op("SparseDenseCwiseAdd", _CWISE, check=_check_cwise("SparseDenseCwiseAdd"), **_AT_PLACES)
def _sparse_dense_add(
    xp: Namespace, sp_indices: Array, sp_values: Array, sp_shape: Array, dense: Array
) -> Array:
    return sp_values + _beside(xp, dense, sp_indices)


@op("SparseDenseCwiseMul", _CWISE, check=_check_cwise("SparseDenseCwiseMul"), **_AT_PLACES)
def _sparse_dense_mul(
    xp: Namespace, sp_indices: Array, sp_values: Array, sp_shape: Array, dense: Array
) -> Array:
    return sp_values * _beside(xp, dense, sp_indices)


@op("SparseDenseCwiseDiv", _CWISE, check=_check_cwise("SparseDenseCwiseDiv"), **_AT_PLACES)
def _sparse_dense_div(
    xp: Namespace, sp_indices: Array, sp_values: Array, sp_shape: Array, dense: Array
) -> Array:
    beside = _beside(xp, dense, sp_indices)
    if sp_values.dtype.kind in "iu":
        return truncated_quotient(xp, sp_values, beside)
    return sp_values / beside


@RegisterGradient("SparseDenseCwiseAdd", needs="sp_indices dense")
def _sparse_dense_add_grad(op: Any, dy: Tensor) -> Gradients:
    return None, dy, None, _to_dense(op, dy)


@RegisterGradient("SparseDenseCwiseMul", needs="sp_indices sp_values dense")
def _sparse_dense_mul_grad(op: Any, dy: Tensor) -> Gradients:
    return None, dy * conj(_at_places(op)), None, _to_dense(op, dy * conj(op.inputs[1]))


@RegisterGradient("SparseDenseCwiseDiv", needs="sp_indices sp_values dense")
def _sparse_dense_div_grad(op: Any, dy: Tensor) -> Gradients:
    beside = conj(_at_places(op))
    slope = dy / beside
    return None, slope, None, _to_dense(op, -slope * conj(op.inputs[1]) / beside)


def _dense_places(op: Any) -> Tensor:
    """Where each place of the sparse tensor is in the dense one, which may be smaller."""
    indices, _, _, dense = op.inputs
    last = raw_ops.Shape(dense, out_type="int64") - 1
    skipped = raw_ops.Shape(indices)[1] - raw_ops.Rank(dense)
    return raw_ops.Minimum(indices[:, skipped:], last)  # type: ignore[no-any-return]


def _at_places(op: Any) -> Tensor:
    dense = op.inputs[3]
    if dense.shape.rank == 0:
        return raw_ops.BroadcastTo(dense, raw_ops.Shape(op.inputs[1]))  # type: ignore[no-any-return]
    return raw_ops.GatherNd(dense, _dense_places(op))  # type: ignore[no-any-return]


def _to_dense(op: Any, values: Tensor) -> Tensor:
    dense = op.inputs[3]
    if dense.shape.rank == 0:
        return raw_ops.Sum(values, np.array([0], np.int32))  # type: ignore[no-any-return]
    shape = raw_ops.Shape(dense, out_type="int64")
    return raw_ops.ScatterNd(_dense_places(op), values, shape)  # type: ignore[no-any-return]


def _check_softmax(sp_indices: Array, sp_values: Array, sp_shape: Array) -> None:
    check_parts("SparseSoftmax", sp_indices, sp_values, sp_shape, "sp_")
    if len(sp_shape) < 2:
        raise bad_value("SparseSoftmax", want="have two elements or more", sp_shape=sp_shape)


def _softmax_rule(sp_indices: Spec, sp_values: Spec, sp_shape: Spec) -> Dims:
    return (rule(sp_indices, sp_values, sp_shape, op_name="SparseSoftmax")[0],)


@op(
    "SparseSoftmax",
    "sp_indices: int64, sp_values: T, sp_shape: int64 -> output: T",
    T=FLOATS - {bfloat16},
    shape=_softmax_rule,
    check=_check_softmax,
)
def _sparse_softmax(xp: Namespace, sp_indices: Array, sp_values: Array, sp_shape: Array) -> Array:
    row = _row_numbers(xp, sp_indices[:, :-1])
    wide = sp_values.astype(np.float32) if sp_values.dtype.itemsize == 2 else sp_values
    none = xp.full(wide.shape, -np.inf, wide.dtype)
    raised = xp.exp(wide - scatter(xp, none, row, wide, "max")[row])
    total = scatter(xp, xp.zeros(wide.shape, wide.dtype), row, raised, "add")
    return (raised / total[row]).astype(sp_values.dtype)


def _row_numbers(xp: Namespace, rows: Array) -> Array:
    """Equal numbers for equal rows, from 0 on."""
    by_row = order(xp, rows)
    ordered = rows[by_row]
    new = (ordered[1:] != ordered[:-1]).any(axis=1)
    number = xp.concatenate([xp.zeros(min(len(rows), 1), np.int64), xp.cumsum(new, dtype=np.int64)])
    return scatter(xp, xp.zeros(len(rows), np.int64), by_row, number)


@RegisterGradient("SparseSoftmax", needs="sp_indices sp_shape outputs")
def _sparse_softmax_grad(op: Any, dy: Tensor) -> Gradients:
    indices, _, shape = op.inputs
    y = op.outputs[0]
    last = np.array([-1], np.int32)
    total = raw_ops.SparseReduceSum(indices, y * dy, shape, last, keep_dims=True)
    return None, raw_ops.SparseDenseCwiseAdd(indices, dy, shape, -total) * y, None


def softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The softmax of each row over the elements that are given.

    >>> tf.sparse.softmax(tf.SparseTensor([[0, 0], [0, 2]], [1.0, 1.0], [1, 3])).values.numpy()
    array([0.5, 0.5], dtype=float32)
    """
    sparse = as_sparse(sp_input)
    return rebuilt(sparse, values=raw_ops.SparseSoftmax(*parts(sparse), name=name))


def map_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> SparseTensor:
    """`op` of the values of the sparse tensors among the arguments, which have the same places.

    >>> tf.sparse.map_values(tf.multiply, tf.sparse.eye(2), 5.0).values.numpy()
    array([5., 5.], dtype=float32)
    """
    found: list[SparseTensor] = []

    def values_of(leaf: Any) -> Any:
        if not isinstance(leaf, SparseTensor):
            return leaf
        found.append(leaf)
        return leaf.values

    new_args, new_kwargs = nest.map_structure(values_of, (list(args), kwargs))
    if not found:
        raise ValueError("No SparseTensor in argument list of map_values")
    for other in found[1:]:
        _assert_same("indices", found[0].indices, other.indices)
        _assert_same("shapes", found[0].dense_shape, other.dense_shape)
    return rebuilt(found[0], values=convert_to_tensor(op(*new_args, **new_kwargs)))


def _assert_same(what: str, first: Tensor, other: Tensor) -> None:
    if first is other:
        return
    axes = raw_ops.Range(np.int32(0), raw_ops.Rank(first), np.int32(1))
    same = raw_ops.All(raw_ops.Equal(first, other), axes)
    Assert(same, [f"map_values: the sparse tensors have different {what}", first, other])
