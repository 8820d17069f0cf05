"""Moments, and normalization by them or by a norm."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from runnel.core.extend import RegisterGradient, Tensor, convert_to_tensor, op, raw_ops, scoped
from runnel.core.settings.arguments import integer, operand
from runnel.core.tensor.convert import unread
from runnel.core.tensor.static import constant_value
from runnel.core.values.dtypes import bfloat16, float32, half
from runnel.core.values.errors import bad_shape
from runnel.core.values.types import Array, Gradients, Namespace, TensorLike
from runnel.ops.math.complex import conj
from runnel.ops.reduce.reductions import reduce_mean, reduce_sum
from runnel.ops.shapes import same

_LRN = frozenset({half, bfloat16, float32})


def _check_lrn(input: Array, *others: Array, **attrs: Any) -> None:
    if input.ndim != 4:
        raise bad_shape("LRN", want="have 4 dimensions", input=input)


def _band(channels: int, radius: int) -> np.ndarray:
    """Ones where two channels are neighbours; a product with it sums over neighbours."""
    place = np.arange(channels)
    return (abs(place[:, None] - place) <= radius).astype(np.float32)


@op("LRN", "input: T=float32[4] -> output: T", T=_LRN, shape=same, check=_check_lrn, heavy=True)
def _lrn(
    xp: Namespace,
    input: Array,
    *,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
) -> Array:
    x = input.astype(np.float32)
    energy = xp.matmul(x * x, _band(x.shape[3], depth_radius))
    norm = energy * np.float32(alpha) + np.float32(bias)
    return (x * xp.power(norm, np.float32(-beta))).astype(input.dtype)


@RegisterGradient("LRN", needs="input outputs")
def _lrn_gradient(op: Any, dy: Tensor) -> Gradients:
    names = ("depth_radius", "bias", "alpha", "beta")
    how = {name: op.attrs[name] for name in names}
    return raw_ops.LRNGrad(dy, op.inputs[0], op.outputs[0], **how)


@op(
    "LRNGrad",
    "input_grads: T=float32[4], input_image: T[4], output_image: T[4] -> output: T",
    T=_LRN,
    shape=same,
    check=_check_lrn,
    heavy=True,
)
def _lrn_grad(
    xp: Namespace,
    input_grads: Array,
    input_image: Array,
    output_image: Array,
    *,
    depth_radius: int = 5,
    bias: float = 1.0,
    alpha: float = 1.0,
    beta: float = 0.5,
) -> Array:
    g, x, y = (t.astype(np.float32) for t in (input_grads, input_image, output_image))
    band = _band(x.shape[3], depth_radius)
    norm = xp.matmul(x * x, band) * np.float32(alpha) + np.float32(bias)
    shared = xp.matmul(g * y / norm, band)
    dx = g * xp.power(norm, np.float32(-beta)) - np.float32(2 * alpha * beta) * x * shared
    return dx.astype(input_grads.dtype)


def local_response_normalization(
    input: TensorLike,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """`input` over a power of the energy of its neighbouring channels.

    >>> tf.nn.local_response_normalization(tf.ones([1, 1, 1, 3])).numpy().ravel()
    array([0.5, 0.5, 0.5], dtype=float32)
    """
    return raw_ops.LRN(
        input,
        depth_radius=int(depth_radius),
        bias=float(bias),
        alpha=float(alpha),
        beta=float(beta),
        name=name,
    )


lrn = local_response_normalization


@scoped("moments")
def moments(
    x: TensorLike,
    axes: TensorLike,
    shift: Any = None,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Mean and variance of `x` over `axes`. `shift` has no effect, as in TensorFlow.

    Args:
        x: a tensor, or what can become one.
        axes: the axes over which it is taken.
        shift: of older versions; without effect.
        keepdims: whether the reduced axes stay, with size 1.

    >>> mean, variance = tf.nn.moments(tf.constant([1.0, 2.0, 3.0]), axes=[0])
    >>> mean.numpy(), variance.numpy()
    (np.float32(2.0), np.float32(0.6666667))
    """
    given = unread(x)
    narrow = given.dtype is half
    y = raw_ops.Cast(given, DstT=float32) if narrow else given
    mean = reduce_mean(y, axes, keepdims=True, name="mean")
    squares = raw_ops.SquaredDifference(y, raw_ops.StopGradient(mean))
    variance = reduce_mean(squares, axes, keepdims=True, name="variance")
    if not keepdims:
        mean, variance = _squeezed(mean, axes), _squeezed(variance, axes)
    if narrow:
        return raw_ops.Cast(mean, DstT=half), raw_ops.Cast(variance, DstT=half)
    return mean, variance


