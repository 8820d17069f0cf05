"""Clipping: to a range of values, or to a norm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.tensor.indexed_slices import IndexedSlices
from runnel.core.values.dtypes import NUMERIC
from runnel.core.values.errors import bad_shape
from runnel.core.values.types import Array, Dims, Gradients, Namespace, Spec, TensorLike
from runnel.ops.reduce.reductions import reduce_sum
from runnel.ops.shapes import same


def _fitting_limits(t: Array, clip_value_min: Array, clip_value_max: Array) -> None:
    for name, limit in (("clip_value_min", clip_value_min), ("clip_value_max", clip_value_max)):
        if limit.shape not in ((), t.shape):
            want = f"be a scalar or of shape {t.shape}"
            raise bad_shape("ClipByValue", want=want, **{name: limit})


def _clipped(t: Spec, clip_value_min: Spec, clip_value_max: Spec) -> Dims:
    return same(t, clip_value_min, clip_value_max)  # type: ignore[no-any-return]


_clipped.broadcasts = True  # type: ignore[attr-defined]  # the limits, that is


@op(
    "ClipByValue",
    "t: T, clip_value_min: T, clip_value_max: T -> output: T",
    T=NUMERIC,
    shape=_clipped,
    check=_fitting_limits,
    elementwise=True,
)
def _clip_by_value(xp: Namespace, t: Array, clip_value_min: Array, clip_value_max: Array) -> Array:
    return xp.maximum(xp.minimum(t, clip_value_max), clip_value_min)


@RegisterGradient("ClipByValue", needs="t clip_value_min clip_value_max")
def _clip_by_value_grad(op: Any, dy: Tensor) -> Gradients:
    t, low, high = op.inputs
    zero = raw_ops.ZerosLike(dy)
    below, above = raw_ops.Less(t, low), raw_ops.Greater(t, high)
    outside = raw_ops.LogicalOr(below, above)
    return (
        raw_ops.SelectV2(outside, zero, dy),
        raw_ops.SelectV2(below, dy, zero),
        raw_ops.SelectV2(above, dy, zero),
    )


@scoped("clip_by_value", last=True)
def clip_by_value(
    t: TensorLike, clip_value_min: TensorLike, clip_value_max: TensorLike, name: str | None = None
) -> Tensor:
    """`t` with smaller elements raised to `clip_value_min` and larger ones lowered to the maximum.

    Args:
        t: a tensor.
        clip_value_min, clip_value_max: the bounds, which may be tensors that broadcast.

    >>> tf.clip_by_value([-10.0, 0.5, 10.0], -1.0, 1.0).numpy()
    array([-1. ,  0.5,  1. ], dtype=float32)
    """
    values, wrap = _values_of(t)
    lowered = raw_ops.Minimum(values, clip_value_max)
    values.shape.assert_is_compatible_with(lowered.shape)
    clipped = raw_ops.Maximum(lowered, clip_value_min, name=name)
    values.shape.assert_is_compatible_with(clipped.shape)
    return wrap(clipped)


def _values_of(t: TensorLike) -> tuple[Tensor, Any]:
    """The values of a tensor or of slices, and how to make the same of other values."""
    if isinstance(t, IndexedSlices):
        return t.values, lambda values: IndexedSlices(values, t.indices, t.dense_shape)
    return convert_to_tensor(t), lambda values: values


@scoped("clip_by_norm", last=True)
def clip_by_norm(
    t: TensorLike, clip_norm: TensorLike, axes: TensorLike = None, name: str | None = None
) -> Any:
    """`t` scaled down to have an L2 norm of `clip_norm` at most, along `axes` or as a whole.

    >>> tf.clip_by_norm([3.0, 4.0], 1.0).numpy()
    array([0.6, 0.8], dtype=float32)
    """
    values, wrap = _values_of(t)
    limit = raw_ops.Maximum(convert_to_tensor(clip_norm, dtype_hint=values.dtype), 0)
    limit = limit if limit.dtype is values.dtype else raw_ops.Cast(limit, DstT=values.dtype)
    squares = reduce_sum(values * values, axes, keepdims=True)
    positive = raw_ops.Greater(squares, raw_ops.ZerosLike(squares))
    # The root of a zero has an infinite slope: it is kept out of the gradient's way.
    safe = raw_ops.SelectV2(positive, squares, raw_ops.OnesLike(squares))
    norm = raw_ops.SelectV2(positive, raw_ops.Sqrt(safe), squares)
    scaled = values * limit
    values.shape.assert_is_compatible_with(scaled.shape)
    return wrap(raw_ops.RealDiv(scaled, raw_ops.Maximum(norm, limit), name=name))


@scoped("global_norm")
def global_norm(t_list: Sequence[TensorLike], name: str | None = None) -> Tensor:
    """The L2 norm of all elements of all tensors in `t_list` together; None counts as nothing.

    >>> tf.linalg.global_norm([tf.constant([3.0]), None, tf.constant([4.0])]).numpy()
    np.float32(5.0)
    """
    values = [_values_of(t)[0] for t in _sequence(t_list) if t is not None]
    if not values:
        return convert_to_tensor(0.0)
    squares = [reduce_sum(raw_ops.Square(v)) for v in values]
    return raw_ops.Sqrt(raw_ops.AddN(squares), name=name)


def _sequence(t_list: Any) -> list[Any]:
    if isinstance(t_list, str | Tensor) or not isinstance(t_list, Sequence):
        raise TypeError(f"`t_list` must be a sequence of tensors, got {type(t_list).__name__}.")
    return list(t_list)


def clip_by_global_norm(
    t_list: Sequence[TensorLike],
    clip_norm: TensorLike,
    use_norm: TensorLike = None,
    name: str | None = None,
) -> tuple[list[Any], Tensor]:
    """All tensors scaled by one factor so that their `global_norm` is `clip_norm` at most.

    The second result is the norm before. Slices stay slices, and None stays None.

    >>> clipped, norm = tf.clip_by_global_norm([tf.constant([3.0]), tf.constant([4.0])], 1.0)
    >>> [c.numpy().tolist() for c in clipped], norm.numpy()
    ([[0.6000000238418579], [0.800000011920929]], np.float32(5.0))
    """
    tensors = _sequence(t_list)
    norm = global_norm(tensors, name) if use_norm is None else convert_to_tensor(use_norm)
    return _scaled_down(tensors, clip_norm, norm, name), norm


@scoped("clip_by_global_norm")
def _scaled_down(
    tensors: Sequence[Any], clip_norm: TensorLike, norm: Tensor, name: str | None
) -> list[Any]:
    one = convert_to_tensor(1, dtype=norm.dtype)
    limit = convert_to_tensor(clip_norm, dtype_hint=norm.dtype)
    if limit.dtype is not norm.dtype:
        raise TypeError(
            f"clip_by_global_norm: `clip_norm` must be of dtype {norm.dtype.name}, as the tensors, "
            f"got {limit.dtype.name}. Use tf.cast."
        )
    scale = limit * raw_ops.Minimum(one / norm, one / limit)
    scale = scale + (norm - norm)  # NaN for a norm that is no number, so that it is noticed
    return [None if t is None else _scaled(t, scale) for t in tensors]


def _scaled(t: TensorLike, scale: Tensor) -> Any:
    values, wrap = _values_of(t)
    factor = scale if scale.dtype is values.dtype else raw_ops.Cast(scale, DstT=values.dtype)
    return wrap(values * factor)
