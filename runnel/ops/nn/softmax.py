"""Softmax and the cross entropies that are computed from logits."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.op.registry import wants_gradient
from runnel.core.settings.arguments import integer
from runnel.core.tensor.filling import zeros_as
from runnel.core.values.dtypes import FLOATS, bfloat16, float32, half, int32, int64
from runnel.core.values.errors import bad_dtype, bad_shape, bad_value, invalid_in
from runnel.core.values.shape import broadcast_shapes
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.kernels.arrays import reduce_axes
from runnel.ops.shapes import shape_of, with_shape_of

_LAST = np.int32(-1)


def _wide(xp: Namespace, x: Array) -> Array:
    """Sums of many halves lose too much: they are formed in float32."""
    return x.astype(np.float32) if x.dtype.itemsize == 2 else x


def _normalized(xp: Namespace, logits: Array) -> tuple[Array, Array, Array]:
    """Logits with their largest at 0, the exponentials of those, and their sums."""
    x = _wide(xp, logits)
    if x.size:
        top = reduce_axes(xp, "max", x, (-1,), keepdims=True)
    else:
        top = xp.zeros((*x.shape[:-1], 1), x.dtype)
    shifted = x - top
    powers = xp.exp(shifted)
    return shifted, powers, xp.sum(powers, axis=-1, keepdims=True)


def logits_shape(logits: Spec, *, op_name: str, **attrs: Any) -> Dims:
    if logits.rank == 0:
        raise bad_shape(op_name, want="have at least one dimension", logits=logits)
    return logits.dims


def _check_logits(logits: Array, **attrs: Any) -> None:
    if not logits.shape:
        raise bad_shape("Softmax", want="have at least one dimension", logits=logits)


_ROWS: Any = {"T": FLOATS, "check": _check_logits, "heavy": True, "shape": logits_shape}


@op("Softmax", "logits: T -> softmax: T", **_ROWS)
def _softmax(xp: Namespace, logits: Array) -> Array:
    _, powers, total = _normalized(xp, logits)
    return (powers / total).astype(logits.dtype)


@RegisterGradient("Softmax", needs="outputs")
def _softmax_gradient(op: Any, dy: Tensor) -> Gradients:
    y = op.outputs[0]
    return (dy - raw_ops.Sum(dy * y, _LAST, keep_dims=True)) * y


@op("LogSoftmax", "logits: T -> logsoftmax: T", **_ROWS)
def _log_softmax(xp: Namespace, logits: Array) -> Array:
    shifted, _, total = _normalized(xp, logits)
    return (shifted - xp.log(total)).astype(logits.dtype)


@RegisterGradient("LogSoftmax", needs="outputs")
def _log_softmax_gradient(op: Any, dy: Tensor) -> Gradients:
    y = raw_ops.Exp(op.outputs[0])
    return dy - raw_ops.Sum(dy, _LAST, keep_dims=True) * y


def _along(op: Any, logits: TensorLike, axis: Any, name: str | None) -> Tensor:
    """`op`, which works along the last axis, along `axis`."""
    x = convert_to_tensor(logits)
    axis = -1 if axis is None else integer(op.name, "axis", axis)
    rank = x.shape.rank
    if axis == -1 or (rank is not None and axis == rank - 1):
        return op(x, name=name)
    if rank is None:
        raise ValueError(f"The axis {axis} of logits whose rank is not known cannot be found.")
    if not -rank <= axis < rank:
        raise invalid_in(op.name, f"`axis` must be in [{-rank}, {rank}), got {axis}.")
    order = list(range(rank))
    order[axis], order[-1] = order[-1], order[axis]
    order_array = np.array(order, np.int32)
    return raw_ops.Transpose(op(raw_ops.Transpose(x, order_array)), order_array, name=name)


def softmax(logits: TensorLike, axis: Any = None, name: str | None = None) -> Tensor:
    """`exp(logits)` scaled to a sum of 1 along `axis`, the last one by default.

    Args:
        logits: a tensor of floats.
        axis: the axis along which the sum is 1.

    >>> tf.nn.softmax([0.0, 0.0, np.log(2.0)]).numpy()
    array([0.25, 0.25, 0.5 ], dtype=float32)
    """
    return _along(raw_ops.Softmax, logits, axis, name)


def log_softmax(logits: TensorLike, axis: Any = None, name: str | None = None) -> Tensor:
    """The logarithm of the softmax, accurate where the softmax is near 0.

    >>> tf.nn.log_softmax([0.0, -1000.0]).numpy()
    array([    0., -1000.], dtype=float32)
    """
    return _along(raw_ops.LogSoftmax, logits, axis, name)


def _cross_entropy_shape(features: Spec, labels: Spec, **attrs: Any) -> list[Dims]:
    try:
        dims = broadcast_shapes(features.dims, labels.dims)
    except ValueError:
        dims = ()
    if dims is not None and len(dims) != 2:
        raise bad_shape(
            "SoftmaxCrossEntropyWithLogits",
            want=f"broadcast to a matrix with features of shape {features.shape}",
            labels=labels,
        )
    return [(None,), (None, None)] if dims is None else [dims[:1], dims]


def _check_cross_entropy(features: Array, labels: Array) -> None:
    if features.ndim != 2 or features.shape != labels.shape:
        _cross_entropy_shape(Spec(features.shape, float32), Spec(labels.shape, float32))


@op(
    "SoftmaxCrossEntropyWithLogits",
    "features: T, labels: T -> loss: T, backprop: T",
    T=FLOATS,
    shape=_cross_entropy_shape,
    check=_check_cross_entropy,
    heavy=True,
)
def _softmax_cross_entropy(xp: Namespace, features: Array, labels: Array) -> list[Array]:
    features, labels = xp.broadcast_arrays(features, labels)
    shifted, powers, total = _normalized(xp, features)
    wanted = _wide(xp, labels)
    # A label of 0 counts for nothing, even where the logit is minus infinity.
    terms = wanted * (xp.log(total) - shifted)
    loss = xp.sum(xp.where(wanted == 0, xp.zeros((), terms.dtype), terms), axis=-1)
    return [loss.astype(features.dtype), (powers / total - wanted).astype(features.dtype)]


@RegisterGradient("SoftmaxCrossEntropyWithLogits", needs="features outputs", zeros=False)
def _softmax_cross_entropy_gradient(
    op: Any, dloss: Tensor | None, dbackprop: Tensor | None
) -> Gradients:
    dfeatures = _from_backprop(op, dloss, dbackprop)
    if not wants_gradient(op, 1):
        return dfeatures, None
    # As in TensorFlow, what arrives at `backprop` goes on to the logits and not to the labels.
    if dloss is None:
        return dfeatures, zeros_as(op.inputs[0])
    surprise = -raw_ops.LogSoftmax(op.inputs[0])
    return dfeatures, raw_ops.ExpandDims(dloss, _LAST) * surprise


def _from_backprop(op: Any, dloss: Any, dbackprop: Any) -> Any:
    """The gradient of the logits: what comes through the loss, and through its gradient."""
    first = None if dloss is None else raw_ops.ExpandDims(dloss, _LAST) * op.outputs[1]
    if dbackprop is None:
        return first
    y = raw_ops.Softmax(op.inputs[0])
    second = (dbackprop - raw_ops.Sum(dbackprop * y, _LAST, keep_dims=True)) * y
    return second if first is None else first + second


def _sparse_shape(features: Spec, labels: Spec, **attrs: Any) -> list[Dims]:
    name = "SparseSoftmaxCrossEntropyWithLogits"
    if features.rank not in (None, 2):
        raise bad_shape(name, want="be a matrix", features=features)
    if labels.rank not in (None, 1):
        raise bad_shape(name, want="be a vector", labels=labels)
    rows = (None,) if features.dims is None else features.dims[:1]
    if labels.dims is not None and None not in (*rows, *labels.dims) and rows != labels.dims:
        raise bad_shape(name, want=f"have one label for each of {rows[0]} rows", labels=labels)
    rows = labels.dims if labels.dims and rows == (None,) else rows
    return [rows, (None, None) if features.dims is None else features.dims]


def _check_sparse(features: Array, labels: Array) -> None:
    _sparse_shape(Spec(features.shape, float32), Spec(labels.shape, int64))
    if labels.size and (labels.min() < 0 or labels.max() >= features.shape[1]):
        want = f"lie in [0, {features.shape[1]})"
        raise bad_value("SparseSoftmaxCrossEntropyWithLogits", want=want, labels=labels)


@op(
    "SparseSoftmaxCrossEntropyWithLogits",
    "features: T, labels: Tlabels -> loss: T, backprop: T",
    T=FLOATS,
    Tlabels=frozenset({int32, int64}),
    shape=_sparse_shape,
    check=_check_sparse,
    heavy=True,
)
def _sparse_softmax_cross_entropy(xp: Namespace, features: Array, labels: Array) -> list[Array]:
    shifted, powers, total = _normalized(xp, features)
    index = labels[:, None]
    hit = index == xp.arange(features.shape[1], dtype=labels.dtype)
    zero = xp.zeros((), shifted.dtype)
    chosen = xp.sum(xp.where(hit, shifted, zero), axis=-1)
    # A label out of range, which only a compiled program gets to see, gives NaN.
    valid = (index >= 0) & (index < features.shape[1])
    nan = xp.asarray(np.nan, shifted.dtype)
    loss = xp.where(valid[:, 0], xp.log(total[:, 0]) - chosen, nan)
    backprop = xp.where(valid, powers / total - hit.astype(shifted.dtype), nan)
    return [loss.astype(features.dtype), backprop.astype(features.dtype)]


@RegisterGradient("SparseSoftmaxCrossEntropyWithLogits", needs="features outputs", zeros=False)
def _sparse_softmax_cross_entropy_gradient(
    op: Any, dloss: Tensor | None, dbackprop: Tensor | None
) -> Gradients:
    return _from_backprop(op, dloss, dbackprop), None


@scoped("softmax_cross_entropy_with_logits")
def softmax_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, axis: int = -1, name: str | None = None
) -> Tensor:
    """The cross entropy of each row: how far `softmax(logits)` is from the distribution `labels`.

    >>> tf.nn.softmax_cross_entropy_with_logits([[0.0, 1.0]], [[0.0, 0.0]]).numpy()
    array([0.6931472], dtype=float32)
    """
    x = convert_to_tensor(logits)
    wanted = convert_to_tensor(labels, dtype_hint=x.dtype)
    wanted = wanted if wanted.dtype is x.dtype else raw_ops.Cast(wanted, DstT=x.dtype)
    if not x.dtype.is_floating:
        raise bad_dtype("softmax_cross_entropy_with_logits", want="be floats", logits=x)
    axis = -1 if axis is None else integer("softmax_cross_entropy_with_logits", "axis", axis)
    narrow = x.dtype in (half, bfloat16)
    if narrow:
        x, wanted = (raw_ops.Cast(t, DstT=float32) for t in (x, wanted))
    rank = x.shape.rank
    if rank is not None and axis not in (-1, rank - 1):
        if not -rank <= axis < rank:
            raise bad_value("softmax_cross_entropy", want=f"be in [{-rank}, {rank})", axis=axis)
        order = [i for i in range(rank) if i != axis % rank] + [axis % rank]
        x, wanted = (raw_ops.Transpose(t, np.array(order, np.int32)) for t in (x, wanted))
    elif rank is None and axis != -1:
        places = _last_in_order(raw_ops.Rank(x), axis)
        x, wanted = (raw_ops.Transpose(t, places) for t in (x, wanted))
    outer = shape_of(x)[:-1]
    loss, _ = raw_ops.SoftmaxCrossEntropyWithLogits(_as_matrix(x), _as_matrix(wanted), name=name)
    loss = raw_ops.Reshape(loss, outer)
    return raw_ops.Cast(loss, DstT=convert_to_tensor(logits).dtype) if narrow else loss


def _last_in_order(rank: Tensor, axis: int) -> Tensor:
    """The axes with one of them at the end, where their number is not known."""
    place: Any = axis if axis >= 0 else rank + axis
    before, after = raw_ops.Range(0, place, 1), raw_ops.Range(place + 1, rank, 1)
    return raw_ops.ConcatV2([before, after, raw_ops.Reshape(place, [1])], np.int32(0))  # type: ignore[no-any-return]


def _as_matrix(x: Tensor) -> Tensor:
    """`x` with all but its last dimension folded into one."""
    if x.shape.rank == 2:
        return x
    if x.shape.rank == 0:
        raise bad_shape("softmax_cross_entropy", want="have at least one dimension", logits=x)
    dims = x.shape._dims
    if dims is not None and dims[-1] is not None and dims[-1] != 0:
        return raw_ops.Reshape(x, np.array([-1, dims[-1]], np.int32))
    if dims is not None and x.shape.is_fully_defined():
        return raw_ops.Reshape(x, np.array([x.shape[:-1].num_elements(), dims[-1]], np.int32))
    last = raw_ops.Shape(x)[-1:]
    return raw_ops.Reshape(x, raw_ops.ConcatV2([np.array([-1], np.int32), last], np.int32(0)))


@scoped("SparseSoftmaxCrossEntropyWithLogits")
def sparse_softmax_cross_entropy_with_logits(
    labels: TensorLike, logits: TensorLike, name: str | None = None
) -> Tensor:
    """The cross entropy of each row with the class that `labels` numbers.

    Args:
        labels: the numbers of the classes.
        logits: a logit for each class, in the last axis.

    >>> tf.nn.sparse_softmax_cross_entropy_with_logits([1], [[0.0, 0.0]]).numpy()
    array([0.6931472], dtype=float32)
    """
    classes = convert_to_tensor(labels)
    x = convert_to_tensor(logits)
    dtype = x.dtype
    if dtype in (half, bfloat16):
        x = raw_ops.Cast(x, DstT=float32)
    if x.shape.rank == 0:
        raise ValueError(f"sparse_softmax_cross_entropy: `logits` must have dimensions, got {x!r}.")
    _check_ranks(classes, x)
    if x.shape.rank == 2:
        loss, _ = raw_ops.SparseSoftmaxCrossEntropyWithLogits(x, classes, name=name)
    else:
        flat = raw_ops.Reshape(classes, np.array([-1], np.int32))
        loss, _ = raw_ops.SparseSoftmaxCrossEntropyWithLogits(_as_matrix(x), flat, name=name)
        loss = with_shape_of(classes, raw_ops.Reshape(loss, shape_of(classes)))
    return loss if x.dtype is dtype else raw_ops.Cast(loss, DstT=dtype)


def _check_ranks(labels: Tensor, logits: Tensor) -> None:
    have, want = labels.shape.rank, logits.shape.rank
    if have is None or want is None:
        return
    if have != want - 1:
        raise ValueError(
            "sparse_softmax_cross_entropy: `labels` must have one dimension less than logits of "
            f"shape {logits.shape}, got shape {labels.shape}."
        )
    if not labels.shape.is_compatible_with(logits.shape[:-1]):
        raise ValueError(
            f"sparse_softmax_cross_entropy: `labels` must have shape {logits.shape[:-1]} to follow "
            f"logits of shape {logits.shape}, got shape {labels.shape}."
        )
