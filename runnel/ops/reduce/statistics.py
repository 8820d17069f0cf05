"""Reductions made of others: variance, standard deviation, log of the sum of exponentials."""

from __future__ import annotations

from runnel.core.extend import Tensor, convert_to_tensor, raw_ops, scoped
from runnel.core.tensor.convert import unread
from runnel.core.values.types import TensorLike
from runnel.ops.math.complex import conj, real
from runnel.ops.reduce.reductions import reduce_max, reduce_mean, reduce_sum


@scoped("reduce_variance")
def reduce_variance(
    input_tensor: TensorLike,
    axis: TensorLike = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The mean squared distance from the mean along `axis`, or of all elements.

    Args:
        input_tensor: a tensor, or what can become one.
        axis: which axis, or axes; negative ones count from the last. None takes all.
        keepdims: whether the reduced axes stay, with size 1.

    >>> tf.math.reduce_variance([[1.0, 2.0], [3.0, 6.0]], axis=0).numpy()
    array([1., 4.], dtype=float32)
    """
    x = convert_to_tensor(input_tensor)
    if x.dtype.is_integer:
        raise TypeError(f"reduce_variance: `input_tensor` must be a float, got {x.dtype.name}.")
    distance = x - reduce_mean(x, axis, keepdims=True)
    if x.dtype.is_complex:
        squares = real(distance * conj(distance))
    else:
        squares = raw_ops.Square(distance)
    return reduce_mean(squares, axis, keepdims, name)


@scoped("reduce_std")
def reduce_std(
    input_tensor: TensorLike,
    axis: TensorLike = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """The square root of the variance along `axis`, or of all elements.

    Args:
        input_tensor: a tensor, or what can become one.
        axis: which axis, or axes; negative ones count from the last. None takes all.
        keepdims: whether the reduced axes stay, with size 1.

    >>> tf.math.reduce_std([[1.0, 2.0], [3.0, 6.0]], axis=0).numpy()
    array([1., 2.], dtype=float32)
    """
    x = convert_to_tensor(input_tensor)
    return raw_ops.Sqrt(reduce_variance(x, axis, keepdims), name=name)


@scoped("ReduceLogSumExp", last=True)
def reduce_logsumexp(
    input_tensor: TensorLike,
    axis: TensorLike = None,
    keepdims: bool = False,
    name: str | None = None,
) -> Tensor:
    """`log(sum(exp(x)))` along `axis`, or of all elements, without overflow.

    >>> tf.reduce_logsumexp([[1000.0, 1000.0]], axis=1).numpy().round(1)
    array([1000.7], dtype=float32)
    """
    x = unread(input_tensor)
    largest = reduce_max(x, axis, keepdims=True)
    finite = raw_ops.SelectV2(raw_ops.IsFinite(largest), largest, 0)
    finite = raw_ops.StopGradient(finite)
    powers = raw_ops.Exp(raw_ops.Sub(x, finite, name="Sub"))
    result = raw_ops.Log(reduce_sum(powers, axis, keepdims))
    if not keepdims:
        finite = raw_ops.Reshape(finite, raw_ops.Shape(result))
    return raw_ops.AddV2(result, finite, name=name)