def _squeezed(x: Tensor, axes: TensorLike) -> Tensor:
    known = constant_value(axes) if axes is not None else None
    if axes is not None and known is None:
        raise TypeError("moments: `axes` must be known while tracing, or use keepdims=True.")
    return raw_ops.Squeeze(x, axis=() if known is None else tuple(np.ravel(known).tolist()))


@scoped("sufficient_statistics")
def sufficient_statistics(
    x: TensorLike,
    axes: TensorLike,
    shift: TensorLike | None = None,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """What moments are made of: count, sum and sum of squares of `x - shift`, and `shift`.

    >>> count, total, squares, _ = tf.nn.sufficient_statistics([1.0, 2.0, 3.0], [0])
    >>> count.numpy(), total.numpy(), squares.numpy()
    (np.float32(3.0), np.float32(6.0), np.float32(14.0))
    """
    given = convert_to_tensor(x)
    if not (given.dtype.is_floating or given.dtype.is_integer or given.dtype.is_complex):
        name = given.dtype.name
        raise TypeError(f"sufficient_statistics: `x` must hold numbers, got {name}.")
    rank = given.ndim
    known = [axes] if np.ndim(axes) == 0 else list(axes)
    axis = tuple({integer("sufficient_statistics", "axes", a) for a in known})
    if rank is None and any(abs(a) >> 31 for a in axis):
        raise TypeError(f"sufficient_statistics: `axes` are not those of a tensor, got {axis}.")
    if rank is not None:
        if any(not -rank <= a < rank for a in axis):
            want = f"must be in [{-rank}, {rank})"
            raise TypeError(f"sufficient_statistics: `axes` {want}, got {axis}.")
        axis = tuple({a % rank for a in axis})
    axes = np.array(axis, np.int32)
    dims = [given.shape[a] if rank is not None else None for a in axis]
    if None not in dims:
        count = convert_to_tensor(np.array(math.prod(dims), given.dtype.np_dtype))  # type: ignore[arg-type]
    else:
        places = raw_ops.FloorMod(axes, raw_ops.Rank(given))
        sizes = raw_ops.GatherV2(raw_ops.Shape(given), places, np.int32(0))
        count = raw_ops.Prod(raw_ops.Cast(sizes, DstT=given.dtype), np.array([0], np.int32))
    if shift is None:
        centered, squares, moved = given, given * given, None
    else:
        moved = convert_to_tensor(shift, dtype=given.dtype)
        centered = given - moved
        squares = raw_ops.SquaredDifference(given, moved)
    total = reduce_sum(centered, axes, keepdims=keepdims)
    return count, total, reduce_sum(squares, axes, keepdims=keepdims), moved


@scoped("normalize")
def normalize_moments(
    counts: TensorLike,
    mean_ss: TensorLike,
    variance_ss: TensorLike,
    shift: TensorLike | None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Mean and variance from `sufficient_statistics`.

    >>> mean, variance = tf.nn.normalize_moments(3.0, 6.0, 14.0, None)
    >>> mean.numpy(), round(float(variance), 4)
    (np.float32(2.0), 0.6667)
    """
    share = raw_ops.Reciprocal(counts)
    offset = raw_ops.Mul(mean_ss, share)
    mean = offset if shift is None else offset + convert_to_tensor(shift)
    return mean, raw_ops.Mul(variance_ss, share) - raw_ops.Square(offset)


@scoped("weighted_moments")
def weighted_moments(
    x: TensorLike,
    axes: TensorLike,
    frequency_weights: TensorLike,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Mean and variance in which each element counts as often as its weight says.

    >>> mean, variance = tf.nn.weighted_moments([1.0, 2.0], [0], [1.0, 3.0])
    >>> mean.numpy(), variance.numpy()
    (np.float32(1.75), np.float32(0.1875))
    """
    y = convert_to_tensor(x)
    weights = convert_to_tensor(frequency_weights)
    dtype = y.dtype
    if dtype is half:
        y = raw_ops.Cast(y, DstT=float32)
    if weights.dtype is not y.dtype:
        weights = raw_ops.Cast(weights, DstT=y.dtype)
    weighted = weights * y
    spread = weights + raw_ops.ZerosLike(weighted)
    count = reduce_sum(spread, axes, keepdims=True)
    mean = reduce_sum(weighted, axes, keepdims=True) / count
    deviation = reduce_sum(weights * raw_ops.SquaredDifference(y, mean), axes, keepdims=True)
    variance = deviation / count
    if not keepdims:
        mean, variance = _squeezed(mean, axes), _squeezed(variance, axes)
    if dtype is half:
        return raw_ops.Cast(mean, DstT=half), raw_ops.Cast(variance, DstT=half)
    return mean, variance


@scoped("batchnorm")
def batch_normalization(
    x: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    offset: TensorLike | None,
    scale: TensorLike | None,
    variance_epsilon: TensorLike,
    name: str | None = None,
) -> Tensor:
    """`x` moved to mean 0 and variance 1, then scaled and moved where that is asked for.

    >>> tf.nn.batch_normalization(tf.constant([1.0, 3.0]), 2.0, 1.0, None, None, 0.0).numpy()
    array([-1.,  1.], dtype=float32)
    """
    given = convert_to_tensor(x)
    spread = operand("batch_normalization", "variance", variance)
    steepness = raw_ops.Rsqrt(spread + variance_epsilon)
    if scale is not None:
        steepness = steepness * scale
    shift = -mean * steepness if offset is None else offset - mean * steepness
    if steepness.dtype is not given.dtype:
        steepness = raw_ops.Cast(steepness, DstT=given.dtype)
        shift = raw_ops.Cast(shift, DstT=given.dtype)
    return given * steepness + shift


def batch_norm_with_global_normalization(
    input: TensorLike,
    mean: TensorLike,
    variance: TensorLike,
    beta: TensorLike,
    gamma: TensorLike,
    variance_epsilon: float,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Tensor:
    """`batch_normalization` under its first name.

    >>> x = tf.constant([[1.0], [3.0]])
    >>> y = tf.nn.batch_norm_with_global_normalization(x, 2.0, 1.0, 0.0, 5.0, 0.0, False)
    >>> y.numpy().ravel()
    array([-1.,  1.], dtype=float32)
    """
    scale = gamma if scale_after_normalization else None
    return batch_normalization(input, mean, variance, beta, scale, variance_epsilon, name)


@scoped("l2_normalize", last=True)
def l2_normalize(
    x: TensorLike,
    axis: TensorLike | None = None,
    epsilon: float = 1e-12,
    name: str | None = None,
    dim: TensorLike | None = None,
) -> Tensor:
    """`x` over its Euclidean norm along `axis`, which counts as at least the root of `epsilon`.

    Args:
        x: a tensor, or what can become one.
        axis: the axis along which the squares sum to 1.
        epsilon: a lower bound of the sum of squares.
        dim: of older versions: `axis`.

    >>> tf.math.l2_normalize([3.0, 4.0]).numpy()
    array([0.6, 0.8], dtype=float32)
    """
    if dim is not None:
        if axis is not None:
            raise ValueError("l2_normalize: give `axis` or its old name `dim`, not both.")
        axis = dim
    given = convert_to_tensor(x)
    if given.dtype.is_complex:
        energy = raw_ops.Real(
            reduce_sum(given * conj(given), axis, keepdims=True), Tout=given.dtype.real_dtype
        )
        inverse = raw_ops.Rsqrt(raw_ops.Maximum(energy, epsilon))
        factor = raw_ops.Cast(inverse, DstT=given.dtype)
        return raw_ops.Mul(given, factor, name=name)
    energy = reduce_sum(raw_ops.Square(given), axis, keepdims=True)
    return raw_ops.Mul(given, raw_ops.Rsqrt(raw_ops.Maximum(energy, epsilon)), name=name)


@scoped("zero_fraction")
def zero_fraction(value: TensorLike, name: str | None = None) -> Tensor:
    """The share of `value` that is zero.

    >>> tf.nn.zero_fraction([0, 1, 0, 2]).numpy()
    np.float32(0.5)
    """
    x = convert_to_tensor(value)
    size = raw_ops.Cast(raw_ops.Size(x, out_type="int64"), DstT=float32)
    zeros = raw_ops.Cast(raw_ops.Equal(x, raw_ops.ZerosLike(x)), DstT="int64")
    return raw_ops.RealDiv(raw_ops.Cast(reduce_sum(zeros), DstT=float32), size, name=name)
